/* One event as a line of JSON: an object with text and numbers as values. No content of a value
 * can end the value or the line: quotes, backslashes, control characters and all bytes that are
 * not ASCII are escaped. Text that does not fit is cut off within its value. */
#ifndef TCI_AUDIT_LINE_H
#define TCI_AUDIT_LINE_H

#include <stddef.h>
#include <stdint.h>

#define TCI_AUDIT_LINE_MAX 2000u /* a line of the log can hold that, too */

typedef struct tci_audit_line {
    size_t used;
    char text[TCI_AUDIT_LINE_MAX];
} tci_audit_line;

/* Begins a line with the time in UTC, the process and the event. Keys and events are literals
 * that need no escapes. */
void tci_audit_line_begin(tci_audit_line *line, const char *event);
void tci_audit_line_text(tci_audit_line *line, const char *key, const char *value);
void tci_audit_line_number(tci_audit_line *line, const char *key, uint64_t value);
/* Ends the line with its newline. No value may be added afterwards. */
void tci_audit_line_end(tci_audit_line *line);

#endif
