#include "engine_module.h"

#include "base/error_text.h"
#include "base/module_file.h"

#include <stdio.h>
#include <unistd.h>

#define COMPILER_NAME "tc-compile"

static const tci_module_file_kind kind = {.what = "code engine",
                                          .file = "libtchains-orc.so",
                                          .symbol = TCI_ENGINE_SYMBOL,
                                          .abi = TCI_ENGINE_ABI};

bool tci_engine_module_is_there(const char *engine_path)
{
    return tci_module_file_is_there(&kind, engine_path);
}

tc_status tci_engine_module_open(const char *engine_path, const tci_engine_ops **ops_out,
                                 tc_error *err)
{
    const void *table;
    TC_TRY(tci_module_file_open(&kind, engine_path, &table, err));
    *ops_out = table;
    return TC_OK;
}

tc_status tci_engine_module_compiler(const tci_engine_ops *ops,
                                     char program_out[TCI_ENGINE_PATH_MAX],
                                     char folder_out[TCI_ENGINE_PATH_MAX], tc_error *err)
{
    program_out[0] = '\0';
    if (!tci_module_file_folder(ops, folder_out))
        return tci_error_set(err, TC_E_NOT_FOUND, "no file is the code engine's");
    int n = snprintf(program_out, TCI_ENGINE_PATH_MAX, "%s/" COMPILER_NAME, folder_out);
    if (n > 0 && n < TCI_ENGINE_PATH_MAX && access(program_out, X_OK) == 0)
        return TC_OK;
    program_out[0] = '\0';
    return tci_error_set(err, TC_E_NOT_FOUND,
                         "no program " COMPILER_NAME " beside the code engine, in %s",
                         folder_out);
}
