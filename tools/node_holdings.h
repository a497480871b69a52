/* The libraries and packages of a node, as the function of tc-info reports them: a head, then
 * the libraries in the order of their arrival, then the packages that tc-node opened at its
 * start and publishes. */
#ifndef NODE_HOLDINGS_H
#define NODE_HOLDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/library.h>
#include <tc/package.h>

#define NODE_HOLDINGS_PACKAGES "tc-node.packages" /* the name of the published array */
#define NODE_HOLDINGS_BYTES_MAX (256u << 10)      /* size of an answer */

typedef struct node_holdings_head {
    uint64_t libraries;
    uint64_t packages;
} node_holdings_head;

typedef struct node_holdings_library {
    char name[TC_LIBRARY_NAME_MAX];
    uint8_t id[TC_IFUNC_ID_BYTES];
    char owner[256];
    uint64_t symbols;
    uint64_t memory_bytes;
    uint64_t functions; /* functions that are bound to it */
    uint64_t users;     /* libraries that are bound to it */
} node_holdings_library;

typedef struct node_holdings_package {
    char name[TC_LIBRARY_NAME_MAX];
    uint8_t id[TC_PACKAGE_ID_BYTES];
    uint64_t elements;
} node_holdings_package;

/* The parts of an answer. */
typedef struct node_holdings {
    node_holdings_library *libraries;
    size_t library_count;
    node_holdings_package *packages;
    size_t package_count;
} node_holdings;

/* Finds the parts of a peer's answer, which stay in `answer` (aligned as malloc aligns),
 * terminates their texts and makes them printable. Returns false for a malformed answer;
 * `why_out` then has the found and the expected size. */
bool node_holdings_read(void *answer, size_t size, node_holdings *holdings_out, char *why_out,
                        size_t why_size);

#endif
