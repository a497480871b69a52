/* Functions that travel between the members of a group, which are processes of their own: all
 * call all, walk in rings and in circles, and one of them dies while functions are on their
 * way.
 *
 * This process is the last member. The program of the others is MEMBER, given at build time, or
 * in turn those named by GROUP_MEMBERS (A:B), which can be of another architecture. */
#include "../support/process.h"
#include "../support/test.h"
#include "walk_call.h"

#include "base/clock.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>
#include <tc/advanced.h>

#define GROUP_ID 7u
#define PATIENCE_NS 60000000000ull
#define SHORT_NS 500000000ull /* for calls that have to fail */
#define TURN_NS 5000000ull
#define CALLS 50u
#define WALKS 4u
#define ROUNDS 25u

#define MEMBERS_MAX 8u
#define HOP_LIMIT 1000 /* of all members; also where a call names no rank */
#define TEXT_OF_(value) #value
#define TEXT_OF(value) TEXT_OF_(value)

typedef struct members {
    process others[MEMBERS_MAX - 1]; /* ranks 0, 1, ... */
    uint32_t size;                   /* with this process */
    tc_context *ctx;
    tc_group *group;
    tc_ifunc *walk;
} members;

static members all;

/* --- the members --- */

static const char *member_program(uint32_t rank)
{
    static char programs[2048];
    const char *given = getenv("GROUP_MEMBERS");
    if (given == NULL)
        return MEMBER;
    (void)snprintf(programs, sizeof programs, "%s", given);
    char *second = strchr(programs, ':');
    assert_non_null(second);
    *second++ = '\0';
    return rank % 2 == 0 ? second : programs;
}

static void must(tc_status status, const tc_error *error)
{
    if (status != TC_OK)
        fail_msg("%s: %s", tc_status_name(status), error->text);
}

/* A command to every other member. */
static void tell(const char *command)
{
    for (uint32_t i = 0; i < all.size - 1; i++)
        if (all.others[i].pid > 0)
            assert_true(dprintf(all.others[i].in_fd, "%s\n", command) > 0);
}

static void turn(void)
{
    tc_status status = tc_wait(all.ctx, TURN_NS);
    assert_true(status == TC_OK || status == TC_E_TIMEOUT);
}

/* That member's next output; this process progresses meanwhile. */
static uint64_t hear(uint32_t rank, const char *word)
{
    process *p = &all.others[rank];
    struct pollfd output = {.fd = p->out_fd, .events = POLLIN};
    while (memchr(p->line, '\n', p->kept) == NULL && poll(&output, 1, 0) == 0)
        turn();
    return process_read_number(p, word);
}

/* Addresses as digits, with a space before each, in the order of the ranks. */
static char *start_others(tc_group_member *self_out)
{
    char *table = calloc(MEMBERS_MAX, PROCESS_LINE_MAX), *at = table;
    assert_non_null(table);
    for (uint32_t i = 0; i < all.size - 1; i++)
        process_start(&all.others[i], (const char *const[]){member_program(i), NULL}, NULL);
    for (uint32_t i = 0; i < all.size - 1; i++) {
        const char *line = process_read_line(&all.others[i]);
        assert_int_equal(strncmp(line, "address ", 8), 0);
        at += sprintf(at, " %s", line + 8);
    }
    self_out->address = tc_context_address(all.ctx, &self_out->size);
    *at++ = ' ';
    for (size_t i = 0; i < self_out->size; i++)
        at += sprintf(at, "%02x", ((const unsigned char *)self_out->address)[i]);
    return table;
}

static size_t from_hex(const char *hex, size_t digits, unsigned char *bytes_out)
{
    for (size_t i = 0; i + 1 < digits; i += 2) {
        const char two[3] = {hex[i], hex[i + 1], '\0'};
        bytes_out[i / 2] = (unsigned char)strtoul(two, NULL, 16);
    }
    return digits / 2;
}

static void join(const char *table)
{
    tc_group_member table_of[MEMBERS_MAX];
    unsigned char *bytes = calloc(MEMBERS_MAX, PROCESS_LINE_MAX);
    tc_error error = {0};
    assert_non_null(bytes);
    for (uint32_t i = 0; i < all.size; i++) {
        size_t digits = strcspn(++table, " ");
        unsigned char *address = bytes + i * PROCESS_LINE_MAX;
        table_of[i] = (tc_group_member){address, from_hex(table, digits, address)};
        table += digits;
    }
    const tc_group_params params = {
        .id = GROUP_ID, .rank = all.size - 1, .size = all.size, .members = table_of};
    must(tc_group_create(all.ctx, &params, &all.group, &error), &error);
    free(bytes);
}

static void start_group(uint32_t size)
{
    tc_group_member self;
    tc_error error = {0};
    memset(&all, 0, sizeof all);
    (void)setenv("TC_HOP_LIMIT", TEXT_OF(HOP_LIMIT), 1);
    all.size = size;
    must(tc_context_create(NULL, &all.ctx, &error), &error);
    must(tc_ifunc_open(all.ctx, "walk", &all.walk, &error), &error);
    char *table = start_others(&self);
    for (uint32_t i = 0; i < size - 1; i++)
        assert_true(dprintf(all.others[i].in_fd, "group %u%s\n", i, table) > 0);
    join(table);
    free(table);
    for (uint32_t i = 0; i < size - 1; i++)
        assert_int_equal(hear(i, "joined"), i);
}

/* Each gets the command to end, and ends in order. */
static void end_group(void)
{
    for (uint32_t i = 0; i < all.size - 1; i++)
        process_finish_input(&all.others[i]);
    tc_context_destroy(all.ctx);
    all.ctx = NULL;
    for (uint32_t i = 0; i < all.size - 1; i++)
        if (all.others[i].pid > 0)
            assert_int_equal(process_wait(&all.others[i]), 0);
}

static int clean(void **state)
{
    for (uint32_t i = 0; i < MEMBERS_MAX - 1; i++)
        process_end(&all.others[i]);
    tc_context_destroy(all.ctx);
    all.ctx = NULL;
    return 0;
}

static void start_walk(const walk_params *params, walk_call *call_out)
{
    tc_error error = {.text = "walk_call_start"};
    must(walk_call_start(all.group, all.walk, params, call_out), &error);
}

static void assert_right(const walk_call *call)
{
    if (!walk_call_wait(all.group, call))
        fail_msg("a walk over %u hops hangs", call->params.hops);
    if (!walk_call_is_right(call))
        fail_msg("a walk over %u hops: %s %s; %u hops, from %u", call->params.hops,
                 tc_status_name(call->status), call->text, call->hops, call->rank);
}

/* --- tests --- */

TEST_WITH(eight_members_call_each_other, NULL, clean)
{
    start_group(8);
    char command[64];
    (void)snprintf(command, sizeof command, "calls %u", CALLS);
    tell(command);
    for (uint32_t i = 0; i < all.size - 1; i++)
        assert_int_equal(hear(i, "right"), CALLS * all.size);
    end_group();
}

/* Each of them has several on the way, while those of the others pass through. */
TEST_WITH(eight_members_walk_in_rings, NULL, clean)
{
    start_group(8);
    char command[64];
    (void)snprintf(command, sizeof command, "walks %u %u", ROUNDS * all.size, WALKS);
    tell(command);
    for (uint32_t i = 0; i < all.size - 1; i++)
        assert_int_equal(hear(i, "right"), WALKS);
    end_group();
}

TEST_WITH(chains_of_all_lengths, NULL, clean)
{
    static walk_call calls[64];
    start_group(4);
    for (uint32_t i = 0; i < 64; i++) {
        const walk_params params = {.first = i % all.size,
                                    .hops = i + 1,
                                    .width = all.size,
                                    .timeout_ns = PATIENCE_NS,
                                    .hop_limit = i + 1,
                                    .trace = true};
        start_walk(&params, &calls[i]);
        if (i % 4 == 0) /* some alone, some at a time */
            assert_right(&calls[i]);
    }
    for (uint32_t i = 0; i < 64; i++)
        assert_right(&calls[i]);
    end_group();
}

/* A walk in a circle, from which only the limit leads out: its origin is notified, and other
 * waiters are not disturbed. */
TEST_WITH(the_hop_limit_ends_a_circle, NULL, clean)
{
    static const uint32_t limits[] = {0, 1, 50, 300};
    walk_call circle, other;
    start_group(3);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        walk_params params = {.hops = UINT32_MAX,
                              .width = all.size,
                              .timeout_ns = PATIENCE_NS,
                              .hop_limit = limits[i]};
        start_walk(&params, &circle);
        params.hops = params.hop_limit = 7;
        start_walk(&params, &other);
        assert_true(walk_call_wait(all.group, &circle));
        assert_status(circle.status, TC_E_HOPS);
        assert_true(circle.text[0] != '\0');
        assert_int_equal(circle.hops, limits[i] != 0 ? limits[i] : HOP_LIMIT);
        assert_right(&other);
    }
    end_group();
}

/* The same without a waiting caller. */
TEST_WITH(a_circle_without_a_call_is_counted, NULL, clean)
{
    const walk_message message = {.left = UINT32_MAX, .width = 3};
    tc_error error = {0};
    start_group(3);
    assert_int_equal(tc_group_failures(all.group, NULL), 0);
    must(tc_group_send(all.group, 1, all.walk, &message, sizeof message), &error);
    uint64_t deadline_ns = tci_deadline_after(PATIENCE_NS);
    while (tc_group_failures(all.group, &error) == 0 && tci_deadline_left_ns(deadline_ns) > 0)
        turn();
    assert_int_equal(tc_group_failures(all.group, &error), 1);
    assert_status(error.status, TC_E_HOPS);
    end_group();
}

/* Rank 2 of 0, 1, 2 and this one hangs, so walks that come to it are stuck there, and then
 * dies.
 */
TEST_WITH(a_member_dies_with_walks_at_it, NULL, clean)
{
    walk_call through[WALKS], around, later;
    start_group(4);
    walk_params params = {.hops = 6, .width = 4, .timeout_ns = PATIENCE_NS, .hop_limit = 64};
    start_walk(&params, &around); /* everybody has the code, and everybody's endpoints */
    assert_right(&around);
    process_signal(&all.others[2], SIGSTOP);
    params.timeout_ns = SHORT_NS;
    for (uint32_t i = 0; i < WALKS; i++)
        start_walk(&params, &through[i]);
    params = (walk_params){.hops = 20, .width = 2, .timeout_ns = PATIENCE_NS, .hop_limit = 64};
    start_walk(&params, &around);
    assert_right(&around);
    for (uint32_t i = 0; i < WALKS; i++)
        assert_false(through[i].over && through[i].status == TC_OK);
    start_walk(&params, &around);
    process_end(&all.others[2]);
    assert_right(&around);
    for (uint32_t i = 0; i < WALKS; i++) {
        assert_true(walk_call_wait(all.group, &through[i]));
        assert_true(through[i].status == TC_E_TIMEOUT || through[i].status == TC_E_PEER_LOST);
        assert_true(through[i].text[0] != '\0');
    }
    start_walk(&params, &later);
    assert_right(&later);
    end_group();
}

/* A message sent on to a member that is gone comes back as an error. That it is gone is not
 * known at once, and with UCX's keepalive off never: a call to it then ends with its deadline.
 */
TEST_WITH(a_walk_to_a_dead_member_fails, NULL, clean)
{
    walk_call call;
    const char *keepalive = getenv("UCX_KEEPALIVE_INTERVAL");
    const bool is_noticed = keepalive == NULL || strcmp(keepalive, "inf") != 0;
    unsigned tries = is_noticed ? 20 : 2;
    start_group(3);
    walk_params params = {.hops = 4, .width = 3, .timeout_ns = PATIENCE_NS, .hop_limit = 64};
    start_walk(&params, &call);
    assert_right(&call);
    process_end(&all.others[1]);
    params.timeout_ns = SHORT_NS;
    do {
        start_walk(&params, &call);
        assert_true(walk_call_wait(all.group, &call));
        assert_true(call.text[0] != '\0');
    } while (call.status == TC_E_TIMEOUT && --tries > 0);
    assert_true(call.status == TC_E_PEER_LOST || call.status == TC_E_UNREACHABLE ||
                (call.status == TC_E_TIMEOUT && !is_noticed));
    end_group();
}
