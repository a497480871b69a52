/* The rendezvous under PMIx: each member puts its address at the server of its host, and a
 * fence brings the addresses of all to each server. Without the fence, requests for single
 * addresses may never be answered by Open MPI 4.1's server. After a fence that timed out they
 * suffice to find the members that are missing. */
#include "base/clock.h"
#include "base/error_text.h"
#include "bootstrap/rendezvous.h"

#include <ctype.h>
#include <limits.h>
#include <pmix.h>
#include <pmix_version.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY_MAX 32
#define VERSION_MAX 32
/* The server of this host answers at once if it has the value; otherwise it asks another host's
 * server first. */
#define ANSWER_NS (100 * TCI_NS_PER_MS)
#define JOB_ANSWER_NS (10 * TCI_NS_PER_S)

/* This process in its job. `member` is the process that entered, and not one that it forked. */
static pmix_proc_t self;
static pid_t member;

struct tci_rendezvous {
    char key[KEY_MAX];
    bool gathered; /* all addresses are at this host's server, or will not arrive */
};

/* --- requests to PMIx, with deadlines of this library's kind ----------------------------- */

/* PMIx's own deadlines are whole seconds, and not every server keeps them. */

/* A received value: a number, or bytes. */
typedef struct pmix_answer {
    uint32_t number;
    size_t size;
    uint8_t bytes[TCI_RENDEZVOUS_ADDRESS_MAX];
} pmix_answer;

/* One request, shared with PMIx's own thread, which may answer after the caller has stopped
 * waiting. */
typedef struct question {
    pthread_mutex_t lock;
    pthread_cond_t answered;
    unsigned holders;
    bool done;
    bool fits; /* the value is of the type that was asked for, and not too large */
    pmix_status_t status;
    pmix_data_type_t type;
    pmix_answer value;
    /* PMIx may read these at any time until it answers. */
    pmix_proc_t proc;
    pmix_key_t key;
    pmix_info_t info[2];
} question;

/* Translates a status of PMIx; the text begins with "PMIx: what". */
static tc_status pmix_error(tc_error *err, const char *what, pmix_status_t status)
{
    tc_status ours = TC_E_IO;
    if (status == PMIX_ERR_UNREACH || status == PMIX_ERR_COMM_FAILURE)
        ours = TC_E_UNREACHABLE;
    else if (status == PMIX_ERR_LOST_CONNECTION)
        ours = TC_E_PEER_LOST;
    else if (status == PMIX_ERR_NOT_SUPPORTED)
        ours = TC_E_UNSUPPORTED;
    else if (status == PMIX_ERR_NOMEM)
        ours = TC_E_NO_MEMORY;
    return tci_error_set(err, ours, "PMIx: %s: %s (%d)", what, PMIx_Error_string(status),
                         status);
}

static question *create_question(pmix_rank_t rank, const char *key, pmix_data_type_t type)
{
    pthread_condattr_t monotonic;
    question *q = calloc(1, sizeof *q);
    if (q == NULL)
        return NULL;
    q->type = type;
    q->holders = 2;
    q->proc = self;
    q->proc.rank = rank;
    (void)snprintf(q->key, sizeof q->key, "%s", key);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&q->lock, NULL);
    (void)pthread_cond_init(&q->answered, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    return q;
}

/* Drops one holder's reference. The caller holds the lock, which is released. */
static void release(question *q)
{
    bool last = --q->holders == 0;
    (void)pthread_mutex_unlock(&q->lock);
    if (!last)
        return;
    (void)pthread_cond_destroy(&q->answered);
    (void)pthread_mutex_destroy(&q->lock);
    explicit_bzero(&q->value, sizeof q->value); /* it may have had the job's key */
    free(q);
}

static void keep_value(question *q, const pmix_value_t *value)
{
    if (value == NULL || value->type != q->type)
        return;
    if (q->type == PMIX_UINT32) {
        q->value.number = value->data.uint32;
        q->fits = true;
    } else if (q->type == PMIX_BYTE_OBJECT && value->data.bo.bytes != NULL) {
        q->value.size = value->data.bo.size;
        q->fits = q->value.size > 0 && q->value.size <= sizeof q->value.bytes;
        if (q->fits)
            memcpy(q->value.bytes, value->data.bo.bytes, q->value.size);
    }
}

static void on_value(pmix_status_t status, pmix_value_t *value, void *user)
{
    question *q = user;
    (void)pthread_mutex_lock(&q->lock);
    q->done = true;
    q->status = status;
    if (status == PMIX_SUCCESS)
        keep_value(q, value);
    (void)pthread_cond_signal(&q->answered);
    release(q);
}

static void on_fence(pmix_status_t status, void *user)
{
    on_value(status, NULL, user);
}

/* Waits for the answer or the deadline. The caller holds the lock. */
static void wait_for(question *q, tci_patience *patience)
{
    while (!q->done && !tci_patience_is_over(patience)) {
        uint64_t next_ns = tci_patience_next_ns(patience);
        struct timespec until = {.tv_sec = (time_t)(next_ns / TCI_NS_PER_S),
                                 .tv_nsec = (long)(next_ns % TCI_NS_PER_S)};
        (void)pthread_cond_timedwait(&q->answered, &q->lock, &until);
    }
}

/* Adds a time limit, so that the server forgets the request some time after this side has. */
static size_t add_limit(pmix_info_t *info, size_t count, uint64_t deadline_ns)
{
    uint64_t seconds = tci_deadline_left_ns(deadline_ns) / TCI_NS_PER_S + 2;
    if (seconds > INT_MAX)
        return count;
    (void)snprintf(info[count].key, sizeof info[count].key, "%s", PMIX_TIMEOUT);
    info[count].value.type = PMIX_INT;
    info[count].value.data.integer = (int)seconds;
    return count + 1;
}

static size_t add_collect(pmix_info_t *info, size_t count)
{
    (void)snprintf(info[count].key, sizeof info[count].key, "%s", PMIX_COLLECT_DATA);
    info[count].value.type = PMIX_BOOL;
    info[count].value.data.flag = true;
    return count + 1;
}

static tc_status judge(const question *q, tc_error *err)
{
    if (!q->done || q->status == PMIX_ERR_TIMEOUT)
        return tci_error_set(err, TC_E_TIMEOUT, "PMIx: %s: no answer in time", q->key);
    if (q->status != PMIX_SUCCESS)
        return pmix_error(err, q->key, q->status);
    return TC_OK;
}

/* Waits for PMIx's answer to the request, and returns with its lock held. */
static void await_answer(question *q, pmix_status_t started, tci_patience *patience)
{
    (void)pthread_mutex_lock(&q->lock);
    if (started != PMIX_SUCCESS) { /* PMIx does not use it */
        q->done = true;
        q->status = started;
        q->holders--;
    }
    wait_for(q, patience);
}

/* Returns the value of `key` of a process, or with PMIX_RANK_WILDCARD of the job; waits until
 * there is one. TC_E_TIMEOUT, TC_E_CORRUPT (a value of another type, or too large),
 * TC_E_NO_MEMORY, and the statuses of pmix_error. */
static tc_status pmix_get(pmix_rank_t rank, const char *key, pmix_data_type_t type,
                          tci_patience *patience, pmix_answer *value_out, tc_error *err)
{
    question *q = create_question(rank, key, type);
    if (q == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "PMIx: out of memory");
    size_t count = add_limit(q->info, 0, patience->deadline_ns);
    pmix_status_t started = PMIx_Get_nb(&q->proc, q->key, q->info, count, on_value, q);
    await_answer(q, started, patience);
    tc_status status = judge(q, err);
    if (status == TC_OK && !q->fits)
        status = tci_error_set(err, TC_E_CORRUPT,
                               "PMIx: the value of %s is of another type, or too large", key);
    if (status == TC_OK)
        *value_out = q->value;
    release(q);
    return status;
}

/* Waits until every process of the job has reached the fence; the values that each had put by
 * then are at all servers. TC_E_TIMEOUT, TC_E_NO_MEMORY, and the statuses of pmix_error. */
static tc_status pmix_fence(tci_patience *patience, tc_error *err)
{
    question *q = create_question(PMIX_RANK_WILDCARD, "fence", PMIX_UNDEF);
    if (q == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "PMIx: out of memory");
    size_t count = add_limit(q->info, 0, patience->deadline_ns);
    count = add_collect(q->info, count);
    await_answer(q, PMIx_Fence_nb(&q->proc, 1, q->info, count, on_fence, q), patience);
    tc_status status = judge(q, err);
    release(q);
    return status;
}

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
    const char *version = secure_getenv("PMIX_VERSION");
    return version != NULL ? version : "of a version that it does not say";
}

/* Refuses an older libpmix: the library keeps its name across versions in which values have
 * other types. */
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
    tci_patience patience = tci_patience_until(tci_deadline_after(JOB_ANSWER_NS));
    pmix_answer size, local;
    TC_TRY(pmix_get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, PMIX_UINT32, &patience, &size, err));
    /* If the server does not report how many members are here, some may be on other hosts. */
    if (pmix_get(PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE, PMIX_UINT32, &patience, &local, NULL) !=
        TC_OK)
        local.number = 0;
    if (self.rank >= size.number)
        return tci_error_set(err, TC_E_INVALID, "PMIx: rank %u of %u", self.rank, size.number);
    *self_out = (tci_rendezvous_self){.rank = self.rank,
                                      .size = size.number,
                                      .id = make_id(self.nspace, round),
                                      .all_local = local.number == size.number};
    (void)snprintf(self_out->name, sizeof self_out->name, "%s", self.nspace);
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

/* Enters PMIx, once for the process: a member that leaves PMIx and enters again confuses the
 * fences of members that were quicker. The launcher regards a process that ends without leaving
 * as failed. */
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
        return pmix_error(err, what, started);
    }
    member = getpid();
    (void)atexit(leave);
    return TC_OK;
}

static tc_status open_job(uint32_t round, tci_patience *patience,
                          tci_rendezvous **rendezvous_out, tci_rendezvous_self *self_out,
                          tc_error *err)
{
    (void)patience; /* PMIx has its own deadline for a silent server */
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
                         tci_patience *patience, tc_error *err)
{
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT};
    (void)patience; /* publishing does not wait for other processes */
    value.data.bo.bytes = (char *)(uintptr_t)address;
    value.data.bo.size = size;
    pmix_status_t status = PMIx_Put(PMIX_GLOBAL, rv->key, &value);
    if (status == PMIX_SUCCESS)
        status = PMIx_Commit();
    return status == PMIX_SUCCESS ? TC_OK : pmix_error(err, "publish", status);
}

static tc_status lookup(tci_rendezvous *rv, uint32_t rank, tci_patience *patience,
                        uint8_t address_out[TCI_RENDEZVOUS_ADDRESS_MAX], size_t *size_out,
                        tc_error *err)
{
    pmix_answer value;
    if (!rv->gathered) {
        rv->gathered = true;
        tc_status gathered = pmix_fence(patience, err);
        if (gathered != TC_OK && gathered != TC_E_TIMEOUT)
            return gathered;
    }
    const uint64_t deadline_ns = patience->deadline_ns;
    uint64_t soonest_ns = tci_deadline_after(ANSWER_NS);
    patience->deadline_ns = deadline_ns > soonest_ns ? deadline_ns : soonest_ns;
    tc_status status = pmix_get(rank, rv->key, PMIX_BYTE_OBJECT, patience, &value, err);
    patience->deadline_ns = deadline_ns;
    if (status == TC_E_TIMEOUT)
        return tci_error_set(err, TC_E_TIMEOUT, "rank %u has not joined", rank);
    if (status != TC_OK) {
        tci_error_prefix(err, "rank %u", rank);
        return status;
    }
    memcpy(address_out, value.bytes, value.size);
    *size_out = value.size;
    explicit_bzero(&value, sizeof value);
    return TC_OK;
}

TC_API extern const tci_rendezvous_ops tci_rendezvous_module;
const tci_rendezvous_ops tci_rendezvous_module = {.abi = TCI_RENDEZVOUS_ABI,
                                                  .name = "PMIx",
                                                  .open = open_job,
                                                  .publish = publish,
                                                  .lookup = lookup,
                                                  .close = close_job};
