/* One thing that a confined node wants to do to a file, and doing it in its place.
 *
 * A name is followed first, without opening what it leads to (O_PATH), and judged by where that
 * lies; what is opened then is that very file. Beside the rules of node_paths.h there is what a
 * node needs of its peers on this host: whether a process lives (/proc/PID/stat), and UCX's shared
 * memory (/proc/PID/fd/N). */
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
    node_name new_name; /* of NODE_RENAME */
    int flags;          /* of open, unlinkat or renameat2 */
    mode_t mode;
} node_request;

/* What came of it: a descriptor; or -1 and an errno, 0 where nothing was to be opened. */
typedef struct node_opened {
    int fd;
    int close_on_exec;
    int problem;
} node_opened;

/* Copies what the call says, out of the caller's memory. Returns 0 or an errno. */
int node_request_read(const struct seccomp_data *call, pid_t caller, pid_t node,
                      node_request *request_out);

void node_request_do(const node_request *request, const node_paths *paths,
                     node_opened *opened_out);

#endif
