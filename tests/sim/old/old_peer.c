/* The program of a node of release 0.1.0, compiled with that release's headers: it serves, and
 * sends, calls, flushes and connects again, to all others. The checker of today's nodes sees
 * its messages, too. */
#include "old_peer.h"

#include "core/current.h"
#include "flows.h"

#include <tc/log.h>
#include <tc/tc.h>

#include <stdlib.h>
#include <string.h>

#define MS 1000000ull
#define TIMEOUT_NS (4000 * MS)
#define NODES_MAX 6u
#define SMALL_MAX 512u
#define LARGE_MAX (60u << 10)

typedef struct old_node {
    tc_context *ctx;
    tc_ifunc *functions[FLOW_FUNCTIONS];
    tc_ep *eps[NODES_MAX];
    uint32_t flows[NODES_MAX];
    uint8_t payload[LARGE_MAX + SMALL_MAX];
} old_node;

void *old_peer_state(size_t *size_out)
{
    *size_out = sizeof(tci_current);
    return tci_current_get();
}

/* --- functions --------------------------------------------------------------------------- */

static void run(unsigned function, void *payload, size_t size)
{
    const flow_header header = flows_check(old_number(), function, payload, size);
    if (header.kind != FLOW_CALL && header.kind != FLOW_DETACHED)
        return;
    tc_status status = tc_reply(&header.number, sizeof header.number);
    if (status != TC_OK)
        old_fail("reply", status, "");
}

#define FUNCTION(n)                                                                            \
    static void main_##n(void *payload, size_t size, void *target_args)                        \
    {                                                                                          \
        (void)target_args;                                                                     \
        run(n, payload, size);                                                                 \
    }
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)
FUNCTION(7)

void (*old_function(const char *name))(void *, size_t, void *)
{
    static void (*const mains[FLOW_FUNCTIONS])(void *, size_t, void *) = {
        main_0, main_1, main_2, main_3, main_4, main_5, main_6, main_7};
    if (name[0] != 'f' || name[1] < '0' || name[1] > '7' || name[2] != '\0')
        return NULL;
    return mains[name[1] - '0'];
}

/* --- actions ----------------------------------------------------------------------------- */

static void close_ep(old_node *n, unsigned to)
{
    flows_get(n->flows[to])->ended = true;
    tc_ep_close(n->eps[to]);
    n->eps[to] = NULL;
}

/* A call that did not succeed. */
static void lose(old_node *n, unsigned to, tc_status status, const tc_error *error,
                 const char *what)
{
    if (old_may_refuse() &&
        (status == TC_E_REFUSED || status == TC_E_TOO_LARGE || status == TC_E_NO_MEMORY))
        return; /* the function */
    if (!old_may_fail() && !flows_get(n->flows[to])->target_ended)
        old_fail(what, status, error->text);
    close_ep(n, to);
}

static bool connect_to(old_node *n, unsigned to)
{
    char text[24];
    tc_error error = {0};
    const char *address = old_address(to, text);
    if (n->eps[to] != NULL)
        return true;
    if (address == NULL)
        return false;
    tc_status status = tc_ep_connect(n->ctx, address, TIMEOUT_NS, &n->eps[to], &error);
    if (status != TC_OK) {
        n->eps[to] = NULL;
        if (!old_may_fail())
            old_fail("connect", status, error.text);
        return false;
    }
    n->flows[to] = flows_open(old_number(), 0, to);
    return true;
}

static void send(old_node *n, unsigned to)
{
    tc_error error = {0};
    const unsigned function = (unsigned)old_draw(FLOW_FUNCTIONS);
    const size_t size =
        sizeof(flow_header) + old_draw(old_draw(8) == 0 ? LARGE_MAX : SMALL_MAX);
    flows_write(n->flows[to], function, FLOW_SEND, n->payload, size);
    tc_status status =
        tc_send_wait(n->eps[to], n->functions[function], n->payload, size, TIMEOUT_NS, &error);
    if (status == TC_OK)
        flows_get(n->flows[to])->sent++;
    else
        lose(n, to, status, &error, "send");
}

static void call(old_node *n, unsigned to)
{
    tc_error error = {0};
    uint64_t answer = 0;
    size_t answer_size = sizeof answer;
    const unsigned function = (unsigned)old_draw(FLOW_FUNCTIONS);
    const size_t size = sizeof(flow_header) + old_draw(SMALL_MAX);
    flow *f = flows_get(n->flows[to]);
    flows_write(n->flows[to], function, FLOW_CALL, n->payload, size);
    tc_status status = tc_call(n->eps[to], n->functions[function], n->payload, size, &answer,
                               &answer_size, TIMEOUT_NS, &error);
    if (status != TC_OK) {
        lose(n, to, status, &error, "call");
        return;
    }
    f->sent++;
    if (answer != f->sent || f->run < f->sent)
        old_fail("call: another answer", status, "");
}

static void flush(old_node *n, unsigned to)
{
    tc_error error = {0};
    tc_status status = tc_ep_flush(n->eps[to], TIMEOUT_NS, &error);
    if (status != TC_OK)
        lose(n, to, status, &error, "flush");
}

static void prepare(old_node *n, unsigned to)
{
    tc_error error = {0};
    tc_status status =
        tc_ep_prepare(n->eps[to], n->functions[old_draw(FLOW_FUNCTIONS)], TIMEOUT_NS, &error);
    if (status != TC_OK)
        lose(n, to, status, &error, "prepare");
}

static void act(old_node *n)
{
    static void (*const actions[])(old_node *, unsigned) = {send,  send, send,   call,
                                                            flush, call, prepare};
    const unsigned to = (unsigned)old_draw(old_nodes());
    (void)tc_wait(n->ctx, old_draw(2 * MS));
    if (!connect_to(n, to))
        return;
    actions[old_draw(sizeof actions / sizeof actions[0])](n, to);
    if (n->eps[to] != NULL && old_draw(16) == 0)
        close_ep(n, to);
}

/* --- its life ---------------------------------------------------------------------------- */

static void set(tc_options *options, const char *name, const char *value)
{
    tc_error error = {0};
    tc_status status = tc_options_set(options, name, value, &error);
    if (status != TC_OK)
        old_fail(name, status, error.text);
}

static tc_status make_context(old_node *n, tc_error *error)
{
    tc_options *options;
    tc_status status = tc_options_create(&options, error);
    if (status != TC_OK)
        return status;
    set(options, "listen_any", "yes");
    set(options, "delivery", old_is_shared() ? "auto" : "stream");
    set(options, "wait", "block");
    set(options, "connect_timeout", "4s");
    if (old_has_small_rings())
        set(options, "ring_bytes", "4K");
    status = tc_context_create(options, &n->ctx, error);
    tc_options_destroy(options);
    return status;
}

static tc_status open_all(old_node *n, tc_error *error)
{
    char text[24];
    tc_listener *listener;
    tc_status status = TC_OK;
    for (unsigned i = 0; i < FLOW_FUNCTIONS && status == TC_OK; i++) {
        size_t size;
        const void *archive = old_archive(i, &size);
        status = tc_ifunc_open_memory(n->ctx, archive, size, NULL, 0, &n->functions[i], error);
    }
    if (status == TC_OK)
        status = tc_listener_open(n->ctx, old_own_address(text), &listener, error);
    if (status == TC_OK)
        old_listens();
    return status;
}

static void work(old_node *n)
{
    for (unsigned left = old_actions(); left > 0 && !old_has_failed(); left--)
        act(n);
    for (unsigned to = 0; to < NODES_MAX; to++) {
        if (n->eps[to] != NULL)
            flush(n, to);
    }
    old_is_done();
    while (!old_is_over())
        (void)tc_wait(n->ctx, 100 * MS);
    (void)tc_wait(n->ctx, 10 * MS);
    for (unsigned to = 0; to < NODES_MAX; to++) {
        if (n->eps[to] != NULL)
            close_ep(n, to);
    }
}

void old_peer_run(void)
{
    tc_error error = {0};
    tc_log_set_level(TC_LOG_ERROR);
    old_node *n = calloc(1, sizeof *n);
    tc_status status = n != NULL ? make_context(n, &error) : TC_E_NO_MEMORY;
    if (status == TC_OK)
        status = open_all(n, &error);
    if (status == TC_OK)
        work(n);
    else
        old_fail("start", status, error.text);
    old_is_done();
    if (n != NULL)
        tc_context_destroy(n->ctx);
    free(n);
}
