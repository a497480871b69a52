#include "site.h"

#include "../support/fake_archive.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "archive.h"
#include "base/clock.h"

#include <tc/entry.h>

atomic_uint site_runs;
atomic_int site_is;
unsigned char site_seen[SITE_SEEN_MAX];

static void count_main(void *payload, size_t size, void *target_args)
{
    tc_call_ticket ticket;
    const unsigned runs = atomic_load(&site_runs) + 1;
    (void)target_args;
    if (runs <= SITE_SEEN_MAX && size > 0)
        site_seen[runs - 1] = *(const unsigned char *)payload;
    atomic_store(&site_runs, runs);
    if (site_is == SITE_ANSWERS)
        (void)tc_reply(&runs, sizeof runs);
    else if (site_is == SITE_FAILS)
        (void)tc_reply_error(TC_E_CLOSED, "as the test wants");
    else
        (void)!tc_detach(&ticket);
}

static tc_ifunc *open_count(tc_context *ctx)
{
    tc_error error;
    tc_ifunc *fn;
    tc_code code = {0};
    void *archive = fake_archive("count", TCI_ENTRY_MAIN, 100, &code.size);
    code.bytes = archive;
    must(tc_ifunc_open_code(ctx, &code, &fn, &error), &error, "open");
    must(tc_ifunc_use_local(fn, count_main, &error), &error, "use_local");
    free(archive);
    return fn;
}

static void note(void *user, tc_steady *steady, const tc_steady_news *news)
{
    site *s = user;
    assert_true(s->steady == NULL || steady == s->steady);
    s->connected += news->event == TC_STEADY_CONNECTED;
    s->lost += news->event == TC_STEADY_LOST;
    s->gave_up += news->event == TC_STEADY_GAVE_UP;
    s->why = news->status;
    assert_true((news->status == TC_OK) == (news->text[0] == '\0'));
    if (news->event == TC_STEADY_LOST)
        s->messages_lost = news->messages_lost;
}

static unsigned progress(void *user)
{
    return tc_progress(((site *)user)->target);
}

void site_up(site *s)
{
    tc_error error;
    tc_listener *listener;
    s->target = test_context(NULL);
    (void)open_count(s->target);
    must(tc_listener_open(s->target, s->host_port, &listener, &error), &error, "listen");
    (void)snprintf(s->host_port, sizeof s->host_port, "127.0.0.1:%u",
                   tc_listener_port(listener));
    server_start(&s->server, progress, s);
}

static void *destroy(void *user)
{
    tc_context_destroy(((site *)user)->target);
    atomic_store(&((site *)user)->is_down, true);
    return NULL;
}

/* The source progresses meanwhile: the target waits for the credit of its answers. */
void site_down(site *s)
{
    pthread_t thread;
    server_stop(&s->server);
    atomic_store(&s->is_down, false);
    assert_int_equal(pthread_create(&thread, NULL, destroy, s), 0);
    while (!atomic_load(&s->is_down))
        (void)tc_wait(s->source, TC_MILLISECONDS(1));
    pthread_join(thread, NULL);
    s->target = NULL;
}

void site_open(site *s, const tc_steady_params *params)
{
    tc_steady_params own = params != NULL ? *params : (tc_steady_params){0};
    tc_error error;
    *s = (site){.host_port = "127.0.0.1:0"};
    site_runs = 0;
    site_is = SITE_ANSWERS;
    s->source = test_context(NULL);
    s->fn = open_count(s->source);
    site_up(s); /* finds a free port */
    site_down(s);
    own.changed = note;
    own.user = s;
    if (own.backoff_min_ns == 0)
        own.backoff_min_ns = TC_MILLISECONDS(1);
    must(tc_steady_open(s->source, s->host_port, &own, &s->steady, &error), &error, "steady");
}

void site_close(site *s)
{
    assert_ok(tc_steady_close(s->steady, NULL));
    if (s->target != NULL)
        site_down(s);
    tc_context_destroy(s->source);
}

static void note_end(void *user, const tc_steady_outcome *outcome)
{
    site_end *end = user;
    end->count++;
    end->outcome = *outcome;
    assert_true(outcome->status == TC_OK || outcome->text != NULL);
}

tc_steady_call_id site_start(site *s, tc_steady_mark mark, uint64_t timeout_ns, char byte,
                             site_end *end)
{
    const tc_steady_call_params params = {.result = &end->result,
                                          .result_capacity = sizeof end->result,
                                          .timeout_ns = timeout_ns,
                                          .mark = mark,
                                          .done = note_end,
                                          .user = end};
    tc_error error;
    tc_steady_call_id id = 0;
    must(tc_steady_call_start(s->steady, s->fn, &byte, 1, &params, &id, &error), &error,
         "start");
    assert_true(id != 0);
    return id;
}

static size_t calls_left(const site *s)
{
    tc_steady_info info;
    tc_steady_query(s->steady, &info);
    return info.calls;
}

void site_await(site *s)
{
    const uint64_t deadline_ns = tci_deadline_after(SITE_TIMEOUT_NS);
    while (calls_left(s) > 0) {
        assert_true(tci_deadline_left_ns(deadline_ns) > 0);
        (void)tc_steady_wait(s->steady, TC_MILLISECONDS(100));
    }
}

void site_await_runs(site *s, unsigned runs)
{
    const uint64_t deadline_ns = tci_deadline_after(SITE_TIMEOUT_NS);
    while (atomic_load(&site_runs) < runs) {
        assert_true(tci_deadline_left_ns(deadline_ns) > 0);
        (void)tc_steady_wait(s->steady, TC_MILLISECONDS(1));
    }
}

void site_await_connection(site *s)
{
    const uint64_t deadline_ns = tci_deadline_after(SITE_TIMEOUT_NS);
    while (tc_steady_ep(s->steady) == NULL) {
        assert_true(tci_deadline_left_ns(deadline_ns) > 0);
        (void)tc_steady_wait(s->steady, TC_MILLISECONDS(10));
    }
}
