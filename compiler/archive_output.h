/* Writes the files of a compilation: NAME.tca, and NAME.deps beside it. */
#ifndef TCI_ARCHIVE_OUTPUT_H
#define TCI_ARCHIVE_OUTPUT_H

#include "ifunc_module.h"

/* Packs the code for all targets into one archive, as bytes for free(); plain: without a
 * dictionary. TC_E_INVALID when targets differ in their entry points; otherwise as the archive
 * writer. */
TC_MUST_CHECK tc_status tci_archive_output_pack(const char *name, const tci_ifunc_code *codes,
                                                size_t count, bool plain, void **bytes_out,
                                                size_t *size_out, tc_error *err);

/* "dir/foo.tca" -> "dir/foo.deps". TC_E_INVALID when path does not end in .tca or is too long.
 */
TC_MUST_CHECK tc_status tci_archive_output_deps_path(const char *path, char *out, size_t size,
                                                     tc_error *err);

/* Replaces the .deps file of the archive at `path`: one name per line, or no file without
 * names. */
TC_MUST_CHECK tc_status tci_archive_output_write_deps(const char *path,
                                                      const tci_text_list *sonames,
                                                      tc_error *err);

#endif
