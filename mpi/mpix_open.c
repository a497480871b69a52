#include "mpix_open.h"
#include "base/error_text.h"

#include <pthread.h>

/* An attribute of a window that MPI defines; NULL without it. */
static void *attribute(MPI_Win win, int key)
{
    void *value = NULL;
    int found = 0;
    return PMPI_Win_get_attr(win, key, &value, &found) == MPI_SUCCESS && found ? value : NULL;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int base_key = MPI_KEYVAL_INVALID;

static void make_key(void)
{
    (void)PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &base_key, NULL);
}

void tcm_open_remember(MPI_Win win, void *base)
{
    (void)pthread_once(&once, make_key);
    if (base_key != MPI_KEYVAL_INVALID)
        (void)PMPI_Win_set_attr(win, base_key, base);
}

void tcm_open_fini(void)
{
    if (base_key != MPI_KEYVAL_INVALID)
        (void)PMPI_Win_free_keyval(&base_key);
}

/* Reads the window's memory. 0: a dynamic one, which has no memory. */
static int read_plan(MPI_Win win, tcm_window_plan *plan)
{
    const int *flavor = attribute(win, MPI_WIN_CREATE_FLAVOR);
    const MPI_Aint *size = attribute(win, MPI_WIN_SIZE);
    const int *unit = attribute(win, MPI_WIN_DISP_UNIT);
    if (flavor == NULL || *flavor == MPI_WIN_FLAVOR_DYNAMIC || size == NULL || unit == NULL)
        return 0;
    plan->memory = base_key != MPI_KEYVAL_INVALID ? attribute(win, base_key) : NULL;
    if (plan->memory == NULL)
        plan->memory = attribute(win, MPI_WIN_BASE);
    plan->bytes = (uint64_t)*size;
    plan->unit = *unit;
    return 1;
}

tcm_window *tcm_open_window(MPI_Win win, uint32_t unordered, tc_error *err)
{
    tcm_window_plan plan = {NULL, 0, 1, 0, unordered};
    MPI_Group processes = MPI_GROUP_NULL;
    (void)tci_error_set(err, TC_E_UNSUPPORTED,
                        "a window of MPI_Win_create_dynamic has no memory of its own");
    if (!read_plan(win, &plan) || PMPI_Win_get_group(win, &processes) != MPI_SUCCESS)
        return NULL;
    tcm_window *window = tcm_window_open(processes, &plan, err);
    PMPI_Group_free(&processes);
    if (window == NULL || tcm_window_publish(window, win, err))
        return window;
    tc_error closing;
    (void)tcm_window_close(window, &closing);
    return NULL;
}
