/* Makes a call of the library fail, and prints the error as programs do.
 *
 *   call_errors                   has headers that are newer than the library
 *   call_errors HOSTS             is rank 0, and waits for the others at a barrier
 *   call_errors HOSTS FUNCTION    is rank 0, and calls FUNCTION at itself */
#include <stdio.h>
#include <tc/group.h>
#include <tc/version.h>

#define TIMEOUT_NS 200000000ull

static tc_status call(tc_context *ctx, tc_group *group, const char *name, tc_error *err)
{
    char result[4];
    size_t size = sizeof result;
    tc_ifunc *fn;
    tc_ep *ep;
    tc_status status = tc_ifunc_open(ctx, name, &fn, err);
    if (status == TC_OK)
        status = tc_group_ep(group, 0, &ep, err);
    if (status == TC_OK)
        status = tc_call(ep, fn, NULL, 0, result, &size, 0, err);
    return status;
}

int main(int argc, char **argv)
{
    tc_context *ctx = NULL;
    tc_group *group;
    tc_error err = {TC_OK, ""};
    unsigned headers = argc < 2 ? TC_VERSION_NUMBER + 1 : TC_VERSION_NUMBER;
    tc_status status = tc_context_create_for(headers, NULL, &ctx, &err);
    if (status == TC_OK)
        status = tc_group_create_hosts(ctx, argv[1], 0, &group, &err);
    if (status == TC_OK)
        status = argc > 2 ? call(ctx, group, argv[2], &err)
                          : tc_group_barrier(group, TIMEOUT_NS, &err);
    if (status != TC_OK)
        printf("%s: %s\n", tc_status_name(status), err.text);
    tc_context_destroy(ctx);
    return status != TC_OK;
}
