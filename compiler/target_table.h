/* The targets that tc-clang makes code for, and their differences on a Debian machine. */
#ifndef TCI_TARGET_TABLE_H
#define TCI_TARGET_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <tc/status.h>

enum { TCI_TARGETS_MAX = 2 };

typedef struct tci_target {
    const char *triple;      /* normalised: "aarch64-linux" */
    const char *gnu_triple;  /* for clang, and for names of folders: "aarch64-linux-gnu" */
    const char *package;     /* has the C library's headers for other machines */
    const char *cxx_package; /* has those of C++ */
} tci_target;

/* Reads "x86_64,arm64" into up to TCI_TARGETS_MAX rows, each once, in the order given.
 * TC_E_INVALID names the unknown one. */
TC_MUST_CHECK tc_status
tci_target_table_parse_list(const char *text, const tci_target *targets_out[TCI_TARGETS_MAX],
                            size_t *count_out, tc_error *err);

bool tci_target_table_is_host(const tci_target *target);

/* Writes the folder of the C library's headers for a target that is not the host:
 * "/usr/aarch64-linux-gnu/include". The environment variable TC_CROSS_ROOT replaces "/usr".
 * Returns false when the path is too long. */
bool tci_target_table_header_folder(const tci_target *target, char *out, size_t size);

/* Returns whether headers for the target are in that folder or in that of Debian's
 * multiarch. */
bool tci_target_table_has_headers(const tci_target *target);

/* Returns whether C++ headers are in the folder that clang searches by default for a target
 * that is not the host. */
bool tci_target_table_has_cxx_headers(const tci_target *target);

/* If headers are missing, prints the package that has them to standard error. Called after a
 * failure of clang, which has named the missing header. */
void tci_target_table_explain_headers(const tci_target *target, bool is_cxx);

#endif
