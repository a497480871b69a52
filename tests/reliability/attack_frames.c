/* Frames that no peer of ours would send, at the right offset and with the right signal. */
#include "attack.h"

#include "base/cursor.h"
#include "transfer/frame_out.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define BODY_MAX 20000u
#define FRAMES_PER_CONNECTION 400u
#define FLIPPED_BYTES 8192u
#define TURN_FRAMES 16u

/* --- random, in the shape of the format -------------------------------------------------- */

static void write_id(attack *a, tci_writer *w)
{
    const tc_ifunc *fn = attack_below(a, 2) ? a->check : a->bulky;
    uint8_t id[16];
    attack_fill(a, id, sizeof id);
    tci_write_bytes(w, attack_below(a, 3) ? fn->id.bytes : id, sizeof id);
}

/* The bytes behind a CODE frame's payload, with the archive of an existing function. */
static void write_code(attack *a, tci_writer *w, uint32_t payload_size)
{
    const tc_ifunc *fn = a->check;
    while (w->at % 8 != 0 && w->at < payload_size + 8u)
        tci_write_u8(w, 0);
    if (attack_below(a, 2)) {
        tci_write_bytes(w, fn->code, fn->code_bytes);
    } else {
        write_id(a, w);
        tci_write_u32(w, (uint32_t)attack_number(a));
        tci_write_u32(w, (uint32_t)(attack_below(a, 2) ? 0 : attack_number(a)));
    }
}

static void write_numbers(attack *a, tci_writer *w, unsigned words)
{
    for (unsigned i = 0; i < words; i++)
        tci_write_u64(w, attack_number(a));
}

static void write_route(attack *a, tci_writer *w)
{
    const uint32_t path =
        (uint32_t)(attack_below(a, 3) ? attack_below(a, 4) : attack_number(a));
    for (uint32_t i = 0; i < path && i < 300; i++)
        tci_write_u32(w, (uint32_t)attack_below(a, 4));
    tci_write_u64(w, attack_number(a));
    tci_write_u32(w, (uint32_t)(attack_below(a, 2) ? UINT32_MAX : attack_below(a, 4)));
    for (unsigned i = 0; i < 2; i++)
        tci_write_u32(w, (uint32_t)attack_number(a));
    tci_write_u32(w, (uint32_t)attack_below(a, 3));
    tci_write_u32(w, path);
}

static void write_body(attack *a, tci_writer *w, tci_frame *header)
{
    switch (header->kind) {
    case TCI_FRAME_CALL:
    case TCI_FRAME_CODE:
    case TCI_FRAME_INJECT:
        write_numbers(a, w, (unsigned)attack_below(a, 5));
        break;
    case TCI_FRAME_CONTROL:
        if (header->flags == TCI_CONTROL_NEED)
            write_id(a, w);
        else
            write_numbers(a, w, (unsigned)attack_below(a, 5));
        break;
    case TCI_FRAME_REPLY:
        tci_write_u64(w, attack_below(a, 3) << 32 | attack_below(a, 40));
        tci_write_u64(w, attack_number(a));
        tci_write_u64(w, attack_number(a));
        tci_write_u32(w, (uint32_t)attack_below(a, 30) - 25u);
        tci_write_u32(w, (uint32_t)attack_number(a));
        tci_write_u32(w, (uint32_t)attack_below(a, 4));
        tci_write_u32(w, (uint32_t)(attack_below(a, 3) ? 0 : attack_number(a)));
        break;
    default:
        write_numbers(a, w, (unsigned)attack_below(a, 6));
        break;
    }
    for (uint64_t n = attack_below(a, 4) ? 0 : attack_below(a, BODY_MAX); n > 0; n--)
        tci_write_u8(w, (uint8_t)attack_random(a));
    if (header->flags & TCI_ROUTED)
        write_route(a, w);
    header->payload_size = (uint32_t)w->at;
    if (header->kind == TCI_FRAME_CODE || header->kind == TCI_FRAME_INJECT)
        write_code(a, w, header->payload_size);
}

static bool send_random_frame(attack *a)
{
    static const uint8_t kinds[] = {TCI_FRAME_CALL,     TCI_FRAME_CODE,    TCI_FRAME_FRAGMENT,
                                    TCI_FRAME_FRAGMENT, TCI_FRAME_CONTROL, TCI_FRAME_INJECT,
                                    TCI_FRAME_REPLY};
    static const uint8_t flags[] = {0, 0, 1, 2, 3, 4, 7, TCI_ROUTED, TCI_ROUTED | 1};
    static uint8_t body[TCI_ROUTE_BYTES_MAX + 2 * BODY_MAX + 65536];
    tci_writer w;
    tci_writer_init(&w, body, sizeof body);
    tci_frame header = {.slot = (uint16_t)attack_below(a, 4),
                        .kind = kinds[attack_below(a, sizeof kinds)],
                        .flags = flags[attack_below(a, sizeof flags)]};
    if (header.kind == TCI_FRAME_CONTROL)
        header.flags = (uint8_t)attack_below(a, 12);
    write_body(a, &w, &header);
    switch (attack_below(a, 40)) { /* rarely: most of these end the connection at once */
    case 0:
        header.kind = (uint8_t)attack_random(a);
        break;
    case 1:
        header.flags = (uint8_t)attack_random(a);
        break;
    case 2:
        header.payload_size = (uint32_t)attack_number(a);
        break;
    case 3:
        header.slot = (uint16_t)attack_number(a);
        break;
    default:
        break;
    }
    return attack_frame(a, &header, body, TCI_FRAME_HEADER_BYTES + w.at);
}

static void greet(attack *a)
{
    tc_status status = tc_send(a->ep, a->check, "greeting", 8);
    (void)status; /* a target that refuses it is attacked all the same */
    (void)tc_progress(a->ctx);
}

static void send_random_frames(attack *a)
{
    greet(a);
    for (unsigned n = 0; n < FRAMES_PER_CONNECTION && attack_goes_on(a); n++) {
        if (!send_random_frame(a))
            return;
        if (n % TURN_FRAMES == 0)
            (void)tc_progress(a->ctx);
    }
}

/* --- frames that change while they are read ---------------------------------------------- */

typedef struct flipper {
    attack *a;
    uint64_t random;
    atomic_bool stop;
    uint8_t *ring;
    uint64_t mask;
    _Atomic uint64_t tail;
} flipper;

/* Signals stay as they are: behind a wrong one nothing would be read at all. */
static void *flip(void *user)
{
    flipper *f = user;
    attack chance = {.random = f->random};
    while (!atomic_load(&f->stop)) {
        uint64_t at = atomic_load(&f->tail) - attack_below(&chance, FLIPPED_BYTES);
        if (at % TCI_FRAME_GRANULE >= 8)
            f->ring[at & f->mask] ^= (uint8_t)(1u << attack_below(&chance, 8));
    }
    return NULL;
}

static void change_frames(attack *a)
{
    pthread_t thread;
    flipper f = {.a = a, .random = attack_random(a), .ring = a->ep->tx.ring.ring};
    f.mask = a->ep->tx.ring.mask;
    f.tail = a->ep->tx.ring.tail;
    greet(a);
    if (pthread_create(&thread, NULL, flip, &f) != 0)
        abort();
    for (unsigned n = 0; n < FRAMES_PER_CONNECTION && attack_goes_on(a); n++) {
        if (!send_random_frame(a))
            break;
        atomic_store(&f.tail, a->ep->tx.ring.tail);
        if (n % TURN_FRAMES == 0)
            (void)tc_progress(a->ctx);
    }
    atomic_store(&f.stop, true);
    (void)pthread_join(thread, NULL);
}

/* --- behind a failure -------------------------------------------------------------------- */

static void need_unknown_then_reply(attack *a)
{
    uint8_t id[16], reply[TCI_REPLY_BYTES];
    const tci_frame need = {
        .payload_size = 16, .kind = TCI_FRAME_CONTROL, .flags = TCI_CONTROL_NEED};
    const tci_frame answer = {.payload_size = sizeof reply, .kind = TCI_FRAME_REPLY};
    attack_fill(a, id, sizeof id);
    tci_reply_encode(&(tci_reply){.call = attack_number(a)}, reply);
    if (attack_frame(a, &need, id, TCI_FRAME_HEADER_BYTES + sizeof id))
        (void)attack_frame(a, &answer, reply, TCI_FRAME_HEADER_BYTES + sizeof reply);
    attack_wait(a, 20000000);
}

/* --- unrequested answers --------- ------------------------------------------------------- */

static void forge_answers(attack *a)
{
    uint8_t body[TCI_REPLY_BYTES + 8] = {0};
    const tci_frame header = {.payload_size = sizeof body, .kind = TCI_FRAME_REPLY};
    const tci_frame brief = {
        .payload_size = 16, .kind = TCI_FRAME_REPLY, .flags = TCI_BRIEF};
    while (attack_goes_on(a)) {
        for (uint64_t upper = 0; upper < 64; upper++) {
            tci_reply reply = {.call = (attack_below(a, 4096)) << 32 | (1 + upper % 4),
                               .total = 8,
                               .rank = TC_RANK_NONE};
            tci_reply_encode(&reply, body);
            if (!attack_frame(a, &header, body, TCI_FRAME_HEADER_BYTES + sizeof body))
                return;
            memcpy(body + 8, &reply.call, sizeof reply.call);
            if (!attack_frame(a, &brief, body, TCI_FRAME_HEADER_BYTES + 16))
                return;
        }
        (void)tc_progress(a->ctx);
    }
}

const attack_scenario attack_frame_scenarios[] = {
    {"frames", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_HONEST, send_random_frames},
    {"member", ATTACK_NEEDS_GROUP, ATTACK_HELLO_HONEST, send_random_frames},
    {"changing", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_HONEST, change_frames},
    {"hello_fields", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_FIELDS, send_random_frames},
    {"hello_place", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_PLACE, send_random_frames},
    {"hello_rkey", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_RKEY, greet},
    {"hello_address", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_ADDRESS, greet},
    {"need_unknown", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_HONEST, need_unknown_then_reply},
    {"forged_answers", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_HONEST, forge_answers},
    {0},
};
