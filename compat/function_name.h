/* Valid names of functions: C identifiers, so a name cannot contain a path. */
#ifndef TCI_FUNCTION_NAME_H
#define TCI_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define TCI_FUNCTION_NAME_MAX 64 /* bytes, with terminator */

static inline bool tci_function_name_is_good(const char *name)
{
    size_t n = 0;
    for (; name[n] != '\0' && n < TCI_FUNCTION_NAME_MAX; n++) {
        char c = name[n];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (n == 0 || c < '0' || c > '9'))
            return false;
    }
    return n > 0 && n < TCI_FUNCTION_NAME_MAX;
}

#endif
