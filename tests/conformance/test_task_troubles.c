/* Functions that wait, in trouble: peers that never answer or open too many, endpoints, windows
 * and code that go away, forks, callbacks, injected messages, read-only payloads. */
#include "../shipped/patient.h"
#include "../support/pair.h"
#include "../support/shipped_library.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "context/context_object.h"
#include "modules/tasks/tasks_state.h"

#include <sched.h>
#include <sys/wait.h>
#include <tc/call.h>
#include <tc/task.h>
#include <unistd.h>

#define MS 1000000ull
#define LONG_NS (3600 * 1000 * MS)

static size_t waiting(pair *p)
{
    pair_pause(p);
    const size_t count = tc_task_count(p->target);
    pair_resume(p);
    return count;
}

static check_state state_of(pair *p)
{
    pair_pause(p);
    const check_state state = p->target_state;
    pair_resume(p);
    return state;
}

static void await_waiting(pair *p, size_t count)
{
    while (waiting(p) != count) {
        (void)tc_progress(p->source);
        sched_yield();
    }
}

static void send_order(tc_ep *ep, tc_ifunc *fn, patient_order order)
{
    assert_ok(pair_send(ep, fn, &order, sizeof order));
}

static tc_status ask(tc_ep *ep, tc_ifunc *fn, patient_order order, uint64_t *answer,
                     tc_error *error)
{
    size_t size = sizeof *answer;
    return tc_call(ep, fn, &order, sizeof order, answer, &size, PAIR_TIMEOUT_NS, error);
}

/* The endpoint goes on: a function runs and answers. */
static void expect_answer(tc_ep *ep, tc_ifunc *fn)
{
    uint64_t wrong = 1;
    tc_error error = {0};
    must(ask(ep, fn, (patient_order){.kind = PATIENT_STACK, .depth = 100}, &wrong, &error),
         &error, "call");
    assert_int_equal(wrong, 0);
}

/* --- peers -------------------------------------------------------------------------------- */

/* TASK_CROWD is the number of messages; by default the table is nearly full. */
PAIR_TEST(a_peer_that_opens_too_many_is_refused)
{
    enum { SPACE = 4000 };
    const char *crowd = getenv("TASK_CROWD");
    const size_t many = crowd != NULL ? strtoull(crowd, NULL, 10) : SPACE;
    const size_t taken = crowd != NULL ? 0 : TCI_TASKS_MAX - SPACE;
    const size_t most = (TCI_TASKS_MAX - taken) / 4 * 3;
    tc_ifunc *fn = pair_ifunc(p, "patient");
    tc_ifunc *doubled = pair_ifunc(p, "doubled");
    tc_ep *other = pair_connect(p);
    pair_pause(p);
    tci_tasks_of(&p->target->core)->count += taken;
    pair_resume(p);
    for (size_t i = 0; i < many; i++)
        send_order(other, fn, (patient_order){.kind = PATIENT_STAY, .ns = LONG_NS});
    pair_flush(other);
    assert_int_equal(waiting(p), taken + (many < most ? many : most));
    assert_int_equal(state_of(p).replies, many < most ? 0 : many - most);
    expect_answer(p->ep, fn);
    assert_ok(pair_send(other, doubled, "ab", 2)); /* that does not wait */
    pair_flush(other);
    assert_int_equal(state_of(p).next, many + 2);
    tc_ep_close(other);
    await_waiting(p, taken);
    expect_answer(p->ep, fn);
    pair_pause(p);
    tci_tasks_of(&p->target->core)->count -= taken;
    pair_resume(p);
}

/* The peer is alive, but makes no turn. */
TEST(a_peer_that_never_answers)
{
    enum { MANY = 300 };
    pair p;
    tc_error error = {0};
    tc_ep *ep;
    pair_open_as(&p, NULL, (const char *const[]){"call_timeout", "300ms", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "patient");
    tc_context *other = test_context(NULL);
    must(tc_ep_connect(other, p.host_port, PAIR_TIMEOUT_NS, &ep, &error), &error, "connect");
    tc_ifunc *others_fn;
    must(tc_ifunc_open(other, "patient", &others_fn, &error), &error, "patient");
    for (unsigned i = 0; i < MANY; i++)
        send_order(p.ep, fn, (patient_order){.kind = PATIENT_NEST, .depth = 1});
    pair_flush(p.ep);
    while (waiting(&p) > 0 || state_of(&p).bytes < MANY)
        expect_answer(ep, others_fn);
    assert_int_equal(state_of(&p).bytes, state_of(&p).next);
    tc_ep_close(ep);
    tc_context_destroy(other);
    pair_close(&p);
}

/* --- ends --------------------------------------------------------------------------------- */

/* The side on which the functions wait closes. */
PAIR_TEST(the_side_that_waits_closes)
{
    enum { MANY = 100 };
    tc_ifunc *fn = pair_ifunc(p, "patient");
    tc_ep *other = pair_connect(p);
    tc_error error;
    for (unsigned i = 0; i < MANY; i++)
        send_order(other, fn, (patient_order){.kind = PATIENT_STAY, .ns = LONG_NS});
    pair_flush(other);
    assert_int_equal(waiting(p), MANY);
    pair_pause(p);
    for (tc_ep *ep = p->target->core.first; ep != NULL; ep = ep->next) {
        if (ep->tasks != NULL) {
            tc_ep_close(ep);
            break;
        }
    }
    assert_int_equal(tc_task_count(p->target), 0);
    assert_int_equal(p->target_state.replies, MANY);
    pair_resume(p);
    while (tc_ep_error(other, &error) == TC_OK)
        (void)tc_wait(p->source, MS);
    assert_int_equal(error.status, TC_E_CLOSED);
    tc_ep_close(other);
    expect_answer(p->ep, fn);
}

/* A function closes its endpoint and waits, and others wait on it: all return, and the endpoint
 * is closed then. */
PAIR_TEST(a_function_closes_its_own_endpoint)
{
    enum { MANY = 20 };
    tc_ifunc *fn = pair_ifunc(p, "patient");
    tc_ep *other = pair_connect(p);
    tc_error error;
    for (unsigned i = 0; i < MANY; i++)
        send_order(other, fn, (patient_order){.kind = PATIENT_STAY, .ns = LONG_NS});
    send_order(other, fn, (patient_order){.kind = PATIENT_CLOSE, .ns = LONG_NS});
    const time_t end = time(NULL) + 60;
    while (tc_ep_error(other, &error) == TC_OK && time(NULL) < end)
        (void)tc_wait(p->source, MS);
    assert_status(tc_ep_error(other, &error), TC_E_CLOSED);
    await_waiting(p, 0);
    assert_int_equal(state_of(p).replies, MANY + 1);
    assert_int_equal(state_of(p).bytes, state_of(p).next);
    tc_ep_close(other);
    expect_answer(p->ep, fn);
}

/* A context that makes no turn once the target is connected to it. */
typedef struct third {
    tc_context *ctx;
    char host_port[32];
    check_state state;
    server server;
} third;

static unsigned progress_third(void *user)
{
    return tc_progress(((third *)user)->ctx);
}

static void third_open(third *t)
{
    tc_listener *listener;
    tc_error error = {0};
    memset(t, 0, sizeof *t);
    t->ctx = test_context(NULL);
    tc_context_set_target_args(t->ctx, &t->state);
    must(tc_listener_open(t->ctx, "127.0.0.1:0", &listener, &error), &error, "listener");
    (void)snprintf(t->host_port, sizeof t->host_port, "127.0.0.1:%u",
                   tc_listener_port(listener));
    server_start(&t->server, progress_third, t);
}

/* The target's functions call it by `other`. */
static void third_connect(third *t, pair *p, tc_ep **asked_out)
{
    tc_error error = {0};
    pair_pause(p);
    must(tc_ep_connect(p->target, t->host_port, PAIR_TIMEOUT_NS, asked_out, &error), &error,
         "connect");
    p->target_state.other = *asked_out;
    server_pause(&t->server);
    pair_resume(p);
}

static void third_close(third *t)
{
    server_resume(&t->server);
    server_stop(&t->server);
    tc_context_destroy(t->ctx);
}

/* Functions wait for the answers of another endpoint, and for credit there, when the program
 * closes it. */
PAIR_TEST(the_endpoint_that_is_asked_is_closed)
{
    enum { MANY = 20000 };
    tc_ifunc *fn = pair_ifunc(p, "patient");
    tc_ep *asked;
    third t;
    third_open(&t);
    third_connect(&t, p, &asked);
    for (unsigned i = 0; i < MANY; i++)
        send_order(p->ep, fn, (patient_order){.kind = PATIENT_RELAY});
    pair_flush(p->ep);
    assert_int_equal(waiting(p), MANY);
    pair_pause(p);
    p->target_state.other = NULL;
    tc_ep_close(asked);
    pair_resume(p);
    await_waiting(p, 0);
    assert_int_equal(state_of(p).replies, MANY);
    expect_answer(p->ep, fn);
    third_close(&t);
}

/* A child has no tasks, and ends without them. */
PAIR_TEST(a_fork_leaves_tasks_to_the_parent)
{
    enum { MANY = 50 };
    tc_ifunc *fn = pair_ifunc(p, "patient");
    int status;
    for (unsigned i = 0; i < MANY; i++)
        send_order(p->ep, fn, (patient_order){.kind = PATIENT_NAP, .ns = 400 * MS});
    pair_flush(p->ep);
    pair_pause(p);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)alarm(60);
        (void)tc_progress(p->target);
        tc_context_destroy(p->target);
        _exit(p->target_state.bytes == 0 ? 0 : 3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    pair_resume(p);
    await_waiting(p, 0);
    assert_int_equal(state_of(p).bytes, MANY);
    expect_answer(p->ep, fn);
}

/* --- windows ------------------------------------------------------------------------------ */

/* Each gets its word or the owner's answer that there is no such window. */
PAIR_TEST(a_window_closes_under_functions)
{
    enum { MANY = 200, FIRST = 20 };
    tc_ifunc *fn = pair_ifunc(p, "patient");
    tc_error error = {0};
    uint64_t *words = malloc(4096), answer;
    tc_gptr at;
    memset(words, 0x5a, 4096);
    const tc_window_params params = {
        .memory = words, .bytes = 4096, .rights = TC_WINDOW_READ, .peer = p->ep};
    must(tc_window_open(p->source, &params, &at, &error), &error, "window");
    for (unsigned i = 0; i < MANY; i++)
        send_order(p->ep, fn,
                   (patient_order){.kind = PATIENT_LATE, .ns = (1 + i % 20) * MS, .at = at});
    for (unsigned i = 0; i < FIRST; i++) {
        const patient_order late = {.kind = PATIENT_LATE, .ns = MS, .at = at};
        if (i == FIRST / 2) {
            assert_ok(tc_window_close(p->source, at));
            memset(words, 0xee, 4096);
            free(words);
        }
        const tc_status status = ask(p->ep, fn, late, &answer, &error);
        assert_status(status, i < FIRST / 2 ? TC_OK : TC_E_NOT_FOUND);
        assert_true(status != TC_OK || answer == 0x5a5a5a5a5a5a5a5a);
    }
    await_waiting(p, 0);
    expect_answer(p->ep, fn);
}

/* --- code --------------------------------------------------------------------------------- */

static void write_list(const char *path, const tc_ifunc *fn)
{
    uint8_t id[TC_IFUNC_ID_BYTES];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    if (fn != NULL)
        tc_ifunc_id(fn, id);
    for (size_t i = 0; fn != NULL && i < sizeof id; i++)
        (void)fprintf(file, "%02x", id[i]);
    (void)fprintf(file, "\n");
    assert_int_equal(fclose(file), 0);
}

/* The waits of a function that is revoked return, and it may return into its code. */
TEST(code_is_revoked_under_functions)
{
    enum { MANY = 40 };
    char list[] = "@/tmp/tc_tasks_revoked_XXXXXX";
    pair p;
    tc_error error = {0};
    const int fd = mkstemp(list + 1);
    assert_true(fd >= 0 && close(fd) == 0);
    pair_open_as(&p, NULL, (const char *const[]){"code_revoked", list, NULL});
    tc_ifunc *fn = pair_ifunc(&p, "patient"), *check = pair_ifunc(&p, "doubled");
    for (unsigned i = 0; i < MANY; i++)
        send_order(p.ep, fn, (patient_order){.kind = PATIENT_STAY, .ns = 100 * MS});
    pair_flush(p.ep);
    assert_int_equal(waiting(&p), MANY);
    write_list(list + 1, fn);
    pair_pause(&p);
    must(tc_context_reload_trust(p.target, &error), &error, "reload");
    pair_resume(&p);
    await_waiting(&p, 0);
    assert_int_equal(state_of(&p).replies, MANY);
    assert_status(ask(p.ep, fn, (patient_order){.kind = PATIENT_STACK}, &(uint64_t){0}, &error),
                  TC_E_REFUSED);
    assert_ok(pair_send(p.ep, check, "ab", 2));
    pair_flush(p.ep);
    assert_int_equal(state_of(&p).next, MANY + 1);
    write_list(list + 1, NULL);
    pair_pause(&p);
    must(tc_context_reload_trust(p.target, &error), &error, "reload");
    pair_resume(&p);
    pair_close(&p);
    (void)unlink(list + 1);
}

/* The library stays for those that wait in it. */
PAIR_TEST(a_library_is_withdrawn_under_functions)
{
    enum { MANY = 40 };
    tc_ifunc *lodger = pair_ifunc(p, "lodger");
    tc_error error = {0};
    const uint64_t ns = 200 * MS, none = 0;
    uint64_t version = 0;
    size_t size = sizeof version;
    shipped_library_push(p->ep, SHELF(1));
    for (unsigned i = 0; i < MANY; i++)
        assert_ok(pair_send(p->ep, lodger, &ns, sizeof ns));
    pair_flush(p->ep);
    assert_int_equal(waiting(p), MANY);
    must(shipped_library_try_withdraw(p->ep, "shelf1/shelf", &error), &error, "withdraw");
    await_waiting(p, 0);
    assert_int_equal(state_of(p).next, MANY);
    assert_int_equal(state_of(p).wrong, 0);
    shipped_library_push(p->ep, SHELF(2));
    must(tc_call(p->ep, lodger, &none, sizeof none, &version, &size, PAIR_TIMEOUT_NS, &error),
         &error, "call");
    assert_int_equal(version, 2);
}

/* --- other messages ----------------------------------------------------------------------- */

PAIR_TEST(callbacks_do_not_wait)
{
    tc_ifunc *fn = pair_ifunc(p, "patient");
    for (unsigned i = 0; i < 20; i++) {
        uint64_t busy = 0;
        tc_error error = {0};
        must(ask(p->ep, fn, (patient_order){.kind = PATIENT_BACK, .ns = MS / 4}, &busy, &error),
             &error, "call");
        assert_int_equal(busy, 1);
    }
    assert_int_equal(state_of(p).wrong, 0);
}

PAIR_TEST(injected_messages_do_not_wait)
{
    tc_ifunc *fn = pair_ifunc(p, "patient");
    const patient_order stay = {.kind = PATIENT_STAY, .ns = LONG_NS};
    const char *form = getenv("TC_FORM");
    tc_error error = {0};
    tc_status status;
    if (form != NULL && strcmp(form, "bitcode") == 0)
        return; /* then injected code, an image, is refused */
    expect_answer(p->ep, fn);
    send_order(p->ep, fn, (patient_order){.kind = PATIENT_NAP, .ns = 300 * MS});
    for (unsigned i = 0; i < 10; i++) {
        while ((status = tc_send_injected(p->ep, fn, &stay, sizeof stay)) == TC_E_AGAIN)
            (void)tc_progress(p->source);
        must(status, &error, "injected");
    }
    pair_flush(p->ep);
    if (tc_ep_refusal(p->ep, &error) > 0)
        fail_msg("%s", error.text);
    assert_int_equal(state_of(p).replies, 10);
    await_waiting(p, 0);
    expect_answer(p->ep, fn);
}

/* A function that waits has a copy of its own, which it may write to. */
TEST(payloads_of_read_only_rings)
{
    static const size_t sizes[] = {0, 100, 3000, 70000, 900000};
    pair p;
    tc_error error = {0};
    pair_open_as(&p, NULL, (const char *const[]){"payload", "readonly", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "patient");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t bytes = sizeof(patient_order) + sizes[i], size = bytes;
        uint8_t *sent = malloc(bytes), *got = malloc(bytes);
        const patient_order order = {.kind = PATIENT_NAP, .ns = MS};
        check_fill(sent, i, bytes);
        memcpy(sent, &order, sizeof order);
        for (unsigned k = 0; k < 10; k++)
            assert_ok(pair_send(p.ep, fn, sent, bytes));
        must(tc_call(p.ep, fn, sent, bytes, got, &size, PAIR_TIMEOUT_NS, &error), &error,
             "call");
        assert_int_equal(size, bytes);
        assert_memory_equal(got, sent, bytes);
        free(sent);
        free(got);
    }
    await_waiting(&p, 0);
    pair_close(&p);
}
