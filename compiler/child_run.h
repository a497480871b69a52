/* Runs a program for its standard output: it leaves no temporary files behind. */
#ifndef TCI_CHILD_RUN_H
#define TCI_CHILD_RUN_H

#include "text_list.h"

/* Runs words[0] with the other words; its standard error is this process's. The output is for
 * free(). `advice` is text for the user when the program does not exist (TC_E_NOT_FOUND).
 * TC_E_COMPILE: it did not succeed. TC_E_TOO_LARGE, TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_child_run(const tci_text_list *words, const char *advice,
                                      void **bytes_out, size_t *size_out, tc_error *err);

#endif
