/* Messages by UCX, by peers that may claim to be any: far receives, near's id is guessed. */
#include "context/arrivals.h"

#include "../support/counted_pair.h"
#include "context/context_object.h"
#include "dispatch/dispatch.h"

static tc_context *ctx; /* with far's connections */
static tci_am_header header;

static void open_pair(uint64_t delivery)
{
    counted_pair_open_loaded(delivery);
    ctx = calloc(1, sizeof *ctx);
    assert_non_null(ctx);
    ctx->core = pair.far->core;
    tci_arrivals_init(ctx);
    header = (tci_am_header){.connection = pair.peer->connection};
    memcpy(header.token, &pair.ep->link->token, sizeof header.token);
}

static void close_pair(void)
{
    tci_arrivals_free(ctx);
    free(ctx);
    fake_pair_close(&pair);
}

/* A frame that is the next one, but for the way that it comes. */
static size_t next_frame(uint8_t *bytes)
{
    const tci_frame f = {.slot = fn->index, .kind = TCI_FRAME_CALL};
    const uint64_t words[] = {pair.peer->rx.ring.signal, tci_frame_word(&f)};
    memcpy(bytes, words, sizeof words);
    header.position =
        (uint16_t)((pair.peer->rx.ring.head & pair.peer->rx.ring.mask) / TCI_FRAME_GRANULE);
    return sizeof words;
}

static void send_frame(void)
{
    uint8_t bytes[TCI_FRAME_HEADER_BYTES];
    const size_t size = next_frame(bytes);
    tci_arrivals_take(ctx, TCI_AM_FRAMES, &header, bytes, size);
    if (tci_ep_is_open(pair.peer))
        (void)tci_dispatch_run(pair.peer);
}

TEST(the_token_of_our_hello_is_what_the_peer_sends)
{
    open_pair(FAKE_CARRIED);
    assert_int_equal(pair.ep->link->token, pair.peer->token);
    assert_int_equal(pair.peer->link->token, pair.ep->token);
    assert_int_not_equal(pair.ep->token, pair.peer->token);
    send_frame();
    assert_int_equal(runs, 1);
    close_pair();
}

TEST(messages_of_every_kind_without_it_are_dropped)
{
    uint8_t bytes[64] = {0};
    tci_sink sink;
    for (unsigned bit = 0; bit < 64; bit += 9) {
        open_pair(FAKE_CARRIED);
        const uint64_t credits = ((fake_delivery *)(void *)pair.peer->tx.delivery)->credits;
        header.token[bit / 8] ^= (uint8_t)(1u << bit % 8);
        send_frame();
        assert_int_equal(runs, 0);
        for (int kind = TCI_AM_CREDIT; kind < TCI_AM_PAYLOAD; kind++)
            tci_arrivals_take(ctx, (tci_am)kind, &header, bytes, 16);
        tci_payload_header payload = {.to = header};
        payload.to.position = 60000; /* far from the next one, which would end the endpoint */
        assert_false(tci_arrivals_take_payload(ctx, &payload, 8, &sink));
        assert_int_equal(((fake_delivery *)(void *)pair.peer->tx.delivery)->credits, credits);
        assert_null(ctx->inbox.first);
        assert_true(tci_ep_is_open(pair.peer));
        close_pair();
    }
}

TEST(a_hello_for_no_connection_needs_none)
{
    uint8_t bytes[TCI_HELLO_PREAMBLE_BYTES];
    size_t size;
    open_pair(FAKE_CARRIED);
    assert_ok(tci_hello_bye_encode(bytes, sizeof bytes, &size));
    header = (tci_am_header){.connection = TCI_AM_NO_CONNECTION};
    tci_arrivals_take(ctx, TCI_AM_HELLO, &header, bytes, size);
    assert_non_null(ctx->inbox.first);
    close_pair();
}

TEST(frames_of_a_peer_that_chose_another_way_end_its_endpoint)
{
    static const uint64_t others[] = {FAKE_MAPPED, FAKE_UNSEEN};
    for (size_t i = 0; i < 2; i++) {
        open_pair(others[i]);
        send_frame();
        fake_expect_failed(pair.peer, TC_E_CORRUPT, "where it stores frames itself");
        assert_int_equal(runs, 0);
        close_pair();
    }
}

/* The part of the ring that was read and not yet reported to the peer. */
TEST(frames_behind_the_head_end_the_endpoint)
{
    uint8_t bytes[2 * TCI_FRAME_GRANULE] = {0};
    for (unsigned i = 0; i < 3; i++) {
        open_pair(FAKE_CARRIED);
        const tci_consumer *rx = &pair.peer->rx.ring;
        while (rx->head - rx->published < (uint64_t)4 * TCI_FRAME_GRANULE)
            send_frame();
        uint64_t at = i == 0   ? rx->published
                      : i == 1 ? rx->published - TCI_FRAME_GRANULE /* into it */
                               : rx->head - TCI_FRAME_GRANULE;
        header.position = (uint16_t)((at & rx->mask) / TCI_FRAME_GRANULE);
        tci_arrivals_take(ctx, TCI_AM_FRAMES, &header, bytes, sizeof bytes);
        fake_expect_failed(pair.peer, TC_E_CORRUPT, "where they may not lie");
        close_pair();
    }
}
