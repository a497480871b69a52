/* The files that a confined node may open, by their places in the tree of files.
 *
 * A rule holds for a file or folder and for everything below it. What is asked about is a path
 * without links, as the kernel names an open file; names of rules are resolved when they are
 * added. */
#ifndef NODE_PATHS_H
#define NODE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#define NODE_PATHS_MAX 128

typedef struct node_paths {
    size_t count;
    struct {
        char *path;
        bool writable;
    } rules[NODE_PATHS_MAX];
} node_paths;

/* What is not there is left out. False: there are too many, or no memory. */
bool node_paths_add(node_paths *paths, const char *path, bool writable);
/* Folders, separated by ':'; NULL: none. */
bool node_paths_add_list(node_paths *paths, const char *list, bool writable);
/* What the C library and UCX need, and where the program and its libraries are. */
bool node_paths_add_system(node_paths *paths);

bool node_paths_allow(const node_paths *paths, const char *path, bool writes);

#endif
