#include "deps_list.h"

#include "library_set.h"

#include <string.h>

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool tci_deps_list_is_soname(const char *text, size_t size)
{
    if (size == 0 || !is_alphanumeric(text[0]))
        return false;
    for (size_t i = 0; i < size; i++) {
        bool punctuation = text[i] == '.' || text[i] == '_' || text[i] == '+' || text[i] == '-';
        if (!is_alphanumeric(text[i]) && !punctuation)
            return false;
    }
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts comment and blanks off a line. */
static void trim(const char **line, size_t *size)
{
    const char *comment = memchr(*line, '#', *size);
    if (comment != NULL)
        *size = (size_t)(comment - *line);
    while (*size > 0 && is_blank((*line)[*size - 1]))
        (*size)--;
    while (*size > 0 && is_blank(**line)) {
        (*line)++;
        (*size)--;
    }
}

bool tci_deps_list_next(tci_deps_list *lines, const char **line_out, size_t *size_out)
{
    while (lines->rest_size > 0) {
        const char *end = memchr(lines->rest, '\n', lines->rest_size);
        *line_out = lines->rest;
        *size_out = end != NULL ? (size_t)(end - lines->rest) : lines->rest_size;
        size_t step = end != NULL ? *size_out + 1 : *size_out;
        lines->rest += step;
        lines->rest_size -= step;
        lines->number++;
        trim(line_out, size_out);
        if (*size_out > 0)
            return true;
    }
    return false;
}

bool tci_deps_list_has_come(const char *line, size_t size)
{
    const size_t n = strlen(TCI_LIBRARY_PREFIX);
    return size > n && memcmp(line, TCI_LIBRARY_PREFIX, n) == 0;
}

bool tci_deps_list_opens_any(const char *deps, size_t deps_size)
{
    tci_deps_list lines = {.rest = deps, .rest_size = deps_size};
    const char *line;
    size_t size;
    while (tci_deps_list_next(&lines, &line, &size)) {
        if (!tci_deps_list_has_come(line, size))
            return true;
    }
    return false;
}
