/* Sets of descriptors. A set has a list of those that may be ready: a change of a descriptor
 * adds it, and a wait that finds it not ready takes it off again. All are level-triggered. */
#include "sim_epoll.h"

#include "sim_memory.h"

#include <errno.h>
#include <stddef.h>

typedef struct sim_watch {
    struct sim_watch *next_of_target;
    struct sim_watch *next_of_set, **previous_of_set;
    struct sim_watch *next_queued, **previous_queued;
    struct set *set;
    sim_descriptor *target;
    struct epoll_event event;
    bool queued;
} sim_watch;

typedef struct set {
    sim_descriptor base;
    sim_watch *watches;
    sim_watch *first; /* that may be ready */
    sim_watch **last;
} set;

static sim_watch *last_of(const set *s)
{
    return (sim_watch *)(void *)((char *)s->last - offsetof(sim_watch, next_queued));
}

static void queue(sim_watch *watch)
{
    if (watch->queued)
        return;
    watch->queued = true;
    watch->next_queued = NULL;
    watch->previous_queued = watch->set->last;
    *watch->set->last = watch;
    watch->set->last = &watch->next_queued;
}

static unsigned ready_for(const sim_watch *watch)
{
    return watch->target->ops->ready(watch->target) & (watch->event.events | POLLHUP | POLLERR);
}

void sim_epoll_notice(sim_descriptor *descriptor)
{
    for (sim_watch *watch = descriptor->watches; watch != NULL; watch = watch->next_of_target) {
        queue(watch);
        sim_descriptor_changed(&watch->set->base);
    }
}

static unsigned set_ready(const sim_descriptor *descriptor)
{
    const set *s = (const set *)(const void *)descriptor;
    for (const sim_watch *watch = s->first; watch != NULL; watch = watch->next_queued) {
        if (ready_for(watch) != 0)
            return POLLIN;
    }
    return 0;
}

static void unqueue(sim_watch *watch)
{
    *watch->previous_queued = watch->next_queued;
    if (watch->next_queued != NULL)
        watch->next_queued->previous_queued = watch->previous_queued;
    else
        watch->set->last = watch->previous_queued;
    watch->queued = false;
}

static void unwatch(sim_watch *watch)
{
    sim_watch **of_target = &watch->target->watches;
    while (*of_target != watch)
        of_target = &(*of_target)->next_of_target;
    *of_target = watch->next_of_target;
    *watch->previous_of_set = watch->next_of_set;
    if (watch->next_of_set != NULL)
        watch->next_of_set->previous_of_set = watch->previous_of_set;
    if (watch->queued)
        unqueue(watch);
    sim_memory_real_resize(watch, 0);
}

void sim_epoll_forget(sim_descriptor *descriptor)
{
    while (descriptor->watches != NULL)
        unwatch(descriptor->watches);
}

static void set_close(sim_descriptor *descriptor)
{
    set *s = (set *)(void *)descriptor;
    while (s->watches != NULL)
        unwatch(s->watches);
    sim_memory_real_resize(s, 0);
}

static const sim_descriptor_ops set_ops = {.ready = set_ready, .close = set_close};

int sim_epoll_create(void)
{
    set *s = sim_memory_real_clear(sizeof *s);
    if (s != NULL)
        s->last = &s->first;
    return sim_descriptor_open(&s->base, &set_ops);
}

static set *set_of(int number)
{
    sim_descriptor *descriptor = sim_descriptor_of(number);
    return descriptor != NULL && descriptor->ops == &set_ops ? (set *)(void *)descriptor : NULL;
}

static sim_watch *find(const set *s, const sim_descriptor *target)
{
    sim_watch *watch = target->watches;
    while (watch != NULL && watch->set != s)
        watch = watch->next_of_target;
    return watch;
}

static int fail(int errnum)
{
    errno = errnum;
    return -1;
}

int sim_epoll_change(int number, int operation, int target_number,
                     const struct epoll_event *event)
{
    set *s = set_of(number);
    sim_descriptor *target = sim_descriptor_of(target_number);
    if (s == NULL || target == NULL)
        return fail(EBADF);
    sim_watch *watch = find(s, target);
    if (operation == EPOLL_CTL_ADD ? watch != NULL : watch == NULL)
        return fail(watch != NULL ? EEXIST : ENOENT);
    if (operation == EPOLL_CTL_DEL) {
        unwatch(watch);
        return 0;
    }
    if (watch == NULL) {
        watch = sim_world_fails() ? NULL : sim_memory_real_clear(sizeof *watch);
        if (watch == NULL)
            return fail(ENOMEM);
        watch->set = s;
        watch->target = target;
        watch->next_of_target = target->watches;
        target->watches = watch;
        watch->next_of_set = s->watches;
        watch->previous_of_set = &s->watches;
        if (s->watches != NULL)
            s->watches->previous_of_set = &watch->next_of_set;
        s->watches = watch;
    }
    watch->event = *event;
    queue(watch);
    sim_descriptor_changed(&s->base);
    return 0;
}

/* Gives those that are ready, and puts them at the end, so that each has its turn. Ends after
 * `max` of them, as a set may have many. */
static int collect(set *s, struct epoll_event *events, int max)
{
    sim_watch *const end = s->first != NULL ? last_of(s) : NULL;
    int count = 0;
    for (bool more = end != NULL; more && count < max;) {
        sim_watch *watch = s->first;
        const unsigned ready = ready_for(watch);
        more = watch != end;
        unqueue(watch);
        if (ready == 0)
            continue;
        events[count++] = (struct epoll_event){.events = ready, .data = watch->event.data};
        queue(watch);
    }
    return count;
}

static uint64_t deadline(uint64_t timeout_ns)
{
    const uint64_t now_ns = sim_world_node()->local_ns;
    return timeout_ns >= UINT64_MAX - now_ns ? UINT64_MAX : now_ns + timeout_ns;
}

int sim_epoll_wait(int number, struct epoll_event *events, int max, uint64_t timeout_ns)
{
    sim_world_step();
    const uint64_t until_ns = deadline(timeout_ns);
    for (bool more = true;;) {
        set *s = set_of(number);
        if (s == NULL)
            return fail(EBADF);
        const int count = collect(s, events, max);
        if (count > 0 || timeout_ns == 0 || !more)
            return count;
        sim_descriptor_await(&s->base);
        more = sim_world_wait(until_ns);
    }
}

static int look(struct pollfd *fds, nfds_t count)
{
    int ready = 0;
    for (nfds_t i = 0; i < count; i++) {
        const sim_descriptor *descriptor = sim_descriptor_of(fds[i].fd);
        fds[i].revents = 0;
        if (fds[i].fd < 0)
            continue;
        fds[i].revents = descriptor == NULL
                             ? POLLNVAL
                             : (short)(descriptor->ops->ready(descriptor) &
                                       ((unsigned)fds[i].events | POLLHUP | POLLERR));
        ready += fds[i].revents != 0;
    }
    return ready;
}

int sim_epoll_poll(struct pollfd *fds, nfds_t count, uint64_t timeout_ns)
{
    sim_world_step();
    const uint64_t until_ns = deadline(timeout_ns);
    for (bool more = true;;) {
        const int ready = look(fds, count);
        if (ready > 0 || timeout_ns == 0 || !more)
            return ready;
        for (nfds_t i = 0; i < count; i++) {
            if (fds[i].fd >= 0)
                sim_descriptor_await(sim_descriptor_of(fds[i].fd));
        }
        more = sim_world_wait(until_ns);
    }
}
