/* Hello messages: their exact bytes, and what becomes of every kind of damage. */
#include "../support/test.h"
#include "base/content_id.h"
#include "hello_golden.h"
#include "wire/hello.h"

#define SIZE_AT 8u
#define CHECKSUM_AT 12u
#define BODY_AT TCI_HELLO_PREAMBLE_BYTES

static tci_hello_view view(const char *text)
{
    return (tci_hello_view){text, strlen(text)};
}

/* The hello that the golden bytes hold. */
static tci_hello sample(void)
{
    tci_hello h = {.library = {1, 2, 3},
                   .ucx = {1, 13, 1},
                   .llvm = {19, 1, 7},
                   .isa = TCI_HELLO_X86_64,
                   .page_bytes = 4096,
                   .code_bytes_max = 16u << 20,
                   .pid = 4242,
                   .context_id = 0xa1a2a3a4a5a6a7a8u,
                   .connection_id = 0x0102,
                   .ring_bytes = 256u << 10,
                   .ring_nonce = 0x1122334455667788u,
                   .ring_address = 0x7f0012345000u,
                   .frame_bytes_max = 64u << 10,
                   .segment = 0xa1b2c3,
                   .rkey = {"\xc0\xff\xee", 3},
                   .worker_address = {"\0worker\xff", 8},
                   .triple = view("x86_64-linux"),
                   .cpu = view("znver4"),
                   .features = view("+avx2,-sse4a")};
    for (size_t i = 0; i < sizeof h.host_id; i++)
        h.host_id[i] = (uint8_t)(0x10 + i);
    return h;
}

/* What an attacker would do after changing a body. */
static void repair(uint8_t *message, size_t size)
{
    uint8_t hash[16];
    uint32_t body_bytes = (uint32_t)(size - BODY_AT);
    for (size_t i = 0; i < 4; i++)
        message[SIZE_AT + i] = (uint8_t)(body_bytes >> (8 * i));
    tci_hash128(message + BODY_AT, body_bytes, hash);
    memcpy(message + CHECKSUM_AT, hash, 4);
}

static void assert_same_view(tci_hello_view a, tci_hello_view b)
{
    assert_int_equal(a.size, b.size);
    if (a.size > 0)
        assert_memory_equal(a.data, b.data, a.size);
}

static void assert_same_hello(const tci_hello *a, const tci_hello *b)
{
    assert_memory_equal(&a->library, &b->library, sizeof a->library);
    assert_memory_equal(&a->ucx, &b->ucx, sizeof a->ucx);
    assert_memory_equal(&a->llvm, &b->llvm, sizeof a->llvm);
    assert_int_equal(a->isa, b->isa);
    assert_int_equal(a->page_bytes, b->page_bytes);
    assert_int_equal(a->code_bytes_max, b->code_bytes_max);
    assert_int_equal(a->pid, b->pid);
    assert_memory_equal(a->host_id, b->host_id, sizeof a->host_id);
    assert_int_equal(a->context_id, b->context_id);
    assert_int_equal(a->connection_id, b->connection_id);
    assert_int_equal(a->ring_bytes, b->ring_bytes);
    assert_int_equal(a->ring_nonce, b->ring_nonce);
    assert_int_equal(a->ring_address, b->ring_address);
    assert_int_equal(a->frame_bytes_max, b->frame_bytes_max);
    assert_int_equal(a->segment, b->segment);
    assert_same_view(a->rkey, b->rkey);
    assert_same_view(a->worker_address, b->worker_address);
    assert_same_view(a->triple, b->triple);
    assert_same_view(a->cpu, b->cpu);
    assert_same_view(a->features, b->features);
    assert_int_equal(a->dictionary_count, b->dictionary_count);
    assert_memory_equal(a->dictionaries, b->dictionaries, sizeof a->dictionaries);
}

static void assert_contains(const tc_error *err, const char *part)
{
    if (strstr(err->text, part) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", err->text, part);
}

static size_t encode(const tci_hello *h, tci_hello_kind kind,
                     uint8_t buf[TCI_HELLO_MESSAGE_MAX])
{
    size_t size = 0;
    tc_error err;
    if (tci_hello_encode(h, kind, buf, TCI_HELLO_MESSAGE_MAX, &size, &err) != TC_OK)
        fail_msg("%s", err.text);
    return size;
}

/* Whatever the kind; the values that come out do not matter to those who ask this. */
static tc_status decode_as(tci_hello_kind kind, const uint8_t *bytes, size_t size,
                           tc_error *err)
{
    tci_hello hello;
    uint8_t delivery;
    tc_error refusal;
    switch (kind) {
    case TCI_HELLO_READY:
        return tci_hello_ready_decode(bytes, size, &delivery, err);
    case TCI_HELLO_REFUSE:
        return tci_hello_refuse_decode(bytes, size, &refusal, err);
    case TCI_HELLO_BYE:
        return tci_hello_bye_decode(bytes, size, err);
    default:
        return tci_hello_decode(bytes, size, kind, &hello, err);
    }
}

static const struct {
    tci_hello_kind kind;
    const uint8_t *bytes;
    size_t size;
} golden[] = {
    {TCI_HELLO_HELLO, golden_hello, sizeof golden_hello},
    {TCI_HELLO_HELLO, golden_hello_dictionaries, sizeof golden_hello_dictionaries},
    {TCI_HELLO_READY, golden_ready, sizeof golden_ready},
    {TCI_HELLO_REFUSE, golden_refuse, sizeof golden_refuse},
    {TCI_HELLO_BYE, golden_bye, sizeof golden_bye},
    {TCI_HELLO_ADDRESS, golden_address, sizeof golden_address},
};
#define GOLDEN_COUNT (sizeof golden / sizeof golden[0])

static void hello_has_its_golden_bytes(void **state)
{
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    tci_hello h = sample();
    assert_int_equal(encode(&h, TCI_HELLO_HELLO, buf), sizeof golden_hello);
    assert_memory_equal(buf, golden_hello, sizeof golden_hello);

    tci_hello back;
    assert_int_equal(
        tci_hello_decode(golden_hello, sizeof golden_hello, TCI_HELLO_HELLO, &back, NULL),
        TC_OK);
    assert_same_hello(&back, &h);
}

/* Without any, a hello is what it was before there were dictionaries. */
static void dictionaries_have_their_golden_bytes(void **state)
{
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    tci_hello h = sample();
    h.dictionaries[h.dictionary_count++] = 0x0009dee7;
    h.dictionaries[h.dictionary_count++] = 0xfedcba98;
    assert_int_equal(encode(&h, TCI_HELLO_HELLO, buf), sizeof golden_hello_dictionaries);
    assert_memory_equal(buf, golden_hello_dictionaries, sizeof golden_hello_dictionaries);

    tci_hello back;
    assert_int_equal(tci_hello_decode(golden_hello_dictionaries,
                                      sizeof golden_hello_dictionaries, TCI_HELLO_HELLO, &back,
                                      NULL),
                     TC_OK);
    assert_same_hello(&back, &h);
}

static void assert_dictionaries_refused(size_t at, uint32_t value, const char *text)
{
    uint8_t buf[sizeof golden_hello_dictionaries];
    tci_hello h;
    tc_error err = {0};
    memcpy(buf, golden_hello_dictionaries, sizeof buf);
    for (size_t i = 0; i < 4; i++)
        buf[at + i] = (uint8_t)(value >> 8 * i);
    repair(buf, sizeof buf);
    assert_int_equal(tci_hello_decode(buf, sizeof buf, TCI_HELLO_HELLO, &h, &err),
                     TC_E_CORRUPT);
    assert_contains(&err, text);
}

static void dictionaries_are_in_order_and_few(void **state)
{
    const size_t first = sizeof golden_hello_dictionaries - 8;
    assert_dictionaries_refused(first, 0, "dictionary 00000000");
    assert_dictionaries_refused(first, 0xfedcba98, "behind fedcba98, expected a larger");
    assert_dictionaries_refused(first + 4, 1, "dictionary 00000001 behind 0009dee7");

    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    size_t size = sizeof golden_hello + 4 * 17;
    tci_hello h;
    tc_error err = {0};
    memcpy(buf, golden_hello, sizeof golden_hello);
    for (uint8_t i = 0; i < 17; i++)
        memcpy(buf + sizeof golden_hello + 4 * i, (const uint8_t[]){0, 0, 0, i + 1}, 4);
    buf[BODY_AT + 15] = 17;
    repair(buf, size);
    assert_int_equal(tci_hello_decode(buf, size, TCI_HELLO_HELLO, &h, &err), TC_E_CORRUPT);
    assert_contains(&err, "number of dictionaries is 17, expected 0 to 16");
}

static void address_is_a_hello_without_a_ring(void **state)
{
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    tci_hello h = sample();
    assert_int_equal(encode(&h, TCI_HELLO_ADDRESS, buf), sizeof golden_address);
    assert_memory_equal(buf, golden_address, sizeof golden_address);

    tci_hello back;
    assert_int_equal(
        tci_hello_decode(buf, sizeof golden_address, TCI_HELLO_ADDRESS, &back, NULL), TC_OK);
    h.connection_id = 0;
    h.ring_bytes = h.frame_bytes_max = 0;
    h.ring_nonce = h.ring_address = 0;
    h.segment = TCI_HELLO_NO_SEGMENT;
    h.rkey.size = 0;
    assert_same_hello(&back, &h);
}

static void small_messages_have_their_golden_bytes(void **state)
{
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    assert_int_equal(tci_hello_ready_encode(TCI_HELLO_AM, buf, sizeof buf, &size), TC_OK);
    assert_int_equal(size, sizeof golden_ready);
    assert_memory_equal(buf, golden_ready, size);
    assert_int_equal(tci_hello_refuse_encode(TC_E_VERSION, "UCX 1.18.1, this side 1.13.1", buf,
                                             sizeof buf, &size),
                     TC_OK);
    assert_int_equal(size, sizeof golden_refuse);
    assert_memory_equal(buf, golden_refuse, size);
    assert_int_equal(tci_hello_bye_encode(buf, sizeof buf, &size), TC_OK);
    assert_int_equal(size, sizeof golden_bye);
    assert_memory_equal(buf, golden_bye, size);
    assert_int_equal(tci_hello_bell_encode(buf, sizeof buf, &size), TC_OK);
    assert_int_equal(size, sizeof golden_bell);
    assert_memory_equal(buf, golden_bell, size);

    uint8_t delivery;
    tc_error refusal;
    assert_int_equal(tci_hello_ready_decode(golden_ready, sizeof golden_ready, &delivery, NULL),
                     TC_OK);
    assert_int_equal(delivery, TCI_HELLO_AM);
    assert_int_equal(
        tci_hello_refuse_decode(golden_refuse, sizeof golden_refuse, &refusal, NULL), TC_OK);
    assert_int_equal(refusal.status, TC_E_VERSION);
    assert_string_equal(refusal.text, "UCX 1.18.1, this side 1.13.1");
    assert_int_equal(tci_hello_bye_decode(golden_bye, sizeof golden_bye, NULL), TC_OK);
}

static void every_field_may_be_at_its_limit(void **state)
{
    static char filler[TCI_HELLO_BODY_MAX];
    memset(filler, '~', sizeof filler);
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    tci_hello h = sample();
    h.isa = TCI_HELLO_AARCH64;
    h.page_bytes = 64u << 10;
    h.code_bytes_max = TCI_HELLO_CODE_BYTES_MAX;
    h.pid = INT32_MAX;
    h.connection_id = UINT16_MAX;
    h.ring_bytes = TCI_HELLO_RING_BYTES_MAX;
    h.frame_bytes_max = TCI_HELLO_RING_BYTES_MAX;
    h.ring_nonce = UINT64_MAX;
    h.ring_address = UINT64_MAX - TCI_HELLO_RING_BYTES_MAX + 1 - 64;
    h.rkey = (tci_hello_view){filler, TCI_HELLO_RKEY_MAX};
    h.worker_address = (tci_hello_view){filler, TCI_HELLO_WORKER_ADDRESS_MAX};
    h.triple = (tci_hello_view){filler, TCI_HELLO_TRIPLE_MAX};
    h.cpu = (tci_hello_view){filler, TCI_HELLO_CPU_MAX};
    h.features = (tci_hello_view){filler, TCI_HELLO_FEATURES_MAX};
    while (h.dictionary_count < TCI_HELLO_DICTIONARIES_MAX) {
        h.dictionaries[h.dictionary_count] = UINT32_MAX - 15u + h.dictionary_count;
        h.dictionary_count++;
    }
    size_t size = encode(&h, TCI_HELLO_HELLO, buf);
    tci_hello back;
    assert_int_equal(tci_hello_decode(buf, size, TCI_HELLO_HELLO, &back, NULL), TC_OK);
    assert_same_hello(&back, &h);
}

/* The views of a decoded hello lie in the message, so whoever holds the bytes may use them. */
static void views_point_into_the_message(void **state)
{
    tci_hello h;
    assert_int_equal(
        tci_hello_decode(golden_hello, sizeof golden_hello, TCI_HELLO_HELLO, &h, NULL), TC_OK);
    assert_ptr_equal((const uint8_t *)h.features.data + h.features.size,
                     golden_hello + sizeof golden_hello);
}

static void short_and_long_messages_are_refused(void **state)
{
    uint8_t buf[sizeof golden_hello_dictionaries + 1] = {0};
    for (size_t g = 0; g < GOLDEN_COUNT; g++) {
        tc_error err;
        for (size_t size = 0; size < golden[g].size; size++)
            assert_int_equal(decode_as(golden[g].kind, golden[g].bytes, size, &err),
                             TC_E_CORRUPT);
        memcpy(buf, golden[g].bytes, golden[g].size);
        assert_int_equal(decode_as(golden[g].kind, buf, golden[g].size + 1, &err),
                         TC_E_CORRUPT);
        assert_true(decode_as(golden[g].kind, buf, golden[g].size, &err) == TC_OK);
    }
}

static void every_flipped_bit_is_found(void **state)
{
    uint8_t buf[sizeof golden_hello_dictionaries];
    for (size_t g = 0; g < GOLDEN_COUNT; g++) {
        for (size_t bit = 0; bit < 8 * golden[g].size; bit++) {
            tc_error err = {0};
            memcpy(buf, golden[g].bytes, golden[g].size);
            buf[bit / 8] ^= (uint8_t)(1u << bit % 8);
            bool in_protocol = bit / 8 == 4 || bit / 8 == 5;
            assert_int_equal(decode_as(golden[g].kind, buf, golden[g].size, &err),
                             in_protocol ? TC_E_VERSION : TC_E_CORRUPT);
            assert_true(strlen(err.text) > 0);
        }
    }
}

/* Behind a right checksum, a changed bit either breaks a rule or is another valid hello, which
 * has exactly one form. */
static void every_forged_bit_is_refused_or_meant(void **state)
{
    uint8_t buf[sizeof golden_hello];
    uint8_t again[TCI_HELLO_MESSAGE_MAX];
    size_t meant = 0;
    for (size_t bit = 8 * BODY_AT; bit < 8 * sizeof buf; bit++) {
        tci_hello h;
        tc_error err = {0};
        memcpy(buf, golden_hello, sizeof buf);
        buf[bit / 8] ^= (uint8_t)(1u << bit % 8);
        repair(buf, sizeof buf);
        tc_status status = tci_hello_decode(buf, sizeof buf, TCI_HELLO_HELLO, &h, &err);
        if (status != TC_OK) {
            assert_int_equal(status, TC_E_CORRUPT);
            assert_contains(&err, "expected");
            continue;
        }
        meant++;
        assert_int_equal(encode(&h, TCI_HELLO_HELLO, again), sizeof buf);
        assert_memory_equal(again, buf, sizeof buf);
    }
    assert_true(meant > 0);
}

static void fields_outside_their_range_are_named(void **state)
{
    static const struct {
        size_t at; /* in the body */
        size_t bytes;
        uint64_t value;
        const char *text;
    } rows[] = {
        {3, 1, 1, "reserved bits 0x01"},
        {7, 1, 0, "instruction set 0"},
        {7, 1, 3, "instruction set 3"},
        {8, 4, 0, "page size is 0"},
        {8, 4, 5000, "page size is 5000"},
        {8, 4, 1u << 31, "page size is 2147483648"},
        {15, 1, 1, "expected 137 by the sizes in it"},
        {16, 4, 0, "largest code is 0"},
        {16, 4, (1u << 30) + 1, "1073741824"},
        {20, 4, 63, "largest frame is 63"},
        {20, 4, 262145, "largest frame is 262145, expected 64 to 262144"},
        {24, 4, 0, "ring size is 0"},
        {24, 4, 2048, "ring size is 2048"},
        {24, 4, 262143, "a power of two"},
        {24, 4, 8u << 20, "ring size is 8388608"},
        {48, 8, 0x7f0012345020, "multiple of 64"},
        {48, 8, UINT64_MAX - 63, "leaves room"},
        {56, 8, 0, "pid is 0"},
        {56, 8, 1ull << 31, "pid is 2147483648"},
        {56, 8, UINT64_MAX, "pid is"},
        {88, 4, 1u << 31, "segment is 2147483648"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t buf[sizeof golden_hello];
        memcpy(buf, golden_hello, sizeof buf);
        for (size_t b = 0; b < rows[i].bytes; b++)
            buf[BODY_AT + rows[i].at + b] = (uint8_t)(rows[i].value >> (8 * b));
        repair(buf, sizeof buf);
        tci_hello h = {0};
        tc_error err = {0};
        assert_int_equal(tci_hello_decode(buf, sizeof buf, TCI_HELLO_HELLO, &h, &err),
                         TC_E_CORRUPT);
        assert_contains(&err, rows[i].text);
        assert_int_equal(h.pid, 0); /* outputs are written on success only */
    }
}

static void sizes_inside_the_body_must_add_up(void **state)
{
    for (size_t at = 30; at < 40; at += 2) {
        for (int change = -1; change <= 1; change += 2) {
            uint8_t buf[sizeof golden_hello];
            tci_hello h;
            tc_error err = {0};
            memcpy(buf, golden_hello, sizeof buf);
            buf[BODY_AT + at] = (uint8_t)(buf[BODY_AT + at] + change);
            repair(buf, sizeof buf);
            assert_int_equal(tci_hello_decode(buf, sizeof buf, TCI_HELLO_HELLO, &h, &err),
                             TC_E_CORRUPT);
            assert_contains(&err, "by the sizes in it");
        }
    }
}

static void encode_refuses_what_no_peer_would_take(void **state)
{
    static char filler[TCI_HELLO_BODY_MAX];
    memset(filler, 'x', sizeof filler);
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    tci_hello wrong[7];
    for (size_t i = 0; i < 7; i++)
        wrong[i] = sample();
    wrong[0].rkey = (tci_hello_view){filler, TCI_HELLO_RKEY_MAX + 1};
    wrong[1].worker_address = (tci_hello_view){filler, TCI_HELLO_WORKER_ADDRESS_MAX + 1};
    wrong[2].worker_address.size = 0;
    wrong[3].triple = (tci_hello_view){filler, TCI_HELLO_TRIPLE_MAX + 1};
    wrong[4].cpu = (tci_hello_view){filler, TCI_HELLO_CPU_MAX + 1};
    wrong[5].features = (tci_hello_view){filler, TCI_HELLO_FEATURES_MAX + 1};
    wrong[6].cpu = view("zn\nver4");
    for (size_t i = 0; i < 7; i++) {
        size_t size = 7;
        tc_error err = {0};
        assert_int_equal(
            tci_hello_encode(&wrong[i], TCI_HELLO_HELLO, buf, sizeof buf, &size, &err),
            TC_E_INVALID);
        assert_contains(&err, "expected");
        assert_int_equal(size, 7);
    }
}

static void texts_are_printable(void **state)
{
    static const uint8_t bad[] = {0x00, 0x0a, 0x1f, 0x7f, 0x80, 0xff};
    for (size_t i = 0; i < sizeof bad; i++) {
        uint8_t buf[sizeof golden_hello];
        tci_hello h;
        tc_error err = {0};
        memcpy(buf, golden_hello, sizeof buf);
        buf[sizeof buf - 1] = bad[i];
        repair(buf, sizeof buf);
        assert_int_equal(tci_hello_decode(buf, sizeof buf, TCI_HELLO_HELLO, &h, &err),
                         TC_E_CORRUPT);
        assert_contains(&err, "features has byte 0x");
    }
}

static void kinds_are_not_confused(void **state)
{
    uint8_t buf[sizeof golden_hello_dictionaries];
    for (size_t g = 0; g < GOLDEN_COUNT; g++) {
        for (size_t other = 0; other < GOLDEN_COUNT; other++) {
            if (golden[other].kind == golden[g].kind)
                continue;
            tc_error err = {0};
            assert_int_equal(
                decode_as(golden[other].kind, golden[g].bytes, golden[g].size, &err),
                TC_E_CORRUPT);
            /* Relabelled, too: no body is valid under two kinds. */
            memcpy(buf, golden[g].bytes, golden[g].size);
            buf[6] = (uint8_t)golden[other].kind;
            assert_int_equal(decode_as(golden[other].kind, buf, golden[g].size, &err),
                             TC_E_CORRUPT);
        }
    }
}

static void foreign_bytes_are_named_as_such(void **state)
{
    tci_hello_preamble preamble;
    tc_error err = {0};
    assert_int_equal(tci_hello_preamble_decode("GET / HTTP/1.1\r\n", 16, &preamble, &err),
                     TC_E_CORRUPT);
    assert_contains(&err, "not a Three-Chains peer");
}

static void another_protocol_is_named_before_all_else(void **state)
{
    /* Kind, size and checksum make no sense to this side, and need not. */
    static const uint8_t bytes[16] = {'T',  'C',  'H',  'I',  0x39, 0x30, 0xff, 0xff,
                                      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    tci_hello_preamble preamble;
    tc_error err = {0};
    assert_int_equal(tci_hello_preamble_decode(bytes, sizeof bytes, &preamble, &err),
                     TC_E_VERSION);
    char own[32];
    (void)snprintf(own, sizeof own, "this side version %u", TC_PROTOCOL_VERSION);
    assert_contains(&err, "12345");
    assert_contains(&err, own);
}

static void preamble_bounds_the_body(void **state)
{
    static const struct {
        uint8_t kind;
        uint32_t body_bytes;
        tc_status status;
    } rows[] = {
        {TCI_HELLO_HELLO, 92, TC_OK},
        {TCI_HELLO_HELLO, 91, TC_E_CORRUPT},
        {TCI_HELLO_HELLO, 8192, TC_OK},
        {TCI_HELLO_HELLO, 8193, TC_E_CORRUPT},
        {TCI_HELLO_ADDRESS, 8193, TC_E_CORRUPT},
        {TCI_HELLO_HELLO, UINT32_MAX, TC_E_CORRUPT},
        {TCI_HELLO_READY, 1, TC_OK},
        {TCI_HELLO_READY, 0, TC_E_CORRUPT},
        {TCI_HELLO_READY, 2, TC_E_CORRUPT},
        {TCI_HELLO_REFUSE, 3, TC_E_CORRUPT},
        {TCI_HELLO_REFUSE, 4, TC_OK},
        {TCI_HELLO_REFUSE, 516, TC_OK},
        {TCI_HELLO_REFUSE, 517, TC_E_CORRUPT},
        {TCI_HELLO_BYE, 0, TC_OK},
        {TCI_HELLO_BYE, 1, TC_E_CORRUPT},
        {0, 0, TC_E_CORRUPT},
        {TCI_HELLO_BELL, 0, TC_OK},
        {TCI_HELLO_BELL, 1, TC_E_CORRUPT},
        {7, 0, TC_E_CORRUPT},
        {255, 100, TC_E_CORRUPT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[16] = {'T', 'C', 'H', 'I', TC_PROTOCOL_VERSION, 0, rows[i].kind};
        tci_hello_preamble preamble = {0};
        for (size_t b = 0; b < 4; b++)
            bytes[SIZE_AT + b] = (uint8_t)(rows[i].body_bytes >> (8 * b));
        tc_status status = tci_hello_preamble_decode(bytes, sizeof bytes, &preamble, NULL);
        assert_int_equal(status, rows[i].status);
        if (status == TC_OK) {
            assert_int_equal(preamble.kind, rows[i].kind);
            assert_int_equal(preamble.body_bytes, rows[i].body_bytes);
        }
    }
}

static void ready_carries_any_number(void **state)
{
    for (unsigned value = 0; value < 256; value++) {
        uint8_t buf[TCI_HELLO_PREAMBLE_BYTES + 1];
        size_t size;
        uint8_t delivery;
        assert_int_equal(tci_hello_ready_encode((uint8_t)value, buf, sizeof buf, &size), TC_OK);
        assert_int_equal(tci_hello_ready_decode(buf, size, &delivery, NULL), TC_OK);
        assert_int_equal(delivery, value);
    }
}

static void refusals_keep_their_reason(void **state)
{
    uint8_t buf[TCI_HELLO_MESSAGE_MAX];
    char text[1000];
    size_t size;
    tc_error refusal;
    memset(text, 'r', sizeof text);
    text[sizeof text - 1] = '\0';
    text[3] = '\t';
    text[4] = '\xe4';
    assert_int_equal(tci_hello_refuse_encode(TC_E_REFUSED, text, buf, sizeof buf, &size),
                     TC_OK);
    assert_int_equal(size, TCI_HELLO_PREAMBLE_BYTES + 4 + TCI_HELLO_REFUSE_TEXT_MAX);
    assert_int_equal(tci_hello_refuse_decode(buf, size, &refusal, NULL), TC_OK);
    assert_int_equal(refusal.status, TC_E_REFUSED);
    assert_int_equal(strlen(refusal.text), TCI_HELLO_REFUSE_TEXT_MAX);
    assert_memory_equal(refusal.text, "rrr??r", 6);

    /* Of a newer peer, perhaps. */
    assert_int_equal(tci_hello_refuse_encode((tc_status)-1000, "", buf, sizeof buf, &size),
                     TC_OK);
    assert_int_equal(tci_hello_refuse_decode(buf, size, &refusal, NULL), TC_OK);
    assert_int_equal((int)refusal.status, -1000);
    assert_string_equal(refusal.text, "");

    assert_int_equal(tci_hello_refuse_encode(TC_OK, "", buf, sizeof buf, &size), TC_E_INVALID);
}

static void refusals_without_a_reason_are_damage(void **state)
{
    uint8_t buf[sizeof golden_refuse];
    tc_error refusal = {0};
    tc_error err = {0};
    memcpy(buf, golden_refuse, sizeof buf);
    memset(buf + BODY_AT, 0, 4);
    repair(buf, sizeof buf);
    assert_int_equal(tci_hello_refuse_decode(buf, sizeof buf, &refusal, &err), TC_E_CORRUPT);
    assert_contains(&err, "status 0");
    memcpy(buf, golden_refuse, sizeof buf);
    buf[BODY_AT + 4] = 0x1b;
    repair(buf, sizeof buf);
    assert_int_equal(tci_hello_refuse_decode(buf, sizeof buf, &refusal, &err), TC_E_CORRUPT);
    assert_contains(&err, "0x1b at 0");
}

static void small_buffers_are_never_overrun(void **state)
{
    uint8_t buf[sizeof golden_hello];
    tci_hello h = sample();
    for (size_t room = 0; room < sizeof golden_hello; room++) {
        size_t size;
        memset(buf, 0xa5, sizeof buf);
        assert_int_equal(tci_hello_encode(&h, TCI_HELLO_HELLO, buf, room, &size, NULL),
                         TC_E_TOO_LARGE);
        for (size_t i = room; i < sizeof buf; i++)
            assert_int_equal(buf[i], 0xa5);
        if (room < sizeof golden_ready)
            assert_int_equal(tci_hello_ready_encode(TCI_HELLO_AM, buf, room, &size),
                             TC_E_TOO_LARGE);
        if (room < sizeof golden_refuse)
            assert_int_equal(tci_hello_refuse_encode(TC_E_VERSION,
                                                     "UCX 1.18.1, this side 1.13.1", buf, room,
                                                     &size),
                             TC_E_TOO_LARGE);
        if (room < sizeof golden_bye)
            assert_int_equal(tci_hello_bye_encode(buf, room, &size), TC_E_TOO_LARGE);
    }
}

static void ucx_minors_must_agree(void **state)
{
    tci_hello mine = sample();
    tci_hello theirs = sample();
    theirs.isa = TCI_HELLO_AARCH64;
    theirs.ucx.patch = 9;
    theirs.llvm = (tci_hello_version){0, 0, 0};
    theirs.page_bytes = 65536;
    assert_int_equal(tci_hello_compatible(&mine, &theirs, NULL), TC_OK);

    static const tci_hello_version others[] = {{1, 18, 1}, {2, 13, 1}};
    static const char *const texts[] = {"1.18.1", "2.13.1"};
    for (size_t i = 0; i < 2; i++) {
        tc_error err = {0};
        theirs.ucx = others[i];
        assert_int_equal(tci_hello_compatible(&mine, &theirs, &err), TC_E_VERSION);
        assert_contains(&err, texts[i]);
        assert_contains(&err, "this side 1.13.1");
    }
}

static void host_ids_tell_hosts_apart(void **state)
{
    tci_hello mine = sample();
    tci_hello theirs = sample();
    assert_true(tci_hello_same_host(&mine, &theirs));
    theirs.host_id[15] ^= 1;
    assert_false(tci_hello_same_host(&mine, &theirs));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_has_its_golden_bytes),
        cmocka_unit_test(dictionaries_have_their_golden_bytes),
        cmocka_unit_test(dictionaries_are_in_order_and_few),
        cmocka_unit_test(address_is_a_hello_without_a_ring),
        cmocka_unit_test(small_messages_have_their_golden_bytes),
        cmocka_unit_test(every_field_may_be_at_its_limit),
        cmocka_unit_test(views_point_into_the_message),
        cmocka_unit_test(short_and_long_messages_are_refused),
        cmocka_unit_test(every_flipped_bit_is_found),
        cmocka_unit_test(every_forged_bit_is_refused_or_meant),
        cmocka_unit_test(fields_outside_their_range_are_named),
        cmocka_unit_test(sizes_inside_the_body_must_add_up),
        cmocka_unit_test(encode_refuses_what_no_peer_would_take),
        cmocka_unit_test(texts_are_printable),
        cmocka_unit_test(kinds_are_not_confused),
        cmocka_unit_test(foreign_bytes_are_named_as_such),
        cmocka_unit_test(another_protocol_is_named_before_all_else),
        cmocka_unit_test(preamble_bounds_the_body),
        cmocka_unit_test(ready_carries_any_number),
        cmocka_unit_test(refusals_keep_their_reason),
        cmocka_unit_test(refusals_without_a_reason_are_damage),
        cmocka_unit_test(small_buffers_are_never_overrun),
        cmocka_unit_test(ucx_minors_must_agree),
        cmocka_unit_test(host_ids_tell_hosts_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
