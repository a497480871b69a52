/* Bounded reading and writing of little-endian bytes.
 *
 * A cursor never steps outside its range: the first access that would do so sets `failed`, and
 * from then on reads return zero and writes do nothing. A parser therefore reads a whole record
 * and checks once.
 *
 * All of it is in this header, so that a compiler that sees a whole parser can keep the cursor
 * in registers and drop checks that an earlier access has made: a route is read and written on
 * every hop of a function that travels. */
#ifndef TCI_CURSOR_H
#define TCI_CURSOR_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct tci_reader {
    const uint8_t *data;
    size_t size;
    size_t at;
    bool failed;
} tci_reader;

typedef struct tci_writer {
    uint8_t *data;
    size_t size;
    size_t at;
    bool failed;
} tci_writer;

static inline void tci_reader_init(tci_reader *r, const void *data, size_t size)
{
    static const uint8_t nothing[1]; /* adding zero to a null pointer is undefined */
    *r = (tci_reader){.data = data == NULL && size == 0 ? nothing : data, .size = size};
}
/* Returns a view of n bytes inside the range, or NULL (and sets `failed`). */
static inline const uint8_t *tci_read_bytes(tci_reader *r, size_t n)
{
    if (r->failed || n > r->size - r->at) {
        r->failed = true;
        return NULL;
    }
    const uint8_t *bytes = r->data + r->at;
    r->at += n;
    return bytes;
}
static inline uint8_t tci_read_u8(tci_reader *r)
{
    const uint8_t *bytes = tci_read_bytes(r, 1);
    return bytes != NULL ? *bytes : 0;
}
static inline uint16_t tci_read_u16(tci_reader *r)
{
    uint16_t value = 0;
    const uint8_t *bytes = tci_read_bytes(r, sizeof value);
    if (bytes != NULL)
        memcpy(&value, bytes, sizeof value);
    return le16toh(value);
}
static inline uint32_t tci_read_u32(tci_reader *r)
{
    uint32_t value = 0;
    const uint8_t *bytes = tci_read_bytes(r, sizeof value);
    if (bytes != NULL)
        memcpy(&value, bytes, sizeof value);
    return le32toh(value);
}
static inline uint64_t tci_read_u64(tci_reader *r)
{
    uint64_t value = 0;
    const uint8_t *bytes = tci_read_bytes(r, sizeof value);
    if (bytes != NULL)
        memcpy(&value, bytes, sizeof value);
    return le64toh(value);
}
static inline size_t tci_reader_left(const tci_reader *r)
{
    return r->size - r->at;
}

static inline void tci_writer_init(tci_writer *w, void *data, size_t size)
{
    *w = (tci_writer){.data = data, .size = size};
}
static inline void tci_write_bytes(tci_writer *w, const void *bytes, size_t n)
{
    if (w->failed || n > w->size - w->at) {
        w->failed = true;
        return;
    }
    if (n > 0)
        memcpy(w->data + w->at, bytes, n);
    w->at += n;
}
static inline void tci_write_u8(tci_writer *w, uint8_t value)
{
    tci_write_bytes(w, &value, sizeof value);
}
static inline void tci_write_u16(tci_writer *w, uint16_t value)
{
    value = htole16(value);
    tci_write_bytes(w, &value, sizeof value);
}
static inline void tci_write_u32(tci_writer *w, uint32_t value)
{
    value = htole32(value);
    tci_write_bytes(w, &value, sizeof value);
}
static inline void tci_write_u64(tci_writer *w, uint64_t value)
{
    value = htole64(value);
    tci_write_bytes(w, &value, sizeof value);
}
/* Writes zero bytes up to the next multiple of alignment (a power of two). */
static inline void tci_write_padding(tci_writer *w, size_t alignment)
{
    while ((w->at & (alignment - 1)) != 0 && !w->failed)
        tci_write_u8(w, 0);
}

#endif
