/* The tables of descriptors, and the two small kinds: eventfds and timers. */
#include "sim_descriptor.h"

#include "sim_epoll.h"
#include "sim_memory.h"
#include "sim_system.h"

#include <errno.h>
#include <string.h>

#define FIRST_NUMBERS 8u

static sim_descriptor **slot_of(const tc_sim_node *node, int number)
{
    const size_t index = (size_t)(number - SIM_DESCRIPTOR_FIRST);
    return number >= SIM_DESCRIPTOR_FIRST && node != NULL && index < node->number_count
               ? &node->numbers[index]
               : NULL;
}

static bool grow(tc_sim_node *node)
{
    const size_t count = node->number_count == 0 ? FIRST_NUMBERS : 2 * node->number_count;
    sim_descriptor **table =
        count <= SIM_DESCRIPTORS_MAX
            ? sim_memory_real_resize(node->numbers, count * sizeof(sim_descriptor *))
            : NULL;
    if (table == NULL)
        return false;
    memset(table + node->number_count, 0,
           (count - node->number_count) * sizeof(sim_descriptor *));
    node->numbers = table;
    node->number_count = count;
    return true;
}

static int number_for(sim_descriptor *descriptor)
{
    tc_sim_node *node = descriptor->node;
    size_t index = node->number_hint;
    while (index < node->number_count && node->numbers[index] != NULL)
        index++;
    if ((index == node->number_count && !grow(node)) || sim_world_fails()) {
        errno = EMFILE;
        return -1;
    }
    node->numbers[index] = descriptor;
    node->number_hint = index + 1;
    descriptor->uses++;
    node->opened++;
    return SIM_DESCRIPTOR_FIRST + (int)index;
}

int sim_descriptor_open(sim_descriptor *descriptor, const sim_descriptor_ops *ops)
{
    if (descriptor == NULL) {
        errno = ENOMEM;
        return -1;
    }
    tc_sim_node *node = sim_world_node();
    descriptor->ops = ops;
    descriptor->node = node;
    const int number = number_for(descriptor);
    if (number < 0) {
        sim_memory_real_resize(descriptor, 0);
        return -1;
    }
    descriptor->next = node->descriptors;
    descriptor->previous_next = &node->descriptors;
    if (node->descriptors != NULL)
        node->descriptors->previous_next = &descriptor->next;
    node->descriptors = descriptor;
    return number;
}

int sim_descriptor_duplicate(sim_descriptor *descriptor)
{
    return number_for(descriptor);
}

sim_descriptor *sim_descriptor_of(int number)
{
    sim_descriptor **slot = slot_of(sim_world_node(), number);
    return slot != NULL ? *slot : NULL;
}

static void drop(sim_descriptor *descriptor)
{
    descriptor->node->opened--;
    if (--descriptor->uses > 0)
        return;
    *descriptor->previous_next = descriptor->next;
    if (descriptor->next != NULL)
        descriptor->next->previous_next = descriptor->previous_next;
    while (descriptor->waiters != NULL) { /* they find it gone */
        sim_waiter *waiter = descriptor->waiters;
        sim_world_wake(waiter->fiber);
        descriptor->waiters = waiter->next;
        waiter->next = NULL;
        waiter->previous_next = &waiter->next; /* of itself: forgetting it changes nothing */
    }
    sim_epoll_forget(descriptor);
    if (descriptor->ops->close != NULL)
        descriptor->ops->close(descriptor);
    else
        sim_memory_real_resize(descriptor, 0);
}

static void close_slot(tc_sim_node *node, sim_descriptor **slot)
{
    sim_descriptor *descriptor = *slot;
    *slot = NULL;
    if ((size_t)(slot - node->numbers) < node->number_hint)
        node->number_hint = (size_t)(slot - node->numbers);
    drop(descriptor);
}

int sim_descriptor_close(int number)
{
    tc_sim_node *node = sim_world_node();
    sim_descriptor **slot = slot_of(node, number);
    if (slot == NULL || *slot == NULL) {
        errno = EBADF;
        return -1;
    }
    close_slot(node, slot);
    return 0;
}

void sim_descriptor_close_all(tc_sim_node *node)
{
    for (size_t i = 0; i < node->number_count; i++) {
        if (node->numbers[i] != NULL)
            close_slot(node, &node->numbers[i]);
    }
    node->numbers = sim_memory_real_resize(node->numbers, 0);
    node->number_count = node->number_hint = 0;
}

void sim_descriptor_changed(sim_descriptor *descriptor)
{
    for (sim_waiter *waiter = descriptor->waiters; waiter != NULL; waiter = waiter->next)
        sim_world_wake(waiter->fiber);
    if (descriptor->watches != NULL)
        sim_epoll_notice(descriptor);
}

void sim_descriptor_await(sim_descriptor *descriptor)
{
    const sim_fiber *fiber = sim_world_running();
    if (fiber->waiter_count == SIM_WAITS_MAX) {
        sim_world_stop(descriptor->node->world, TC_E_INVALID,
                       "node %u waits for more than %u descriptors", descriptor->node->number,
                       SIM_WAITS_MAX);
        return;
    }
    sim_world_await(&descriptor->waiters, NULL);
}

/* --- eventfds ---------------------------------------------------------------------------- */

typedef struct counter {
    sim_descriptor base;
    uint64_t value;
} counter;

static unsigned counter_ready(const sim_descriptor *descriptor)
{
    const counter *c = (const counter *)(const void *)descriptor;
    return (c->value > 0 ? POLLIN : 0) | POLLOUT;
}

static ssize_t counter_read(sim_descriptor *descriptor, void *bytes, size_t size, int flags)
{
    counter *c = (counter *)(void *)descriptor;
    (void)flags;
    if (size < sizeof c->value || c->value == 0) {
        errno = size < sizeof c->value ? EINVAL : EAGAIN;
        return -1;
    }
    memcpy(bytes, &c->value, sizeof c->value);
    c->value = 0;
    return sizeof c->value;
}

static ssize_t counter_write(sim_descriptor *descriptor, const void *bytes, size_t size)
{
    counter *c = (counter *)(void *)descriptor;
    uint64_t added;
    if (size < sizeof added) {
        errno = EINVAL;
        return -1;
    }
    memcpy(&added, bytes, sizeof added);
    c->value += added;
    sim_descriptor_changed(descriptor);
    return sizeof added;
}

static const sim_descriptor_ops counter_ops = {
    .ready = counter_ready, .read = counter_read, .write = counter_write};

int sim_descriptor_eventfd(unsigned initial)
{
    counter *c = sim_memory_real_clear(sizeof *c);
    if (c != NULL)
        c->value = initial;
    return sim_descriptor_open(&c->base, &counter_ops);
}

/* --- timers ------------------------------------------------------------------------------ */

typedef struct timer {
    sim_descriptor base;
    uint64_t set;    /* how often it was set */
    uint64_t events; /* that refer to it */
    bool expired;
    bool closed;
} timer;

static unsigned timer_ready(const sim_descriptor *descriptor)
{
    return ((const timer *)(const void *)descriptor)->expired ? POLLIN : 0;
}

static ssize_t timer_read(sim_descriptor *descriptor, void *bytes, size_t size, int flags)
{
    timer *t = (timer *)(void *)descriptor;
    const uint64_t one = 1;
    (void)flags;
    if (size < sizeof one || !t->expired) {
        errno = size < sizeof one ? EINVAL : EAGAIN;
        return -1;
    }
    memcpy(bytes, &one, sizeof one);
    t->expired = false;
    return sizeof one;
}

static void timer_free(timer *t)
{
    if (t->closed && t->events == 0)
        sim_memory_real_resize(t, 0);
}

static void timer_close(sim_descriptor *descriptor)
{
    timer *t = (timer *)(void *)descriptor;
    t->closed = true;
    timer_free(t);
}

static void expire(void *subject, uint64_t set)
{
    timer *t = subject;
    t->events--;
    if (!t->closed && t->set == set) {
        t->expired = true;
        sim_descriptor_changed(&t->base);
    }
    timer_free(t);
}

static const sim_descriptor_ops timer_ops = {
    .ready = timer_ready, .read = timer_read, .close = timer_close};

int sim_descriptor_timer(void)
{
    timer *t = sim_memory_real_clear(sizeof *t);
    return sim_descriptor_open(&t->base, &timer_ops);
}

void sim_descriptor_timer_set(sim_descriptor *descriptor, uint64_t at_ns)
{
    timer *t = (timer *)(void *)descriptor;
    const uint64_t now_ns = t->base.node->local_ns;
    t->set++;
    t->expired = false;
    if (at_ns == 0)
        return;
    t->events++;
    sim_world_after(t->base.node->world, at_ns > now_ns ? at_ns - now_ns : 0, expire, t,
                    t->set);
}

/* --- several pieces of memory ------------------------------------------------------------- */

/* They stand here, not in a file of their own: where a sanitizer refers weakly to these names,
 * a linker takes no member of an archive for them. */

/* Transfers the pieces one after the other until one is cut. An error behind a piece that was
 * transferred is reported by the next call. */
static ssize_t transfer_pieces(int fd, const struct msghdr *message, int flags, bool out)
{
    ssize_t all = 0, n = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++) {
        const struct iovec *piece = &message->msg_iov[i];
        if (piece->iov_len == 0)
            continue;
        n = out ? __wrap_send(fd, piece->iov_base, piece->iov_len, flags)
                : __wrap_recv(fd, piece->iov_base, piece->iov_len, flags);
        all += n > 0 ? n : 0;
        if (n < (ssize_t)piece->iov_len)
            break;
    }
    return all > 0 ? all : n;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    return sim_descriptor_is(fd) ? transfer_pieces(fd, message, flags, true)
                                 : __real_sendmsg(fd, message, flags);
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags)
{
    return sim_descriptor_is(fd) ? transfer_pieces(fd, message, flags, false)
                                 : __real_recvmsg(fd, message, flags);
}
