/* The parts of the one-file library that stand for libraries, against these: hashes as
 * libsodium's, and frames as libzstd makes them. */
#include "../../packaging/onefile/zstd_frame.h"
#include "../support/test.h"
#include "onefile/hash.h"

#include <sodium.h>
#include <zstd.h>

#define CONTENT_MAX (400u << 10)
#define MAGIC 4

static void hashes_are_libsodiums(void **state)
{
    uint8_t bytes[1000], key[64], own[64], theirs[64];
    (void)state;
    assert_int_equal(sodium_init() >= 0, 1);
    randombytes_buf(bytes, sizeof bytes);
    randombytes_buf(key, sizeof key);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        const size_t out_size = 16 + size % 49, key_size = size % 3 == 0 ? 0 : 16 + size % 49;
        assert_int_equal(
            crypto_generichash(theirs, out_size, bytes, size, key_size ? key : NULL, key_size),
            0);
        onefile_hash(key_size ? key : NULL, key_size, bytes, size, 1 + size % 300, own,
                     out_size);
        assert_memory_equal(own, theirs, out_size);
    }
}

/* Contents that take different parts of the format: noise, one byte, few symbols, repeats near
 * and far, and words with a skewed distribution. */
static void fill(uint8_t *bytes, size_t size, unsigned kind)
{
    uint32_t random = 1 + kind;
    for (size_t i = 0; i < size; i++) {
        random = random * 1664525u + 1013904223u;
        const uint8_t top = (uint8_t)(random >> 24);
        switch (kind % 6) {
        case 0:
            bytes[i] = top;
            break;
        case 1:
            bytes[i] = 7;
            break;
        case 2:
            bytes[i] = top % 3;
            break;
        case 3:
            bytes[i] = i >= 40 && top > 30 ? bytes[i - 1 - (random >> 8) % 3 * 13] : top;
            break;
        case 4:
            bytes[i] = i >= 70000 && top > 1 ? bytes[i - 70000] : (uint8_t)(top & top >> 4);
            break;
        default:
            bytes[i] =
                (uint8_t) "the frame, its blocks and the literals of each"[(top * top >> 8) %
                                                                           46];
        }
    }
}

static size_t pack(const uint8_t *content, size_t size, int level, uint8_t *frame,
                   size_t capacity)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    assert_non_null(zstd);
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level)));
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 0)));
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_dictIDFlag, 0)));
    size_t n = ZSTD_compress2(zstd, frame, capacity, content, size);
    assert_false(ZSTD_isError(n));
    (void)ZSTD_freeCCtx(zstd);
    return n;
}

static void frames_are_libzstds(void **state)
{
    static const size_t sizes[] = {0,    1,    5,     63,     64,         300,
                                   1025, 5000, 20000, 131072, CONTENT_MAX};
    static const int levels[] = {1, 3, 9, 19, 22, -5};
    const size_t capacity = ZSTD_compressBound(CONTENT_MAX);
    uint8_t *content = malloc(CONTENT_MAX), *frame = malloc(capacity);
    uint8_t *out = malloc(CONTENT_MAX);
    (void)state;
    assert_true(content != NULL && frame != NULL && out != NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (unsigned kind = 0; kind < 6; kind++) {
            fill(content, sizes[i], kind);
            for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
                size_t n = pack(content, sizes[i], levels[l], frame, capacity);
                const char *damage =
                    tci_zstd_frame_unpack(frame + MAGIC, n - MAGIC, out, sizes[i]);
                if (damage != NULL)
                    fail_msg("%zu bytes of kind %u by level %d: %s", sizes[i], kind, levels[l],
                             damage);
                assert_memory_equal(out, content, sizes[i]);
            }
        }
    }
    free(content);
    free(frame);
    free(out);
}

/* A frame that is cut anywhere, too long, or of another content's size has a text. */
static void damage_is_found(void **state)
{
    uint8_t content[5000], frame[6000], out[5001];
    (void)state;
    fill(content, sizeof content, 5);
    size_t n = pack(content, sizeof content, 19, frame, sizeof frame - 1) - MAGIC;
    for (size_t cut = 0; cut < n; cut++)
        assert_non_null(tci_zstd_frame_unpack(frame + MAGIC, cut, out, sizeof content));
    frame[MAGIC + n] = 0;
    assert_non_null(tci_zstd_frame_unpack(frame + MAGIC, n + 1, out, sizeof content));
    assert_non_null(tci_zstd_frame_unpack(frame + MAGIC, n, out, sizeof content - 1));
    assert_non_null(tci_zstd_frame_unpack(frame + MAGIC, n, out, sizeof content + 1));
    assert_null(tci_zstd_frame_unpack(frame + MAGIC, n, out, sizeof content));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_libsodiums),
        cmocka_unit_test(frames_are_libzstds),
        cmocka_unit_test(damage_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
