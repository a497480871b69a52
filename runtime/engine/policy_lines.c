#include "policy_lines.h"

#include "base/error_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tci_policy_lines_next(tci_policy_lines *lines)
{
    if (lines->rest == NULL || *lines->rest == '\0')
        return false;
    size_t size = strcspn(lines->rest, "\n");
    lines->line = lines->rest;
    lines->rest += size + (lines->rest[size] == '\n');
    lines->line[size] = '\0';
    lines->line[strcspn(lines->line, "#")] = '\0';
    lines->number++;
    return true;
}

char *tci_policy_lines_word(tci_policy_lines *lines)
{
    char *word = lines->line + strspn(lines->line, " \t\r");
    size_t size = strcspn(word, " \t\r");
    lines->line = word + size;
    if (size == 0)
        return NULL;
    if (*lines->line != '\0')
        *lines->line++ = '\0';
    return word;
}

char *tci_policy_lines_rest(tci_policy_lines *lines)
{
    char *rest = lines->line + strspn(lines->line, " \t\r");
    size_t size = strlen(rest);
    while (size > 0 && strchr(" \t\r", rest[size - 1]) != NULL)
        size--;
    rest[size] = '\0';
    lines->line = rest + size;
    return rest;
}

tc_status tci_policy_lines_refuse(const char *name, unsigned line, tc_error *err,
                                  const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return tci_error_set(err, TC_E_INVALID, "%s line %u: %s", name, line, text);
}
