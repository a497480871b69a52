/* The decoder of the one-file library, beside libzstd. With an even first byte the input is a
 * frame: where both unpack it, both give the same. With an odd one it is content: a frame that
 * libzstd makes of it, by the level in the second byte, is unpacked to it. */
#include "../../packaging/onefile/zstd_frame.h"
#include "fuzzer.h"

#include <string.h>
#include <zstd.h>

#define CONTENT_MAX 65536u
#define MAGIC 4

static const uint8_t magic[MAGIC] = {0x28, 0xb5, 0x2f, 0xfd};

static void unpack(const uint8_t *bytes, size_t size, size_t content_size)
{
    uint8_t *frame = malloc(MAGIC + size), *own = malloc(content_size > 0 ? content_size : 1);
    uint8_t *theirs = malloc(content_size + 1);
    if (frame == NULL || own == NULL || theirs == NULL)
        abort();
    memcpy(frame, magic, MAGIC);
    memcpy(frame + MAGIC, bytes, size);
    /* Memory of exactly that size, so that a sanitizer sees the first byte behind it. */
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL)
        abort();
    memcpy(exact, bytes, size);
    const char *damage = tci_zstd_frame_unpack(exact, size, own, content_size);
    if (damage == NULL &&
        ZSTD_decompress(theirs, content_size, frame, MAGIC + size) == content_size &&
        memcmp(own, theirs, content_size) != 0)
        abort();
    free(exact);
    free(frame);
    free(own);
    free(theirs);
}

static void pack_and_unpack(const uint8_t *content, size_t size, int level)
{
    size_t capacity = ZSTD_compressBound(size);
    uint8_t *frame = malloc(capacity), *out = malloc(size + 1);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    if (frame == NULL || out == NULL || zstd == NULL)
        abort();
    (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
    (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 0);
    size_t n = ZSTD_compress2(zstd, frame, capacity, content, size);
    if (ZSTD_isError(n) || tci_zstd_frame_unpack(frame + MAGIC, n - MAGIC, out, size) != NULL ||
        memcmp(out, content, size) != 0)
        abort();
    (void)ZSTD_freeCCtx(zstd);
    free(frame);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    if (data[0] % 2 == 0)
        unpack(data + 3, size - 3, (data[1] | (size_t)data[2] << 8) % CONTENT_MAX);
    else
        pack_and_unpack(data + 2, size - 2, data[1] % 12 + 1);
    return 0;
}
