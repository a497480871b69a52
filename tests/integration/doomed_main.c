/* A source that reaches a certain point and dies there, or is killed there, or misbehaves.
 *
 *   integration_doomed HOST:PORT POINT [stay]
 *
 * It sends some messages of source 1 to a tally first. The points:
 *
 *   idle      nothing is under way
 *   frame     a frame lies half-written in the target's ring, and its signal was never stored
 *   message   a large frame has been handed over, and nobody progresses any more
 *   payload   a payload that travels in pieces is half there
 *   code      the target waits for code that is on its way outside the ring
 *   wild      it has said that it consumed what was never sent to it
 *   replay    does not die: writes old frames again where the next one will be, then goes on
 *
 * Dies by SIGKILL; with `stay` it prints "there" and waits for it. */
#include "../shipped/check.h"
#include "../shipped/tally.h"
#include "program_report.h"

#include "core/ep.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/ifunc.h>
#include <unistd.h>

#define PATIENCE_NS 60000000000ull
#define WHOLE_MESSAGES 3u
/* Seldom leaves whole between two pauses. */
#define LARGE_BYTES (32u << 20)
#define CONTENT_BYTES 104u
#define REPLAY_MESSAGES 3000u
#define REPLAYED_LAG 7u /* how many messages ago a replayed frame was sent */

typedef struct source {
    tc_context *ctx;
    tc_ep *ep;
    tc_ifunc *tally;
    uint64_t n;
} source;

static void progress_a_while(source *s)
{
    for (int i = 0; i < 1000; i++)
        (void)tc_progress(s->ctx);
}

static tc_status send_once(source *s, tc_ifunc *fn, const void *bytes, size_t size)
{
    tc_status status;
    while ((status = tc_send(s->ep, fn, bytes, size)) == TC_E_AGAIN)
        (void)tc_progress(s->ctx);
    return status;
}

static void send_tally(source *s)
{
    tc_error error = {0};
    struct {
        tally_message head;
        uint8_t content[CONTENT_BYTES];
    } message = {.head = {1, s->n}};
    check_fill(message.content, s->n + 1, CONTENT_BYTES);
    s->n++;
    must(send_once(s, s->tally, &message, sizeof message), &error, "send");
}

static void flush(source *s)
{
    tc_error error = {0};
    must(tc_ep_flush(s->ep, PATIENCE_NS, NULL), &error, "flush");
}

/* --- points to die at -------------------------------------------------------------------- */

static void reach_idle(source *s)
{
    (void)s;
}

/* All that a frame needs but its signal, and half of its payload. A delivery that carries
 * frames over is made to carry this. */
static void reach_frame(source *s)
{
    tci_producer *tx = &s->ep->tx.ring;
    const uint32_t size = (uint32_t)s->ep->tx.payload_max / 2;
    const uint64_t bytes = TCI_FRAME_HEADER_BYTES + size;
    const tci_frame header = {.payload_size = size, .kind = TCI_FRAME_CALL};
    uint8_t *frame = tci_producer_reserve(tx, bytes, 0);
    if (frame == NULL)
        exit(1);
    tci_ring_store_word(frame + 8, tci_frame_word(&header));
    memset(frame + TCI_FRAME_HEADER_BYTES, 0xa5, size / 2);
    if (s->ep->tx.push != NULL)
        s->ep->tx.push(s->ep->tx.delivery, tx->tail, bytes);
    progress_a_while(s);
}

static void reach_message(source *s)
{
    tc_error error = {0};
    size_t size = s->ep->tx.payload_max;
    tally_message *message = calloc(1, size);
    if (message == NULL)
        exit(1);
    /* Should all of it arrive, it is one that the tally passes over. */
    *message = (tally_message){2, 0};
    check_fill((uint8_t *)(message + 1), 2, size - sizeof *message);
    must(tc_send(s->ep, s->tally, message, size), &error, "message");
    free(message);
}

/* A target that is faster than this process gets all of a payload between two pauses: then the
 * next one is sent. */
static void reach_payload(source *s)
{
    const size_t content_bytes = LARGE_BYTES - sizeof(tally_message);
    tally_message *message = malloc(LARGE_BYTES);
    if (message == NULL)
        exit(1);
    for (uint64_t n = 0, pauses = 0; pauses < 2;) {
        if (pauses == 0) {
            *message = (tally_message){2, n};
            check_fill((uint8_t *)(message + 1), n + 2, content_bytes);
        }
        const tc_status status = tc_send(s->ep, s->tally, message, LARGE_BYTES);
        if (status != TC_OK && status != TC_E_AGAIN)
            exit(1);
        n += status == TC_OK;
        pauses = status == TC_OK ? 0 : pauses + 1;
        progress_a_while(s);
    }
}

/* Too large for the ring, so it is announced; the target's wish for it is not even read. */
static void reach_code(source *s)
{
    tc_error error = {0};
    tc_ifunc *bulky;
    must(tc_ifunc_open(s->ctx, "bulky", &bulky, &error), &error, "bulky");
    must(tc_send(s->ep, bulky, "x", 1), &error, "bulky");
}

static void reach_wild(source *s)
{
    tc_error error = {0};
    const tci_am_credit wild = {.consumed = 1ull << 40};
    tci_ring_store_consumed(s->ep->rx.ring.consumed, wild.consumed);
    if (!s->ep->rx.arrival.ring_is_mapped)
        must(tci_link_post(s->ep->link, TCI_AM_CREDIT, &wild, sizeof wild, &error), &error,
             "credit");
    progress_a_while(s);
}

/* --- old frames again -------------------------------------------------------------------- */

static void ignore_end(tci_link_op *op)
{
    free(op);
}

/* Puts the bytes of an old frame, signal and all, where the next one belongs. */
static void replay(source *s, const uint8_t *old, size_t bytes)
{
    tci_producer *tx = &s->ep->tx.ring;
    uint64_t at = tx->tail & tx->mask;
    bool under_way = false;
    if (at + bytes > tx->mask + 1 || !tci_producer_has_granules(tx, 8))
        return;
    if (s->ep->tx.push == NULL) {
        memcpy(tx->ring + at, old, bytes);
        return;
    }
    /* The op and a copy of the frame live until the message has left. */
    tci_link_op *op = malloc(sizeof *op + bytes);
    if (op == NULL)
        exit(1);
    *op = (tci_link_op){.done = ignore_end};
    memcpy(op + 1, old, bytes);
    tc_error error = {0};
    must(tci_link_send(s->ep->link, TCI_AM_FRAMES, (uint16_t)(at / TCI_FRAME_GRANULE), op,
                       op + 1, bytes, &under_way),
         &error, "replay");
    if (!under_way)
        free(op);
}

static void reach_replay(source *s)
{
    enum { FRAME_BYTES = TCI_FRAME_HEADER_BYTES + sizeof(tally_message) + CONTENT_BYTES };
    static uint8_t sent[REPLAYED_LAG][FRAME_BYTES];
    for (uint64_t i = 0; i < REPLAY_MESSAGES; i++) {
        if (i >= REPLAYED_LAG)
            replay(s, sent[i % REPLAYED_LAG], FRAME_BYTES);
        send_tally(s);
        memcpy(sent[i % REPLAYED_LAG],
               s->ep->tx.ring.ring +
                   ((s->ep->tx.ring.tail - tci_frame_align(FRAME_BYTES)) & s->ep->tx.ring.mask),
               FRAME_BYTES);
        if (i % 100 == 0)
            flush(s); /* or AM would carry both in the order of sending at once */
    }
    flush(s);
    tc_ep_close(s->ep);
    tc_ifunc_close(s->tally);
    tc_context_destroy(s->ctx);
    printf("replayed %llu\n", (unsigned long long)s->n);
    exit(0);
}

/* --- the way there ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*reach)(source *s);
} points[] = {{"idle", reach_idle},       {"frame", reach_frame}, {"message", reach_message},
              {"payload", reach_payload}, {"code", reach_code},   {"wild", reach_wild},
              {"replay", reach_replay}};

static void connect_source(source *s, const char *host_port)
{
    tc_error error = {0};
    must(tc_context_create(NULL, &s->ctx, &error), &error, "context");
    must(tc_ep_connect(s->ctx, host_port, 0, &s->ep, &error), &error, host_port);
    must(tc_ifunc_open(s->ctx, "tally", &s->tally, &error), &error, "tally");
}

int main(int argc, char **argv)
{
    source s = {0};
    size_t i = 0;
    if (argc < 3)
        return 2;
    while (strcmp(points[i].name, argv[2]) != 0) {
        if (++i == sizeof points / sizeof points[0])
            return 2;
    }
    connect_source(&s, argv[1]);
    for (unsigned n = 0; n < WHOLE_MESSAGES; n++)
        send_tally(&s);
    flush(&s);
    points[i].reach(&s);
    if (argc > 3) {
        puts("there");
        fflush(stdout);
        for (;;)
            (void)pause();
    }
    (void)raise(SIGKILL);
    return 1;
}
