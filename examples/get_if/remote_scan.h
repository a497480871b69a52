/* One get_if over the tables of all servers: a call at each of them at a time, until all have
 * ended. */
#ifndef REMOTE_SCAN_H
#define REMOTE_SCAN_H

#include "line_filter.h"

#include <stdint.h>
#include <tc/group.h>

typedef struct remote_scan_params {
    tc_group *group; /* rank 0 asks, all others serve */
    tc_ifunc *get_if;
    line_filter_kind kind;
    const char *pattern; /* "" for LINE_FILTER_ALL */
    uint32_t answer_max;
    uint64_t timeout_ns; /* of each call */
} remote_scan_params;

typedef struct remote_scan_result {
    char *text; /* the lines, server after server */
    size_t size;
    uint64_t lines;
    uint64_t calls;
    uint64_t answer_bytes; /* with the heads of the answers */
    uint64_t table_bytes;  /* of all servers */
    uint64_t elapsed_ns;
} remote_scan_result;

/* Prints errors, with the servers' texts. */
bool remote_scan(const remote_scan_params *params, remote_scan_result *result_out);
void remote_scan_free(remote_scan_result *result);

#endif
