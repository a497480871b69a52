/* A server's table: the text of its share of all files below some folders, in memory. */
#ifndef TEXT_TABLE_H
#define TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct text_table {
    char *text;
    size_t size; /* bytes; ends with a newline unless it is 0 */
    size_t room;
    size_t files;
} text_table;

/* Reads regular files, and of links only those that `paths` names; of every `shares` of them,
 * in the order of their paths, number `share`. A file that cannot be read is complained about,
 * and fails the whole. `paths` ends with NULL. */
bool text_table_read(char *const *paths, uint32_t share, uint32_t shares,
                     text_table *table_out);
void text_table_free(text_table *table);

#endif
