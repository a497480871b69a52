/* One operation on a file that a confined node requests, made on its behalf.
 *
 * A name is resolved first, without opening its file (O_PATH), and judged by the resulting
 * path; the file that is opened then is that very file. Beside the rules of node_paths.h, a
 * node may use two things of its peers on this host: the state of a process (/proc/PID/stat),
 * which shows whether it lives, and UCX's shared memory (/proc/PID/fd/N). */
#ifndef NODE_REQUEST_H
#define NODE_REQUEST_H

#include "node_paths.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

struct seccomp_data;

typedef enum node_deed { NODE_OPEN, NODE_REMOVE, NODE_RENAME, NODE_MAKE_FOLDER } node_deed;

typedef struct node_name {
    int folder; /* the caller's descriptor, or AT_FDCWD */
    char path[PATH_MAX];
} node_name;

typedef struct node_request {
    node_deed deed;
    pid_t caller; /* a thread of the node */
    pid_t node;
    node_name name;
    node_name new_name; /* NODE_RENAME only */
    int flags;          /* of open, unlinkat or renameat2 */
    mode_t mode;
} node_request;

/* The outcome: a descriptor; or -1 and an errno, which is 0 after a change that succeeded. */
typedef struct node_opened {
    int fd;
    int close_on_exec;
    int problem;
} node_opened;

/* Copies the arguments of the call, and its names from the caller's memory. Returns 0 or an
 * errno. */
int node_request_read(const struct seccomp_data *call, pid_t caller, pid_t node,
                      node_request *request_out);

void node_request_do(const node_request *request, const node_paths *paths,
                     node_opened *opened_out);

#endif
