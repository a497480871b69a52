#include "compiler_program.h"

#include "base/error_text.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM_NAME "tc-compile"

/* The folder of the file that `ops` was loaded from. */
static bool module_folder(const tci_engine_ops *ops, char out[TCI_COMPILER_PATH_MAX])
{
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1(ops, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL ||
        realpath(map->l_name, out) == NULL)
        return false;
    char *slash = strrchr(out, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

tc_status tci_compiler_program_find(const tci_engine_ops *ops,
                                    char program_out[TCI_COMPILER_PATH_MAX],
                                    char folder_out[TCI_COMPILER_PATH_MAX], tc_error *err)
{
    if (!module_folder(ops, folder_out))
        return tci_error_set(err, TC_E_NOT_FOUND, "no file is the code engine's");
    int n = snprintf(program_out, TCI_COMPILER_PATH_MAX, "%s/" PROGRAM_NAME, folder_out);
    if (n <= 0 || n >= TCI_COMPILER_PATH_MAX || access(program_out, X_OK) != 0)
        return tci_error_set(err, TC_E_NOT_FOUND,
                             "no program " PROGRAM_NAME " beside the code engine, in %s",
                             folder_out);
    return TC_OK;
}
