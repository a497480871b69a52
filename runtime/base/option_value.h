/* An option's value: read from a text, kept in a field of struct tc_options, printed. */
#ifndef TCI_OPTION_VALUE_H
#define TCI_OPTION_VALUE_H

#include "option_table.h"

#include <stddef.h>

typedef enum tci_option_kind {
    TCI_OPTION_CHOICE,
    TCI_OPTION_SIZE,
    TCI_OPTION_TIME,
    TCI_OPTION_COUNT,
    TCI_OPTION_FLAG,
    TCI_OPTION_TEXT
} tci_option_kind;

typedef struct tci_option_row {
    tc_option_info info;
    tci_option_kind kind;
    size_t offset;
    uint64_t min;
    uint64_t max;
    bool power_of_two;
} tci_option_row;

/* Stores the value that `text` says in the row's field; returns false, and stores nothing, when
 * it is outside the row's range, or there is no memory for a text. */
bool tci_option_value_store(struct tc_options *opts, const tci_option_row *row,
                            const char *text);

/* Frees a text of this module, and leaves an empty one. NULL is allowed. */
void tci_option_value_free_text(const char **text);

/* Writes the field's value as tci_option_value_store reads it; cut short where `size` is too
 * small. */
void tci_option_value_print(const struct tc_options *opts, const tci_option_row *row, char *buf,
                            size_t size);

#endif
