/* Worlds of ranks that send active messages of many units at random, over a network with
 * delays, and in which a rank is killed, or a connection is lost. In the end no unit has run
 * twice, none that succeeded is missing, no output was wrong, and every rank can close its
 * active messages. A function that waits sends some of them. */
#include "../../am/am_state.h"
#include "../support/fake_archive.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "archive.h"

#include <tc/sim.h>
#include <tc/task.h>
#include <tc/tc.h>

#define MS 1000000ull
#define PORT 7000
enum {
    RANKS_MAX = 4,
    OPERATIONS = 25,
    SEEDS = TCI_SANITIZED ? 6 : 20,
    SEGMENTS = 40,
    LARGE = 70000
};

typedef enum fault { NO_FAULT, DEATH, CUT } fault;

/* The test owns this, and no node. */
static struct {
    fault kind;
    uint32_t ranks;
    tc_sim_node *nodes[RANKS_MAX];
    uint64_t begun[RANKS_MAX];     /* segments that were sent to a rank */
    uint64_t succeeded[RANKS_MAX]; /* of these */
    uint64_t counted[RANKS_MAX];   /* by the operation there */
    bool may_fail;
    uint32_t finished;
} world_state;

typedef struct am_rank {
    tc_sim_world *world;
    tc_context *ctx;
    tc_group *group;
    tc_ams *ams;
    tc_am_window *window;
    tc_am_op *op, *quiet;
    tc_ifunc *relay;
    uint32_t rank;
} am_rank;

static uint64_t relayed, staged; /* in all worlds */
static tc_code relay_code;
static uint64_t attached[RANKS_MAX][100000]; /* for one large segment at a time */

/* Counts segments in the window, and answers with twice the input. */
static void count(tc_am_unit *unit)
{
    uint64_t *counted = unit->persistent;
    const uint32_t *input = unit->input;
    uint32_t *output = unit->output;
    *counted += unit->segments;
    for (uint32_t i = 0; i < unit->segments * unit->input_bytes / 4; i++)
        output[i] = 2 * input[i];
}

static void count_only(tc_am_unit *unit)
{
    uint64_t *counted = unit->persistent;
    *counted += unit->segments;
}

static uint32_t draw(const am_rank *r, uint32_t below)
{
    return (uint32_t)(tc_sim_random(r->world) % below);
}

/* After a death or a cut every active message may fail, with a text. */
static void check_failure(tc_status status, const tc_error *error)
{
    if (status == TC_OK)
        return;
    if (!world_state.may_fail || error->text[0] == '\0')
        fail_msg("%s: %s", tc_status_name(status), error->text);
}

typedef struct traffic {
    uint32_t input[2 * LARGE], output[2 * LARGE];
    tc_am_request request;
} traffic;

static tc_am_params fill(const am_rank *r, traffic *t)
{
    const bool is_large = draw(r, 24) == 0; /* for attached memory */
    const uint32_t words = is_large ? LARGE : 1 + draw(r, 50);
    const uint32_t segments = 1 + draw(r, is_large ? 2 : SEGMENTS);
    for (uint32_t i = 0; i < words * segments; i++)
        t->input[i] = draw(r, 1u << 30);
    memset(t->output, 0, sizeof t->output);
    return (tc_am_params){.input = t->input,
                          .output = t->output,
                          .input_layout = {.bytes = 4 * words},
                          .output_layout = {.bytes = 4 * words},
                          .segments = segments,
                          .unit = is_large ? 0 : draw(r, 8),
                          .bytes = 8};
}

static void check_output(const traffic *t, const tc_am_params *params)
{
    for (uint32_t i = 0; i < params->segments * params->input_layout.bytes / 4; i++)
        assert_int_equal(t->output[i], 2 * t->input[i]);
}

/* Sends to a rank, waits, and notes how many segments succeeded. */
static tc_status operate(am_rank *r, traffic *t, tc_error *error)
{
    const uint32_t to = draw(r, world_state.ranks);
    const tc_am_params params = fill(r, t);
    world_state.begun[to] += params.segments;
    tc_status status = tc_am_start(r->window, to, r->op, &params, &t->request, error);
    if (status != TC_OK) {
        check_failure(status == TC_E_AGAIN ? TC_OK : status, error);
        return status;
    }
    status = tc_am_wait(r->ams, &t->request, TC_FOREVER, error);
    if (t->request.is_done == 0)
        return status;
    check_failure(status, error);
    world_state.succeeded[to] += t->request.segments;
    if (status == TC_OK) {
        assert_int_equal(t->request.segments, params.segments);
        check_output(t, &params);
    }
    return status;
}

/* Sends some that are only counted, and flushes. */
static void count_many(am_rank *r, traffic *t)
{
    uint64_t sent[RANKS_MAX] = {0};
    tc_error error = {TC_OK, ""};
    for (uint32_t i = draw(r, 6); i > 0; i--) {
        const uint32_t to = draw(r, world_state.ranks);
        tc_am_params params = fill(r, t);
        params.output = NULL;
        params.output_layout = (tc_am_layout){0};
        const tc_status status = tc_am_start(r->window, to, r->quiet, &params, NULL, &error);
        check_failure(status == TC_E_AGAIN ? TC_OK : status, &error);
        if (status == TC_OK || status != TC_E_AGAIN) {
            sent[to] += params.segments;
            world_state.begun[to] += params.segments;
        }
    }
    const tc_status status = tc_am_flush(r->window, TC_RANK_NONE, TC_FOREVER, &error);
    check_failure(status, &error);
    for (uint32_t to = 0; to < world_state.ranks && status == TC_OK; to++)
        world_state.succeeded[to] += sent[to];
}

/* --- a function that sends ---------------------------------------------------------------- */

TC_THREADED(am_relay)(void *payload, size_t payload_size, void *target_args)
{
    am_rank *r = target_args;
    traffic *t = calloc(1, sizeof *t); /* no local variable, as it waits */
    tc_error error = {TC_OK, ""};
    (void)payload, (void)payload_size;
    assert_non_null(t);
    const tc_status status = operate(r, t, &error);
    relayed++;
    if (status != TC_OK)
        tc_self_fail(status, error.text);
    if (t->request.is_done != 0 || status == TC_E_AGAIN)
        free(t);
}

static void ask_to_send(am_rank *r)
{
    tc_error error = {TC_OK, ""};
    tc_ep *ep;
    tc_status status = tc_group_ep(r->group, draw(r, world_state.ranks), &ep, &error);
    if (status == TC_OK)
        status = tc_call(ep, r->relay, "", 0, NULL, NULL, 0, &error);
    check_failure(status == TC_E_AGAIN ? TC_OK : status, &error);
}

/* --- a rank ------------------------------------------------------------------------------- */

static void wait_until(const am_rank *r, uint64_t until_ns)
{
    while (tc_sim_now_ns(r->world) < until_ns)
        (void)tc_wait(r->ctx, until_ns - tc_sim_now_ns(r->world));
}

static void open_group(am_rank *r)
{
    char addresses[RANKS_MAX][TC_SIM_ADDRESS_BYTES];
    tc_group_member members[RANKS_MAX];
    tc_options *options;
    tc_listener *listener;
    tc_error error;
    must(tc_options_create(&options, &error), &error, "options");
    must(tc_options_set(options, "listen_any", "yes", &error), &error, "listen_any");
    must(tc_options_set(options, "connect_timeout", "500ms", &error), &error, "timeout");
    must(tc_context_create(options, &r->ctx, &error), &error, "context");
    tc_options_destroy(options);
    for (uint32_t i = 0; i < world_state.ranks; i++) {
        const char *text =
            tc_sim_address(world_state.nodes[i], (uint16_t)(PORT + i), addresses[i]);
        members[i] = (tc_group_member){text, strlen(text)};
    }
    must(tc_listener_open(r->ctx, addresses[r->rank], &listener, &error), &error, "listener");
    const tc_group_params group = {
        .id = 1, .rank = r->rank, .size = world_state.ranks, .members = members};
    must(tc_group_create(r->ctx, &group, &r->group, &error), &error, "group");
}

static void open_ams(am_rank *r)
{
    tc_error error;
    const tc_ams_params params = {.group = r->group,
                                  .unit_bytes = 64 + draw(r, 2000),
                                  .credit_bytes = 64 + draw(r, 6000)};
    const tc_am_window_params window = {
        .memory = &world_state.counted[r->rank], .bytes = 8, .unordered = draw(r, 8)};
    must(tc_ams_open(r->ctx, &params, &r->ams, &error), &error, "ams");
    must(tc_am_op_register(r->ams, "count", "", count, &r->op, &error), &error, "op");
    must(tc_am_op_register(r->ams, "quiet", "", count_only, &r->quiet, &error), &error, "op");
    must(tc_ifunc_open_code(r->ctx, &relay_code, &r->relay, &error), &error, "relay");
    tc_context_set_target_args(r->ctx, r);
    must(tc_am_window_open(r->ams, &window, 0, &r->window, &error), &error, "window");
    must(tc_am_window_attach(r->window, attached[r->rank], sizeof attached[0], &error), &error,
         "attach");
}

/* Long after a cut: whatever it left behind, counted units are right again. */
static void recover(am_rank *r, traffic *t)
{
    const bool may_fail = world_state.may_fail;
    tc_error error;
    for (uint32_t to = 0; to < world_state.ranks; to++) { /* connect again; may fail once */
        tc_am_params params = fill(r, t);
        const tc_status status = tc_am(r->window, to, r->op, &params, &error);
        world_state.begun[to] += params.segments;
        world_state.succeeded[to] += status == TC_OK ? params.segments : 0;
    }
    wait_until(r, 400000 * MS);
    world_state.may_fail = false;
    for (int i = 0; i < 3; i++)
        count_many(r, t);
    wait_until(r, 500000 * MS);
    world_state.may_fail = may_fail;
}

static void run_rank(tc_sim_node *node, void *argument)
{
    am_rank r = {.world = tc_sim_node_world(node), .rank = (uint32_t)(uintptr_t)argument};
    traffic *t = calloc(1, sizeof *t);
    tc_error error = {TC_OK, ""};
    tc_status status = TC_E_BUSY;
    assert_non_null(t);
    open_group(&r);
    wait_until(&r, 50 * MS);
    open_ams(&r);
    wait_until(&r, 500 * MS);
    for (int i = 0; i < OPERATIONS; i++) {
        const uint32_t what = draw(&r, 4);
        if (what == 0)
            ask_to_send(&r);
        else if (what == 1)
            count_many(&r, t);
        else
            (void)operate(&r, t, &error);
    }
    wait_until(&r, 300000 * MS);
    if (world_state.kind != DEATH)
        recover(&r, t);
    wait_until(&r, 600000 * MS);
    tc_am_counts counts;
    tc_am_count(r.ams, &counts, sizeof counts);
    staged += counts.staged;
    for (int i = 0; i < 100 && status == TC_E_BUSY; i++) {
        status = tc_ams_close(r.ams);
        (void)tc_wait(r.ctx, 10 * MS);
    }
    if (status != TC_OK)
        fail_msg("rank %u: active messages are under way", r.rank);
    tc_context_destroy(r.ctx);
    free(t);
    world_state.finished++;
}

/* --- worlds ------------------------------------------------------------------------------- */

/* Connections between the first two hosts are lost after a second, and both live. */
static void cut(tc_sim_world *world, uint64_t until_ns)
{
    tc_error error;
    world_state.may_fail = true;
    must(tc_sim_cut(world, 0, 1, true, &error), &error, "cut");
    must(tc_sim_cut(world, 1, 0, true, &error), &error, "cut");
    assert_status(tc_sim_run_until(world, until_ns, &error), TC_E_TIMEOUT);
    tc_sim_heal(world);
}

static void compare(fault kind)
{
    for (uint32_t rank = 0; rank < world_state.ranks - (kind == DEATH); rank++) {
        const uint64_t counted = world_state.counted[rank];
        if (counted < world_state.succeeded[rank] || counted > world_state.begun[rank] ||
            (kind == NO_FAULT && counted != world_state.succeeded[rank]))
            fail_msg("rank %u ran %llu segments, of %llu that succeeded and %llu that began",
                     rank, (unsigned long long)counted,
                     (unsigned long long)world_state.succeeded[rank],
                     (unsigned long long)world_state.begun[rank]);
    }
}

static void run_world(uint64_t seed, uint32_t ranks, unsigned hosts, fault kind)
{
    tc_sim_world *world;
    tc_error error;
    memset(&world_state, 0, sizeof world_state);
    world_state.ranks = ranks;
    world_state.kind = kind;
    const uint64_t at_ns = 500 * MS + seed * 7919 % 100 * 200000;
    const tc_sim_params params = {.seed = seed, .connection_ns = 1000 * MS};
    must(tc_sim_world_create(&params, &world, &error), &error, "world");
    for (uint32_t rank = 0; rank < ranks; rank++)
        must(tc_sim_node_create(world, rank % hosts, run_rank, (void *)(uintptr_t)rank,
                                &world_state.nodes[rank], &error),
             &error, "node");
    if (kind != NO_FAULT)
        assert_status(tc_sim_run_until(world, at_ns, &error), TC_E_TIMEOUT);
    if (kind == DEATH) {
        world_state.may_fail = true;
        tc_sim_node_kill(world_state.nodes[ranks - 1]);
    }
    if (kind == CUT)
        cut(world, at_ns + (900 + seed % 8 * 100) * MS);
    must(tc_sim_run_until(world, 3600000 * MS, &error), &error, "run");
    assert_int_equal(world_state.finished, ranks - (kind == DEATH));
    compare(kind);
    tc_sim_world_destroy(world);
}

static void open_code(void)
{
    tc_error error;
    if (relay_code.bytes != NULL)
        return;
    relay_code.bytes = fake_archive("am_relay", TCI_ENTRY_MAIN, 100, &relay_code.size);
    must(tc_sim_function("am_relay", am_relay_main, &error), &error, "am_relay");
}

TEST(no_unit_is_lost_or_repeated)
{
    open_code();
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        run_world(seed, 2 + (uint32_t)seed % 3, 1 + (unsigned)seed % 4, NO_FAULT);
    assert_true(relayed > 0 && staged > 0);
}

TEST(a_rank_dies_and_the_others_go_on)
{
    open_code();
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        run_world(seed, 3 + (uint32_t)seed % 2, 1 + (unsigned)seed % 4, DEATH);
}

TEST(a_connection_is_lost_and_both_ranks_live)
{
    open_code();
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        run_world(seed, 2 + (uint32_t)seed % 3, 2 + (unsigned)seed % 3, CUT);
}
