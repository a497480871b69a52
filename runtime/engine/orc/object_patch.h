/* Applies the relocations of an object file to the image that is made of it. Values that depend
 * on the image's address, or on definitions elsewhere, become relocations of the image; all
 * others are computed here and now.
 *
 * Calls of imports go through stubs, and all other uses of imports through addresses in memory
 * (slots), since their distances are unknown. */
#ifndef TCI_OBJECT_PATCH_H
#define TCI_OBJECT_PATCH_H

#include "image_bundle.h"
#include "object_layout.h"

/* The result of the relocations for a symbol; by its index. */
typedef struct tci_patch_symbol {
    uint32_t slot; /* number, from 1 on; 0: no slot */
    uint32_t stub; /* likewise */
    bool is_used;
    uint32_t import; /* number, of an undefined symbol */
    tci_relocation_kind kind;
} tci_patch_symbol;

typedef struct tci_object_patch {
    const tci_elf_object *object;
    size_t symbol_count; /* one more than the highest index */
    tci_patch_symbol *symbols;
    uint32_t slot_count;
    uint32_t stub_count;

    /* Imports: as tci_image_bundle has them; the weak ones as tci_image_source does. */
    uint32_t given_count;
    uint32_t given[TCI_BUNDLE_VARIABLES_MAX];
    uint32_t name_count;
    const char **names;
    uint32_t weak_count;
    const char **weak_names;

    size_t relocation_count;
    tci_relocation *relocations; /* ascending, once applied */
} tci_object_patch;

/* Bytes of one stub. */
extern const size_t tci_object_patch_stub_bytes;

/* Determines the imports, stubs and slots that are needed. Free it with tci_object_patch_fini,
 * also after a failure. TC_E_UNSUPPORTED (a kind of relocation or symbol that an image cannot
 * express), TC_E_TOO_LARGE, TC_E_CORRUPT, TC_E_NO_MEMORY. */
tc_status tci_object_patch_plan(const tci_elf_object *object, tci_object_patch *patch_out,
                                tc_error *err);

/* Applies all relocations to the layout's memory. The same statuses. */
tc_status tci_object_patch_apply(tci_object_patch *patch, const tci_object_layout *layout,
                                 tc_error *err);

void tci_object_patch_fini(tci_object_patch *patch);

#endif
