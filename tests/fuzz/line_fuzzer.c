/* Texts of peers about themselves, on their way to people and files: as a value of an audit
 * line, as a text that is made printable, and as one of a hello. Whatever it holds, it ends
 * neither its value nor its line, and brings no character that a terminal obeys. */
#include "modules/limits/audit_line.h"
#include "base/printable.h"
#include "fuzzer.h"

#include <string.h>

/* Behind a value's first quote: where its last one is. */
static const char *skip_value(const char *at, const char *end)
{
    while (at < end && *at != '"')
        at += *at == '\\' ? 2 : 1;
    MUST(at < end);
    return at;
}

static void check_line(const char *first, const char *second)
{
    tci_audit_line line;
    tci_audit_line_begin(&line, "refused");
    tci_audit_line_text(&line, "peer", first);
    tci_audit_line_number(&line, "bytes", strlen(first));
    tci_audit_line_text(&line, "why", second);
    tci_audit_line_end(&line);
    MUST(line.used > 2 && line.used <= sizeof line.text);
    MUST(memcmp(line.text + line.used - 2, "}\n", 2) == 0);
    unsigned quotes = 0;
    for (const char *at = line.text, *end = line.text + line.used - 2; at < end; at++) {
        MUST(*at >= 0x20 && *at < 0x7f);
        if (*at == '"') {
            at = skip_value(at + 1, end);
            quotes++;
        }
    }
    /* Names and values: time, pid, event, peer; and all that fitted. */
    MUST(quotes >= 7 && quotes <= 10);
}

static void check_printable(const char *text, size_t size, size_t capacity)
{
    char *copy = malloc(capacity);
    MUST(copy != NULL);
    size_t n = size < capacity - 1 ? size : capacity - 1;
    memcpy(copy, text, n);
    copy[n] = '\0';
    tci_printable_text(copy, capacity);
    MUST(strlen(copy) < capacity);
    for (const char *at = copy; *at != '\0'; at++)
        MUST(*at >= 0x20 && *at < 0x7f);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    char *text = malloc(size - 1);
    MUST(text != NULL);
    memcpy(text, data + 2, size - 2);
    text[size - 2] = '\0';
    const char *second = memchr(text, '\n', size - 2);
    check_line(text, second != NULL ? second : text);
    check_printable(text, strlen(text), 1 + (size_t)data[0] + data[1] * 4u);
    free(text);
    return 0;
}
