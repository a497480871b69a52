/* k-mers: letters to words, words to owners and slots, and reads with a known answer. */
#include "../../../benchmarks/papers/kmer/kmer_reads.h"
#include "../../../benchmarks/papers/kmer/kmer_table.h"
#include "../../support/test.h"

#include <unistd.h>

#define SLOTS 1024u

static kmer_slot slots[SLOTS];
static const kmer_table table = {slots, SLOTS - 1};

static uint64_t kmer_of(const char *letters)
{
    kmer_scan scan;
    uint64_t kmer = 0;
    kmer_scan_begin(&scan, (uint32_t)strlen(letters));
    for (const char *at = letters; *at != '\0'; at++)
        assert_int_equal(kmer_scan_take(&scan, (uint8_t)*at, &kmer), at[1] == '\0');
    return kmer;
}

TEST(both_strands_have_one_number)
{
    assert_int_equal(kmer_of("ACGTT"), kmer_of("AACGT"));
    assert_int_equal(kmer_of("AAACC"), 5); /* 2 bits each */
    assert_int_equal(kmer_of("gattaca"), kmer_of("TGTAATC"));
    assert_true(kmer_of("ACGTA") != kmer_of("ACGTC"));
    assert_true(kmer_of("ACGTACGTACGTACGTACGTACGTACGTACG") < UINT64_C(1) << 62);
    assert_int_equal(kmer_of("TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT"), 0);
}

TEST(a_letter_that_is_no_base_begins_again)
{
    kmer_scan scan;
    uint64_t kmer;
    unsigned found = 0;
    kmer_scan_begin(&scan, 3);
    for (const char *at = "ACGTN\nACAC GT"; *at != '\0'; at++)
        found += kmer_scan_take(&scan, (uint8_t)*at, &kmer);
    assert_int_equal(found, 2 + 2);
    for (unsigned letter = 0; letter < 256; letter++)
        assert_int_equal(kmer_bases[letter] < KMER_NO_BASE,
                         letter != 0 && strchr("ACGTacgt", (int)letter) != NULL);
}

TEST(no_word_is_0_and_each_has_one_owner)
{
    unsigned owned[3] = {0, 0, 0};
    assert_true(kmer_word(0) != 0);
    for (uint64_t kmer = 0; kmer < 3000; kmer++)
        owned[kmer_owner(kmer_word(kmer), 3)]++;
    for (unsigned owner = 0; owner < 3; owner++)
        assert_in_range(owned[owner], 800, 1200);
    assert_int_equal(kmer_owner(UINT64_MAX, 16), 15);
}

TEST(a_table_counts_until_it_is_full)
{
    kmer_sum sum = {0}, other = {0};
    memset(slots, 0, sizeof slots);
    for (uint64_t kmer = 0; kmer < SLOTS; kmer++)
        assert_true(kmer % 2 ? kmer_table_add(table, kmer_word(kmer), 3)
                             : kmer_table_add_beside(table, kmer_word(kmer), 3));
    assert_true(kmer_table_add(table, kmer_word(1), 1));
    assert_true(kmer_table_add_beside(table, kmer_word(2), 1));
    assert_false(kmer_table_add(table, kmer_word(SLOTS), 1));
    assert_false(kmer_table_add_beside(table, kmer_word(SLOTS), 1));
    kmer_table_sum(table, 1, 1, &sum);
    assert_int_equal(sum.distinct, SLOTS);
    assert_int_equal(sum.total, 3 * SLOTS + 2);
    assert_int_equal(sum.histogram[3], SLOTS - 2);
    assert_int_equal(sum.histogram[4], 2);
    slots[5].count++;
    kmer_table_sum(table, 1, 1, &other);
    assert_false(kmer_sum_equals(&sum, &other));
}

static bool add_all(const char *letters, uint64_t size, uint32_t length)
{
    kmer_scan scan;
    uint64_t kmer;
    kmer_scan_begin(&scan, length);
    for (uint64_t at = 0; at < size; at++) {
        const uint64_t word =
            kmer_scan_take(&scan, (uint8_t)letters[at], &kmer) ? kmer_word(kmer) : 0;
        if (word != 0 && !kmer_table_add_all(table, &word, 1))
            return false;
    }
    return true;
}

TEST(reads_have_the_kmers_of_their_genome)
{
    const kmer_reads_params params = {.genome = 500, .passes = 3, .seed = 9, .length = 21};
    kmer_reads reads;
    kmer_sum known = {0}, whole = {0}, parts = {0};
    assert_true(kmer_reads_create(&params, &reads));
    memset(slots, 0, sizeof slots);
    assert_true(add_all(reads.genome, reads.genome_size, 21));
    kmer_table_sum(table, 3, 1, &known);
    assert_int_equal(known.total, 3 * (500 - 20));

    memset(slots, 0, sizeof slots);
    assert_true(add_all(reads.letters, reads.size, 21));
    kmer_table_sum(table, 1, 1, &whole);
    assert_true(kmer_sum_equals(&known, &whole));

    memset(slots, 0, sizeof slots);
    for (uint32_t rank = 0; rank < 5; rank++) {
        const char *letters;
        uint64_t size;
        kmer_reads_part(&reads, 21, rank, 5, &letters, &size);
        assert_true(add_all(letters, size, 21));
    }
    kmer_table_sum(table, 1, 1, &parts);
    assert_true(kmer_sum_equals(&known, &parts));
    kmer_reads_destroy(&reads);
}

static uint64_t total_of(const kmer_reads_params *params)
{
    kmer_reads reads;
    kmer_sum sum = {0};
    assert_true(kmer_reads_create(params, &reads));
    memset(slots, 0, sizeof slots);
    assert_true(add_all(reads.letters, reads.size, params->length));
    kmer_table_sum(table, 1, 1, &sum);
    kmer_reads_destroy(&reads);
    return sum.total;
}

TEST(files_are_sequences_or_text)
{
    char path[] = "/tmp/kmer_reads_XXXXXX";
    const int file = mkstemp(path);
    static const char content[] = ">one ACGT\nACGT\r\nAC\n>two\nACGNACG";
    assert_true(file >= 0);
    assert_int_equal(write(file, content, sizeof content - 1), sizeof content - 1);
    assert_int_equal(close(file), 0);
    /* ACGTAC and ACGNACG; of the text all 23 letters */
    assert_int_equal(total_of(&(kmer_reads_params){.length = 3, .fasta = path}), 4 + 2);
    assert_int_equal(total_of(&(kmer_reads_params){.length = 3, .text = path}), 23 - 2);
    assert_int_equal(unlink(path), 0);
    kmer_reads none;
    assert_false(kmer_reads_create(&(kmer_reads_params){.length = 3, .fasta = path}, &none));
}
