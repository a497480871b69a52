/* Encodes and decodes the messages that describe a side, HELLO and ADDRESS, and compares two of
 * them. The preamble is in hello_envelope.c, the other messages are in hello_reply.c. */
#include "hello.h"

#include "base/assertion.h"
#include "base/arch.h"
#include "base/error_text.h"
#include "hello_envelope.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PAGE_BYTES_MIN 4096u
#define PAGE_BYTES_MAX (1u << 20)

/* Bits of the byte that lists the ways to a HELLO's sender. */
#define WAY_STREAM 1u
#define WAY_UCX_NETWORK 2u
#define WAY_UCX_SHARED_MEMORY 4u
#define WAYS_ALL (WAY_STREAM | WAY_UCX_NETWORK | WAY_UCX_SHARED_MEMORY)

_Static_assert(TCI_HELLO_FIXED_BYTES + TCI_HELLO_RKEY_MAX + TCI_HELLO_WORKER_ADDRESS_MAX +
                       TCI_HELLO_TRIPLE_MAX + TCI_HELLO_CPU_MAX + TCI_HELLO_FEATURES_MAX +
                       4 * TCI_HELLO_DICTIONARIES_MAX <=
                   TCI_HELLO_BODY_MAX,
               "a hello with every field at its limit must fit a body");

/* --- the fields of a hello: one check for decoding and encoding -------------------------- */

static tc_status check_range(const char *field, uint64_t found, uint64_t min, uint64_t max,
                             tc_error *err)
{
    if (found >= min && found <= max)
        return TC_OK;
    return tci_error_set(err, TC_E_CORRUPT,
                         "hello: %s is %" PRIu64 ", expected %" PRIu64 " to %" PRIu64, field,
                         found, min, max);
}

static tc_status check_power_of_two(const char *field, uint64_t found, uint64_t min,
                                    uint64_t max, tc_error *err)
{
    TC_TRY(check_range(field, found, min, max, err));
    if ((found & (found - 1)) == 0)
        return TC_OK;
    return tci_error_set(err, TC_E_CORRUPT, "hello: %s is %" PRIu64 ", expected a power of two",
                         field, found);
}

static tc_status check_text(const char *field, tci_hello_view text, size_t min, size_t max,
                            tc_error *err)
{
    char size_field[32];
    (void)snprintf(size_field, sizeof size_field, "%s size", field);
    TC_TRY(check_range(size_field, text.size, min, max, err));
    size_t printable = tci_hello_printable(text.data, text.size);
    if (printable == text.size)
        return TC_OK;
    return tci_error_set(err, TC_E_CORRUPT,
                         "hello: %s has byte 0x%02x at %zu, expected printable ASCII", field,
                         ((const uint8_t *)text.data)[printable], printable);
}

static tc_status check_ring(const tci_hello *h, tc_error *err)
{
    TC_TRY(check_power_of_two("ring size", h->ring_bytes, TCI_HELLO_RING_BYTES_MIN,
                              TCI_HELLO_RING_BYTES_MAX, err));
    TC_TRY(check_range("largest frame", h->frame_bytes_max, TCI_HELLO_FRAME_BYTES_MIN,
                       h->ring_bytes, err));
    if (h->segment != TCI_HELLO_NO_SEGMENT)
        TC_TRY(check_range("segment", h->segment, 0, INT32_MAX, err));
    TC_TRY(check_range("rkey size", h->rkey.size, 0, TCI_HELLO_RKEY_MAX, err));
    if (h->ring_address % 64 != 0 || h->ring_address > UINT64_MAX - h->ring_bytes)
        return tci_error_set(err, TC_E_CORRUPT,
                             "hello: ring address is 0x%" PRIx64
                             ", expected a multiple of 64 that leaves room for %" PRIu32
                             " bytes",
                             h->ring_address, h->ring_bytes);
    return TC_OK;
}

static tc_status check_no_ring(const tci_hello *h, tc_error *err)
{
    bool none = h->connection_id == 0 && h->connection_token == 0 && h->ring_bytes == 0 &&
                h->ring_nonce == 0 && h->ring_address == 0 && h->frame_bytes_max == 0 &&
                h->segment == TCI_HELLO_NO_SEGMENT && h->rkey.size == 0 && !h->stream;
    if (none)
        return TC_OK;
    return tci_error_set(err, TC_E_CORRUPT,
                         "address: names a ring of %" PRIu32 " bytes%s, expected none",
                         h->ring_bytes, h->stream ? " and a stream" : "");
}

static tc_status check_dictionaries(const tci_hello *h, tc_error *err)
{
    uint32_t previous = 0;
    TC_TRY(check_range("number of dictionaries", h->dictionary_count, 0,
                       TCI_HELLO_DICTIONARIES_MAX, err));
    for (size_t i = 0; i < h->dictionary_count; i++) {
        if (h->dictionaries[i] <= previous)
            return tci_error_set(err, TC_E_CORRUPT,
                                 "hello: dictionary %08" PRIx32 " behind %08" PRIx32
                                 ", expected a larger id",
                                 h->dictionaries[i], previous);
        previous = h->dictionaries[i];
    }
    return TC_OK;
}

static tc_status check_hello(const tci_hello *h, tci_hello_kind kind, tc_error *err)
{
    if (h->isa != TCI_HELLO_X86_64 && h->isa != TCI_HELLO_AARCH64)
        return tci_error_set(err, TC_E_CORRUPT,
                             "hello: instruction set %d, expected 1 (x86_64) or 2 (aarch64)",
                             (int)h->isa);
    TC_TRY(check_power_of_two("page size", h->page_bytes, PAGE_BYTES_MIN, PAGE_BYTES_MAX, err));
    TC_TRY(check_range("largest code", h->code_bytes_max, 1, TCI_HELLO_CODE_BYTES_MAX, err));
    /* The pid will be passed to kill(), where 0 and negative numbers mean groups of
     * processes. */
    TC_TRY(check_range("pid", h->pid, 1, INT32_MAX, err));
    TC_TRY(kind == TCI_HELLO_ADDRESS ? check_no_ring(h, err) : check_ring(h, err));
    TC_TRY(check_range("worker address size", h->worker_address.size, h->stream ? 0 : 1,
                       TCI_HELLO_WORKER_ADDRESS_MAX, err));
    TC_TRY(check_text("triple", h->triple, 1, TCI_HELLO_TRIPLE_MAX, err));
    TC_TRY(check_text("cpu", h->cpu, 0, TCI_HELLO_CPU_MAX, err));
    TC_TRY(check_text("features", h->features, 0, TCI_HELLO_FEATURES_MAX, err));
    return check_dictionaries(h, err);
}

/* --- HELLO and ADDRESS ------------------------------------------------------------------- */

static void write_version(tci_writer *w, tci_hello_version version)
{
    tci_write_u8(w, version.major);
    tci_write_u8(w, version.minor);
    tci_write_u8(w, version.patch);
}

static uint8_t ways_of(const tci_hello *h)
{
    return (uint8_t)((h->stream ? WAY_STREAM : 0) | (h->ucx_network ? WAY_UCX_NETWORK : 0) |
                     (h->ucx_shared_memory ? WAY_UCX_SHARED_MEMORY : 0));
}

static void write_hello(tci_writer *w, const tci_hello *h)
{
    tci_write_u32(w, (uint32_t)h->library.major << 16 | (uint32_t)h->library.minor << 8 |
                         h->library.patch);
    write_version(w, h->ucx);
    tci_write_u8(w, (uint8_t)h->isa);
    tci_write_u32(w, h->page_bytes);
    write_version(w, h->llvm);
    tci_write_u8(w, h->dictionary_count);
    tci_write_u32(w, h->code_bytes_max);
    tci_write_u32(w, h->frame_bytes_max);
    tci_write_u32(w, h->ring_bytes);
    tci_write_u16(w, h->connection_id);
    tci_write_u16(w, (uint16_t)h->rkey.size);
    tci_write_u16(w, (uint16_t)h->worker_address.size);
    tci_write_u16(w, (uint16_t)h->triple.size);
    tci_write_u16(w, (uint16_t)h->cpu.size);
    tci_write_u16(w, (uint16_t)h->features.size);
    tci_write_u64(w, h->ring_nonce);
    tci_write_u64(w, h->ring_address);
    tci_write_u64(w, h->pid);
    tci_write_u64(w, h->context_id);
    tci_write_bytes(w, h->host_id, sizeof h->host_id);
    tci_write_u32(w, h->segment);
    tci_write_u64(w, h->connection_token);
    tci_write_u8(w, ways_of(h));
    tci_write_bytes(w, h->rkey.data, h->rkey.size);
    tci_write_bytes(w, h->worker_address.data, h->worker_address.size);
    tci_write_bytes(w, h->triple.data, h->triple.size);
    tci_write_bytes(w, h->cpu.data, h->cpu.size);
    tci_write_bytes(w, h->features.data, h->features.size);
    for (size_t i = 0; i < h->dictionary_count; i++)
        tci_write_u32(w, h->dictionaries[i]);
}

tc_status tci_hello_encode(const tci_hello *hello, tci_hello_kind kind, void *buf, size_t size,
                           size_t *size_out, tc_error *err)
{
    TCI_INVARIANT(hello_kind, kind == TCI_HELLO_HELLO || kind == TCI_HELLO_ADDRESS);
    tci_hello h = *hello;
    if (kind == TCI_HELLO_ADDRESS) {
        h.connection_id = 0;
        h.connection_token = 0;
        h.ring_bytes = 0;
        h.ring_nonce = 0;
        h.ring_address = 0;
        h.frame_bytes_max = 0;
        h.segment = TCI_HELLO_NO_SEGMENT;
        h.rkey.size = 0;
        h.stream = false;
    }
    tc_error mistake;
    if (check_hello(&h, kind, &mistake) != TC_OK)
        return tci_error_set(err, TC_E_INVALID, "%s", mistake.text);
    tci_writer w;
    tci_hello_begin(buf, size, &w);
    write_hello(&w, &h);
    if (tci_hello_end(&w, kind, size_out) != TC_OK)
        return tci_error_set(err, TC_E_TOO_LARGE, "hello: does not fit %zu bytes", size);
    return TC_OK;
}

static tci_hello_version read_version(tci_reader *r)
{
    tci_hello_version version;
    version.major = tci_read_u8(r);
    version.minor = tci_read_u8(r);
    version.patch = tci_read_u8(r);
    return version;
}

static void read_view(tci_reader *r, tci_hello_view *view)
{
    view->data = tci_read_bytes(r, view->size);
}

static void read_ways(tci_reader *r, tci_hello *h, uint32_t *reserved_out)
{
    uint8_t ways = tci_read_u8(r);
    h->stream = (ways & WAY_STREAM) != 0;
    h->ucx_network = (ways & WAY_UCX_NETWORK) != 0;
    h->ucx_shared_memory = (ways & WAY_UCX_SHARED_MEMORY) != 0;
    *reserved_out |= ways & ~WAYS_ALL;
}

/* Collects in *reserved_out the bits that the format keeps at zero. */
static void read_hello(tci_reader *r, tci_hello *h, uint32_t *reserved_out)
{
    uint32_t library = tci_read_u32(r);
    h->library = (tci_hello_version){(uint8_t)(library >> 16), (uint8_t)(library >> 8),
                                     (uint8_t)library};
    h->ucx = read_version(r);
    h->isa = (tci_hello_isa)tci_read_u8(r);
    h->page_bytes = tci_read_u32(r);
    h->llvm = read_version(r);
    *reserved_out = library >> 24;
    h->dictionary_count = tci_read_u8(r);
    h->code_bytes_max = tci_read_u32(r);
    h->frame_bytes_max = tci_read_u32(r);
    h->ring_bytes = tci_read_u32(r);
    h->connection_id = tci_read_u16(r);
    h->rkey.size = tci_read_u16(r);
    h->worker_address.size = tci_read_u16(r);
    h->triple.size = tci_read_u16(r);
    h->cpu.size = tci_read_u16(r);
    h->features.size = tci_read_u16(r);
    h->ring_nonce = tci_read_u64(r);
    h->ring_address = tci_read_u64(r);
    h->pid = tci_read_u64(r);
    h->context_id = tci_read_u64(r);
    for (size_t i = 0; i < sizeof h->host_id; i++)
        h->host_id[i] = tci_read_u8(r);
    h->segment = tci_read_u32(r);
    h->connection_token = tci_read_u64(r);
    read_ways(r, h, reserved_out);
    read_view(r, &h->rkey);
    read_view(r, &h->worker_address);
    read_view(r, &h->triple);
    read_view(r, &h->cpu);
    read_view(r, &h->features);
    for (size_t i = 0; i < h->dictionary_count; i++) {
        uint32_t id = tci_read_u32(r);
        if (i < TCI_HELLO_DICTIONARIES_MAX)
            h->dictionaries[i] = id;
    }
}

tc_status tci_hello_decode(const void *bytes, size_t size, tci_hello_kind kind,
                           tci_hello *hello_out, tc_error *err)
{
    TCI_INVARIANT(hello_kind, kind == TCI_HELLO_HELLO || kind == TCI_HELLO_ADDRESS);
    tci_hello h = {0};
    tci_reader r;
    uint32_t reserved;
    TC_TRY(tci_hello_open(bytes, size, kind, &r, err));
    read_hello(&r, &h, &reserved);
    size_t needed = TCI_HELLO_FIXED_BYTES + h.rkey.size + h.worker_address.size +
                    h.triple.size + h.cpu.size + h.features.size + 4u * h.dictionary_count;
    if (r.failed || tci_reader_left(&r) != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "hello: body of %zu bytes, expected %zu by the sizes in it",
                             r.size, needed);
    if (reserved != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "hello: reserved bits 0x%02" PRIx32 ", expected 0", reserved);
    TC_TRY(check_hello(&h, kind, err));
    *hello_out = h;
    return TC_OK;
}

/* --- two hellos side by side ------------------------------------------------------------- */

static bool same_ucx(const tci_hello *mine, const tci_hello *theirs)
{
    return mine->ucx.major == theirs->ucx.major && mine->ucx.minor == theirs->ucx.minor;
}

bool tci_hello_offers_stream(const tci_hello *hello)
{
    return hello->rkey.size == 0 && hello->ring_address == TCI_HELLO_STREAM_OFFER;
}

bool tci_hello_needs_stream(const tci_hello *mine, const tci_hello *theirs)
{
    bool shared = mine->ucx_shared_memory && theirs->ucx_shared_memory &&
                  tci_hello_same_host(mine, theirs);
    bool network = mine->ucx_network && theirs->ucx_network &&
                   !(tci_hello_offers_stream(mine) && tci_hello_offers_stream(theirs));
    return mine->stream || theirs->stream || !(shared || network) || !same_ucx(mine, theirs);
}

tc_status tci_hello_compatible(const tci_hello *mine, const tci_hello *theirs, tc_error *err)
{
    if (same_ucx(mine, theirs))
        return TC_OK;
    if (mine->ucx.major == 0 || theirs->ucx.major == 0)
        return tci_error_set(err, TC_E_VERSION, "%s was built without UCX",
                             theirs->ucx.major == 0 ? "the peer's library" : "this library");
    return tci_error_set(
        err, TC_E_VERSION,
        "the peer runs UCX %u.%u.%u, this side %u.%u.%u: major and minor must agree",
        theirs->ucx.major, theirs->ucx.minor, theirs->ucx.patch, mine->ucx.major,
        mine->ucx.minor, mine->ucx.patch);
}

bool tci_hello_same_host(const tci_hello *mine, const tci_hello *theirs)
{
    return memcmp(mine->host_id, theirs->host_id, sizeof mine->host_id) == 0;
}

tci_hello_isa tci_hello_own_isa(void)
{
    return (tci_hello_isa)TCI_ARCH_NUMBER;
}
