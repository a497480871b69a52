/* A growing list of owned texts: arguments, findings, symbols, library names.
 *
 * A failed allocation is remembered, not returned, so that a caller builds a whole list and
 * checks `failed` once. */
#ifndef TCI_TEXT_LIST_H
#define TCI_TEXT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <tc/status.h>

typedef struct tci_text_list {
    /* items[count] is NULL: the list is also an argv; NULL while nothing was ever added */
    char **items;
    size_t count;
    size_t capacity;
    bool failed;
} tci_text_list;

/* All zero is an empty list. */
void tci_text_list_fini(tci_text_list *list);

void tci_text_list_add(tci_text_list *list, const char *text);
void tci_text_list_add_bytes(tci_text_list *list, const char *text, size_t size);
void tci_text_list_format(tci_text_list *list, const char *fmt, ...) TC_PRINTF(2, 3);

/* Does nothing when the list has the text already. */
void tci_text_list_add_once(tci_text_list *list, const char *text);
bool tci_text_list_has(const tci_text_list *list, const char *text);

void tci_text_list_add_all(tci_text_list *list, const tci_text_list *other);

#endif
