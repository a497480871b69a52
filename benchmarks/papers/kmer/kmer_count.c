/* Counts the words of its payload in the table of the rank where it runs. */
#include "kmer.h"

#include <tc/entry.h>

void kmer_count_main(void *payload, size_t size, void *target_args)
{
    kmer_share *share = target_args;
    if (!kmer_table_add_all(share->table, payload, (uint32_t)(size / sizeof(uint64_t))))
        share->is_full = 1;
}
