/* The functions that nodes send to each other. */
#include "scale_node.h"

#include "../support/fake_archive.h"

#include "archive.h"

#include <tc/entry.h>

#include <stdlib.h>
#include <string.h>

#define CODE_BYTES 2000u /* of a function */

static tc_code codes[SCALE_FN_COUNT];

/* --- barriers ---------------------------------------------------------------------------- */

static void arrive_at(scale_node *n)
{
    scale *all = n->all;
    if (n->arrived < n->children)
        return;
    n->arrived = 0;
    if (n->number == 0) {
        all->passed_ns[n->barrier] = tc_sim_now_ns(all->world);
        scale_release(n, n->barrier + 1);
        return;
    }
    const unsigned parent = scale_parent(all->plan, n->number);
    unsigned i = 0;
    while (n->neighbours[i].number != parent)
        i++;
    scale_send(n, &n->neighbours[i], SCALE_ARRIVE, n->barrier);
}

/* The barrier of this number has begun, so the one before it was passed. */
void scale_release(scale_node *n, uint32_t number)
{
    n->barrier = number;
    scale_send_children(n, SCALE_RELEASE, number);
    if (number > n->all->plan->rounds)
        scale_note(n->all, SCALE_DONE);
    else
        arrive_at(n);
}

/* --- a message that travels -------------------------------------------------------------- */

void scale_chase(scale_node *n, uint32_t left)
{
    if (left == 0) {
        scale_note(n->all, SCALE_DONE);
        return;
    }
    const unsigned to = (unsigned)(tc_sim_random(n->all->world) % n->count);
    scale_send(n, &n->neighbours[to], SCALE_CHASE, left - 1);
}

static void chase_in_group(scale_node *n, uint32_t left)
{
    const scale_message next = {SCALE_CHASE, left - 1};
    const uint32_t to = (uint32_t)(tc_sim_random(n->all->world) % n->all->plan->nodes);
    if (left == 0) {
        scale_note(n->all, SCALE_DONE);
        return;
    }
    tc_error error = {tc_forward(to, &next, sizeof next), "a message that travels"};
    (void)scale_expect(n, error.status, &error, "forward");
}

/* --- death ------------------------------------------------------------------------------- */

void scale_learn(scale_node *n)
{
    if (n->knows)
        return;
    n->knows = true;
    scale_note(n->all, SCALE_KNOWS);
    for (unsigned i = 0; i < n->count; i++)
        scale_send(n, &n->neighbours[i], SCALE_DEATH, n->all->doomed);
}

/* --- the functions ----------------------------------------------------------------------- */

static void arrived(scale_node *n, uint32_t barrier)
{
    const tc_error error = {TC_E_INVALID, "a child came to another barrier"};
    if (barrier != n->barrier)
        scale_fail(n->all, n->number, "barrier", &error);
    n->arrived++;
    arrive_at(n);
}

static void hold(scale_node *n)
{
    tc_call_ticket ticket;
    tc_error error = {tc_detach(&ticket), "a call that is kept"};
    (void)scale_expect(n, error.status, &error, "detach");
}

static void take(scale_node *n, const scale_message *message)
{
    switch ((scale_kind)message->kind) {
    case SCALE_GREET:
        scale_add_neighbour(n, tc_self_endpoint(), message->value);
        return;
    case SCALE_ORDER:
        n->orders |= 1u << message->value;
        return;
    case SCALE_RELEASE:
        scale_release(n, message->value);
        return;
    case SCALE_ARRIVE:
        arrived(n, message->value);
        return;
    case SCALE_CHASE:
        if (n->group != NULL)
            chase_in_group(n, message->value);
        else
            scale_chase(n, message->value);
        return;
    case SCALE_HOLD:
        hold(n);
        return;
    case SCALE_DEATH:
        scale_learn(n);
        return;
    }
}

static void run(void *payload, size_t size, void *target_args)
{
    scale_node *n = target_args;
    const tc_error error = {TC_E_CORRUPT, "a message of another size"};
    scale_message message;
    if (size != sizeof message) {
        scale_fail(n->all, n->number, "message", &error);
        return;
    }
    memcpy(&message, payload, sizeof message);
    take(n, &message);
}

void scale_bind(void)
{
    static const char *const names[SCALE_FN_COUNT] = {"greet", "work"};
    tc_error error;
    for (unsigned i = 0; i < SCALE_FN_COUNT; i++) {
        codes[i].bytes = fake_archive(names[i], TCI_ENTRY_MAIN, CODE_BYTES, &codes[i].size);
        if (tc_sim_function(names[i], run, &error) != TC_OK)
            abort();
    }
}

tc_code scale_code(scale_function function)
{
    return codes[function];
}
