/* The lines of a .deps list: which libraries a function wants. tci_symbols_create judges them. */
#ifndef TCI_DEPS_LIST_H
#define TCI_DEPS_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* The text from here on. */
typedef struct tci_deps_list {
    const char *rest;
    size_t rest_size;
    unsigned number; /* of the line that was given last, from 1 */
} tci_deps_list;

/* The next line that holds something, without comment and blanks. False: there is none. */
bool tci_deps_list_next(tci_deps_list *list, const char **line_out, size_t *size_out);

/* Whether a line names a library that comes by messages: "tc:" and a name. */
bool tci_deps_list_has_come(const char *line, size_t size);
/* Letters, digits and . _ + -, the first one a letter or digit. */
bool tci_deps_list_is_soname(const char *text, size_t size);

/* Whether such a text names any library that has to be opened. */
bool tci_deps_list_opens_any(const char *deps, size_t deps_size);

#endif
