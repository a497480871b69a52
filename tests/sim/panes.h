/* The checker of windows. A pane is two windows that their owner opens together: one has data,
 * the other is an arena and has the log of the pane. Each chain of operations first allocates
 * an entry of the log and puts its number there, so the log has the chains in the order in
 * which they took effect, and a model of the data follows it.
 *
 * Checked are: each chain ends once, takes effect once at most, in order with its flow's
 * messages and other chains, and never in a pane that is closed or not open to its sender; its
 * status, results and successes are those of the model; and all bytes of a pane's memory, and
 * those around it, are as the model has them. */
#ifndef SIM_PANES_H
#define SIM_PANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/window.h>

#define PANES_MAX 96u         /* of a world */
#define PANE_ENTRIES_MAX 64u  /* of a log */
#define PANE_BYTES_MAX 3072u  /* of data */
#define PANE_STEPS_MAX 7u     /* of a chain: two of the log's, and those of the data */
#define PANE_LOG_STEPS 2u     /* the first ones of each chain */
#define PANE_CHAINS_MAX 1500u /* of a world */
#define PANE_CHAIN_BYTES 4096u
#define PANE_SENDERS_MAX 16u /* contexts */
#define PANES_NO_FLOW UINT32_MAX

/* Disturbances of the world that change the end of chains. */
typedef struct panes_rules {
    bool refusals; /* messages may be dropped: plan_may_refuse */
    bool is_torn;  /* an owner may be killed within a chain */
} panes_rules;

typedef struct pane {
    unsigned owner;       /* a context */
    uint32_t incarnation; /* of the owner */
    uint32_t flow;        /* that it is open to */
    bool is_back;         /* to its target, not to its sender */
    bool for_group;       /* and to the group's members, too */
    bool is_closed;
    uint32_t rights; /* of the data */
    uint32_t entries, bytes;
    tc_gptr log, data;
    uint32_t seen; /* entries of the log that the model has */
    /* The chain that took effect last, of each sender: by the flow, and in the group. */
    uint32_t last[2][PANE_SENDERS_MAX];
} pane;

typedef struct pane_chain {
    uint32_t pane;
    uint32_t flow; /* or PANES_NO_FLOW: it goes by an endpoint of the group */
    unsigned from; /* context */
    bool is_ordered;
    bool is_back;   /* the flow's target sent it, to the flow's sender */
    uint64_t after; /* messages of the flow that were sent before it */
    void *user;     /* of the sender */
    unsigned count;
    tc_window_step steps[PANE_STEPS_MAX];
    uint64_t number;      /* the bytes that are put into the log */
    size_t used, results; /* of bytes; where results begin */
    uint8_t bytes[PANE_CHAIN_BYTES];
    uint8_t expected[PANE_CHAIN_BYTES];
    bool is_bad;   /* a step's offset is outside the window, or no multiple of 8 */
    bool is_under; /* it was started, and has not ended */
    bool has_run;
    tc_status status; /* that it must end with, if it has run */
    uint32_t succeeded;
} pane_chain;

/* Forgets all; for a new world. */
void panes_reset(const panes_rules *rules);
/* A context has begun. Returns its incarnation. */
uint32_t panes_begin_owner(unsigned owner);
/* A context has ended, in order: its windows are closed. */
void panes_end_owner(uint32_t incarnation);

/* Makes a pane for the flow `to`, and returns its number and the parameters of its two
 * windows, but for the peer and the group. Returns false if there is no pane left. */
bool panes_make(unsigned owner, uint32_t incarnation, uint32_t to, uint64_t random,
                uint32_t *number_out, tc_window_params *log_out, tc_window_params *data_out);
/* The windows are open. */
void panes_open(uint32_t number, bool for_group, tc_gptr log, tc_gptr data);
/* Called before and after the windows are closed. */
void panes_expect(uint32_t number);
void panes_close(uint32_t number);
pane *panes_get(uint32_t number);
uint32_t panes_count(void);
/* Returns an open pane of the incarnation from `first` on, in a circle; or UINT32_MAX. */
uint32_t panes_find(uint32_t incarnation, uint32_t first);

/* Compares the memory of an owner's panes, in its thread, while no chain runs. */
void panes_look(uint32_t incarnation);
/* The same for all that is left, at the end of a world. */
void panes_look_at_all(void);

/* Makes a chain of random steps on the pane; NULL: there were too many. `random`: numbers. */
pane_chain *panes_chain(uint32_t number, uint64_t (*random)(void *user), void *user);
/* It was not started. */
void panes_drop(pane_chain *chain);
/* Checks the end of a chain. `text` is the reason of a failure. Returns whether the status is
 * one of those that the checker explains; else the caller has to. */
bool panes_end(pane_chain *chain, tc_status status, uint32_t succeeded, const char *text);
/* Checks that no chain of the flow's sender, or by that user of a context, is under way. */
void panes_expect_ended(uint32_t by);
void panes_expect_ended_of(unsigned from, const void *user);
/* Chains that have taken effect. */
uint64_t panes_total(void);

#endif
