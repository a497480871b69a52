/* Names for an error text, "a, b, c and 7 more": as many as fit, and the number of those that
 * do not. */
#ifndef TCI_NAME_LIST_H
#define TCI_NAME_LIST_H

#include <stddef.h>

#define TCI_NAME_LIST_TEXT_MAX 900

typedef struct tci_name_list {
    size_t count;
    size_t left_out;
    size_t used;
    char text[TCI_NAME_LIST_TEXT_MAX];
} tci_name_list;

/* A list that is all zero is empty. */
void tci_name_list_add(tci_name_list *list, const char *name);

/* Returns the text, with " and 7 more" at its end when names were left out. No name may be
 * added afterwards. */
const char *tci_name_list_finish(tci_name_list *list);

#endif
