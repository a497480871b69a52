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
uint8_t tci_read_u8(tci_reader *r);
uint16_t tci_read_u16(tci_reader *r);
uint32_t tci_read_u32(tci_reader *r);
uint64_t tci_read_u64(tci_reader *r);
/* A view of n bytes inside the range, or NULL (and failed). */
const uint8_t *tci_read_bytes(tci_reader *r, size_t n);
static inline size_t tci_reader_left(const tci_reader *r)
{
    return r->size - r->at;
}

void tci_writer_init(tci_writer *w, void *data, size_t size);
void tci_write_u8(tci_writer *w, uint8_t value);
void tci_write_u16(tci_writer *w, uint16_t value);
void tci_write_u32(tci_writer *w, uint32_t value);
void tci_write_u64(tci_writer *w, uint64_t value);
void tci_write_bytes(tci_writer *w, const void *bytes, size_t n);
/* Zero bytes up to the next multiple of alignment (a power of two). */
void tci_write_padding(tci_writer *w, size_t alignment);

#endif
