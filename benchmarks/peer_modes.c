#include "peer_modes.h"

#include <stdio.h>
#include <string.h>

/* CMake sets the reason for each that it cannot build. */
#ifdef PEER_MPI_MISSING
#define MPI(variable) .missing = PEER_MPI_MISSING
#else
#define MPI(variable) .mode = &perf_mode_##variable
#endif
#ifdef PEER_MPICH_MISSING
#define MPICH(variable) .missing = PEER_MPICH_MISSING
#else
#define MPICH(variable) .mode = &perf_mode_##variable
#endif
#ifdef PEER_RPC_MISSING
#define RPC(variable) .missing = PEER_RPC_MISSING
#else
#define RPC(variable) .mode = &perf_mode_##variable
#endif
#ifdef PEER_ZMQ_MISSING
#define ZMQ(variable) .missing = PEER_ZMQ_MISSING
#else
#define ZMQ(variable) .mode = &perf_mode_##variable
#endif
#ifdef PEER_TYPED_MISSING
#define TYPED(variable) .missing = PEER_TYPED_MISSING
#else
#define TYPED(variable) .mode = &perf_mode_##variable
#endif

const peer_mode peer_modes[] = {
    {.name = "mpi", MPI(mpi)},           {.name = "mpi-tcp", MPI(mpi_tcp)},
    {.name = "mpich", MPICH(mpich)},     {.name = "mpich-tcp", MPICH(mpich_tcp)},
    {.name = "rpc", RPC(rpc)},           {.name = "rpc-null", RPC(rpc_null)},
    {.name = "rpc-unix", RPC(rpc_unix)}, {.name = "zmq", ZMQ(zmq)},
};
const size_t peer_mode_count = sizeof peer_modes / sizeof peer_modes[0];

const peer_mode message_peers[] = {
    {.name = "mpi", MPI(mpi_messages)},
    {.name = "mpi-tcp", MPI(mpi_tcp_messages)},
    {.name = "mpich", MPICH(mpich_messages)},
    {.name = "mpich-tcp", MPICH(mpich_tcp_messages)},
};
const size_t message_peer_count = sizeof message_peers / sizeof message_peers[0];

const peer_mode typed_modes[] = {
    {.name = "typed", TYPED(typed)},
    {.name = "typed-word", TYPED(typed_word)},
    {.name = "typed-two", TYPED(typed_two)},
    {.name = "typed-doubles", TYPED(typed_doubles)},
};
const size_t typed_mode_count = sizeof typed_modes / sizeof typed_modes[0];

#define SYSTEMS_MAX 4u

typedef struct system_version {
    char system[8];
    char version[64];
} system_version;

static system_version versions[SYSTEMS_MAX];
static unsigned version_count;

void peer_modes_note_version(const char *system, const char *version)
{
    for (unsigned i = 0; i < version_count; i++) {
        if (strcmp(versions[i].system, system) == 0)
            return;
    }
    if (version_count == SYSTEMS_MAX)
        return;
    system_version *to = &versions[version_count++];
    (void)snprintf(to->system, sizeof to->system, "%s", system);
    (void)snprintf(to->version, sizeof to->version, "%s", version);
}

void peer_modes_report_versions(json_t *report)
{
    json_t *of = json_object_get(json_object_get(report, "env"), "versions");
    for (unsigned i = 0; i < version_count; i++)
        (void)json_object_set_new(of, versions[i].system, json_string(versions[i].version));
}
