/* Small requests for large answers, from a peer that reads nothing. */
#include "attack.h"

#include "../shipped/travel.h"
#include "base/clock.h"
#include "base/cursor.h"

#include <string.h>
#include <tc/call.h>
#include <unistd.h>

#define CALLS 64u
#define UNREAD_US 100000u
#define RINGS 200u
#define BODY_MAX 2048u

/* Fills the ring with these frames, again and again, and reads answers as late as possible. */
static void storm(attack *a, const tci_frame *header, const void *body, size_t body_bytes)
{
    while (attack_goes_on(a)) {
        uint64_t before = a->frames;
        while (attack_try_frame(a, header, body, TCI_FRAME_HEADER_BYTES + body_bytes)) {
            if (a->frames % 64 == 0)
                attack_push(a);
        }
        attack_push(a);
        if (a->frames > before + 64)
            (void)usleep(UNREAD_US);
        attack_progress_unread(a);
    }
}

static bool send_and_flush(attack *a, tc_ifunc *fn)
{
    const travel_order order = {.task = TRAVEL_NOTHING};
    return tc_send(a->ep, fn, &order, sizeof order) == TC_OK &&
           tc_ep_flush(a->ep, 2000000000, NULL) == TC_OK;
}

static void need_storm(attack *a)
{
    const tci_frame header = {
        .payload_size = 16, .kind = TCI_FRAME_CONTROL, .flags = TCI_CONTROL_NEED};
    if (send_and_flush(a, a->bulky))
        storm(a, &header, a->bulky->id.bytes, sizeof a->bulky->id.bytes);
}

static void credit_storm(attack *a)
{
    const tci_frame header = {.kind = TCI_FRAME_CONTROL, .flags = TCI_CONTROL_CREDIT};
    storm(a, &header, NULL, 0);
}

/* Calls with answers as large as they are themselves. */
static void answer_storm(attack *a)
{
    static uint8_t body[BODY_MAX];
    const travel_order order = {.task = TRAVEL_ECHO};
    const tci_route route = {.call = 1, .origin = UINT32_MAX, .hop_limit = 100};
    const size_t size = 1000;
    tci_frame header = {.kind = TCI_FRAME_CALL, .flags = TCI_ROUTED};
    if (!send_and_flush(a, a->travel))
        return;
    memcpy(body, &order, sizeof order);
    tci_route_encode(&route, body + size);
    header.payload_size = (uint32_t)(size + tci_route_bytes(&route));
    header.slot = a->travel->index;
    storm(a, &header, body, header.payload_size);
}

/* Code with a wrong id; each is a refusal, with a text. */
static void refusal_storm(attack *a)
{
    uint8_t body[TCI_CODE_SECTION_BYTES + 8];
    tci_code_section section = {.archive_size = 8};
    const tci_frame header = {
        .kind = TCI_FRAME_CODE, .slot = 9, .flags = TCI_CODE_ATTACHED | TCI_CODE_BIND_ONLY};
    attack_fill(a, section.id.bytes, sizeof section.id.bytes);
    tci_code_section_encode(&section, body);
    memset(body + TCI_CODE_SECTION_BYTES, 7, 8);
    storm(a, &header, body, sizeof body);
}

/* Answers in parts of no bytes, if the target trusts a HELLO. */
static void ask_with_tiny_frames(attack *a)
{
    static uint8_t answer[65536], question[sizeof(travel_order) + 1000];
    const travel_order order = {.task = TRAVEL_ECHO};
    tc_error error = {0};
    memcpy(question, &order, sizeof order);
    for (unsigned n = 0; n < CALLS && attack_goes_on(a); n++) {
        size_t size = sizeof answer;
        tc_status status = tc_call(a->ep, a->travel, question, sizeof question, answer, &size,
                                   100000000, &error);
        a->frames++;
        if (status != TC_OK && status != TC_E_TIMEOUT)
            return;
    }
}

/* Many connections, each of which asks for the largest ring. */
static void hold_large_rings(attack *a)
{
    tc_ep *eps[RINGS];
    unsigned count = 0;
    tc_error error = {0};
    while (count < RINGS && attack_goes_on(a) &&
           tc_ep_connect(a->ctx, a->host_port, 1000000000, &eps[count], &error) == TC_OK) {
        count++;
        a->frames++;
    }
    attack_wait(a, 300000000);
    while (count > 0)
        tc_ep_close(eps[--count]);
}

const attack_scenario attack_storm_scenarios[] = {
    {"need_storm", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_HONEST, need_storm},
    {"credit_storm", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_HONEST, credit_storm},
    {"answer_storm", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_HONEST, answer_storm},
    {"refusal_storm", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_HONEST, refusal_storm},
    {"tiny_frames", ATTACK_NEEDS_ENDPOINT, ATTACK_HELLO_TINY, ask_with_tiny_frames},
    {"large_rings", ATTACK_NEEDS_NOTHING, ATTACK_HELLO_RING, hold_large_rings},
    {0},
};
