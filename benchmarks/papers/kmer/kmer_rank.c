#include "kmer_rank.h"

#include <stdio.h>
#include <stdlib.h>

bool kmer_rank_check(tc_status status, const tc_error *err, const char *what)
{
    if (status != TC_OK)
        fprintf(stderr, "kmer: %s: %s: %s\n", what, tc_status_name(status), err->text);
    return status == TC_OK;
}

bool kmer_rank_barrier(const kmer_rank *r)
{
    tc_error err = {TC_OK, ""};
    return kmer_rank_check(tc_group_barrier(r->group, KMER_TIMEOUT_NS, &err), &err, "barrier");
}

bool kmer_rank_create_lanes(kmer_rank *r)
{
    for (uint32_t owner = 0; owner < r->ranks; owner++) {
        kmer_lane *lane = &r->lanes[owner];
        lane->buffers = malloc(sizeof(uint64_t) * KMER_BUFFERS_LEAST * KMER_BATCH_MAX);
        lane->words = lane->buffers;
        if (lane->buffers == NULL) {
            fprintf(stderr, "kmer: no memory\n");
            return false;
        }
    }
    return true;
}

void kmer_rank_destroy_lanes(kmer_rank *r)
{
    for (uint32_t owner = 0; owner < r->ranks; owner++)
        free(r->lanes[owner].buffers);
}

bool kmer_rank_is_full(const kmer_rank *r)
{
    fprintf(stderr, "kmer: the table of rank %u is full: %llu slots\n", r->rank,
            (unsigned long long)r->table.mask + 1);
    return false;
}

/* Batches of the last run may have had another size. */
static void empty_lanes(kmer_rank *r)
{
    const uint32_t count = KMER_BUFFERED / r->batch;
    r->unlooked = 0;
    r->buffer_count = count < KMER_BUFFERS_LEAST ? KMER_BUFFERS_LEAST
                      : count > KMER_BUFFERS     ? KMER_BUFFERS
                                                 : count;
    for (uint32_t owner = 0; owner < r->ranks; owner++) {
        kmer_lane *lane = &r->lanes[owner];
        lane->words = lane->buffers;
        lane->buffer = lane->count = 0;
        lane->batch = owner == r->rank ? KMER_OWN_BATCH : r->batch;
    }
}

static bool count_own(kmer_rank *r, uint32_t owner)
{
    const kmer_lane *lane = &r->lanes[owner];
    return kmer_table_add_all(r->table, lane->words, lane->count) || kmer_rank_is_full(r);
}

static bool take_full(kmer_rank *r, uint32_t owner, kmer_full full, kmer_full own)
{
    if (owner != r->rank)
        return full(r, owner);
    if (!own(r, owner))
        return false;
    r->lanes[owner].count = 0;
    return true;
}

bool kmer_rank_route(kmer_rank *r, kmer_full full, kmer_full own)
{
    kmer_scan scan;
    uint64_t kmer;
    kmer_scan_begin(&scan, r->length);
    empty_lanes(r);
    own = own != NULL ? own : count_own;
    for (uint64_t at = 0; at < r->size; at++) {
        if (!kmer_scan_take(&scan, (uint8_t)r->letters[at], &kmer))
            continue;
        const uint64_t word = kmer_word(kmer);
        const uint32_t owner = kmer_owner(word, r->ranks);
        kmer_lane *lane = &r->lanes[owner];
        lane->words[lane->count++] = word;
        if (lane->count == lane->batch && !take_full(r, owner, full, own))
            return false;
    }
    for (uint32_t owner = 0; owner < r->ranks; owner++) {
        if (r->lanes[owner].count != 0 && !take_full(r, owner, full, own))
            return false;
    }
    return true;
}

bool kmer_rank_count(const char *letters, uint64_t size, uint32_t length, kmer_table table)
{
    uint64_t words[512], kmer;
    uint32_t count = 0;
    kmer_scan scan;
    kmer_scan_begin(&scan, length);
    for (uint64_t at = 0; at < size; at++) {
        if (!kmer_scan_take(&scan, (uint8_t)letters[at], &kmer))
            continue;
        words[count++] = kmer_word(kmer);
        if (count == sizeof words / sizeof *words) {
            if (!kmer_table_add_all(table, words, count))
                return false;
            count = 0;
        }
    }
    return kmer_table_add_all(table, words, count);
}

bool kmer_rank_run_serial(kmer_rank *r)
{
    return r->all == NULL || kmer_rank_count(r->all, r->all_size, r->length, r->whole) ||
           kmer_rank_is_full(r);
}
