#include "mpi_start.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <tc/mpi.h>

#define ADDRESS_SIZE 32u

static struct {
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    bool has_begun;
} start;

static bool check(const char *program, tc_status status, const tc_error *err, const char *what)
{
    if (status != TC_OK)
        fprintf(stderr, "%s: %s: %s: %s\n", program, what, tc_status_name(status), err->text);
    return status == TC_OK;
}

static void name_library(void)
{
    int size = 0;
    (void)MPI_Get_library_version(start.library, &size);
    start.library[strcspn(start.library, ",\n")] = '\0';
    for (char *tab = strchr(start.library, '\t'); tab != NULL; tab = strchr(tab, '\t'))
        *tab = ' '; /* MPICH's */
}

bool mpi_start_join(const char *program, tc_context *ctx, int *argc, char ***argv,
                    tc_group **group_out)
{
    tc_error err = {TC_OK, ""};
    tc_listener *listener = NULL;
    char address[ADDRESS_SIZE];
    if (MPI_Init(argc, argv) != MPI_SUCCESS) {
        fprintf(stderr, "%s: MPI: MPI_Init failed\n", program);
        return false;
    }
    start.has_begun = true;
    name_library();
    if (!check(program, tc_listener_open(ctx, "127.0.0.1:0", &listener, &err), &err,
               "listener"))
        return false;
    (void)snprintf(address, sizeof address, "127.0.0.1:%u", tc_listener_port(listener));
    return check(program, tc_group_create_mpi(ctx, MPI_COMM_WORLD, address, group_out, &err),
                 &err, "group");
}

bool mpi_start_has_begun(void)
{
    return start.has_begun;
}

const char *mpi_start_library(void)
{
    return start.library;
}

void mpi_start_end(void)
{
    if (start.has_begun)
        (void)MPI_Finalize();
}
