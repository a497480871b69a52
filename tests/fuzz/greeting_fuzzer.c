/* Any bytes, from an unauthenticated peer to a listener with keys, or as the answer to a
 * connecting side. The first byte chooses the case, and how the rest is cut. No peer without
 * the key is ever accepted, and all input is judged within as many steps as there are
 * pieces. */
#include "bootstrap/channel.h"
#include "memory_wire.h"
#include "fuzzer.h"
#include "tls_keys.h"

#include <string.h>

#define PIECES_MAX 8u

static tci_credentials *credentials(void)
{
    static tci_credentials loaded;
    const tci_tls_key key = {.name = "cluster", .bytes = {1, 2, 3}};
    if (loaded.ops == NULL)
        tls_keys_create(&key, 1, &loaded);
    tls_keys_restart_random();
    return &loaded;
}

/* TC_E_AGAIN: it waits for more. */
static tc_status feed(tci_channel *channel, const uint8_t *data, size_t size, size_t pieces,
                      tc_error *err)
{
    tc_status status = tci_channel_handshake(channel, err);
    for (size_t at = 0; at < size && status == TC_E_AGAIN;) {
        size_t n = size / pieces + 1 < size - at ? size / pieces + 1 : size - at;
        memory_wire_arrive(0, data + at, n);
        at += n;
        status = tci_channel_handshake(channel, err);
        memory_wire_lose(0, SIZE_MAX);
    }
    return status;
}

static void judge(tci_channel *channel, const uint8_t *data, size_t size)
{
    tc_error err;
    tci_tls_role role = (data[0] & 1) != 0 ? TCI_TLS_CLIENT : TCI_TLS_SERVER;
    MUST(tci_channel_secure(channel, credentials(), role, "127.0.0.1", &err) == TC_OK);
    tc_status status = feed(channel, data + 1, size - 1, (data[0] >> 1) % PIECES_MAX + 1, &err);
    memory_wire_ends[0].closed = true;
    if (status == TC_E_AGAIN)
        status = tci_channel_handshake(channel, &err);
    MUST(status != TC_OK && status != TC_E_AGAIN && channel->identity == NULL);
    MUST(err.status == status && err.text[0] != '\0');
    MUST(tci_channel_handshake(channel, &err) != TC_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tci_channel channel;
    if (size < 1 || size > MEMORY_WIRE_BYTES)
        return 0;
    memory_wire_restart();
    tci_channel_init(&channel);
    channel.fd = MEMORY_WIRE_FD;
    judge(&channel, data, size);
    tci_channel_close(&channel);
    return 0;
}
