#include "text_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS_MAX (1u << 20)

void tci_text_list_fini(tci_text_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    memset(list, 0, sizeof *list);
}

/* Takes ownership of text, which may be NULL when its allocation failed. */
static void append(tci_text_list *list, char *text)
{
    if (text != NULL && list->count + 1 >= list->capacity) {
        size_t capacity = list->capacity == 0 ? 8 : list->capacity * 2;
        /* bound: TEXTS_MAX */
        char **items =
            list->count < TEXTS_MAX ? realloc(list->items, capacity * sizeof *items) : NULL;
        if (items == NULL) {
            free(text);
            text = NULL;
        } else {
            list->items = items;
            list->capacity = capacity;
        }
    }
    if (text == NULL) {
        list->failed = true;
        return;
    }
    list->items[list->count++] = text;
    list->items[list->count] = NULL;
}

void tci_text_list_add(tci_text_list *list, const char *text)
{
    append(list, strdup(text));
}

void tci_text_list_add_bytes(tci_text_list *list, const char *text, size_t size)
{
    append(list, strndup(text, size));
}

void tci_text_list_format(tci_text_list *list, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    va_end(args);
    append(list, text);
}

bool tci_text_list_has(const tci_text_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0)
            return true;
    }
    return false;
}

void tci_text_list_add_once(tci_text_list *list, const char *text)
{
    if (!tci_text_list_has(list, text))
        tci_text_list_add(list, text);
}

void tci_text_list_add_all(tci_text_list *list, const tci_text_list *other)
{
    for (size_t i = 0; i < other->count; i++)
        tci_text_list_add_once(list, other->items[i]);
    list->failed = list->failed || other->failed;
}
