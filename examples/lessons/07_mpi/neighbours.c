/* An MPI program with processes that call functions at each other, and go on using MPI. mpirun
 *     -n 4 ./neighbours */
#include <stdio.h>
#include <tc/mpi.h>
#include <tc/tc.h>

extern const tc_embedded credit_tca;

/* Gives an amount to the next rank, and prints that one's balance then. */
static tc_status credit_next(tc_group *group, long amount, long *has_out, tc_error *err)
{
    uint32_t next = (tc_group_rank(group) + 1) % tc_group_size(group);
    size_t size = sizeof *has_out;
    tc_ep *ep;
    tc_ifunc *credit;
    tc_status status =
        tc_ifunc_open_embedded(tc_group_context(group), &credit_tca, &credit, err);
    if (status == TC_OK)
        status = tc_group_ep(group, next, &ep, err);
    if (status == TC_OK)
        status =
            tc_call(ep, credit, &amount, sizeof amount, has_out, &size, TC_SECONDS(30), err);
    return status;
}

static tc_status run(tc_context *ctx, tc_error *err)
{
    static long account; /* functions find it for as long as the context lives */
    long has, sum = 0;
    tc_group *group;
    tc_status status = tc_group_create_mpi(ctx, MPI_COMM_WORLD, NULL, &group, err);
    if (status != TC_OK)
        return status;
    tc_context_set_target_args(ctx, &account);
    status = tc_group_barrier(group, TC_SECONDS(30), err); /* all have an account */
    if (status == TC_OK)
        status = credit_next(group, 100 + tc_group_rank(group), &has, err);
    if (status == TC_OK) /* all have been credited: MPI may block without serving them */
        status = tc_group_barrier(group, TC_SECONDS(30), err);
    if (status != TC_OK)
        return status;
    MPI_Reduce(&account, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (tc_group_rank(group) == 0)
        printf("rank 1 has %ld, all together %ld\n", has, sum);
    return TC_OK;
}

int main(int argc, char **argv)
{
    tc_context *ctx = NULL;
    tc_error err;
    tc_status status;
    MPI_Init(&argc, &argv);
    status = tc_context_create(NULL, &ctx, &err);
    if (status == TC_OK)
        status = run(ctx, &err);
    if (status != TC_OK) {
        fprintf(stderr, "neighbours: %s\n", err.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    tc_context_destroy(ctx);
    MPI_Finalize();
    return 0;
}
