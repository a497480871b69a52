/* MPI's synchronisation calls, in front of MPI's own.
 *
 * Each looks for the window first. Without active messages in it the call is MPI's. Otherwise
 * those of this process end before MPI's call ends the epoch, or flushes; their failure is
 * raised after it, so MPI's own state is as the program expects it. The additions to MPI's
 * synchronisation are those of docs/decisions/mpi-active-messages.md: MPI sees no operation in
 * an active message, so it may delay synchronisation that an operation would need. */
#include "mpix_open.h"
#include "mpix_types.h"
#include "mpix_window.h"

#include <stdlib.h>

#define POST_TAG 1

/* Without active messages a call costs a load and a branch: the rest is behind calls. */
#define COLD __attribute__((noinline, cold))

static int is_concurrent(int assertion)
{
    return (assertion & MPIX_MODE_CONCURRENT_AM) != 0;
}

static int of_mpi(int assertion)
{
    return assertion & ~MPIX_MODE_CONCURRENT_AM;
}

/* Reports a failure that completing found, unless MPI had an error itself. */
static int report(const tcm_window *window, int code, tc_status status, const tc_error *err)
{
    if (code != MPI_SUCCESS || status == TC_OK)
        return code;
    return tcm_error_win(window->win, tcm_error_class(status), "active message: %s", err->text);
}

/* --- fence -------------------------------------------------------------------------------- */

static COLD int fence(int assertion, MPI_Win win)
{
    tcm_window *window = tcm_window_search(win);
    tc_error err;
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPI_Win_fence");
    if (window == NULL)
        return PMPI_Win_fence(of_mpi(assertion), win);
    tc_status status = tcm_window_complete(window, TC_RANK_NONE, &err);
    int code = PMPI_Win_fence(of_mpi(assertion), win);
    /* No other process's active message comes before this process's fence. */
    if (code == MPI_SUCCESS)
        code = PMPI_Barrier(window->comm);
    tcm_epoch_fence(&window->epoch, (assertion & MPI_MODE_NOSUCCEED) == 0,
                    is_concurrent(assertion));
    return report(window, code, status, &err);
}

TC_API int MPI_Win_fence(int assertion, MPI_Win win)
{
    return tcm_window_any() ? fence(assertion, win) : PMPI_Win_fence(of_mpi(assertion), win);
}

/* --- start, post, wait -------------------------------------------------------------------- */

/* The window's ranks of a group; NULL for an empty group. */
static int *ranks_of(const tcm_window *window, MPI_Group group, int *count_out)
{
    *count_out = 0;
    if (PMPI_Group_size(group, count_out) != MPI_SUCCESS || *count_out <= 0)
        return NULL;
    int *ranks = calloc((size_t)*count_out, 2 * sizeof *ranks);
    for (int i = 0; ranks != NULL && i < *count_out; i++)
        ranks[*count_out + i] = i;
    if (ranks == NULL ||
        PMPI_Group_translate_ranks(group, *count_out, ranks + *count_out,
                                   window->runtime->processes, ranks) != MPI_SUCCESS) {
        free(ranks);
        *count_out = 0;
        return NULL;
    }
    return ranks;
}

static COLD int start(MPI_Group group, int assertion, MPI_Win win)
{
    tcm_window *window = tcm_window_search(win);
    int count = 0, code;
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPI_Win_start");
    if (window == NULL)
        return PMPI_Win_start(group, of_mpi(assertion), win);
    code = PMPI_Win_start(group, of_mpi(assertion), win);
    if (code != MPI_SUCCESS)
        return code;
    int *ranks = ranks_of(window, group, &count);
    for (int i = 0; (assertion & MPI_MODE_NOCHECK) == 0 && code == MPI_SUCCESS && i < count;
         i++)
        code =
            PMPI_Recv(NULL, 0, MPI_BYTE, ranks[i], POST_TAG, window->comm, MPI_STATUS_IGNORE);
    tcm_epoch_start(&window->epoch, ranks, count, is_concurrent(assertion));
    free(ranks);
    return code;
}

TC_API int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win)
{
    return tcm_window_any() ? start(group, assertion, win)
                            : PMPI_Win_start(group, of_mpi(assertion), win);
}

static COLD int post(MPI_Group group, int assertion, MPI_Win win)
{
    tcm_window *window = tcm_window_search(win);
    int count = 0, code;
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPI_Win_post");
    if (window == NULL)
        return PMPI_Win_post(group, assertion, win);
    code = PMPI_Win_post(group, assertion, win);
    if (code != MPI_SUCCESS || (assertion & MPI_MODE_NOCHECK) != 0)
        return code;
    int *ranks = ranks_of(window, group, &count);
    window->post_count = 0;
    for (int i = 0; code == MPI_SUCCESS && i < count && i < (int)window->size; i++) {
        code =
            PMPI_Isend(NULL, 0, MPI_BYTE, ranks[i], POST_TAG, window->comm, &window->posts[i]);
        window->post_count += code == MPI_SUCCESS;
    }
    free(ranks);
    return code;
}

TC_API int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win)
{
    return tcm_window_any() ? post(group, assertion, win)
                            : PMPI_Win_post(group, assertion, win);
}

/* Their receivers have started, as they have completed. */
static int end_posts(tcm_window *window)
{
    int code = MPI_SUCCESS;
    for (int i = 0; code == MPI_SUCCESS && i < window->post_count; i++)
        code = PMPI_Wait(&window->posts[i], MPI_STATUS_IGNORE);
    window->post_count = 0;
    return code;
}

static COLD int wait_for(MPI_Win win)
{
    tcm_window *window = tcm_window_search(win);
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPI_Win_wait");
    if (window == NULL)
        return PMPI_Win_wait(win);
    int code = PMPI_Win_wait(win);
    return code == MPI_SUCCESS ? end_posts(window) : code;
}

TC_API int MPI_Win_wait(MPI_Win win)
{
    return tcm_window_any() ? wait_for(win) : PMPI_Win_wait(win);
}

static COLD int test_for(MPI_Win win, int *flag)
{
    tcm_window *window = tcm_window_search(win);
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPI_Win_test");
    if (window == NULL)
        return PMPI_Win_test(win, flag);
    int code = PMPI_Win_test(win, flag);
    return code == MPI_SUCCESS && *flag ? end_posts(window) : code;
}

TC_API int MPI_Win_test(MPI_Win win, int *flag)
{
    return tcm_window_any() ? test_for(win, flag) : PMPI_Win_test(win, flag);
}

/* --- locks -------------------------------------------------------------------------------- */

static COLD int lock(int lock_type, int rank, int assertion, MPI_Win win)
{
    tcm_window *window = tcm_window_search(win);
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPI_Win_lock");
    int code = PMPI_Win_lock(lock_type, rank, of_mpi(assertion), win);
    if (window != NULL && code == MPI_SUCCESS)
        tcm_epoch_lock(&window->epoch, rank, is_concurrent(assertion),
                       (assertion & MPI_MODE_NOCHECK) != 0);
    return code;
}

TC_API int MPI_Win_lock(int lock_type, int rank, int assertion, MPI_Win win)
{
    return tcm_window_any() ? lock(lock_type, rank, assertion, win)
                            : PMPI_Win_lock(lock_type, rank, of_mpi(assertion), win);
}

static COLD int lock_all(int assertion, MPI_Win win)
{
    tcm_window *window = tcm_window_search(win);
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPI_Win_lock_all");
    int code = PMPI_Win_lock_all(of_mpi(assertion), win);
    if (window != NULL && code == MPI_SUCCESS)
        tcm_epoch_lock_all(&window->epoch, is_concurrent(assertion),
                           (assertion & MPI_MODE_NOCHECK) != 0);
    return code;
}

TC_API int MPI_Win_lock_all(int assertion, MPI_Win win)
{
    return tcm_window_any() ? lock_all(assertion, win)
                            : PMPI_Win_lock_all(of_mpi(assertion), win);
}

/* --- unlock and flush: an active message that has ended at its origin has run at its target */

/* Completes those to one rank, then calls the function of MPI's own. ends: the rank's epoch
 * ends, too */
static COLD int complete_rank(int rank, MPI_Win win, int (*own)(int, MPI_Win), const char *name,
                              int ends)
{
    tcm_window *window = tcm_window_search(win);
    tc_error err;
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler(name);
    if (window == NULL || rank == MPI_PROC_NULL)
        return own(rank, win);
    tc_status status = tcm_window_complete(window, (uint32_t)rank, &err);
    if (ends)
        tcm_epoch_unlock(&window->epoch, rank);
    return report(window, own(rank, win), status, &err);
}

/* The same for all ranks. end: ends the epoch, or NULL */
static COLD int complete_all(MPI_Win win, int (*own)(MPI_Win), const char *name,
                             void (*end)(tcm_epoch *epoch))
{
    tcm_window *window = tcm_window_search(win);
    tc_error err;
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler(name);
    if (window == NULL)
        return own(win);
    tc_status status = tcm_window_complete(window, TC_RANK_NONE, &err);
    if (end != NULL)
        end(&window->epoch);
    return report(window, own(win), status, &err);
}

TC_API int MPI_Win_unlock(int rank, MPI_Win win)
{
    return tcm_window_any() ? complete_rank(rank, win, PMPI_Win_unlock, "MPI_Win_unlock", 1)
                            : PMPI_Win_unlock(rank, win);
}

TC_API int MPI_Win_flush(int rank, MPI_Win win)
{
    return tcm_window_any() ? complete_rank(rank, win, PMPI_Win_flush, "MPI_Win_flush", 0)
                            : PMPI_Win_flush(rank, win);
}

TC_API int MPI_Win_flush_local(int rank, MPI_Win win)
{
    return tcm_window_any()
               ? complete_rank(rank, win, PMPI_Win_flush_local, "MPI_Win_flush_local", 0)
               : PMPI_Win_flush_local(rank, win);
}

TC_API int MPI_Win_unlock_all(MPI_Win win)
{
    return tcm_window_any() ? complete_all(win, PMPI_Win_unlock_all, "MPI_Win_unlock_all",
                                           tcm_epoch_unlock_all)
                            : PMPI_Win_unlock_all(win);
}

TC_API int MPI_Win_complete(MPI_Win win)
{
    return tcm_window_any()
               ? complete_all(win, PMPI_Win_complete, "MPI_Win_complete", tcm_epoch_complete)
               : PMPI_Win_complete(win);
}

TC_API int MPI_Win_flush_all(MPI_Win win)
{
    return tcm_window_any() ? complete_all(win, PMPI_Win_flush_all, "MPI_Win_flush_all", NULL)
                            : PMPI_Win_flush_all(win);
}

TC_API int MPI_Win_flush_local_all(MPI_Win win)
{
    return tcm_window_any()
               ? complete_all(win, PMPI_Win_flush_local_all, "MPI_Win_flush_local_all", NULL)
               : PMPI_Win_flush_local_all(win);
}

/* --- the end ------------------------------------------------------------------------------ */

TC_API int MPI_Finalize(void)
{
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPI_Finalize");
    tcm_runtime_close_all();
    tcm_types_fini();
    tcm_open_fini();
    return PMPI_Finalize();
}
