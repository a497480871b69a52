/* HELLOs that lie, with a right checksum. The linker puts this in front of the library's
 * encoder (--wrap), so that all the rest of a connection is honest; and in front of the call
 * that sets a link's peer, to see it. */
#include "attack.h"

#include "base/content_id.h"
#include "wire/hello.h"

#include <string.h>

#define FIXED_BYTES 100u
#define FRAME_MAX_AT 20u
#define RING_BYTES_AT 24u
#define RKEY_SIZE_AT 30u
#define ADDRESS_SIZE_AT 32u
#define RING_ADDRESS_AT 48u
#define CHECKSUM_AT 12u

tc_status __real_tci_hello_encode(const tci_hello *hello, tci_hello_kind kind, void *buf,
                                  size_t size, size_t *size_out, tc_error *err);
tc_status __wrap_tci_hello_encode(const tci_hello *hello, tci_hello_kind kind, void *buf,
                                  size_t size, size_t *size_out, tc_error *err);

void __real_tci_link_set_peer(tci_link *link, uint16_t connection, uint64_t token);
void __wrap_tci_link_set_peer(tci_link *link, uint16_t connection, uint64_t token);
void __wrap_tci_assertion_failed(const char *name, const char *condition, const char *file,
                                 int line);
void __wrap_tci_assertion_differs(const char *name, const char *condition, const char *file,
                                  int line, const long long values[2], const char *relation);

static uint16_t peer_connection;
static uint64_t peer_token;
static attack *liar;
static attack_hello lie;
static uint8_t own[TCI_HELLO_MESSAGE_MAX];
static size_t own_size;

const uint8_t *attack_own_hello(size_t *size_out)
{
    *size_out = own_size;
    return own;
}

void attack_lie(attack *a, attack_hello hello)
{
    liar = a;
    lie = hello;
}

static size_t half(const uint8_t *body, size_t at)
{
    return (size_t)body[at] | (size_t)body[at + 1] << 8;
}

static void change_some(uint8_t *bytes, size_t size)
{
    for (uint64_t n = attack_below(liar, 4); size > 0 && n < 4; n++)
        bytes[attack_below(liar, size)] =
            (uint8_t)(attack_below(liar, 2) ? attack_random(liar) : attack_number(liar));
}

static void put_word(uint8_t *at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(word >> 8 * i);
}

/* Near enough that the receiver, with this memory mapped, finds something of its own there. */
static void move_ring(uint8_t *body)
{
    uint64_t address, away = 64 * (1 + attack_below(liar, 1u << attack_below(liar, 26)));
    memcpy(&address, body + RING_ADDRESS_AT, sizeof address);
    address += attack_below(liar, 2) ? away : -away;
    memcpy(body + RING_ADDRESS_AT, &address, sizeof address);
}

static void change(uint8_t *body)
{
    const size_t rkey = half(body, RKEY_SIZE_AT), address = half(body, ADDRESS_SIZE_AT);
    switch (lie) {
    case ATTACK_HELLO_FIELDS:
        change_some(body, FIXED_BYTES);
        return;
    case ATTACK_HELLO_RKEY:
        change_some(body + FIXED_BYTES, rkey);
        return;
    case ATTACK_HELLO_ADDRESS:
        change_some(body + FIXED_BYTES + rkey, address);
        return;
    case ATTACK_HELLO_TINY:
        put_word(body + FRAME_MAX_AT, 64 + (uint32_t)attack_below(liar, 41));
        return;
    case ATTACK_HELLO_RING:
        put_word(body + RING_BYTES_AT, TCI_HELLO_RING_BYTES_MAX);
        return;
    case ATTACK_HELLO_PLACE:
        move_ring(body);
        return;
    default:
        return;
    }
}

tc_status __wrap_tci_hello_encode(const tci_hello *hello, tci_hello_kind kind, void *buf,
                                  size_t size, size_t *size_out, tc_error *err)
{
    tc_status status = __real_tci_hello_encode(hello, kind, buf, size, size_out, err);
    uint8_t *bytes = buf, hash[16];
    if (status != TC_OK || kind != TCI_HELLO_HELLO || liar == NULL)
        return status;
    change(bytes + TCI_HELLO_PREAMBLE_BYTES);
    tci_hash128(bytes + TCI_HELLO_PREAMBLE_BYTES, *size_out - TCI_HELLO_PREAMBLE_BYTES, hash);
    memcpy(bytes + CHECKSUM_AT, hash, 4);
    memcpy(own, bytes, own_size = *size_out);
    return TC_OK;
}

void __wrap_tci_link_set_peer(tci_link *link, uint16_t connection, uint64_t token)
{
    peer_connection = connection;
    peer_token = token;
    __real_tci_link_set_peer(link, connection, token);
}

void attack_name_another(attack *a, uint16_t connection)
{
    const uint64_t tokens[] = {peer_token, 0, UINT64_MAX, attack_random(a)};
    if (connection == peer_connection)
        connection++;
    __real_tci_link_set_peer(a->ep->link, connection, tokens[attack_below(a, 4)]);
}

/* The attacker's own state may break: it writes past all checks of its library. */
void __wrap_tci_assertion_failed(const char *name, const char *condition, const char *file,
                                 int line)
{
    (void)name, (void)condition, (void)file, (void)line;
}

void __wrap_tci_assertion_differs(const char *name, const char *condition, const char *file,
                                  int line, const long long values[2], const char *relation)
{
    (void)name, (void)condition, (void)file, (void)line, (void)values, (void)relation;
}
