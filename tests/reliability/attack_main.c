/* The malicious peer.
 *
 *   reliability_attacker SCENARIO HOST:PORT SEED MILLISECONDS
 *
 * Prints "frames N", "connections N", "failures N" and "leaked N" at the end. The scenarios are
 * in attack_frames.c, attack_storms.c, attack_beside.c and attack_sockets.c. A member of a
 * group takes it from TC_GROUP_HOSTS. */
#include "../integration/program_report.h"
#include "attack.h"

#include "base/clock.h"
#include "core/network_ops.h"
#include "transfer/frame_out.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define CONNECT_NS 3000000000ull
#define ROOM_NS 10000000ull

static const attack_scenario *const tables[] = {attack_frame_scenarios, attack_storm_scenarios,
                                                attack_beside_scenarios,
                                                attack_socket_scenarios};

/* --- chance ------------------------------------------------------------------------------ */

uint64_t attack_random(attack *a)
{
    uint64_t z = a->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t attack_below(attack *a, uint64_t limit)
{
    return attack_random(a) % limit;
}

uint64_t attack_number(attack *a)
{
    static const uint64_t edges[] = {
        0,          1,          7,          8,         15,        16,       24,       31,
        32,         40,         64,         255,       256,       1024,     4095,     4096,
        32768,      65535,      65536,      262144,    1u << 20,  4u << 20, 1u << 30, INT32_MAX,
        UINT32_MAX, 1ull << 32, 1ull << 40, INT64_MAX, UINT64_MAX};
    const uint64_t edge = edges[attack_below(a, sizeof edges / sizeof edges[0])];
    switch (attack_below(a, 4)) {
    case 0:
        return attack_random(a);
    case 1:
        return attack_below(a, 4096);
    case 2:
        return edge + attack_below(a, 5) - 2;
    default:
        return edge;
    }
}

void attack_fill(attack *a, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)attack_random(a);
}

/* --- time -------------------------------------------------------------------------------- */

bool attack_goes_on(const attack *a)
{
    return tci_deadline_left_ns(a->deadline_ns) > 0 &&
           (a->ep == NULL || a->ep->state < TCI_EP_CLOSED);
}

void attack_push(attack *a)
{
    if (a->ep->tx.push != NULL)
        (void)a->ep->tx.delivery->ops->turn(a->ep->tx.delivery);
}

void attack_progress_unread(attack *a)
{
    attack_push(a);
    (void)tci_network_progress(a->ep->core);
}

void attack_pause(attack *a, uint64_t ns)
{
    const uint64_t deadline_ns = tci_deadline_after(ns);
    while (attack_goes_on(a) && tci_deadline_left_ns(deadline_ns) > 0) {
        attack_progress_unread(a);
        (void)sched_yield();
    }
}

void attack_wait(attack *a, uint64_t ns)
{
    const uint64_t deadline_ns = tci_deadline_after(ns);
    while (attack_goes_on(a) && tci_deadline_left_ns(deadline_ns) > 0) {
        tc_status status = tc_wait(a->ctx, 1000000);
        if (status != TC_OK && status != TC_E_TIMEOUT)
            return;
    }
}

/* --- frames ------------------------------------------------------------------------------ */

bool attack_try_frame(attack *a, const tci_frame *header, const void *body, size_t bytes)
{
    tci_producer *ring = &a->ep->tx.ring;
    if (bytes > tci_ring_frame_max(ring->mask + 1))
        bytes = (size_t)tci_ring_frame_max(ring->mask + 1);
    tci_sender_commit_coalesced(&a->ep->tx);
    uint8_t *frame = tci_producer_reserve(ring, bytes, ring->reserve);
    if (frame == NULL)
        return false;
    if (bytes > TCI_FRAME_HEADER_BYTES)
        memcpy(frame + TCI_FRAME_HEADER_BYTES, body, bytes - TCI_FRAME_HEADER_BYTES);
    tci_frame_out_commit(a->ep, frame, bytes, header);
    a->frames++;
    return true;
}

bool attack_frame(attack *a, const tci_frame *header, const void *body, size_t bytes)
{
    const uint64_t deadline_ns = tci_deadline_after(ROOM_NS);
    while (!attack_try_frame(a, header, body, bytes)) {
        if (!attack_goes_on(a) || tci_deadline_left_ns(deadline_ns) == 0)
            return false;
        attack_progress_unread(a);
    }
    return true;
}

/* --- connections ------------------------------------------------------------------------- */

static bool connect_once(attack *a, const attack_scenario *scenario)
{
    tc_error error = {0};
    if (scenario->needs == ATTACK_NEEDS_NOTHING)
        return true;
    if (scenario->needs == ATTACK_NEEDS_GROUP) {
        tc_group *group;
        uint32_t rank = (uint32_t)attack_below(a, 2);
        must(tc_group_join(a->ctx, CONNECT_NS, &group, &error), &error, "join");
        if (tc_group_ep(group, rank, &a->ep, &error) != TC_OK)
            return false;
        const uint64_t deadline_ns = tci_deadline_after(CONNECT_NS);
        while (!tci_ep_takes_messages(a->ep) && a->ep->state < TCI_EP_CLOSED &&
               tci_deadline_left_ns(deadline_ns) > 0)
            (void)tc_progress(a->ctx);
        return tci_ep_takes_messages(a->ep);
    }
    return tc_ep_connect(a->ctx, a->host_port, CONNECT_NS, &a->ep, &error) == TC_OK;
}

static void attack_once(attack *a, const attack_scenario *scenario)
{
    tc_options *opts;
    tc_error error = {0};
    a->ep = NULL;
    must(tc_options_create(&opts, &error), &error, "options");
    must(tc_options_set(opts, "close_timeout", "20ms", &error), &error, "options");
    must(tc_context_create(opts, &a->ctx, &error), &error, "context");
    tc_options_destroy(opts);
    must(tc_ifunc_open(a->ctx, "travel", &a->travel, &error), &error, "travel");
    must(tc_ifunc_open(a->ctx, "check", &a->check, &error), &error, "check");
    must(tc_ifunc_open(a->ctx, "bulky", &a->bulky, &error), &error, "bulky");
    attack_lie(a, scenario->hello);
    for (unsigned n = 0; n < 50 && tci_deadline_left_ns(a->deadline_ns) > 0; n++) {
        a->connections++;
        if (connect_once(a, scenario))
            scenario->run(a);
        else
            a->failures++;
        if (scenario->needs == ATTACK_NEEDS_GROUP)
            break; /* the context ends the group */
        tc_ep_close(a->ep);
        a->ep = NULL;
    }
    a->ep = NULL;
    attack_lie(a, ATTACK_HELLO_HONEST);
    tc_context_destroy(a->ctx);
}

static const attack_scenario *find(const char *name)
{
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        for (const attack_scenario *s = tables[t]; s->name != NULL; s++) {
            if (strcmp(s->name, name) == 0)
                return s;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const attack_scenario *scenario = argc == 5 ? find(argv[1]) : NULL;
    if (scenario == NULL)
        return 2;
    attack a = {.host_port = argv[2], .random = strtoull(argv[3], NULL, 10)};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGPIPE, SIG_IGN);
    a.deadline_ns = tci_deadline_after(strtoull(argv[4], NULL, 10) * 1000000);
    while (tci_deadline_left_ns(a.deadline_ns) > 0)
        attack_once(&a, scenario);
    say("frames", a.frames);
    say("connections", a.connections);
    say("failures", a.failures);
    say("leaked", a.leaked);
    return 0;
}
