/* Accepts connections, lets them authenticate, and keeps them until their HELLO has come or two
 * seconds are over. Then it refuses and closes them. */
#include "modules/limits/busy_desk.h"

#include "base/clock.h"
#include "base/error_text.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define VISITORS_MAX 32u /* authenticated peers without a HELLO so far */
#define TAKEN_MAX 64u    /* of one listener in one turn */
#define PATIENCE_NS (2 * TCI_NS_PER_S)
#define TEXT_MAX (TCI_HELLO_REFUSE_TEXT_MAX + 1)

typedef struct counter {
    const tci_stream_listener *of;
    tci_stream_listener *streams;
    struct counter *next; /* bound: RLIMIT_NOFILE */
} counter;

struct tci_busy_desk {
    pthread_mutex_t
        lock; /* of all members: the watch's thread answers, the context's opens and closes */
    tci_credentials credentials;
    counter *counters;
    unsigned visitor_count;
    struct {
        tci_stream *stream;
        uint64_t deadline_ns;
    } visitors[VISITORS_MAX]; /* the oldest first */
    char text[TEXT_MAX];      /* of the refusal */
};

/* --- answering ---------------------------------------------------------------------------- */

/* Rounds up: no call is busy for 0 seconds. */
static void write_text(tci_busy_desk *desk, const tci_busy_call *call)
{
    const bool is_injected = call->function[0] == '\0';
    (void)snprintf(desk->text, sizeof desk->text, "busy for %" PRIu64 " s in %s%s%s of %s",
                   (uint64_t)((call->running_ns + TCI_NS_PER_S - 1) / TCI_NS_PER_S),
                   is_injected ? "injected code" : "function '", call->function,
                   is_injected ? "" : "'", call->sender);
}

/* Refuses a peer and closes its stream. Bytes that it cannot send at once are lost: no thread
 * waits for that. */
static void answer(const tci_busy_desk *desk, tci_stream *stream)
{
    uint8_t bytes[TCI_HELLO_PREAMBLE_BYTES + TEXT_MAX + 64];
    size_t size;
    if (tci_hello_refuse_encode(TC_E_BUSY, desk->text, bytes, sizeof bytes, &size) == TC_OK &&
        tci_stream_send(stream, bytes, size, NULL) != TC_OK)
        TC_LOG(TC_LOG_DEBUG, "listener: %s was not notified of the running function",
               tci_stream_peer(stream));
    tci_stream_close(stream);
}

static tci_stream *take_visitor(tci_busy_desk *desk, unsigned index)
{
    tci_stream *stream = desk->visitors[index].stream;
    desk->visitor_count--;
    for (unsigned i = index; i < desk->visitor_count; i++)
        desk->visitors[i] = desk->visitors[i + 1];
    return stream;
}

static void add_visitor(tci_busy_desk *desk, tci_stream *stream)
{
    if (desk->visitor_count == VISITORS_MAX)
        answer(desk, take_visitor(desk, 0));
    desk->visitors[desk->visitor_count].stream = stream;
    desk->visitors[desk->visitor_count++].deadline_ns = tci_deadline_after(PATIENCE_NS);
}

/* Answers peers once their HELLO has come or their time is over. A connection that is closed
 * with unread bytes is reset, and the answer is lost. So the HELLO is received first. */
static void serve_visitors(tci_busy_desk *desk)
{
    for (unsigned i = desk->visitor_count; i-- > 0;) {
        tci_hello_kind kind;
        const void *message;
        size_t size;
        tc_status status =
            tci_stream_receive(desk->visitors[i].stream, &kind, &message, &size, NULL);
        if (status != TC_E_AGAIN || tci_deadline_left_ns(desk->visitors[i].deadline_ns) == 0)
            answer(desk, take_visitor(desk, i));
    }
}

/* Accepts the peers that wait at a listener. A peer that is refused here gets the reason, as
 * far as it may know. */
static void take_peers(tci_busy_desk *desk, const counter *c)
{
    tc_status status = TC_OK;
    for (unsigned i = 0; i < TAKEN_MAX && status == TC_OK; i++) {
        tci_stream *stream;
        tc_error error;
        status = tci_stream_accept(c->streams, &stream, &error);
        if (status == TC_OK)
            add_visitor(desk, stream);
        if (status != TC_E_REFUSED)
            continue;
        TC_LOG_RATIONED(&desk->credentials.log, TC_LOG_WARN, "listener: refused: %s",
                        error.text);
        status = TC_OK;
    }
}

/* Runs in the watch's thread. Peers that have begun to authenticate finish that even if the
 * function has returned meanwhile; they connect the next time. */
static bool turn(void *user, const tci_busy_call *call)
{
    tci_busy_desk *desk = user;
    pthread_mutex_lock(&desk->lock);
    if (call != NULL)
        write_text(desk, call);
    for (const counter *c = desk->counters; c != NULL; c = c->next) {
        tci_stream_listener_shut(c->streams, call == NULL);
        take_peers(desk, c);
    }
    serve_visitors(desk);
    bool soon = call != NULL || desk->visitor_count > 0 || desk->credentials.sessions > 0;
    pthread_mutex_unlock(&desk->lock);
    return soon;
}

/* --- its life ----------------------------------------------------------------------------- */

static tc_status create(tci_busy_desk **desk_out, const struct tc_options *options,
                        tc_error *err)
{
    tci_busy_desk *desk = calloc(1, sizeof *desk);
    if (desk == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "listener: out of memory");
    tc_status status = tci_credentials_load(options, &desk->credentials, err);
    if (status != TC_OK) {
        free(desk);
        return status;
    }
    pthread_mutex_init(&desk->lock, NULL);
    *desk_out = desk;
    return TC_OK;
}

tc_status tci_busy_desk_open(tci_busy_desk **desk_at, tci_call_watch *watch,
                             const struct tc_options *options,
                             const tci_stream_listener *streams, tc_error *err)
{
    if (*desk_at == NULL) {
        TC_TRY(create(desk_at, options, err));
        tci_call_watch_set_busy_callback(watch, turn, *desk_at);
    }
    tci_busy_desk *desk = *desk_at;
    counter *c = calloc(1, sizeof *c);
    if (c == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "listener: out of memory");
    tc_status status = tci_stream_listener_twin(streams, &desk->credentials, &c->streams, err);
    if (status != TC_OK) {
        free(c);
        return status;
    }
    c->of = streams;
    pthread_mutex_lock(&desk->lock);
    c->next = desk->counters;
    desk->counters = c;
    pthread_mutex_unlock(&desk->lock);
    return TC_OK;
}

void tci_busy_desk_close(tci_busy_desk *desk, const tci_stream_listener *streams)
{
    pthread_mutex_lock(&desk->lock);
    counter **link = &desk->counters;
    while (*link != NULL && (*link)->of != streams)
        link = &(*link)->next;
    counter *found = *link;
    if (found != NULL) {
        *link = found->next;
        tci_stream_listener_close(found->streams);
        free(found);
    }
    pthread_mutex_unlock(&desk->lock);
}

void tci_busy_desk_free(tci_busy_desk *desk)
{
    if (desk == NULL)
        return;
    while (desk->visitor_count > 0)
        answer(desk, take_visitor(desk, 0));
    tci_credentials_fini(&desk->credentials);
    pthread_mutex_destroy(&desk->lock);
    free(desk);
}
