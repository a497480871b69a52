/* Replaces libpmix: as an old version, or as a job over two hosts, chosen by FAKE_PMIX, that
 * knows only its own process. Or as a job of FAKE_PMIX_SIZE processes, each on a host of its
 * own, which have a folder in common, FAKE_PMIX=/FOLDER: a file has the data that one of them
 * has put. */
#include <fcntl.h>
#include <pmix.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_MS 60000 /* for the others */
#define VALUE_MAX 4096

static char last_key[64];

static int is(const char *what)
{
    const char *fake = getenv("FAKE_PMIX");
    return fake != NULL && strcmp(fake, what) == 0;
}

static int is_shared(void)
{
    return getenv("FAKE_PMIX") != NULL && getenv("FAKE_PMIX")[0] == '/';
}

static unsigned number(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : 0;
}

static int open_value(const char *key, unsigned rank, int flags, const char *ending)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s.%u%s", getenv("FAKE_PMIX"), key, rank, ending);
    return open(path, flags | O_CLOEXEC, 0600);
}

/* Whole or not at all: it gets its name when it is written. */
static pmix_status_t put_value(const char *key, const pmix_byte_object_t *value)
{
    char from[512], to[512];
    unsigned rank = number("PMIX_RANK");
    int fd = open_value(key, rank, O_WRONLY | O_CREAT | O_EXCL, ".new");
    if (fd < 0 || write(fd, value->bytes, value->size) != (ssize_t)value->size)
        return PMIX_ERR_NOT_SUPPORTED;
    (void)close(fd);
    (void)snprintf(from, sizeof from, "%s/%s.%u.new", getenv("FAKE_PMIX"), key, rank);
    (void)snprintf(to, sizeof to, "%s/%s.%u", getenv("FAKE_PMIX"), key, rank);
    (void)snprintf(last_key, sizeof last_key, "%s", key);
    return rename(from, to) == 0 ? PMIX_SUCCESS : PMIX_ERR_NOT_SUPPORTED;
}

static pmix_status_t get_value(const char *key, unsigned rank, pmix_value_cbfunc_t done,
                               void *user)
{
    char bytes[VALUE_MAX];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT};
    int fd = open_value(key, rank, O_RDONLY, "");
    ssize_t size = fd >= 0 ? read(fd, bytes, sizeof bytes) : -1;
    if (fd >= 0)
        (void)close(fd);
    if (size < 0)
        return PMIX_ERR_TIMEOUT;
    value.data.bo.bytes = bytes;
    value.data.bo.size = (size_t)size;
    done(PMIX_SUCCESS, &value, user);
    return PMIX_SUCCESS;
}

static pmix_status_t wait_for_all(void)
{
    unsigned rank = 0;
    for (int waited = 0; waited < PATIENCE_MS; waited += 5) {
        int fd = open_value(last_key, rank, O_RDONLY, "");
        if (fd >= 0)
            (void)close(fd);
        if (fd >= 0 && ++rank == number("FAKE_PMIX_SIZE"))
            return PMIX_SUCCESS;
        if (fd < 0)
            (void)poll(NULL, 0, 5);
    }
    return PMIX_ERR_TIMEOUT;
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
    if (is_shared())
        proc->rank = number("PMIX_RANK");
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
    return is_shared() ? put_value(key, &value->data.bo) : PMIX_SUCCESS;
}

pmix_status_t PMIx_Commit(void)
{
    return PMIX_SUCCESS;
}

/* Without a folder no other process ever comes. */
pmix_status_t PMIx_Fence_nb(const pmix_proc_t procs[], size_t proc_count,
                            const pmix_info_t info[], size_t count, pmix_op_cbfunc_t done,
                            void *user)
{
    (void)procs;
    (void)proc_count;
    (void)info;
    (void)count;
    pmix_status_t status = is_shared() ? wait_for_all() : PMIX_ERR_TIMEOUT;
    if (status == PMIX_SUCCESS)
        done(status, user);
    return status;
}

pmix_status_t PMIx_Get_nb(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                          size_t count, pmix_value_cbfunc_t done, void *user)
{
    pmix_value_t value = {.type = PMIX_UINT32};
    (void)info;
    (void)count;
    if (proc->rank != PMIX_RANK_WILDCARD)
        return is_shared() ? get_value(key, proc->rank, done, user) : PMIX_ERR_TIMEOUT;
    value.data.uint32 = is("several hosts") && strcmp(key, PMIX_JOB_SIZE) == 0 ? 2 : 1;
    if (is_shared() && strcmp(key, PMIX_JOB_SIZE) == 0)
        value.data.uint32 = number("FAKE_PMIX_SIZE");
    if (is("strange"))
        value.type = PMIX_STRING;
    done(PMIX_SUCCESS, &value, user);
    return PMIX_SUCCESS;
}
