#include "rendezvous.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "base/module_file.h"
#include "run_protocol.h"

#include <stdlib.h>

static const tci_module_file_kind pmix_module = {.what = "PMIx module",
                                                 .file = "libtchains-pmix.so",
                                                 .symbol = TCI_RENDEZVOUS_SYMBOL,
                                                 .abi = TCI_RENDEZVOUS_ABI};

static tc_status open_pmix(const char *module_path, const tci_rendezvous_ops **ops_out,
                           tc_error *err)
{
    const void *table;
    tc_status status = tci_module_file_open(&pmix_module, module_path, &table, err);
    if (status == TC_E_UNSUPPORTED)
        tci_error_prefix(err, "PMIx started this process (PMIX_RANK is set), but cannot be "
                              "used: install libpmix2 and a libtchains that was built with "
                              "libpmix-dev");
    if (status == TC_OK)
        *ops_out = table;
    return status;
}

/* A launcher that says how many there are, but not by PMIx: each process would be alone. */
static void warn_of_other_launchers(void)
{
    static const struct {
        const char *count;
        const char *advice;
    } launchers[] = {
        {"SLURM_STEP_NUM_TASKS", "srun offers it with --mpi=pmix"},
        {"PMI_SIZE", "this launcher speaks an older PMI"},
    };
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *count = getenv(launchers[i].count);
        if (count != NULL && strtoul(count, NULL, 10) > 1)
            TC_LOG(TC_LOG_WARN, "group: %s is %.20s, but PMIx did not start this process: %s",
                   launchers[i].count, count, launchers[i].advice);
    }
}

tc_status tci_rendezvous_find(const char *module_path, const tci_rendezvous_ops **ops_out,
                              tc_error *err)
{
    *ops_out = NULL;
    if (getenv(TCI_RUN_ENV_SOCKET) != NULL) {
        *ops_out = &tci_rendezvous_run;
        return TC_OK;
    }
    if (getenv("PMIX_RANK") != NULL && getenv("PMIX_NAMESPACE") != NULL)
        return open_pmix(module_path, ops_out, err);
    warn_of_other_launchers();
    return TC_OK;
}
