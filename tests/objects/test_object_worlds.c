/* Worlds of ranks that construct, call and move objects at random, over a network with delays,
 * and in which a rank is killed. After each event an object is at one rank at most. In the end
 * no call has run twice, none that was answered is missing, and every rank can close its
 * objects. */
#include "../../objects/objects_state.h"
#include "../support/fake_archive.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "archive.h"

#include <tc/sim.h>
#include <tc/tc.h>

#define MS 1000000ull
#define PORT 7000
enum { RANKS_MAX = 4, OBJECTS = 5, OPERATIONS = 40, SEEDS = TCI_SANITIZED ? 15 : 60 };

typedef struct tally {
    uint64_t value;
    unsigned char rest[300000]; /* three pieces */
} tally;

typedef struct tally_amount {
    tc_gptr object;
    uint64_t amount;
} tally_amount;

TC_OBJECT_CONSTRUCTOR(tally_new, tally)
(tally *mine, const void *arguments, size_t size, tc_object_self *self)
{
    (void)arguments, (void)size, (void)self;
    memset(mine->rest, 7, sizeof mine->rest);
}

TC_OBJECT_METHOD(tally_add, tally, tally_amount)
(tally *mine, const tally_amount *message, tc_object_self *self)
{
    (void)self;
    mine->value += message->amount;
    tc_reply(&mine->value, sizeof mine->value);
}

/* Loses updates if another method runs meanwhile. */
TC_OBJECT_ATOMIC(tally_bump, tally, tally_amount)
(tally *mine, const tally_amount *message, tc_object_self *self)
{
    const uint64_t before = mine->value;
    const tc_status status = tc_task_sleep(50000);
    mine->value = before + message->amount;
    if (status != TC_OK)
        tc_object_fail(self, status, "the wait has ended");
    tc_reply(&mine->value, sizeof mine->value);
}

typedef enum tally_function { NEW, ADD, BUMP, FUNCTIONS } tally_function;

static const char *const names[FUNCTIONS] = {"tally_new", "tally_add", "tally_bump"};
static void (*const mains[FUNCTIONS])(void *, size_t, void *) = {tally_new_main, tally_add_main,
                                                                 tally_bump_main};
static tc_code codes[FUNCTIONS];

/* The test owns this, and no node. */
static struct {
    uint32_t ranks;
    tc_sim_node *nodes[RANKS_MAX];
    tc_objects *objects[RANKS_MAX]; /* NULL: not open, closed, or killed */
    tc_gptr pointers[OBJECTS];
    uint32_t made;
    uint64_t begun[OBJECTS], answered[OBJECTS];
    bool may_fail;         /* a rank was killed, or the network was cut */
    bool is_safe[OBJECTS]; /* at a rank that lives, when another one is killed */
    uint32_t finished;
} world_state;

/* --- every event -------------------------------------------------------------------------- */

static void check_once(void *user)
{
    (void)user;
    for (uint32_t i = 0; i < world_state.made; i++) {
        uint32_t found = 0;
        for (uint32_t rank = 0; rank < world_state.ranks; rank++) {
            const tc_objects *objects = world_state.objects[rank];
            const tco_record *record =
                objects == NULL ? NULL
                                : tco_table_find(&objects->table, world_state.pointers[i]);
            found += record != NULL && !record->is_arriving;
        }
        if (found > 1)
            fail_msg("object %u is at %u ranks", i, found);
    }
}

/* --- a rank ------------------------------------------------------------------------------- */

typedef struct tally_rank {
    tc_sim_world *world;
    tc_context *ctx;
    tc_group *group;
    tc_objects *objects;
    tc_ifunc *functions[FUNCTIONS];
    uint32_t rank;
} tally_rank;

static void wait_until(const tally_rank *r, uint64_t until_ns)
{
    while (tc_sim_now_ns(r->world) < until_ns)
        (void)tc_wait(r->ctx, until_ns - tc_sim_now_ns(r->world));
}

static void open_rank(tally_rank *r)
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
    for (int i = 0; i < FUNCTIONS; i++)
        must(tc_ifunc_open_code(r->ctx, &codes[i], &r->functions[i], &error), &error, names[i]);
    const tc_objects_params params = {.group = r->group};
    must(tc_objects_open(r->ctx, &params, &r->objects, &error), &error, "objects");
    world_state.objects[r->rank] = r->objects;
}

static uint32_t draw(const tally_rank *r, uint32_t below)
{
    return (uint32_t)(tc_sim_random(r->world) % below);
}

/* After a death or a cut every call may fail, with a text. */
static void check_failure(tc_status status, const tc_error *error)
{
    if (status == TC_OK)
        return;
    if (!world_state.may_fail || error->text[0] == '\0')
        fail_msg("%s: %s", tc_status_name(status), error->text);
}

static void operate(tally_rank *r)
{
    const uint32_t i = draw(r, OBJECTS), operation = draw(r, 8);
    const tally_amount message = {world_state.pointers[i], 1};
    uint64_t value;
    size_t size = sizeof value;
    tc_error error = {TC_OK, ""};
    tc_status status;
    if (operation < 3) {
        status =
            tc_object_move(r->objects, message.object, draw(r, world_state.ranks), 0, &error);
        check_failure(status, &error);
        return;
    }
    world_state.begun[i]++;
    status = tc_object_call(r->objects, r->functions[operation == 3 ? BUMP : ADD], &message,
                            sizeof message, &value, &size, 0, &error);
    check_failure(status, &error);
    world_state.answered[i] += status == TC_OK;
}

static void make_objects(tally_rank *r)
{
    tc_error error;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        must(tc_object_create(r->objects, draw(r, world_state.ranks), r->functions[NEW], NULL,
                              0, 0, &world_state.pointers[i], &error),
             &error, "new");
        world_state.made++;
    }
}

static void compare(tally_rank *r)
{
    uint32_t lost = 0;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        const tally_amount message = {world_state.pointers[i], 0};
        uint64_t value = 0;
        size_t size = sizeof value;
        tc_error error = {TC_OK, ""};
        tc_status status = TC_E_PEER_LOST;
        for (int attempt = 0; attempt < 2 && status != TC_OK; attempt++)
            status = tc_object_call(r->objects, r->functions[ADD], &message, sizeof message,
                                    &value, &size, 0, &error);
        check_failure(status, &error);
        lost += status != TC_OK && (!world_state.may_fail || world_state.is_safe[i]);
        if (status == TC_OK &&
            (value < world_state.answered[i] || value > world_state.begun[i]))
            fail_msg("object %u: %llu, expected %llu to %llu", i, (unsigned long long)value,
                     (unsigned long long)world_state.answered[i],
                     (unsigned long long)world_state.begun[i]);
    }
    if (lost > 0)
        fail_msg("%u objects are lost", lost);
}

static void run_rank(tc_sim_node *node, void *argument)
{
    tally_rank r = {.world = tc_sim_node_world(node), .rank = (uint32_t)(uintptr_t)argument};
    tc_status status = TC_E_BUSY;
    open_rank(&r);
    wait_until(&r, 50 * MS);
    if (r.rank == 0)
        make_objects(&r);
    wait_until(&r, 500 * MS);
    for (int i = 0; i < OPERATIONS; i++)
        operate(&r);
    wait_until(&r, 300000 * MS);
    if (r.rank == 0)
        compare(&r);
    wait_until(&r, 600000 * MS);
    for (int i = 0; i < 100 && status == TC_E_BUSY; i++) {
        world_state.objects[r.rank] = NULL;
        status = tc_objects_close(r.objects);
        (void)tc_wait(r.ctx, 10 * MS);
    }
    if (status != TC_OK)
        fail_msg("rank %u: methods still wait", r.rank);
    tc_context_destroy(r.ctx);
    world_state.finished++;
}

/* --- worlds ------------------------------------------------------------------------------- */

/* Objects that stay reachable: home and rank live, and it does not move. */
static void note_safe(void)
{
    for (uint32_t i = 0; i < world_state.made; i++) {
        for (uint32_t rank = 0; rank < world_state.ranks; rank++) {
            const tc_objects *objects = world_state.objects[rank];
            const tc_gptr object = world_state.pointers[i];
            const tco_record *record =
                objects == NULL ? NULL : tco_table_find(&objects->table, object);
            world_state.is_safe[i] |= record != NULL && !record->is_arriving &&
                                      !record->is_exclusive &&
                                      world_state.objects[object.rank] != NULL;
        }
    }
}

static void kill_last(void)
{
    const uint32_t last = world_state.ranks - 1;
    world_state.may_fail = true;
    world_state.objects[last] = NULL;
    note_safe();
    tc_sim_node_kill(world_state.nodes[last]);
}

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

typedef enum fault { NO_FAULT, DEATH, CUT } fault;

static void run_world(uint64_t seed, uint32_t ranks, unsigned hosts, fault kind)
{
    tc_sim_world *world;
    tc_error error;
    memset(&world_state, 0, sizeof world_state);
    world_state.ranks = ranks;
    const uint64_t at_ns = 500 * MS + seed * 7919 % 100 * 200000;
    const tc_sim_params params = {
        .seed = seed, .after_event = check_once, .connection_ns = 1000 * MS};
    must(tc_sim_world_create(&params, &world, &error), &error, "world");
    for (uint32_t rank = 0; rank < ranks; rank++)
        must(tc_sim_node_create(world, rank % hosts, run_rank, (void *)(uintptr_t)rank,
                                &world_state.nodes[rank], &error),
             &error, "node");
    if (kind != NO_FAULT)
        assert_status(tc_sim_run_until(world, at_ns, &error), TC_E_TIMEOUT);
    if (kind == DEATH)
        kill_last();
    if (kind == CUT)
        cut(world, at_ns + (900 + seed % 8 * 100) * MS);
    must(tc_sim_run_until(world, 3600000 * MS, &error), &error, "run");
    assert_int_equal(world_state.finished, ranks - (kind == DEATH));
    tc_sim_world_destroy(world);
}

static void open_codes(void)
{
    tc_error error;
    for (int i = 0; i < FUNCTIONS && codes[i].bytes == NULL; i++) {
        codes[i].bytes = fake_archive(names[i], TCI_ENTRY_MAIN, 100, &codes[i].size);
        must(tc_sim_function(names[i], mains[i], &error), &error, names[i]);
    }
}

TEST(no_call_is_lost_or_repeated)
{
    open_codes();
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        run_world(seed, 2 + (uint32_t)seed % 3, 1 + (unsigned)seed % 4, NO_FAULT);
}

TEST(a_rank_dies_and_the_others_go_on)
{
    open_codes();
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        run_world(seed, 3 + (uint32_t)seed % 2, 1 + (unsigned)seed % 4, DEATH);
}

TEST(a_connection_is_lost_and_both_ranks_live)
{
    open_codes();
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        run_world(seed, 2 + (uint32_t)seed % 3, 2 + (unsigned)seed % 3, CUT);
}
