/* The files that a confined node may open, by their paths.
 *
 * A rule holds for a file or folder and for everything below it. A path to check has no links,
 * as the kernel names an open file; names of rules are resolved when they are added. */
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

/* Adds a rule. A path that does not exist is ignored. Returns false if there are too many
 * rules. */
bool node_paths_add(node_paths *paths, const char *path, bool writable);
/* Adds folders, separated by ':'; NULL adds no folder. */
bool node_paths_add_list(node_paths *paths, const char *list, bool writable);
/* Adds the files that the C library and UCX need, and the folders of the program's
 * libraries. */
bool node_paths_add_system(node_paths *paths);

bool node_paths_allow(const node_paths *paths, const char *path, bool writes);

#endif
