/* Over shared memory a message costs no allocation and no system call, whatever protects the
 * target. Both sides run in this thread meanwhile, where both are counted. */
#include "../support/pair.h"
#include "../support/signed_pair.h"
#include "../support/test.h"
#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

#define TURNS 64u
#define MESSAGES 20u /* in a turn */
#define PAYLOAD_MAX 300u
/* One in 64 of both sides' turns polls descriptors and deadlines. */
#define HOUSEKEEPING_TURNS 4u

/* Volatile, as a compiler knows that malloc changes none of the program's variables. */
static _Thread_local volatile bool counts;
static volatile unsigned allocations;

#if !TCI_SANITIZED
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

/* Replaces the C library's, for all that this program links. */
void *malloc(size_t size)
{
    allocations += counts;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations += counts;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    allocations += counts;
    return __libc_realloc(old, size);
}
#endif

/* --- system calls ------------------------------------------------------------------------ */

#if defined(PR_SET_SYSCALL_USER_DISPATCH) && defined(__x86_64__)
#define ALLOW SYSCALL_DISPATCH_FILTER_ALLOW
#define BLOCK SYSCALL_DISPATCH_FILTER_BLOCK

static volatile char selector = ALLOW;
static volatile unsigned turns_with_calls;

/* The first of a turn: it is interrupted, and those behind it go through. */
static void on_call(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    (void)number, (void)info;
    selector = ALLOW;
    turns_with_calls++;
    at->uc_mcontext.gregs[REG_RAX] = -EINTR;
}

static bool watch_calls(void)
{
    const struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};
    return !TCI_SANITIZED && sigaction(SIGSYS, &action, NULL) == 0 &&
           prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector) == 0;
}

static void leave_calls(void)
{
    (void)prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
}
#else
#define ALLOW 0
#define BLOCK 1
static char selector;
static unsigned turns_with_calls;

static bool watch_calls(void)
{
    return false;
}

static void leave_calls(void)
{
}
#endif

/* --- messages ---------------------------------------------------------------------------- */

/* Nothing is asserted meanwhile, since that prints. */
static unsigned turn(pair *p, tc_ifunc *fn, uint64_t first, size_t size)
{
    uint8_t payload[PAYLOAD_MAX];
    unsigned sent = 0;
    for (unsigned i = 0; i < MESSAGES; i++) {
        check_fill(payload, first + i, size);
        sent += tc_send(p->ep, fn, payload, size) == TC_OK;
    }
    (void)tc_progress(p->target);
    (void)tc_progress(p->source);
    return sent;
}

static void expect_fast(pair *p, tc_ifunc *fn, size_t size)
{
    unsigned sent = 0;
    uint64_t next = 0;
    for (; next < MESSAGES; next++) /* the code travels, and is loaded */
        pair_send_check(p->ep, fn, next, size);
    pair_flush(p->ep);
    pair_pause(p);
    const bool watched = watch_calls();
    allocations = turns_with_calls = 0;
    counts = true;
    for (unsigned i = 0; i < TURNS; i++, next += MESSAGES) {
        selector = watched ? BLOCK : ALLOW;
        sent += turn(p, fn, next, size);
    }
    selector = ALLOW;
    counts = false;
    if (watched)
        leave_calls();
    pair_resume(p);
    pair_flush(p->ep);
    assert_int_equal(sent, TURNS * MESSAGES);
    assert_int_equal(p->target_state.next, next);
    assert_int_equal(p->target_state.wrong, 0);
    assert_int_equal(allocations, 0);
    assert_in_range(turns_with_calls, 0, HOUSEKEEPING_TURNS);
    if (!watched)
        print_message("system calls are not counted here\n");
}

/* Checks that the counter works. */
TEST(what_is_done_is_counted)
{
    if (TCI_SANITIZED)
        skip();
    const bool watched = watch_calls();
    allocations = turns_with_calls = 0;
    counts = true;
    void *volatile block = malloc(1);
    counts = false;
    selector = watched ? BLOCK : ALLOW;
    (void)getppid();
    selector = ALLOW;
    if (watched)
        leave_calls();
    free(block);
    assert_int_equal(allocations, 1);
    assert_int_equal(turns_with_calls, watched);
}

PAIR_TEST(messages_allocate_nothing_and_call_nobody)
{
    expect_fast(p, pair_ifunc(p, "check"), 16);
}

PAIR_TEST(nor_do_messages_of_several_lines)
{
    expect_fast(p, pair_ifunc(p, "check"), PAYLOAD_MAX);
}

/* Progresses both sides, until the target has run that many messages. */
static void run_all(pair *p, uint64_t messages)
{
    const uint64_t begun_ns = tci_clock_ns();
    while (p->target_state.next < messages) {
        assert_true(tci_clock_ns() - begun_ns < PAIR_TIMEOUT_NS);
        (void)tc_progress(p->target);
        (void)tc_progress(p->source);
    }
}

/* The frames of each size but the first ones wait in a ring of their own, or for their signals.
 * More than eight of each kind gather, with other kinds between them. */
PAIR_TEST(messages_of_every_size_gather_in_their_order)
{
    static const size_t sizes[] = {8, 49, 64, 100, 8, 320, 321, 16, 200, 48, 0, 64, 64, 500};
    uint8_t payload[500];
    uint64_t n = 1;
    tc_ifunc *fn = pair_ifunc(p, "check");
    pair_send_check(p->ep, fn, 0, 8);
    pair_flush(p->ep);
    pair_pause(p);
    for (unsigned same = 1; same <= 20; same++) {
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            for (unsigned j = 0; j < same; j++, n++) {
                check_fill(payload, n, sizes[i]);
                assert_status(tc_send(p->ep, fn, payload, sizes[i]), TC_OK);
            }
        }
        run_all(p, n);
    }
    pair_resume(p);
    pair_flush(p->ep);
    assert_int_equal(p->target_state.next, n);
    assert_int_equal(p->target_state.wrong, 0);
}

/* The counters of the endpoint know them meanwhile, and the loss of the peer counts them. */
PAIR_TEST(what_gathers_is_counted)
{
    tc_ep_info before, after;
    uint8_t payload[100];
    tc_ifunc *fn = pair_ifunc(p, "check");
    pair_send_check(p->ep, fn, 0, 8);
    pair_flush(p->ep);
    pair_pause(p);
    tc_ep_query(p->ep, &before);
    for (unsigned n = 1; n <= 5; n++) {
        check_fill(payload, n, sizeof payload);
        assert_status(tc_send(p->ep, fn, payload, sizeof payload), TC_OK);
    }
    tc_ep_query(p->ep, &after);
    assert_int_equal(after.sent_messages - before.sent_messages, 5);
    run_all(p, 6);
    pair_resume(p);
    pair_flush(p->ep);
}

TEST(nor_do_messages_of_signed_functions_under_rules)
{
    /* A sanitizer has the C library's functions in the program. */
    static const char rules[] =
        "allow @tchains *\nallow libc.so.6 *\nallow @program *\ndefault deny\n";
    char path[] = "/tmp/tc-test-XXXXXX", option[sizeof path + 1];
    signed_pair *s = signed_pair_begin();
    int fd = mkstemp(path);
    assert_int_equal(write(fd, rules, sizeof rules - 1), sizeof rules - 1);
    (void)close(fd);
    (void)snprintf(option, sizeof option, "@%s", path);
    signed_pair_open_with(s, NULL, "symbols", option);
    expect_fast(&s->pair, signed_pair_good(s), 16);
    signed_pair_end(s);
    (void)unlink(path);
}
