#include "node_activity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Terminates the text and makes it printable, as a terminal obeys other characters. */
static void end_text(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (; *text != '\0'; text++) {
        if (*text < 0x20 || *text > 0x7e)
            *text = '?';
    }
}

/* Returns whether the counted parts are within their bounds and fill exactly `size` bytes. */
static bool is_whole(const node_activity_head *head, size_t size)
{
    return head->counters <= NODE_ACTIVITY_COUNTERS_MAX &&
           head->entries <= NODE_ACTIVITY_ENTRIES_MAX &&
           head->counters * sizeof(uint64_t) + head->entries * sizeof(node_activity_entry) ==
               size;
}

static bool read_entries(node_activity *activity, char *why_out, size_t why_size)
{
    for (uint64_t i = 0; i < activity->head.entries; i++) {
        node_activity_entry *entry = &activity->entries[i];
        if (entry->kind >= NODE_ACTIVITY_KINDS) {
            (void)snprintf(why_out, why_size,
                           "an entry of kind %" PRIu32 ", expected less than %u", entry->kind,
                           NODE_ACTIVITY_KINDS);
            return false;
        }
        end_text(entry->name, sizeof entry->name);
        end_text(entry->identity, sizeof entry->identity);
    }
    return true;
}

bool node_activity_read(void *answer, size_t size, node_activity *activity_out, char *why_out,
                        size_t why_size)
{
    node_activity_head *head = &activity_out->head;
    if (size < sizeof *head) {
        (void)snprintf(why_out, why_size, "an answer of %zu bytes, expected %zu at least", size,
                       sizeof *head);
        return false;
    }
    memcpy(head, answer, sizeof *head);
    if (!is_whole(head, size - sizeof *head)) {
        (void)snprintf(why_out, why_size,
                       "an answer of %zu bytes, expected those of %" PRIu64
                       " counters and %" PRIu64 " entries, at most %u and %u",
                       size, head->counters, head->entries, NODE_ACTIVITY_COUNTERS_MAX,
                       NODE_ACTIVITY_ENTRIES_MAX);
        return false;
    }
    activity_out->counters = (const uint64_t *)((char *)answer + sizeof *head);
    activity_out->entries = (node_activity_entry *)((char *)answer + sizeof *head +
                                                    (size_t)head->counters * sizeof(uint64_t));
    return read_entries(activity_out, why_out, why_size);
}
