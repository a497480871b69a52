/* The functions that Listing 1.3 calls, by the parts of examples/record_insert: zstd instead of
 * paq8px, and SQLite as the database. A record is a record_batch. */
#ifndef PAQ8PX_H
#define PAQ8PX_H

#include "record_batch.h"

#include <stddef.h>

typedef record_target *db_handler;

size_t record_insert_payload_get_max_size(void *source_args, size_t source_args_size);
int record_insert_payload_init(void *payload, size_t payload_size, void *source_args,
                               size_t source_args_size);
void record_insert_main(void *payload, size_t payload_size, void *target_args);

static inline size_t est_output_size(void *record, size_t record_size)
{
    return record_insert_payload_get_max_size(record, record_size);
}

static inline void encode(void *out, size_t out_size, void *record, size_t record_size)
{
    (void)record_insert_payload_init(out, out_size, record, record_size);
}

static inline void decode_insert(db_handler database, void *packed, size_t packed_size)
{
    record_insert_main(packed, packed_size, database);
}

#endif
