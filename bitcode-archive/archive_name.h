/* Rules for names and slices of an archive: one set of checks for the reader and the writer.
 * Each returns TC_OK or `failure` with a text in err. */
#ifndef TCI_ARCHIVE_NAME_H
#define TCI_ARCHIVE_NAME_H

#include "archive.h"

/* Expects a C identifier shorter than TCI_ARCHIVE_NAME_MAX. */
TC_MUST_CHECK tc_status tci_archive_check_name(const char *name, tc_status failure,
                                               tc_error *err);

/* Expects TCI_ENTRY_MAIN, and both or neither of MAX_SIZE and INIT. */
TC_MUST_CHECK tc_status tci_archive_check_entries(unsigned entries, tc_status failure,
                                                  tc_error *err);

/* Returns the alignment that the upper bits of the entries byte state. Values that the format
 * does not define give one that is too large. */
unsigned tci_archive_alignment_of(unsigned upper);

/* Expects a power of two that payloads may be aligned to. */
TC_MUST_CHECK tc_status tci_archive_check_alignment(uint64_t alignment, tc_status failure,
                                                    tc_error *err);

/* Expects 1 to TCI_ARCHIVE_SYMBOL_MAX - 1 bytes (else TC_E_TOO_LARGE) without control
 * characters. */
TC_MUST_CHECK tc_status tci_archive_check_symbol(const char *symbol, tc_status failure,
                                                 tc_error *err);

/* Compares by the order of slices: triple, form, CPU level. Negative, 0 or positive. */
int tci_slice_compare(const tci_slice *a, const tci_slice *b);

#endif
