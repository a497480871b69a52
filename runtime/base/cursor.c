#include "cursor.h"

#include <string.h>

void tci_reader_init(tci_reader *r, const void *data, size_t size)
{
    static const uint8_t nothing[1]; /* adding zero to a null pointer is undefined */
    *r = (tci_reader){.data = data == NULL && size == 0 ? nothing : data, .size = size};
}

const uint8_t *tci_read_bytes(tci_reader *r, size_t n)
{
    if (r->failed || n > r->size - r->at) {
        r->failed = true;
        return NULL;
    }
    const uint8_t *bytes = r->data + r->at;
    r->at += n;
    return bytes;
}

static uint64_t read_little_endian(tci_reader *r, size_t n)
{
    const uint8_t *bytes = tci_read_bytes(r, n);
    uint64_t value = 0;
    if (bytes == NULL)
        return 0;
    for (size_t i = 0; i < n; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint8_t tci_read_u8(tci_reader *r)
{
    return (uint8_t)read_little_endian(r, 1);
}

uint16_t tci_read_u16(tci_reader *r)
{
    return (uint16_t)read_little_endian(r, 2);
}

uint32_t tci_read_u32(tci_reader *r)
{
    return (uint32_t)read_little_endian(r, 4);
}

uint64_t tci_read_u64(tci_reader *r)
{
    return read_little_endian(r, 8);
}

void tci_writer_init(tci_writer *w, void *data, size_t size)
{
    *w = (tci_writer){.data = data, .size = size};
}

void tci_write_bytes(tci_writer *w, const void *bytes, size_t n)
{
    if (w->failed || n > w->size - w->at) {
        w->failed = true;
        return;
    }
    if (n > 0)
        memcpy(w->data + w->at, bytes, n);
    w->at += n;
}

static void write_little_endian(tci_writer *w, uint64_t value, size_t n)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    tci_write_bytes(w, bytes, n);
}

void tci_write_u8(tci_writer *w, uint8_t value)
{
    write_little_endian(w, value, 1);
}

void tci_write_u16(tci_writer *w, uint16_t value)
{
    write_little_endian(w, value, 2);
}

void tci_write_u32(tci_writer *w, uint32_t value)
{
    write_little_endian(w, value, 4);
}

void tci_write_u64(tci_writer *w, uint64_t value)
{
    write_little_endian(w, value, 8);
}

void tci_write_padding(tci_writer *w, size_t alignment)
{
    static const uint8_t zeros[64];
    size_t over = w->at & (alignment - 1);
    if (over != 0)
        tci_write_bytes(w, zeros, alignment - over);
}
