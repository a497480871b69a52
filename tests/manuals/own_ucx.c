/* Connects with a context on UCX objects of its own, and prints the error as programs do.
 *
 *   own_ucx HOST:PORT */
#include <stdio.h>
#include <tc/endpoint.h>
#include <tc/ucx.h>

int main(int argc, char **argv)
{
    tc_ucx_objects ucx = {.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP};
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = ucx.features};
    tc_context *ctx = NULL;
    tc_ep *ep;
    tc_error err = {TC_OK, ""};
    if (argc != 2 || ucp_init(&params, NULL, &ucx.context) != UCS_OK)
        return 2;
    tc_status status = tc_context_create_on_ucx(NULL, &ucx, &ctx, &err);
    if (status == TC_OK)
        status = tc_ep_connect(ctx, argv[1], 0, &ep, &err);
    if (status != TC_OK)
        printf("%s: %s\n", tc_status_name(status), err.text);
    tc_context_destroy(ctx);
    ucp_cleanup(ucx.context);
    return status != TC_OK;
}
