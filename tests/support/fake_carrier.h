/* Carriers of messages and frames, without UCX, sockets and a second process: links, streams,
 * regions and deliveries in plain memory. A program that is linked with this has these instead
 * of runtime/delivery and runtime/bootstrap.
 *
 * Messages sent by a link or a stream are kept for the test. A delivery writes into the ring of
 * the endpoint that its hello came from, which is in this process. */
#ifndef TC_TEST_FAKE_CARRIER_H
#define TC_TEST_FAKE_CARRIER_H

#include "bootstrap/stream.h"
#include "core/network_ops.h"
#include "modules/ucx/worker.h"

#define FAKE_POSTS_MAX 256u
#define FAKE_HELD_MAX 64u

typedef struct fake_post {
    tci_am kind;
    uint16_t connection;
    size_t size;
    uint8_t *bytes;
} fake_post;

/* Messages in the order in which they were sent. */
typedef struct fake_outbox {
    fake_post posts[FAKE_POSTS_MAX];
    unsigned count;
    unsigned taken; /* by the test */
} fake_outbox;

void fake_outbox_keep(fake_outbox *outbox, tci_am kind, uint16_t connection, const void *bytes,
                      size_t size);
/* The next one that was not taken, or NULL. Valid until the outbox is emptied. */
const fake_post *fake_outbox_take(fake_outbox *outbox);
/* How many of a kind were sent. */
unsigned fake_outbox_count(const fake_outbox *outbox, tci_am kind);

struct tci_worker {
    tci_worker_network_state network;
    bool puts;
    tci_worker *beside; /* the resources that it took over */
};

struct tci_link {
    uint16_t connection; /* of its peer */
    uint64_t token;
    fake_outbox sent;
    tc_status ready; /* result of tci_link_ready */
    tc_status posts; /* result of tci_link_post */
    tc_error error;  /* result of tci_link_error */
    bool holds;      /* data sent without a copy stay under way: fake_link_let_go */
    tci_link_op *held[FAKE_HELD_MAX];
    unsigned held_count;
    unsigned flushes;
    unsigned turns; /* calls of tci_link_turn */
};

struct tci_stream {
    fake_outbox sent;    /* all of kind TCI_AM_HELLO */
    fake_outbox arrived; /* results of tci_stream_receive, in order */
    tc_error end;        /* and then; at first TC_E_AGAIN */
    char identity[TCI_TLS_IDENTITY_MAX];
    tc_error connected; /* result of tci_stream_connect_finish */
    bool is_proving;    /* connected, though connect_finish is not done */
    bool is_remote;     /* leads to another host */
    size_t least;       /* of tci_stream_set_least; 0: not called */
    unsigned flushes;   /* calls of tci_stream_flush */
    bool is_unanswered; /* result of tci_stream_is_unanswered */
    int fd;
    uint8_t *bytes; /* as bytes: fake_stream_feed */
    size_t at, shown, fed, piece;
};

tci_link *fake_link_create(void);
/* Its held messages have left; then it is empty. */
void fake_link_let_go(tci_link *link);
/* Forgets sent messages. */
void fake_outbox_empty(fake_outbox *outbox);
tci_stream *fake_stream_create(void);
/* The stream's next message: a whole hello message, or other bytes. */
void fake_stream_arrive(tci_stream *stream, const void *bytes, size_t size);

/* Bytes that come as such, behind those from before: a read gives `piece` of them, or fewer. */
void fake_stream_feed(tci_stream *stream, const void *bytes, size_t size, size_t piece);

/* The network of all nodes: the module's port (modules/ucx/ucx_port.h) on fake workers. */
extern const tci_network_ops fake_network_table;

/* The results of the next tci_stream_connect_start, of opening a link, and of
 * tci_worker_add_network. */
extern tc_status fake_connect_status;
/* The answer of the table's `yields`; false at first. */
extern bool fake_network_yields;
bool fake_yields(const tci_worker *worker);
/* Streams and links that are there. */
extern unsigned fake_streams, fake_links;

/* Three kinds, as the library has them: `mapped` as direct, `carried` as am (frames wake), and
 * `unseen` as put (frames are not reported). Credit of the last two goes by message. */
typedef struct fake_delivery {
    tci_delivery base;
    tci_ring_word consumed;
    unsigned pushes;
    unsigned turns;
    unsigned credits;
    uint64_t share;        /* that the last one reported */
    bool keeps;            /* a turn leaves something for the next one */
    uint64_t made;         /* batches of frames */
    uint64_t on_their_way; /* the last ones, which have not arrived */
    bool leaves_by_turn;   /* a turn takes these away */
} fake_delivery;

#define FAKE_MAPPED TCI_HELLO_DIRECT
#define FAKE_CARRIED TCI_HELLO_AM
#define FAKE_UNSEEN TCI_HELLO_PUT

#endif
