/* The messages between a process and its compiler: they come back unchanged, and cut or changed
 * ones are refused. */
#include "engine_fixture.h"

#include "engine/child/compile_protocol.h"

static uint8_t body[4 * TCI_COMPILE_HELLO_TEXT_MAX];

/* A copy of the exact size, so that a sanitizer sees a step beyond its end. */
static void *copy_of(const void *bytes, size_t size)
{
    void *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

TEST(prefixes)
{
    uint8_t bytes[TCI_COMPILE_PREFIX_BYTES];
    tci_compile_kind kind;
    size_t size;
    tc_error err;
    tci_compile_prefix_encode(TCI_COMPILE_REPLY, TCI_COMPILE_BODY_MAX, bytes);
    assert_ok(tci_compile_prefix_decode(bytes, &kind, &size, &err));
    assert_int_equal(kind, TCI_COMPILE_REPLY);
    assert_int_equal(size, TCI_COMPILE_BODY_MAX);
    for (size_t i = 0; i < 4; i++) {
        bytes[i] ^= 0x10;
        assert_status(tci_compile_prefix_decode(bytes, &kind, &size, &err), TC_E_CORRUPT);
        bytes[i] ^= 0x10;
    }
    tci_compile_prefix_encode(TCI_COMPILE_REPLY, TCI_COMPILE_BODY_MAX + 1, bytes);
    assert_status(tci_compile_prefix_decode(bytes, &kind, &size, &err), TC_E_CORRUPT);
}

TEST(hellos)
{
    static tci_compile_hello hello = {.abi = 7,
                                      .llvm = "19.1.7",
                                      .cpu = "znver4",
                                      .features = "+avx2,-sve",
                                      .wall = {.parts = 5, .missing = "seccomp (no)"}};
    static tci_compile_hello found;
    size_t size;
    tc_error err;
    assert_ok(tci_compile_hello_encode(&hello, body, sizeof body, &size, &err));
    assert_ok(tci_compile_hello_decode(body, size, &found, &err));
    assert_int_equal(found.abi, 7);
    assert_string_equal(found.llvm, "19.1.7");
    assert_string_equal(found.cpu, "znver4");
    assert_string_equal(found.features, "+avx2,-sve");
    assert_int_equal(found.wall.parts, 5);
    assert_string_equal(found.wall.missing, "seccomp (no)");
    for (size_t n = 0; n < size; n++) {
        void *cut = copy_of(body, n);
        assert_int_not_equal(tci_compile_hello_decode(cut, n, &found, &err), TC_OK);
        free(cut);
    }
    assert_status(tci_compile_hello_decode(body, size + 1, &found, &err), TC_E_CORRUPT);
    hello.wall.parts = TCI_WALL_ALL + 1;
    assert_ok(tci_compile_hello_encode(&hello, body, sizeof body, &size, &err));
    assert_status(tci_compile_hello_decode(body, size, &found, &err), TC_E_CORRUPT);
    body[10] = '\0'; /* inside a text */
    assert_status(tci_compile_hello_decode(body, size, &found, &err), TC_E_CORRUPT);
    body[0]++;
    assert_status(tci_compile_hello_decode(body, size, &found, &err), TC_E_VERSION);
    assert_status(tci_compile_hello_encode(&hello, body, size - 1, &size, &err),
                  TC_E_TOO_LARGE);
}

TEST(requests)
{
    char name[TCI_ARCHIVE_NAME_MAX];
    const tci_engine_code code = {.name = "counter",
                                  .entries = TCI_ENTRY_MAIN | TCI_ENTRY_INIT,
                                  .level = TCI_LEVEL_OPTIMISED,
                                  .debuggable = true,
                                  .size = 5,
                                  .producer_major = 19,
                                  .producer_minor = 1,
                                  .producer_patch = 7};
    tci_engine_code found;
    size_t size;
    tc_error err;
    assert_ok(tci_compile_request_encode(&code, body, &size, &err));
    assert_true(size <= TCI_COMPILE_REQUEST_HEAD_MAX);
    memcpy(body + size, "BYTES", 5);
    assert_ok(tci_compile_request_decode(body, size + 5, name, &found, &err));
    assert_string_equal(found.name, "counter");
    assert_int_equal(found.entries, code.entries);
    assert_int_equal(found.level, code.level);
    assert_true(found.debuggable);
    assert_int_equal(found.size, 5);
    assert_memory_equal(found.bytes, "BYTES", 5);
    assert_int_equal(found.producer_major, 19);
    assert_int_equal(found.producer_minor, 1);
    assert_int_equal(found.producer_patch, 7);
    for (size_t n = 0; n < size; n++) {
        void *cut = copy_of(body, n);
        assert_status(tci_compile_request_decode(cut, n, name, &found, &err), TC_E_CORRUPT);
        free(cut);
    }
    body[4] = TCI_LEVEL_OPTIMISED_SHARED + 1;
    assert_status(tci_compile_request_decode(body, size, name, &found, &err), TC_E_CORRUPT);
}

TEST(what_is_too_large_is_not_requested)
{
    char name[TCI_ARCHIVE_NAME_MAX + 1];
    size_t size;
    tc_error err;
    memset(name, 'n', TCI_ARCHIVE_NAME_MAX);
    name[TCI_ARCHIVE_NAME_MAX] = '\0';
    tci_engine_code code = {.name = name};
    assert_status(tci_compile_request_encode(&code, body, &size, &err), TC_E_TOO_LARGE);
    code.name = "counter";
    code.size = (size_t)TCI_ARCHIVE_SLICE_BYTES_MAX + 1;
    assert_status(tci_compile_request_encode(&code, body, &size, &err), TC_E_TOO_LARGE);
}

static size_t write_reply(const tci_compile_reply *reply)
{
    tci_compile_reply_encode(reply, body);
    uint8_t *at = body + TCI_COMPILE_REPLY_HEAD_BYTES;
    memcpy(at, reply->text, reply->text_size);
    at += reply->text_size;
    memcpy(at, reply->names, reply->names_size);
    at += reply->names_size;
    memcpy(at, reply->object, reply->object_size);
    at += reply->object_size;
    return (size_t)(at - body);
}

static void expect_reply(const tci_compile_reply *reply)
{
    tci_compile_reply found;
    tc_error err;
    size_t size = write_reply(reply);
    void *copy = copy_of(body, size);
    assert_ok(tci_compile_reply_decode(copy, size, &found, &err));
    assert_int_equal(found.status, reply->status);
    assert_int_equal(found.writable, reply->writable);
    assert_int_equal(found.parse_ns, reply->parse_ns);
    assert_int_equal(found.verify_ns, reply->verify_ns);
    assert_int_equal(found.passes_ns, reply->passes_ns);
    assert_int_equal(found.codegen_ns, reply->codegen_ns);
    assert_int_equal(found.text_size, reply->text_size);
    assert_memory_equal(found.text, reply->text, reply->text_size);
    assert_int_equal(found.names_size, reply->names_size);
    assert_memory_equal(found.names, reply->names, reply->names_size);
    assert_int_equal(found.object_size, reply->object_size);
    assert_memory_equal(found.object, reply->object, reply->object_size);
    free(copy);
    for (size_t n = 0; n < size; n++) {
        copy = copy_of(body, n);
        assert_status(tci_compile_reply_decode(copy, n, &found, &err), TC_E_CORRUPT);
        free(copy);
    }
    assert_status(tci_compile_reply_decode(body, size + 1, &found, &err), TC_E_CORRUPT);
}

static void expect_no_reply(const tci_compile_reply *reply)
{
    tci_compile_reply found;
    tc_error err;
    size_t size = write_reply(reply);
    assert_status(tci_compile_reply_decode(body, size, &found, &err), TC_E_CORRUPT);
}

TEST(replies)
{
    const tci_compile_reply good = {.status = TC_OK,
                                    .text = "",
                                    .names = "memcpy\0strlen",
                                    .names_size = 14,
                                    .object = (const uint8_t *)"object",
                                    .object_size = 6,
                                    .writable = TCI_WRITABLE_FIXED,
                                    .parse_ns = 1,
                                    .verify_ns = 2,
                                    .passes_ns = 3,
                                    .codegen_ns = UINT64_MAX};
    tci_compile_reply bad = {.status = TC_E_COMPILE,
                             .text = "text",
                             .text_size = 4,
                             .names = "",
                             .object = (const uint8_t *)""};
    expect_reply(&good);
    expect_reply(&bad);
    bad.names = "one name";
    bad.names_size = 9;
    expect_reply(&bad);
    bad.names_size = 8; /* without its terminator */
    expect_no_reply(&bad);
    bad.names_size = 0;
    bad.status = TC_OK; /* success with an error's text, and without an object */
    expect_no_reply(&bad);
    bad.status = (tc_status)-100;
    expect_no_reply(&bad);
    bad = good;
    bad.status = TC_E_CORRUPT;
    expect_no_reply(&bad);
}

/* A status that is added must not make replies with it senseless. */
TEST(every_status_is_replied)
{
    const char *unknown = tc_status_name((tc_status)-100);
    tci_compile_reply reply = {
        .text = "text", .text_size = 4, .names = "", .object = (const uint8_t *)""};
    int value = TC_E_AGAIN;
    for (; strcmp(tc_status_name((tc_status)value), unknown) != 0; value--) {
        reply.status = (tc_status)value;
        expect_reply(&reply);
    }
    assert_true(value < TC_E_BUSY);
    reply.status = (tc_status)value;
    expect_no_reply(&reply);
}
