/* The parts of a unit, for the files that fill it and bind it again. */
#ifndef TCI_CODE_UNIT_OBJECT_H
#define TCI_CODE_UNIT_OBJECT_H

#include "code_map.h"
#include "engine/code_unit.h"
#include "engine/linked_code.h"
#include "engine/shared_library.h"
#include "image/image_loader.h"

#include <tc/load.h>

/* The result of a load. */
typedef struct tci_loaded_code {
    tci_entries entries;
    tci_linked_code *compiled; /* NULL: a shipped image or shared object */
    bool may_tier_up;          /* compiling it again for this CPU could make it faster */
    bool has_state;            /* variables of its own that it may write, or constructors */
    bool optimised;
    tc_load_path path;
    size_t memory;
    tci_object_write *pending; /* NULL: nothing to store */
    uint64_t stage_ns[TC_STAGE_COUNT];
} tci_loaded_code;

typedef struct tci_started_code tci_started_code; /* code_unit_life.c */

struct tci_code_unit {
    tci_loaded_code code; /* first, as most callers read its entries */
    tci_symbols *symbols;
    tci_loaded_image *image; /* NULL: compiled code, or a shared object: */
    tci_shared_library *shared;
    tci_linked_code *state;    /* replaced code with variables that the code uses; or NULL */
    tci_started_code *started; /* its constructors have run; NULL: not yet, or it has none */
    tci_code_names *names;
};

#endif
