/* Types shared by the sending program, the functions that it sends and the target.
 *
 * A batch is some whole lines of one file. It travels as one zstd frame with a checksum. Its
 * content is a record_head, the file's name and the lines, without gaps. In the target's
 * database each line is a row; its text keeps its line end, so the rows of a file in order are
 * the file. */
#ifndef RECORD_BATCH_H
#define RECORD_BATCH_H

#include <stddef.h>
#include <stdint.h>

#define RECORD_BATCH_BYTES_MAX (1u << 20) /* unpacked */
#define RECORD_ERROR_TEXT_MAX 128

typedef struct record_head {
    uint64_t run;        /* of a source: separates its counts from those of the one before */
    uint64_t first_line; /* number of the batch's first line; a file's first is 1 */
    uint32_t name_bytes;
    uint32_t text_bytes;
} record_head;

/* The source arguments of record_insert. */
typedef struct record_batch {
    const void *bytes; /* head, name, lines */
    size_t size;
    /* Made by record_insert_payload_get_max_size, taken by _payload_init; NULL otherwise. From
     * malloc. */
    void *packed;
    size_t packed_size;
} record_batch;

/* Counts of one run of a source. */
typedef struct record_counts {
    uint64_t run;
    uint64_t batches; /* inserted */
    uint64_t rows;
    uint64_t damaged; /* batches refused, nothing of them inserted */
    uint64_t failed;  /* batches that the database did not take, nothing of them inserted */
    /* about the newest damaged or failed batch; may be empty */
    char error[RECORD_ERROR_TEXT_MAX];
} record_counts;

/* The target's own: target_args of both functions. It does not know databases. */
typedef struct record_target {
    const char *path; /* where records are kept */
    void *database;   /* the handle that keeps them open; NULL at first */
    record_counts counts;
} record_target;

#endif
