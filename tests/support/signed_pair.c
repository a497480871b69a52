#include "signed_pair.h"

#include "context/context_object.h"
#include "test.h"

void signed_pair_open_with(signed_pair *s, const char *const *source, const char *option,
                           const char *value)
{
    const char *const options[] = {"trust", s->keys.trust, "require_signature", "yes", option,
                                   value,   NULL};
    pair_open_as(&s->pair, source, options);
}

signed_pair *signed_pair_begin(void)
{
    signed_pair *s = calloc(1, sizeof *s);
    assert_non_null(s);
    signing_make(&s->keys);
    signing_trust(&s->keys, "alice", &s->keys.alice, "");
    return s;
}

void signed_pair_end(signed_pair *s)
{
    if (s->pair.source != NULL)
        pair_close(&s->pair);
    signing_remove(&s->keys);
    free(s);
}

void signed_pair_run(void (*test)(signed_pair *s))
{
    signed_pair *s = signed_pair_begin();
    test(s);
    signed_pair_end(s);
}

void signed_pair_run_strict(void (*test)(signed_pair *s))
{
    signed_pair *s = signed_pair_begin();
    signed_pair_open_with(s, NULL, NULL, NULL);
    test(s);
    signed_pair_end(s);
}

void signed_pair_expect_refusal(tc_ep *ep, unsigned count, const char *text)
{
    tc_error error = {0};
    pair_flush(ep);
    const unsigned found = tc_ep_refusal(ep, &error);
    if (found != count) {
        pair_flush(ep);
        fail_msg("%u refusals after a flush, %u after another, expected %u of '%s'", found,
                 tc_ep_refusal(ep, NULL), count, text);
    }
    if (error.status != TC_E_REFUSED || strstr(error.text, text) == NULL)
        fail_msg("%s: '%s' lacks '%s'", tc_status_name(error.status), error.text, text);
}

void signed_pair_expect_refused(signed_pair *s, tc_ifunc *fn, const char *text)
{
    const uint64_t before = s->pair.target_state.next;
    const unsigned count = tc_ep_refusal(s->pair.ep, NULL);
    pair_send_check(s->pair.ep, fn, 0, 10);
    signed_pair_expect_refusal(s->pair.ep, count + 1, text);
    assert_int_equal(s->pair.target_state.next, before);
    assert_status(pair_send(s->pair.ep, fn, "x", 1), TC_E_REFUSED);
}

void signed_pair_expect_runs(signed_pair *s, tc_ep *ep, tc_ifunc *fn)
{
    const uint64_t first = s->pair.target_state.next;
    for (uint64_t n = first; n < first + 20; n++)
        pair_send_check(ep, fn, n, 100);
    pair_flush(ep);
    assert_int_equal(s->pair.target_state.next, first + 20);
    assert_int_equal(s->pair.target_state.wrong, 0);
}

tc_ifunc *signed_pair_good(signed_pair *s)
{
    return signing_open_by(s->pair.source, "check", &s->keys.alice);
}

uint64_t signed_pair_counter(signed_pair *s, tci_counter which)
{
    pair_pause(&s->pair);
    uint64_t value = s->pair.target->core.counters[which];
    pair_resume(&s->pair);
    return value;
}

tc_ifunc *signed_pair_at_target(signed_pair *s, tc_ifunc *fn)
{
    return tci_registry_find(&s->pair.target->core.registry, &fn->id);
}
