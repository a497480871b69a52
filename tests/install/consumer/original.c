/* A program for the original's API: no such function is in the folder, and it gets that
 * error. */
#include <stdio.h>
#include <stdlib.h>
#include <ucp/api/ucp.h>

int main(void)
{
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_RMA};
    ucp_ifunc_reg_param_t missing = {.name = "missing"};
    ucp_ifunc_h ifunc;
    ucp_context_h context;
    if (setenv("UCX_IFUNC_LIB_DIR", "/", 1) != 0 || ucp_init(&params, NULL, &context) != UCS_OK)
        return 1;
    ucs_status_t status = ucp_register_ifunc(context, missing, &ifunc);
    printf("%s\n", ucs_status_string(status));
    ucp_cleanup(context);
    return status != UCS_ERR_NO_ELEM;
}
