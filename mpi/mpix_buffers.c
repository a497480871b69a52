/* Attached buffers: recorded and checked, and not used, as units arrive in memory of the
 * library's own. */
#include "mpix_window.h"

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
    *row = (tcm_buffer){buffer, (uint64_t)size};
    return MPI_SUCCESS;
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
            window->buffers[i] = (tcm_buffer){NULL, 0};
            return MPI_SUCCESS;
        }
    }
    return tcm_error_win(win, MPI_ERR_BUFFER,
                         "MPIX_Am_win_buffer_detach: no buffer with this address is attached");
}
