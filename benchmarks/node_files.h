/* Files of protected nodes and their peers, in a folder for the time of a run: a key that they
 * share, a certificate, rules, and a function that is signed and its copies, each of which is
 * another function. */
#ifndef TC_PERF_NODE_FILES_H
#define TC_PERF_NODE_FILES_H

#include "perf_options.h"

#define NODE_ARCHIVE_MAX (64u << 10)

typedef struct node_files {
    char folder[PERF_PATH_MAX];
    char programs[PERF_PATH_MAX]; /* where tc-node and tc-ar are */
    bool has_certificate;         /* openssl(1) is here to make one */
    unsigned char archive[NODE_ARCHIVE_MAX];
    size_t archive_size;
} node_files;

/* `copies` of the function, by number; and the function itself. False after a complaint;
 * node_files_remove is owed then too. */
bool node_files_make(node_files *files, const perf_options *options, unsigned copies);
void node_files_remove(node_files *files);

/* FOLDER/NAME. Returns path. */
const char *node_files_path(const node_files *files, const char *name,
                            char path[PERF_PATH_MAX]);

#endif
