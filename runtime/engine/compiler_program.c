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
    const char *const places[][2] = {
        {folder_out, ""}, {folder_out, "/" TC_COMPILER_FROM_MODULE}, {TC_COMPILER_DIR, ""}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        int n = snprintf(program_out, TCI_COMPILER_PATH_MAX, "%s%s/" PROGRAM_NAME, places[i][0],
                         places[i][1]);
        if (n > 0 && n < TCI_COMPILER_PATH_MAX && access(program_out, X_OK) == 0)
            return TC_OK;
    }
    return tci_error_set(err, TC_E_NOT_FOUND,
                         "no program " PROGRAM_NAME ": looked in %s, %s/%s and %s", folder_out,
                         folder_out, TC_COMPILER_FROM_MODULE, TC_COMPILER_DIR);
}
