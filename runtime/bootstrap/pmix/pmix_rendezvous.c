/* Under PMIx: each member puts its address at the server of its host, and a fence brings the
 * addresses of all to each server. Asking for them one by one without the fence is no way: of
 * Open MPI 4.1's server, an answer may never come. After a fence that somebody did not come to
 * it is good enough to tell who that was. */
#include "base/clock.h"
#include "base/error_text.h"
#include "pmix_job.h"

#include <ctype.h>
#include <pmix_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY_MAX 32
#define VERSION_MAX 32
/* What the server of this host knows it says at once; one of another host asks it first. */
#define ANSWER_NS (100 * TCI_NS_PER_MS)
#define JOB_ANSWER_NS (10 * TCI_NS_PER_S)

/* This process in its job. `member` is the process that entered, and not one that it forked. */
static pmix_proc_t self;
static pid_t member;

struct tci_rendezvous {
    char key[KEY_MAX];
    bool gathered; /* the addresses of all are at this host's server, or will not come */
};

/* "OpenPMIx 4.2.2 (PMIx Standard: ..." -> "4.2.2" */
static void version_number(char out[VERSION_MAX])
{
    const char *text = PMIx_Get_version();
    while (*text != '\0' && !isdigit((unsigned char)*text))
        text++;
    (void)snprintf(out, VERSION_MAX, "%.*s", (int)strcspn(text, " ,("), text);
}

static const char *server_version(void)
{
    const char *version = getenv("PMIX_VERSION");
    return version != NULL ? version : "of a version that it does not say";
}

/* The library keeps its name through versions whose values have other types. */
static tc_status check_version(tc_error *err)
{
    char found[VERSION_MAX];
    version_number(found);
    if (strtoul(found, NULL, 10) < PMIX_VERSION_MAJOR)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "libpmix is version %s, expected %ld or newer: libtchains-pmix.so "
                             "was built with %ld.%ld.%ld",
                             found, (long)PMIX_VERSION_MAJOR, (long)PMIX_VERSION_MAJOR,
                             (long)PMIX_VERSION_MINOR, (long)PMIX_VERSION_RELEASE);
    return TC_OK;
}

/* FNV-1a of the job's name and the round. */
static uint64_t make_id(const char *name, uint32_t round)
{
    uint64_t id = 0xcbf29ce484222325u ^ round;
    for (; *name != '\0'; name++)
        id = (id ^ (unsigned char)*name) * 0x100000001b3u;
    return id | 1;
}

static tc_status describe(uint32_t round, tci_rendezvous_self *self_out, tc_error *err)
{
    uint64_t deadline_ns = tci_deadline_after(JOB_ANSWER_NS);
    tci_pmix_value size, local;
    TC_TRY(tci_pmix_get(&self, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, PMIX_UINT32, deadline_ns,
                        &size, err));
    /* A server that does not say how many are here: some may be elsewhere. */
    if (tci_pmix_get(&self, PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE, PMIX_UINT32, deadline_ns,
                     &local, NULL) != TC_OK)
        local.number = 0;
    if (self.rank >= size.number)
        return tci_error_set(err, TC_E_INVALID, "PMIx: rank %u of %u", self.rank, size.number);
    *self_out = (tci_rendezvous_self){.rank = self.rank,
                                      .size = size.number,
                                      .id = make_id(self.nspace, round),
                                      .all_local = local.number == size.number};
    return TC_OK;
}

static void close_job(tci_rendezvous *rv)
{
    free(rv);
}

static void leave(void)
{
    if (getpid() == member)
        (void)PMIx_Finalize(NULL, 0);
}

/* Once for the process: a member that leaves PMIx and enters again confuses the fences of those
 * that were quicker. A process that ends without leaving has failed, to whoever started it. */
static tc_status enter(tc_error *err)
{
    char what[128], client[VERSION_MAX];
    if (member == getpid())
        return TC_OK;
    TC_TRY(check_version(err));
    pmix_status_t started = PMIx_Init(&self, NULL, 0);
    if (started != PMIX_SUCCESS) {
        version_number(client);
        (void)snprintf(what, sizeof what, "client %s, server %.40s", client, server_version());
        return tci_pmix_error(err, what, started);
    }
    member = getpid();
    (void)atexit(leave);
    return TC_OK;
}

static tc_status open_job(uint32_t round, uint64_t deadline_ns, tci_rendezvous **rendezvous_out,
                          tci_rendezvous_self *self_out, tc_error *err)
{
    (void)deadline_ns; /* PMIx has its own for a server that is silent */
    TC_TRY(enter(err));
    TC_TRY(describe(round, self_out, err));
    tci_rendezvous *rv = calloc(1, sizeof *rv);
    if (rv == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "PMIx: out of memory");
    (void)snprintf(rv->key, sizeof rv->key, "tchains.%u", round);
    *rendezvous_out = rv;
    return TC_OK;
}

static tc_status publish(tci_rendezvous *rv, const void *address, size_t size,
                         uint64_t deadline_ns, tc_error *err)
{
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT};
    (void)deadline_ns; /* nothing here waits for others */
    value.data.bo.bytes = (char *)(uintptr_t)address;
    value.data.bo.size = size;
    pmix_status_t status = PMIx_Put(PMIX_GLOBAL, rv->key, &value);
    if (status == PMIX_SUCCESS)
        status = PMIx_Commit();
    return status == PMIX_SUCCESS ? TC_OK : tci_pmix_error(err, "publish", status);
}

static tc_status lookup(tci_rendezvous *rv, uint32_t rank, uint64_t deadline_ns,
                        uint8_t address_out[TCI_RENDEZVOUS_ADDRESS_MAX], size_t *size_out,
                        tc_error *err)
{
    tci_pmix_value value;
    if (!rv->gathered) {
        rv->gathered = true;
        tc_status gathered = tci_pmix_fence(&self, deadline_ns, err);
        if (gathered != TC_OK && gathered != TC_E_TIMEOUT)
            return gathered;
    }
    uint64_t soonest_ns = tci_deadline_after(ANSWER_NS);
    tc_status status =
        tci_pmix_get(&self, rank, rv->key, PMIX_BYTE_OBJECT,
                     deadline_ns > soonest_ns ? deadline_ns : soonest_ns, &value, err);
    if (status == TC_E_TIMEOUT)
        return tci_error_set(err, TC_E_TIMEOUT, "rank %u has not joined", rank);
    if (status != TC_OK) {
        tci_error_prefix(err, "rank %u", rank);
        return status;
    }
    memcpy(address_out, value.bytes, value.size);
    *size_out = value.size;
    return TC_OK;
}

TC_API extern const tci_rendezvous_ops tci_rendezvous_module;
const tci_rendezvous_ops tci_rendezvous_module = {.abi = TCI_RENDEZVOUS_ABI,
                                                  .name = "PMIx",
                                                  .open = open_job,
                                                  .publish = publish,
                                                  .lookup = lookup,
                                                  .close = close_job};
