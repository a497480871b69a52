/* Goes to a member that has a part of the log, and answers with a summary of it. */
#include "log_summary.h"
#include <stdio.h>
#include <string.h>
#include <tc/entry.h>

static log_summary summary_of_line(const char *line)
{
    log_summary one = {.lines = 1};
    unsigned status;
    if (sscanf(line, "%39s %u %u", one.slowest, &status, &one.slowest_ms) != 3)
        return (log_summary){0}; /* no line of a log */
    one.failed = status >= 500;
    return one;
}

void log_map_main(void *payload, size_t payload_size, void *target_args)
{
    const char *line = tc_self_data("log", NULL), *end;
    log_summary sum = {0};
    (void)payload, (void)payload_size, (void)target_args;
    if (line == NULL) {
        tc_reply_error(TC_E_NOT_FOUND, "there is no log here");
        return;
    }
    for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        log_summary one = summary_of_line(line);
        log_summary_add(&sum, &one);
    }
    tc_reply(&sum, sizeof sum);
}
