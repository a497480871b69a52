/* Packs lines at the source, unpacks them at the target and inserts them into its database.
 *
 * Needs libzstd and libsqlite3 where it runs; the target loads both when this function arrives.
 * One message is one transaction: whatever is wrong with a batch, nothing of it is inserted,
 * and the target lives on. */
#include "record_batch.h"

#include <tc/entry.h>

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define PACK_LEVEL 9
#define BUSY_MS 2000 /* another program may have the database for a moment */

/* --- at the source --- */

static size_t pack(void *out, size_t room, const record_batch *batch)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    if (zstd == NULL)
        return 0;
    (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, PACK_LEVEL);
    (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    size_t size = ZSTD_compress2(zstd, out, room, batch->bytes, batch->size);
    ZSTD_freeCCtx(zstd);
    return ZSTD_isError(size) ? 0 : size;
}

/* The message has exactly this size, so a bound would travel in full. Packing here gives the
 * size itself. */
size_t record_insert_payload_get_max_size(void *source_args, size_t source_args_size)
{
    record_batch *batch = source_args;
    if (source_args_size != sizeof *batch)
        return 0;
    if (batch->packed == NULL) {
        size_t room = ZSTD_compressBound(batch->size);
        batch->packed = malloc(room);
        batch->packed_size = batch->packed != NULL ? pack(batch->packed, room, batch) : 0;
    }
    return batch->packed_size;
}

int record_insert_payload_init(void *payload, size_t payload_size, void *source_args,
                               size_t source_args_size)
{
    record_batch *batch = source_args;
    if (source_args_size != sizeof *batch || payload_size == 0)
        return -1;
    memcpy(payload, batch->packed, payload_size);
    free(batch->packed);
    batch->packed = NULL;
    return 0;
}

/* --- at the target --- */

typedef struct unpacked {
    char *bytes; /* for free */
    record_head head;
    const char *name;
    const char *text;
} unpacked;

static bool damaged(record_target *target, const char *why)
{
    target->counts.damaged++;
    snprintf(target->counts.error, sizeof target->counts.error, "damaged batch: %s", why);
    return false;
}

static bool failed(record_target *target, const char *what)
{
    target->counts.failed++;
    snprintf(target->counts.error, sizeof target->counts.error, "%s: %s", what,
             sqlite3_errmsg(target->database)); /* "out of memory" for NULL */
    return false;
}

static bool unpack(record_target *target, const void *payload, size_t payload_size,
                   unpacked *out)
{
    unsigned long long size = ZSTD_getFrameContentSize(payload, payload_size);
    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR)
        return damaged(target, "no zstd frame");
    if (size < sizeof out->head || size > RECORD_BATCH_BYTES_MAX)
        return damaged(target, "its size is out of range");
    out->bytes = malloc((size_t)size);
    if (out->bytes == NULL)
        return damaged(target, "out of memory");
    size_t result = ZSTD_decompress(out->bytes, (size_t)size, payload, payload_size);
    if (ZSTD_isError(result))
        return damaged(target, ZSTD_getErrorName(result));
    memcpy(&out->head, out->bytes, sizeof out->head);
    out->name = out->bytes + sizeof out->head;
    out->text = out->name + out->head.name_bytes;
    if (result != sizeof out->head + (uint64_t)out->head.name_bytes + out->head.text_bytes)
        return damaged(target, "its parts do not add up");
    return true;
}

static bool open_database(record_target *target)
{
    static const char schema[] =
        "PRAGMA journal_mode = WAL;"
        "PRAGMA synchronous = NORMAL;"
        "CREATE TABLE IF NOT EXISTS lines"
        " (file TEXT, line INTEGER, text TEXT, PRIMARY KEY (file, line)) WITHOUT ROWID;";
    if (target->database != NULL)
        return true;
    sqlite3 *database = NULL;
    bool ok = sqlite3_open(target->path, &database) == SQLITE_OK &&
              sqlite3_busy_timeout(database, BUSY_MS) == SQLITE_OK &&
              sqlite3_exec(database, schema, NULL, NULL, NULL) == SQLITE_OK;
    target->database = database;
    if (ok)
        return true;
    (void)failed(target, target->path);
    sqlite3_close(database);
    target->database = NULL;
    return false;
}

/* Bound as text of a given length: SQLite keeps every byte, also those that are no UTF-8. */
static bool insert_line(sqlite3_stmt *insert, const unpacked *batch, uint64_t line,
                        const char *text, size_t size)
{
    bool ok = sqlite3_bind_text(insert, 1, batch->name, (int)batch->head.name_bytes,
                                SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_int64(insert, 2, (sqlite3_int64)line) == SQLITE_OK &&
              sqlite3_bind_text(insert, 3, text, (int)size, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_step(insert) == SQLITE_DONE;
    return sqlite3_reset(insert) == SQLITE_OK && ok;
}

static bool insert_lines(sqlite3 *database, const unpacked *batch, uint64_t *rows_out)
{
    sqlite3_stmt *insert;
    if (sqlite3_prepare_v2(database, "INSERT OR REPLACE INTO lines VALUES (?, ?, ?)", -1,
                           &insert, NULL) != SQLITE_OK)
        return false;
    const char *text = batch->text, *end = text + batch->head.text_bytes;
    uint64_t rows = 0;
    bool ok = true;
    while (ok && text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *next = newline != NULL ? newline + 1 : end;
        ok = insert_line(insert, batch, batch->head.first_line + rows, text,
                         (size_t)(next - text));
        rows++;
        text = next;
    }
    sqlite3_finalize(insert);
    *rows_out = rows;
    return ok;
}

static void insert_batch(record_target *target, const unpacked *batch)
{
    sqlite3 *database = target->database;
    uint64_t rows;
    if (sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
        insert_lines(database, batch, &rows) &&
        sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK) {
        target->counts.batches++;
        target->counts.rows += rows;
        return;
    }
    (void)failed(target, "insert");
    (void)sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
}

void record_insert_main(void *payload, size_t payload_size, void *target_args)
{
    record_target *target = target_args;
    unpacked batch = {.bytes = NULL};
    if (target == NULL)
        return; /* record_close reports it to the source */
    if (unpack(target, payload, payload_size, &batch)) {
        if (target->counts.run != batch.head.run)
            target->counts = (record_counts){.run = batch.head.run};
        if (open_database(target))
            insert_batch(target, &batch);
    }
    free(batch.bytes);
}
