#include "pair.h"
#include "test.h"
#include "test_context.h"

#include <sched.h>

static unsigned progress_target(void *user)
{
    return tc_progress(((pair *)user)->target);
}

void pair_open(pair *p, const char *const *options)
{
    pair_open_as(p, options, options);
}

void pair_open_as(pair *p, const char *const *source_options, const char *const *target_options)
{
    tc_error error = {0};
    memset(p, 0, sizeof *p);
    p->source = test_context(source_options);
    p->target = test_context(target_options);
    tc_context_set_target_args(p->source, &p->source_state);
    tc_context_set_target_args(p->target, &p->target_state);
    must(tc_listener_open(p->target, "127.0.0.1:0", &p->listener, &error), &error, "listener");
    (void)snprintf(p->host_port, sizeof p->host_port, "127.0.0.1:%u",
                   tc_listener_port(p->listener));
    server_start(&p->server, progress_target, p);
    p->ep = pair_connect(p);
}

void pair_close(pair *p)
{
    pair_resume(p);
    if (p->ep != NULL)
        tc_ep_close(p->ep);
    tc_context_destroy(p->source);
    server_stop(&p->server);
    tc_context_destroy(p->target);
}

void pair_run(void (*test)(pair *p))
{
    pair p;
    pair_open(&p, NULL);
    test(&p);
    pair_close(&p);
}

tc_ep *pair_connect(pair *p)
{
    tc_error error = {0};
    tc_ep *ep;
    must(tc_ep_connect(p->source, p->host_port, PAIR_TIMEOUT_NS, &ep, &error), &error,
         "connect");
    return ep;
}

__attribute__((weak)) void pair_provide(pair *p, tc_ifunc *fn, const char *name)
{
    (void)p, (void)fn, (void)name;
}

__attribute__((weak)) void pair_check_unbound(const tc_error *refusal)
{
    assert_status(refusal->status, TC_E_UNRESOLVED);
    assert_non_null(strstr(refusal->text, "tests_symbol_that_is_nowhere"));
    assert_non_null(strstr(refusal->text, "tests_other_symbol_that_is_nowhere"));
}

tc_ifunc *pair_ifunc(pair *p, const char *name)
{
    tc_error error = {0};
    tc_ifunc *fn;
    must(tc_ifunc_open(p->source, name, &fn, &error), &error, name);
    pair_provide(p, fn, name);
    return fn;
}

tc_ifunc *pair_ifunc_file(pair *p, const char *name)
{
    char path[1024];
    tc_error error = {0};
    tc_ifunc *fn;
    (void)snprintf(path, sizeof path, "%s/%s.tca", getenv("TC_IFUNC_PATH"), name);
    must(tc_ifunc_open_code(p->source, &(tc_code){.path = path}, &fn, &error), &error, path);
    return fn;
}

tc_ifunc *pair_crowd_member(pair *p, int number)
{
    char name[64];
    (void)snprintf(name, sizeof name, "crowd%d/crowd", number);
    return pair_ifunc_file(p, name);
}

tc_status pair_send(tc_ep *ep, tc_ifunc *fn, const void *payload, size_t size)
{
    tc_status status;
    while ((status = tc_send(ep, fn, payload, size)) == TC_E_AGAIN) {
        if (tc_progress(tc_ep_context(ep)) == 0)
            sched_yield();
    }
    return status;
}

void pair_send_check(tc_ep *ep, tc_ifunc *fn, uint64_t n, size_t size)
{
    uint8_t *payload = malloc(size + 1);
    check_fill(payload, n, size);
    tc_status status = pair_send(ep, fn, payload, size);
    free(payload);
    must(status, NULL, "send");
}

void pair_flush(tc_ep *ep)
{
    tc_error error = {0};
    tc_status status = tc_ep_flush(ep, PAIR_TIMEOUT_NS, NULL);
    if (status != TC_OK)
        must(status, tc_ep_error(ep, &error) != TC_OK ? &error : NULL, "flush");
}

void pair_pause(pair *p)
{
    server_pause(&p->server);
}

void pair_resume(pair *p)
{
    server_resume(&p->server);
}

uint64_t pair_counter(pair *p, const char *name)
{
    pair_pause(p);
    const uint64_t value = test_counter(p->target, name);
    pair_resume(p);
    return value;
}
