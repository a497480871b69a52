/* Any bytes, as a hello message of every kind: first as they are, then with a preamble that
 * fits them, so that the fields behind the checksum are reached too. An accepted message must
 * encode to the very same bytes. */
#include "base/content_id.h"
#include "fuzzer.h"
#include "wire/hello.h"

#include <string.h>

static void require_same(const void *bytes, size_t size, const void *again, size_t again_size)
{
    MUST(size == again_size && memcmp(bytes, again, size) == 0);
}

static void decode_hello(tci_hello_kind kind, const uint8_t *bytes, size_t size)
{
    static uint8_t again[TCI_HELLO_MESSAGE_MAX];
    size_t again_size = 0;
    tci_hello hello;
    tc_error err;
    if (tci_hello_decode(bytes, size, kind, &hello, &err) != TC_OK)
        return;
    MUST(tci_hello_encode(&hello, kind, again, sizeof again, &again_size, &err) == TC_OK);
    require_same(bytes, size, again, again_size);
    MUST(tci_hello_compatible(&hello, &hello, &err) == TC_OK);
}

static void decode_replies(const uint8_t *bytes, size_t size)
{
    uint8_t again[TCI_HELLO_PREAMBLE_BYTES + 4 + TCI_HELLO_REFUSE_TEXT_MAX];
    size_t again_size = 0;
    uint8_t delivery;
    tc_error refusal;
    tc_error err;
    if (tci_hello_ready_decode(bytes, size, &delivery, &err) == TC_OK) {
        MUST(tci_hello_ready_encode(delivery, again, sizeof again, &again_size) == TC_OK);
        require_same(bytes, size, again, again_size);
    }
    if (tci_hello_refuse_decode(bytes, size, &refusal, &err) == TC_OK) {
        MUST(tci_hello_refuse_encode(refusal.status, refusal.text, again, sizeof again,
                                     &again_size) == TC_OK);
        require_same(bytes, size, again, again_size);
    }
    if (tci_hello_bye_decode(bytes, size, &err) == TC_OK)
        MUST(size == TCI_HELLO_PREAMBLE_BYTES);
}

static void decode_all(const uint8_t *bytes, size_t size)
{
    tci_hello_preamble preamble;
    tc_error err;
    if (tci_hello_preamble_decode(bytes, size, &preamble, &err) == TC_OK)
        MUST(preamble.body_bytes <= TCI_HELLO_BODY_MAX);
    decode_hello(TCI_HELLO_HELLO, bytes, size);
    decode_hello(TCI_HELLO_ADDRESS, bytes, size);
    decode_replies(bytes, size);
}

/* Keeps the kind, makes magic, protocol, size and checksum right. */
static void forge(uint8_t *message, size_t size)
{
    uint8_t hash[16];
    uint32_t body_bytes = (uint32_t)(size - TCI_HELLO_PREAMBLE_BYTES);
    tci_hash128(message + TCI_HELLO_PREAMBLE_BYTES, body_bytes, hash);
    memcpy(message, "TCHI", 4);
    message[4] = TC_PROTOCOL_VERSION;
    message[5] = 0;
    message[7] = 0;
    for (size_t i = 0; i < 4; i++)
        message[8 + i] = (uint8_t)(body_bytes >> (8 * i));
    memcpy(message + 12, hash, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode_all(data, size);
    if (size < TCI_HELLO_PREAMBLE_BYTES || size > TCI_HELLO_MESSAGE_MAX)
        return 0;
    /* A buffer of the exact size, so that a step beyond the end is noticed. */
    uint8_t *message = malloc(size);
    if (message == NULL)
        return 0;
    memcpy(message, data, size);
    forge(message, size);
    decode_all(message, size);
    free(message);
    return 0;
}
