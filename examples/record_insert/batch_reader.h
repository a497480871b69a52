/* Cuts a text file into batches of whole lines. */
#ifndef BATCH_READER_H
#define BATCH_READER_H

#include "record_batch.h"

#include <stdbool.h>

typedef struct batch_reader {
    const char *path; /* the caller's */
    uint64_t run;     /* goes into every batch */
    char *text;       /* the whole file */
    size_t size;
    size_t at;     /* where the next batch starts */
    uint64_t line; /* its first line's number */
    char *bytes;   /* the newest batch */
} batch_reader;

/* False, with a line on stderr, when the file cannot be read. */
bool batch_reader_open(const char *path, uint64_t run, batch_reader *reader_out);
void batch_reader_close(batch_reader *reader);

static inline bool batch_reader_has_more(const batch_reader *reader)
{
    return reader->at < reader->size;
}

/* The next lines: as many whole ones as fit batch_bytes, and one at least. The bytes of
 * *batch_out are valid until the next call. False, with a line on stderr, when one line is too
 * long for any batch, or without memory. */
bool batch_reader_next(batch_reader *reader, size_t batch_bytes, record_batch *batch_out);

#endif
