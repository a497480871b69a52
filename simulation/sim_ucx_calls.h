/* Declarations of UCX's functions as the linker gives them to the library's objects. */
#ifndef SIM_UCX_CALLS_H
#define SIM_UCX_CALLS_H

#include <ucp/api/ucp.h>

#define SIM_UCX_CALL(name) __typeof__(name) __wrap_##name;

SIM_UCX_CALL(ucp_get_version)
SIM_UCX_CALL(ucs_status_string)
SIM_UCX_CALL(ucp_config_read)
SIM_UCX_CALL(ucp_config_modify)
SIM_UCX_CALL(ucp_config_release)
SIM_UCX_CALL(ucp_init_version)
SIM_UCX_CALL(ucp_cleanup)
SIM_UCX_CALL(ucp_worker_create)
SIM_UCX_CALL(ucp_worker_destroy)
SIM_UCX_CALL(ucp_worker_query)
SIM_UCX_CALL(ucp_worker_get_address)
SIM_UCX_CALL(ucp_worker_release_address)
SIM_UCX_CALL(ucp_worker_get_efd)
SIM_UCX_CALL(ucp_worker_arm)
SIM_UCX_CALL(ucp_worker_progress)
SIM_UCX_CALL(ucp_worker_fence)
SIM_UCX_CALL(ucp_worker_set_am_recv_handler)
SIM_UCX_CALL(ucp_am_send_nbx)
SIM_UCX_CALL(ucp_am_recv_data_nbx)
SIM_UCX_CALL(ucp_ep_create)
SIM_UCX_CALL(ucp_ep_close_nbx)
SIM_UCX_CALL(ucp_ep_flush_nbx)
SIM_UCX_CALL(ucp_ep_query)
SIM_UCX_CALL(ucp_mem_map)
SIM_UCX_CALL(ucp_mem_unmap)
SIM_UCX_CALL(ucp_mem_query)
SIM_UCX_CALL(ucp_rkey_pack)
SIM_UCX_CALL(ucp_rkey_buffer_release)
SIM_UCX_CALL(ucp_ep_rkey_unpack)
SIM_UCX_CALL(ucp_rkey_ptr)
SIM_UCX_CALL(ucp_rkey_destroy)
SIM_UCX_CALL(ucp_put_nbx)
SIM_UCX_CALL(ucp_request_check_status)
SIM_UCX_CALL(ucp_request_free)

#endif
