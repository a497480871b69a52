/* UCX of a world: the few functions that the library calls, with the freedoms that UCX takes.
 *
 * Messages of an endpoint keep their order. Puts travel in pieces that arrive in any order, but
 * for fences. Between hosts an endpoint learns that its peer has gone; within a host, where UCX
 * shares memory, it does not. Everything is handled where the owner progresses its worker, but
 * for the pieces of puts, which an adapter writes by itself.
 *
 * Workers, endpoints, memories and requests are memory of their node. Bytes
 * under way belong to the world and name them by number, as they may be gone by then. */
#ifndef SIM_UCX_H
#define SIM_UCX_H

#include "sim_descriptor.h"
#include "sim_hooks.h"
#include "sim_world.h"

#include <ucp/api/ucp.h>

#define SIM_UCX_AM_IDS 65536u

typedef enum sim_ucx_kind { SIM_UCX_WORKER, SIM_UCX_ENDPOINT, SIM_UCX_MEMORY } sim_ucx_kind;

/* The first member of those that others name by number. */
typedef struct sim_ucx_object {
    uint64_t number; /* from 1; 0: not in the table */
    sim_ucx_kind kind;
    tc_sim_node *node;
} sim_ucx_object;

typedef struct sim_ucx {
    unsigned minor;           /* the version is 1.minor */
    sim_ucx_object **objects; /* by number - 1; NULL: gone */
    size_t count, capacity;
} sim_ucx;

/* --- requests ---------------------------------------------------------------------------- */

typedef enum sim_ucx_operation {
    SIM_UCX_SEND,
    SIM_UCX_PUT,
    SIM_UCX_FLUSH,
    SIM_UCX_CLOSE,
    SIM_UCX_RECEIVE
} sim_ucx_operation;

/* An operation: in its endpoint's queue, then under way, then among those that the worker's
 * progress ends, then ended. */
typedef struct sim_ucx_request {
    struct sim_ucx_request *next;
    sim_ucx_operation operation;
    uint64_t ep;     /* its endpoint's number */
    uint64_t serial; /* of its endpoint's operations */
    ucp_worker_h worker;
    ucs_status_t status; /* UCS_INPROGRESS until it has ended */
    ucs_status_t result; /* of an operation that ends */
    bool released;       /* by the user, before its end */
    ucp_send_nbx_callback_t done;
    ucp_am_recv_data_nbx_callback_t received;
    void *user;
    unsigned id; /* of a message's handler */
    const uint8_t *header, *bytes;
    size_t header_size, size;
    bool is_kept;            /* with rendezvous */
    uint64_t memory, offset; /* of a put: an address there */
    uint64_t fence;          /* how many were before it */
    unsigned pieces;         /* of a put, that have not been confirmed */
    uint64_t sum;            /* of the bytes as they were when it was sent */
    bool is_copied;          /* its bytes are not needed any more */
} sim_ucx_request;

typedef struct sim_ucx_list {
    sim_ucx_request *first, **last;
} sim_ucx_list;

/* NULL: no memory. */
sim_ucx_request *sim_ucx_request_make(ucp_worker_h worker, sim_ucx_operation operation,
                                      const ucp_request_param_t *param);
/* Returns a sum of its bytes, to find changes. */
uint64_t sim_ucx_sum(const sim_ucx_request *request);
void sim_ucx_list_init(sim_ucx_list *list);
void sim_ucx_list_add(sim_ucx_list *list, sim_ucx_request *request);
sim_ucx_request *sim_ucx_list_take(sim_ucx_list *list);
/* Takes out one of the list. Returns whether it was there. */
bool sim_ucx_list_remove(sim_ucx_list *list, const sim_ucx_request *request);
/* Has the worker's progress end it. It is in no list. */
void sim_ucx_request_end(sim_ucx_request *request, ucs_status_t result);
/* Ends it now: its callback runs. */
void sim_ucx_request_finish(sim_ucx_request *request);

/* --- objects ----------------------------------------------------------------------------- */

/* Gives the world a UCX, of a version drawn from its seed, unless it has one. False: no
 * memory. */
bool sim_ucx_begin(tc_sim_world *world);
/* Returns memory of the running node; NULL: out of memory, or the call that is to fail. */
void *sim_ucx_allocate(size_t size);
/* Gives a number to an object. False: no memory. */
bool sim_ucx_add(sim_ucx_object *object, sim_ucx_kind kind);
void sim_ucx_remove(sim_ucx_object *object);
/* Returns NULL for one that is gone, or of another kind. */
ucp_worker_h sim_ucx_worker_of(const tc_sim_world *world, uint64_t number);
ucp_ep_h sim_ucx_endpoint_of(const tc_sim_world *world, uint64_t number);
ucp_mem_h sim_ucx_memory_of(const tc_sim_world *world, uint64_t number);

struct ucp_context {
    tc_sim_node *node;
    uint64_t features;
    bool network; /* it reaches other hosts */
};

struct ucp_mem {
    sim_ucx_object base;
    uint8_t *bytes;
    size_t size;
    bool owned; /* allocated here: peers of the host map it */
};

/* --- workers ----------------------------------------------------------------------------- */

typedef enum sim_ucx_news_kind {
    SIM_UCX_CONNECT, /* a peer's endpoint begins */
    SIM_UCX_MESSAGE,
    SIM_UCX_RENDEZVOUS, /* a message without its bytes, which are fetched */
    SIM_UCX_GONE,       /* a peer's worker ends */
    SIM_UCX_FAILED      /* an own endpoint has failed */
} sim_ucx_news_kind;

/* News of a worker, which its progress handles. Memory of the world. */
typedef struct sim_ucx_news {
    struct sim_ucx_news *next;
    sim_ucx_news_kind kind;
    uint64_t from;    /* the peer's worker */
    uint64_t from_ep; /* and endpoint; or the own one that has failed */
    unsigned from_host;
    unsigned id;
    uint64_t serial; /* of the sender's request, with rendezvous */
    size_t header_size, size;
    bool is_kept;    /* by its handler, to be asked for */
    uint8_t bytes[]; /* header, data */
} sim_ucx_news;

typedef struct sim_ucx_handler {
    struct sim_ucx_handler *next;
    unsigned id;
    ucp_am_recv_callback_t call;
    void *argument;
} sim_ucx_handler;

struct ucp_worker {
    sim_ucx_object base;
    ucp_context_h context;
    int event_number; /* an eventfd */
    sim_descriptor *event;
    bool armed, progressing, may_send;
    uint64_t fences;
    sim_ucx_handler *handlers;
    ucp_ep_h endpoints;
    sim_ucx_news *first, **last;
    sim_ucx_news *kept; /* rendezvous that are to be fetched */
    sim_ucx_list ending;
    uint64_t last_arrival_ns; /* of all that it has sent */
    sim_ucx_list receives;    /* with rendezvous, under way */
    uint64_t receives_made;
};

/* Wakes the owner, if it has armed the worker. */
void sim_ucx_worker_wake(ucp_worker_h worker);
/* Adds news. */
void sim_ucx_worker_tell(ucp_worker_h worker, sim_ucx_news *news);
/* Frees its memory of the world; peers notice its end. */
void sim_ucx_worker_forget(ucp_worker_h worker);
/* Runs the handler of a message, and frees it unless that keeps it. */
void sim_ucx_message_handle(ucp_worker_h worker, sim_ucx_news *news);
/* Draws a number below `limit` from the world. */
uint64_t sim_ucx_draw(uint64_t limit);

/* --- ways -------------------------------------------------------------------------------- */

/* A way leads from an endpoint to its peer's worker, and keeps the order. It belongs to the
 * world, as bytes that have left arrive also after their sender has ended. */
typedef struct sim_ucx_way {
    tc_sim_world *world;
    uint64_t from_ep, from, to; /* an endpoint, and two workers */
    unsigned from_host, to_host;
    uint32_t from_node, to_node;
    sim_ucx_news *first, **last; /* under way */
    uint64_t busy_until_ns, last_arrival_ns, retry_ns, held_ns;
    unsigned uses; /* the endpoint, and events */
} sim_ucx_way;

/* Returns how long a thing waits the next time for those before it. */
uint64_t sim_ucx_longer(uint64_t held_ns);
sim_ucx_way *sim_ucx_way_make(ucp_ep_h ep);
void sim_ucx_way_leave(sim_ucx_way *way);
/* Makes news of so many bytes, from this way's endpoint. NULL: no memory. */
sim_ucx_news *sim_ucx_way_news(const sim_ucx_way *way, sim_ucx_news_kind kind, size_t bytes);
/* Sends the end of the sender's worker, to arrive no earlier than then. */
void sim_ucx_way_end(sim_ucx_way *way, uint64_t at_ns);
void sim_ucx_way_send(sim_ucx_way *way, sim_ucx_news *news);

/* Signals travel beside the ways: short, and in any order. */
typedef enum sim_ucx_signal_kind {
    SIM_UCX_SIGNAL_ACCEPTED, /* the endpoint is connected */
    SIM_UCX_SIGNAL_TAKEN,    /* the peer has handled so many bytes */
    SIM_UCX_SIGNAL_ENDED,    /* the endpoint's request of that serial has ended */
    SIM_UCX_SIGNAL_LOST      /* the endpoint has failed with that status */
} sim_ucx_signal_kind;
/* Sends a signal to an endpoint, over the network between two hosts. */
void sim_ucx_signal(tc_sim_world *world, unsigned from_host, unsigned to_host, uint64_t ep,
                    sim_ucx_signal_kind kind, uint64_t value);
/* Signals the end of an endpoint's peer, not before that time. */
void sim_ucx_signal_end(const ucp_ep_h ep, uint64_t at_ns);
/* Sends a signal within a host, which arrives in so long. */
void sim_ucx_signal_after(tc_sim_world *world, uint64_t in_ns, uint64_t ep,
                          sim_ucx_signal_kind kind, uint64_t value);

/* --- endpoints --------------------------------------------------------------------------- */

struct sim_ucx_piece;

struct ucp_ep {
    sim_ucx_object base;
    ucp_worker_h worker;
    ucp_ep_h next; /* of the worker */
    sim_ucx_way *way;
    bool connected;
    bool tells_end;      /* its peer's end fails it: not within a host */
    ucs_status_t failed; /* or UCS_OK */
    ucp_err_handler_t on_failure;
    uint64_t serial;    /* of operations so far */
    size_t under_way;   /* bytes that the peer has not handled */
    sim_ucx_list queue; /* not yet sent */
    sim_ucx_list sent;  /* to be ended by a signal, or by their pieces */
    sim_ucx_list flushes;
    struct sim_ucx_piece *pieces; /* not yet confirmed */
};

/* Adds an operation: it is sent as soon as the peer takes more. Returns the result for the
 * call that made it. */
ucs_status_ptr_t sim_ucx_endpoint_add(ucp_ep_h ep, sim_ucx_request *request);
/* Sends as much as the peer takes. */
void sim_ucx_endpoint_send(ucp_ep_h ep);
void sim_ucx_endpoint_fail(ucp_ep_h ep, ucs_status_t status);
/* Frees its memory of the world. */
void sim_ucx_endpoint_part(ucp_ep_h ep);
/* Does so, and frees it. The peer does not notice. */
void sim_ucx_endpoint_destroy(ucp_ep_h ep);
/* Takes a signal, or ends flushes that wait for nothing more. */
void sim_ucx_endpoint_take(ucp_ep_h ep, sim_ucx_signal_kind kind, uint64_t value);
void sim_ucx_endpoint_look(ucp_ep_h ep);
/* Stops the world if the bytes of that operation have changed, and it has not ended: called
 * when they arrive. An adapter may read them until then. */
void sim_ucx_endpoint_check(const tc_sim_world *world, uint64_t number, uint64_t serial);
/* Handle news of a worker. */
void sim_ucx_endpoint_met(ucp_worker_h worker, const sim_ucx_news *news);
void sim_ucx_endpoint_parted(ucp_worker_h worker, const sim_ucx_news *news);
void sim_ucx_endpoint_report(ucp_worker_h worker, const sim_ucx_news *news);

/* --- puts and messages ------------------------------------------------------------------- */

/* Sends a request of an endpoint's queue. */
void sim_ucx_put_send(ucp_ep_h ep, sim_ucx_request *request);
void sim_ucx_message_send(ucp_ep_h ep, sim_ucx_request *request);
uint64_t sim_ucx_key_memory(const ucp_rkey_h rkey);
/* Returns whether a put that an endpoint made before that operation has not arrived. */
bool sim_ucx_put_is_ahead(const tc_sim_world *world, uint64_t ep, uint64_t serial);
/* Returns whether a put that was made before that operation is not confirmed. */
bool sim_ucx_put_is_under_way(const ucp_ep_h ep, uint64_t serial);
/* The endpoint goes: its pieces arrive no more. */
void sim_ucx_put_forget(ucp_ep_h ep);

#endif
