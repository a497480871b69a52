/* The creation of windows, and the info key "am_ordering". A window with the key has active
 * messages from its creation on; MPI_Win_allocate then gives MPI memory of the library's.
 * Another one gets them with its first operation. The program pays for no more than the look at
 * the info. */
#include "mpix_info.h"
#include "mpix_open.h"
#include "mpix_window.h"

/* Raises an error of a creation at a communicator. */
static int fail(MPI_Comm comm, const tc_error *err)
{
    return tcm_error_comm(comm, tcm_error_class(err->status), "active messages: %s", err->text);
}

/* Asks the info. 0: no key. -1: a malformed one, and an error was raised. */
static int ask(MPI_Info info, MPI_Comm comm, uint32_t *unordered_out, int *code_out)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int found = 0;
    if (info == MPI_INFO_NULL ||
        PMPI_Info_get(info, "am_ordering", MPI_MAX_INFO_VAL, value, &found) != MPI_SUCCESS ||
        !found)
        return 0;
    if (tcm_info_read(value, unordered_out))
        return 1;
    *code_out =
        tcm_error_comm(comm, MPI_ERR_INFO_VALUE,
                       "am_ordering is \"%.80s\": expected \"none\", or some of sameop, "
                       "diffop and sameam, separated by commas",
                       value);
    return -1;
}

/* Gives a window of MPI's its active messages; frees it if that fails. */
static int add_messages(MPI_Win *win, MPI_Comm comm, uint32_t unordered)
{
    tc_error err = {TC_OK, ""};
    if (tcm_open_window(*win, unordered, &err) != NULL)
        return MPI_SUCCESS;
    PMPI_Win_free(win);
    return fail(comm, &err);
}

TC_API int MPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info,
                          MPI_Comm comm, MPI_Win *win)
{
    uint32_t unordered = 0;
    int code = MPI_SUCCESS, asked = ask(info, comm, &unordered, &code);
    if (asked < 0)
        return code;
    code = PMPI_Win_create(base, size, disp_unit, info, comm, win);
    if (code == MPI_SUCCESS)
        tcm_open_remember(*win, base);
    return code == MPI_SUCCESS && asked ? add_messages(win, comm, unordered) : code;
}

TC_API int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                                   void *baseptr, MPI_Win *win)
{
    uint32_t unordered = 0;
    int code = MPI_SUCCESS, asked = ask(info, comm, &unordered, &code);
    if (asked < 0)
        return code;
    code = PMPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win);
    return code == MPI_SUCCESS && asked ? add_messages(win, comm, unordered) : code;
}

/* MPI's window over the memory of the library's. */
static int cover(tcm_window *window, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                 MPI_Win *win)
{
    tc_error err = {TC_OK, ""};
    int code = PMPI_Win_create(tcm_window_memory(window), size, disp_unit, info, comm, win);
    if (code != MPI_SUCCESS) {
        (void)tcm_window_close(window, &err);
        return code;
    }
    if (tcm_window_publish(window, *win, &err))
        return MPI_SUCCESS;
    PMPI_Win_free(win);
    code = fail(comm, &err);
    (void)tcm_window_close(window, &err);
    return code;
}

TC_API int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                            void *baseptr, MPI_Win *win)
{
    tcm_window_plan plan = {NULL, (uint64_t)size, disp_unit, 1, 0};
    MPI_Group processes = MPI_GROUP_NULL;
    tc_error err = {TC_OK, ""};
    int code = MPI_SUCCESS, asked = ask(info, comm, &plan.unordered, &code);
    if (asked < 0)
        return code;
    if (!asked || size < 0 || disp_unit < 1)
        return PMPI_Win_allocate(size, disp_unit, info, comm, baseptr, win);
    code = PMPI_Comm_group(comm, &processes);
    if (code != MPI_SUCCESS)
        return code;
    tcm_window *window = tcm_window_open(processes, &plan, &err);
    PMPI_Group_free(&processes);
    if (window == NULL)
        return fail(comm, &err);
    code = cover(window, size, disp_unit, info, comm, win);
    if (code == MPI_SUCCESS)
        *(void **)baseptr = tcm_window_memory(window);
    return code;
}

TC_API int MPI_Win_free(MPI_Win *win)
{
    tcm_window *window = win != NULL ? tcm_window_find(*win) : NULL;
    tc_error err = {TC_OK, ""};
    int code = MPI_SUCCESS;
    if (window == NULL)
        return PMPI_Win_free(win);
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPI_Win_free");
    if (tcm_epoch_is_held(&window->epoch))
        return tcm_error_win(*win, MPI_ERR_RMA_SYNC,
                             "MPI_Win_free: this process has an epoch open");
    /* While the window and its error handler are there. */
    if (tcm_window_complete(window, TC_RANK_NONE, &err) != TC_OK)
        code = tcm_error_win(*win, tcm_error_class(err.status), "active message: %s", err.text);
    /* MPI lets go of memory first that is the library's. */
    int freed = PMPI_Barrier(window->comm);
    if (freed == MPI_SUCCESS)
        freed = PMPI_Win_free(win);
    if (freed != MPI_SUCCESS)
        return freed;
    if (tcm_window_close(window, &err) != TC_OK)
        code = tcm_error_comm(MPI_COMM_WORLD, tcm_error_class(err.status),
                              "MPI_Win_free: active messages: %s", err.text);
    return code;
}
