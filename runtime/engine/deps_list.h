/* Reads the lines of a .deps list: the libraries that a function needs. tci_symbols_create
 * checks them. */
#ifndef TCI_DEPS_LIST_H
#define TCI_DEPS_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* The unread rest of a list. */
typedef struct tci_deps_list {
    const char *rest;
    size_t rest_size;
    unsigned number; /* of the line returned last, from 1 */
} tci_deps_list;

/* Gives the next line that is not empty, without comment and blanks; false at the end. */
bool tci_deps_list_next(tci_deps_list *list, const char **line_out, size_t *size_out);

/* Returns whether a line names a library that comes by messages: "tc:" and a name. */
bool tci_deps_list_has_come(const char *line, size_t size);
/* Returns whether a text has letters, digits and . _ + - alone, the first one a letter or
 * digit. */
bool tci_deps_list_is_soname(const char *text, size_t size);

/* Returns whether a list names any library that has to be opened. */
bool tci_deps_list_opens_any(const char *deps, size_t deps_size);

#endif
