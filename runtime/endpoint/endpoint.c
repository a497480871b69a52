/* Making, ending and asking about endpoints. */
#include "core/ep.h"

#include "base/logger.h"
#include "base/small_copy.h"
#include "core/bell.h"
#include "transfer/landing.h"
#include "transfer/large_send.h"
#include "transfer/payload_transfer.h"
#include "transfer/send.h"
#include "rpc/answer.h"
#include "group/group_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

#define CLOSE_LINK_TIMEOUT_NS 1000000000ull
#define CONNECTIONS_MAX 65000u

/* Set for each batch of frames, so it is worth the static TLS block: one instruction to reach
 * it instead of a call. */
_Thread_local tci_current tci_current_call __attribute__((tls_model("initial-exec")));

/* The bell of a peer whose own cannot be seen. */
static const tci_ring_word never_asleep[2];

tc_status tci_core_watch(tci_core *core, int fd, uint64_t data, tc_error *err)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data = {.u64 = data}};
    if (epoll_ctl(core->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
        return tci_error_errno(err, TC_E_IO, errno, "a connection cannot be watched");
    return TC_OK;
}

static tc_status grow_connections(tci_core *core, tc_error *err)
{
    size_t places = core->connection_places == 0 ? 64 : 2 * core->connection_places;
    if (places > CONNECTIONS_MAX)
        places = CONNECTIONS_MAX;
    if (places == core->connection_places)
        return tci_error_set(err, TC_E_TOO_LARGE, "%u endpoints are open, no more are possible",
                             CONNECTIONS_MAX);
    tc_ep **table = realloc(core->by_connection, places * sizeof *table);
    if (table == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "endpoint: out of memory");
    memset(table + core->connection_places, 0,
           (places - core->connection_places) * sizeof *table);
    core->by_connection = table;
    core->connection_places = places;
    return TC_OK;
}

static tc_status take_connection(tci_core *core, uint16_t *id_out, tc_error *err)
{
    for (size_t i = 0; i < core->connection_places; i++) {
        size_t id = (core->connection_next + i) % core->connection_places;
        if (core->by_connection[id] == NULL) {
            core->connection_next = (uint16_t)(id + 1);
            *id_out = (uint16_t)id;
            return TC_OK;
        }
    }
    size_t id = core->connection_places;
    TC_TRY(grow_connections(core, err));
    core->connection_next = (uint16_t)(id + 1);
    *id_out = (uint16_t)id;
    return TC_OK;
}

tc_status tci_ep_create(tci_core *core, bool accepted, tc_ep **ep_out, tc_error *err)
{
    tc_ep *ep = calloc(1, sizeof *ep);
    if (ep == NULL || (ep->tx_state = calloc(core->options.functions_max, 1)) == NULL) {
        free(ep);
        return tci_error_set(err, TC_E_NO_MEMORY, "endpoint: out of memory");
    }
    tc_status status = take_connection(core, &ep->connection, err);
    if (status != TC_OK) {
        free(ep->tx_state);
        free(ep);
        return status;
    }
    core->by_connection[ep->connection] = ep;
    ep->core = core;
    ep->accepted = accepted;
    ep->state = TCI_EP_GREETING;
    ep->peer_connection = TCI_AM_NO_CONNECTION;
    ep->bell = never_asleep;
    ep->preparing = TCI_PREPARING_NONE;
    ep->rank = TC_RANK_NONE;
    ep->watched_at = TCI_UNWATCHED;
    ep->queue_last = &ep->queue;
    ep->next = core->first;
    ep->previous_next = &core->first;
    if (ep->next != NULL)
        ep->next->previous_next = &ep->next;
    core->first = ep;
    core->handshakes++;
    core->attention |= TCI_CHORES;
    *ep_out = ep;
    return TC_OK;
}

static void free_slots(tc_ep *ep)
{
    for (size_t i = 0; i < ep->rx_slot_count; i++) {
        if (ep->rx_slots[i].fn != NULL)
            tci_ifunc_release(ep->rx_slots[i].fn);
        free(ep->rx_slots[i].left);
    }
    free(ep->rx_slots);
}

static void free_queue(tc_ep *ep)
{
    while (ep->queue != NULL) {
        tci_queued *item = ep->queue;
        ep->queue = item->next;
        tci_queued_free(ep, item);
    }
}

static tc_status watch_ring(tc_ep *ep)
{
    tci_core *core = ep->core;
    if (core->watched_count == core->watched_room) {
        size_t room = core->watched_room == 0 ? 64 : 2 * core->watched_room;
        tci_watched_ring *watched = realloc(core->watched, room * sizeof *watched);
        if (watched == NULL)
            return tci_ep_fail_with(ep, TC_E_NO_MEMORY, "endpoint: out of memory");
        core->watched = watched;
        core->watched_room = room;
    }
    ep->watched_at = core->watched_count++;
    core->watched[ep->watched_at].ep = ep;
    tci_ep_watch_head(ep);
    return TC_OK;
}

/* The last takes its place, so whoever goes through the list meanwhile may miss that one, once.
 */
void tci_ep_unwatch(tc_ep *ep)
{
    tci_core *core = ep->core;
    if (ep->watched_at == TCI_UNWATCHED)
        return;
    tci_watched_ring *place = &core->watched[ep->watched_at];
    *place = core->watched[--core->watched_count];
    place->ep->watched_at = ep->watched_at;
    ep->watched_at = TCI_UNWATCHED;
}

void tci_ep_frames_came(tc_ep *ep)
{
    if (ep->state == TCI_EP_OPEN && ep->watched_at == TCI_UNWATCHED)
        (void)watch_ring(ep);
}

static void forget_use(tc_ep *ep)
{
    if (!ep->turn_used)
        return;
    tc_ep **at = &ep->core->used;
    while (*at != ep)
        at = &(*at)->used_next;
    *at = ep->used_next;
    ep->turn_used = false;
}

/* What kinds of peers there are decides what tc_progress and a sleep have to look at. */
static void count_peer(const tc_ep *ep, unsigned by)
{
    tci_core *core = ep->core;
    if (ep->push != NULL || ep->peer_delivery != TCI_HELLO_DIRECT)
        core->am_peers += by;
    if (ep->delivery->ops->credit == NULL || ep->peer_delivery != TCI_HELLO_AM)
        core->storing_peers += by;
    core->attention &= ~(unsigned)TCI_MESSAGES;
    if (core->am_peers > 0)
        core->attention |= TCI_MESSAGES;
}

void tci_ep_open(tc_ep *ep)
{
    tci_core *core = ep->core;
    if (watch_ring(ep) != TC_OK)
        return;
    ep->state = TCI_EP_OPEN;
    tci_ep_watch_head(ep);
    tci_ep_set_fast(ep);
    core->handshakes--;
    core->changed = true;
    count_peer(ep, 1);
    core->counters[TCI_ENDPOINTS_OPENED]++;
    TC_LOG(TC_LOG_INFO, "endpoint %u: open, %s to %s (%s, UCX %s, LLVM %s)", ep->connection,
           ep->delivery->ops->name, ep->peer_triple, ep->peer_library, ep->peer_ucx,
           ep->peer_llvm);
    if (ep->group != NULL)
        tci_group_ep_opened(ep);
    if (ep->queue != NULL)
        core->attention |= TCI_CHORES;
}

/* States below OPEN count as handshakes, OPEN ones may count as am peers; leaving either is
 * done in one place. */
static void leave_state(tc_ep *ep)
{
    if (ep->state < TCI_EP_OPEN)
        ep->core->handshakes--;
    if (ep->state != TCI_EP_OPEN)
        return;
    tci_ep_unwatch(ep);
    forget_use(ep);
    count_peer(ep, -1u);
}

void tci_ep_set_fast(tc_ep *ep)
{
    bool fast =
        tci_ep_takes_messages(ep) && ep->queue == NULL && ep->partial == NULL && !ep->building;
    ep->fast_limit = fast && ep->push == NULL ? TCI_SMALL_COPY_MAX + 1 : 0;
    ep->frame_limit = !fast                                       ? 0
                      : ep->payload_max < TCI_LANDING_PAYLOAD_MIN ? ep->payload_max + 1
                                                                  : TCI_LANDING_PAYLOAD_MIN;
}

/* Grants nothing from now on, so that the fast path of tc_send finds no room and asks for the
 * reason. */
static void stop_sending(tc_ep *ep)
{
    ep->gathered = 0;
    ep->tx.limit = 0;
    ep->tx.reserve = 0;
    ep->tx.broken = true;
}

void tci_ep_tell_end(tc_ep *ep)
{
    tc_error error = {TC_E_CLOSED, "the endpoint was closed"};
    if (ep->end_told)
        return;
    ep->end_told = true;
    (void)tc_ep_error(ep, &error);
    tci_group_ep_ended(ep, &error);
    if (ep->state >= TCI_EP_CLOSED)
        tci_answer_unsent(ep);
    tci_calls_lose(ep->core, ep, &error);
}

void tci_ep_free(tc_ep *ep)
{
    tci_ep_tell_end(ep);
    leave_state(ep);
    ep->core->counters[TCI_MESSAGES_RUN] += ep->run_messages;
    *ep->previous_next = ep->next;
    if (ep->next != NULL)
        ep->next->previous_next = ep->previous_next;
    ep->core->by_connection[ep->connection] = NULL;
    if (ep->stream != NULL)
        tci_stream_close(ep->stream);
    if (ep->link != NULL)
        tci_link_close(ep->link, CLOSE_LINK_TIMEOUT_NS);
    if (ep->delivery != NULL)
        ep->delivery->ops->close(ep->delivery);
    if (ep->region != NULL)
        tci_region_destroy(ep->region);
    ep->core->ring_memory -= ep->ring_memory;
    free_slots(ep);
    free_queue(ep);
    tci_large_abandon(ep);
    tci_landing_fini(ep);
    tci_payload_fini(ep);
    free(ep->assembly.bytes);
    free(ep->incoming.bytes);
    free(ep->refusal);
    free(ep->error);
    free(ep->tx_state);
    free(ep);
}

static void end(tc_ep *ep, tci_ep_state state)
{
    /* The peer's last word on what it has run: a flush that is under way may have nothing left
     * to wait for. */
    if (ep->delivery != NULL)
        tci_producer_refresh(&ep->tx);
    leave_state(ep);
    ep->state = state;
    ep->core->changed = true;
    ep->core->attention |= TCI_CHORES;
    stop_sending(ep);
    tci_ep_set_fast(ep);
}

void tci_ep_fail(tc_ep *ep, const tc_error *error)
{
    if (ep->state >= TCI_EP_CLOSED)
        return;
    end(ep, TCI_EP_FAILED);
    ep->core->counters[TCI_ENDPOINTS_FAILED]++;
    ep->error = malloc(sizeof *ep->error);
    if (ep->error != NULL)
        *ep->error = *error;
    TC_LOG(TC_LOG_INFO, "endpoint %u: failed: %s", ep->connection, error->text);
}

tc_status tci_ep_fail_with(tc_ep *ep, tc_status status, const char *fmt, ...)
{
    char text[TC_ERROR_TEXT_MAX];
    tc_error error;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    tci_error_set(&error, status, "%s", text);
    tci_ep_fail(ep, &error);
    return status;
}

void tci_ep_finish(tc_ep *ep)
{
    if (ep->state >= TCI_EP_CLOSED)
        return;
    end(ep, TCI_EP_CLOSED);
    TC_LOG(TC_LOG_INFO, "endpoint %u: closed", ep->connection);
}

tc_status tci_ep_check_credit(tc_ep *ep)
{
    if (!tci_ep_is_open(ep) || !ep->tx.broken)
        return TC_OK;
    return tci_ep_fail_with(ep, TC_E_PEER_LOST,
                            "peer lost: its count of consumed bytes ran wild");
}

tc_status tc_ep_error(const tc_ep *ep, tc_error *err)
{
    if (ep->state == TCI_EP_CLOSED)
        return tci_error_set(err, TC_E_CLOSED, "the peer closed the endpoint");
    if (ep->state != TCI_EP_FAILED)
        return TC_OK;
    if (ep->error == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY,
                             "endpoint failed, and there was no memory for why");
    if (err != NULL)
        *err = *ep->error;
    return ep->error->status;
}

unsigned tc_ep_refusal(const tc_ep *ep, tc_error *err)
{
    if (ep->refusal != NULL && err != NULL)
        *err = *ep->refusal;
    return ep->refusals;
}

static uint64_t sent_messages(const tc_ep *ep)
{
    return ep->delivery == NULL ? 0
                                : tci_producer_frames(&ep->tx) - ep->tx.gaps -
                                      ep->control_frames - ep->part_frames + ep->gathered;
}

/* In mapped memory whole granules travel; elsewhere the frames as they are, and what a message
 * has around them. */
static uint64_t sent_bytes(const tc_ep *ep)
{
    if (ep->push != NULL)
        return ep->pushed_bytes;
    return tci_producer_bytes(&ep->tx) + (uint64_t)ep->gathered * TCI_FRAME_GRANULE +
           ep->pushed_bytes;
}

void tc_ep_query(const tc_ep *ep, tc_ep_info *info_out)
{
    *info_out = (tc_ep_info){
        .delivery = ep->delivery != NULL ? ep->delivery->ops->name : "none",
        .peer_triple = ep->peer_triple,
        .peer_library = ep->peer_library,
        .peer_ucx = ep->peer_ucx,
        .peer_llvm = ep->peer_llvm,
        .peer_cpu = ep->peer_cpu,
        .payload_max = ep->delivery != NULL ? ep->core->options.payload_bytes_max : 0,
        .frame_payload_max = ep->payload_max,
        .sent_messages = sent_messages(ep),
        .sent_bytes = sent_bytes(ep),
        .run_messages = ep->run_messages,
    };
}

void tc_ep_set_user(tc_ep *ep, void *user)
{
    ep->user = user;
}

void *tc_ep_user(const tc_ep *ep)
{
    return ep->user;
}
