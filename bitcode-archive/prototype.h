/* The prototype of a function: the types of its arguments and of its answer, as a text.
 * docs/decisions/typed-calls.md has the grammar, and the layout of messages that follows from
 * it. */
#ifndef TCI_PROTOTYPE_H
#define TCI_PROTOTYPE_H

#include <stdbool.h>
#include <tc/status.h>

#define TCI_PROTOTYPE_MAX 512u /* bytes of a text, with terminator */
#define TCI_PROTOTYPE_ARGUMENTS_MAX 64u
#define TCI_PROTOTYPE_DEPTH_MAX 8u /* structs in structs */
#define TCI_PROTOTYPE_BYTES_MAX                                                                \
    INT32_MAX /* of a type, elements of an array, and an alignment */

/* Returns TC_OK, or `failure` with the offset where the text leaves the grammar, and the part
 * that is missing there. */
TC_MUST_CHECK tc_status tci_prototype_check(const char *text, tc_status failure, tc_error *err);

/* Returns the prototype that is stated behind a symbol's name, as in "area(f64)->f64", or NULL.
 * Any other text belongs to the name. */
const char *tci_prototype_of_symbol(const char *symbol);

/* Returns whether two prototypes, both checked, agree: their messages have the same types, and
 * so have their answers, but for structs that one of the two gives as `?size:alignment`. A text
 * agrees with an array of bytes, and an answer of `*` with any. */
bool tci_prototype_agrees(const char *a, const char *b);

#endif
