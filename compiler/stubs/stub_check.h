/* Writes the part of an entry that checks a message. */
#ifndef TCI_STUB_CHECK_H
#define TCI_STUB_CHECK_H

#include "stub_writer.h"

/* Writes the functions that refuse a message. */
void tci_stub_check_functions(const tci_stub_writer *w);

/* Writes the statements that find the values of a message, tc_at_NAME and tc_count_NAME, and
 * the counts, NAME_. They leave the entry when something does not fit. */
void tci_stub_check_message(const tci_stub_writer *w);

#endif
