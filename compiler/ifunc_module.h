/* Makes an archive's bitcode for one target: reads, checks, links, shrinks and writes it.
 *
 * The LLVM that is linked here writes the result, regardless of the LLVM that wrote the input.
 * LLVM's own error channels end at this module: diagnostics are collected, and LLVM never ends
 * the process over bad input. */
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
    bool is_library;  /* its definitions are exported: library_exports.h */
    bool allow_asm;
    bool keep_debug;
    /* an image will be made, if the target has any: code that has no image form is a finding */
    bool for_image;
    uint8_t cpu_level; /* TCI_CPU_: level that the pieces were compiled for */
    char opt_level;    /* '0' '1' '2' '3' 's' 'z': level of the passes over the pieces */
} tci_ifunc_policy;

/* The contents of an archive slice. */
typedef struct tci_ifunc_code {
    char triple[TCI_TRIPLE_MAX]; /* normalised */
    tci_slice_form form;
    uint8_t cpu_level; /* TCI_CPU_: level that the code was compiled for */
    unsigned entries;  /* TCI_ENTRY_ bits */
    tci_payload_request payload;
    void *bytes; /* bitcode without triple and data layout, or an image */
    size_t size;
    uint8_t producer_major; /* of the LLVM that wrote `bytes` */
    uint8_t producer_minor;
    uint8_t producer_patch;
    /* must be found at the target; weak references are optional and left out */
    tci_text_list symbols;
    bool is_library;
    bool has_holes;        /* hole_variables.h */
    tci_text_list exports; /* of a library: see library_exports.h */
    /* first source position that uses an instruction by name that a CPU may lack; NULL: none */
    char *special_place;
} tci_ifunc_code;

void tci_ifunc_code_fini(tci_ifunc_code *code);

typedef struct tci_ifunc_module tci_ifunc_module;

/* Keeps pointers to policy->name and to findings, which gets the lines of all checks.
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_ifunc_module_create(const tci_ifunc_policy *policy,
                                                tci_text_list *findings,
                                                tci_ifunc_module **module_out, tc_error *err);
void tci_ifunc_module_destroy(tci_ifunc_module *module);

/* Reads one more piece of bitcode (or of LLVM's assembly text, if it does not start like
 * bitcode), checks it and links it to those before. `origin` is the name in texts.
 * TC_E_VERSION: from a newer LLVM than the linked one. TC_E_CORRUPT: LLVM cannot read it.
 * TC_E_INVALID: no triple, or another than before. TC_E_COMPILE: does not link. Code that
 * cannot be shipped is no error here: it is in `findings`. */
TC_MUST_CHECK tc_status tci_ifunc_module_add(tci_ifunc_module *module, const char *origin,
                                             const void *bytes, size_t size, tc_error *err);

/* Adds a piece that has been through no passes; it is optimised before it is checked. */
TC_MUST_CHECK tc_status tci_ifunc_module_add_raw(tci_ifunc_module *module, const char *origin,
                                                 const void *bytes, size_t size, tc_error *err);

/* Checks the entry points and makes small bitcode, optimised up to the passes that depend on
 * the CPU: loops are neither unrolled nor vectorised, so that the receiver, which knows its
 * CPU, still can. TC_E_UNSUPPORTED when there are findings, TC_E_INVALID when nothing was
 * added, TC_E_COMPILE, TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_ifunc_module_finish(tci_ifunc_module *module,
                                                tci_ifunc_code *code_out, tc_error *err);

/* Makes fully optimised bitcode, the input of an image. Both may be made, in any order. */
TC_MUST_CHECK tc_status tci_ifunc_module_finish_for_image(tci_ifunc_module *module,
                                                          tci_ifunc_code *code_out,
                                                          tc_error *err);

#endif
