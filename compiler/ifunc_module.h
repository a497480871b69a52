/* Bitcode of one target on its way into an archive: read, checked, linked, made small, written
 * again.
 *
 * The bytes that come out are written by the LLVM that is linked here, whatever wrote those
 * that went in. LLVM's own error channels end at this module: diagnostics are collected, and
 * LLVM never ends the process over bad input. */
#ifndef TCI_IFUNC_MODULE_H
#define TCI_IFUNC_MODULE_H

#include "payload_request.h"
#include "text_list.h"

#include "archive.h"
#include "base/triple.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

typedef struct tci_ifunc_policy {
    const char *name; /* entry points are NAME_main, ... */
    bool is_library;  /* what it defines is exported: library_exports.h */
    bool allow_asm;
    bool keep_debug;
    /* an image will be made, if the target has any: what has none is a finding */
    bool for_image;
    uint8_t cpu_level; /* TCI_CPU_: what the pieces were compiled for */
    char opt_level;    /* '0' '1' '2' '3' 's' 'z': what passes make of the pieces */
} tci_ifunc_policy;

/* What an archive slice is made of. */
typedef struct tci_ifunc_code {
    char triple[TCI_TRIPLE_MAX]; /* normalised */
    tci_slice_form form;
    uint8_t cpu_level; /* TCI_CPU_: what the code was compiled for */
    unsigned entries;  /* TCI_ENTRY_ bits */
    tci_payload_request payload;
    void *bytes; /* bitcode without triple and data layout, or an image */
    size_t size;
    uint8_t producer_major; /* of the LLVM that wrote `bytes` */
    uint8_t producer_minor;
    uint8_t producer_patch;
    /* must be found at the target; weak references need not be and are left out */
    tci_text_list symbols;
    bool is_library;
    tci_text_list exports; /* of a library: see library_exports.h */
    /* where the sources ask for an instruction by name that a CPU may lack; NULL: nowhere */
    char *special_place;
} tci_ifunc_code;

void tci_ifunc_code_fini(tci_ifunc_code *code);

typedef struct tci_ifunc_module tci_ifunc_module;

/* Keeps pointers to policy->name and to findings, where the lines of all checks go.
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_ifunc_module_create(const tci_ifunc_policy *policy,
                                                tci_text_list *findings,
                                                tci_ifunc_module **module_out, tc_error *err);
void tci_ifunc_module_destroy(tci_ifunc_module *module);

/* Reads one more piece of bitcode (or of LLVM's assembly text: what does not start like
 * bitcode), checks it and links it to those before. `origin` is the name in texts.
 * TC_E_VERSION: from a newer LLVM than the linked one. TC_E_CORRUPT: LLVM cannot read it.
 * TC_E_INVALID: no triple, or another than before. TC_E_COMPILE: does not link. Things that
 * cannot be shipped are no error here: they are in `findings`. */
TC_MUST_CHECK tc_status tci_ifunc_module_add(tci_ifunc_module *module, const char *origin,
                                             const void *bytes, size_t size, tc_error *err);

/* The same of a piece that has been through no passes; it is optimised before it is checked. */
TC_MUST_CHECK tc_status tci_ifunc_module_add_raw(tci_ifunc_module *module, const char *origin,
                                                 const void *bytes, size_t size, tc_error *err);

/* Checks the entry points and makes small bitcode, optimised up to where the CPU begins to
 * matter: loops are neither unrolled nor vectorised, so that the receiver, which knows its CPU,
 * still can. TC_E_UNSUPPORTED when there are findings, TC_E_INVALID when nothing was added,
 * TC_E_COMPILE, TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_ifunc_module_finish(tci_ifunc_module *module,
                                                tci_ifunc_code *code_out, tc_error *err);

/* The same, optimised for good: what an image is made of. Both may be made, in any order. */
TC_MUST_CHECK tc_status tci_ifunc_module_finish_for_image(tci_ifunc_module *module,
                                                          tci_ifunc_code *code_out,
                                                          tc_error *err);

#endif
