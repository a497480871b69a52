/* Frames are plain zstd frames without the parts that the archive states already: checksum,
 * content size, and the four magic bytes, which are cut off here and restored for unpacking.
 * (zstd's own "magicless" format is the same bytes, but not part of its stable interface.) */
#include "archive_pack.h"

#include "archive.h"
#include "archive_dictionary.h"
#include "archive_layout.h"
#include "archive_units.h"
#include "base/error_text.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#define RATIO_MAX 1024u
#define RATIO_FLOOR 65536u /* content up to this many bytes needs no justification */

/* From this size on level 22 takes hundreds of megabytes and seconds to save well under 1 %. */
#define BIG_CONTENT (4u << 20)
#define BIG_CONTENT_LEVEL 19
/* Writers try units up to this size; for larger content they take too much time. */
#define TRY_UNITS_CONTENT_MAX (1u << 20)
/* Writers try dictionaries up to this size: their share of larger content is too small. */
#define TRY_DICTIONARIES_CONTENT_MAX (256u << 10)

static const uint8_t frame_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};

/* With TCI_PACK_QUICK, content up to this size gets the first level, larger the second. */
#define QUICK_CONTENT (64u << 10)
#define QUICK_LEVEL 16
#define QUICK_LEVEL_ABOVE 5

/* Window for content above BIG_CONTENT. Slices for several targets may hold the same data,
 * further apart than zstd looks back by default; readers unpack in one step, so the window
 * costs them nothing. */
#define BIG_CONTENT_WINDOW_LOG 27
/* In noise-like content (is_noise) every level finds only such copies. */
#define NOISE_LEVEL 1
#define NOISE_BLOCK (64u << 10)

/* One way to pack. */
typedef struct attempt {
    tci_packing packing;
    int min_match;     /* 0: zstd's choice */
    size_t dictionary; /* index, or TCI_DICTIONARY_NONE */
} attempt;

/* With dictionaries the last two are also made with each of them; TCI_PACK_QUICK makes the last
 * one alone. */
static const attempt attempts[] = {
    {TCI_PACKING_ZSTD, 0, TCI_DICTIONARY_NONE},
    {TCI_PACKING_ZSTD_UNITS, 0, TCI_DICTIONARY_NONE},
    {TCI_PACKING_ZSTD_UNITS, 6, TCI_DICTIONARY_NONE},
};

#define ATTEMPT_COUNT (sizeof attempts / sizeof attempts[0])

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

static tc_status zstd_failed(const char *what, size_t code, tc_status status, tc_error *err)
{
    return tci_error_set(err, status, "archive content: %s: %s", what, ZSTD_getErrorName(code));
}

static tc_status set_parameters(ZSTD_CCtx *zstd, int level, int min_match, bool is_big,
                                tc_error *err)
{
    const struct {
        ZSTD_cParameter parameter;
        int value;
    } settings[] = {
        {ZSTD_c_compressionLevel, level},
        {ZSTD_c_contentSizeFlag, 0},
        {ZSTD_c_checksumFlag, 0},
        {ZSTD_c_dictIDFlag, 0},
        {ZSTD_c_minMatch, min_match},
        {ZSTD_c_enableLongDistanceMatching, is_big},
        {ZSTD_c_windowLog, is_big ? BIG_CONTENT_WINDOW_LOG : 0},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        size_t code = ZSTD_CCtx_setParameter(zstd, settings[i].parameter, settings[i].value);
        if (ZSTD_isError(code))
            return zstd_failed("zstd parameter", code, TC_E_UNSUPPORTED, err);
    }
    return TC_OK;
}

static tc_status load_dictionary(ZSTD_CCtx *zstd, size_t dictionary, tc_error *err)
{
    uint8_t *bytes;
    size_t size;
    if (dictionary == TCI_DICTIONARY_NONE)
        return TC_OK;
    TC_TRY(tci_dictionary_expand(dictionary, &bytes, &size, err));
    size_t code = ZSTD_CCtx_loadDictionary(zstd, bytes, size); /* copies */
    free(bytes);
    return ZSTD_isError(code) ? zstd_failed("dictionary", code, TC_E_NO_MEMORY, err) : TC_OK;
}

/* The content in both of its encodings; `units` is NULL when they are not tried. */
typedef struct pack_input {
    const uint8_t *content;
    size_t size;
    uint8_t *units;
    int level;
} pack_input;

/* Returns the frame with its magic. */
static tc_status compress(const attempt *how, const pack_input *in, uint8_t **frame_out,
                          size_t *frame_size_out, tc_error *err)
{
    const bool of_units = how->packing == TCI_PACKING_ZSTD_UNITS;
    const uint8_t *bytes = of_units ? in->units : in->content;
    const size_t size = of_units ? in->size * TCI_UNITS_PER_BYTE : in->size;
    tc_status status = TC_E_NO_MEMORY;
    size_t bound = ZSTD_compressBound(size);
    uint8_t *frame = malloc(bound);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    if (frame == NULL || zstd == NULL) {
        (void)tci_error_set(err, status, "archive content: no memory to pack %zu bytes", size);
        goto fail;
    }
    status = set_parameters(zstd, in->level, how->min_match, in->size > BIG_CONTENT, err);
    if (status == TC_OK)
        status = load_dictionary(zstd, how->dictionary, err);
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

static size_t header_size(uint32_t dictionary)
{
    uint8_t bytes[TCI_VARINT_MAX_SIZE];
    tci_writer w;
    tci_writer_init(&w, bytes, sizeof bytes);
    tci_varint_write(&w, dictionary);
    return w.at;
}

/* Replaces *best by the frame when it is smaller and a reader would accept its ratio. */
static void keep_smaller(const attempt *how, uint8_t *frame, size_t frame_size,
                         size_t content_size, tci_packed *best)
{
    tci_packed packed = {.bytes = frame,
                         .size = frame_size - sizeof frame_magic,
                         .packing = how->packing,
                         .dictionary = TCI_ARCHIVE_NO_DICTIONARY};
    if (how->dictionary != TCI_DICTIONARY_NONE)
        packed.dictionary = tci_dictionary_at(how->dictionary)->id;
    if (packed.size + header_size(packed.dictionary) >=
            best->size + header_size(best->dictionary) ||
        !tci_pack_ratio_ok(content_size, packed.size)) {
        free(frame);
        return;
    }
    memmove(frame, frame + sizeof frame_magic, packed.size);
    free(best->bytes);
    *best = packed;
}

static tc_status try_attempt(const attempt *how, const pack_input *in, tci_packed *best,
                             tc_error *err)
{
    uint8_t *frame;
    size_t frame_size;
    if (how->packing == TCI_PACKING_ZSTD_UNITS && in->units == NULL)
        return TC_OK;
    TC_TRY(compress(how, in, &frame, &frame_size, err));
    keep_smaller(how, frame, frame_size, in->size, best);
    return TC_OK;
}

static tc_status try_all(const pack_input *in, size_t dictionaries, tci_packed *best,
                         tc_error *err)
{
    for (size_t i = 0; i < ATTEMPT_COUNT; i++) {
        attempt how = attempts[i];
        TC_TRY(try_attempt(&how, in, best, err));
        if (how.packing != TCI_PACKING_ZSTD_UNITS)
            continue;
        for (how.dictionary = 0; how.dictionary < dictionaries; how.dictionary++)
            TC_TRY(try_attempt(&how, in, best, err));
    }
    return TC_OK;
}

static tc_status try_with(const pack_input *in, tci_pack_effort effort, tci_packed *best,
                          tc_error *err)
{
    if (effort == TCI_PACK_QUICK)
        return try_attempt(&attempts[in->units != NULL ? ATTEMPT_COUNT - 1 : 0], in, best, err);
    bool dictionaries = effort == TCI_PACK_SMALLEST && in->size <= TRY_DICTIONARIES_CONTENT_MAX;
    return try_all(in, dictionaries ? tci_dictionary_count() : 0, best, err);
}

/* Returns whether all bytes are about equally frequent: the sum of the squares of their counts
 * is little more than that of equal counts. */
static bool is_noise(const uint8_t *block, size_t size)
{
    uint64_t counts[256] = {0}, squares = 0;
    for (size_t i = 0; i < size; i++)
        counts[block[i]]++;
    for (size_t i = 0; i < 256; i++)
        squares += counts[i] * counts[i];
    return squares * 256 < (uint64_t)size * size / 20 * 21;
}

static bool is_mostly_noise(const uint8_t *content, size_t size)
{
    size_t noise = 0;
    for (size_t at = 0; at + NOISE_BLOCK <= size; at += NOISE_BLOCK)
        noise += is_noise(content + at, NOISE_BLOCK) ? NOISE_BLOCK : 0;
    return noise > size / 2;
}

static int level_of(const uint8_t *content, size_t size, tci_pack_effort effort)
{
    if (effort == TCI_PACK_QUICK)
        return size <= QUICK_CONTENT ? QUICK_LEVEL : QUICK_LEVEL_ABOVE;
    if (size <= BIG_CONTENT)
        return ZSTD_maxCLevel();
    return is_mostly_noise(content, size) ? NOISE_LEVEL : BIG_CONTENT_LEVEL;
}

tc_status tci_pack(const uint8_t *content, size_t size, tci_pack_effort effort,
                   tci_packed *packed_out, tc_error *err)
{
    tc_status status = TC_OK;
    bool try_units = size <= TRY_UNITS_CONTENT_MAX;
    tci_packed best = {.bytes = malloc(size), .size = size};
    pack_input in = {
        .content = content, .size = size, .level = level_of(content, size, effort)};
    if (try_units)
        in.units = malloc(size * TCI_UNITS_PER_BYTE);
    if (best.bytes == NULL || (try_units && in.units == NULL)) {
        status = tci_error_set(err, TC_E_NO_MEMORY, "archive content: no memory for %zu bytes",
                               size);
    } else {
        memcpy(best.bytes, content, size);
        if (try_units)
            tci_units_spread(content, size, in.units);
        status = try_with(&in, effort, &best, err);
    }
    free(in.units);
    if (status != TC_OK) {
        free(best.bytes);
        return status;
    }
    *packed_out = best;
    return TC_OK;
}

/* zstd's state for unpacking takes a hundred kilobytes: to allocate them again for every
 * archive takes longer than to unpack a small one. One is kept for the next caller. */
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

static size_t decompress_frame(size_t dictionary, uint8_t *out, size_t size,
                               const uint8_t *frame, size_t frame_size)
{
    const ZSTD_DDict *known = NULL;
    if (dictionary != TCI_DICTIONARY_NONE &&
        (known = tci_dictionary_unpacker(dictionary)) == NULL)
        return (size_t)-ZSTD_error_memory_allocation;
    ZSTD_DCtx *state = take_state();
    if (state == NULL)
        return (size_t)-ZSTD_error_memory_allocation;
    size_t n = known != NULL
                   ? ZSTD_decompress_usingDDict(state, out, size, frame, frame_size, known)
                   : ZSTD_decompressDCtx(state, out, size, frame, frame_size);
    give_state_back(state);
    return n;
}

/* The first frame of a process takes ten times longer than the next, because of pages of zstd's
 * code and state and the binding of its calls; so do the first hashes. The data packed here
 * resembles units of code. */
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
        (void)decompress_frame(TCI_DICTIONARY_NONE, units, sizeof units, frame, size);
    for (size_t i = 0; i < tci_dictionary_count(); i++)
        (void)tci_dictionary_unpacker(i);
    tci_archive_checksum(units, sizeof units, sum);
}

/* Restores the magic of one frame, which must fill `out` exactly. */
static tc_status decompress(size_t dictionary, const uint8_t *packed, size_t packed_size,
                            uint8_t *out, size_t size, tc_error *err)
{
    tc_status status = TC_OK;
    size_t frame_size = sizeof frame_magic + packed_size;
    uint8_t *frame = malloc(frame_size);
    if (frame == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive content: no memory for %zu bytes",
                             frame_size);
    memcpy(frame, frame_magic, sizeof frame_magic);
    memcpy(frame + sizeof frame_magic, packed, packed_size);

    /* zstd would decode several consecutive frames; the format has one. */
    size_t first = ZSTD_findFrameCompressedSize(frame, frame_size);
    size_t n = ZSTD_isError(first) ? first
                                   : decompress_frame(dictionary, out, size, frame, frame_size);
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

tc_status tci_unpack(tci_packing packing, size_t dictionary, const uint8_t *packed,
                     size_t packed_size, uint8_t *content, size_t size, tc_error *err)
{
    if (packing == TCI_PACKING_ZSTD)
        return decompress(dictionary, packed, packed_size, content, size, err);

    size_t units_size = size * TCI_UNITS_PER_BYTE;
    uint8_t *units = malloc(units_size);
    if (units == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive content: no memory for %zu bytes",
                             units_size);
    tc_status status = decompress(dictionary, packed, packed_size, units, units_size, err);
    if (status == TC_OK && !tci_units_gather(units, content, size))
        status =
            tci_error_set(err, TC_E_CORRUPT, "archive content: a unit of more than two bits");
    free(units);
    return status;
}
