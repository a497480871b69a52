/* The one-file library has no dictionaries of archives, and no state of libzstd. */
#include "archive_dictionary.h"

#include <stdlib.h>

size_t tci_dictionary_count(void)
{
    return 0;
}

/* Aborts: an index would be one of no dictionaries. */
const tci_dictionary_file *tci_dictionary_at(size_t index)
{
    (void)index;
    abort();
}

size_t tci_dictionary_find(uint32_t id)
{
    (void)id;
    return TCI_DICTIONARY_NONE;
}
