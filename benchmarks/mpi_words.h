/* The exchange of tc-perf with mpi_program.c, two of which are the ranks of the modes of MPI.
 * Each rank has a stream of a unix socket to tc-perf's source. Both ends are parts of one build
 * on one machine, so words travel as they lie in memory.
 *
 * A rank connects, and sends mpi_hello. Then for each mpi_order, which both ranks get, a rank
 * sends mpi_answer, and rank 0 after it the ticks that were wanted. */
#ifndef TC_PERF_MPI_WORDS_H
#define TC_PERF_MPI_WORDS_H

#include <stdint.h>

#define MPI_WORDS_VERSION 0x6d70692d33ull
#define MPI_WORDS_LIBRARY_BYTES 64u

typedef struct mpi_hello {
    uint64_t version; /* MPI_WORDS_VERSION */
    uint64_t rank;
    char library[MPI_WORDS_LIBRARY_BYTES]; /* MPI's name and version, with its end */
} mpi_hello;

typedef enum mpi_words_kind {
    MPI_WORDS_CALLS,  /* rank 1 answers each message with the number of its first eight bytes */
    MPI_WORDS_ECHOES, /* with as many bytes; one at a time */
    MPI_WORDS_MESSAGES /* with nothing but a number behind the last one */
} mpi_words_kind;

/* Rank 0 sends messages of so many bytes, which begin with their number. */
typedef struct mpi_order {
    uint64_t kind;
    uint64_t count;  /* 0: end */
    uint64_t window; /* how many are under way at once */
    uint64_t payload_bytes;
    uint64_t wants_ticks;
} mpi_order;

typedef struct mpi_answer {
    uint64_t took_ns;   /* of all, at rank 0 */
    uint64_t is_wrong;  /* a message was not the one that was expected */
    uint64_t waited_ns; /* for a processor */
} mpi_answer;

/* The byte of a message at an offset behind its number. */
static inline unsigned char mpi_words_byte(uint64_t at)
{
    return (unsigned char)(at * 31 + 7);
}

#endif
