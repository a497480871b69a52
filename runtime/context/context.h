/* What the files of this folder share about a context. */
#ifndef TCI_CONTEXT_H
#define TCI_CONTEXT_H

#include "core/ep.h"
#include "group/group.h"
#include "rpc/calls.h"
#include "rpc/local_reply.h"

/* The rare work is done this often, if there is a turn. */
#define TCI_SERVICE_INTERVAL_NS 1000000ull

struct tc_listener {
    tc_context *ctx;
    tci_stream_listener *streams;
    uint32_t number;
    tc_listener *next;
};

/* Hello messages that came by active message; they are handled outside UCX's handler, because
 * they make endpoints. */
typedef struct tci_inbox {
    struct tci_inbox_item *first;
    struct tci_inbox_item **last;
    unsigned count;
} tci_inbox;

struct tc_context {
    tci_core core;
    tci_calls calls;
    tci_groups groups;
    tci_local_replies replies;
    tci_inbox inbox;
    bool address_given; /* peers may greet by active message: somebody was told how */
    int loads_fd;       /* what loader threads say when they have finished */
    tc_ep_callback callback;
    void *callback_user;
    struct tci_published *published; /* see node_data.c */
    struct tci_kept_state *states;
    tc_listener *listeners;
    uint32_t listener_numbers;
    int countdown; /* calls of tc_progress until the next chores */
    uint64_t serviced_ns;
    uint64_t idle_since_ns; /* 0: not idle; for tci_context_idle */
    unsigned yields;
    bool shares_cpu; /* others ran when it was last given up */
    uint64_t nap_ns;
    int wait_fd;      /* all that can wake this context, for others to wait on */
    bool armed;       /* the bells say that this side sleeps */
    bool can_be_rung; /* the machine has the barrier that bells need */
    uint8_t address[TCI_HELLO_MESSAGE_MAX];
};

/* What arrives by active message, as the worker's handlers; `user` is the context. */
void tci_arrivals_take(void *user, tci_am kind, uint16_t connection, uint16_t granule,
                       const uint8_t *bytes, size_t size);
bool tci_arrivals_take_payload(void *user, const tci_payload_header *header, size_t size,
                               tci_sink *sink_out);
/* Handles the hellos that wait; and forgets them. */
void tci_arrivals_greet(tc_context *ctx);
void tci_arrivals_free(tc_context *ctx);

/* Peers that wait at a listener; a number that is closed is ignored. */
void tci_listener_serve(tc_context *ctx, uint64_t number);

/* Progress that looks at everything, for calls that block. */
unsigned tci_context_turn(tc_context *ctx);

/* TC_E_IO. */
TC_MUST_CHECK tc_status tci_context_init_wait(tc_context *ctx, tc_error *err);

/* What was sent since the last turn, and gathered, leaves now. */
void tci_context_end_turns(tc_context *ctx);

/* Peers need not ring any more: this side is looking. */
void tci_context_disarm(tc_context *ctx);

/* One idle turn of a blocking call: spins, yields or sleeps, depending on how long nothing
 * has come. */
void tci_context_idle(tc_context *ctx, uint64_t deadline_ns);

/* One turn of a blocking call, busy or idle. TC_E_TIMEOUT: the deadline has passed. */
TC_MUST_CHECK tc_status tci_context_await(tc_context *ctx, uint64_t deadline_ns);

/* A blocking call no longer stands on ep (tc_ep.life.pins). An accepted endpoint whose peer went
 * meanwhile is freed by the next tc_progress after that call, not inside it. */
void tci_context_unpin(tc_ep *ep);

/* Connects the layers: functions and endpoints tell those above them what happens. TC_E_IO. */
TC_MUST_CHECK tc_status tci_context_connect_events(tc_context *ctx, tc_error *err);
/* Loader threads have finished something. */
void tci_context_note_loads(tc_context *ctx);

/* header_version: a program's TC_VERSION_NUMBER. TC_E_VERSION when this library is older. */
TC_MUST_CHECK tc_status tci_context_check_headers(unsigned header_version, tc_error *err);

/* Puts what is known of the engine and the CPU into the core's hello. */
void tci_describe_engine(tci_core *core);
/* And the dictionaries that peers may use. */
void tci_describe_dictionaries(tci_core *core);

/* Closes without waiting: says goodbye if there is somebody to say it to, frees. */
void tci_context_end_endpoint(tc_ep *ep);

/* What was published, and what functions keep. */
void tci_node_data_free(tc_context *ctx);

/* The listener is the group's from now on: tc_group_destroy closes it. */
void tci_context_keep_listener(tc_group *group, tc_listener *listener);

/* What shipped code may call of this library, by name. */
const tci_host_symbol *tci_host_symbols(size_t *count_out);

#endif
