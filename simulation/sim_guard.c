/* The guard of real time. A wait shows by a run of a fiber that took long, while its thread
 * gave up the processor by itself. A node that never waits is found by a timer of the thread's
 * processor time. */
#include "sim_guard.h"

#include "sim_system.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define NS_PER_S 1000000000u
#define NS_PER_MS 1000000u
#define TICKS 8u /* of the timer, in the longest run of a fiber */

/* --- real waits -------------------------------------------------------------------------- */

/* Milliseconds are enough, and this clock is read in few nanoseconds. */
static uint64_t coarse_ns(void)
{
    struct timespec now;
    (void)__real_clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t ns_of(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * 1000u;
}

static void look(sim_guard *guard)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_THREAD, &usage);
    guard->given_up = usage.ru_nvcsw;
    guard->worked_ns = ns_of(&usage.ru_utime) + ns_of(&usage.ru_stime);
}

/* Reads the thread's figures again only when the clock has moved: some hundred times a second,
 * while fibers run a thousand times as often. */
void sim_guard_begin(tc_sim_world *world)
{
    sim_guard *guard = &world->guard;
    const uint64_t now_ns = coarse_ns();
    if (now_ns != guard->begun_ns)
        look(guard);
    guard->begun_ns = now_ns;
    guard->runs++;
}

void sim_guard_end(tc_sim_world *world, const tc_sim_node *node)
{
    sim_guard *guard = &world->guard;
    const uint64_t took_ns = coarse_ns() - guard->begun_ns;
    if (took_ns <= world->params.real_wait_ns)
        return;
    const sim_guard before = *guard;
    look(guard);
    const uint64_t worked_ns = guard->worked_ns - before.worked_ns;
    if (guard->given_up == before.given_up || worked_ns >= took_ns ||
        took_ns - worked_ns <= world->params.real_wait_ns)
        return; /* it worked, or others had the processor */
    sim_world_stop(world, TC_E_INVALID,
                   "node %u slept or waited for %llu ms of real time, by a call that is not "
                   "simulated, before %llu.%06llu ms of the world's",
                   node->number, (unsigned long long)((took_ns - worked_ns) / NS_PER_MS),
                   (unsigned long long)(node->local_ns / NS_PER_MS),
                   (unsigned long long)(node->local_ns % NS_PER_MS));
}

/* --- nodes that never wait --------------------------------------------------------------- */

/* As snprintf does; but a handler of signals may call this. */
static char *put_text(char *to, const char *text)
{
    const size_t size = strlen(text);
    memcpy(to, text, size);
    return to + size;
}

static char *put_number(char *to, uint64_t number)
{
    char digits[20];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

static void on_tick(int signal)
{
    (void)signal;
    tc_sim_world *world = sim_world_current;
    if (world == NULL || world->running == NULL)
        return;
    sim_guard *guard = &world->guard;
    if (guard->runs != guard->seen_run) {
        guard->seen_run = guard->runs;
        guard->ticks = 0;
        return;
    }
    if (++guard->ticks < TICKS)
        return;
    char line[256];
    char *end = put_text(line, "simulation: node ");
    end = put_number(end, world->running->node->number);
    end = put_text(end, " never waits: it has run for ");
    end = put_number(end, world->params.spin_ns / NS_PER_MS);
    end = put_text(end, " ms of processor time, since ");
    end = put_number(end, world->now_ns / NS_PER_MS);
    end = put_text(end, " ms of the world's\n");
    (void)!__real_write(STDERR_FILENO, line, (size_t)(end - line));
    abort();
}

static bool has_handler(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    (void)sigemptyset(&action.sa_mask);
    action.sa_handler = on_tick;
    action.sa_flags = SA_RESTART;
    return sigaction(SIGVTALRM, &action, NULL) == 0;
}

/* Without a timer a world runs all the same. */
void sim_guard_start(tc_sim_world *world)
{
    sim_guard *guard = &world->guard;
    const pid_t thread = (pid_t)__real_syscall(SYS_gettid);
    const uint64_t tick_ns = world->params.spin_ns / TICKS + 1;
    if (guard->thread == thread || world->params.spin_ns == UINT64_MAX || !has_handler())
        return;
    sim_guard_stop(world);
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGVTALRM;
    event._sigev_un._tid = thread;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &guard->timer) != 0)
        return;
    const struct timespec tick = {.tv_sec = (time_t)(tick_ns / NS_PER_S),
                                  .tv_nsec = (long)(tick_ns % NS_PER_S)};
    guard->thread = thread;
    (void)timer_settime(guard->timer, 0, &(struct itimerspec){tick, tick}, NULL);
}

void sim_guard_stop(tc_sim_world *world)
{
    if (world->guard.thread != 0)
        (void)timer_delete(world->guard.timer);
    world->guard.thread = 0;
}
