/* Types shared by the function get_if and its caller. */
#ifndef GET_IF_H
#define GET_IF_H

#include <stdint.h>

/* The name under which a server publishes its table: text with a row per line. The last one has
 * its newline, too. */
#define GET_IF_TABLE "get_if_table"

/* Both bound one call, so that no answer is large and no server is held up for long. */
#define GET_IF_ANSWER_MAX (64u << 10)
#define GET_IF_SCAN_MAX (2u << 20)

/* A call's payload; the pattern follows. */
typedef struct get_if_query {
    uint64_t from;       /* where to begin in the table: 0, then the previous answer's end */
    uint32_t answer_max; /* bytes of the answer, its head included */
    uint32_t scan_max;   /* bytes of the table to look at, rounded up to a whole line */
    uint32_t kind;       /* a line_filter_kind */
    uint32_t pattern_bytes;
} get_if_query;

/* The head of an answer; the lines that matched follow, whole, in their order. */
typedef struct get_if_answer {
    uint64_t next; /* `from` of the next query, unless it is table_bytes: nothing is left */
    uint64_t table_bytes; /* of this server */
    uint64_t lines;       /* that follow */
} get_if_answer;

#endif
