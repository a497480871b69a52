#include "node_activation.h"

#include "node_say.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <tc/advanced.h>
#include <unistd.h>

#define FIRST_FD 3

/* Returns the number that the variable is; -1 if it is none, or not set. */
static long number_of(const char *variable)
{
    const char *text = getenv(variable);
    char *end;
    const long number = text != NULL && *text != '\0' ? strtol(text, &end, 10) : -1;
    return number >= 0 && *end == '\0' ? number : -1;
}

static int option_of(int fd, int option)
{
    int value = -1;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

/* Returns the difference between the descriptor and a TCP socket that listens, or NULL. */
static const char *why_not(int fd)
{
    const int domain = option_of(fd, SO_DOMAIN);
    if (domain < 0)
        return "it is no socket";
    if (domain != AF_INET && domain != AF_INET6)
        return "it is of another family than AF_INET and AF_INET6";
    if (option_of(fd, SO_TYPE) != SOCK_STREAM)
        return "it is no stream socket (ListenStream=)";
    return option_of(fd, SO_ACCEPTCONN) != 1 ? "it does not listen (Accept=no)" : NULL;
}

bool node_activation_take(int *fd_out)
{
    const long count = number_of("LISTEN_FDS"), pid = number_of("LISTEN_PID");
    *fd_out = -1;
    (void)unsetenv("LISTEN_FDS");
    (void)unsetenv("LISTEN_PID");
    (void)unsetenv("LISTEN_FDNAMES");
    if (count <= 0 || pid != (long)getpid())
        return true;
    const char *why = count > 1 ? "several were passed, expected one" : why_not(FIRST_FD);
    if (why != NULL) {
        node_say(NODE_ERROR, "the socket of LISTEN_FDS, descriptor %d: %s", FIRST_FD, why);
        return false;
    }
    (void)fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
    *fd_out = FIRST_FD;
    return true;
}

tc_status node_activation_open(tc_context *ctx, const node_arguments *args,
                               tc_listener **listener_out, tc_error *err)
{
    if (args->socket < 0)
        return tc_listener_open(ctx, args->listen, listener_out, err);
    tc_status status = tc_listener_open_socket(ctx, args->socket, listener_out, err);
    (void)close(args->socket);
    return status;
}

const char *node_activation_address(const node_arguments *args)
{
    if (args->successor_of > 0)
        return "the socket of the node before";
    return args->socket < 0 ? args->listen : "the socket of LISTEN_FDS";
}
