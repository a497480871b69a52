#!/bin/sh
# Runs a program as so many processes of MPI, more than there are processors if need be.
#   run_job.sh openmpi|mpich MPIRUN PROCESSES PROGRAM ARGUMENT ...
set -eu
mpi=$1 mpirun=$2 processes=$3
shift 3
if [ "$mpi" = openmpi ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    exec "$mpirun" --oversubscribe -n "$processes" "$@"
fi
exec "$mpirun" -n "$processes" "$@"
