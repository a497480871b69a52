#include "modules/limits/audit_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ESCAPE_MAX 6u /* "\u00ff" */
/* Bytes for a value's last quote and the end of the line. */
#define RESERVE 4u

static size_t capacity(const tci_audit_line *line)
{
    const size_t limit = sizeof line->text - RESERVE;
    return line->used < limit ? limit - line->used : 0;
}

/* Appends a short text of this library's own, which needs no escapes. Returns 0 when it does
 * not fit. */
static int add(tci_audit_line *line, const char *text)
{
    size_t size = strlen(text);
    if (size > capacity(line))
        return 0;
    memcpy(line->text + line->used, text, size);
    line->used += size;
    return 1;
}

static size_t escape(unsigned char c, char out[ESCAPE_MAX + 1])
{
    if (c == '"' || c == '\\')
        return (size_t)snprintf(out, ESCAPE_MAX + 1, "\\%c", c);
    if (c < 0x20 || c >= 0x7f)
        return (size_t)snprintf(out, ESCAPE_MAX + 1, "\\u%04x", c);
    out[0] = (char)c;
    return 1;
}

void tci_audit_line_begin(tci_audit_line *line, const char *event)
{
    char text[128], second[32];
    struct timespec now;
    struct tm utc;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &utc);
    (void)strftime(second, sizeof second, "%Y-%m-%dT%H:%M:%S", &utc);
    (void)snprintf(text, sizeof text, "{\"time\":\"%s.%09ldZ\",\"pid\":%ld,\"event\":\"%s\"",
                   second, now.tv_nsec, (long)getpid(), event);
    line->used = 0;
    (void)add(line, text);
}

void tci_audit_line_text(tci_audit_line *line, const char *key, const char *value)
{
    char head[64], bytes[ESCAPE_MAX + 1];
    (void)snprintf(head, sizeof head, ",\"%s\":\"", key);
    if (!add(line, head))
        return;
    for (; *value != '\0'; value++) {
        size_t size = escape((unsigned char)*value, bytes);
        if (size > capacity(line))
            break;
        memcpy(line->text + line->used, bytes, size);
        line->used += size;
    }
    line->text[line->used++] = '"'; /* from the reserve, if necessary */
}

void tci_audit_line_number(tci_audit_line *line, const char *key, uint64_t value)
{
    char text[96];
    (void)snprintf(text, sizeof text, ",\"%s\":%" PRIu64, key, value);
    (void)add(line, text);
}

void tci_audit_line_end(tci_audit_line *line)
{
    line->text[line->used++] = '}';
    line->text[line->used++] = '\n';
}
