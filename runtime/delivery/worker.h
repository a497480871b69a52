/* One UCX worker and the active messages that the library uses on it.
 *
 * Handlers are called inside tci_worker_progress; UCX allows no progress from there, so they
 * only copy and record. */
#ifndef TCI_WORKER_H
#define TCI_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

typedef struct tci_worker tci_worker;
struct tc_ucx_objects;

/* The contents of active messages. Each has a tci_am_header, PAYLOAD a longer one; see
 * docs/wire-format.md. */
typedef enum tci_am {
    TCI_AM_FRAMES = 0,  /* a range of a ring */
    TCI_AM_CREDIT = 1,  /* tci_am_credit */
    TCI_AM_HELLO = 2,   /* a hello message, see wire/hello.h */
    TCI_AM_CODE = 3,    /* a fragment of code outside the ring */
    TCI_AM_PAYLOAD = 4, /* with a tci_payload_header; a part of a payload outside the ring */
    TCI_AM_COUNT = 5
} tci_am;

#define TCI_AM_NO_CONNECTION 0xffffu /* of a HELLO to a peer that has sent nothing yet */

typedef struct tci_am_credit {
    uint64_t consumed; /* bytes */
    /* How many FRAMES messages may be sent and not consumed yet; 0: any number. */
    uint64_t share;
} tci_am_credit;

/* The destination of a message, as it travels: 12 bytes, without padding. Numbers of
 * connections are small and assigned in sequence, so they alone would let any peer write to any
 * endpoint. */
typedef struct tci_am_header {
    uint8_t token[8]; /* random; from the receiver's HELLO */
    uint16_t connection;
    /* FRAMES: ring offset, in granules; PAYLOAD: the payload's number; or 0 */
    uint16_t position;
} tci_am_header;

/* `bytes` are valid during the call, 8-byte aligned or not, and unchecked. */
typedef void (*tci_worker_handler)(void *user, tci_am kind, const tci_am_header *header,
                                   const uint8_t *bytes, size_t size);

/* As it travels: 28 bytes, without padding. */
typedef struct tci_payload_header {
    tci_am_header to;
    uint8_t fragment[16]; /* a tci_fragment */
} tci_payload_header;

/* The destination of the bytes of a PAYLOAD message. */
typedef struct tci_sink {
    uint8_t *to;
    void (*done)(void *user, size_t size, bool ok); /* inside tci_worker_progress, once */
    void *user;
} tci_sink;

/* Checks a PAYLOAD message with `size` bytes behind its header; inside UCX's handler. False:
 * the message is not wanted. True: its bytes are written to sink_out->to, which stays valid
 * until sink_out->done is called. */
typedef bool (*tci_payload_handler)(void *user, const tci_payload_header *header, size_t size,
                                    tci_sink *sink_out);

typedef struct tci_worker_params {
    /* NULL: the worker has a UCX context and worker of its own. Otherwise it uses these, which
     * outlive it; their owner decides on which addresses they listen. */
    const struct tc_ucx_objects *given;
    bool network; /* other hosts can be reached, and any host can reach UCX's port here */
    bool puts;    /* UCX's remote writes, by peers and to them */
    /* The same, if there is a network, an adapter that writes by itself, and a UCX that reports
     * the endpoints that it carries. */
    bool rdma_puts;
    int epoll_fd; /* becomes readable as in tci_worker_arm */
    tci_worker_handler handler;
    tci_payload_handler payload_handler;
    void *user;
} tci_worker_params;

/* The epoll set becomes readable when progress has something to do, after tci_worker_arm
 * returned true. UCX_TLS in the environment, if set, decides about the network instead of the
 * parameter. TC_E_UCX, TC_E_NO_MEMORY, TC_E_IO; TC_E_INVALID, TC_E_UNSUPPORTED: the given
 * objects are unsuitable. */
TC_MUST_CHECK tc_status tci_worker_create(const tci_worker_params *params,
                                          tci_worker **worker_out, tc_error *err);

typedef enum tci_worker_network_state {
    TCI_WORKER_NETWORK_NONE,  /* nothing listens; tci_worker_add_network may help */
    TCI_WORKER_NETWORK_ADDED, /* it has a network, because the caller wanted it */
    TCI_WORKER_NETWORK_SET,   /* it has a network, because UCX_TLS selects one */
    TCI_WORKER_NETWORK_KEPT,  /* it has no network, because UCX_TLS excludes it */
    TCI_WORKER_NETWORK_GIVEN  /* unknown: the UCX context is the application's */
} tci_worker_network_state;
tci_worker_network_state tci_worker_network(const tci_worker *worker);

/* Returns whether the worker reaches peers of this host by shared memory. */
bool tci_worker_shares_memory(const tci_worker *worker);

/* Makes a worker with the network, otherwise like `local`. It takes over `local`, which serves
 * the links that it has and is progressed, armed and destroyed with the new one; if `local` is
 * not `used`, it is destroyed at once. On failure `local` stays as it was. Not inside UCX's
 * handlers. */
TC_MUST_CHECK tc_status tci_worker_add_network(tci_worker *local, bool used,
                                               tci_worker **worker_out, tc_error *err);

/* Destroys the worker and the one that it took over. */
void tci_worker_destroy(tci_worker *worker);

/* Returns the number of UCX events; 0 when called from inside a UCX callback. */
unsigned tci_worker_progress(tci_worker *worker);

/* The worker's UCX address; owned by the worker. */
const void *tci_worker_address(const tci_worker *worker, size_t *size_out);

/* False: it wakes no sleeper (an application's choice), and arming it does nothing. */
bool tci_worker_wakes(const tci_worker *worker);
/* False: there is something to do already. */
bool tci_worker_arm(tci_worker *worker);
/* Returns whether the data of an epoll event stands for this worker. */
bool tci_worker_is_event(const tci_worker *worker, const void *data);

/* Returns the version of the loaded UCX. */
void tci_worker_ucx_version(unsigned *major_out, unsigned *minor_out, unsigned *patch_out);

#endif
