/* Finds the folder of the object cache, and checks that it can be trusted. Its files run as
 * code, so only the user may have written there. */
#ifndef TCI_CACHE_FOLDER_H
#define TCI_CACHE_FOLDER_H

#include "base/option_table.h"

#include <stdbool.h>
#include <tc/status.h>

#define TCI_CACHE_FOLDER_MAX TCI_OPTION_TEXT_MAX

/* Gives the folder of the option cache_dir: its value, or for "auto" $XDG_CACHE_HOME/tchains,
 * else $HOME/.cache/tchains. TC_E_UNSUPPORTED: no cache is wanted (empty), neither variable is
 * an absolute path, or the path is too long; the text has the reason. Touches no file. */
TC_MUST_CHECK tc_status tci_cache_folder_path(const char *cache_dir,
                                              char path_out[TCI_CACHE_FOLDER_MAX],
                                              tc_error *err);

/* Opens the folder that tci_cache_folder_path found for the same option. With `create`, a
 * missing folder is created with mode 0700; for "auto" its parents, too. TC_E_INVALID: the
 * folder is refused, as it is no folder, a symbolic link, another user's, or open to others.
 * TC_E_UNSUPPORTED: "auto" leads to a folder that is not this user's or cannot be created.
 * TC_E_NOT_FOUND: it does not exist (without `create`). TC_E_IO. */
TC_MUST_CHECK tc_status tci_cache_folder_open(const char *cache_dir, const char *path,
                                              bool create, int *fd_out, tc_error *err);

#endif
