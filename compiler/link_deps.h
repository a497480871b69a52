/* From "-lzstd" to "libzstd.so.1": the libraries that the target must load before the code can
 * run. */
#ifndef TCI_LINK_DEPS_H
#define TCI_LINK_DEPS_H

#include "text_list.h"

/* Finds each library ("zstd", or ":libzstd.so.1" for an exact file name) as a linker would: in
 * `folders`, then in the system's; lists the sonames, each once, in the order of first mention.
 * The C library is left out: every process has it. TC_E_NO_LIBRARY names the library and the
 * folders searched, or states that only a static one was found. TC_E_CORRUPT, TC_E_IO,
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_link_deps(const tci_text_list *libraries,
                                      const tci_text_list *folders, tci_text_list *sonames_out,
                                      tc_error *err);

#endif
