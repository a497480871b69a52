#include "mpix_error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CLASSES_MAX 32

_Thread_local tc_am_unit *tcm_error_unit;

/* --- codes -------------------------------------------------------------------------------- */

/* A class that errors were raised of, its code, and the newest text. */
typedef struct raised {
    int error_class;
    int code;
    int known; /* MPI has the text, too */
    char text[MPI_MAX_ERROR_STRING];
} raised;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static raised table[CLASSES_MAX];
static int used;

/* Returns whether MPI finds the class and the text of a code. MPICH 4.0 does not find the text
 * of a code of MPI's own classes. */
static int is_known(int code, int error_class, const char *text)
{
    char found[MPI_MAX_ERROR_STRING + 1] = "";
    int found_class = MPI_SUCCESS, size = 0;
    return PMPI_Error_class(code, &found_class) == MPI_SUCCESS && found_class == error_class &&
           PMPI_Error_string(code, found, &size) == MPI_SUCCESS && strstr(found, text) != NULL;
}

/* The row of a class, made if it is the first error of it; NULL if that fails. */
static raised *row_of(int error_class)
{
    static const char probe[] = "an active message failed";
    for (int i = 0; i < used; i++) {
        if (table[i].error_class == error_class)
            return &table[i];
    }
    raised *row = &table[used];
    if (used == CLASSES_MAX || PMPI_Add_error_code(error_class, &row->code) != MPI_SUCCESS)
        return NULL;
    (void)PMPI_Add_error_string(row->code, probe);
    row->known = is_known(row->code, error_class, probe);
    row->error_class = error_class;
    used++;
    return row;
}

/* Makes the code of an error. A handler that ends the process prints MPI's own text, so this
 * prints the library's, and the handler gets a code that MPI knows. */
static int make(int error_class, int fatal, const char *format, va_list arguments)
{
    int code = error_class;
    (void)pthread_mutex_lock(&lock);
    raised *row = row_of(error_class);
    if (row != NULL) {
        (void)vsnprintf(row->text, sizeof row->text, format, arguments);
        (void)PMPI_Add_error_string(row->code, row->text);
        code = fatal && !row->known ? error_class : row->code;
        if (fatal)
            fprintf(stderr, "tchains-mpi: %s\n", row->text);
    }
    (void)pthread_mutex_unlock(&lock);
    return code;
}

/* The texts of codes that MPI does not know. */
TC_API int MPI_Error_string(int errorcode, char *string, int *resultlen)
{
    int found = 0;
    (void)pthread_mutex_lock(&lock);
    for (int i = 0; i < used; i++) {
        if (table[i].code == errorcode && !table[i].known) {
            *resultlen = snprintf(string, MPI_MAX_ERROR_STRING, "%s", table[i].text);
            found = 1;
        }
    }
    (void)pthread_mutex_unlock(&lock);
    return found ? MPI_SUCCESS : PMPI_Error_string(errorcode, string, resultlen);
}

static int is_fatal(int code, MPI_Errhandler handler)
{
    if (code != MPI_SUCCESS)
        return 0;
    int fatal = handler == MPI_ERRORS_ARE_FATAL;
    (void)PMPI_Errhandler_free(&handler);
    return fatal;
}

int tcm_error_win(MPI_Win win, int error_class, const char *format, ...)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int found = PMPI_Win_get_errhandler(win, &handler);
    va_list arguments;
    va_start(arguments, format);
    int code = make(error_class, is_fatal(found, handler), format, arguments);
    va_end(arguments);
    (void)PMPI_Win_call_errhandler(win, code);
    return code;
}

int tcm_error_comm(MPI_Comm comm, int error_class, const char *format, ...)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int found = PMPI_Comm_get_errhandler(comm, &handler);
    va_list arguments;
    va_start(arguments, format);
    int code = make(error_class, is_fatal(found, handler), format, arguments);
    va_end(arguments);
    (void)PMPI_Comm_call_errhandler(comm, code);
    return code;
}

int tcm_error_class(tc_status status)
{
    switch (status) {
    case TC_E_INVALID:
        return MPI_ERR_ARG;
    case TC_E_TOO_LARGE:
        return MPI_ERR_BUFFER;
    case TC_E_NO_MEMORY:
        return MPI_ERR_NO_MEM;
    default:
        return MPI_ERR_OTHER;
    }
}

/* --- handlers ----------------------------------------------------------------------------- */

int tcm_error_in_handler(const char *function)
{
    char text[TC_AM_TEXT_MAX];
    (void)snprintf(text, sizeof text, "the handler called %s: handlers must not call MPI",
                   function);
    tc_am_fail(tcm_error_unit, TC_E_BUSY, text);
    return MPI_ERR_OTHER;
}
