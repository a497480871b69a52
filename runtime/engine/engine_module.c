#include "engine_module.h"

#include "base/error_text.h"
#include "base/module_file.h"

static const tci_module_kind kind = {.what = "code engine",
                                     .file = "libtchains-orc.so",
                                     .symbol = TCI_ENGINE_SYMBOL,
                                     .abi = TCI_ENGINE_ABI};

bool tci_engine_module_is_there(const char *engine_path)
{
    return tci_module_is_there(&kind, engine_path);
}

tc_status tci_engine_module_open(const char *engine_path, const tci_engine_ops **ops_out,
                                 tc_error *err)
{
    const void *table;
    TC_TRY(tci_module_open(&kind, engine_path, &table, err));
    *ops_out = table;
    return TC_OK;
}
