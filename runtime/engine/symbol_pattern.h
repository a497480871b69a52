/* Patterns of names: '*' stands for any characters, also none, '?' for one, everything else for
 * itself. Pure functions on text, at worst in the product of both lengths. */
#ifndef TCI_SYMBOL_PATTERN_H
#define TCI_SYMBOL_PATTERN_H

#include <stdbool.h>

bool tci_symbol_pattern_matches(const char *pattern, const char *name);

/* Returns whether `pattern` matches every name that `other` matches. False also for a few pairs
 * for which that is true but hard to see ("?*" and "*?"). */
bool tci_symbol_pattern_covers(const char *pattern, const char *other);

/* Returns whether it is a plain name: it holds neither '*' nor '?'. */
bool tci_symbol_pattern_is_name(const char *pattern);

/* Do the same for libraries: a name that begins with '@' is no file's, and is matched by itself
 * and by "*" alone. */
bool tci_symbol_pattern_matches_library(const char *pattern, const char *library);
bool tci_symbol_pattern_covers_library(const char *pattern, const char *other);

#endif
