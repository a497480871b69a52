/* Compares a type's memory layout and meaning on two targets. */
#ifndef TCI_LAYOUT_COMPARE_H
#define TCI_LAYOUT_COMPARE_H

#include "debug_types.h"
#include "text_list.h"

typedef struct tci_layout_side {
    const tci_debug_types *types;
    tci_node type;
    const char *target; /* for texts: "x86_64-linux" */
} tci_layout_side;

/* Adds a line for each difference, down to the members of members: "foo.c:3: error: 'point.x'
 * ...", and one with "warning:" for a type that has no meaning, or only part of it, on another
 * target: pointers, arrays of plain char. Returns the number of errors. */
unsigned tci_layout_compare(const char *name, const tci_layout_side *a,
                            const tci_layout_side *b, tci_text_list *findings);

#endif
