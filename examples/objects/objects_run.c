/* Accounts that move to their users, by calls from all ranks at once; then every account is
 * compared with its expected value, and destroyed.
 *
 *   tc-run -n RANKS objects_run [OBJECTS [CALLS]]    (256 accounts, 4000 calls of each rank) */
#include "account.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define TIMEOUT_NS TC_SECONDS(120)
#define UNDER_WAY_MAX 32u

enum { OPEN, LIST, DEPOSIT, READ, FUNCTIONS };

static const char *const names[FUNCTIONS] = {"account_open", "account_list", "account_deposit",
                                             "account_read"};

typedef struct call_slot {
    struct object_run *run;
    account answer;
    bool is_taken;
} call_slot;

typedef struct object_run {
    tc_context *ctx;
    tc_group *group;
    tc_objects *objects;
    tc_ifunc *functions[FUNCTIONS];
    tc_gptr *pointers;
    uint32_t rank, ranks, count, calls;
    call_slot slots[UNDER_WAY_MAX];
    uint64_t forwarded, hops, failed;
} object_run;

static bool check(tc_status status, const tc_error *err, const char *step)
{
    if (status != TC_OK)
        fprintf(stderr, "objects: %s: %s\n", step, err->text);
    return status == TC_OK;
}

/* Returns the account's number and the amount of call number `number` of a rank. */
static uint32_t draw(uint32_t rank, uint32_t number, uint32_t count, int64_t *amount_out)
{
    uint64_t z = ((uint64_t)rank << 32 | number) * 0x9e3779b97f4a7c15u + 1;
    z = (z ^ z >> 29) * 0xbf58476d1ce4e5b9u;
    z ^= z >> 32;
    *amount_out = (int64_t)(z >> 40) - 1000;
    return (uint32_t)(z % count);
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

static bool start_call(object_run *run, const account_message *message)
{
    call_slot *slot = free_slot(run);
    const tc_call_params params = {.result = &slot->answer,
                                   .result_capacity = sizeof slot->answer,
                                   .timeout_ns = TIMEOUT_NS,
                                   .done = call_done,
                                   .user = slot};
    tc_error err = {TC_OK, ""};
    tc_status status;
    slot->is_taken = true;
    slot->run = run;
    while ((status = tc_object_call_start(run->objects, run->functions[DEPOSIT], message,
                                          sizeof *message, &params, NULL, &err)) == TC_E_AGAIN)
        (void)tc_progress(run->ctx);
    return check(status, &err, "call");
}

static bool make_calls(object_run *run)
{
    tc_error err = {TC_OK, "calls that do not end"};
    for (uint32_t i = 0; i < run->calls; i++) {
        account_message message;
        message.object = run->pointers[draw(run->rank, i, run->count, &message.amount)];
        if (!start_call(run, &message))
            return false;
    }
    return check(tc_calls_wait(run->ctx, TIMEOUT_NS), &err, "wait") && run->failed == 0;
}

/* --- rank 0 opens, compares and closes ---------------------------------------------------- */

static bool open_accounts(object_run *run)
{
    tc_error err = {TC_OK, ""};
    for (uint32_t i = 0; i < run->count; i++) {
        if (!check(tc_object_create(run->objects, i % run->ranks, run->functions[OPEN], NULL, 0,
                                    TIMEOUT_NS, &run->pointers[i], &err),
                   &err, "open"))
            return false;
    }
    return check(tc_group_call_all(run->group, run->functions[LIST], run->pointers,
                                   run->count * sizeof *run->pointers, NULL, &err),
                 &err, "list");
}

/* Reads an account and closes it. */
static bool finish_account(object_run *run, tc_gptr object, account *found_out)
{
    size_t size = sizeof *found_out;
    tc_error err = {TC_OK, ""};
    return check(tc_object_call(run->objects, run->functions[READ], &object, sizeof object,
                                found_out, &size, TIMEOUT_NS, &err),
                 &err, "read") &&
           check(tc_object_destroy(run->objects, object, NULL, TIMEOUT_NS, &err), &err,
                 "close");
}

static bool compare(object_run *run)
{
    uint32_t right = 0;
    uint64_t moves = 0, away = 0;
    account *expected = calloc(run->count, sizeof *expected);
    if (expected == NULL)
        return false;
    for (uint32_t rank = 0; rank < run->ranks; rank++)
        for (uint32_t i = 0; i < run->calls; i++) {
            int64_t amount;
            account *drawn = &expected[draw(rank, i, run->count, &amount)];
            drawn->balance += amount;
            drawn->deposits++;
        }
    for (uint32_t i = 0; i < run->count; i++) {
        account found;
        if (!finish_account(run, run->pointers[i], &found))
            break;
        right += found.balance == expected[i].balance && found.deposits == expected[i].deposits;
        moves += found.moves;
        away += found.rank != i % run->ranks;
    }
    free(expected);
    printf("%" PRIu32 " of %" PRIu32 " accounts right after %" PRIu64 " calls; %" PRIu64
           " moves, %" PRIu64 " away from home\n",
           right, run->count, (uint64_t)run->calls * run->ranks, moves, away);
    printf("rank 0: %" PRIu64 " of its %" PRIu32 " calls were sent on, %" PRIu64
           " hops in all\n",
           run->forwarded, run->calls, run->hops);
    return right == run->count;
}

/* --- every rank -------------------------------------------------------------------------- */

static bool begin(object_run *run)
{
    tc_error err = {TC_OK, ""};
    const tc_objects_params params = {.group = run->group, .objects_max = run->count};
    run->rank = tc_group_rank(run->group);
    run->ranks = tc_group_size(run->group);
    run->pointers = calloc(run->count, sizeof *run->pointers);
    for (int i = 0; i < FUNCTIONS; i++) {
        if (!check(tc_ifunc_open(run->ctx, names[i], &run->functions[i], &err), &err, names[i]))
            return false;
    }
    return run->pointers != NULL &&
           check(tc_context_publish(run->ctx, ACCOUNT_POINTERS, run->pointers,
                                    run->count * sizeof *run->pointers, &err),
                 &err, ACCOUNT_POINTERS) &&
           check(tc_objects_open(run->ctx, &params, &run->objects, &err), &err, "objects");
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
    tc_error err = {TC_OK, "methods that still run"};
    run.count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 256;
    run.calls = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 4000;
    if (argc > 3 || run.count == 0 || run.count > 1u << 14) {
        fprintf(stderr, "usage: tc-run -n RANKS objects_run [OBJECTS [CALLS]]\n");
        return 2;
    }
    if (!check(tc_context_create(NULL, &run.ctx, &err), &err, "context"))
        return 1;
    bool ok = check(tc_group_join(run.ctx, TIMEOUT_NS, &run.group, &err), &err, "group") &&
              begin(&run) && meet(&run, "begin") && (run.rank > 0 || open_accounts(&run)) &&
              meet(&run, "accounts") && make_calls(&run) && meet(&run, "calls") &&
              (run.rank > 0 || compare(&run)) && meet(&run, "end");
    ok = check(tc_objects_close(run.objects), &err, "end") && ok;
    for (int i = 0; i < FUNCTIONS; i++) {
        if (run.functions[i] != NULL)
            tc_ifunc_close(run.functions[i]);
    }
    tc_context_destroy(run.ctx);
    free(run.pointers);
    return ok ? 0 : 1;
}
