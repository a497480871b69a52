#include "line_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* regcomp wants a string. */
static int compile(regex_t *regex, const char *pattern, size_t size)
{
    char *text = strndup(pattern, size);
    int status = text != NULL ? regcomp(regex, text, REG_EXTENDED | REG_NOSUB) : REG_ESPACE;
    free(text);
    return status;
}

bool line_filter_init(line_filter *filter, unsigned kind, const char *pattern,
                      size_t pattern_bytes, char *why, size_t why_room)
{
    int status;
    if (kind > LINE_FILTER_REGEX || (kind != LINE_FILTER_ALL && pattern_bytes == 0)) {
        (void)snprintf(why, why_room, "a filter of kind %u with a pattern of %zu bytes", kind,
                       pattern_bytes);
        return false;
    }
    if (memchr(pattern, '\n', pattern_bytes) != NULL || memchr(pattern, 0, pattern_bytes)) {
        (void)snprintf(why, why_room, "a pattern with a byte that ends lines or texts");
        return false;
    }
    *filter = (line_filter){
        .kind = (line_filter_kind)kind, .pattern = pattern, .pattern_bytes = pattern_bytes};
    if (kind == LINE_FILTER_REGEX &&
        (status = compile(&filter->regex, pattern, pattern_bytes)) != 0) {
        (void)regerror(status, NULL, why, why_room);
        return false;
    }
    return true;
}

void line_filter_fini(line_filter *filter)
{
    if (filter->kind == LINE_FILTER_REGEX)
        regfree(&filter->regex);
    free(filter->line);
}

static const char *end_of_line(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline != NULL ? newline + 1 : end;
}

/* Looks for the text first, and for the line around it then. */
static bool next_with_text(const line_filter *filter, const char *at, const char *end,
                           line_span *line_out)
{
    const char *found = memmem(at, (size_t)(end - at), filter->pattern, filter->pattern_bytes);
    if (found == NULL)
        return false;
    const char *newline = memrchr(at, '\n', (size_t)(found - at));
    *line_out = (line_span){newline != NULL ? newline + 1 : at, end_of_line(found, end)};
    return true;
}

static bool make_room(line_filter *filter, size_t room)
{
    if (room <= filter->room)
        return true;
    char *line = realloc(filter->line, room * 2);
    if (line == NULL)
        return false;
    filter->line = line;
    filter->room = room * 2;
    return true;
}

/* regexec wants a string: one inside a larger text it takes as an extension only. */
static bool matches(line_filter *filter, const line_span *line)
{
    size_t size = (size_t)(line->end - line->start);
    if (!make_room(filter, size + 1))
        return false;
    memcpy(filter->line, line->start, size);
    size -= size > 0 && filter->line[size - 1] == '\n';
    filter->line[size] = '\0';
    return regexec(&filter->regex, filter->line, 0, NULL, 0) == 0;
}

bool line_filter_next(line_filter *filter, const char *at, const char *end, line_span *line_out)
{
    if (filter->kind == LINE_FILTER_TEXT)
        return next_with_text(filter, at, end, line_out);
    for (line_span line; at < end; at = line.end) {
        line = (line_span){at, end_of_line(at, end)};
        if (filter->kind == LINE_FILTER_ALL || matches(filter, &line)) {
            *line_out = line;
            return true;
        }
    }
    return false;
}
