#include "window_pair.h"

#include "context/context_object.h"

#define CHECKED 4096u

tc_ep *window_pair_peer(window_pair *w)
{
    pair_pause(&w->p);
    tc_ep *newest = w->p.target->core.first;
    for (tc_ep *ep = newest; ep != NULL; ep = ep->next)
        newest = ep->connection > newest->connection ? ep : newest;
    pair_resume(&w->p);
    assert_non_null(newest);
    return newest;
}

tc_gptr window_pair_window(window_pair *w, const tc_window_params *params)
{
    tc_error error = {0};
    tc_gptr at;
    pair_pause(&w->p);
    must(tc_window_open(w->p.target, params, &at, &error), &error, "window");
    pair_resume(&w->p);
    return at;
}

void window_pair_open(window_pair *w, const char *const *target_options)
{
    memset(w, 0, sizeof *w);
    pair_open_as(&w->p, NULL, target_options);
    w->memory = aligned_alloc(64, WINDOW_MEMORY);
    assert_non_null(w->memory);
    memset(w->memory, 0, WINDOW_MEMORY);
    const tc_window_params params = {.memory = w->memory,
                                     .bytes = WINDOW_MEMORY,
                                     .rights = WINDOW_ALL,
                                     .peer = window_pair_peer(w),
                                     .arena_begin = WINDOW_ARENA};
    w->at = window_pair_window(w, &params);
}

void window_pair_close(window_pair *w)
{
    pair_close(&w->p);
    free(w->memory);
}

void window_pair_run(void (*test)(window_pair *w))
{
    window_pair w;
    window_pair_open(&w, NULL);
    test(&w);
    window_pair_close(&w);
}

void window_pair_refused(window_pair *w, const tc_window_step *steps, size_t count,
                         tc_status status, const char *text)
{
    uint8_t before[CHECKED];
    tc_error error = {0};
    uint32_t succeeded = 77;
    pair_pause(&w->p);
    memcpy(before, w->memory, sizeof before);
    pair_resume(&w->p);
    assert_status(tc_window_chain(w->p.ep, steps, count, PAIR_TIMEOUT_NS, &succeeded, &error),
                  status);
    if (strstr(error.text, text) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", error.text, text);
    assert_int_equal(error.status, status);
    assert_int_equal(succeeded, 77);
    assert_ok(tc_ep_error(w->p.ep, NULL));
    pair_pause(&w->p);
    assert_memory_equal(w->memory, before, sizeof before);
    pair_resume(&w->p);
}

void window_record_note(void *user, tc_status status, uint32_t succeeded, const char *text)
{
    window_record *record = user;
    record->calls++;
    record->status = status;
    record->succeeded = succeeded;
    (void)snprintf(record->text, sizeof record->text, "%s", text);
}
