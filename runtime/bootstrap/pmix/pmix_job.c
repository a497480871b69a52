#include "pmix_job.h"

#include "base/clock.h"
#include "base/error_text.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One question, shared with PMIx's own thread, which may answer after nobody waits any more. */
typedef struct question {
    pthread_mutex_t lock;
    pthread_cond_t answered;
    unsigned holders;
    bool done;
    bool fits; /* the value is of the type that was asked for, and not too large */
    pmix_status_t status;
    pmix_data_type_t type;
    tci_pmix_value value;
    /* PMIx reads these in its own time. */
    pmix_proc_t proc;
    pmix_key_t key;
    pmix_info_t info[2];
} question;

tc_status tci_pmix_error(tc_error *err, const char *what, pmix_status_t status)
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

static question *create_question(const pmix_proc_t *job, pmix_rank_t rank, const char *key,
                                 pmix_data_type_t type)
{
    pthread_condattr_t monotonic;
    question *q = calloc(1, sizeof *q);
    if (q == NULL)
        return NULL;
    q->type = type;
    q->holders = 2;
    q->proc = *job;
    q->proc.rank = rank;
    (void)snprintf(q->key, sizeof q->key, "%s", key);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&q->lock, NULL);
    (void)pthread_cond_init(&q->answered, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    return q;
}

/* The lock is held, and given up. */
static void release(question *q)
{
    bool last = --q->holders == 0;
    (void)pthread_mutex_unlock(&q->lock);
    if (!last)
        return;
    (void)pthread_cond_destroy(&q->answered);
    (void)pthread_mutex_destroy(&q->lock);
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

/* The lock is held. */
static void wait_for(question *q, uint64_t deadline_ns)
{
    struct timespec until = {.tv_sec = (time_t)(deadline_ns / TCI_NS_PER_S),
                             .tv_nsec = (long)(deadline_ns % TCI_NS_PER_S)};
    int failed = 0;
    while (!q->done && failed == 0)
        failed = pthread_cond_timedwait(&q->answered, &q->lock, &until);
}

/* The server is to forget the question some time after this side has. */
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
        return tci_pmix_error(err, q->key, q->status);
    return TC_OK;
}

/* Waits for the answer to what PMIx was asked, then holds the question's lock. */
static void await_answer(question *q, pmix_status_t started, uint64_t deadline_ns)
{
    (void)pthread_mutex_lock(&q->lock);
    if (started != PMIX_SUCCESS) { /* nobody else will touch it */
        q->done = true;
        q->status = started;
        q->holders--;
    }
    wait_for(q, deadline_ns);
}

tc_status tci_pmix_get(const pmix_proc_t *job, pmix_rank_t rank, const char *key,
                       pmix_data_type_t type, uint64_t deadline_ns, tci_pmix_value *value_out,
                       tc_error *err)
{
    question *q = create_question(job, rank, key, type);
    if (q == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "PMIx: out of memory");
    size_t count = add_limit(q->info, 0, deadline_ns);
    pmix_status_t started = PMIx_Get_nb(&q->proc, q->key, q->info, count, on_value, q);
    await_answer(q, started, deadline_ns);
    tc_status status = judge(q, err);
    if (status == TC_OK && !q->fits)
        status = tci_error_set(err, TC_E_CORRUPT,
                               "PMIx: the value of %s is of another type, or too large", key);
    if (status == TC_OK)
        *value_out = q->value;
    release(q);
    return status;
}

tc_status tci_pmix_fence(const pmix_proc_t *job, uint64_t deadline_ns, tc_error *err)
{
    question *q = create_question(job, PMIX_RANK_WILDCARD, "fence", PMIX_UNDEF);
    if (q == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "PMIx: out of memory");
    size_t count = add_limit(q->info, 0, deadline_ns);
    count = add_collect(q->info, count);
    await_answer(q, PMIx_Fence_nb(&q->proc, 1, q->info, count, on_fence, q), deadline_ns);
    tc_status status = judge(q, err);
    release(q);
    return status;
}
