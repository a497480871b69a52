/* Finding the known name that a misspelt one stands for. */
#ifndef TCI_NEAR_NAME_H
#define TCI_NEAR_NAME_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { TCI_NEAR_NAME_MAX = 48 }; /* bytes of a name; longer ones have no near name */

/* Returns how many letters have to be added, left out or changed; upper and lower case are the
 * same. */
static __attribute__((noinline, unused)) size_t tci_near_name_distance(const char *a,
                                                                       const char *b)
{
    size_t row[TCI_NEAR_NAME_MAX + 1];
    size_t n = strlen(a), m = strlen(b);
    if (n > TCI_NEAR_NAME_MAX || m > TCI_NEAR_NAME_MAX)
        return TCI_NEAR_NAME_MAX;
    for (size_t k = 0; k <= m; k++)
        row[k] = k;
    for (size_t i = 1; i <= n; i++) {
        size_t before = row[0];
        row[0] = i;
        for (size_t k = 1; k <= m; k++) {
            size_t above = row[k];
            bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[k - 1]);
            size_t least = above < row[k - 1] ? above + 1 : row[k - 1] + 1;
            row[k] = before + !same < least ? before + !same : least;
            before = above;
        }
    }
    return row[m];
}

/* Returns whether `known` is nearer to `name` than *best, and near enough: one letter in four
 * may be wrong. *best, at first TCI_NEAR_NAME_MAX, becomes its distance. */
static inline bool tci_near_name(const char *name, const char *known, size_t *best)
{
    size_t d = tci_near_name_distance(name, known);
    if (d >= *best || 4 * d > strlen(known) + 3)
        return false;
    *best = d;
    return true;
}

#endif
