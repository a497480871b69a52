/* Looks through the table of the server where it runs, and answers with the lines that match:
 * as many as one answer holds, and where to go on. Nothing is kept between two calls; the
 * cursor travels in the query. */
#include "get_if.h"
#include "line_filter.h"

#include <stdlib.h>
#include <string.h>
#include <tc/entry.h>

/* The part of the table that this call looks at. */
typedef struct piece {
    const char *table, *at, *end;
    size_t table_bytes;
} piece;

/* Lines are whole: the piece ends with the line that goes beyond scan_max. */
static bool find_piece(const get_if_query *query, piece *piece_out)
{
    piece p = {.table = tc_self_data(GET_IF_TABLE, &p.table_bytes)};
    if (p.table == NULL || query->from > p.table_bytes)
        return false;
    const char *table_end = p.table + p.table_bytes;
    p.at = p.table + query->from;
    p.end = table_end;
    if (query->scan_max < p.table_bytes - query->from) {
        const char *newline =
            memchr(p.at + query->scan_max, '\n', (size_t)(table_end - p.at) - query->scan_max);
        p.end = newline != NULL ? newline + 1 : table_end;
    }
    *piece_out = p;
    return true;
}

/* Collects matches until the piece ends, or there is no space for the next one. Returns the
 * answer's size; 0: there is no space for even one line. */
static size_t collect(line_filter *filter, const piece *p, char *answer, size_t room)
{
    get_if_answer head = {.table_bytes = p->table_bytes};
    const char *at = p->at;
    size_t used = sizeof head;
    line_span line;
    bool more;
    while ((more = line_filter_next(filter, at, p->end, &line))) {
        size_t line_bytes = (size_t)(line.end - line.start);
        if (line_bytes > room - used)
            break;
        memcpy(answer + used, line.start, line_bytes);
        used += line_bytes;
        head.lines++;
        at = line.end;
    }
    head.next = (uint64_t)((more ? line.start : p->end) - p->table);
    memcpy(answer, &head, sizeof head);
    return !more || head.lines > 0 ? used : 0;
}

static void answer_with(line_filter *filter, const piece *p, size_t room)
{
    char *answer = malloc(room);
    size_t used = answer != NULL ? collect(filter, p, answer, room) : 0;
    tc_status status;
    if (answer == NULL)
        (void)tc_reply_error(TC_E_NO_MEMORY, "no memory for an answer");
    else if (used == 0)
        (void)tc_reply_error(TC_E_TOO_LARGE, "a line that matches is longer than an answer");
    else if ((status = tc_reply(answer, used)) != TC_OK)
        (void)tc_reply_error(status, "the answer cannot be sent");
    free(answer);
}

void get_if_main(void *payload, size_t size, void *target_args)
{
    get_if_query query;
    line_filter filter;
    piece p;
    char why[128];
    const char *pattern = (const char *)payload + sizeof query;
    (void)target_args;
    if (size < sizeof query) {
        (void)tc_reply_error(TC_E_CORRUPT, "a query without its head");
        return;
    }
    memcpy(&query, payload, sizeof query);
    if (query.pattern_bytes != size - sizeof query || query.answer_max > GET_IF_ANSWER_MAX ||
        query.answer_max < sizeof(get_if_answer))
        (void)tc_reply_error(TC_E_CORRUPT, "a query whose sizes are wrong");
    else if (!find_piece(&query, &p))
        (void)tc_reply_error(TC_E_NOT_FOUND, "no table here, or not so much of it");
    else if (!line_filter_init(&filter, query.kind, pattern, query.pattern_bytes, why,
                               sizeof why))
        (void)tc_reply_error(TC_E_INVALID, why);
    else {
        answer_with(&filter, &p, query.answer_max);
        line_filter_fini(&filter);
    }
}
