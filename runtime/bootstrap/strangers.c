#include "strangers.h"

#include "base/assertion.h"
#include "base/clock.h"
#include "base/error_text.h"
#include "stream_object.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static bool watch(const tci_strangers *strangers, int how, int fd, void *who, bool write)
{
    struct epoll_event event = {.events = write ? EPOLLIN | EPOLLOUT : EPOLLIN,
                                .data = {.ptr = who}};
    return epoll_ctl(strangers->epoll_fd, how, fd, &event) == 0;
}

tc_status tci_strangers_init(tci_strangers *strangers, int listening_fd, tc_error *err)
{
    memset(strangers, 0, sizeof *strangers);
    strangers->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    strangers->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (strangers->epoll_fd >= 0 && strangers->timer_fd >= 0 &&
        watch(strangers, EPOLL_CTL_ADD, listening_fd, NULL, false) &&
        watch(strangers, EPOLL_CTL_ADD, strangers->timer_fd, NULL, false))
        return TC_OK;
    (void)tci_error_errno(err, TC_E_IO, errno, "listen: peers cannot be watched");
    tci_strangers_leave(strangers);
    return TC_E_IO;
}

void tci_strangers_leave(tci_strangers *strangers)
{
    if (strangers->epoll_fd >= 0)
        (void)close(strangers->epoll_fd);
    if (strangers->timer_fd >= 0)
        (void)close(strangers->timer_fd);
    strangers->epoll_fd = strangers->timer_fd = -1;
}

void tci_strangers_fini(tci_strangers *strangers)
{
    for (size_t i = 0; i < strangers->count; i++)
        tci_stream_close(strangers->list[i].stream);
    strangers->count = 0;
    tci_strangers_leave(strangers);
}

/* --- the list ---------------------------------------------------------------------------- */

/* Sets the timer to the oldest stream's deadline, or stops it (0) when the list is empty. */
static void set_timer(const tci_strangers *strangers)
{
    struct itimerspec when = {.it_value = {0}};
    if (strangers->count > 0) {
        uint64_t at = strangers->list[0].deadline_ns;
        when.it_value.tv_sec = (time_t)(at / TCI_NS_PER_S);
        when.it_value.tv_nsec = (long)(at % TCI_NS_PER_S);
    }
    (void)timerfd_settime(strangers->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static tci_stream *take(tci_strangers *strangers, size_t index)
{
    TCI_INVARIANT_IS(strangers_count, index, <, strangers->count);
    tci_stream *stream = strangers->list[index].stream;
    strangers->count--;
    memmove(&strangers->list[index], &strangers->list[index + 1],
            (strangers->count - index) * sizeof strangers->list[0]);
    (void)epoll_ctl(strangers->epoll_fd, EPOLL_CTL_DEL, tci_stream_fd(stream), NULL);
    if (index == 0)
        set_timer(strangers);
    return stream;
}

/* --- which is replaced ------------------------------------------------------------------- */

/* Returns the peer's network: of IPv6 the first half of the address, as one host has 2^64
 * addresses. */
static uint64_t network_of(const tci_stream *stream)
{
    union {
        struct sockaddr_storage any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } from = {.any = {0}};
    socklen_t size = sizeof from;
    uint64_t network = 0;
    if (getpeername(tci_stream_fd(stream), (struct sockaddr *)&from.any, &size) != 0)
        return 0;
    if (from.any.ss_family == AF_INET)
        return from.v4.sin_addr.s_addr;
    if (IN6_IS_ADDR_V4MAPPED(&from.v6.sin6_addr))
        memcpy(&network, &from.v6.sin6_addr.s6_addr[12], 4);
    else
        memcpy(&network, &from.v6.sin6_addr, sizeof network);
    return network;
}

static bool may_go(const tci_strangers *strangers, size_t i, bool only_silent)
{
    return !only_silent || !strangers->list[i].stream->channel.has_spoken;
}

static size_t count_of_network(const tci_strangers *strangers, size_t index, bool only_silent)
{
    size_t count = 0;
    for (size_t i = 0; i < strangers->count; i++)
        count += may_go(strangers, i, only_silent) &&
                 strangers->list[i].network == strangers->list[index].network;
    return count;
}

/* Returns the index of the oldest of the network that has most, or strangers->count. */
static size_t find_crowd(const tci_strangers *strangers, bool only_silent)
{
    size_t most = 0, found = strangers->count;
    for (size_t i = 0; i < strangers->count; i++) {
        size_t n =
            may_go(strangers, i, only_silent) ? count_of_network(strangers, i, only_silent) : 0;
        if (n > most) {
            most = n;
            found = i;
        }
    }
    return found;
}

tci_stream *tci_strangers_drop(tci_strangers *strangers)
{
    if (strangers->count == 0)
        return NULL;
    size_t index = find_crowd(strangers, true);
    if (index == strangers->count)
        index = find_crowd(strangers, false);
    return take(strangers, index);
}

void tci_strangers_add(tci_strangers *strangers, tci_stream *stream, uint64_t deadline_ns,
                       tci_stream **dropped_out)
{
    *dropped_out = NULL;
    if (strangers->count == TCI_STRANGERS_MAX)
        *dropped_out = tci_strangers_drop(strangers);
    TCI_INVARIANT_IS(strangers_count, strangers->count, <, TCI_STRANGERS_MAX);
    /* A stream that cannot be watched stays until its deadline. */
    (void)watch(strangers, EPOLL_CTL_ADD, tci_stream_fd(stream), stream, false);
    strangers->list[strangers->count].stream = stream;
    strangers->list[strangers->count].deadline_ns = deadline_ns;
    strangers->list[strangers->count].network = network_of(stream);
    strangers->list[strangers->count].wants_write = false;
    if (strangers->count++ == 0)
        set_timer(strangers);
}

/* --- proving ----------------------------------------------------------------------------- */

static size_t find(const tci_strangers *strangers, const tci_stream *stream)
{
    size_t i = 0;
    while (i < strangers->count && strangers->list[i].stream != stream)
        i++;
    return i;
}

/* Watches for writing while this side's answer waits, no longer than the stream's deadline. */
static void note_write(tci_strangers *strangers, size_t index)
{
    tci_stream *stream = strangers->list[index].stream;
    bool wants = tci_channel_wants_write(&stream->channel);
    if (wants == strangers->list[index].wants_write)
        return;
    strangers->list[index].wants_write = wants;
    (void)watch(strangers, EPOLL_CTL_MOD, tci_stream_fd(stream), stream, wants);
}

static tc_status go_on(tci_strangers *strangers, size_t index, tci_stream **stream_out,
                       tc_error *err)
{
    tci_stream *stream = strangers->list[index].stream;
    tc_status status = tci_stream_prove(stream, err);
    if (status == TC_E_AGAIN) {
        note_write(strangers, index);
        return status;
    }
    *stream_out = take(strangers, index);
    return status == TC_OK ? TC_OK : TC_E_REFUSED;
}

static tc_status expire(tci_strangers *strangers, tci_stream **stream_out, tc_error *err)
{
    if (strangers->count == 0 || tci_deadline_left_ns(strangers->list[0].deadline_ns) > 0)
        return TC_E_AGAIN;
    *stream_out = take(strangers, 0);
    return tci_error_set(err, TC_E_REFUSED, "%s did not prove in time who it is",
                         tci_stream_peer(*stream_out));
}

tc_status tci_strangers_next(tci_strangers *strangers, tci_stream **stream_out, tc_error *err)
{
    struct epoll_event events[TCI_STRANGERS_MAX + 2]; /* all streams, the listener, the timer */
    int n = epoll_wait(strangers->epoll_fd, events, TCI_STRANGERS_MAX + 2, 0);
    for (int i = 0; i < n; i++) {
        size_t index = find(strangers, events[i].data.ptr);
        tc_status status =
            index < strangers->count ? go_on(strangers, index, stream_out, err) : TC_E_AGAIN;
        if (status != TC_E_AGAIN)
            return status;
    }
    return expire(strangers, stream_out, err);
}
