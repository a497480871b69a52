/* In place of libpmix: as an old version, or as a job over two hosts, as FAKE_PMIX says. It
 * knows of one process, itself. */
#include <pmix.h>
#include <stdlib.h>
#include <string.h>

static int is(const char *what)
{
    const char *fake = getenv("FAKE_PMIX");
    return fake != NULL && strcmp(fake, what) == 0;
}

const char *PMIx_Get_version(void)
{
    return is("old") ? "OpenPMIx 3.1.5, repo rev: v3.1.5"
                     : "OpenPMIx 99.0.1 (PMIx Standard: 9)";
}

const char *PMIx_Error_string(pmix_status_t status)
{
    (void)status;
    return "NOT-SUPPORTED";
}

pmix_status_t PMIx_Init(pmix_proc_t *proc, pmix_info_t info[], size_t count)
{
    (void)info;
    (void)count;
    if (is("refusing"))
        return PMIX_ERR_NOT_SUPPORTED;
    memset(proc, 0, sizeof *proc);
    strcpy(proc->nspace, "job");
    return PMIX_SUCCESS;
}

pmix_status_t PMIx_Finalize(const pmix_info_t info[], size_t count)
{
    (void)info;
    (void)count;
    return PMIX_SUCCESS;
}

pmix_status_t PMIx_Put(pmix_scope_t scope, const char key[], pmix_value_t *value)
{
    (void)scope;
    (void)key;
    (void)value;
    return PMIX_SUCCESS;
}

pmix_status_t PMIx_Commit(void)
{
    return PMIX_SUCCESS;
}

/* Nobody else ever comes. */
pmix_status_t PMIx_Fence_nb(const pmix_proc_t procs[], size_t proc_count,
                            const pmix_info_t info[], size_t count, pmix_op_cbfunc_t done,
                            void *user)
{
    (void)procs;
    (void)proc_count;
    (void)info;
    (void)count;
    (void)done;
    (void)user;
    return PMIX_ERR_TIMEOUT;
}

pmix_status_t PMIx_Get_nb(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                          size_t count, pmix_value_cbfunc_t done, void *user)
{
    pmix_value_t value = {.type = PMIX_UINT32};
    (void)info;
    (void)count;
    if (proc->rank != PMIX_RANK_WILDCARD)
        return PMIX_ERR_TIMEOUT;
    value.data.uint32 = is("several hosts") && strcmp(key, PMIX_JOB_SIZE) == 0 ? 2 : 1;
    if (is("strange"))
        value.type = PMIX_STRING;
    done(PMIX_SUCCESS, &value, user);
    return PMIX_SUCCESS;
}
