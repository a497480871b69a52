#include "restarts_node.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAITS_MAX 6000u /* of 10 ms, for the first port */
#define ARGUMENTS_MAX 31u

extern char **environ;

/* Starts it with these arguments and its own. */
static void start(restarts_node *node, const char *const *first)
{
    const char *argv[ARGUMENTS_MAX + 1] = {node->program};
    size_t count = 1;
    for (; *first != NULL && count < ARGUMENTS_MAX; first++)
        argv[count++] = *first;
    for (char *const *more = node->arguments; *more != NULL && count < ARGUMENTS_MAX; more++)
        argv[count++] = *more;
    int problem = posix_spawn(&node->pid, node->program, NULL, NULL,
                              (char *const *)(uintptr_t)argv, environ);
    if (problem != 0) {
        fprintf(stderr, "restarts: %s: %s\n", node->program, strerror(problem));
        exit(2);
    }
}

void restarts_node_start(restarts_node *node)
{
    const char *const argv[] = {"--listen", node->address, NULL};
    start(node, argv);
}

bool restarts_node_has_ended(restarts_node *node)
{
    if (node->pid != 0 && waitpid(node->pid, NULL, WNOHANG) != node->pid)
        return false;
    node->pid = 0;
    return true;
}

static unsigned read_port(const char *path)
{
    unsigned port = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%u", &port) != 1)
        port = 0;
    (void)fclose(file);
    return port;
}

void restarts_node_open(restarts_node *node, const char *program, char *const *arguments)
{
    char *path = node->port_file;
    unsigned port = 0;
    *node = (restarts_node){
        .program = program, .arguments = arguments, .port_file = "/tmp/restarts-port-XXXXXX"};
    int fd = mkstemp(path);
    if (fd < 0) {
        fprintf(stderr, "restarts: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    (void)close(fd);
    (void)unlink(path);
    const char *const argv[] = {"--listen", "127.0.0.1:0", "--port-file", path, NULL};
    start(node, argv);
    for (unsigned i = 0; port == 0 && i < WAITS_MAX; i++) {
        (void)usleep(10000);
        port = read_port(path);
    }
    if (port == 0) {
        fprintf(stderr, "restarts: tc-node did not start\n");
        exit(2);
    }
    (void)snprintf(node->address, sizeof node->address, "127.0.0.1:%u", port);
}

void restarts_node_end(restarts_node *node, restarts_load *load)
{
    const uint64_t deadline_ns = tci_deadline_after(RESTARTS_PATIENCE_NS);
    restarts_load_close(load);
    (void)kill(node->pid, SIGTERM);
    while (!restarts_node_has_ended(node)) {
        restarts_load_expect_time(deadline_ns, "the end of tc-node");
        (void)tc_wait(load->ctx, TC_MILLISECONDS(5));
    }
    tc_context_destroy(load->ctx);
    (void)unlink(node->port_file);
}
