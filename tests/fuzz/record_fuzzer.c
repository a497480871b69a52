/* Bytes of a connection that carries everything, in pieces of any size: records that are right
 * except for the input's changes, and the input's other bytes. The endpoint ends or goes on,
 * nothing outside a buffer is touched, and nothing is left when all is over. */
#include "../support/fake_node.h"
#include "../support/fuzz_random.h"
#include "fuzzer.h"

#include "base/cursor.h"
#include "core/ep_state.h"
#include "dispatch/dispatch.h"
#include "endpoint/ep_life.h"
#include "endpoint/record_in.h"

#define ITEMS_MAX 200u
#define BODY_MAX 3000u

/* Bits of the byte that an item begins with; its two lowest choose the kind. */
#define RAW 0x80u        /* bytes of the input as they are */
#define OTHER_NUMBER 64u /* not the next one */
#define FITTING                                                                                \
    32u          /* an offset and a signal, or a number and an offset, that the target awaits */
#define LIAR 16u /* claims more than there is */
#define HELLO 8u /* a hello message with a right preamble */

static void run(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
}

static void feed(tc_ep *ep, const void *bytes, size_t size, size_t piece)
{
    tc_error error;
    fake_stream_feed(ep->stream, bytes, size, 1 + piece);
    for (unsigned i = 0; i < 8 && ep->state < TCI_EP_CLOSED && !ep->peer.said_bye; i++) {
        if (tci_record_in_take(ep, &error) != TC_E_AGAIN)
            tci_ep_fail(ep, &error);
        if (tci_ep_is_open(ep))
            (void)tci_dispatch_run(ep);
    }
}

static void fit(const tc_ep *ep, tci_record *record, uint8_t *body)
{
    if (record->kind == TCI_RECORD_FRAMES) {
        record->position =
            (uint16_t)((ep->rx.ring.head & ep->rx.ring.mask) / TCI_FRAME_GRANULE);
        memcpy(body, &ep->rx.ring.signal, sizeof ep->rx.ring.signal);
    } else if (record->kind == TCI_RECORD_PAYLOAD) {
        const tci_fragment named = {.total = body[0] + 1u, .offset = body[1]};
        record->position %= 8;
        tci_fragment_encode(&named, body);
    } else {
        record->position = 0;
    }
}

static void send_record(tc_ep *ep, uint8_t item, tci_reader *r)
{
    uint8_t bytes[TCI_RECORD_HEADER_BYTES + BODY_MAX] = {0};
    uint8_t *body = bytes + TCI_RECORD_HEADER_BYTES;
    tci_record record = {.kind = (tci_record_kind)(TCI_RECORD_FRAMES + (item & 3)),
                         .sequence = ep->rx.records->sequence};
    uint8_t piece = tci_read_u8(r);
    record.position = tci_read_u16(r);
    size_t size = tci_read_u16(r) % (BODY_MAX + 1);
    size_t there = tci_reader_left(r) < size ? tci_reader_left(r) : size;
    const uint8_t *given = tci_read_bytes(r, there);
    if (there > 0 && given != NULL)
        memcpy(body, given, there);
    record.size = (uint32_t)size + (item & LIAR ? 5000u : 0);
    record.sequence += item & OTHER_NUMBER ? 1 : 0;
    if (item & FITTING)
        fit(ep, &record, body);
    tci_record_encode(&record, bytes);
    feed(ep, bytes, TCI_RECORD_HEADER_BYTES + size, piece);
}

static void send_hello(tc_ep *ep, tci_reader *r)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size = 0;
    uint8_t what = tci_read_u8(r);
    tc_status status =
        what % 4 == 0   ? tci_hello_bye_encode(bytes, sizeof bytes, &size)
        : what % 4 == 1 ? tci_hello_wakeup_encode(bytes, sizeof bytes, &size)
        : what % 4 == 2
            ? tci_hello_ready_encode(what / 4, bytes, sizeof bytes, &size)
            : tci_hello_refuse_encode(TC_E_TIMEOUT, "no", bytes, sizeof bytes, &size);
    if (status == TC_OK)
        feed(ep, bytes, size, what / 4);
}

static void send_raw(tc_ep *ep, tci_reader *r)
{
    uint8_t piece = tci_read_u8(r);
    size_t size = tci_read_u8(r);
    size_t there = tci_reader_left(r) < size ? tci_reader_left(r) : size;
    const uint8_t *bytes = tci_read_bytes(r, there);
    if (bytes != NULL)
        feed(ep, bytes, there, piece);
}

/* The nodes outlive an input; nothing of an endpoint stays in them. */
static void open_pair(fake_pair *pair)
{
    if (pair->near == NULL) {
        fake_pair_make(pair, FAKE_CARRIED);
        pair->near->core.self.host_id[0]++; /* or each input would look at /proc */
    } else {
        pair->ep = fake_node_ep(pair->near);
        pair->peer = fake_node_ep(pair->far);
    }
    fake_pair_connect(pair);
}

static void close_pair(const fake_pair *pair)
{
    tci_ep_free(pair->ep);
    tci_ep_free(pair->peer);
    MUST(fake_links == 0 && fake_streams == 0);
    MUST(pair->near->core.ring_memory == 0 && pair->far->core.ring_memory == 0);
    MUST(pair->far->core.stream_count == 0 && pair->far->core.watched_count == 0);
    MUST(pair->near->core.am_peers == 0 && pair->far->core.am_peers == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fake_pair pair;
    tci_reader r;
    tc_log_set_level(TC_LOG_OFF);
    fuzz_random_restart();
    fake_injected_main = run;
    open_pair(&pair);
    tc_ep *ep = pair.peer;
    ep->stream = fake_stream_create();
    if (tci_record_in_begin(ep, NULL) != TC_OK)
        abort();
    tci_reader_init(&r, data, size);
    for (unsigned i = 0; i < ITEMS_MAX && tci_reader_left(&r) > 0 && tci_ep_is_open(ep); i++) {
        uint8_t item = tci_read_u8(&r);
        if (item & RAW)
            send_raw(ep, &r);
        else if (item & HELLO)
            send_hello(ep, &r);
        else
            send_record(ep, item, &r);
    }
    close_pair(&pair);
    return 0;
}
