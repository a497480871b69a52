/* The letters that ranks count: reads of a generated genome, or a file's.
 *
 * Generated reads cover a random genome with a known answer. A pass over it has a read at each
 * multiple of READ - k + 1, from either strand, so each k-mer of the genome is in exactly one
 * of them: the counts of all passes are those of the genome, multiplied. */
#ifndef TC_KMER_READS_H
#define TC_KMER_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KMER_READ 150u /* letters of a generated read; the last one of a pass may be shorter */

typedef struct kmer_reads_params {
    uint64_t genome; /* letters of the generated genome */
    uint64_t passes;
    uint64_t seed;
    uint32_t length;   /* k */
    const char *fasta; /* a file with sequences, or NULL */
    const char *text;  /* a file whose letters are mapped to bases, or NULL */
} kmer_reads_params;

/* Sequences, each ended by a line break. */
typedef struct kmer_reads {
    char *letters;
    uint64_t size;
    char *genome; /* of generated reads, with a line break; or NULL */
    uint64_t genome_size;
    uint64_t passes;
} kmer_reads;

/* Creates the reads of all ranks. False after a line on stderr. */
bool kmer_reads_create(const kmer_reads_params *params, kmer_reads *reads_out);
void kmer_reads_destroy(kmer_reads *reads);

/* The part of a rank: about as many letters each. A sequence that is cut has the last k - 1
 * letters of one part again in the next. */
void kmer_reads_part(const kmer_reads *reads, uint32_t length, uint32_t rank, uint32_t ranks,
                     const char **letters_out, uint64_t *size_out);

/* Writes a file with a header line for each sequence. False after a line on stderr. */
bool kmer_reads_write(const kmer_reads *reads, const char *path);

#endif
