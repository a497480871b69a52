/* Descriptions of types in debug information, read from LLVM's assembly text.
 *
 * In it each description is a numbered node with named fields:
 *
 *     !7 = !DIDerivedType(tag: DW_TAG_member, name: "x", file: !1, line: 3, baseType: !4,
 *                         size: 32, offset: 64)
 *     !8 = !{!7, !9}
 *
 * The names of these fields are documented (LLVM's language reference); LLVM's C API shows only
 * some of them. */
#ifndef TCI_DEBUG_TYPES_H
#define TCI_DEBUG_TYPES_H

#include "source_place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

typedef struct tci_debug_types {
    char *text;
    const char **nodes; /* by number; NULL: no such node */
    size_t count;
} tci_debug_types;

typedef size_t tci_node;
#define TCI_NODE_NONE SIZE_MAX
#define TCI_TYPE_NAME_MAX 128 /* longer names are cut in texts */

/* Copies and reads the assembly text of one module. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_debug_types_read(const void *bytes, size_t size,
                                             tci_debug_types *types_out, tc_error *err);
void tci_debug_types_fini(tci_debug_types *types);

/* Finds a struct, union, enum or typedef by its name in C, with or without the keyword.
 * TCI_NODE_NONE when it is not defined. */
tci_node tci_debug_find(const tci_debug_types *types, const char *name);
/* Returns the type inside typedefs, qualifiers and _Atomic. TCI_NODE_NONE: void. */
tci_node tci_debug_strip(const tci_debug_types *types, tci_node node);

/* Return a field. A missing one gives 0, "", false or TCI_NODE_NONE. */
uint64_t tci_debug_number(const tci_debug_types *types, tci_node node, const char *field);
tci_node tci_debug_node(const tci_debug_types *types, tci_node node, const char *field);
/* Copies the field's text without quotation marks. Returns out. */
const char *tci_debug_text(const tci_debug_types *types, tci_node node, const char *field,
                           char out[TCI_TYPE_NAME_MAX]);
bool tci_debug_has(const tci_debug_types *types, tci_node node, const char *field,
                   const char *value);
/* Returns whether the node is of a kind: "DIBasicType". */
bool tci_debug_is(const tci_debug_types *types, tci_node node, const char *kind);

/* Returns item `index` of a list. TCI_NODE_NONE: the list is at its end. */
tci_node tci_debug_item(const tci_debug_types *types, tci_node list, size_t index);

/* Writes the node's position in the source: "dir/foo.c:12". */
void tci_debug_place(const tci_debug_types *types, tci_node node, char out[TCI_PLACE_MAX]);

#endif
