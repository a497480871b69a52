/* Types of a header, by libclang. */
#ifndef TCI_STUB_TYPE_H
#define TCI_STUB_TYPE_H

#include "stub_model.h"

#include <clang-c/Index.h>
#include <tc/status.h>

/* The header, and the number of refusals so far. */
typedef struct tci_stub_reader {
    tci_stub_header *header;
    const char *path;
    unsigned refused;
} tci_stub_reader;

/* Prints "file:line: error: ..." for the declaration at the cursor. Returns false. */
bool tci_stub_type_refuse(tci_stub_reader *reader, CXCursor at, const char *fmt, ...)
    TC_PRINTF(3, 4);

/* Returns the type without the names that typedefs gave it, up to a pointer or an array. */
CXType tci_stub_type_bare(CXType type);

/* Reads the type of one element. False: it was refused, at the line of the cursor or of one of
 * its members. Texts name it by `who`. */
bool tci_stub_type_read(tci_stub_reader *reader, CXType type, CXCursor at, const char *who,
                        tci_stub_type *type_out);

#endif
