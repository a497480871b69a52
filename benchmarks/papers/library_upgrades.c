/* The cost of a library's upgrades for callers of functions that use it: the latency of one
 * client's calls, while another one pushes a newer library after every so many of them, and
 * while it does not, in turns. */
#include "ifuncs/catalogue.h"
#include "library_perf.h"
#include "perf_clock.h"
#include "perf_context.h"
#include "perf_process.h"

#include <stdio.h>
#include <unistd.h>

#include <tc/call.h>
#include <tc/context.h>
#include <tc/endpoint.h>

#define LOOK_PAUSE_US                                                                          \
    200u /* between two polls of the upgrading side: it shares a cpu with the caller */
#define PATIENCE_NS (20 * PERF_NS_PER_S)
#define ROLES 3u

enum { ENDED = UPGRADE_TURNS };

/* A client of the node. */
typedef struct upgrade_client {
    library_run *run;
    tc_context *context;
    tc_ep *ep;
    unsigned char archive[LIBRARY_ARCHIVE_MAX];
    size_t size;
} upgrade_client;

static bool complain(const char *what, const tc_error *err)
{
    (void)fprintf(stderr, "tc-perf: upgrades: %s: %s\n", what, err->text);
    return false;
}

static tc_context *create_context(const library_run *run)
{
    const char *delivery = run->options->deliveries[0];
    const perf_setting settings[] = {{"ifunc_path", run->options->ifunc_path},
                                     {"delivery", *delivery != '\0' ? delivery : NULL},
                                     {"cache_dir", ""}};
    tc_error err = {0};
    tc_context *context = NULL;
    if (perf_context_create(settings, sizeof settings / sizeof settings[0], &context, &err) !=
        TC_OK)
        (void)complain("context", &err);
    return context;
}

/* --- the node ------------------------------------------------------------------------ */

static void serve(library_board *board, tc_context *context)
{
    while (atomic_load_explicit(&board->turn, memory_order_relaxed) != ENDED)
        (void)tc_progress(context);
    uint64_t end_ns = perf_now_ns() + PERF_NS_PER_S / 10;
    while (perf_now_ns() < end_ns) /* the others close */
        (void)tc_progress(context);
}

static bool run_node(void *user)
{
    library_run *run = user;
    tc_error err = {0};
    tc_listener *listener = NULL;
    tc_context *context = create_context(run);
    if (context == NULL)
        return false;
    bool ok = tc_listener_open(context, "127.0.0.1:0", &listener, &err) == TC_OK ||
              complain("listener", &err);
    if (ok) {
        atomic_store(&run->board->port, tc_listener_port(listener));
        serve(run->board, context);
        tc_listener_close(listener);
    }
    tc_context_destroy(context);
    return ok;
}

/* --- both clients -------------------------------------------------------------------- */

static bool await(const _Atomic uint32_t *value, uint32_t wanted)
{
    const uint64_t end_ns = perf_now_ns() + PATIENCE_NS;
    while (atomic_load(value) < wanted) {
        if (perf_now_ns() > end_ns) {
            (void)fprintf(stderr, "tc-perf: upgrades: waited in vain\n");
            return false;
        }
        (void)usleep(1000);
    }
    return true;
}

static bool connect_node(upgrade_client *client)
{
    char address[32];
    tc_error err = {0};
    if (!await(&client->run->board->port, 1))
        return false;
    (void)snprintf(address, sizeof address, "127.0.0.1:%u",
                   atomic_load(&client->run->board->port));
    return tc_ep_connect(client->context, address, PATIENCE_NS, &client->ep, &err) == TC_OK ||
           complain("connect", &err);
}

static bool run_client(library_run *run, const char *archive,
                       bool (*part)(upgrade_client *client))
{
    static upgrade_client client;
    client.run = run;
    client.size = perf_context_read_archive(run->options->ifunc_path, archive, client.archive,
                                            sizeof client.archive);
    client.context = create_context(run);
    bool ok = client.context != NULL && connect_node(&client) && part(&client);
    if (client.ep != NULL)
        tc_ep_close(client.ep);
    tc_context_destroy(client.context);
    return ok;
}

/* --- the caller ---------------------------------------------------------------------- */

typedef struct upgrade_caller {
    upgrade_client *client;
    tc_ifunc *fn;
    uint64_t expected; /* the expected count of the next answer */
} upgrade_caller;

/* Each library goes on with the older one's count, so an answer covers every call before. */
static bool call(upgrade_caller *caller, uint32_t turn, uint64_t *ns_out)
{
    catalogue_answer answer = {0};
    size_t size = sizeof answer;
    tc_error err = {0};
    const uint64_t start_ns = perf_now_ns();
    tc_status status =
        tc_call(caller->client->ep, caller->fn, NULL, 0, &answer, &size, PATIENCE_NS, &err);
    *ns_out = perf_now_ns() - start_ns;
    if (status != TC_OK)
        return complain("call", &err);
    if (size != sizeof answer || answer.calls > caller->expected) {
        (void)fprintf(stderr, "tc-perf: upgrades: found %llu calls counted, expected %llu\n",
                      (unsigned long long)answer.calls, (unsigned long long)caller->expected);
        return false;
    }
    caller->client->run->board->upgrade_lost[turn] += caller->expected - answer.calls;
    caller->expected = answer.calls + 1;
    return true;
}

static bool call_and_note(upgrade_caller *caller, uint32_t turn)
{
    library_board *board = caller->client->run->board;
    uint64_t ns;
    if (!call(caller, turn, &ns))
        return false;
    if (board->upgrade_calls[turn] < UPGRADE_CALLS_MAX)
        board->upgrade_ns[turn][board->upgrade_calls[turn]++] = ns;
    return true;
}

/* One of `upgrades`, and the calls from it to the next. The push has no end of its own for the
 * caller: where it takes longer than these calls, more follow. */
static bool run_interval(upgrade_caller *caller, uint32_t turn)
{
    library_board *board = caller->client->run->board;
    const uint64_t calls = caller->client->run->options->iterations;
    const uint64_t given_up_ns = perf_now_ns() + PATIENCE_NS;
    if (turn == UPGRADE_BUSY)
        atomic_fetch_add(&board->upgrades_wanted, 1);
    for (uint64_t i = 0;
         i < calls || atomic_load(&board->upgrades) < atomic_load(&board->upgrades_wanted);
         i++) {
        if (!call_and_note(caller, turn))
            return false;
        if (perf_now_ns() > given_up_ns) {
            (void)fprintf(stderr, "tc-perf: upgrades: waited in vain\n");
            return false;
        }
    }
    return true;
}

static bool run_turn(upgrade_caller *caller, uint32_t turn, unsigned upgrades)
{
    atomic_store(&caller->client->run->board->turn, turn);
    while (upgrades-- > 0) {
        if (!run_interval(caller, turn))
            return false;
    }
    return true;
}

static bool call_in_turns(upgrade_client *client)
{
    library_board *board = client->run->board;
    const unsigned rounds = client->run->options->rounds;
    upgrade_caller caller = {.client = client, .expected = 1};
    tc_error err = {0};
    uint64_t ns;
    if (!await(&board->upgrades, 1))
        return false;
    if (library_open_user(client->context, client->archive, client->size, "tc:catalogue", 0,
                          &caller.fn, &err) != TC_OK)
        return complain("consult", &err);
    bool ok = call(&caller, UPGRADE_QUIET, &ns);
    atomic_store(&board->upgrades_wanted, 1);
    for (unsigned round = 0; ok && round < rounds; round++) {
        const unsigned upgrades = UPGRADES * (round + 1) / rounds - UPGRADES * round / rounds;
        ok = run_turn(&caller, UPGRADE_QUIET, upgrades) &&
             run_turn(&caller, UPGRADE_BUSY, upgrades);
    }
    tc_ifunc_close(caller.fn);
    atomic_store(&board->turn, ENDED);
    return ok;
}

static bool run_caller(void *user)
{
    return run_client(user, "consult", call_in_turns);
}

/* --- the upgrading side--------------------------------------------------------------- */

static bool push_next(upgrade_client *client)
{
    library_board *board = client->run->board;
    tc_error err = {0};
    tc_library *library = NULL;
    if (library_open_new(client->context, client->archive, client->size,
                         atomic_load(&board->upgrades), &library, &err) != TC_OK)
        return complain("catalogue", &err);
    bool ok = tc_library_push(client->ep, library, PATIENCE_NS, &err) == TC_OK ||
              complain("push", &err);
    tc_library_close(library);
    atomic_fetch_add(&board->upgrades, 1);
    return ok;
}

static bool push_in_turns(upgrade_client *client)
{
    library_board *board = client->run->board;
    bool ok = push_next(client);
    while (ok && atomic_load(&board->turn) != ENDED) {
        if (atomic_load(&board->upgrades) < atomic_load(&board->upgrades_wanted))
            ok = push_next(client);
        (void)tc_progress(client->context);
        (void)usleep(LOOK_PAUSE_US);
    }
    return ok;
}

static bool run_upgrader(void *user)
{
    return run_client(user, "catalogue", push_in_turns);
}

bool library_upgrades_run(library_run *run)
{
    static bool (*const roles[ROLES])(void *user) = {run_node, run_caller, run_upgrader};
    const uint64_t *calls = run->board->upgrade_calls;
    if (!perf_process_run_all(roles, ROLES, run))
        return false;
    if (calls[UPGRADE_QUIET] > 0 && calls[UPGRADE_BUSY] > 0)
        return true;
    (void)fprintf(stderr,
                  "tc-perf: upgrades: found %llu calls while quiet and %llu beside "
                  "upgrades, expected some\n",
                  (unsigned long long)calls[UPGRADE_QUIET],
                  (unsigned long long)calls[UPGRADE_BUSY]);
    return false;
}
