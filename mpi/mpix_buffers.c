/* Attached buffers. Segments that no unit carries go through them; MPI accepts any address, the
 * window of <tc/am.h> those at a multiple of 8, so it gets the part behind that. */
#include "mpix_window.h"

#define ALIGNMENT 8u
#define TURN_NS 10000000u /* between two attempts to detach */

/* Finds the window, or raises an error and returns NULL. */
static tcm_window *window_of(MPI_Win win, const char *function, int *code_out)
{
    tcm_window *window = tcm_window_find(win);
    if (window == NULL)
        *code_out = tcm_error_win(win, MPI_ERR_WIN,
                                  "%s: no operation is registered at the window", function);
    else if (window->started) {
        *code_out = tcm_error_win(win, MPI_ERR_RMA_SYNC,
                                  "%s: this process has active messages under way", function);
        return NULL;
    }
    return window;
}

static int meets(const tcm_buffer *buffer, const char *memory, uint64_t bytes)
{
    uintptr_t from = (uintptr_t)memory, other = (uintptr_t)buffer->memory;
    return buffer->memory != NULL && from < other + buffer->bytes && other < from + bytes;
}

/* The part of a buffer that is attached; NULL if it is too small for any. */
static char *aligned(const tcm_buffer *buffer, uint64_t *bytes_out)
{
    uint64_t skipped = -(uintptr_t)buffer->memory % ALIGNMENT;
    *bytes_out = buffer->bytes > skipped ? buffer->bytes - skipped : 0;
    return *bytes_out > 0 ? buffer->memory + skipped : NULL;
}

static tc_status attach(tcm_window *window, const tcm_buffer *buffer, tc_error *err)
{
    uint64_t bytes = 0;
    char *memory = aligned(buffer, &bytes);
    if (memory == NULL)
        return TC_OK;
    if (!tcm_runtime_lock(window->runtime, err))
        return err->status;
    tc_status status = tc_am_window_attach(window->am, memory, bytes, err);
    tcm_runtime_unlock(window->runtime);
    return status;
}

/* Waits until no origin uses it. */
static tc_status detach(tcm_window *window, const tcm_buffer *buffer, tc_error *err)
{
    uint64_t bytes = 0;
    char *memory = aligned(buffer, &bytes);
    if (memory == NULL)
        return TC_OK;
    if (!tcm_runtime_lock(window->runtime, err))
        return err->status;
    tc_status status = tc_am_window_detach(window->am, memory);
    while (status == TC_E_BUSY) {
        (void)tc_wait(window->runtime->ctx, TURN_NS);
        status = tc_am_window_detach(window->am, memory);
    }
    tcm_runtime_unlock(window->runtime);
    return status;
}

int MPIX_Am_win_buffer_attach(MPI_Win win, void *buffer, MPI_Aint size)
{
    int code = MPI_SUCCESS;
    tcm_buffer *row = NULL;
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPIX_Am_win_buffer_attach");
    tcm_window *window = window_of(win, "MPIX_Am_win_buffer_attach", &code);
    if (window == NULL)
        return code;
    if (buffer == NULL || size < 1)
        return tcm_error_win(win, MPI_ERR_ARG,
                             "MPIX_Am_win_buffer_attach: the buffer is NULL, or has %ld bytes",
                             (long)size);
    for (int i = 0; i < MPIX_AM_WIN_BUFFERS_MAX; i++) {
        tcm_buffer *at = &window->buffers[i];
        if (meets(at, buffer, (uint64_t)size))
            return tcm_error_win(win, MPI_ERR_BUFFER,
                                 "MPIX_Am_win_buffer_attach: the buffer overlaps with one that "
                                 "is attached");
        row = at->memory == NULL && row == NULL ? at : row;
    }
    if (row == NULL) /* bound: MPIX_AM_WIN_BUFFERS_MAX */
        return tcm_error_win(win, MPI_ERR_BUFFER,
                             "MPIX_Am_win_buffer_attach: %d buffers are attached",
                             MPIX_AM_WIN_BUFFERS_MAX);
    tc_error err = {TC_OK, ""};
    *row = (tcm_buffer){buffer, (uint64_t)size};
    if (attach(window, row, &err) == TC_OK)
        return MPI_SUCCESS;
    *row = (tcm_buffer){NULL, 0};
    return tcm_error_win(win, tcm_error_class(err.status), "MPIX_Am_win_buffer_attach: %s",
                         err.text);
}

int MPIX_Am_win_buffer_detach(MPI_Win win, const void *buffer)
{
    int code = MPI_SUCCESS;
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPIX_Am_win_buffer_detach");
    tcm_window *window = window_of(win, "MPIX_Am_win_buffer_detach", &code);
    if (window == NULL)
        return code;
    for (int i = 0; buffer != NULL && i < MPIX_AM_WIN_BUFFERS_MAX; i++) {
        if (window->buffers[i].memory == buffer) {
            tc_error err = {TC_OK, "it cannot be detached"};
            tc_status status = detach(window, &window->buffers[i], &err);
            window->buffers[i] = (tcm_buffer){NULL, 0};
            if (status == TC_OK)
                return MPI_SUCCESS;
            return tcm_error_win(win, tcm_error_class(status), "MPIX_Am_win_buffer_detach: %s",
                                 err.text);
        }
    }
    return tcm_error_win(win, MPI_ERR_BUFFER,
                         "MPIX_Am_win_buffer_detach: no buffer with this address is attached");
}
