#include "kmer_reads.h"

#include "kmer_code.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fail(const char *what, const char *why)
{
    fprintf(stderr, "kmer: %s: %s\n", what, why);
    return false;
}

/* --- generated reads --------------------------------------------------------------------- */

/* Bases come from a counter, mixed, so any part can be made alone. */
static void make_genome(const kmer_reads_params *p, char *genome)
{
    for (uint64_t at = 0; at < p->genome; at++)
        genome[at] = "ACGT"[kmer_mix(p->seed + at + 1) >> 62];
    genome[p->genome] = '\n';
}

static void put_backward(const char *from, uint64_t size, char *to)
{
    for (uint64_t at = 0; at < size; at++)
        to[at] = "TGCA"[kmer_bases[(uint8_t)from[size - 1 - at]]];
}

/* The numbers of a pass's reads, in an order of its own. */
static void shuffle(uint64_t *numbers, uint64_t count, uint64_t seed)
{
    for (uint64_t at = 0; at < count; at++)
        numbers[at] = at;
    for (uint64_t at = count; at > 1; at--) {
        const uint64_t other = kmer_mix(seed + at) % at, number = numbers[at - 1];
        numbers[at - 1] = numbers[other];
        numbers[other] = number;
    }
}

static void make_pass(const kmer_reads_params *p, uint64_t pass, kmer_reads *reads,
                      uint64_t *numbers, uint64_t count)
{
    const uint64_t step = KMER_READ - p->length + 1, seed = kmer_mix(p->seed ^ (pass + 1));
    shuffle(numbers, count, seed);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t begin = numbers[i] * step, rest = p->genome - begin;
        const uint64_t size = rest < KMER_READ ? rest : KMER_READ;
        char *to = reads->letters + reads->size;
        if (kmer_mix(seed ^ numbers[i]) >> 63 == 0)
            memcpy(to, reads->genome + begin, size);
        else
            put_backward(reads->genome + begin, size, to);
        to[size] = '\n';
        reads->size += size + 1;
    }
}

static bool generate(const kmer_reads_params *p, kmer_reads *reads)
{
    const uint64_t step = KMER_READ - p->length + 1;
    const uint64_t count = (p->genome - p->length + 1 + step - 1) / step;
    uint64_t *numbers = malloc(count * sizeof *numbers);
    reads->genome = malloc(p->genome + 1);
    reads->letters = malloc(p->passes * count * (KMER_READ + 1));
    reads->genome_size = p->genome + 1;
    reads->passes = p->passes;
    if (numbers == NULL || reads->genome == NULL || reads->letters == NULL) {
        free(numbers);
        return fail("reads", "no memory");
    }
    make_genome(p, reads->genome);
    for (uint64_t pass = 0; pass < p->passes; pass++)
        make_pass(p, pass, reads, numbers, count);
    free(numbers);
    return true;
}

/* --- files ------------------------------------------------------------------------------- */

static bool read_file(const char *path, kmer_reads *reads)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file == NULL)
        return fail(path, strerror(errno));
    if (fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    rewind(file);
    reads->letters = size >= 0 ? malloc((size_t)size + 1) : NULL;
    const bool ok =
        reads->letters != NULL && fread(reads->letters, 1, (size_t)size, file) == (size_t)size;
    (void)fclose(file);
    if (!ok)
        return fail(path, "cannot be read");
    reads->letters[size] = '\n';
    reads->size = (uint64_t)size + 1;
    return true;
}

/* Header lines become the end of the sequence before, and lines of a sequence one. */
static void join_lines(kmer_reads *reads)
{
    uint64_t to = 0;
    bool in_header = false;
    for (uint64_t at = 0; at < reads->size; at++) {
        const char letter = reads->letters[at];
        const bool begins = at == 0 || reads->letters[at - 1] == '\n';
        if (begins && (letter == '>' || letter == ';')) {
            in_header = true;
            if (to != 0)
                reads->letters[to++] = '\n';
        }
        if (!in_header && letter != '\n' && letter != '\r')
            reads->letters[to++] = letter;
        in_header = in_header && letter != '\n';
    }
    if (to < reads->size)
        reads->letters[to++] = '\n';
    reads->size = to;
}

/* A letter's two lowest bits are its base; the rest of a text is left out. */
static void map_letters(kmer_reads *reads)
{
    uint64_t to = 0;
    for (uint64_t at = 0; at < reads->size; at++) {
        const char lower = (char)(reads->letters[at] | 0x20);
        if (lower >= 'a' && lower <= 'z')
            reads->letters[to++] = "ACGT"[lower & 3];
    }
    if (to < reads->size)
        reads->letters[to++] = '\n';
    reads->size = to;
}

bool kmer_reads_create(const kmer_reads_params *params, kmer_reads *reads_out)
{
    bool ok;
    *reads_out = (kmer_reads){.passes = 1};
    if (params->fasta == NULL && params->text == NULL) {
        ok = params->genome >= params->length ? generate(params, reads_out)
                                              : fail("genome", "shorter than a k-mer");
    } else {
        ok = read_file(params->fasta != NULL ? params->fasta : params->text, reads_out);
        if (ok && params->fasta != NULL)
            join_lines(reads_out);
        else if (ok)
            map_letters(reads_out);
    }
    if (!ok)
        kmer_reads_destroy(reads_out);
    return ok;
}

void kmer_reads_destroy(kmer_reads *reads)
{
    free(reads->letters);
    free(reads->genome);
    *reads = (kmer_reads){.passes = 1};
}

/* Where a part begins: it has the k-mers that end from there on. */
void kmer_reads_part(const kmer_reads *reads, uint32_t length, uint32_t rank, uint32_t ranks,
                     const char **letters_out, uint64_t *size_out)
{
    const uint64_t end = reads->size * (rank + 1) / ranks;
    uint64_t begin = reads->size * rank / ranks;
    begin = begin > length - 1 ? begin - (length - 1) : 0;
    *letters_out = reads->letters + begin;
    *size_out = end - begin;
}

bool kmer_reads_write(const kmer_reads *reads, const char *path)
{
    FILE *file = fopen(path, "wb");
    uint64_t number = 0;
    if (file == NULL)
        return fail(path, strerror(errno));
    for (uint64_t at = 0; at < reads->size;) {
        const char *line = reads->letters + at;
        const char *end = memchr(line, '\n', reads->size - at);
        const uint64_t size = (end != NULL ? (uint64_t)(end - line) : reads->size - at) + 1;
        (void)fprintf(file, ">%llu\n", (unsigned long long)number++);
        (void)fwrite(line, 1, size, file);
        at += size;
    }
    return fclose(file) == 0 || fail(path, strerror(errno));
}
