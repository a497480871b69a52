/* The bytes that messages.txt and several.txt have for a name. */
#ifndef PAIRS_GOLDEN_H
#define PAIRS_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOLDEN_MAX = 256 }; /* bytes of one line */

static inline void require(int holds, const char *name, const char *language, const char *found)
{
    if (!holds) {
        fprintf(stderr, "C to %s, %s: %s\n", language, name, found);
        exit(1);
    }
}

static inline size_t golden_bytes(const char *path, const char *name,
                                  unsigned char bytes[GOLDEN_MAX])
{
    char line[3 * GOLDEN_MAX], found[32];
    size_t count = 0;
    FILE *file = fopen(path, "r");
    require(file != NULL, name, "a file", path);
    while (fgets(line, sizeof line, file) != NULL) {
        int at = 0;
        if (sscanf(line, "%31s%n", found, &at) != 1 || strcmp(found, name) != 0)
            continue;
        unsigned byte;
        int next;
        while (count < GOLDEN_MAX && sscanf(line + at, " %2x%n", &byte, &next) == 1) {
            bytes[count++] = (unsigned char)byte;
            at += next;
        }
        break;
    }
    fclose(file);
    return count;
}

#endif
