#include "symbol_pattern.h"

#include <stddef.h>
#include <string.h>

/* Returns whether one character of a pattern covers one of `other`. With `is_pattern`, `other`
 * is part of a pattern, too: its '?' is any character, and its '*' is more than one. */
static bool takes(char own, char other, bool is_pattern)
{
    if (own == '?')
        return !is_pattern || other != '*';
    return own == other;
}

/* Only the last star need be tried again: the part before it was matched as early as
 * possible. */
static bool match(const char *pattern, const char *text, bool is_pattern)
{
    const char *after_star = NULL, *retry = NULL;
    while (*text != '\0') {
        if (*pattern == '*') {
            after_star = ++pattern;
            retry = text;
        } else if (*pattern != '\0' && takes(*pattern, *text, is_pattern)) {
            pattern++;
            text++;
        } else if (after_star != NULL) {
            pattern = after_star;
            text = ++retry;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

bool tci_symbol_pattern_matches(const char *pattern, const char *name)
{
    return match(pattern, name, false);
}

bool tci_symbol_pattern_covers(const char *pattern, const char *other)
{
    return match(pattern, other, true);
}

bool tci_symbol_pattern_is_name(const char *pattern)
{
    return pattern[strcspn(pattern, "*?")] == '\0';
}

static bool is_any(const char *pattern)
{
    return pattern[0] == '*' && pattern[strspn(pattern, "*")] == '\0';
}

bool tci_symbol_pattern_matches_library(const char *pattern, const char *library)
{
    if (library[0] == '@')
        return is_any(pattern) || strcmp(pattern, library) == 0;
    return match(pattern, library, false);
}

bool tci_symbol_pattern_covers_library(const char *pattern, const char *other)
{
    if (other[0] == '@')
        return is_any(pattern) || strcmp(pattern, other) == 0;
    return match(pattern, other, true);
}
