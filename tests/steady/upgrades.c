/* A steady endpoint through upgrades of its node under load: no call of either mark fails, and
 * those that may run once do not run twice. Between them, upgrades to programs that do not
 * start, after which the node goes on.
 *
 *     upgrades TC_NODE UPGRADES [ARGUMENT OF TC_NODE...]
 *
 * The node is started by a link, which leads to another program for a while. */
#include "restarts_load.h"
#include "restarts_node.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILS_EVERY 5u
#define MANY 16u

static char folder[] = "/tmp/upgrades-XXXXXX";
static char link_path[64];

static void die(const char *what)
{
    fprintf(stderr, "upgrades: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void lead_to(const char *program)
{
    (void)unlink(link_path);
    if (symlink(program, link_path) != 0)
        die(link_path);
}

/* Returns the children of this process, among them nodes that have lost their parent. */
static unsigned children(pid_t *pids, unsigned max)
{
    char path[64];
    long pid;
    unsigned count = 0;
    (void)snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *file = fopen(path, "re");
    if (file == NULL)
        die(path);
    while (count < max && fscanf(file, "%ld", &pid) == 1)
        pids[count++] = (pid_t)pid;
    (void)fclose(file);
    return count;
}

/* Waits, under load, until another process has followed the node. */
static void await_successor(restarts_load *load, restarts_node *node)
{
    const uint64_t deadline_ns = tci_deadline_after(RESTARTS_PATIENCE_NS);
    const unsigned lost = load->lost;
    pid_t next[MANY];
    unsigned count;
    while (!restarts_node_has_ended(node)) {
        restarts_load_expect_time(deadline_ns, "the end of the upgraded node");
        restarts_load_work(load, RESTARTS_CALLS, 0);
    }
    while ((count = children(next, MANY)) != 1) { /* its compiler ends, too */
        restarts_load_expect_time(deadline_ns, "one process that follows");
        for (unsigned i = 0; i < count; i++)
            (void)waitpid(next[i], NULL, WNOHANG);
        restarts_load_work(load, RESTARTS_CALLS, 0);
    }
    node->pid = next[0];
    while (load->lost == lost || tc_steady_ep(load->steady) == NULL) {
        restarts_load_expect_time(deadline_ns, "the connection to the successor");
        restarts_load_work(load, RESTARTS_CALLS, 0);
    }
}

static void work_for(restarts_load *load, uint64_t time_ns)
{
    const uint64_t until_ns = tci_deadline_after(time_ns);
    while (tci_deadline_left_ns(until_ns) > 0)
        restarts_load_work(load, RESTARTS_CALLS, 0);
}

/* The node stays, and so does the connection. */
static void fail_to_upgrade(restarts_load *load, restarts_node *node, const char *program)
{
    const unsigned lost = load->lost;
    lead_to(program);
    (void)kill(node->pid, SIGUSR2);
    work_for(load, TC_MILLISECONDS(500));
    lead_to(node->program);
    if (restarts_node_has_ended(node) || load->lost != lost) {
        fprintf(stderr, "upgrades: a failed upgrade has ended the node\n");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    static restarts_load load;
    restarts_node node;
    const unsigned count = argc >= 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    if (count == 0) {
        fprintf(stderr, "usage: upgrades TC_NODE UPGRADES [ARGUMENT...]\n");
        return 2;
    }
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || mkdtemp(folder) == NULL)
        die(folder);
    (void)snprintf(link_path, sizeof link_path, "%s/tc-node", folder);
    char *program = realpath(argv[1], NULL); /* the link lies elsewhere */
    if (program == NULL)
        die(argv[1]);
    lead_to(program);
    if (!restarts_record_open(&load.record))
        die("the file of counters");
    restarts_node_open(&node, link_path, argv + 3);
    node.program = program;
    restarts_load_open(&load, node.address);
    for (unsigned i = 0; i < count; i++) {
        work_for(&load, TC_MILLISECONDS(2 + restarts_load_random(&load, 20)));
        if (i % FAILS_EVERY == 0)
            fail_to_upgrade(&load, &node, i % 2 == 0 ? "/bin/false" : "/nowhere/tc-node");
        (void)kill(node.pid, SIGUSR2);
        await_successor(&load, &node);
    }
    const uint64_t deadline_ns = tci_deadline_after(RESTARTS_PATIENCE_NS);
    while (load.under_way > 0) {
        restarts_load_expect_time(deadline_ns, "the ends of calls");
        (void)tc_steady_wait(load.steady, TC_MILLISECONDS(5));
    }
    restarts_node_end(&node, &load);
    restarts_record_check(&load.record);
    printf("%u upgrades, %u connections\n", count, load.connected);
    const bool is_right = load.record.wrong == 0 && load.lost >= count;
    restarts_record_close(&load.record);
    (void)unlink(link_path);
    (void)rmdir(folder);
    free(program);
    return is_right ? 0 : 1;
}
