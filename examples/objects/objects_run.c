/* Accounts that move to their users, by calls from all ranks at once; then every account is
 * compared with its expected value.
 *
 *   tc-run -n RANKS objects_run [OBJECTS [CALLS]]    (256 accounts, 4000 calls of each rank) */
#include "account.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_NS TC_SECONDS(120)
#define UNDER_WAY_MAX 32u

enum { ARRIVE, HERE, DEPOSIT, READ, FUNCTIONS };

static const char *const names[FUNCTIONS] = {"object_arrive", "object_here", "account_deposit",
                                             "account_read"};

typedef struct call_slot {
    struct object_run *run;
    account_answer answer;
    bool is_taken;
} call_slot;

typedef struct object_run {
    tc_context *ctx;
    tc_group *group;
    tc_ifunc *functions[FUNCTIONS];
    object_node node;
    uint32_t calls;
    call_slot slots[UNDER_WAY_MAX];
    uint64_t forwarded, hops, failed;
} object_run;

static bool check(tc_status status, const tc_error *err, const char *what)
{
    if (status != TC_OK)
        fprintf(stderr, "objects: %s: %s\n", what, err->text);
    return status == TC_OK;
}

/* Returns account and amount of call number `number` of a rank. */
static account_message make_message(uint32_t rank, uint32_t number, uint32_t objects)
{
    uint64_t z = ((uint64_t)rank << 32 | number) * 0x9e3779b97f4a7c15u + 1;
    z = (z ^ z >> 29) * 0xbf58476d1ce4e5b9u;
    z ^= z >> 32;
    return (account_message){{(uint32_t)(z % objects), 0}, (int64_t)(z >> 40) - 1000};
}

/* --- calls ------------------------------------------------------------------------------- */

static void call_done(void *user, const tc_call_outcome *outcome)
{
    call_slot *slot = user;
    object_run *run = slot->run;
    slot->is_taken = false;
    if (outcome->status != TC_OK || outcome->result_size != sizeof slot->answer) {
        fprintf(stderr, "objects: a call failed: %s\n",
                outcome->text != NULL ? outcome->text : "an answer of another size");
        run->failed++;
        return;
    }
    run->forwarded += outcome->hops > 0;
    run->hops += outcome->hops;
    object_learn(&run->node, &slot->answer.whereabouts);
}

static call_slot *free_slot(object_run *run)
{
    for (uint32_t i = 0;; i = (i + 1) % UNDER_WAY_MAX) {
        if (!run->slots[i].is_taken)
            return &run->slots[i];
        if (i == UNDER_WAY_MAX - 1)
            (void)tc_wait(run->ctx, TC_SECONDS(1));
    }
}

/* To where this rank believes the object is. */
static bool start_call(object_run *run, const account_message *message)
{
    call_slot *slot = free_slot(run);
    const tc_call_params params = {.result = &slot->answer,
                                   .result_capacity = sizeof slot->answer,
                                   .timeout_ns = TIMEOUT_NS,
                                   .done = call_done,
                                   .user = slot};
    tc_error err = {TC_OK, ""};
    tc_ep *ep;
    tc_status status;
    slot->is_taken = true;
    slot->run = run;
    for (;;) {
        uint32_t rank = run->node.places[message->head.object].rank;
        status = tc_group_ep(run->group, rank, &ep, &err);
        if (status == TC_OK)
            status = tc_call_start(ep, run->functions[DEPOSIT], message, sizeof *message,
                                   &params, NULL, &err);
        if (status != TC_E_AGAIN)
            return check(status, &err, "call");
        (void)tc_progress(run->ctx);
    }
}

static bool make_calls(object_run *run)
{
    tc_error err = {TC_OK, "calls that do not end"};
    for (uint32_t i = 0; i < run->calls; i++) {
        account_message message = make_message(run->node.rank, i, run->node.count);
        if (!start_call(run, &message))
            return false;
    }
    return check(tc_calls_wait(run->ctx, TIMEOUT_NS), &err, "wait") && run->failed == 0;
}

/* --- rank 0 compares --------------------------------------------------------------------- */

static bool read_account(object_run *run, uint32_t object, account_answer *answer)
{
    const object_head head = {object, 0};
    size_t size = sizeof *answer;
    tc_error err = {TC_OK, ""};
    tc_ep *ep;
    return check(tc_group_ep(run->group, object % tc_group_size(run->group), &ep, &err), &err,
                 "home") &&
           check(tc_call(ep, run->functions[READ], &head, sizeof head, answer, &size,
                         TIMEOUT_NS, &err),
                 &err, "read");
}

static bool compare(object_run *run)
{
    uint32_t right = 0, ranks = tc_group_size(run->group), count = run->node.count;
    uint64_t moves = 0, away = 0;
    account *expected = calloc(count, sizeof *expected);
    if (expected == NULL)
        return false;
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (uint32_t i = 0; i < run->calls; i++) {
            account_message message = make_message(rank, i, count);
            expected[message.head.object].balance += message.amount;
            expected[message.head.object].deposits++;
        }
    for (uint32_t i = 0; i < count; i++) {
        account_answer found;
        if (!read_account(run, i, &found))
            break;
        right += found.account.balance == expected[i].balance &&
                 found.account.deposits == expected[i].deposits;
        moves += found.whereabouts.moves;
        away += found.whereabouts.rank != i % ranks;
    }
    free(expected);
    printf("%" PRIu32 " of %" PRIu32 " accounts right after %" PRIu64 " calls; %" PRIu64
           " moves, %" PRIu64 " away from home\n",
           right, count, (uint64_t)run->calls * ranks, moves, away);
    printf("rank 0: %" PRIu64 " of its %" PRIu32 " calls were sent on, %" PRIu64
           " hops in all\n",
           run->forwarded, run->calls, run->hops);
    return right == count;
}

/* --- every rank -------------------------------------------------------------------------- */

static bool begin(object_run *run)
{
    tc_error err = {TC_OK, ""};
    object_node *node = &run->node;
    uint32_t ranks = tc_group_size(run->group);
    const account empty = {.newest = TC_RANK_NONE};
    node->rank = tc_group_rank(run->group);
    node->places = aligned_alloc(16, node->count * sizeof *node->places);
    if (node->places == NULL)
        return false;
    memset(node->places, 0, node->count * sizeof *node->places);
    for (uint32_t i = 0; i < node->count; i++) {
        node->places[i].rank = i % ranks;
        memcpy(node->places[i].state, &empty, sizeof empty);
        node->places[i].size = i % ranks == node->rank ? sizeof empty : 0;
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        if (!check(tc_ifunc_open(run->ctx, names[i], &run->functions[i], &err), &err, names[i]))
            return false;
    }
    node->arrive = run->functions[ARRIVE];
    node->here = run->functions[HERE];
    return check(tc_context_publish(run->ctx, OBJECT_NODE, node, sizeof *node, &err), &err,
                 OBJECT_NODE);
}

/* Waiting at a barrier serves: functions that arrive meanwhile run. */
static bool meet(object_run *run, const char *where)
{
    tc_error err = {TC_OK, ""};
    return check(tc_group_barrier(run->group, TIMEOUT_NS, &err), &err, where);
}

int main(int argc, char **argv)
{
    static object_run run;
    tc_error err = {TC_OK, ""};
    run.node.count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 256;
    run.calls = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 4000;
    if (argc > 3 || run.node.count == 0 || run.node.count > 1u << 20) {
        fprintf(stderr, "usage: tc-run -n RANKS objects_run [OBJECTS [CALLS]]\n");
        return 2;
    }
    if (!check(tc_context_create(NULL, &run.ctx, &err), &err, "context"))
        return 1;
    bool ok = check(tc_group_join(run.ctx, TIMEOUT_NS, &run.group, &err), &err, "group") &&
              begin(&run) && meet(&run, "begin") && make_calls(&run) && meet(&run, "calls") &&
              (run.node.rank > 0 || compare(&run)) && meet(&run, "end");
    /* Nothing may run on them any more. */
    ok =
        check(tc_context_publish(run.ctx, OBJECT_NODE, NULL, 0, &err), &err, OBJECT_NODE) && ok;
    for (int i = 0; i < FUNCTIONS; i++) {
        if (run.functions[i] != NULL)
            tc_ifunc_close(run.functions[i]);
    }
    tc_context_destroy(run.ctx);
    free(run.node.places);
    return ok ? 0 : 1;
}
