/* tc-node, a target: listens, and runs the functions of its peers until it is asked to stop. Or
 * it makes a key that processes share; runtime/bootstrap/key_file.h has the format. */
#include "node_activation.h"
#include "node_arguments.h"
#include "node_broker.h"
#include "node_end.h"
#include "node_notify.h"
#include "node_say.h"
#include "node_service.h"
#include "node_successor.h"
#include "tool_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_BYTES 32u
#define NAME_BYTES 4u /* random, so that another key has another name */

static int write_key(int fd, const uint8_t bytes[NAME_BYTES + KEY_BYTES])
{
    char line[128];
    int n = snprintf(line, sizeof line, "tchains-key k");
    for (size_t i = 0; i < NAME_BYTES + KEY_BYTES; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, i == NAME_BYTES ? " %02x" : "%02x",
                      bytes[i]);
    line[n++] = '\n';
    int ok = fchmod(fd, 0600) == 0 && write(fd, line, (size_t)n) == n && fsync(fd) == 0;
    explicit_bzero(line, sizeof line);
    return ok;
}

/* Writes a new key into a new file of mode 0600, and prints the key's name. Returns 0 after
 * printing the reason. */
static int make_key(const char *path)
{
    uint8_t bytes[NAME_BYTES + KEY_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        node_say(NODE_ERROR, "--make-key: no random bytes: %s", strerror(errno));
        return 0;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int ok = fd >= 0 && write_key(fd, bytes);
    int errnum = errno;
    if (fd >= 0 && (close(fd) != 0 || !ok)) {
        ok = 0;
        (void)unlink(path);
    }
    if (ok)
        printf("k%02x%02x%02x%02x\n", bytes[0], bytes[1], bytes[2], bytes[3]);
    else
        node_say(NODE_ERROR, "--make-key %s: %s", path, strerror(errnum));
    explicit_bzero(bytes, sizeof bytes);
    return ok;
}

int main(int argc, char **argv)
{
    node_arguments args;
    node_say_begin();
    node_successor_begin(argv);
    int wrong = node_arguments_parse(argc, &argv, &args);
    if (wrong != TOOL_GO_ON)
        return wrong;
    if (args.make_key != NULL)
        return make_key(args.make_key) ? 0 : 1;
    if (args.worker_of == 0 && !node_activation_take(&args.socket))
        return 1;
    if (args.successor_of > 0 &&
        !node_successor_take(args.successor_of, &args.socket, &args.http_socket))
        return node_end_complain("--successor is for tc-node's own use");
    if (args.join && args.socket >= 0)
        return node_end_complain("--join: the group says where it listens, expected no socket "
                                 "of LISTEN_FDS");
    node_notify_begin();
    node_catch_signals(&args);
    if (args.isolate && args.worker_of == 0)
        return node_broker_run(&args, argv);
    return node_serve(&args);
}
