/* Frames are plain zstd frames without what the archive says already: checksum, content size,
 * and the four magic bytes, which are cut off here and put back for unpacking. (zstd's own
 * "magicless" format is the same bytes, but not part of its stable interface.) */
#include "archive_pack.h"

#include "archive.h"
#include "archive_layout.h"
#include "base/error_text.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#define UNITS_PER_BYTE 4u
#define RATIO_MAX 1024u
#define RATIO_FLOOR 65536u /* content that needs no justification, bytes */

/* From here on level 22 takes hundreds of megabytes and seconds for well under a percent. */
#define BIG_CONTENT (4u << 20)
/* Writers try units up to here; beyond, time is better spent than on them. */
#define TRY_UNITS_CONTENT_MAX (1u << 20)

static const uint8_t frame_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};

static const struct {
    tci_packing packing;
    int min_match; /* 0: zstd's choice */
} attempts[] = {
    {TCI_PACKING_ZSTD, 0},
    {TCI_PACKING_ZSTD_UNITS, 0},
    {TCI_PACKING_ZSTD_UNITS, 6},
};

bool tci_pack_ratio_ok(size_t content_size, size_t packed_size)
{
    return content_size <= RATIO_FLOOR || content_size / RATIO_MAX <= packed_size;
}

const char *tci_packing_text(unsigned packing)
{
    switch (packing) {
    case TCI_PACKING_STORED:
        return "stored";
    case TCI_PACKING_ZSTD:
        return "zstd";
    case TCI_PACKING_ZSTD_UNITS:
        return "zstd of 2-bit units";
    default:
        return NULL;
    }
}

static void spread_units(const uint8_t *bytes, size_t size, uint8_t *units)
{
    for (size_t i = 0; i < size; i++) {
        for (size_t k = 0; k < UNITS_PER_BYTE; k++)
            units[i * UNITS_PER_BYTE + k] = (bytes[i] >> (2 * k)) & 3;
    }
}

/* False when one of the units is more than two bits. */
static bool gather_units(const uint8_t *units, uint8_t *bytes, size_t size)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < size; i++, units += UNITS_PER_BYTE) {
        uint32_t four;
        memcpy(&four, units, sizeof four); /* the lowest first: hosts are little-endian */
        seen |= four;
        bytes[i] = (uint8_t)(four | four >> 6 | four >> 12 | four >> 18);
    }
    return (seen & 0xfcfcfcfc) == 0;
}

static tc_status zstd_failed(const char *what, size_t code, tc_status status, tc_error *err)
{
    return tci_error_set(err, status, "archive content: %s: %s", what, ZSTD_getErrorName(code));
}

static tc_status set_parameters(ZSTD_CCtx *zstd, size_t size, int min_match, tc_error *err)
{
    const struct {
        ZSTD_cParameter parameter;
        int value;
    } settings[] = {
        {ZSTD_c_compressionLevel, size > BIG_CONTENT ? 19 : ZSTD_maxCLevel()},
        {ZSTD_c_contentSizeFlag, 0},
        {ZSTD_c_checksumFlag, 0},
        {ZSTD_c_minMatch, min_match},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        size_t code = ZSTD_CCtx_setParameter(zstd, settings[i].parameter, settings[i].value);
        if (ZSTD_isError(code))
            return zstd_failed("zstd parameter", code, TC_E_UNSUPPORTED, err);
    }
    return TC_OK;
}

/* The frame with its magic. */
static tc_status compress(const uint8_t *bytes, size_t size, int min_match, uint8_t **frame_out,
                          size_t *frame_size_out, tc_error *err)
{
    tc_status status = TC_E_NO_MEMORY;
    size_t bound = ZSTD_compressBound(size);
    uint8_t *frame = malloc(bound);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    if (frame == NULL || zstd == NULL) {
        (void)tci_error_set(err, status, "archive content: no memory to pack %zu bytes", size);
        goto fail;
    }
    status = set_parameters(zstd, size, min_match, err);
    if (status != TC_OK)
        goto fail;
    size_t n = ZSTD_compress2(zstd, frame, bound, bytes, size);
    if (ZSTD_isError(n)) {
        status = zstd_failed("packing failed", n, TC_E_NO_MEMORY, err);
        goto fail;
    }
    ZSTD_freeCCtx(zstd);
    *frame_out = frame;
    *frame_size_out = n;
    return TC_OK;

fail:
    ZSTD_freeCCtx(zstd);
    free(frame);
    return status;
}

/* Takes the frame in place of *best when it is smaller and a reader would believe its ratio. */
static void keep_smaller(uint8_t *frame, size_t frame_size, size_t content_size, uint8_t **best,
                         size_t *best_size, tci_packing packing, tci_packing *best_packing)
{
    size_t packed_size = frame_size - sizeof frame_magic;
    if (packed_size >= *best_size || !tci_pack_ratio_ok(content_size, packed_size)) {
        free(frame);
        return;
    }
    memmove(frame, frame + sizeof frame_magic, packed_size);
    free(*best);
    *best = frame;
    *best_size = packed_size;
    *best_packing = packing;
}

tc_status tci_pack(const uint8_t *content, size_t size, uint8_t **packed_out,
                   size_t *packed_size_out, tci_packing *packing_out, tc_error *err)
{
    tc_status status = TC_OK;
    bool try_units = size <= TRY_UNITS_CONTENT_MAX;
    size_t best_size = size;
    tci_packing best_packing = TCI_PACKING_STORED;
    uint8_t *best = malloc(size);
    uint8_t *units = try_units ? malloc(size * UNITS_PER_BYTE) : NULL;
    if (best == NULL || (try_units && units == NULL)) {
        status = tci_error_set(err, TC_E_NO_MEMORY, "archive content: no memory for %zu bytes",
                               size);
        goto done;
    }
    memcpy(best, content, size);
    if (try_units)
        spread_units(content, size, units);

    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
        bool wants_units = attempts[i].packing == TCI_PACKING_ZSTD_UNITS;
        uint8_t *frame;
        size_t frame_size;
        if (wants_units && !try_units)
            continue;
        status =
            compress(wants_units ? units : content, wants_units ? size * UNITS_PER_BYTE : size,
                     attempts[i].min_match, &frame, &frame_size, err);
        if (status != TC_OK)
            goto done;
        keep_smaller(frame, frame_size, size, &best, &best_size, attempts[i].packing,
                     &best_packing);
    }
    *packed_out = best;
    *packed_size_out = best_size;
    *packing_out = best_packing;
    best = NULL;

done:
    free(units);
    free(best);
    return status;
}

/* zstd's state for unpacking takes a hundred kilobytes: to get them anew for every archive
 * takes longer than to unpack a small one. One is kept for whoever comes next. */
static _Atomic(ZSTD_DCtx *) idle_state;

static ZSTD_DCtx *take_state(void)
{
    ZSTD_DCtx *state = atomic_exchange(&idle_state, NULL);
    return state != NULL ? state : ZSTD_createDCtx();
}

static void give_state_back(ZSTD_DCtx *state)
{
    (void)ZSTD_freeDCtx(atomic_exchange(&idle_state, state));
}

static size_t decompress_frame(uint8_t *out, size_t size, const uint8_t *frame,
                               size_t frame_size)
{
    ZSTD_DCtx *state = take_state();
    if (state == NULL)
        return (size_t)-ZSTD_error_memory_allocation;
    size_t n = ZSTD_decompressDCtx(state, out, size, frame, frame_size);
    give_state_back(state);
    return n;
}

/* The first frame of a process takes ten times longer than the next: pages of zstd's code and
 * state, names of its calls; so do its first hashes. What is packed here looks like units of
 * code. */
void tci_archive_prepare(void)
{
    uint8_t units[2048], frame[4096], sum[TCI_ARCHIVE_CHECKSUM_SIZE];
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof units; i++) {
        random = random * 1664525u + 1013904223u;
        units[i] = i >= 64 && random >> 30 == 0 ? units[i - 64] : (random >> 24) % 7 % 4;
    }
    size_t size = ZSTD_compress(frame, sizeof frame, units, sizeof units, 1);
    if (!ZSTD_isError(size))
        (void)decompress_frame(units, sizeof units, frame, size);
    tci_archive_checksum(units, sizeof units, sum);
}

/* One frame, its magic given back, must fill out exactly. */
static tc_status decompress(const uint8_t *packed, size_t packed_size, uint8_t *out,
                            size_t size, tc_error *err)
{
    tc_status status = TC_OK;
    size_t frame_size = sizeof frame_magic + packed_size;
    uint8_t *frame = malloc(frame_size);
    if (frame == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive content: no memory for %zu bytes",
                             frame_size);
    memcpy(frame, frame_magic, sizeof frame_magic);
    memcpy(frame + sizeof frame_magic, packed, packed_size);

    /* zstd would decode several frames in a row; the format has one. */
    size_t first = ZSTD_findFrameCompressedSize(frame, frame_size);
    size_t n = ZSTD_isError(first) ? first : decompress_frame(out, size, frame, frame_size);
    if (ZSTD_isError(n))
        status = zstd_failed("damaged zstd frame", n, TC_E_CORRUPT, err);
    else if (first != frame_size)
        status = tci_error_set(err, TC_E_CORRUPT,
                               "archive content: zstd frame of %zu bytes, expected %zu", first,
                               frame_size);
    else if (n != size)
        status = tci_error_set(err, TC_E_CORRUPT,
                               "archive content: unpacks to %zu bytes, expected %zu", n, size);
    free(frame);
    return status;
}

tc_status tci_unpack(tci_packing packing, const uint8_t *packed, size_t packed_size,
                     uint8_t *content, size_t size, tc_error *err)
{
    if (packing == TCI_PACKING_ZSTD)
        return decompress(packed, packed_size, content, size, err);

    size_t units_size = size * UNITS_PER_BYTE;
    uint8_t *units = malloc(units_size);
    if (units == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive content: no memory for %zu bytes",
                             units_size);
    tc_status status = decompress(packed, packed_size, units, units_size, err);
    if (status == TC_OK && !gather_units(units, content, size))
        status =
            tci_error_set(err, TC_E_CORRUPT, "archive content: a unit of more than two bits");
    free(units);
    return status;
}
