/* Peers with and without the dictionaries that code is packed with. A context with the option
 * `dictionaries` at no looks from outside like a peer without any. */
#include "../support/pair.h"
#include "../support/test.h"

#include "archive_dictionary.h"
#include "base/content_id.h"
#include "context/context_object.h"

#define MESSAGES 100u

static const char *const none[] = {"dictionaries", "no", NULL};
static const char *const none_on_demand[] = {"dictionaries", "no", "code_push", "no", NULL};

static tci_registry *registry_of(tc_context *ctx)
{
    return &ctx->core.registry;
}

/* The functions of a context with that name: how many, and how the last one is packed. */
static unsigned count_functions(tc_context *ctx, const char *name, bool *plain_out)
{
    const tci_registry *registry = registry_of(ctx);
    unsigned count = 0;
    for (size_t i = 0; i < registry->capacity; i++) {
        const tc_ifunc *fn = registry->table[i];
        if (fn == NULL || strcmp(tci_archive_name(fn->archive), name) != 0)
            continue;
        count++;
        *plain_out = tci_archive_dictionary(fn->archive) == TCI_DICTIONARY_NONE;
    }
    return count;
}

static void assert_target_has(pair *p, const char *name, bool plain)
{
    bool found;
    pair_pause(p);
    assert_int_equal(count_functions(p->target, name, &found), 1);
    assert_int_equal(found, plain);
    pair_resume(p);
}

static tc_ifunc *open_packed(pair *p, const char *name)
{
    tc_ifunc *fn = pair_ifunc(p, name);
    assert_int_not_equal(tci_archive_dictionary(fn->archive), TCI_DICTIONARY_NONE);
    return fn;
}

static void send_many(tc_ep *ep, tc_ifunc *fn)
{
    for (uint64_t n = 0; n < MESSAGES; n++)
        pair_send_check(ep, fn, n, (size_t)n);
    pair_flush(ep);
}

PAIR_TEST(peers_with_the_dictionary_get_the_code_as_it_is)
{
    tc_ifunc *fn = open_packed(p, "check");
    send_many(p->ep, fn);
    assert_int_equal(p->target_state.wrong, 0);
    assert_int_equal(p->target_state.next, MESSAGES);
    assert_target_has(p, "check", false);
    assert_null(fn->plain);
}

static void peers_without_get_the_plain_form(const char *const *options)
{
    pair p;
    pair_open(&p, options);
    tc_ifunc *fn = open_packed(&p, "check");
    send_many(p.ep, fn);
    assert_int_equal(p.target_state.wrong, 0);
    assert_int_equal(p.target_state.next, MESSAGES);
    assert_target_has(&p, "check", true);
    assert_true(fn->plain_bytes > fn->code_bytes);
    pair_close(&p);
}

TEST(pushed_code_is_plain_for_peers_without)
{
    peers_without_get_the_plain_form(none);
}

TEST(code_on_demand_is_found_by_its_plain_id)
{
    peers_without_get_the_plain_form(none_on_demand);
}

/* One function, one endpoint to each kind of peer, in turn: each keeps its own form. */
TEST(both_kinds_at_once)
{
    pair with, without;
    tc_error error = {0};
    tc_ep *ep;
    pair_open(&with, NULL);
    pair_open(&without, none);
    if (tc_ep_connect(with.source, without.host_port, PAIR_TIMEOUT_NS, &ep, &error) != TC_OK)
        fail_msg("%s", error.text);
    tc_ifunc *fn = open_packed(&with, "check");
    for (uint64_t n = 0; n < MESSAGES; n++) {
        pair_send_check(n % 2 == 0 ? with.ep : ep, fn, n, 8);
        pair_send_check(n % 2 == 0 ? ep : with.ep, fn, n, 8);
    }
    pair_flush(with.ep);
    pair_flush(ep);
    assert_int_equal(with.target_state.wrong + without.target_state.wrong, 0);
    assert_int_equal(with.target_state.next, MESSAGES);
    assert_int_equal(without.target_state.next, MESSAGES);
    assert_target_has(&with, "check", false);
    assert_target_has(&without, "check", true);

    /* Code that is sent though the peer has it is the same code again. */
    uint8_t payload[8];
    check_fill(payload, MESSAGES, sizeof payload);
    assert_ok(tc_send_uncached(ep, fn, payload, sizeof payload));
    assert_ok(tc_send_uncached(with.ep, fn, payload, sizeof payload));
    pair_flush(with.ep);
    pair_flush(ep);
    assert_int_equal(with.target_state.wrong + without.target_state.wrong, 0);
    assert_target_has(&with, "check", false);
    assert_target_has(&without, "check", true);
    tc_ep_close(ep);
    pair_close(&with);
    pair_close(&without);
}

/* A function that came in plain form is sent on, and back, unchanged. */
TEST(plain_code_travels_on)
{
    pair p;
    uint8_t times = 20;
    bool plain;
    pair_open(&p, none);
    tc_ifunc *fn = open_packed(&p, "echo");
    assert_ok(tc_send(p.ep, fn, &times, sizeof times));
    while (p.source_state.next < 10u)
        assert_ok(tc_wait(p.source, PAIR_TIMEOUT_NS));
    pair_flush(p.ep);
    assert_int_equal(p.source_state.wrong + p.target_state.wrong, 0);
    assert_int_equal(p.source_state.next, 10);
    assert_int_equal(p.target_state.next, 11);
    assert_target_has(&p, "echo", true);
    /* Its own and the one that came back: each with its own id. */
    assert_int_equal(count_functions(p.source, "echo", &plain), 2);
    pair_close(&p);
}
