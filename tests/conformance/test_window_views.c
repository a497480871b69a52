/* Windows that another context maps. */
#include "../shipped/peruse_view.h"
#include "base/clock.h"
#include "window_pair.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <tc/call.h>
#include <tc/window_view.h>
#include <unistd.h>

#define WORDS 1000u
#define BYTES (WORDS * sizeof(uint64_t) + 3)

/* Opens shared memory to the pair's endpoint. */
static tc_gptr share(window_pair *w, uint32_t rights, uint64_t **memory_out)
{
    const tc_window_params params = {
        .bytes = BYTES, .rights = rights, .peer = window_pair_peer(w), .shared = 1};
    const tc_gptr at = window_pair_window(w, &params);
    pair_pause(&w->p);
    *memory_out = tc_window_memory(w->p.target, at);
    pair_resume(&w->p);
    assert_non_null(*memory_out);
    return at;
}

static const tc_window_view *map(window_pair *w, tc_gptr at)
{
    const tc_window_view *view = NULL;
    tc_error error = {0};
    must(tc_window_map(w->p.ep, at, PAIR_TIMEOUT_NS, &view, &error), &error, "map");
    return view;
}

WINDOW_TEST(words_are_shared)
{
    uint64_t *memory, value = 0;
    const tc_gptr at = share(w, WINDOW_ALL, &memory);
    const tc_window_view *view = map(w, at);
    assert_int_equal(view->bytes, BYTES);
    for (uint64_t i = 0; i < WORDS; i++) {
        __atomic_store_n(memory + i, i * i, __ATOMIC_RELEASE);
        assert_ok(tc_window_view_get(view, i * 8, &value));
        assert_true(value == i * i);
        assert_ok(tc_window_view_put(view, i * 8, i));
        assert_true(__atomic_load_n(memory + i, __ATOMIC_ACQUIRE) == i);
    }
    /* Operations by messages mix with them. */
    assert_ok(tc_window_view_fetch_add(view, 8, 5, &value));
    assert_true(value == 1);
    assert_ok(
        tc_window_fetch_add(w->p.ep, tc_gptr_add(at, 8), 1, &value, PAIR_TIMEOUT_NS, NULL));
    assert_true(value == 6);
    assert_ok(tc_window_view_compare_swap(view, 8, 7, 70, &value));
    assert_true(value == 7);
    assert_ok(tc_window_view_compare_swap(view, 8, 7, 71, &value));
    assert_true(value == 70);
    assert_ok(tc_window_get(w->p.ep, tc_gptr_add(at, 8), &value, 8, PAIR_TIMEOUT_NS, NULL));
    assert_true(value == 70);
    assert_ok(tc_window_unmap(w->p.source, view));
}

WINDOW_TEST(words_outside_are_refused)
{
    uint64_t *memory, value = 7;
    const tc_window_view *view = map(w, share(w, WINDOW_ALL, &memory));
    static const uint64_t offsets[] = {
        WORDS * 8,  WORDS * 8 + 8, 1, 4, 7, WORDS * 8 - 4, 1ull << 63,
        UINT64_MAX, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        assert_status(tc_window_view_get(view, offsets[i], &value), TC_E_INVALID);
        assert_status(tc_window_view_put(view, offsets[i], 1), TC_E_INVALID);
        assert_status(tc_window_view_fetch_add(view, offsets[i], 1, &value), TC_E_INVALID);
        assert_status(tc_window_view_compare_swap(view, offsets[i], 0, 1, &value),
                      TC_E_INVALID);
    }
    assert_true(value == 7);
    assert_non_null(tc_window_view_at(view, 0, BYTES));
    assert_non_null(tc_window_view_at(view, BYTES, 0));
    assert_null(tc_window_view_at(view, 0, BYTES + 1));
    assert_null(tc_window_view_at(view, BYTES, 1));
    assert_null(tc_window_view_at(view, 8, UINT64_MAX));
    assert_null(tc_window_view_at(view, UINT64_MAX, 8));
    assert_ok(tc_window_unmap(w->p.source, view));
}

/* Returns whether a child of this process that stores there is ended. */
static bool faults(const tc_window_view *view)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)signal(SIGSEGV, SIG_DFL);
        *(volatile uint64_t *)view->memory = 1;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

WINDOW_TEST(rights_are_those_of_the_window)
{
    uint64_t *memory, value;
    const tc_window_view *view = map(w, share(w, TC_WINDOW_READ, &memory));
    assert_ok(tc_window_view_get(view, 0, &value));
    assert_status(tc_window_view_put(view, 0, 1), TC_E_INVALID);
    assert_status(tc_window_view_fetch_add(view, 0, 1, &value), TC_E_INVALID);
    if (!TEST_EMULATED)
        assert_true(faults(view));
    const tc_window_view *atomic = map(w, share(w, TC_WINDOW_ATOMIC, &memory));
    assert_status(tc_window_view_get(atomic, 0, &value), TC_E_INVALID);
    assert_status(tc_window_view_put(atomic, 0, 1), TC_E_INVALID);
    assert_ok(tc_window_view_fetch_add(atomic, 0, 1, &value));
    assert_ok(tc_window_unmap(w->p.source, view));
    assert_ok(tc_window_unmap(w->p.source, atomic));
}

WINDOW_TEST(mapping_twice_is_one_view)
{
    uint64_t *memory, value = 0;
    const tc_gptr at = share(w, WINDOW_ALL, &memory);
    const tc_window_view *view = map(w, tc_gptr_add(at, 800));
    assert_ptr_equal(map(w, at), view);
    assert_ok(tc_window_unmap(w->p.source, view));
    assert_ok(tc_window_view_get(view, 0, &value));
    assert_ok(tc_window_unmap(w->p.source, view));
    assert_status(tc_window_unmap(w->p.source, view), TC_E_NOT_FOUND);
    assert_status(tc_window_unmap(w->p.target, view), TC_E_NOT_FOUND);
}

static void refuses(window_pair *w, tc_gptr at, tc_status status, const char *text)
{
    const tc_window_view *view = NULL;
    tc_error error = {0};
    assert_status(tc_window_map(w->p.ep, at, PAIR_TIMEOUT_NS, &view, &error), status);
    if (strstr(error.text, text) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", error.text, text);
    assert_null(view);
}

WINDOW_TEST(others_are_refused)
{
    uint64_t *memory;
    const tc_gptr at = share(w, WINDOW_ALL, &memory);
    tc_gptr forged = at;
    forged.generation++;
    refuses(w, forged, TC_E_NOT_FOUND, "is not open");
    refuses(w, w->at, TC_E_INVALID, "opened as shared");
    const tc_window_params stranger = {
        .bytes = BYTES, .rights = WINDOW_ALL, .identity = "uid:4000000000", .shared = 1};
    refuses(w, window_pair_window(w, &stranger), TC_E_REFUSED, "is not open to this peer");
    pair_pause(&w->p);
    assert_ok(tc_window_close(w->p.target, at));
    assert_null(tc_window_memory(w->p.target, at));
    pair_resume(&w->p);
    refuses(w, at, TC_E_NOT_FOUND, "is not open");
}

WINDOW_TEST(wrong_parameters_are_refused)
{
    tc_error error = {0};
    tc_gptr at;
    tc_window_params params = {.memory = w->memory,
                               .bytes = BYTES,
                               .rights = WINDOW_ALL,
                               .identity = "uid:1",
                               .shared = 1};
    assert_status(tc_window_open(w->p.source, &params, &at, &error), TC_E_INVALID);
    params.memory = NULL;
    params.shared = 2;
    assert_status(tc_window_open(w->p.source, &params, &at, &error), TC_E_INVALID);
    params.shared = 1;
    params.bytes = UINT64_MAX;
    assert_true(tc_window_open(w->p.source, &params, &at, &error) < 0);
    params.bytes = 1ull << 62;
    assert_status(tc_window_open(w->p.source, &params, &at, &error), TC_E_NO_MEMORY);
}

/* A lock, and two words that have the number of turns while it is free. */
#define TURNS 100u /* of each of both users */
#define BY_VIEW 1u
#define BY_CHAINS 2u

typedef struct view_user {
    const tc_window_view *view;
    const char *failure; /* or NULL */
} view_user;

static const char *take_by_view(const tc_window_view *view)
{
    const uint64_t deadline_ns = tci_clock_ns() + PAIR_TIMEOUT_NS;
    uint64_t *turns = tc_window_view_at(view, 8, 16);
    uint64_t before;
    for (unsigned i = 0; i < TURNS; i++) {
        do {
            (void)sched_yield();
            if (tc_window_view_compare_swap(view, 0, 0, BY_VIEW, &before) != TC_OK ||
                tci_clock_ns() > deadline_ns)
                return "took no turn in time";
        } while (before != 0);
        if (turns[0] != turns[1])
            return "a turn was seen in part";
        turns[0]++;
        turns[1]++;
        if (tc_window_view_put(view, 0, 0) != TC_OK)
            return "could not free the lock";
    }
    return NULL;
}

static void *use_view(void *argument)
{
    view_user *user = argument;
    user->failure = take_by_view(user->view);
    return NULL;
}

static bool take_by_chain(const window_pair *w, tc_gptr at, uint64_t turns[2])
{
    uint64_t before = 0;
    uint32_t succeeded = 0;
    tc_error error = {0};
    tc_window_step steps[] = {tc_window_step_compare_swap(at, 0, BY_CHAINS, &before),
                              tc_window_step_get(tc_gptr_add(at, 8), turns, 16)};
    steps[1].condition = TC_WINDOW_IF_SUCCEEDED;
    must(tc_window_chain(w->p.ep, steps, 2, PAIR_TIMEOUT_NS, &succeeded, &error), &error,
         "take");
    return succeeded == 3;
}

static void free_by_chain(const window_pair *w, tc_gptr at, const uint64_t turns[2])
{
    static const uint64_t nobody = 0;
    tc_error error = {0};
    const tc_window_step steps[] = {tc_window_step_put(tc_gptr_add(at, 8), turns, 16),
                                    tc_window_step_put(at, &nobody, 8)};
    must(tc_window_chain(w->p.ep, steps, 2, PAIR_TIMEOUT_NS, NULL, &error), &error, "free");
}

WINDOW_TEST(a_lock_passes_between_a_view_and_chains)
{
    uint64_t *memory, turns[2] = {0};
    pthread_t thread;
    const tc_gptr at = share(w, WINDOW_ALL, &memory);
    view_user user = {.view = map(w, at)};
    const uint64_t deadline_ns = tci_clock_ns() + PAIR_TIMEOUT_NS;
    assert_int_equal(pthread_create(&thread, NULL, use_view, &user), 0);
    for (unsigned i = 0; i < TURNS; i++) {
        while (!take_by_chain(w, at, turns))
            assert_true(tci_clock_ns() < deadline_ns);
        assert_true(turns[0] == turns[1]);
        turns[0]++;
        turns[1]++;
        free_by_chain(w, at, turns);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (user.failure != NULL)
        fail_msg("%s", user.failure);
    const uint64_t *last = tc_window_view_at(user.view, 0, 24);
    assert_true(last[0] == 0 && last[1] == 2 * TURNS && last[2] == 2 * TURNS);
    assert_ok(tc_window_unmap(w->p.source, user.view));
}

/* The memory stays with the peers that have mapped it. */
WINDOW_TEST(a_view_outlives_its_owner)
{
    uint64_t *memory, value = 0;
    const tc_gptr at = share(w, WINDOW_ALL, &memory);
    const tc_window_view *view = map(w, at);
    assert_ok(tc_window_view_put(view, 16, 42));
    pair_pause(&w->p);
    tc_context_destroy(w->p.target);
    w->p.target = test_context(NULL);
    pair_resume(&w->p);
    assert_ok(tc_window_view_get(view, 16, &value));
    assert_true(value == 42);
}

/* A shipped function that waits maps its sender's window; others use it afterwards. */
WINDOW_TEST(functions_use_views)
{
    static const tc_window_params params = {.bytes = BYTES, .rights = WINDOW_ALL, .shared = 1};
    tc_ifunc *fn = pair_ifunc(&w->p, "peruse_view");
    tc_window_params own = params;
    peruse_view_order order = {.words = WORDS};
    uint64_t expected = 0, answer = 0;
    tc_error error = {0};
    own.peer = w->p.ep;
    must(tc_window_open(w->p.source, &own, &order.at, &error), &error, "window");
    uint64_t *memory = tc_window_memory(w->p.source, order.at);
    for (uint64_t i = 0; i < WORDS; i++)
        expected += memory[i] = i * 3;
    for (unsigned i = 0; i < 5; i++) {
        size_t size = sizeof answer;
        must(
            tc_call(w->p.ep, fn, &order, sizeof order, &answer, &size, PAIR_TIMEOUT_NS, &error),
            &error, "call");
        assert_true(answer == expected);
    }
    assert_true(memory[WORDS - 1] == (WORDS - 1) * 3 + 5); /* each has added 1 afterwards */
}
