/* Errors as MPI has them: a code of a class, with a text, for the error handler of a window or
 * a communicator. */
#ifndef TCM_MPIX_ERROR_H
#define TCM_MPIX_ERROR_H

#include <mpi.h>
#include <tc/am.h>

/* Gives the error to the handler of `win`. Returns the code, if that returns. The text becomes
 * that of all codes of the class. */
int tcm_error_win(MPI_Win win, int error_class, const char *format, ...) TC_PRINTF(3, 4);
int tcm_error_comm(MPI_Comm comm, int error_class, const char *format, ...) TC_PRINTF(3, 4);

/* The class for a status of active messages. */
int tcm_error_class(tc_status status);

/* The unit that this thread runs a handler for, or NULL. */
extern _Thread_local tc_am_unit *tcm_error_unit;

/* For a function that a handler calls: makes that unit fail. Returns MPI_ERR_OTHER, without a
 * call of MPI. */
int tcm_error_in_handler(const char *function);

#endif
