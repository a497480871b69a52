/* Replies to this context itself, which wait until no function runs. */
#include "../../support/fake_node.h"
#include "modules/calls/local_reply.h"

/* The answers in the order of their callbacks, and another one kept meanwhile. */
static char heard[64];
static tci_core *keep_more;
static tc_call_id more_call;

static void keep(tci_core *core, tc_group *group, tc_call_id call, const char *text)
{
    const tci_reply reply = {.call = call, .status = call == 0 ? TC_E_HOPS : TC_OK};
    assert_ok(tci_local_reply_keep(core, group, &reply, NULL, text, strlen(text)));
}

static void hear(void *user, const tc_call_outcome *outcome)
{
    strncat(heard, user, outcome->result_size);
    if (keep_more != NULL)
        keep(keep_more, NULL, more_call, "more");
    keep_more = NULL;
}

typedef struct caller {
    fake_pair pair;
    tc_ifunc *fn;
    tci_core *core;
    char results[4][16];
} caller;

static caller *make_caller(void)
{
    static caller c;
    memset(&c, 0, sizeof c);
    fake_pair_join(&c.pair, FAKE_MAPPED, 2);
    c.fn = fake_node_function(c.pair.near, "nothing", fake_nothing);
    c.core = &c.pair.near->core;
    heard[0] = '\0';
    return &c;
}

static tc_call_id start(caller *c, size_t i)
{
    const tc_call_params params = {
        .result = c->results[i], .result_capacity = 15, .done = hear, .user = c->results[i]};
    tc_call_id id;
    assert_ok(tc_call_start(c->pair.ep, c->fn, NULL, 0, &params, &id, NULL));
    return id;
}

TEST(they_come_in_their_order_and_not_before_they_are_taken)
{
    caller *c = make_caller();
    const tc_call_id first = start(c, 0), second = start(c, 1);
    (void)tci_pending_take(&c->core->pending, TCI_WORK);
    keep(c->core, NULL, second, "2nd ");
    keep(c->core, NULL, first, "1st ");
    assert_string_equal(heard, "");
    assert_true(tci_pending_has(&c->core->pending, TCI_WORK_AT_ONCE));
    tci_local_replies_take(c->core);
    assert_string_equal(heard, "2nd 1st ");
    tci_local_replies_take(c->core);
    assert_string_equal(heard, "2nd 1st ");
    fake_pair_close(&c->pair);
}

TEST(the_answer_is_a_copy)
{
    caller *c = make_caller();
    char text[] = "yes";
    keep(c->core, NULL, start(c, 0), text);
    text[0] = 'n';
    tci_local_replies_take(c->core);
    assert_string_equal(heard, "yes");
    fake_pair_close(&c->pair);
}

TEST(one_that_a_callback_causes_is_taken_too)
{
    caller *c = make_caller();
    keep_more = c->core;
    more_call = start(c, 1);
    keep(c->core, NULL, start(c, 0), "first, ");
    tci_local_replies_take(c->core);
    assert_string_equal(heard, "first, more");
    fake_pair_close(&c->pair);
}

TEST(a_path_comes_along)
{
    caller *c = make_caller();
    const uint32_t path[] = {1, 0, 1};
    const tci_reply reply = {.call = start(c, 0), .path_length = 3, .hops = 3};
    assert_ok(tci_local_reply_keep(c->core, NULL, &reply, path, "abc", 3));
    tci_local_replies_take(c->core);
    assert_string_equal(heard, "abc");
    fake_pair_close(&c->pair);
}

TEST(one_that_no_call_waits_for_is_a_failure_of_its_group)
{
    caller *c = make_caller();
    tc_group *group = tci_calling_of(c->core)->groups.first;
    tc_error error;
    keep(c->core, group, 0, "too many hops");
    keep(c->core, NULL, 0, "nobody hears this");
    assert_int_equal(tc_group_failures(group, NULL), 0);
    tci_local_replies_take(c->core);
    assert_int_equal(tc_group_failures(group, &error), 1);
    assert_status(error.status, TC_E_HOPS);
    assert_string_equal(error.text, "too many hops");
    fake_pair_close(&c->pair);
}

TEST(a_group_that_goes_takes_its_own_along)
{
    caller *c = make_caller();
    tc_group *group = tci_calling_of(c->core)->groups.first;
    keep(c->core, group, 0, "a");
    keep(c->core, NULL, start(c, 0), "b");
    keep(c->core, group, 0, "c");
    keep(c->core, group, 0, "d");
    tci_local_replies_forget(&tci_calling_of(c->core)->replies, group);
    keep(c->core, NULL, start(c, 1), "e"); /* behind the rest */
    tci_local_replies_take(c->core);
    assert_string_equal(heard, "be");
    assert_int_equal(tc_group_failures(group, NULL), 0);
    fake_pair_close(&c->pair);
}

TEST(a_context_that_ends_forgets_all)
{
    caller *c = make_caller();
    keep(c->core, tci_calling_of(c->core)->groups.first, 0, "a");
    keep(c->core, NULL, start(c, 0), "b");
    tci_local_replies_forget(&tci_calling_of(c->core)->replies, NULL);
    assert_null(tci_calling_of(c->core)->replies.first);
    keep(c->core, NULL, start(c, 1), "c");
    tci_local_replies_take(c->core);
    assert_string_equal(heard, "c");
    fake_pair_close(&c->pair);
}

TEST(no_more_wait_than_calls_can)
{
    caller *c = make_caller();
    const tci_reply reply = {.status = TC_E_HOPS};
    for (unsigned i = 0; i < TCI_CALLS_MAX; i++)
        keep(c->core, NULL, 0, "");
    assert_status(tci_local_reply_keep(c->core, NULL, &reply, NULL, "", 0), TC_E_AGAIN);
    tci_local_replies_take(c->core);
    keep(c->core, NULL, 0, "");
    fake_pair_close(&c->pair);
}
