/* Any bytes, as a message between a process and its compiler: as the prefix and body that they
 * are, and as the body of every kind. An accepted message must encode to the very same
 * bytes. */
#include "engine/child/compile_protocol.h"
#include "fuzzer.h"

#include <string.h>

static void decode_hello(const uint8_t *body, size_t size)
{
    static tci_compile_hello hello;
    static uint8_t again[4 * TCI_COMPILE_HELLO_TEXT_MAX];
    size_t again_size = 0;
    tc_error err;
    if (tci_compile_hello_decode(body, size, &hello, &err) != TC_OK)
        return;
    MUST(tci_compile_hello_encode(&hello, again, sizeof again, &again_size, &err) == TC_OK);
    MUST(size == again_size && memcmp(body, again, size) == 0);
}

static void decode_request(const uint8_t *body, size_t size)
{
    char name[TCI_ARCHIVE_NAME_MAX];
    uint8_t again[TCI_COMPILE_REQUEST_HEAD_MAX];
    size_t again_size = 0;
    tci_engine_code code;
    tc_error err;
    if (tci_compile_request_decode(body, size, name, &code, &err) != TC_OK)
        return;
    MUST(tci_compile_request_encode(&code, again, &again_size, &err) == TC_OK);
    MUST(size == again_size + code.size && memcmp(body, again, again_size) == 0);
    MUST(code.bytes == body + again_size);
}

static void decode_reply(const uint8_t *body, size_t size)
{
    uint8_t again[TCI_COMPILE_REPLY_HEAD_BYTES];
    tci_compile_reply reply;
    tc_error err;
    if (tci_compile_reply_decode(body, size, &reply, &err) != TC_OK)
        return;
    tci_compile_reply_encode(&reply, again);
    MUST(memcmp(body, again, sizeof again) == 0);
    MUST(sizeof again + reply.text_size + reply.names_size + reply.object_size == size);
    size_t names = 0; /* a walk over them ends where they end */
    for (const char *at = reply.names; at < reply.names + reply.names_size; names++)
        at += strlen(at) + 1;
    MUST(names <= reply.names_size);
    MUST(reply.object == body + size - reply.object_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tci_compile_kind kind;
    size_t body_size;
    tc_error err;
    if (size >= TCI_COMPILE_PREFIX_BYTES &&
        tci_compile_prefix_decode(data, &kind, &body_size, &err) == TC_OK) {
        uint8_t again[TCI_COMPILE_PREFIX_BYTES];
        tci_compile_prefix_encode(kind, body_size, again);
        MUST(memcmp(data, again, sizeof again) == 0);
        data += TCI_COMPILE_PREFIX_BYTES;
        size -= TCI_COMPILE_PREFIX_BYTES;
    }
    decode_hello(data, size);
    decode_request(data, size);
    decode_reply(data, size);
    return 0;
}
