/* A steady endpoint through restarts of its target, which is killed and ended in order by
 * turns, beside calls of both marks and beside messages. The target's function counts its runs
 * in a file. At the end the counts are compared with the reports of the calls.
 *
 *     restarts TC_NODE RESTARTS
 *
 * The promises: docs/man/tc_steady.3.md. */
#include "restarts_load.h"
#include "restarts_node.h"

#include "base/clock.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void await_connection(restarts_load *load, restarts_node *node)
{
    const uint64_t deadline_ns = tci_deadline_after(RESTARTS_PATIENCE_NS);
    while (tc_steady_ep(load->steady) == NULL) {
        restarts_load_expect_time(deadline_ns, "connecting");
        if (restarts_node_has_ended(node)) /* its port was taken */
            restarts_node_start(node);
        (void)tc_steady_wait(load->steady, TC_MILLISECONDS(5));
    }
}

static void await_calls(restarts_load *load, restarts_node *node)
{
    const uint64_t deadline_ns = tci_deadline_after(RESTARTS_PATIENCE_NS);
    while (load->under_way > 0) {
        restarts_load_expect_time(deadline_ns, "the ends of calls");
        await_connection(load, node);
        (void)tc_steady_wait(load->steady, TC_MILLISECONDS(5));
    }
}

/* Calls that are under way, and those that start before the loss is known, may be unsure. */
static void kill_node(restarts_load *load, const restarts_node *node, uint32_t first)
{
    load->kills = true;
    for (uint32_t i = first; i < load->record.count; i++)
        load->record.items[i].in_order &= load->record.items[i].has_ended;
    (void)kill(node->pid, SIGKILL);
}

static void end_node(restarts_load *load, restarts_node *node, int number,
                     restarts_traffic traffic, uint32_t first)
{
    const uint64_t deadline_ns = tci_deadline_after(RESTARTS_PATIENCE_NS);
    if (number == SIGKILL)
        kill_node(load, node, first);
    else
        (void)kill(node->pid, number);
    while (!restarts_node_has_ended(node)) {
        restarts_load_expect_time(deadline_ns, "the end of tc-node");
        restarts_load_work(load, traffic, first);
    }
    while (tc_steady_ep(load->steady) != NULL) {
        restarts_load_expect_time(deadline_ns, "the end of the connection");
        (void)tc_steady_wait(load->steady, TC_MILLISECONDS(5));
    }
    load->kills = false;
}

/* A target that ends in order has run exactly the messages that are not lost; one that is
 * killed may have run more. */
static void check_messages(restarts_load *load, bool in_order, uint32_t first)
{
    const unsigned unrun = restarts_record_unrun(&load->record, first);
    if (in_order ? unrun != load->messages_lost : unrun > load->messages_lost) {
        fprintf(stderr, "restarts: %u messages have not run, %u are reported as lost\n", unrun,
                (unsigned)load->messages_lost);
        restarts_record_wrong(&load->record, first, "messages");
    }
}

static void play_round(restarts_load *load, restarts_node *node, unsigned number)
{
    const int end = number % 2 == 0 ? SIGKILL : SIGTERM;
    const restarts_traffic traffic = number / 2 % 2 == 0 ? RESTARTS_CALLS : RESTARTS_MESSAGES;
    await_connection(load, node);
    const uint32_t first = load->record.count;
    const uint64_t until_ns =
        tci_deadline_after(TC_MILLISECONDS(2 + restarts_load_random(load, 20)));
    while (tci_deadline_left_ns(until_ns) > 0 || load->record.count == first)
        restarts_load_work(load, traffic, first);
    end_node(load, node, end, traffic, first);
    if (traffic == RESTARTS_MESSAGES)
        check_messages(load, end == SIGTERM, first);
    restarts_node_start(node);
    await_connection(load, node);
    await_calls(load, node);
}

int main(int argc, char **argv)
{
    static restarts_load load;
    restarts_node node;
    const unsigned count = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    if (count == 0) {
        fprintf(stderr, "usage: restarts TC_NODE RESTARTS\n");
        return 2;
    }
    if (!restarts_record_open(&load.record)) {
        perror("restarts: the file of counters");
        return 2;
    }
    restarts_node_open(&node, argv[1], argv + 3);
    restarts_load_open(&load, node.address);
    for (unsigned i = 0; i < count; i++)
        play_round(&load, &node, i);
    restarts_node_end(&node, &load);
    restarts_record_check(&load.record);
    printf("%u connections, %u lost\n", load.connected, load.lost);
    const bool is_right = load.record.wrong == 0 && load.lost >= count;
    restarts_record_close(&load.record);
    return is_right ? 0 : 1;
}
