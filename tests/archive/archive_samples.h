/* Archives to test with: made of fixed bytes by the writer, or put together by hand where the
 * writer would refuse. */
#ifndef TC_TEST_ARCHIVE_SAMPLES_H
#define TC_TEST_ARCHIVE_SAMPLES_H

#include "archive.h"
#include "archive_layout.h"
#include "archive_pack.h"

typedef struct sample_slice {
    tci_slice info;
    uint8_t bytes[4096];
    size_t size;
    const char *symbols[4];
    size_t symbol_count;
} sample_slice;

typedef enum sample_texture {
    SAMPLE_NOISE, /* no packing helps */
    SAMPLE_TEXT,  /* repetitions at bytes: plain zstd packs it best */
    SAMPLE_BITS   /* repetitions of 12-bit fields, as in bitcode: units pack it best */
} sample_texture;

void sample_fill(sample_texture texture, uint32_t seed, uint8_t *bytes, size_t size);

/* x86_64, aarch64 and riscv64 slices of the texture, size bytes each, with symbols. */
void sample_slices(sample_texture texture, size_t size, sample_slice out[3]);

/* The archive "sample" with all entries, slices added in the given order. For free(). */
void *sample_archive(const sample_slice *slices, const size_t *order, size_t count,
                     size_t *size_out);
void *sample_archive_of(sample_texture texture, size_t size, size_t *size_out);

/* Fails the test unless the archive holds these three slices, in the order of the format. */
void sample_expect(const tci_archive *archive, const sample_slice slices[3]);

/* An archive's parts, for bytes that no writer makes. */
typedef struct forged {
    uint8_t version;
    uint8_t packing;
    uint32_t dictionary;
    uint32_t content_size;
    const void *body;
    size_t body_size;
} forged;

/* Stored content as it should be; tests change the parts under test. */
forged forge_stored(const void *content, size_t size);
/* With a checksum that fits. Returns the size. */
size_t forge(const forged *parts, uint8_t *out, size_t capacity);
/* Opens the archive that forge makes of parts; must fail. Returns the status, the text in
 * err. */
tc_status forge_refused(const forged *parts, tc_error *err);

#endif
