/* Writes the caller's side of answers. */
#ifndef TCI_STUB_ANSWER_H
#define TCI_STUB_ANSWER_H

#include "stub_writer.h"

/* Writes struct F_answer. */
void tci_stub_answer_struct(const tci_stub_writer *w);

/* Writes the checks of the bools inside the values of an answer at the expression `answer`. */
void tci_stub_answer_bools(const tci_stub_writer *w, const char *answer);

/* Writes F_memory_, which finds memory for the largest answer that fits, and F_capacity, its
 * size, where that varies. */
void tci_stub_answer_memory(const tci_stub_writer *w);

/* Writes F_answer_, which checks an answer that is not plain, and writes nothing to the
 * caller's memory unless all of it fits. */
void tci_stub_answer_reader(const tci_stub_writer *w);

#endif
