/* What debug information says about types, read from LLVM's assembly text.
 *
 * There each piece is a numbered node with named fields:
 *
 *     !7 = !DIDerivedType(tag: DW_TAG_member, name: "x", file: !1, line: 3, baseType: !4,
 *                         size: 32, offset: 64)
 *     !8 = !{!7, !9}
 *
 * The names of these fields are documented (LLVM's language reference); LLVM's C API shows
 * only some of them. */
#ifndef TCI_DEBUG_TYPES_H
#define TCI_DEBUG_TYPES_H

#include "source_place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

typedef struct tci_debug_types {
    char *text;
    const char **nodes; /* by number; NULL: there is none */
    size_t count;
} tci_debug_types;

typedef size_t tci_node;
#define TCI_NODE_NONE SIZE_MAX
#define TCI_TYPE_NAME_MAX 128 /* longer names are cut in texts */

/* Takes the assembly text of one module; copies it. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_debug_types_read(const void *bytes, size_t size,
                                             tci_debug_types *types_out, tc_error *err);
void tci_debug_types_fini(tci_debug_types *types);

/* A struct, union, enum or typedef by its name in C, the keyword included or not. None when it
 * is not defined. */
tci_node tci_debug_find(const tci_debug_types *types, const char *name);
/* The type behind typedefs, qualifiers and _Atomic. None: void. */
tci_node tci_debug_strip(const tci_debug_types *types, tci_node node);

/* Fields. What is not there is 0, "", false or none. */
uint64_t tci_debug_number(const tci_debug_types *types, tci_node node, const char *field);
tci_node tci_debug_node(const tci_debug_types *types, tci_node node, const char *field);
/* As it is written there, but for the quotation marks. Gives out. */
const char *tci_debug_text(const tci_debug_types *types, tci_node node, const char *field,
                           char out[TCI_TYPE_NAME_MAX]);
bool tci_debug_has(const tci_debug_types *types, tci_node node, const char *field,
                   const char *value);
/* Whether it is of a kind: "DIBasicType". */
bool tci_debug_is(const tci_debug_types *types, tci_node node, const char *kind);

/* Number `index` of a list. None: the list is at its end. */
tci_node tci_debug_item(const tci_debug_types *types, tci_node list, size_t index);

/* "dir/foo.c:12": where it is written. */
void tci_debug_place(const tci_debug_types *types, tci_node node, char out[TCI_PLACE_MAX]);

#endif
