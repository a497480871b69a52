#!/bin/sh
# A mistake in a program with MPI's own error handler ends it, and the reason is printed.
#   check_fatal.sh RUN_JOB ARGUMENT ...
set -u
if output=$("$@" 2>&1); then
    echo "the job succeeded: expected a failure"
    exit 1
fi
case $output in
*"tchains-mpi: MPIX_Am: target_rank: this process has no access epoch to the target"*) exit 0 ;;
esac
echo "$output"
echo "expected a line of tchains-mpi with the reason"
exit 1
