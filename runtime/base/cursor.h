/* Bounded reading and writing of little-endian bytes.
 *
 * A cursor never steps outside its range: the first access that would sets `failed`, and from
 * then on reads give zero and writes do nothing. A parser therefore reads a whole record and
 * checks once. */
#ifndef TCI_CURSOR_H
#define TCI_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

void tci_reader_init(tci_reader *r, const void *data, size_t size);
/* A view of n bytes inside the range, or NULL (and failed). */
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
/* n <= 8. */
static inline uint64_t tci_read_little_endian(tci_reader *r, size_t n)
{
    const uint8_t *bytes = tci_read_bytes(r, n);
    uint64_t value = 0;
    for (size_t i = 0; bytes != NULL && i < n; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}
static inline uint8_t tci_read_u8(tci_reader *r)
{
    return (uint8_t)tci_read_little_endian(r, 1);
}
static inline uint16_t tci_read_u16(tci_reader *r)
{
    return (uint16_t)tci_read_little_endian(r, 2);
}
static inline uint32_t tci_read_u32(tci_reader *r)
{
    return (uint32_t)tci_read_little_endian(r, 4);
}
static inline uint64_t tci_read_u64(tci_reader *r)
{
    return tci_read_little_endian(r, 8);
}
static inline size_t tci_reader_left(const tci_reader *r)
{
    return r->size - r->at;
}

void tci_writer_init(tci_writer *w, void *data, size_t size);
void tci_write_bytes(tci_writer *w, const void *bytes, size_t n);
/* n <= 8. */
static inline void tci_write_little_endian(tci_writer *w, uint64_t value, size_t n)
{
    if (w->failed || n > w->size - w->at) {
        w->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++)
        w->data[w->at + i] = (uint8_t)(value >> (8 * i));
    w->at += n;
}
static inline void tci_write_u8(tci_writer *w, uint8_t value)
{
    tci_write_little_endian(w, value, 1);
}
static inline void tci_write_u16(tci_writer *w, uint16_t value)
{
    tci_write_little_endian(w, value, 2);
}
static inline void tci_write_u32(tci_writer *w, uint32_t value)
{
    tci_write_little_endian(w, value, 4);
}
static inline void tci_write_u64(tci_writer *w, uint64_t value)
{
    tci_write_little_endian(w, value, 8);
}
/* Zero bytes up to the next multiple of alignment (a power of two). */
void tci_write_padding(tci_writer *w, size_t alignment);

#endif
