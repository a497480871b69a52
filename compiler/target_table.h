/* The targets that tc-clang makes code for, and what differs between them on a Debian machine.
 */
#ifndef TCI_TARGET_TABLE_H
#define TCI_TARGET_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <tc/status.h>

enum { TCI_TARGETS_MAX = 2 };

typedef struct tci_target {
    const char *triple;      /* normalised: "aarch64-linux" */
    const char *gnu_triple;  /* for clang, and the name of folders: "aarch64-linux-gnu" */
    const char *package;     /* that brings the C library's headers to other machines */
    const char *cxx_package; /* and those of C++ */
} tci_target;

/* "x86_64,arm64" -> up to TCI_TARGETS_MAX rows, each once, in the order given. TC_E_INVALID
 * names the one that is unknown. */
TC_MUST_CHECK tc_status
tci_target_table_parse_list(const char *text, const tci_target *targets_out[TCI_TARGETS_MAX],
                            size_t *count_out, tc_error *err);

bool tci_target_table_is_host(const tci_target *target);

/* Folder of the C library's headers for a target that is not the host:
 * "/usr/aarch64-linux-gnu/include". The environment variable TC_CROSS_ROOT replaces "/usr".
 * False when the path is too long. */
bool tci_target_table_header_folder(const tci_target *target, char *out, size_t size);

/* Whether headers for the target are there, in that folder or in the one of Debian's multiarch.
 */
bool tci_target_table_has_headers(const tci_target *target);

/* Whether those of C++ are where clang looks by itself for a target that is not the host. */
bool tci_target_table_has_cxx_headers(const tci_target *target);

/* When they are not: which package has them, to standard error. For after a failure of clang,
 * which has said what header it misses. */
void tci_target_table_explain_headers(const tci_target *target, bool is_cxx);

#endif
