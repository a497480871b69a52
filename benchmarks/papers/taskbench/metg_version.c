#include "metg_version.h"

/* In the order in which they take turns. */
const metg_version metg_versions[METG_VERSIONS] = {
    {"mpi", METG_MPI, metg_mpi_run},
    {"mpi-gathered", METG_MPI, metg_mpi_run_gathered},
    {"function-single", METG_FUNCTION, metg_function_run_single},
    {"function", METG_FUNCTION, metg_function_run},
    {"view", METG_VIEW, metg_view_run},
};
