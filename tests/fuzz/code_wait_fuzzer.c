/* Two peers send the same functions to one target, with code in the frame or beside it, in turn
 * or at once, while frames change, code leaves and comes again, links stand still, and
 * unrequested messages come. Whatever happens, endpoints end or go on, nothing outside a buffer
 * is read, and nothing is left when all is over. Some functions are values for holes of another
 * one's code, which their target has to ask for first. Each two bytes of the input are a step:
 * action and argument. */
#include "../support/fake_node.h"

#include "core/ep_state.h"
#include "dispatch/dispatch.h"
#include "filled_archive.h"
#include "fuzzer.h"
#include "image.h"
#include "modules/holes/filled.h"
#include "transfer/code_in.h"
#include "transfer/code_out.h"
#include "transfer/frame_out.h"

#include <tc/advanced.h>

#define STEPS_MAX 400u
#define FUNCTIONS 4u

typedef struct world {
    fake_pair pairs[2];
    tc_ifunc *functions[2][FUNCTIONS];
    tc_ifunc *filled[2][FUNCTIONS];
} world;

extern const tci_module tci_holes_module;

static unsigned runs;

static void run(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    runs++;
}

/* Opened when it is first of use. The first two go along with their message, the others do not
 * fit a frame. */
static tc_ifunc *function_of(world *w, unsigned side, uint8_t how)
{
    static const size_t sizes[FUNCTIONS] = {100, 400, 3000, 20000};
    const unsigned i = how % FUNCTIONS;
    char name[8];
    (void)snprintf(name, sizeof name, "f%u", i);
    if (w->functions[side][i] == NULL)
        w->functions[side][i] =
            fake_function(&w->pairs[side].near->core.registry, name, TCI_ENTRY_MAIN, sizes[i]);
    return w->functions[side][i];
}

/* An archive with something that begins as an image with holes does: no engine reads it. */
static void *holed_archive(size_t *size_out)
{
    static const uint8_t code[100] = {TCI_IMAGE_VERSION, TCI_IMAGE_HOLES_BIT | 1};
    const tci_slice slice = {.triple = "x86_64-linux", .form = TCI_FORM_IMAGE};
    tci_archive_writer *writer;
    void *bytes;
    MUST(tci_archive_writer_create("f0", TCI_ENTRY_MAIN, &writer, NULL) == TC_OK);
    tci_archive_writer_stored(writer);
    MUST(tci_archive_writer_add(writer, &slice, code, sizeof code, NULL, 0, NULL) == TC_OK);
    MUST(tci_archive_writer_finish(writer, &bytes, size_out, NULL) == TC_OK);
    tci_archive_writer_destroy(writer);
    return bytes;
}

/* Its code's function is held by the filled one alone. */
static tc_ifunc *make_filled(tci_registry *registry, uint8_t how)
{
    uint8_t bytes[TCI_FILLED_BYTES_MAX];
    tci_registry_code code = {0};
    tc_ifunc *holed, *fn = NULL;
    void *archive = holed_archive(&code.archive_size);
    code.archive = archive;
    MUST(tci_registry_add(registry, &code, &holed, NULL) == TC_OK);
    const tci_filled_archive filled = {
        .code = holed->id, /* some have another size than the code */
        .archive_size = (uint32_t)code.archive_size + (how % FUNCTIONS == 3 ? how >> 4 : 0),
        .values = {1, {{&how, sizeof how}}}};
    code = (tci_registry_code){.archive = bytes,
                               .archive_size = tci_filled_archive_write(&filled, bytes)};
    MUST(tci_registry_add(registry, &code, &fn, NULL) == TC_OK);
    tci_registry_release(holed);
    free(archive);
    return fn;
}

static tc_ifunc *filled_of(world *w, unsigned side, uint8_t how)
{
    tc_ifunc **fn = &w->filled[side][how % FUNCTIONS];
    if (*fn == NULL)
        *fn = make_filled(&w->pairs[side].near->core.registry, how);
    return *fn;
}

/* The module's state is static, as it outlives the nodes. */
static void attach_holes(tci_registry *registry, tci_holes *state)
{
    MUST(tci_holes_module.attach_registry(registry, registry->options, NULL) == TC_OK);
    *state = *tci_filled_state(registry);
    tci_holes_module.detach_registry(registry);
    registry->holes = &state->ops;
}

/* The opener of these functions. */
static void make_codes(void)
{
    char name[8];
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        (void)snprintf(name, sizeof name, "f%u", i);
        fake_code_of(name)->entries.main = run;
    }
}

static uint8_t *head_of(const tc_ep *ep)
{
    return ep->rx.ring.ring + (ep->rx.ring.head & ep->rx.ring.mask);
}

static void empty_outboxes(fake_pair *pair)
{
    fake_outbox *boxes[] = {&pair->ep->link->sent, &pair->peer->link->sent};
    for (size_t i = 0; i < 2; i++) {
        if (boxes[i]->taken == boxes[i]->count)
            fake_outbox_empty(boxes[i]);
    }
}

static void send(world *w, unsigned side, uint8_t how, bool filled)
{
    tc_ifunc *fn = filled ? filled_of(w, side, how) : function_of(w, side, how / 2);
    tc_ep *ep = w->pairs[side].ep;
    tc_status status =
        how & 64 ? tc_send_uncached(ep, fn, &how, 1) : tc_send(ep, fn, &how, how & 128 ? 0 : 1);
    (void)status;
}

/* The frame at the head of the target's ring, as if its sender stored into it. */
static void change_frame(const tc_ep *peer, uint8_t how)
{
    uint8_t *frame = head_of(peer);
    uint8_t *section = frame + tci_frame_code_offset(how & 1);
    uint32_t archive_size;
    if (how & 128) {
        frame[8 + how % 64] ^= (uint8_t)(1u << how % 8);
        return;
    }
    memcpy(&archive_size, section + sizeof(tci_content_id), sizeof archive_size);
    archive_size += how & 2 ? 1u << how / 4 % 16 : -(1u << how / 4 % 16);
    memcpy(section + sizeof(tci_content_id), &archive_size, sizeof archive_size);
}

static void change_kind(const tc_ep *peer, uint8_t how)
{
    const tci_frame f = {
        .kind = how % 9, .flags = how / 16, .slot = how % FUNCTIONS, .payload_size = how % 48};
    tci_ring_store_word(head_of(peer) + 8, tci_frame_word(&f));
}

/* Any frame, of either side. */
static void send_raw(tc_ep *ep, uint8_t how, const uint8_t *bytes)
{
    const tci_frame f = {.kind = how % 8 + 1,
                         .flags = how / 8,
                         .slot = bytes[0] % 16,
                         .payload_size = bytes[1] % 40};
    const tci_frame header = f.kind == TCI_FRAME_WRAP ? (tci_frame){0} : f;
    tci_sender_commit_coalesced(&ep->tx); /* as whatever sends a frame does */
    uint8_t *frame = tci_producer_reserve(&ep->tx.ring, 96, ep->tx.ring.reserve);
    if (frame == NULL)
        return;
    memset(frame + TCI_FRAME_HEADER_BYTES, how, 80);
    memcpy(frame + TCI_FRAME_HEADER_BYTES, bytes, 2);
    tci_producer_commit(&ep->tx.ring, frame, 96, tci_frame_word(&header));
}

/* Code that was requested or not, from an offset that fits or does not. */
static void send_fragment(world *w, unsigned side, uint8_t how)
{
    static uint8_t bytes[TCI_CODE_SECTION_BYTES + 4 + 4096];
    const tc_ifunc *fn = function_of(w, side, how);
    uint32_t offset = how & 4 ? 0 : (uint32_t)w->pairs[side].peer->rx.incoming.received;
    size_t n = (size_t)1 << how / 16 % 13;
    if (how & 8)
        offset += how;
    memcpy(bytes, fn->code, TCI_CODE_SECTION_BYTES);
    memcpy(bytes + TCI_CODE_SECTION_BYTES, &offset, sizeof offset);
    uint8_t *exact = malloc(TCI_CODE_SECTION_BYTES + 4 + n);
    assert_non_null(exact);
    memcpy(exact, bytes, TCI_CODE_SECTION_BYTES + 4 + n);
    tci_code_in_fragment(w->pairs[side].peer, exact, TCI_CODE_SECTION_BYTES + 4 + n);
    free(exact);
}

static void need(world *w, unsigned side, uint8_t how)
{
    tci_content_id id = function_of(w, side, how)->id;
    id.bytes[15] ^= how >> 7;
    tci_frame_out_control(w->pairs[side].peer, TCI_CONTROL_NEED, how % 16, id.bytes,
                          sizeof id.bytes);
}

static void load(world *w, uint8_t how)
{
    char name[8];
    (void)snprintf(name, sizeof name, "f%u", how % FUNCTIONS);
    fake_code_of(name)->is_slow = (how & 4) != 0;
    fake_code_of(name)->fails = how & 8 ? TC_E_COMPILE : TC_OK;
    fake_engine_end_loads();
    tci_registry_take_finished(&w->pairs[0].far->core.registry);
}

static void hold(fake_pair *pair, uint8_t how)
{
    tci_link *link = how & 2 ? pair->ep->link : pair->peer->link;
    fake_link_let_go(link);
    link->holds = (how & 4) != 0;
}

/* Steps of both sides that always follow, in any order. */
static void go_on(fake_pair *pair, unsigned what)
{
    switch (what) {
    case 0:
        fake_carry(pair->ep, pair->peer);
        return;
    case 1:
        fake_carry(pair->peer, pair->ep);
        return;
    case 2:
        (void)fake_node_turn(pair->near);
        return;
    case 3:
        (void)tci_dispatch_run(pair->peer);
        return;
    case 4:
        (void)fake_node_turn(pair->far);
        return;
    default:
        fake_pair_settle(pair);
        return;
    }
}

static void step(world *w, uint8_t what, const uint8_t *bytes)
{
    const uint8_t how = bytes[0];
    const unsigned side = what >> 7;
    fake_pair *pair = &w->pairs[side];
    empty_outboxes(pair);
    if (!tci_ep_is_open(pair->ep) || !tci_ep_is_open(pair->peer))
        return;
    switch (what % 16) {
    case 0:
    case 1:
        send(w, side, how, what % 16 == 1);
        return;
    case 8:
        change_frame(pair->peer, how);
        return;
    case 9:
        change_kind(pair->peer, how);
        return;
    case 10:
        send_raw(how & 128 ? pair->peer : pair->ep, how, bytes);
        return;
    case 11:
        send_fragment(w, side, how);
        return;
    case 12:
        need(w, side, how);
        return;
    case 13:
        pair->far->core.options.code_memory_max = (uint64_t)how << 8;
        return;
    case 14:
        load(w, how);
        return;
    case 15:
        hold(pair, how);
        return;
    default:
        go_on(pair, what % 16 - 2u);
        return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tci_holes holes[3];
    world w = {.functions = {{NULL}}};
    tc_log_set_level(TC_LOG_OFF);
    fake_injected_main = run;
    fake_pair_make(&w.pairs[0], FAKE_MAPPED);
    w.pairs[0].far->core.self.host_id[0]++; /* or each input would look at /proc */
    fake_pair_connect(&w.pairs[0]);
    fake_pair_add(&w.pairs[1], &w.pairs[0]);
    attach_holes(&w.pairs[0].near->core.registry, &holes[0]);
    attach_holes(&w.pairs[1].near->core.registry, &holes[1]);
    attach_holes(&w.pairs[0].far->core.registry, &holes[2]);
    make_codes();
    if (size > 0) /* whether code goes along at all */
        w.pairs[0].near->core.options.code_push = data[0] & 1;
    for (size_t i = 1; i + 2 < size && i < 2 * STEPS_MAX; i += 2)
        step(&w, data[i], data + i + 1);
    fake_pair_remove(&w.pairs[1]);
    fake_pair_close(&w.pairs[0]);
    return 0;
}
