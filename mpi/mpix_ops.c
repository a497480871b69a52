/* The handle is that of an operation of MPI_Op_create, so it is unique, and MPI's own functions
 * accept it; its function ends the process. An operation gets a number in the runtime of each
 * window that it is registered at. If all processes have registered the same one of their
 * operations there before, as is usual with several windows, that number is used again. */
#include "mpix_ops.h"
#include "mpix_open.h"
#include "base/error_text.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* The number of an operation in a runtime. */
typedef struct registration {
    const tcm_runtime *runtime;
    uint32_t number;
} registration;

typedef struct operation {
    MPI_Op handle; /* MPI_OP_NULL: a free row */
    MPIX_Am_user_function *function;
    registration in[TCM_RUNTIMES_MAX];
    uint32_t count;
} operation;

static operation *table[TCM_OPS_MAX]; /* NULL: never used */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- handles ------------------------------------------------------------------------------ */

static void refuse(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
    fprintf(stderr, "tchains-mpi: an operation of MPIX_Am_op_create is used in a function that "
                    "is not MPIX_Am: expected one of MPI_Op_create\n");
    abort();
}

static operation *find(MPI_Op handle)
{
    operation *found = NULL;
    (void)pthread_mutex_lock(&lock);
    for (uint32_t i = 0; handle != MPI_OP_NULL && i < TCM_OPS_MAX && table[i] != NULL; i++) {
        if (table[i]->handle == handle)
            found = table[i];
    }
    (void)pthread_mutex_unlock(&lock);
    return found;
}

/* A free row, or a row that becomes one; NULL if the table is full. */
static operation *take_row(void)
{
    uint32_t i = 0;
    while (i < TCM_OPS_MAX && table[i] != NULL && table[i]->handle != MPI_OP_NULL)
        i++;
    if (i == TCM_OPS_MAX) /* bound: TCM_OPS_MAX */
        return NULL;
    if (table[i] == NULL)
        table[i] = calloc(1, sizeof **table);
    return table[i];
}

int MPIX_Am_op_create(MPIX_Am_user_function *am_fn, MPI_Op *am_op)
{
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPIX_Am_op_create");
    if (am_fn == NULL || am_op == NULL)
        return tcm_error_comm(MPI_COMM_WORLD, MPI_ERR_ARG,
                              "MPIX_Am_op_create: am_fn or am_op is NULL");
    int code = PMPI_Op_create(refuse, 0, am_op);
    if (code != MPI_SUCCESS)
        return code;
    (void)pthread_mutex_lock(&lock);
    operation *made = take_row();
    if (made != NULL) {
        made->function = am_fn;
        made->count = 0;
        made->handle = *am_op;
    }
    (void)pthread_mutex_unlock(&lock);
    if (made != NULL)
        return MPI_SUCCESS;
    PMPI_Op_free(am_op);
    return tcm_error_comm(MPI_COMM_WORLD, MPI_ERR_OTHER,
                          "MPIX_Am_op_create: there are %u operations, or memory is missing",
                          TCM_OPS_MAX);
}

int MPIX_Am_op_free(MPI_Op *am_op)
{
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPIX_Am_op_free");
    operation *found = am_op != NULL ? find(*am_op) : NULL;
    if (found == NULL)
        return tcm_error_comm(MPI_COMM_WORLD, MPI_ERR_OP,
                              "MPIX_Am_op_free: this is no operation of MPIX_Am_op_create");
    tcm_window_forget_op(*am_op);
    (void)pthread_mutex_lock(&lock);
    found->handle = MPI_OP_NULL;
    (void)pthread_mutex_unlock(&lock);
    return PMPI_Op_free(am_op);
}

/* --- registering -------------------------------------------------------------------------- */

/* A process's view of a registration, of which all have to be equal. */
typedef struct view {
    int64_t valid;  /* 1: am_op is an operation */
    int64_t here;   /* 1: it is registered at this window */
    int64_t number; /* in the runtime, or -1 */
} view;

static view look(const tcm_window *window, const operation *of)
{
    view mine = {of != NULL, 0, -1};
    if (of == NULL)
        return mine;
    mine.here = tcm_ops_find(window, of->handle) != NULL;
    for (uint32_t i = 0; i < of->count; i++) {
        if (of->in[i].runtime == window->runtime)
            mine.number = of->in[i].number;
    }
    return mine;
}

/* The lowest and the highest of all processes. Returns 0 if MPI fails. */
static int compare(MPI_Comm comm, const view *mine, view *lowest, view *highest)
{
    int64_t sent[6] = {mine->valid,  mine->here,  mine->number,
                       -mine->valid, -mine->here, -mine->number};
    int64_t least[6];
    if (PMPI_Allreduce(sent, least, 6, MPI_INT64_T, MPI_MIN, comm) != MPI_SUCCESS)
        return 0;
    *lowest = (view){least[0], least[1], least[2]};
    *highest = (view){-least[3], -least[4], -least[5]};
    return 1;
}

/* Gives it the next number, at all processes. */
static int take_number(tcm_window *window, operation *of, uint32_t *number_out, tc_error *err)
{
    int well = of->count < TCM_RUNTIMES_MAX; /* bound: TCM_RUNTIMES_MAX */
    (void)tci_error_set(err, TC_E_INVALID, "it is registered in too many ways");
    if (well && tcm_runtime_lock(window->runtime, err)) {
        well = tcm_runtime_register(window->runtime, of->function, number_out, err) == TC_OK;
        tcm_runtime_unlock(window->runtime);
    }
    if (!tcm_runtime_agree(window->comm, well, err))
        return 0;
    of->in[of->count++] = (registration){window->runtime, *number_out};
    return 1;
}

static int add(tcm_window *window, operation *of, tc_error *err)
{
    view mine = look(window, of), lowest, highest;
    (void)tci_error_set(err, TC_E_INVALID, "am_op is no operation of MPIX_Am_op_create");
    if (!tcm_runtime_agree(window->comm, of != NULL, err))
        return MPI_ERR_OP;
    if (!compare(window->comm, &mine, &lowest, &highest))
        return MPI_ERR_OTHER;
    (void)snprintf(
        err->text, sizeof err->text,
        "the processes register different operations: at some this one is registered "
        "at the window already");
    if (lowest.here != highest.here)
        return MPI_ERR_OP;
    if (lowest.here == 1)
        return MPI_SUCCESS;
    uint32_t number = (uint32_t)mine.number;
    (void)tci_error_set(err, TC_E_INVALID, "the window has %d operations", MPIX_AM_WIN_OPS_MAX);
    if (window->op_count == MPIX_AM_WIN_OPS_MAX) /* bound: MPIX_AM_WIN_OPS_MAX */
        return MPI_ERR_OTHER;
    if ((lowest.number < 0 || lowest.number != highest.number) &&
        !take_number(window, of, &number, err))
        return MPI_ERR_OTHER;
    window->ops[window->op_count++] =
        (tcm_window_op){of->handle, number, window->runtime->entries[number].op};
    return MPI_SUCCESS;
}

int MPIX_Am_win_op_register(MPI_Op am_op, MPI_Win win)
{
    tc_error err = {TC_OK, ""};
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPIX_Am_win_op_register");
    tcm_window *window = tcm_window_find(win);
    if (window == NULL)
        window = tcm_open_window(win, 0, &err);
    if (window == NULL)
        return tcm_error_win(win, err.status == TC_E_UNSUPPORTED ? MPI_ERR_WIN : MPI_ERR_OTHER,
                             "MPIX_Am_win_op_register: %s", err.text);
    int class = add(window, find(am_op), &err);
    if (class == MPI_SUCCESS)
        return MPI_SUCCESS;
    return tcm_error_win(win, class, "MPIX_Am_win_op_register: %s", err.text);
}
