/* Two sides with keys authenticate each other, then send, while a man in the middle delivers
 * their bytes in pieces, loses, changes, repeats, reflects and invents bytes, and cuts the
 * connection. In every case a side without the key is never accepted, and a side reads the
 * bytes that the other wrote, from the beginning and in order. Without interference they accept
 * each other if their keys are the same. The first byte chooses their keys; then each two bytes
 * are a step: action, side and argument. */
#include "bootstrap/channel.h"
#include "memory_wire.h"
#include "fuzzer.h"
#include "tls_keys.h"

#include <string.h>

#define STEPS_MAX 64u
#define WRITTEN_MAX 4096u

typedef struct side {
    tci_channel channel;
    tc_status handshake; /* its last message */
    uint8_t written[WRITTEN_MAX];
    size_t written_bytes;
    size_t read_bytes;
    bool failed; /* reading or writing has */
} side;

static side sides[2]; /* the client, the server */
static bool interfered, agree;

/* --- keys -------------------------------------------------------------------------------- */

/* The client's: always the first. The server's: the same, another of that name, one of another
 * name, two of which the second is the client's. */
static tci_credentials *credentials(unsigned which)
{
    static const tci_tls_key keys[] = {{.name = "cluster", .bytes = {1, 2, 3}},
                                       {.name = "cluster", .bytes = {3, 2, 1}},
                                       {.name = "other", .bytes = {1, 2, 3}},
                                       {.name = "cluster", .bytes = {1, 2, 3}}};
    static tci_credentials made[4];
    if (made[0].ops == NULL) {
        for (size_t i = 0; i < 3; i++)
            tls_keys_create(&keys[i], 1, &made[i]);
        tls_keys_create(&keys[2], 2, &made[3]);
    }
    return &made[which];
}

static void open_side(unsigned index, tci_tls_role role, unsigned which)
{
    side *s = &sides[index];
    tc_error error;
    tci_channel_init(&s->channel);
    s->channel.fd = MEMORY_WIRE_FD + (int)index;
    s->handshake = TC_E_AGAIN;
    s->written_bytes = s->read_bytes = 0;
    s->failed = false;
    MUST(tci_channel_secure(&s->channel, credentials(which), role, "127.0.0.1", &error) ==
         TC_OK);
}

/* --- their actions ----------------------------------------------------------------------- */

static void prove(unsigned index)
{
    side *s = &sides[index];
    tc_error error = {0};
    if (s->handshake != TC_E_AGAIN)
        return;
    s->handshake = tci_channel_handshake(&s->channel, &error);
    MUST((s->handshake == TC_OK) == (s->channel.identity != NULL));
    if (s->handshake == TC_OK)
        MUST(agree && strcmp(s->channel.identity, "key:cluster") == 0);
    else if (s->handshake != TC_E_AGAIN)
        MUST(error.status == s->handshake && error.text[0] != '\0' &&
             tci_channel_handshake(&s->channel, NULL) != TC_OK);
}

static void write_some(unsigned index, uint8_t how)
{
    side *s = &sides[index];
    uint8_t *next = s->written + s->written_bytes;
    size_t n = 0, size = (size_t)how * 4 + 1;
    if (s->handshake != TC_OK || s->failed || s->written_bytes + size > WRITTEN_MAX)
        return;
    for (size_t i = 0; i < size; i++)
        next[i] = (uint8_t)(s->written_bytes + i * 7 + index);
    tc_status status = tci_channel_write(&s->channel, next, size, &n, NULL);
    MUST(status != TC_OK || (n > 0 && n <= size));
    s->failed = status != TC_OK && status != TC_E_AGAIN;
    s->written_bytes += status == TC_OK ? n : 0;
    if (status == TC_E_AGAIN) /* the next one would have to begin with the same bytes */
        s->failed = true;
}

static void read_some(unsigned index, uint8_t how)
{
    side *s = &sides[index];
    const side *other = &sides[1 - index];
    uint8_t bytes[1024];
    size_t n = 0;
    bool ended;
    tc_error error = {0};
    if (s->handshake != TC_OK || s->failed)
        return;
    tc_status status =
        tci_channel_read(&s->channel, bytes, (size_t)how * 4 + 1, &n, &ended, &error);
    if (status == TC_OK) {
        MUST(n > 0 && s->read_bytes + n <= other->written_bytes);
        MUST(memcmp(bytes, other->written + s->read_bytes, n) == 0);
        s->read_bytes += n;
    } else if (status != TC_E_AGAIN) {
        MUST(error.text[0] != '\0');
        s->failed = true;
    }
}

/* --- the man in the middle ---------------------------------------------------------------- */

static void change(unsigned from, uint8_t how)
{
    memory_wire_end *end = &memory_wire_ends[from];
    if (end->sent_bytes > 0)
        end->sent[end->sent_bytes * (how / 8) / 32] ^= (uint8_t)(1u << how % 8);
}

/* A record's head that claims `how` things, and nothing of it. */
static void make_up(unsigned to, uint8_t how)
{
    const uint8_t head[] = {
        (uint8_t)(20 + how % 8), 3, 3, (uint8_t)(how / 32), (uint8_t)(how / 8), how, 0, 0, 1};
    memory_wire_arrive(to, head, how & 1 ? 5 : sizeof head);
}

static void repeat(unsigned from, unsigned to, uint8_t how)
{
    const memory_wire_end *end = &memory_wire_ends[from];
    memory_wire_arrive(to, end->sent, end->sent_bytes * how / 255);
}

static bool step_in_order(unsigned at, unsigned what, uint8_t how)
{
    switch (what) {
    case 0:
    case 1:
        memory_wire_carry(1 - at, at, SIZE_MAX);
        prove(at);
        return true;
    case 2:
        memory_wire_carry(1 - at, at, (size_t)how + 1);
        prove(at);
        return true;
    case 3:
    case 4:
        write_some(at, how);
        return true;
    case 5:
    case 6:
        memory_wire_carry(1 - at, at, SIZE_MAX);
        read_some(at, how);
        return true;
    default:
        return false;
    }
}

static void step(uint8_t what, uint8_t how)
{
    const unsigned at = what >> 7;
    if (step_in_order(at, what % 16, how))
        return;
    interfered = true;
    switch (what % 16) {
    case 7:
    case 8:
        change(1 - at, how);
        return;
    case 9:
        memory_wire_lose(1 - at, (size_t)how + 1);
        return;
    case 10:
        repeat(1 - at, at, how);
        return;
    case 11:
        memory_wire_carry(at, at, (size_t)how * 8 + 1);
        return;
    case 12:
        make_up(at, how);
        return;
    case 13:
        memory_wire_ends[at].closed = true;
        return;
    case 14:
        memory_wire_ends[at].full = (how & 1) != 0;
        return;
    default:
        prove(at);
        return;
    }
}

static void settle(void)
{
    for (unsigned rounds = 0; rounds < 6; rounds++) {
        for (unsigned at = 0; at < 2; at++)
            (void)step_in_order(at, 0, 0);
    }
    for (unsigned at = 0; at < 2; at++)
        MUST(interfered || !agree || sides[at].handshake == TC_OK);
    for (unsigned at = 0; at < 2; at++)
        (void)step_in_order(at, 5, 255);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned which = size > 0 ? data[0] % 4 : 0;
    memory_wire_restart();
    (void)credentials(0);
    tls_keys_restart_random();
    interfered = false;
    agree = which == 0 || which == 3;
    open_side(0, TCI_TLS_CLIENT, 0);
    open_side(1, TCI_TLS_SERVER, which);
    prove(0);
    for (size_t i = 1; i + 1 < size && i < 2 * STEPS_MAX; i += 2)
        step(data[i], data[i + 1]);
    settle();
    tci_channel_close(&sides[0].channel);
    tci_channel_close(&sides[1].channel);
    return 0;
}
