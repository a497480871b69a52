/* Fibers: they run until they wait, and events continue them; their time and failures. */
#include "sim_world.h"

#include "sim_guard.h"
#include "sim_memory.h"
#include "sim_step.h"
#include "sim_trace.h"

#include "base/error_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define READ_NS 25u        /* that a reading of the clock takes */
#define CALL_NS 300u       /* another system call */
#define AHEAD_NS 5000u     /* that a node may run ahead of the others */
#define WAKE_NS 3000u      /* until a woken fiber runs, at most */
#define READS_MAX 4000000u /* readings without a wait: the node spins */

_Thread_local tc_sim_world *sim_world_current __attribute__((tls_model("initial-exec")));

/* --- failures ---------------------------------------------------------------------------- */

void sim_world_stop(tc_sim_world *world, tc_status status, const char *format, ...)
{
    va_list list;
    if (world->error.status != TC_OK)
        return;
    world->error.status = status;
    va_start(list, format);
    (void)vsnprintf(world->error.text, sizeof world->error.text, format, list);
    va_end(list);
}

bool sim_world_fails(void)
{
    tc_sim_world *world = sim_world_current;
    if (world == NULL || world->running == NULL)
        return false;
    world->failable++;
    if (world->failable != world->params.fail_at)
        return false;
    sim_trace_event(world, SIM_TRACE_FAILS, world->failable, 0);
    return true;
}

/* --- time -------------------------------------------------------------------------------- */

/* Lets other nodes run that are behind this one: nodes run at the same time. */
static void give_way(tc_sim_world *world, tc_sim_node *node)
{
    if (node->local_ns - world->now_ns <= AHEAD_NS || world->running->held)
        return;
    const uint32_t reads = node->reads;
    sim_world_sleep(0);
    node->reads = reads; /* it did not wait */
}

uint64_t sim_world_read_clock(void)
{
    tc_sim_world *world = sim_world_current;
    tc_sim_node *node = sim_world_node();
    if (node == NULL)
        return world->now_ns;
    node->local_ns += READ_NS;
    if (++node->reads > READS_MAX) {
        sim_world_stop(world, TC_E_INVALID,
                       "node %u has read its clock %u times and does not wait", node->number,
                       READS_MAX);
        sim_world_sleep(0);
    }
    give_way(world, node);
    return node->local_ns;
}

void sim_world_after(tc_sim_world *world, uint64_t in_ns,
                     void (*run)(void *subject, uint64_t argument), void *subject,
                     uint64_t argument)
{
    const uint64_t now_ns =
        world->running != NULL ? world->running->node->local_ns : world->now_ns;
    const uint64_t at_ns = in_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + in_ns;
    if (!sim_queue_add(&world->queue, at_ns, run, subject, argument))
        sim_world_stop(world, TC_E_NO_MEMORY, "simulation: no memory for an event");
}

/* --- fibers ------------------------------------------------------------------------------ */

/* Makes a fiber the one that ran last. The stack of the one that leaves the list is trimmed: a
 * fiber that runs needs more of it than one that waits, and pages count in a large world. */
static void keep_recent(sim_recent *recent, sim_fiber *fiber)
{
    if (fiber->recent)
        return;
    sim_fiber *oldest = recent->fibers[recent->next];
    if (oldest != NULL) {
        sim_fiber_trim(&oldest->stack);
        oldest->recent = false;
    }
    recent->fibers[recent->next] = fiber;
    recent->next = (recent->next + 1) % SIM_RECENT_MAX;
    fiber->recent = true;
}

static void forget_recent(sim_recent *recent, sim_fiber *fiber)
{
    for (unsigned i = 0; i < SIM_RECENT_MAX && fiber->recent; i++) {
        if (recent->fibers[i] != fiber)
            continue;
        recent->fibers[i] = NULL;
        fiber->recent = false;
    }
}

void sim_world_free_fiber(sim_fiber *fiber)
{
    sim_fiber **link = &fiber->node->fibers;
    sim_step_flush(fiber);
    while (*link != fiber)
        link = &(*link)->next;
    *link = fiber->next;
    forget_recent(&fiber->node->world->recent, fiber);
    sim_fiber_free(&fiber->stack);
    fiber->generation++; /* no event continues it */
    fiber->asleep = false;
    fiber->next = fiber->node->world->unused;
    fiber->node->world->unused = fiber;
}

static sim_fiber *take_fiber(tc_sim_world *world)
{
    sim_fiber *fiber = world->unused;
    if (fiber == NULL)
        return sim_memory_real_clear(sizeof *fiber);
    world->unused = fiber->next;
    return fiber;
}

void sim_world_await(sim_waiter **list, const void *word)
{
    sim_fiber *fiber = sim_world_running();
    sim_waiter *waiter = &fiber->waiters[fiber->waiter_count++];
    *waiter = (sim_waiter){*list, list, fiber, word};
    if (*list != NULL)
        (*list)->previous_next = &waiter->next;
    *list = waiter;
}

void sim_world_forget_waits(sim_fiber *fiber)
{
    for (unsigned i = 0; i < fiber->waiter_count; i++) {
        sim_waiter *waiter = &fiber->waiters[i];
        *waiter->previous_next = waiter->next;
        if (waiter->next != NULL)
            waiter->next->previous_next = waiter->previous_next;
    }
    fiber->waiter_count = 0;
}

static _Thread_local struct {
    void *variables;
    size_t bytes;
} kept;

void sim_world_keep(void *variables, size_t bytes)
{
    kept.variables = variables;
    kept.bytes = bytes;
}

/* Runs a fiber until it waits. */
static void run_fiber(tc_sim_world *world, sim_fiber *fiber)
{
    tc_sim_node *node = fiber->node;
    if (node->local_ns < world->now_ns)
        node->local_ns = world->now_ns;
    world->running = fiber;
    *tci_current_get() = fiber->current;
    if (kept.bytes > 0)
        memcpy(kept.variables, fiber->kept, kept.bytes);
    errno = fiber->saved_errno;
    sim_guard_begin(world);
    sim_fiber_switch(&world->own_stack, &fiber->stack, false);
    world->running = NULL;
    keep_recent(&world->recent, fiber);
    sim_guard_end(world, node);
    if (world->left != NULL)
        sim_world_free_fiber(world->left);
    world->left = NULL;
}

/* Ends a fiber's wait. */
static void resume(sim_fiber *fiber, bool by_time)
{
    tc_sim_world *world = fiber->node->world;
    fiber->timed_out = by_time;
    fiber->generation++;
    fiber->waits = fiber->asleep = false;
    sim_world_forget_waits(fiber);
    sim_trace_event(world, SIM_TRACE_RUNS, fiber->node->number, by_time);
    run_fiber(world, fiber);
}

/* Adds an event again if its node is paused. */
static bool is_put_off(sim_fiber *fiber, void (*run)(void *subject, uint64_t argument),
                       uint64_t argument)
{
    const tc_sim_node *node = fiber->node;
    const uint64_t now_ns = node->world->now_ns;
    if (node->paused_until_ns <= now_ns)
        return false;
    sim_world_after(node->world, node->paused_until_ns - now_ns, run, fiber, argument);
    return true;
}

/* The fiber's memory lasts, and an event for an earlier wait, or for the fiber that had the
 * memory before, has another generation. */
static void wake_up(void *subject, uint64_t generation)
{
    sim_fiber *fiber = subject;
    if (fiber->generation == generation && !is_put_off(fiber, wake_up, generation))
        resume(fiber, false);
}

static void set_timer(sim_fiber *fiber);

static void forget_timer(sim_fiber *fiber, uint64_t at_ns)
{
    unsigned i = 0;
    while (i < fiber->timer_count && fiber->timers[i] != at_ns)
        i++;
    if (i == fiber->timer_count)
        return;
    for (fiber->timer_count--; i < fiber->timer_count; i++)
        fiber->timers[i] = fiber->timers[i + 1];
}

/* The end of any wait of the fiber, or of the one that had its memory before. */
static void on_time(void *subject, uint64_t at_ns)
{
    sim_fiber *fiber = subject;
    if (fiber->asleep && is_put_off(fiber, on_time, at_ns))
        return;
    forget_timer(fiber, at_ns);
    if (!fiber->asleep || fiber->until_ns == UINT64_MAX)
        return;
    if (fiber->until_ns > fiber->node->world->now_ns)
        set_timer(fiber);
    else
        resume(fiber, true);
}

/* Adds an event for the end of the fiber's wait, unless one runs before that. */
static void set_timer(sim_fiber *fiber)
{
    tc_sim_world *world = fiber->node->world;
    const uint64_t now_ns = tc_sim_now_ns(world);
    if (fiber->timer_count > 0 && fiber->timers[fiber->timer_count - 1] <= fiber->until_ns)
        return;
    if (fiber->timer_count == SIM_TIMERS_MAX)
        forget_timer(fiber, fiber->timers[0]);
    fiber->timers[fiber->timer_count++] = fiber->until_ns;
    sim_world_after(world, fiber->until_ns > now_ns ? fiber->until_ns - now_ns : 0, on_time,
                    fiber, fiber->until_ns);
}

static void begin(void *argument)
{
    sim_fiber *fiber = argument;
    sim_fiber_begun(&fiber->node->world->own_stack);
    sim_world_end_fiber(fiber->entry(fiber->argument));
}

sim_fiber *sim_world_spawn(tc_sim_node *node, void *(*entry)(void *argument), void *argument,
                           size_t stack_bytes)
{
    sim_fiber *fiber = take_fiber(node->world);
    if (fiber == NULL)
        return NULL;
    *fiber = (sim_fiber){.next = node->fibers,
                         .node = node,
                         .entry = entry,
                         .argument = argument,
                         .number = ++node->world->fiber_count,
                         .generation = fiber->generation,
                         .waits = true};
    node->fibers = fiber;
    if (!sim_fiber_prepare(&fiber->stack, stack_bytes, begin, fiber)) {
        sim_world_free_fiber(fiber);
        return NULL;
    }
    sim_world_after(node->world, 0, wake_up, fiber, fiber->generation);
    return fiber;
}

bool sim_world_spawn_detached(tc_sim_node *node, void *(*entry)(void *argument), void *argument,
                              size_t stack_bytes)
{
    sim_fiber *fiber = sim_world_spawn(node, entry, argument, stack_bytes);
    if (fiber != NULL)
        fiber->detached = true;
    return fiber != NULL;
}

static void leave(sim_fiber *fiber, bool ends)
{
    tc_sim_world *world = fiber->node->world;
    fiber->node->reads = 0;
    sim_step_note_wait(fiber);
    fiber->current = *tci_current_get();
    if (kept.bytes > 0)
        memcpy(fiber->kept, kept.variables, kept.bytes);
    fiber->saved_errno = errno;
    sim_fiber_switch(&fiber->stack, &world->own_stack, ends);
}

bool sim_world_wait(uint64_t until_ns)
{
    sim_fiber *fiber = sim_world_running();
    tc_sim_node *node = fiber->node;
    fiber->waits = fiber->asleep = true;
    fiber->until_ns = until_ns > node->local_ns ? until_ns : node->local_ns;
    if (until_ns != UINT64_MAX)
        set_timer(fiber);
    leave(fiber, false);
    return !fiber->timed_out;
}

void sim_world_wake(sim_fiber *fiber)
{
    if (!fiber->waits)
        return;
    fiber->waits = false; /* one event is enough */
    sim_world_after(fiber->node->world, sim_random_below(&fiber->node->world->random, WAKE_NS),
                    wake_up, fiber, fiber->generation);
}

void sim_world_sleep(uint64_t ns)
{
    const uint64_t now_ns = sim_world_running()->node->local_ns;
    while (sim_world_wait(ns > UINT64_MAX - now_ns ? UINT64_MAX - 1 : now_ns + ns)) {
    }
}

void sim_world_step(void)
{
    sim_fiber *fiber = sim_world_running();
    if (fiber == NULL)
        return;
    tc_sim_world *world = fiber->node->world;
    sim_step_flush(fiber);
    fiber->node->local_ns += CALL_NS;
    if (fiber->held)
        return;
    if (sim_random_happens(&world->random, world->params.interrupt_per_million))
        sim_world_sleep(sim_random_below(&world->random, world->params.interrupt_ns));
    else
        give_way(world, fiber->node);
}

bool sim_world_hold(bool held)
{
    sim_fiber *fiber = sim_world_running();
    const bool before = fiber != NULL && fiber->held;
    if (fiber != NULL)
        fiber->held = held;
    return before;
}

void sim_world_end_fiber(void *result)
{
    sim_fiber *fiber = sim_world_running();
    tc_sim_world *world = fiber->node->world;
    fiber->result = result;
    fiber->ended = true;
    fiber->generation++; /* no event continues it */
    if (fiber->detached)
        world->left = fiber;
    if (fiber->joiner != NULL)
        sim_world_wake(fiber->joiner);
    leave(fiber, true);
    __builtin_unreachable();
}
