/* Opens the code that a program describes by a tc_code: an archive by name, by path or in
 * memory, or slices of bitcode. */
#ifndef TCI_CODE_OPEN_H
#define TCI_CODE_OPEN_H

#include "ifunc/registry.h"

/* The program's structs, with the sizes that it was compiled with. */
typedef struct tci_given_code {
    const tc_code *code;
    size_t code_size, slice_size;
} tci_given_code;

typedef enum tci_code_source {
    TCI_CODE_NAME = 1 << 0,
    TCI_CODE_PATH = 1 << 1,
    TCI_CODE_BYTES = 1 << 2,
    TCI_CODE_SLICES = 1 << 3
} tci_code_source;

/* Reads the program's tc_code. TC_E_INVALID: it has not exactly one source, one that is not in
 * `allowed` (tci_code_source), or a field that does not belong to it. TC_E_UNSUPPORTED. */
TC_MUST_CHECK tc_status tci_code_open_read(const tci_given_code *given, unsigned allowed,
                                           tc_code *code_out, tc_error *err);

/* Opens a function, or a library. TC_E_INVALID also if the archive is of the other kind. */
TC_MUST_CHECK tc_status tci_code_open(tci_registry *registry, const tci_given_code *given,
                                      bool library, tc_ifunc **fn_out, tc_error *err);

#endif
