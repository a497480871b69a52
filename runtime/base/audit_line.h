/* One event as a line of JSON: an object whose values are text or numbers. Whatever a value
 * holds, it ends neither the value nor the line: quotes, backslashes, control characters and all
 * bytes that are not ASCII are escaped. What has no room is cut off within its value. */
#ifndef TCI_AUDIT_LINE_H
#define TCI_AUDIT_LINE_H

#include <stddef.h>
#include <stdint.h>

#define TCI_AUDIT_LINE_MAX 2000u /* the log has room for that, too */

typedef struct tci_audit_line {
    size_t used;
    char text[TCI_AUDIT_LINE_MAX];
} tci_audit_line;

/* Time in UTC, process and event. Keys and events are literals that need no escapes. */
void tci_audit_line_begin(tci_audit_line *line, const char *event);
void tci_audit_line_text(tci_audit_line *line, const char *key, const char *value);
void tci_audit_line_number(tci_audit_line *line, const char *key, uint64_t value);
/* With its newline; nothing may be added afterwards. */
void tci_audit_line_end(tci_audit_line *line);

#endif
