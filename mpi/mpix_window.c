#include "mpix_window.h"
#include "base/error_text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Atomic uint32_t tcm_window_count;

static tcm_window *_Atomic table[TCM_WINDOWS_MAX]; /* NULL: a free row */
static _Atomic uint32_t table_used;                /* rows above were never used */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

/* --- the table ---------------------------------------------------------------------------- */

tcm_window *tcm_window_search(MPI_Win win)
{
    uint32_t used = atomic_load_explicit(&table_used, memory_order_acquire);
    for (uint32_t row = 0; row < used; row++) {
        tcm_window *window = atomic_load_explicit(&table[row], memory_order_acquire);
        if (window != NULL && window->win == win)
            return window;
    }
    return NULL;
}

static int add(tcm_window *window)
{
    uint32_t row = 0;
    (void)pthread_mutex_lock(&table_lock);
    while (row < TCM_WINDOWS_MAX && table[row] != NULL) /* bound: TCM_WINDOWS_MAX */
        row++;
    if (row < TCM_WINDOWS_MAX) {
        atomic_store(&table[row], window);
        if (row >= table_used)
            atomic_store(&table_used, row + 1);
        atomic_fetch_add(&tcm_window_count, 1);
    }
    (void)pthread_mutex_unlock(&table_lock);
    return row < TCM_WINDOWS_MAX;
}

static void take_out(const tcm_window *window)
{
    (void)pthread_mutex_lock(&table_lock);
    for (uint32_t row = 0; row < table_used; row++) {
        if (table[row] == window) {
            atomic_store(&table[row], NULL);
            atomic_fetch_sub(&tcm_window_count, 1);
        }
    }
    (void)pthread_mutex_unlock(&table_lock);
}

void tcm_window_forget_op(MPI_Op op)
{
    (void)pthread_mutex_lock(&table_lock);
    for (uint32_t row = 0; row < table_used; row++) {
        tcm_window *window = table[row];
        for (uint32_t i = 0; window != NULL && i < window->op_count; i++) {
            if (window->ops[i].handle == op)
                window->ops[i].handle = MPI_OP_NULL;
        }
    }
    (void)pthread_mutex_unlock(&table_lock);
}

/* --- open and close ----------------------------------------------------------------------- */

static void free_window(tcm_window *window)
{
    tcm_epoch_fini(&window->epoch);
    if (window->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&window->comm);
    free(window->shares);
    free(window->posts);
    free(window);
}

static tcm_window *allocate(tcm_runtime *runtime, const tcm_window_plan *plan)
{
    tcm_window *window = calloc(1, sizeof *window);
    if (window == NULL)
        return NULL;
    window->win = MPI_WIN_NULL;
    window->comm = MPI_COMM_NULL;
    window->runtime = runtime;
    window->size = tc_group_size(runtime->group);
    window->unordered = plan->unordered;
    window->shares = calloc(window->size, sizeof *window->shares);
    window->posts = calloc(window->size, sizeof *window->posts);
    if (window->shares != NULL && window->posts != NULL &&
        tcm_epoch_init(&window->epoch, window->size))
        return window;
    free_window(window);
    return NULL;
}

static int open_am(tcm_window *window, const tcm_window_plan *plan, tc_error *err)
{
    tc_am_window_params params = {.memory = plan->shared ? NULL : plan->memory,
                                  .bytes = plan->bytes,
                                  .shared = plan->shared != 0,
                                  .unordered = plan->unordered};
    if (!tcm_runtime_lock(window->runtime, err))
        return 0;
    tc_status status =
        tc_am_window_open(window->runtime->ams, &params, TCM_FOREVER_NS, &window->am, err);
    tcm_runtime_unlock(window->runtime);
    return status == TC_OK;
}

tcm_window *tcm_window_open(MPI_Group processes, const tcm_window_plan *plan, tc_error *err)
{
    tcm_runtime *runtime = tcm_runtime_open(processes, err);
    if (runtime == NULL)
        return NULL;
    tcm_share share = {plan->bytes, (uint64_t)plan->unit, 0};
    tcm_window *window = allocate(runtime, plan);
    if (window == NULL) {
        (void)tci_error_set(err, TC_E_NO_MEMORY, "memory is missing");
    }
    if (!tcm_runtime_agree(runtime->comm, window != NULL, err) ||
        PMPI_Comm_dup(runtime->comm, &window->comm) != MPI_SUCCESS ||
        PMPI_Allgather(&share, sizeof share, MPI_BYTE, window->shares, sizeof share, MPI_BYTE,
                       window->comm) != MPI_SUCCESS ||
        !tcm_runtime_agree(window->comm, open_am(window, plan, err), err)) {
        if (window != NULL) {
            if (window->am != NULL)
                (void)tcm_window_close(window, err);
            else
                free_window(window);
        }
        return NULL;
    }
    return window;
}

int tcm_window_publish(tcm_window *window, MPI_Win win, tc_error *err)
{
    window->win = win;
    int well = add(window);
    if (!well) {
        (void)tci_error_set(err, TC_E_TOO_LARGE, "%u windows have active messages",
                            TCM_WINDOWS_MAX);
    }
    return tcm_runtime_agree(window->comm, well, err);
}

tc_status tcm_window_close(tcm_window *window, tc_error *err)
{
    tc_status status = tcm_window_complete(window, TC_RANK_NONE, err);
    take_out(window);
    tc_error closing = {TC_OK, ""};
    if (tcm_runtime_lock(window->runtime, &closing)) {
        closing.status = tc_am_window_close(window->am, TCM_FOREVER_NS, &closing);
        tcm_runtime_unlock(window->runtime);
    }
    if (status == TC_OK && closing.status != TC_OK) {
        *err = closing;
        status = closing.status;
    }
    free_window(window);
    return status;
}

/* --- use ---------------------------------------------------------------------------------- */

void tcm_window_start(tcm_window *window, uint32_t rank)
{
    window->started += window->shares[rank].started ? 0 : 1;
    window->shares[rank].started = 1;
}

/* Returns whether some to that rank, or to any, were started; they count as completed then. */
static int take_started(tcm_window *window, uint32_t rank)
{
    uint32_t before = window->started;
    if (rank != TC_RANK_NONE) {
        if (rank < window->size && window->shares[rank].started) {
            window->shares[rank].started = 0;
            window->started--;
        }
        return window->started != before;
    }
    for (uint32_t r = 0; window->started > 0 && r < window->size; r++) {
        window->started -= window->shares[r].started ? 1 : 0;
        window->shares[r].started = 0;
    }
    return before > 0;
}

tc_status tcm_window_complete(tcm_window *window, uint32_t rank, tc_error *err)
{
    if (take_started(window, rank)) {
        tc_error found = {TC_OK, ""};
        if (tcm_runtime_lock(window->runtime, &found)) {
            found.status = tc_am_flush(window->am, rank, TCM_FOREVER_NS, &found);
            tcm_runtime_unlock(window->runtime);
        }
        if (found.status != TC_OK && window->failure.status == TC_OK)
            window->failure = found;
    }
    if (window->failure.status == TC_OK)
        return TC_OK;
    *err = window->failure;
    window->failure.status = TC_OK;
    return err->status;
}

void *tcm_window_memory(const tcm_window *window)
{
    return tc_am_window_memory(window->am);
}
