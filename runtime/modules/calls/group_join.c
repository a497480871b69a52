/* Joining the group that this process was started in: by tc-run, PMIx, or options. */
#include "context/context_object.h"

#include "base/clock.h"
#include "base/content_id.h"
#include "base/error_text.h"
#include "bootstrap/job_address.h"
#include "bootstrap/own_address.h"
#include "modules/calls/group_key.h"
#include "modules/calls/group_life.h"
#include "modules/calls/group_news.h"
#include "context/interrupt.h"
#include "context/listener.h"
#include "modules/calls/calling_state.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define MISSING_NAMED_MAX 8u
#define MISSING_TEXT_MAX 128u

/* A process meets others one round at a time: a round's number has to mean the same to all. */
static pthread_mutex_t rendezvous_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t rounds;

/* A group that is being joined. */
typedef struct joining {
    tc_context *ctx;
    const tci_rendezvous_ops *ops;
    tci_rendezvous *rendezvous; /* NULL: closed */
    int news_fd;                /* of one that is watched */
    tci_rendezvous_self self;
    uint64_t timeout_ns;
    tci_patience patience;
    tci_stream_listener *streams; /* bound; NULL once the listener owns it */
    tc_listener *listener;
    tci_group_key key;
    tci_group_job *job; /* the job of that key, or NULL */
    tci_group_programs *programs;
    uint8_t (*addresses)[TCI_RENDEZVOUS_ADDRESS_MAX];
    tc_group_member *members;
} joining;

/* --- missing members --------------------------------------------------------------------- */

typedef struct missing {
    uint32_t count;
    char ranks[MISSING_TEXT_MAX];
} missing;

static void note_missing(missing *m, uint32_t rank)
{
    size_t used = strlen(m->ranks);
    m->count++;
    (void)snprintf(m->ranks + used, sizeof m->ranks - used, "%s%u", used == 0 ? "" : ", ",
                   rank);
}

static tc_status tell_missing(const joining *j, const missing *m, bool all_asked, tc_error *err)
{
    if (j->patience.interrupted)
        return tci_error_set(err, TC_E_TIMEOUT,
                             "the program gave up before all %u members had joined: rank %s "
                             "had not",
                             j->self.size, m->ranks);
    return tci_error_set(
        err, TC_E_TIMEOUT, "%s%u of %u members did not join within %.1f s: rank%s %s%s",
        all_asked ? "" : "at least ", m->count, j->self.size, (double)j->timeout_ns / 1e9,
        m->count == 1 ? "" : "s", m->ranks, all_asked ? "" : ", ...");
}

static tc_status take_address(joining *j, uint32_t rank, size_t size, tc_error *err)
{
    tci_job_address address;
    tc_status status = tci_job_address_decode(j->addresses[rank], size, &address, err);
    if (status == TC_OK && rank != 0 && address.key != NULL)
        status = tci_error_set(err, TC_E_CORRUPT, "it gave a key, which only rank 0 does");
    if (status == TC_OK)
        status = tci_group_program_note(j->programs, rank, &address, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "address of rank %u", rank);
        return status;
    }
    if (rank == 0)
        tci_group_key_take(&j->key, &j->self, address.key);
    sodium_memzero(j->addresses[rank] + address.size, size - address.size);
    j->members[rank] = (tc_group_member){.address = address.text, .size = address.size};
    return TC_OK;
}

static tc_status look_up(joining *j, uint32_t rank, tc_error *err)
{
    size_t size;
    TC_TRY(j->ops->lookup(j->rendezvous, rank, &j->patience, j->addresses[rank], &size, err));
    return take_address(j, rank, size, err);
}

static bool gave_up(const joining *j, const missing *m)
{
    return j->patience.interrupted && m->count > 0;
}

/* Looks up all members, also after one that is not there in time: others may be missing too. */
static tc_status look_up_all(joining *j, tc_error *err)
{
    missing m = {.count = 0};
    uint32_t rank = 0;
    for (; rank < j->self.size && m.count < MISSING_NAMED_MAX && !gave_up(j, &m); rank++) {
        tc_status status = look_up(j, rank, err);
        if (status == TC_E_TIMEOUT)
            note_missing(&m, rank);
        else
            TC_TRY(status);
    }
    return m.count == 0 ? TC_OK : tell_missing(j, &m, rank == j->self.size, err);
}

/* --- meeting ----------------------------------------------------------------------------- */

static tc_status publish(joining *j, const char *text, tc_error *err)
{
    uint8_t bytes[TCI_RENDEZVOUS_ADDRESS_MAX];
    const char *program = j->self.program_name;
    const tci_job_address address = {.text = text,
                                     .size = strlen(text),
                                     .program = j->self.program,
                                     .name = *program != '\0' ? program : NULL,
                                     .name_size = strlen(program),
                                     .key = j->key.is_set ? j->key.key.bytes : NULL};
    size_t size = tci_job_address_encode(&address, bytes);
    if (size == 0)
        return tci_error_set(err, TC_E_INVALID, "group_address: '%.300s' is too long", text);
    tc_status status = j->ops->publish(j->rendezvous, bytes, size, &j->patience, err);
    sodium_memzero(bytes, sizeof bytes);
    return status;
}

/* Peers that connect meanwhile wait: the credentials to admit them are known when all have
 * published. */
static tc_status bind_and_publish(joining *j, tc_error *err)
{
    char listen[TCI_OWN_ADDRESS_TEXT_MAX];
    char address[TCI_OWN_ADDRESS_TEXT_MAX];
    const tci_core *core = &j->ctx->core;
    TC_TRY(tci_own_address(core->options.group_address, j->self.all_local, listen, err));
    TC_TRY(tci_stream_bind(listen, &j->streams, err));
    TC_TRY(tci_group_key_prepare(&core->options, tci_credentials_has_keys(&core->credentials),
                                 &j->self, tci_stream_listener_is_local(j->streams), &j->key,
                                 err));
    TC_TRY(
        tci_own_address_with_port(listen, tci_stream_listener_port(j->streams), address, err));
    return publish(j, address, err);
}

static tc_status open_listener(joining *j, tc_error *err)
{
    tci_core *core = &j->ctx->core;
    tci_stream_listener *streams = j->streams;
    TC_TRY(tci_group_key_make_job(&j->key, j->ctx, j->self.rank, &j->job, err));
    tci_credentials *credentials = j->job != NULL ? &j->job->credentials : &core->credentials;
    TC_TRY(tci_stream_listener_admit(streams, core->options.listen_any != 0, credentials, err));
    j->streams = NULL;
    return tci_listener_open_on(j->ctx, streams, credentials, &j->listener, err);
}

static tc_status make_table(joining *j, tc_error *err)
{
    if (j->self.size > TC_GROUP_SIZE_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "group of %u members, expected at most %u",
                             j->self.size, TC_GROUP_SIZE_MAX);
    /* bound: TC_GROUP_SIZE_MAX */
    j->addresses = calloc(j->self.size, sizeof *j->addresses);
    /* bound: TC_GROUP_SIZE_MAX */
    j->members = calloc(j->self.size, sizeof *j->members);
    if (j->addresses == NULL || j->members == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "group: out of memory");
    return tci_group_program_begin(&j->self, &j->programs, err);
}

/* Called with the rendezvous open. */
static tc_status exchange(joining *j, tc_error *err)
{
    TC_TRY(make_table(j, err));
    TC_TRY(bind_and_publish(j, err));
    return look_up_all(j, err);
}

static void close_rendezvous(joining *j)
{
    if (j->rendezvous != NULL)
        j->ops->close(j->rendezvous);
    j->rendezvous = NULL;
}

/* Rank 0 of barriers waits for all. Without news it sees the end of those alone that were
 * connected. */
static bool watches(joining *j)
{
    return j->self.rank == 0 && j->ops->watch != NULL &&
           j->ops->watch(j->rendezvous, &j->patience, &j->news_fd, NULL) == TC_OK;
}

static tc_status meet(joining *j, tc_error *err)
{
    (void)pthread_mutex_lock(&rendezvous_lock);
    tc_status status = j->ops->open(++rounds, &j->patience, &j->rendezvous, &j->self, err);
    if (status == TC_OK) {
        status = exchange(j, err);
        if (status != TC_OK || !watches(j))
            close_rendezvous(j);
    }
    (void)pthread_mutex_unlock(&rendezvous_lock);
    return status;
}

/* A job's name may be reused after its end. The address of rank 0 makes the ids differ. */
static uint64_t group_id(const joining *j)
{
    uint8_t seed[sizeof j->self.id + TCI_RENDEZVOUS_ADDRESS_MAX];
    uint8_t hash[16];
    uint64_t id;
    memcpy(seed, &j->self.id, sizeof j->self.id);
    memcpy(seed + sizeof j->self.id, j->members[0].address, j->members[0].size);
    tci_hash128(seed, sizeof j->self.id + j->members[0].size, hash);
    memcpy(&id, hash, sizeof id);
    return id | 1;
}

static tc_status create(joining *j, tc_group **group_out, tc_error *err)
{
    const tc_group_params params = {
        .id = group_id(j), .rank = j->self.rank, .size = j->self.size, .members = j->members};
    TC_TRY(tc_group_create(j->ctx, &params, group_out, err));
    tci_group_life_keep_listener(*group_out, j->listener);
    (*group_out)->job = j->job;
    (*group_out)->programs = j->programs;
    j->programs = NULL;
    if (j->rendezvous != NULL)
        tci_group_news_begin(*group_out, j->ops, j->rendezvous, j->news_fd);
    return TC_OK;
}

static tc_status join_job(tc_context *ctx, const tci_rendezvous_ops *ops, uint64_t timeout_ns,
                          tc_group **group_out, tc_error *err)
{
    joining j = {.ctx = ctx,
                 .ops = ops,
                 .timeout_ns = timeout_ns,
                 .patience = tci_interrupt_patience(ctx, timeout_ns)};
    tc_status status = meet(&j, err);
    if (status == TC_OK)
        status = open_listener(&j, err);
    if (status == TC_OK)
        status = create(&j, group_out, err);
    if (status != TC_OK) {
        close_rendezvous(&j);
        tci_stream_listener_close(j.streams);
        tc_listener_close(j.listener);
        tci_group_job_leave(&tci_calling_of(&ctx->core)->groups, j.job);
    }
    tci_group_key_forget(&j.key);
    free(j.programs);
    free(j.members);
    free(j.addresses);
    return status;
}

/* --- without a job ----------------------------------------------------------------------- */

static tc_status join_hosts(tc_context *ctx, tc_group **group_out, tc_error *err)
{
    const tc_options *options = &ctx->core.options;
    char *end;
    unsigned long rank = strtoul(options->group_rank, &end, 10);
    if (options->group_rank[0] < '0' || options->group_rank[0] > '9' || *end != '\0' ||
        rank >= TC_GROUP_SIZE_MAX)
        return tci_error_set(err, TC_E_INVALID,
                             "group_hosts is set, and group_rank (TC_GROUP_RANK) is '%.40s': "
                             "expected a number below %u",
                             options->group_rank, TC_GROUP_SIZE_MAX);
    return tc_group_create_hosts(ctx, options->group_hosts, (uint32_t)rank, group_out, err);
}

static tc_status join_alone(tc_context *ctx, tc_group **group_out, tc_error *err)
{
    const tc_group_member self = {.size = 0};
    tc_group_params params = {.size = 1, .members = &self};
    if (getrandom(&params.id, sizeof params.id, 0) != sizeof params.id)
        params.id = tci_clock_ns();
    params.id |= 1;
    return tc_group_create(ctx, &params, group_out, err);
}

tc_status tc_group_join(tc_context *ctx, uint64_t timeout_ns, tc_group **group_out,
                        tc_error *err)
{
    const tci_rendezvous_ops *ops;
    if (tci_core_is_busy(&ctx->core))
        return tci_error_set(err, TC_E_BUSY, "blocking calls are not allowed inside an ifunc");
    TC_TRY(tci_rendezvous_find(ctx->core.options.engine_path, &ops, err));
    if (ops != NULL)
        return join_job(ctx, ops, timeout_ns, group_out, err);
    if (ctx->core.options.group_hosts[0] != '\0')
        return join_hosts(ctx, group_out, err);
    return join_alone(ctx, group_out, err);
}
