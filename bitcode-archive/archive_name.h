/* What names and slices of an archive must look like: one set of checks for the reader and the
 * writer. Each returns TC_OK or `failure` with a text in err. */
#ifndef TCI_ARCHIVE_NAME_H
#define TCI_ARCHIVE_NAME_H

#include "archive.h"

/* A C identifier shorter than TCI_ARCHIVE_NAME_MAX. */
TC_MUST_CHECK tc_status tci_archive_check_name(const char *name, tc_status failure,
                                               tc_error *err);

/* TCI_ENTRY_MAIN, and both or neither of the others. */
TC_MUST_CHECK tc_status tci_archive_check_entries(unsigned entries, tc_status failure,
                                                  tc_error *err);

/* What stands above the bits of the entries; none of the format's gives one that is too large. */
unsigned tci_archive_alignment_of(unsigned upper);

/* A power of two that payloads may be aligned to. */
TC_MUST_CHECK tc_status tci_archive_check_alignment(uint64_t alignment, tc_status failure,
                                                    tc_error *err);

/* 1 to TCI_ARCHIVE_SYMBOL_MAX - 1 bytes (else TC_E_TOO_LARGE), none of them a control
 * character. */
TC_MUST_CHECK tc_status tci_archive_check_symbol(const char *symbol, tc_status failure,
                                                 tc_error *err);

/* The order of slices: by triple, form, CPU level. Negative, 0 or positive. */
int tci_slice_compare(const tci_slice *a, const tci_slice *b);

#endif
