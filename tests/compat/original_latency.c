/* The cost of a message of the original's API beside a plain UCX put: ping-pong between two
 * processes, each message flushed, as the original's latency test does. The ways take turns, so
 * that other load of the machine affects all of them.
 *
 *   original_latency [ROUNDS [MESSAGES]]
 *
 * prints nanoseconds of half a round trip, the best and the mean of the rounds. Run it from a
 * release build; its test only sees that it runs. */
#include "compat_node.h"

#include "base/clock.h"
#include "ifuncs/gather.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define SLOT_BYTES 32768u

enum { PUT, MESSAGE, WORD_CLEARED, SLOT_CLEARED, WAYS };

static const char *const names[WAYS] = {"plain put", "message", "message, its word cleared",
                                        "message, its slot cleared"};
static unsigned rounds = 3, messages = 200;

typedef struct player {
    compat_node node;
    compat_link *link;
    ucp_ifunc_msg_t message;
    gather_state gathered;
    uint64_t number; /* of the last plain put */
    bool begins;
} player;

static void meet(player *p)
{
    char byte = 'm';
    REQUIRE(send(p->link->fd, &byte, 1, MSG_NOSIGNAL) == 1);
    while (recv(p->link->fd, &byte, 1, MSG_DONTWAIT) != 1)
        (void)ucp_worker_progress(p->node.worker);
}

static void give(player *p, int way)
{
    if (way == PUT) {
        p->number++;
        compat_node_put_number(&p->node, p->link, 0, &p->number);
        return;
    }
    compat_node_send(&p->node, p->link, &p->message, 0);
    compat_node_flush(&p->node, p->link);
}

static void take(player *p, int way)
{
    const size_t cleared = way == SLOT_CLEARED ? p->message.frame_size : sizeof(uint64_t);
    if (way == PUT) {
        compat_node_await_number(&p->node, 0, p->number + (p->begins ? 0 : 1));
        return;
    }
    compat_node_run(&p->node, 0, SLOT_BYTES, &p->gathered);
    if (way != MESSAGE)
        memset(p->node.memory, 0, cleared);
}

static double play_round(player *p, int way)
{
    memset(p->node.memory, 0, SLOT_BYTES);
    meet(p);
    uint64_t start_ns = tci_clock_ns();
    for (unsigned i = 0; i < messages; i++) {
        if (p->begins)
            give(p, way);
        take(p, way);
        if (!p->begins)
            give(p, way);
    }
    double took_ns = (double)(tci_clock_ns() - start_ns) / messages / 2;
    meet(p);
    return took_ns;
}

static void play(int fd, bool begins)
{
    const gather_args args = {0, 1, 0};
    double best[WAYS] = {0}, sum[WAYS] = {0};
    player p = {.begins = begins};
    compat_node_open(&p.node, SLOT_BYTES);
    ucp_ifunc_h ifunc = compat_node_register(&p.node, "gather", 0);
    p.link = compat_node_link(&p.node, fd);
    p.message = compat_message(ifunc, &args, sizeof args);
    for (unsigned round = 0; round < rounds; round++) {
        for (int way = 0; way < WAYS; way++) {
            double took_ns = play_round(&p, way);
            best[way] = round == 0 || took_ns < best[way] ? took_ns : best[way];
            sum[way] += took_ns;
        }
    }
    for (int way = 0; begins && way < WAYS; way++)
        printf("%-28s best %8.0f ns, mean %8.0f ns\n", names[way], best[way],
               sum[way] / rounds);
    REQUIRE(p.gathered.torn == 0);
    REQUIRE(ucp_ifunc_msg_free(p.message) == UCS_OK);
    compat_node_close(&p.node);
}

static void answer(int fd, void *user)
{
    (void)user;
    play(fd, false);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = (unsigned)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        messages = (unsigned)strtoul(argv[2], NULL, 10);
    REQUIRE(rounds > 0 && messages > 0);
    compat_child child = compat_fork(answer, NULL);
    play(child.fd, true);
    return compat_wait(&child) ? EXIT_SUCCESS : EXIT_FAILURE;
}
