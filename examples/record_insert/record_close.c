/* Closes the target's database and brings the counts back: at the target it sends itself, with
 * them, to where it came from. Messages of one endpoint run in order, so every batch before it
 * is counted. */
#include "record_batch.h"

#include <tc/entry.h>

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static void close_database(record_target *target)
{
    if (sqlite3_close(target->database) != SQLITE_OK) {
        target->counts.failed++;
        snprintf(target->counts.error, sizeof target->counts.error, "close: %s",
                 sqlite3_errmsg(target->database));
    }
    target->database = NULL;
}

void record_close_main(void *payload, size_t payload_size, void *target_args)
{
    record_counts counts = {.error = "the target has no place for records"};
    record_target *target = target_args;
    if (payload_size ==
        sizeof counts) { /* back at the source; its target_args is a record_counts */
        memcpy(target_args, payload, sizeof counts);
        return;
    }
    if (payload_size == sizeof counts.run)
        memcpy(&counts.run, payload, sizeof counts.run);
    if (target != NULL) {
        close_database(target);
        counts.error[0] = '\0';
        if (target->counts.run == counts.run)
            counts = target->counts;
    }
    if (tc_send(tc_self_endpoint(), tc_self_ifunc(), &counts, sizeof counts) != TC_OK)
        fprintf(
            stderr,
            "record_close: the counts cannot be sent\n"); /* the source gives up by itself */
}
