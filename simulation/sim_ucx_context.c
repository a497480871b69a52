/* Contexts, their configuration, and the texts of statuses. */
#include "sim_ucx.h"
#include "sim_ucx_calls.h"

#include <stdlib.h>
#include <string.h>

#define MINOR_OUTSIDE 13u /* where no world asks */

struct ucp_config {
    bool network;
};

void __wrap_ucp_get_version(unsigned *major_out, unsigned *minor_out, unsigned *patch_out)
{
    const tc_sim_node *node = sim_world_node();
    *major_out = 1;
    *minor_out =
        node != NULL && node->world->ucx != NULL ? node->world->ucx->minor : MINOR_OUTSIDE;
    *patch_out = 1;
}

const char *__wrap_ucs_status_string(ucs_status_t status)
{
    switch (status) {
    case UCS_OK:
        return "Success";
    case UCS_INPROGRESS:
        return "Operation in progress";
    case UCS_ERR_NO_RESOURCE:
        return "No resources are available to initiate the operation";
    case UCS_ERR_NO_MEMORY:
        return "Out of memory";
    case UCS_ERR_UNREACHABLE:
        return "Destination is unreachable";
    case UCS_ERR_SHMEM_SEGMENT:
        return "Shared memory error";
    case UCS_ERR_CONNECTION_RESET:
        return "Connection reset by remote peer";
    case UCS_ERR_ENDPOINT_TIMEOUT:
        return "Endpoint timeout";
    case UCS_ERR_CANCELED:
        return "Request canceled";
    case UCS_ERR_UNSUPPORTED:
        return "Unsupported operation";
    default:
        return "Unknown error";
    }
}

/* --- configuration ----------------------------------------------------------------------- */

ucs_status_t __wrap_ucp_config_read(const char *prefix, const char *file,
                                    ucp_config_t **config_out)
{
    (void)prefix;
    (void)file;
    *config_out = sim_ucx_allocate(sizeof **config_out);
    return *config_out != NULL ? UCS_OK : UCS_ERR_NO_MEMORY;
}

/* A list of transports without a network is one of names within a host. */
ucs_status_t __wrap_ucp_config_modify(ucp_config_t *config, const char *name, const char *value)
{
    if (strcmp(name, "TLS") == 0)
        config->network = value[0] == '^' || strstr(value, "tcp") != NULL ||
                          strstr(value, "rc") != NULL || strstr(value, "all") != NULL;
    return UCS_OK;
}

void __wrap_ucp_config_release(ucp_config_t *config)
{
    free(config);
}

/* --- contexts ---------------------------------------------------------------------------- */

ucs_status_t __wrap_ucp_init_version(unsigned major, unsigned minor, const ucp_params_t *params,
                                     const ucp_config_t *config, ucp_context_h *context_out)
{
    (void)major;
    (void)minor;
    tc_sim_node *node = sim_world_node();
    if (node == NULL)
        return UCS_ERR_UNSUPPORTED;
    ucp_context_h context =
        sim_ucx_begin(node->world) ? sim_ucx_allocate(sizeof *context) : NULL;
    if (context == NULL)
        return UCS_ERR_NO_MEMORY;
    context->node = node;
    context->features = params->features;
    context->network = config == NULL || config->network;
    *context_out = context;
    return UCS_OK;
}

void __wrap_ucp_cleanup(ucp_context_h context)
{
    free(context);
}
