/* Panes and chains, in arrays: they outlive a node that is killed. */
#include "panes.h"

#include "flows.h"
#include "pane_steps.h"

#include <tc/sim.h>

#include <inttypes.h>
#include <string.h>

#define GUARD_BYTES 64u
#define ENTRY_WORDS 2u /* an allocation takes multiples of 16 bytes */
#define GUARD 0x5a
#define CLOSED 0xee

typedef struct memory {
    uint8_t before[GUARD_BYTES];
    uint64_t log[ENTRY_WORDS * PANE_ENTRIES_MAX];
    uint8_t between[GUARD_BYTES];
    uint8_t data[PANE_BYTES_MAX];
    uint8_t after[GUARD_BYTES];
} memory;

static pane panes[PANES_MAX];
/* Those of the windows, and the model's. */
static _Alignas(16) memory memories[PANES_MAX], models[PANES_MAX];
static pane_chain chains[PANE_CHAINS_MAX];
static uint32_t pane_count, chain_count, incarnations;
static uint32_t newest[PANE_SENDERS_MAX]; /* incarnation of each context */
static uint64_t total;
static panes_rules rules;

void panes_reset(const panes_rules *new_rules)
{
    rules = *new_rules;
    pane_count = chain_count = incarnations = 0;
    total = 0;
    memset(newest, 0, sizeof newest);
}

uint32_t panes_begin_owner(unsigned owner)
{
    for (pane_chain *c = chains; c < chains + chain_count; c++) {
        if (c->from == owner)
            c->is_under = false; /* of a life that was killed */
    }
    newest[owner] = ++incarnations;
    return incarnations;
}

pane *panes_get(uint32_t number)
{
    return &panes[number];
}

uint32_t panes_count(void)
{
    return pane_count;
}

uint64_t panes_total(void)
{
    return total;
}

/* --- the life of a pane ------------------------------------------------------------------- */

static void fill(uint32_t number, int byte)
{
    memset(&memories[number], byte, sizeof memories[number]);
    models[number] = memories[number];
}

bool panes_make(unsigned owner, uint32_t incarnation, uint32_t to, uint64_t random,
                uint32_t *number_out, tc_window_params *log_out, tc_window_params *data_out)
{
    static const uint32_t rights[] = {TC_WINDOW_READ | TC_WINDOW_WRITE | TC_WINDOW_ATOMIC,
                                      TC_WINDOW_READ | TC_WINDOW_WRITE | TC_WINDOW_ATOMIC,
                                      TC_WINDOW_READ | TC_WINDOW_WRITE, TC_WINDOW_READ};
    if (pane_count == PANES_MAX)
        return false;
    const uint32_t number = pane_count++;
    memory *m = &memories[number];
    panes[number] = (pane){.owner = owner,
                           .incarnation = incarnation,
                           .flow = to,
                           .is_closed = true,
                           .rights = rights[random % 4],
                           .entries = 4 + (uint32_t)(random >> 2) % (PANE_ENTRIES_MAX - 3),
                           .bytes = 64 + (uint32_t)(random >> 16) % (PANE_BYTES_MAX - 63)};
    if (random >> 40 & 1)
        panes[number].bytes = 64 + panes[number].bytes % 64; /* where chains meet */
    fill(number, GUARD);
    memset(m->log, 0, panes[number].entries * ENTRY_WORDS * sizeof m->log[0]);
    memset(m->data, 0, panes[number].bytes);
    models[number] = *m;
    *log_out = (tc_window_params){.memory = m->log,
                                  .bytes = panes[number].entries * 16,
                                  .rights = TC_WINDOW_ALLOCATE | TC_WINDOW_WRITE};
    *data_out = (tc_window_params){
        .memory = m->data, .bytes = panes[number].bytes, .rights = panes[number].rights};
    *number_out = number;
    return true;
}

void panes_open(uint32_t number, bool for_group, tc_gptr log, tc_gptr data)
{
    pane *p = &panes[number];
    p->for_group = for_group;
    p->log = log;
    p->data = data;
    p->is_closed = false;
}

uint32_t panes_find(uint32_t incarnation, uint32_t first)
{
    for (uint32_t i = 0; i < pane_count; i++) {
        const uint32_t number = (first + i) % pane_count;
        if (panes[number].incarnation == incarnation && !panes[number].is_closed)
            return number;
    }
    return UINT32_MAX;
}

/* --- rights ------------------------------------------------------------------------------- */

static uint32_t right_of(const tc_window_step *step)
{
    return step->operation == TC_WINDOW_GET   ? TC_WINDOW_READ
           : step->operation == TC_WINDOW_PUT ? TC_WINDOW_WRITE
                                              : TC_WINDOW_ATOMIC;
}

static bool has_rights(const pane *p, const pane_chain *c)
{
    for (unsigned i = PANE_LOG_STEPS; i < c->count; i++) {
        if ((right_of(&c->steps[i]) & p->rights) == 0)
            return false;
    }
    return true;
}

static bool is_open_to(const pane *p, const pane_chain *c)
{
    return c->flow == PANES_NO_FLOW ? p->for_group
                                    : c->flow == p->flow && c->is_back == p->is_back;
}

/* --- the log ------------------------------------------------------------------------------ */

/* A number of windows may be in use again in a later life of the owner: then a chain for the
 * earlier one is one for the later. */
static bool is_target(const pane *p, const pane_chain *c)
{
    const pane *target = &panes[c->pane];
    return target == p || (target->owner == p->owner && target->incarnation < p->incarnation &&
                           memcmp(&target->log, &p->log, offsetof(tc_gptr, rank)) == 0 &&
                           memcmp(&target->data, &p->data, offsetof(tc_gptr, rank)) == 0);
}

static void check_order(pane *p, const pane_chain *c, uint32_t number)
{
    uint32_t *last = &p->last[c->flow == PANES_NO_FLOW][c->from];
    if (c->is_ordered && number < *last)
        flows_fail("context %u: chain %u of context %u took effect after chain %u", p->owner,
                   number, c->from, *last);
    *last = number;
    if (c->flow == PANES_NO_FLOW || c->is_back)
        return;
    const flow *f = flows_get(c->flow);
    if (f->run > c->after || (!rules.refusals && f->run < c->after))
        flows_fail("flow %u: chain %u, which follows message %" PRIu64
                   ", took effect after message %" PRIu64,
                   c->flow, number, c->after, f->run);
}

static void take_effect(pane *p, uint64_t number)
{
    pane_chain *c = &chains[number - 1];
    if (number > chain_count) {
        flows_fail("context %u: the log of a pane has the number %" PRIu64, p->owner, number);
        return;
    }
    if (c->has_run || (c->is_bad && &panes[c->pane] == p))
        flows_fail("context %u: chain %" PRIu64 " %s", p->owner, number,
                   c->has_run ? "took effect twice" : "is malformed and took effect");
    else if (!is_target(p, c) || !is_open_to(p, c) || !has_rights(p, c))
        flows_fail("context %u: chain %" PRIu64 " took effect without the right to", p->owner,
                   number);
    check_order(p, c, (uint32_t)number);
    c->has_run = true;
    total++;
    pane_steps_do(c, models[p - panes].data, p->bytes);
}

/* Called in any thread: a chain of the log is done or about to be. */
static void follow(uint32_t number)
{
    pane *p = &panes[number];
    const uint64_t *log = memories[number].log;
    uint64_t next;
    while (p->seen < p->entries && !p->is_closed &&
           (next = __atomic_load_n(&log[p->seen * ENTRY_WORDS], __ATOMIC_ACQUIRE)) != 0) {
        models[number].log[p->seen * ENTRY_WORDS] = next;
        p->seen++;
        take_effect(p, next);
    }
}

static void compare(uint32_t number)
{
    const uint8_t *is = (const uint8_t *)&memories[number];
    const uint8_t *expected = (const uint8_t *)&models[number];
    follow(number);
    if (memcmp(is, expected, sizeof(memory)) == 0 || flows_error() != NULL)
        return;
    size_t at = 0;
    while (is[at] == expected[at])
        at++;
    flows_fail("context %u: pane %u, %s: byte %zu of its memory is %#x, expected %#x",
               panes[number].owner, number, panes[number].is_closed ? "closed" : "open", at,
               is[at], expected[at]);
}

static bool has_more(uint32_t number)
{
    const pane *p = &panes[number];
    return p->seen < p->entries && memories[number].log[p->seen * ENTRY_WORDS] != 0;
}

void panes_look(uint32_t incarnation)
{
    for (uint32_t i = 0; i < pane_count; i++) {
        if (panes[i].incarnation == incarnation && !panes[i].is_closed && has_more(i))
            compare(i);
    }
}

void panes_look_at_all(void)
{
    for (uint32_t i = 0; i < pane_count; i++) {
        if (panes[i].is_closed || !rules.is_torn)
            compare(i);
    }
}

void panes_expect(uint32_t number)
{
    compare(number);
}

void panes_close(uint32_t number)
{
    panes[number].is_closed = true;
    fill(number, CLOSED);
}

void panes_end_owner(uint32_t incarnation)
{
    for (uint32_t i = 0; i < pane_count; i++) {
        if (panes[i].incarnation != incarnation || panes[i].is_closed)
            continue;
        compare(i);
        panes_close(i);
    }
}

/* --- chains ------------------------------------------------------------------------------- */

pane_chain *panes_chain(uint32_t number, uint64_t (*random)(void *user), void *user)
{
    const pane *p = &panes[number];
    const pane_source s = {random, user};
    if (chain_count == PANE_CHAINS_MAX)
        return NULL;
    pane_chain *c = &chains[chain_count++];
    memset(c, 0, offsetof(pane_chain, bytes));
    c->is_bad = c->is_under = c->has_run = false;
    c->pane = number;
    c->number = chain_count;
    pane_steps_draw(c, p, &s);
    return c;
}

void panes_drop(pane_chain *chain)
{
    chain->is_bad = true; /* it may not take effect */
    chain->is_under = false;
}

/* --- ends --------------------------------------------------------------------------------- */

static void check_done(const pane_chain *c, uint32_t succeeded)
{
    if (!c->has_run || c->status != TC_OK)
        flows_fail("chain %" PRIu64 " succeeded and %s", c->number,
                   c->has_run ? "should be invalid" : "has not taken effect");
    else if (succeeded != c->succeeded)
        flows_fail("chain %" PRIu64 ": the steps %#x have succeeded, expected %#x", c->number,
                   succeeded, c->succeeded);
    else if (memcmp(c->bytes, c->expected, c->used) != 0)
        flows_fail("chain %" PRIu64 ": its results differ", c->number);
}

/* Returns whether the chain, its pane or its right is the reason of a status. */
static bool is_explained(const pane_chain *c, tc_status status)
{
    const pane *p = &panes[c->pane];
    const bool is_stale = p->incarnation != newest[p->owner]; /* it may name another one */
    if (c->has_run)
        return status == TC_E_INVALID && c->status == TC_E_INVALID;
    switch (status) {
    case TC_E_NOT_FOUND:
        return is_stale || p->is_closed;
    case TC_E_REFUSED:
        return is_stale || !is_open_to(p, c) || !has_rights(p, c);
    case TC_E_INVALID:
        return is_stale || c->is_bad;
    case TC_E_NO_MEMORY:
        return is_stale || p->seen == p->entries;
    default:
        return false;
    }
}

bool panes_end(pane_chain *chain, tc_status status, uint32_t succeeded, const char *text)
{
    if (!chain->is_under)
        flows_fail("chain %" PRIu64 " has ended twice", chain->number);
    chain->is_under = false;
    for (uint32_t i = 0; i < pane_count; i++) {
        if (panes[i].owner == panes[chain->pane].owner)
            follow(i);
    }
    tc_sim_note("chain %" PRIu64 " ends: %s", chain->number, tc_status_name(status));
    if (status == TC_OK) {
        check_done(chain, succeeded);
        return true;
    }
    if (succeeded != 0 || text[0] == '\0' || pane_steps_have_results(chain))
        flows_fail("chain %" PRIu64 " has failed and left results, or no text: '%s'",
                   chain->number, text);
    return is_explained(chain, status);
}

void panes_expect_ended_of(unsigned from, const void *user)
{
    for (const pane_chain *c = chains; c < chains + chain_count; c++) {
        if (c->is_under && c->from == from && c->user == user)
            flows_fail("chain %" PRIu64 " of context %u does not end", c->number, from);
    }
}

void panes_expect_ended(uint32_t by)
{
    for (const pane_chain *c = chains; c < chains + chain_count; c++) {
        if (c->is_under && c->flow == by && !c->is_back)
            flows_fail("chain %" PRIu64 " of context %u outlives its endpoint, flow %u",
                       c->number, c->from, c->flow);
    }
}
