/* What a function does with the message it was called for, from both ends: near is rank 0 and
 * calls, far is rank 1. */
#include "../support/fake_node.h"
#include "core/ep_state.h"
#include "endpoint/ep_life.h"
#include "rpc/invocation.h"

#include <tc/entry.h>

typedef struct heard {
    unsigned count;
    tc_status status;
    size_t result_size;
    uint32_t hops, rank, path_length;
    uint32_t path[8];
    char text[256];
    uint8_t result[8192];
} heard;

static void hear(void *user, const tc_call_outcome *outcome)
{
    heard *h = user;
    h->count++;
    h->status = outcome->status;
    h->result_size = outcome->result_size;
    h->hops = outcome->hops;
    h->rank = outcome->rank;
    h->path_length = (uint32_t)outcome->path_length;
    if (outcome->path_length > 0 && outcome->path_length <= 8)
        memcpy(h->path, outcome->path, 4 * outcome->path_length);
    if (outcome->text != NULL)
        (void)snprintf(h->text, sizeof h->text, "%s", outcome->text);
}

static fake_pair pair;
static heard answer;
static unsigned runs;
static tc_status seen[4];

static void join(uint32_t size)
{
    fake_pair_join(&pair, FAKE_MAPPED, size);
    memset(&answer, 0, sizeof answer);
    memset(seen, 0, sizeof seen);
    runs = 0;
}

static void start_by(tc_ep *ep, tc_ifunc *fn, uint32_t hop_limit, unsigned trace)
{
    const tc_call_params params = {.result = answer.result,
                                   .result_room = sizeof answer.result,
                                   .hop_limit = hop_limit,
                                   .trace = trace,
                                   .done = hear,
                                   .user = &answer};
    assert_int_equal(tc_call_start(ep, fn, "abcd", 4, &params, NULL), TC_OK);
    fake_pair_settle(&pair);
}

typedef void (*body)(void *payload, size_t size, void *target_args);

static void call(body main, uint32_t hop_limit, unsigned trace)
{
    start_by(pair.ep, fake_node_function(pair.near, "called", main), hop_limit, trace);
}

static void expect_answer(tc_status status, const char *text)
{
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.status, status);
    if (strstr(answer.text, text) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", answer.text, text);
}

/* --- answering -----------------------------------------------------------------------------
 */

static void answers_twice(void *payload, size_t size, void *target_args)
{
    assert_int_equal(size, 4); /* its route is not of the payload */
    assert_memory_equal(payload, "abcd", 4);
    seen[0] = tc_reply("yes", 3);
    seen[1] = tc_reply("no!", 3);
    seen[2] = tc_reply_error(TC_E_IO, "no");
}

static void a_call_is_answered_once(void **state)
{
    join(2);
    call(answers_twice, 0, 0);
    expect_answer(TC_OK, "");
    assert_int_equal(answer.result_size, 3);
    assert_memory_equal(answer.result, "yes", 3);
    assert_int_equal(answer.rank, 1);
    assert_int_equal(answer.hops, 0);
    assert_int_equal(seen[0], TC_OK);
    assert_int_equal(seen[1], TC_E_NOT_FOUND);
    assert_int_equal(seen[2], TC_E_NOT_FOUND);
    fake_pair_close(&pair);
}

static void says_nothing(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    runs++;
}

static void a_function_that_says_nothing_has_answered_with_nothing(void **state)
{
    join(2);
    call(says_nothing, 0, 0);
    expect_answer(TC_OK, "");
    assert_int_equal(answer.result_size, 0);
    fake_pair_close(&pair);
}

static void answers_an_error(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    seen[0] = tc_reply_error(TC_OK, "fine");
    seen[1] = tc_reply_error(TC_E_NOT_FOUND, "no such key");
}

static void an_error_is_an_answer_too(void **state)
{
    join(2);
    call(answers_an_error, 0, 0);
    expect_answer(TC_E_NOT_FOUND, "no such key");
    assert_int_equal(seen[0], TC_E_INVALID);
    assert_int_equal(seen[1], TC_OK);
    fake_pair_close(&pair);
}

static uint8_t much[6000];

static void answers_much(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    seen[0] = tc_reply(much, sizeof much);
}

/* The ring has 4 KiB. */
static void an_answer_larger_than_the_ring_comes_in_parts(void **state)
{
    join(2);
    for (size_t i = 0; i < sizeof much; i++)
        much[i] = (uint8_t)(i % 251);
    call(answers_much, 0, 0);
    expect_answer(TC_OK, "");
    assert_int_equal(answer.result_size, sizeof much);
    assert_memory_equal(answer.result, much, sizeof much);
    fake_pair_close(&pair);
}

static void an_answer_that_is_never_taken_is_said_to_be(void **state)
{
    join(2);
    pair.far->core.options.send_queue_bytes = 4096;
    call(answers_much, 0, 0);
    assert_int_equal(seen[0], TC_E_TOO_LARGE);
    expect_answer(TC_E_TOO_LARGE, "its answer of 6000 bytes could not be sent");
    fake_pair_close(&pair);
}

/* --- who and where --------------------------------------------------------------------------
 */

static void looks_around(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    assert_ptr_equal(tc_self_endpoint(), pair.peer);
    assert_ptr_equal(tc_self_group(), pair.peer->member.group);
    assert_non_null(tc_self_ifunc());
    assert_int_equal(tc_self_rank(), 1);
    assert_int_equal(tc_self_size(), 2);
    assert_int_equal(tc_self_origin(), 0);
    assert_int_equal(tc_self_hops(), 0);
    runs++;
}

static void a_function_knows_who_called_it_and_where_it_is(void **state)
{
    join(2);
    call(looks_around, 0, 0);
    tc_ifunc *fn = fake_node_function(pair.near, "plain", looks_around);
    assert_int_equal(tc_send(pair.ep, fn, NULL, 0), TC_OK); /* without a route, too */
    fake_pair_settle(&pair);
    assert_int_equal(runs, 2);
    fake_pair_close(&pair);
}

static void outside_of_a_function_there_is_nothing_to_answer(void **state)
{
    tc_call_ticket ticket = {.call = 1};
    assert_null(tc_self_endpoint());
    assert_null(tc_self_ifunc());
    assert_null(tc_self_group());
    assert_int_equal(tc_self_rank(), TC_RANK_NONE);
    assert_int_equal(tc_self_size(), 0);
    assert_int_equal(tc_self_origin(), TC_RANK_NONE);
    assert_int_equal(tc_reply("x", 1), TC_E_NOT_FOUND);
    assert_int_equal(tc_forward(0, "x", 1), TC_E_INVALID);
    assert_int_equal(tc_detach(&ticket), TC_E_NOT_FOUND);
    assert_int_equal(tc_reply_to(&ticket, "x", 1), TC_E_INVALID);
}

/* --- forwarding ------------------------------------------------------------------------------
 */

static void goes_to_and_fro(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    runs++;
    assert_int_equal(tc_self_origin(), 0);
    assert_int_equal(tc_self_hops(), runs - 1);
    if (runs < 4)
        assert_int_equal(tc_forward(1 - tc_self_rank(), payload, size), TC_OK);
    else
        assert_int_equal(tc_reply("done", 4), TC_OK);
}

static void a_message_that_travels_is_answered_by_whoever_has_it_last(void **state)
{
    join(2);
    call(goes_to_and_fro, 0, 1);
    expect_answer(TC_OK, "");
    assert_memory_equal(answer.result, "done", 4);
    assert_int_equal(runs, 4);
    assert_int_equal(answer.hops, 3);
    assert_int_equal(answer.rank, 0);
    assert_int_equal(answer.path_length, 3);
    assert_int_equal(answer.path[0], 1);
    assert_int_equal(answer.path[1], 0);
    assert_int_equal(answer.path[2], 1);
    assert_int_equal(pair.far->core.counters[TCI_MESSAGES_FORWARDED], 2);
    assert_int_equal(pair.near->core.counters[TCI_MESSAGES_FORWARDED], 1);
    fake_pair_close(&pair);
}

static void never_ends(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    runs++;
    seen[0] = tc_forward(1 - tc_self_rank(), payload, size);
}

static void hops_are_limited_by_the_caller_and_by_each_member(void **state)
{
    static const struct {
        uint32_t callers;
        uint64_t members;
        unsigned runs;
    } limits[] = {{5, 100, 6}, {100, 5, 6}, {1, 100, 2}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        join(2);
        pair.near->core.options.hop_limit = limits[i].members;
        pair.far->core.options.hop_limit = limits[i].members;
        call(never_ends, limits[i].callers, 0);
        expect_answer(TC_E_HOPS, "hops, the limit");
        assert_int_equal(seen[0], TC_E_HOPS);
        assert_int_equal(runs, limits[i].runs);
        fake_pair_close(&pair);
    }
}

static void goes_to_nobody(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    seen[0] = tc_forward(7, payload, size);
}

static void knows_another_way(void *payload, size_t size, void *target_args)
{
    goes_to_nobody(payload, size, target_args);
    seen[1] = tc_reply("instead", 7);
}

static void a_rank_that_is_none_is_told_to_the_origin_unless_it_is_answered(void **state)
{
    join(2);
    call(goes_to_nobody, 0, 0);
    assert_int_equal(seen[0], TC_E_NOT_FOUND);
    expect_answer(TC_E_NOT_FOUND, "rank 1 could not send it on to rank 7");
    fake_pair_close(&pair);

    join(2);
    call(knows_another_way, 0, 0);
    expect_answer(TC_OK, "");
    assert_memory_equal(answer.result, "instead", 7);
    fake_pair_close(&pair);
}

static void a_plain_message_that_goes_nowhere_is_a_failure_of_the_group(void **state)
{
    tc_error error;
    join(2);
    tc_ifunc *fn = fake_node_function(pair.near, "plain", goes_to_nobody);
    assert_int_equal(tc_send(pair.ep, fn, "x", 1), TC_OK);
    fake_pair_settle(&pair);
    assert_int_equal(tc_group_failures(pair.near->groups.first, &error), 1);
    assert_non_null(strstr(error.text, "rank 1 could not send it on to rank 7"));
    assert_int_equal(tc_group_failures(pair.far->groups.first, NULL), 0);
    fake_pair_close(&pair);
}

static void a_message_from_outside_a_group_stays_where_it_is(void **state)
{
    fake_pair_open(&pair, FAKE_MAPPED);
    memset(&answer, 0, sizeof answer);
    call(goes_to_nobody, 0, 0);
    assert_int_equal(seen[0], TC_E_UNREACHABLE);
    expect_answer(TC_E_UNREACHABLE, "it came from outside a group");
    fake_pair_close(&pair);
}

static void goes_to_rank_2(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    runs++;
    seen[0] = tc_forward(2, payload, size);
}

/* Rank 2 is nowhere. The message waits for it in far's queue, and ends with the endpoint. */
static void what_waited_for_a_member_that_never_came_is_told_to_its_origin(void **state)
{
    join(3);
    call(goes_to_rank_2, 0, 0);
    assert_int_equal(seen[0], TC_OK);
    assert_int_equal(answer.count, 0);
    tc_ep *waiting;
    assert_int_equal(tc_group_ep(pair.far->groups.first, 2, &waiting, NULL), TC_OK);
    (void)tci_ep_fail_with(waiting, TC_E_TIMEOUT, "rank 2 did not answer in time");
    tci_ep_notify_end(waiting);
    fake_pair_settle(&pair);
    expect_answer(TC_E_PEER_LOST,
                  "rank 1 could not send it on to rank 2: rank 2 did not answer in time");
    fake_pair_close(&pair);
}

static void a_call_that_never_left_ends_here(void **state)
{
    join(3);
    tc_ep *waiting;
    tc_ifunc *fn = fake_node_function(pair.near, "called", says_nothing);
    assert_int_equal(tc_group_ep(pair.near->groups.first, 2, &waiting, NULL), TC_OK);
    start_by(waiting, fn, 0, 0);
    assert_int_equal(answer.count, 0);
    (void)tci_ep_fail_with(waiting, TC_E_TIMEOUT, "rank 2 did not answer in time");
    tci_ep_notify_end(waiting);
    fake_pair_settle(&pair);
    expect_answer(TC_E_PEER_LOST, "rank 0 could not send it on to rank 2");
    fake_pair_close(&pair);
}

/* --- leaving the answer to somebody else
 * ------------------------------------------------------ */

static tc_call_ticket ticket;

static void detaches(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    seen[0] = tc_detach(&ticket);
    seen[1] = tc_detach(&ticket);
    seen[2] = tc_reply("no", 2);
}

static void answers_the_ticket(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    seen[3] = tc_reply_to(&ticket, "later", 5);
}

static void send_plain(body main)
{
    tc_ifunc *fn = fake_node_function(pair.near, "plain", main);
    assert_int_equal(tc_send(pair.ep, fn, NULL, 0), TC_OK);
    fake_pair_settle(&pair);
}

static void a_detached_call_is_answered_by_a_later_message(void **state)
{
    join(2);
    call(detaches, 0, 0);
    assert_int_equal(seen[0], TC_OK);
    assert_int_equal(seen[1], TC_E_NOT_FOUND);
    assert_int_equal(seen[2], TC_E_NOT_FOUND);
    assert_int_equal(answer.count, 0);
    send_plain(answers_the_ticket);
    assert_int_equal(seen[3], TC_OK);
    expect_answer(TC_OK, "");
    assert_memory_equal(answer.result, "later", 5);
    send_plain(answers_the_ticket); /* nobody waits any more */
    assert_int_equal(answer.count, 1);
    assert_int_equal(pair.near->core.counters[TCI_ANSWERS_LATE], 1);
    fake_pair_close(&pair);
}

static void a_ticket_may_say_anything(void **state)
{
    static const struct {
        tc_call_ticket ticket;
        tc_status status;
    } tickets[] = {{{.call = 0}, TC_E_INVALID},
                   {{.call = 1, .origin = 2}, TC_E_UNREACHABLE},
                   {{.call = 1, .origin = TC_RANK_NONE - 1}, TC_E_UNREACHABLE},
                   {{.call = UINT64_MAX, .origin = 0}, TC_OK},
                   {{.call = UINT64_MAX, .origin = 1}, TC_OK}};
    join(2);
    for (size_t i = 0; i < sizeof tickets / sizeof tickets[0]; i++) {
        ticket = tickets[i].ticket;
        send_plain(answers_the_ticket);
        assert_int_equal(seen[3], tickets[i].status);
    }
    assert_int_equal(pair.near->core.counters[TCI_ANSWERS_LATE], 1);
    assert_int_equal(pair.far->core.counters[TCI_ANSWERS_LATE], 1);
    fake_pair_close(&pair);
}

/* --- functions that are refused, and bytes that are wrong
 * -------------------------------------- */

static void a_call_of_a_function_that_does_not_load_is_told_why(void **state)
{
    join(2);
    fake_code_of("called")->fails = TC_E_UNRESOLVED;
    call(says_nothing, 0, 0);
    expect_answer(TC_E_UNRESOLVED, "called: does not load");
    memset(&answer, 0, sizeof answer);
    tc_ifunc *fn = fake_node_function(pair.near, "called", says_nothing);
    const tc_call_params params = {.done = hear, .user = &answer};
    assert_int_equal(tc_call_start(pair.ep, fn, NULL, 0, &params, NULL), TC_E_REFUSED);
    assert_int_equal(answer.count, 0);
    fake_pair_close(&pair);
}

static void replies_of_a_wrong_form_are_corrupt(void **state)
{
    uint8_t bytes[TCI_REPLY_BYTES + 16] = {0};
    tc_error error;
    const tci_reply good = {.call = 1, .total = 16};
    const tci_reply bad[] = {{.call = 1, .total = 15},
                             {.call = 1, .total = 16, .offset = 1},
                             {.call = 1, .total = 16, .offset = UINT64_MAX},
                             {.call = 1, .total = 16, .path_length = 5},
                             {.call = 1, .total = 16, .path_length = UINT32_MAX}};
    join(2);
    tci_reply_encode(&good, bytes);
    assert_int_equal(tci_invocation_reply(pair.ep, bytes, sizeof bytes, &error), TC_OK);
    for (size_t size = 0; size < TCI_REPLY_BYTES; size++)
        assert_int_equal(tci_invocation_reply(pair.ep, bytes, size, &error), TC_E_CORRUPT);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tci_reply_encode(&bad[i], bytes);
        assert_int_equal(tci_invocation_reply(pair.ep, bytes, sizeof bytes, &error), TC_E_CORRUPT);
    }
    fake_pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_answered_once),
        cmocka_unit_test(a_function_that_says_nothing_has_answered_with_nothing),
        cmocka_unit_test(an_error_is_an_answer_too),
        cmocka_unit_test(an_answer_larger_than_the_ring_comes_in_parts),
        cmocka_unit_test(an_answer_that_is_never_taken_is_said_to_be),
        cmocka_unit_test(a_function_knows_who_called_it_and_where_it_is),
        cmocka_unit_test(outside_of_a_function_there_is_nothing_to_answer),
        cmocka_unit_test(a_message_that_travels_is_answered_by_whoever_has_it_last),
        cmocka_unit_test(hops_are_limited_by_the_caller_and_by_each_member),
        cmocka_unit_test(a_rank_that_is_none_is_told_to_the_origin_unless_it_is_answered),
        cmocka_unit_test(a_plain_message_that_goes_nowhere_is_a_failure_of_the_group),
        cmocka_unit_test(a_message_from_outside_a_group_stays_where_it_is),
        cmocka_unit_test(what_waited_for_a_member_that_never_came_is_told_to_its_origin),
        cmocka_unit_test(a_call_that_never_left_ends_here),
        cmocka_unit_test(a_detached_call_is_answered_by_a_later_message),
        cmocka_unit_test(a_ticket_may_say_anything),
        cmocka_unit_test(a_call_of_a_function_that_does_not_load_is_told_why),
        cmocka_unit_test(replies_of_a_wrong_form_are_corrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
