#include "modules/ucx/ucx_transports.h"

#include "base/logger.h"
#include "modules/ucx/ucx_rdma.h"
#include "modules/ucx/ucx_shared_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* UCX allocates buffers for this many messages at once, 8 KiB each, in /dev/shm: by default for
 * 512, of which 65 are used until a program keeps some. 64 is the length of a queue of UCX
 * 1.13. (The sizes of the queue and of a message must be the same on both sides, so they stay.)
 */
#define RECEIVE_BUFFERS "66"

static void set_unless_in_environment(ucp_config_t *config, const char *name, const char *value)
{
    char env[64];
    (void)snprintf(env, sizeof env, "UCX_%s", name);
    if (secure_getenv(env) == NULL && ucp_config_modify(config, name, value) != UCS_OK)
        TC_LOG(TC_LOG_DEBUG, "UCX takes no setting %s=%s", name, value);
}

/* --- UCX_TLS ----------------------------------------------------------------------------- */

static bool is_among(const char *name, size_t size, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0)
            return true;
    }
    return false;
}

/* Returns whether a comma-separated list of transports has one that is among `names` (NULL at
 * their end), or, with `among` false, one that is not. */
static bool lists(const char *list, const char *const *names, bool among)
{
    for (const char *at = list; *at != '\0'; at += strspn(at, ",")) {
        size_t size = strcspn(at, ",");
        if (is_among(at, size, names) == among)
            return true;
        at += size;
    }
    return false;
}

static const char *transports_set(void)
{
    const char *transports = secure_getenv("UCX_TLS");
    return transports != NULL && *transports != '\0' ? transports : NULL;
}

bool tci_ucx_transports_are_set(void)
{
    return transports_set() != NULL;
}

bool tci_ucx_transports_set_network(void)
{
    static const char *const local[] = {"self", "sm",    "shm", "mm",   "posix",
                                        "sysv", "xpmem", "cma", "knem", NULL};
    const char *transports = transports_set();
    return transports != NULL && (*transports == '^' || lists(transports, local, false));
}

/* An environment that forbids shared memory wants frames to take the network. (Setting
 * MM_ERROR_HANDLING without such a transport would make UCX warn of it.) */
bool tci_ucx_transports_share_memory(void)
{
    static const char *const any[] = {"all", "sm", "shm", "posix", "sysv", "mm", "xpmem", NULL};
    static const char *const every[] = {"all", "sm", "shm", "mm", NULL};
    const char *transports = transports_set();
    if (transports == NULL)
        return true;
    return *transports == '^' ? !lists(transports + 1, every, true)
                              : lists(transports, any, true);
}

/* --- contexts ---------------------------------------------------------------------------- */

static ucs_status_t configure(ucp_config_t **config_out, const tci_worker_params *params)
{
    ucs_status_t status = ucp_config_read(NULL, NULL, config_out);
    if (status != UCS_OK)
        return status;
    set_unless_in_environment(*config_out, "TLS", params->network ? "^sysv" : "self,posix");
    set_unless_in_environment(*config_out, "KEEPALIVE_INTERVAL",
                              params->network && tci_ucx_rdma_is_here() ? "1s" : "inf");
    if (tci_ucx_transports_share_memory()) {
        set_unless_in_environment(*config_out, "MM_ERROR_HANDLING", "y");
        set_unless_in_environment(*config_out, "MM_RX_BUFS_GROW", RECEIVE_BUFFERS);
        if (tci_ucx_is_from(18))
            set_unless_in_environment(*config_out, "POSIX_SHM_MIN_SIZE", "0");
    }
    return UCS_OK;
}

ucs_status_t tci_ucx_transports_open(const tci_worker_params *params,
                                     ucp_context_h *context_out)
{
    ucp_config_t *config;
    if (tci_ucx_transports_share_memory())
        tci_ucx_shared_memory_sweep();
    ucs_status_t status = configure(&config, params);
    if (status != UCS_OK)
        return status;
    const ucp_params_t features = {
        .field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME,
        .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP | (params->puts ? UCP_FEATURE_RMA : 0),
        .name = "three-chains",
    };
    status = ucp_init(&features, config, context_out);
    ucp_config_release(config);
    return status;
}
