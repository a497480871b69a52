#include "kmer_table.h"

#include <string.h>

void kmer_table_sum(kmer_table t, uint64_t times, uint32_t ranks, kmer_sum *sums)
{
    for (uint64_t at = 0; at <= t.mask; at++) {
        const kmer_slot *slot = &t.slots[at];
        const uint64_t count = slot->count * times;
        if (slot->word == 0)
            continue;
        kmer_sum *sum = &sums[kmer_owner(slot->word, ranks)];
        sum->distinct++;
        sum->total += count;
        sum->check += kmer_mix(slot->word ^ count * UINT64_C(0x9e3779b97f4a7c15));
        sum->histogram[count < KMER_HISTOGRAM ? count : KMER_HISTOGRAM - 1]++;
    }
}

bool kmer_sum_equals(const kmer_sum *a, const kmer_sum *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

void kmer_sum_add(kmer_sum *to, const kmer_sum *one)
{
    to->distinct += one->distinct;
    to->total += one->total;
    to->check += one->check;
    for (unsigned count = 0; count < KMER_HISTOGRAM; count++)
        to->histogram[count] += one->histogram[count];
}

uint64_t kmer_table_slots(uint64_t words)
{
    uint64_t slots = 64;
    while (slots * 2 < words * 3)
        slots *= 2;
    return slots;
}
