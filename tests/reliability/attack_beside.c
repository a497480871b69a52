/* Data beside the ring: requested code, payloads in parts, and messages that name another
 * peer's connection. */
#include "attack.h"

#include "base/clock.h"
#include "base/cursor.h"
#include "transfer/frame_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_NS 100000000ull
#define PART_MAX 70000u
#define PAYLOADS 6u
#define CONNECTIONS 16u

/* The operation, its header and a copy of the bytes live until the message has left. */
typedef struct posted {
    tci_link_op op;
    tci_payload_header header;
    uint8_t bytes[];
} posted;

static void let_go(tci_link_op *op)
{
    free(op);
}

static posted *make_posted(const void *bytes, size_t size)
{
    posted *p = calloc(1, sizeof *p + size);
    if (p == NULL)
        abort();
    p->op.done = let_go;
    if (size > 0)
        memcpy(p->bytes, bytes, size);
    return p;
}

static void post(attack *a, tci_am kind, uint16_t place, const void *bytes, size_t size)
{
    posted *p = make_posted(bytes, size);
    bool under_way = false;
    tc_status status =
        tci_link_send(a->ep->link, kind, place, &p->op, p->bytes, size, &under_way);
    if (status != TC_OK || !under_way)
        free(p);
    a->frames++;
}

/* --- code that grows while it is waited for ---------------------------------------------- */

/* A waiting frame gets another size, in place. */
static void change_section(attack *a, uint8_t *frame, const tci_code_section *section)
{
    const uint64_t at = (uint64_t)(frame - a->ep->tx.ring.ring);
    tci_code_section_encode(section, frame + TCI_FRAME_HEADER_BYTES);
    if (a->ep->tx.push != NULL)
        post(a, TCI_AM_FRAMES, (uint16_t)(at / TCI_FRAME_GRANULE), frame,
             TCI_FRAME_HEADER_BYTES + TCI_CODE_SECTION_BYTES);
}

/* The bytes that were asked for have the id that they should have. A target that finds another
 * one has read bytes that were never sent, and prints them. */
static void look_for_a_leak(attack *a)
{
    const uint64_t deadline_ns = tci_deadline_after(ANSWER_NS);
    tc_error refusal = {0};
    while (attack_goes_on(a) && tc_ep_refusal(a->ep, &refusal) == 0 &&
           tci_deadline_left_ns(deadline_ns) > 0)
        attack_wait(a, 1000000);
    if (strstr(refusal.text, "code has id") != NULL)
        a->leaked = true;
}

/* Names a function with code that the target has to request. When it has asked, and before this
 * side answers, its frame gets another size. */
static void grow_code(attack *a, uint32_t more)
{
    char deps[32];
    tc_ifunc *fn;
    tci_code_section section;
    const int size =
        snprintf(deps, sizeof deps, "# %llx\n", (unsigned long long)attack_random(a));
    const uint8_t *archive = a->travel->code + TCI_CODE_SECTION_BYTES;
    if (tc_ifunc_open_code(a->ctx,
                           &(tc_code){.bytes = archive,
                                      .size = a->travel->archive_size,
                                      .deps = deps,
                                      .deps_size = (size_t)size},
                           &fn, NULL) != TC_OK)
        abort();
    const tci_frame header = {
        .slot = fn->index, .kind = TCI_FRAME_CODE, .flags = TCI_CODE_BIND_ONLY};
    tci_code_section_decode(fn->code, &section);
    if (attack_frame(a, &header, fn->code, TCI_FRAME_HEADER_BYTES + TCI_CODE_SECTION_BYTES)) {
        uint8_t *frame = a->ep->tx.ring.ring +
                         ((a->ep->tx.ring.tail - 2 * TCI_FRAME_GRANULE) & a->ep->tx.ring.mask);
        attack_pause(a, 5000000);
        section.archive_size += more;
        change_section(a, frame, &section);
        attack_pause(a, 1000000);
        look_for_a_leak(a);
    }
    tc_ifunc_close(fn);
}

static void code_grow(attack *a)
{
    grow_code(a, (uint32_t)attack_number(a) | 1u << 20);
}

static void heap_leak(attack *a)
{
    grow_code(a, 1 + (uint32_t)attack_below(a, 64));
}

/* --- payloads in parts that do not fit ---------------------------------------------------- */

static void announce_payload(attack *a, uint64_t total, uint64_t number)
{
    uint8_t body[TCI_FRAGMENT_HEADER_BYTES];
    const tci_frame header = {.payload_size = sizeof body,
                              .slot = a->check->index,
                              .kind = TCI_FRAME_FRAGMENT,
                              .flags = TCI_FRAGMENT_OUT_OF_LINE};
    tci_fragment_encode(&(tci_fragment){total, number}, body);
    (void)attack_frame(a, &header, body, TCI_FRAME_HEADER_BYTES + sizeof body);
}

static void send_part(attack *a, uint16_t number, const tci_fragment *where, size_t size)
{
    static const uint8_t bytes[PART_MAX];
    posted *p = make_posted(bytes, size);
    bool under_way = false;
    tci_fragment_encode(where, p->header.fragment);
    tc_status status = tci_link_send_payload(a->ep->link, number, &p->header, &p->op, p->bytes,
                                             size, &under_way);
    if (status != TC_OK || !under_way)
        free(p);
    a->frames++;
}

/* Mostly right, so that the next mistake is looked at, too. */
static uint64_t nearly(attack *a, uint64_t right)
{
    return attack_below(a, 8) ? right : attack_number(a);
}

static void send_payload_parts(attack *a)
{
    tc_status status = tc_send(a->ep, a->check, "", 0);
    for (uint16_t n = 0; status == TC_OK && n < PAYLOADS && attack_goes_on(a); n++) {
        const uint64_t total = 1 + attack_below(a, 2 * PART_MAX);
        const uint64_t cut = attack_below(a, total);
        const uint16_t number = (uint16_t)nearly(a, n);
        if (attack_below(a, 2))
            announce_payload(a, nearly(a, total), nearly(a, n));
        for (unsigned part = 0; part < 2; part++) {
            uint64_t size = part == 0 ? cut : total - cut;
            const tci_fragment where = {nearly(a, total), nearly(a, part == 0 ? 0 : cut)};
            size = nearly(a, size);
            send_part(a, number, &where, (size_t)(size < PART_MAX ? size : PART_MAX));
        }
        announce_payload(a, nearly(a, total), nearly(a, n));
        (void)tc_progress(a->ctx);
    }
    attack_wait(a, 5000000);
}

/* --- in the name of others ---------------------------------------------------------------- */

static void write_into_others(attack *a)
{
    uint8_t bytes[2000];
    while (attack_goes_on(a)) {
        const tci_am_credit credit = {.consumed = attack_below(a, 1u << 20) * TCI_FRAME_GRANULE,
                                      .share = attack_below(a, 3)};
        size_t size = 1 + attack_below(a, sizeof bytes);
        attack_name_another(a, (uint16_t)attack_below(a, CONNECTIONS));
        memset(bytes, 0xee, sizeof bytes);
        switch (attack_below(a, 5)) {
        case 0:
            post(a, TCI_AM_CREDIT, 0, &credit, sizeof credit);
            break;
        case 1:
            if (tci_hello_bye_encode(bytes, sizeof bytes, &size) == TC_OK)
                post(a, TCI_AM_HELLO, 0, bytes, size);
            break;
        case 2:
            send_part(a, 0, &(tci_fragment){100000, 0}, 1000);
            break;
        default:
            post(a, TCI_AM_FRAMES, (uint16_t)attack_below(a, 8192), bytes, size);
            break;
        }
        (void)tc_progress(a->ctx);
    }
}

const attack_scenario attack_beside_scenarios[] = {
    {"code_grow", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_HONEST, code_grow},
    {"heap_leak", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_HONEST, heap_leak},
    {"payload_parts", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_HONEST, send_payload_parts},
    {"foreign_frames", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_HONEST, write_into_others},
    {0},
};
