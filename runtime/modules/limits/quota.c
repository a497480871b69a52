/* The accounts are a list in the order of their making. An account outlives its endpoints for a
 * minute, so that a peer cannot reset its quotas by connecting again; old ones are freed when a
 * new one is made. */
#include "modules/limits/quota.h"

#include "base/assertion.h"
#include "base/clock.h"
#include "core/ep_state.h"
#include "dispatch/slot_quota.h"
#include "transfer/send_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES (sizeof((tci_peer *)NULL)->identity + 32)
#define MINUTE_NS (60 * TCI_NS_PER_S)
/* Messages that one turn of an endpoint can run. With as many in the bucket the clock is not
 * read. */
#define TURN_MESSAGES 256

static bool has_quotas(const struct tc_options *o)
{
    return (o->quota_connections | o->quota_functions | o->quota_code_bytes |
            o->quota_compile_time | o->quota_queue_bytes | o->quota_message_rate |
            o->quota_tasks) != 0;
}

/* Returns a text such as "peers of identity 'key:cluster'". */
static const char *quota_name(const tci_account *account, char out[NAME_MAX_BYTES])
{
    if (account->identity[0] == '\0')
        return "peers without an identity";
    (void)snprintf(out, NAME_MAX_BYTES, "peers of identity '%s'", account->identity);
    return out;
}

/* --- accounts ---------------------------------------------------------------------------- */

/* Returns whether nothing in the account matters any more. Until then it outlives its
 * connections: otherwise a peer could reset its quotas by connecting again. */
static bool is_forgettable(const tci_account *account, uint64_t now_ns)
{
    return account->endpoints == 0 && now_ns - account->filled_ns >= MINUTE_NS &&
           now_ns - account->compile_since_ns >= MINUTE_NS && account->messages >= 0;
}

/* Returns how many are left. */
static unsigned forget_old(tci_account **accounts, uint64_t now_ns)
{
    tci_account *account;
    unsigned left = 0;
    for (tci_account **at = accounts; (account = *at) != NULL;) {
        if (is_forgettable(account, now_ns)) {
            TCI_INVARIANT_IS(account_queue, account->queue_bytes, ==, 0);
            *at = account->next;
            free(account);
        } else {
            at = &account->next;
            left++;
        }
    }
    return left;
}

static tci_account *find(tci_account *account, const char *identity)
{
    while (account != NULL && strcmp(account->identity, identity) != 0)
        account = account->next;
    return account;
}

static tc_status find_or_make(tci_account **accounts, const tc_ep *ep,
                              tci_account **account_out, tc_error *err)
{
    const char *identity = ep->peer.identity;
    const uint64_t now_ns = tci_clock_ns();
    tci_account *account = *account_out = find(*accounts, identity);
    if (account != NULL)
        return TC_OK;
    if (forget_old(accounts, now_ns) >= TCI_ACCOUNTS_MAX)
        return tci_error_set(err, TC_E_REFUSED,
                             "peers of %u identities had connections within a minute, expected "
                             "%u at most",
                             TCI_ACCOUNTS_MAX + 1, TCI_ACCOUNTS_MAX);
    account = calloc(1, sizeof *account);
    if (account == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "endpoint: out of memory");
    memcpy(account->identity, identity, strlen(identity) + 1);
    account->messages = (int64_t)ep->core->options.quota_message_rate;
    account->filled_ns = account->compile_since_ns = now_ns;
    account->next = *accounts;
    *accounts = *account_out = account;
    return TC_OK;
}

tc_status tci_quota_admit(tci_account **accounts, tc_ep *ep, tc_error *err)
{
    tci_core *core = ep->core;
    const uint64_t max = core->options.quota_connections;
    const bool made_there = ep->life.owner == TCI_OWNER_CONTEXT;
    char name[NAME_MAX_BYTES];
    if (ep->account != NULL || !has_quotas(&core->options))
        return TC_OK;
    tci_account *account;
    TC_TRY(find_or_make(accounts, ep, &account, err));
    if (made_there && max > 0 && account->connections >= max)
        return tci_error_set(
            err, TC_E_REFUSED, "%s have %u connections, option quota_connections is %llu",
            quota_name(account, name), account->connections, (unsigned long long)max);
    account->endpoints++;
    account->connections += made_there;
    TCI_INVARIANT_IS(account_endpoints, account->endpoints, >=, account->connections);
    account->queue_bytes +=
        ep->tx.queue_bytes; /* of messages queued before the peer was there */
    ep->account = account;
    ep->rx.metered = core->options.quota_message_rate > 0;
    if (ep->rx.metered)
        core->batch_watchers |= TCI_WATCHED_BY_LIMITS;
    return TC_OK;
}

void tci_quota_leave(tc_ep *ep)
{
    TCI_INVARIANT_IS(account_endpoints, ep->account->endpoints, >, 0);
    TCI_INVARIANT_IS(account_queue, ep->tx.queue_bytes, ==, 0);
    TCI_INVARIANT_IS(account_tasks, ep->task_count, ==, 0);
    ep->account->endpoints--;
    ep->account->connections -= ep->life.owner == TCI_OWNER_CONTEXT;
    ep->account = NULL;
}

void tci_quota_fini(tci_account **accounts)
{
    while (*accounts != NULL) {
        tci_account *account = *accounts;
        *accounts = account->next;
        free(account);
    }
}

/* --- queues ------------------------------------------------------------------------------ */

static size_t queue_max(const tc_ep *ep)
{
    const uint64_t max = ep->core->options.quota_queue_bytes;
    return max == 0 ? SIZE_MAX : (size_t)max;
}

void tci_quota_queue(tc_ep *ep, size_t before)
{
    tci_account *account = ep->account;
    const size_t max = queue_max(ep);
    char name[NAME_MAX_BYTES];
    TCI_INVARIANT_IS(account_queue, account->queue_bytes, >=, before);
    account->queue_bytes += ep->tx.queue_bytes - before;
    if (ep->tx.queue_bytes < before || account->queue_bytes <= max)
        return;
    if (account->queue_bytes / TCI_QUEUE_SHARES_MAX > max)
        (void)tci_ep_fail_with(ep, TC_E_TOO_LARGE,
                               "%zu bytes wait for %s that do not read, %u times the option "
                               "quota_queue_bytes",
                               account->queue_bytes, quota_name(account, name),
                               TCI_QUEUE_SHARES_MAX);
    else
        tci_ep_pause(ep);
}

size_t tci_quota_queue_left(const tc_ep *ep)
{
    const size_t max = queue_max(ep), waiting = ep->account->queue_bytes;
    return waiting < max ? max - waiting : 0;
}

/* --- messages ---------------------------------------------------------------------------- */

/* The values that the options allow overflow nothing in thirty years. The fraction of a message
 * stays for the next call. */
static void fill(tci_account *account, uint64_t rate)
{
    const uint64_t now_ns = tci_clock_ns();
    const uint64_t passed_ns = now_ns - account->filled_ns;
    TCI_INVARIANT_IS(account_rate, account->filled_ns, <=, now_ns);
    const uint64_t parts = passed_ns % TCI_NS_PER_S * rate;
    const uint64_t more = passed_ns / TCI_NS_PER_S * rate + parts / TCI_NS_PER_S;
    if (more == 0)
        return;
    account->messages += (int64_t)more;
    account->filled_ns = now_ns - parts % TCI_NS_PER_S / rate;
    if (account->messages > (int64_t)rate)
        account->messages = (int64_t)rate;
    TCI_INVARIANT_IS(account_rate, account->filled_ns, <=, now_ns);
}

bool tci_quota_waits(tc_ep *ep)
{
    tci_account *account = ep->account;
    if (account->messages < TURN_MESSAGES)
        fill(account, ep->core->options.quota_message_rate);
    if (account->messages > 0)
        return false;
    tci_pending_add(&ep->core->pending, TCI_WORK_RATE);
    return true;
}

uint64_t tci_quota_turn(tc_ep *ep, uint64_t bytes)
{
    if (tci_quota_waits(ep)) {
        tci_ep_pause(ep);
        return 0;
    }
    /* No frame takes less than a granule. */
    const uint64_t messages = (uint64_t)ep->account->messages;
    return messages < bytes / TCI_FRAME_GRANULE ? messages * TCI_FRAME_GRANULE : bytes;
}

void tci_quota_spend(tc_ep *ep, uint64_t messages)
{
    if (ep->account != NULL)
        ep->account->messages -= (int64_t)messages;
}

/* --- compiling --------------------------------------------------------------------------- */

tc_status tci_quota_check_compile(tc_ep *ep, tc_error *err)
{
    tci_account *account = ep->account;
    const uint64_t max_ns = ep->core->options.quota_compile_time;
    const uint64_t now_ns = tci_clock_ns();
    char name[NAME_MAX_BYTES];
    if (max_ns == 0)
        return TC_OK;
    if (now_ns - account->compile_since_ns >= MINUTE_NS) {
        account->compile_since_ns = now_ns;
        account->compile_ns = 0;
    }
    if (account->compile_ns < max_ns)
        return TC_OK;
    return tci_error_set(err, TC_E_NO_MEMORY,
                         "compiling for %s took %llu ms in this minute, option "
                         "quota_compile_time is %llu ms",
                         quota_name(account, name),
                         (unsigned long long)(account->compile_ns / TCI_NS_PER_MS),
                         (unsigned long long)(max_ns / TCI_NS_PER_MS));
}

void tci_quota_charge_compile(tc_ep *ep, uint64_t ns)
{
    ep->account->compile_ns += ns;
}

/* --- functions that wait ----------------------------------------------------------------- */

bool tci_quota_may_add_task(const tc_ep *ep)
{
    const uint64_t max = ep->core->options.quota_tasks;
    return max == 0 || ep->account->tasks < max;
}

void tci_quota_count_task(tc_ep *ep, int more)
{
    TCI_INVARIANT(account_tasks, more > 0 || ep->account->tasks > 0);
    ep->account->tasks += (size_t)(ssize_t)more;
}

/* --- functions --------------------------------------------------------------------------- */

static tc_status check_held(const tc_ep *ep, const tci_holding *h, uint64_t bytes,
                            tc_error *err)
{
    const struct tc_options *options = &ep->core->options;
    char name[NAME_MAX_BYTES];
    if (options->quota_functions > 0 && h->functions >= options->quota_functions)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "%s hold %llu functions, option quota_functions is %llu",
                             quota_name(ep->account, name), (unsigned long long)h->functions,
                             (unsigned long long)options->quota_functions);
    if (options->quota_code_bytes > 0 &&
        (h->bytes > options->quota_code_bytes || bytes > options->quota_code_bytes - h->bytes))
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "%s hold %llu bytes of code, and this one has %llu: option "
                             "quota_code_bytes is %llu",
                             quota_name(ep->account, name), (unsigned long long)h->bytes,
                             (unsigned long long)bytes,
                             (unsigned long long)options->quota_code_bytes);
    return TC_OK;
}

tc_status tci_quota_check_code(const tc_ep *ep, const tci_code_section *section,
                               const tc_ifunc *known, tc_error *err)
{
    const struct tc_options *options = &ep->core->options;
    if ((options->quota_functions | options->quota_code_bytes) == 0)
        return TC_OK;
    tci_holding h = {0};
    for (const tc_ep *other = ep->core->first; other != NULL; other = other->next) {
        if (other->account == ep->account)
            tci_slot_quota_add(&h, other);
    }
    if (known != NULL && tci_slot_quota_has(&h, known))
        return TC_OK;
    return check_held(ep, &h,
                      known != NULL ? tci_slot_quota_bytes(known)
                                    : (uint64_t)section->archive_size + section->deps_size,
                      err);
}
