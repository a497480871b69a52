/* Parts of the sources that several writers print. */
#ifndef TCI_STUB_WRITER_H
#define TCI_STUB_WRITER_H

#include "stub_model.h"

#include <stdio.h>

/* The arguments that a function of the stubs takes. */
typedef enum tci_stub_choice {
    TCI_STUB_ALL,
    TCI_STUB_FOR_MESSAGE,
    TCI_STUB_FOR_ANSWER,
    TCI_STUB_FOR_CAPACITY /* the numbers of elements alone */
} tci_stub_choice;

typedef struct tci_stub_writer {
    const tci_stub_function *f;
    tci_stub_layout message, answer;
    FILE *out;
} tci_stub_writer;

/* Prints ", TYPE NAME" for each. Pointers of a message are to const. */
void tci_stub_writer_parameters(const tci_stub_writer *w, tci_stub_choice which);

/* Prints ", NAME" for each. */
void tci_stub_writer_names(const tci_stub_writer *w, tci_stub_choice which);

/* Prints "NAME, NAME" for each number of elements, or "TYPE NAME, TYPE NAME". */
void tci_stub_writer_counts(const tci_stub_writer *w, bool with_types);

/* Prints the expression for the number of an array's elements. */
void tci_stub_writer_count(const tci_stub_writer *w, const tci_stub_argument *a);

/* Keeps compilers from warnings of unused numbers. */
void tci_stub_writer_unused(const tci_stub_writer *w, tci_stub_choice which);

/* Prints the declarations of the offsets of varying values, and the statements that compute
 * them, which return `failure` for more bytes than memory has. */
void tci_stub_writer_declare(const tci_stub_writer *w, const tci_stub_layout *l);
void tci_stub_writer_places(const tci_stub_writer *w, const tci_stub_layout *l,
                            const char *failure);

/* Returns whether the function answers with at least one value. */
bool tci_stub_writer_has_answer(const tci_stub_writer *w);

/* Returns whether the size is fixed and small: such a message or answer lies on the stack. */
bool tci_stub_writer_is_plain(const tci_stub_layout *l);

#endif
