#include "hello_lies.h"

#include "base/content_id.h"

#include <string.h>

void hello_lies_seal(uint8_t *message, size_t size)
{
    uint8_t hash[16];
    const uint32_t body = (uint32_t)(size - TCI_HELLO_PREAMBLE_BYTES);
    tci_hash128(message + TCI_HELLO_PREAMBLE_BYTES, body, hash);
    memcpy(message + 8, &body, sizeof body);
    memcpy(message + 12, hash, 4);
}

static void change_numbers(tci_hello *h, uint8_t how)
{
    uint64_t *const wide[] = {&h->pid, &h->context_id, &h->connection_token, &h->ring_nonce,
                              &h->ring_address};
    uint32_t *const narrow[] = {&h->page_bytes, &h->code_bytes_max, &h->ring_bytes,
                                &h->frame_bytes_max, &h->segment};
    const unsigned bit = how / 8;
    if (how % 8 < 5 && (how & 128) != 0)
        *wide[how % 8] ^= 1ull << (bit * 4 % 64);
    else if (how % 8 < 5)
        *narrow[how % 8] = 1u << (bit + 6);
    else if (how % 8 == 5)
        h->connection_id ^= (uint16_t)bit;
    else
        h->ucx.minor ^= (uint8_t)bit;
}

static void change_rest(tci_hello *h, uint8_t how)
{
    static const char *const texts[] = {"aarch64-linux", "x86_64-linux", "?", "mips64-linux"};
    const char *text = texts[how / 16 % 4];
    switch (how % 8) {
    case 0:
        h->triple = (tci_hello_view){text, strlen(text)};
        return;
    case 1:
        h->cpu = (tci_hello_view){text, strlen(text)};
        return;
    case 2:
        h->rkey.size = 0;
        h->ring_address = 0;
        return;
    case 3:
        h->host_id[0] ^= how / 8;
        return;
    case 4:
        h->dictionaries[0] = how;
        h->dictionary_count = how & 16 ? 1 : 0;
        return;
    case 5:
        h->stream = !h->stream;
        return;
    case 6:
        h->ucx_network = !h->ucx_network;
        return;
    default:
        h->isa = how & 16 ? TCI_HELLO_AARCH64 : TCI_HELLO_X86_64;
        return;
    }
}

size_t hello_lies_change(const void *hello, size_t size, uint8_t how, bool numbers,
                         uint8_t out[TCI_HELLO_MESSAGE_MAX])
{
    tci_hello changed;
    size_t changed_size;
    if (tci_hello_decode(hello, size, TCI_HELLO_HELLO, &changed, NULL) != TC_OK)
        return 0;
    if (numbers)
        change_numbers(&changed, how);
    else
        change_rest(&changed, how);
    if (tci_hello_encode(&changed, TCI_HELLO_HELLO, out, TCI_HELLO_MESSAGE_MAX, &changed_size,
                         NULL) != TC_OK)
        return 0;
    return changed_size;
}

size_t hello_lies_make_up(uint8_t how, uint8_t out[TCI_HELLO_MESSAGE_MAX])
{
    size_t size = 0;
    tc_status status = TC_OK;
    switch (how % 4) {
    case 0:
        status = tci_hello_ready_encode(how / 4 % 8, out, TCI_HELLO_MESSAGE_MAX, &size);
        break;
    case 1:
        status = tci_hello_refuse_encode(-(how / 4) - 1, how & 128 ? "" : "no", out,
                                         TCI_HELLO_MESSAGE_MAX, &size);
        break;
    case 2:
        status = tci_hello_bye_encode(out, TCI_HELLO_MESSAGE_MAX, &size);
        break;
    default:
        status = tci_hello_wakeup_encode(out, TCI_HELLO_MESSAGE_MAX, &size);
        break;
    }
    return status == TC_OK ? size : 0;
}
