/* Reads the remote functions of a header by libclang. */
#ifndef TCI_STUB_READ_H
#define TCI_STUB_READ_H

#include "stub_model.h"

/* Parses the header with the options of a compiler, and takes the functions that are declared
 * TC_REMOTE in the header itself, not in files that it includes. Prints each reason to refuse
 * it with its file and line. Returns whether the header is accepted. For tci_stub_read_end in
 * any case. */
bool tci_stub_read(const char *path, const char *const *options, int option_count,
                   tci_stub_header *header_out);
void tci_stub_read_end(tci_stub_header *header);

#endif
