//! `<tc/endpoint.h>`. Endpoints.

use crate::*;

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_ep_info {
    pub delivery: *const c_char,
    pub peer_triple: *const c_char,
    pub peer_library: *const c_char,
    pub peer_ucx: *const c_char,
    pub peer_llvm: *const c_char,
    pub peer_cpu: *const c_char,
    pub payload_max: usize,
    pub frame_payload_max: usize,
    pub sent_messages: u64,
    pub sent_bytes: u64,
    pub run_messages: u64,
    pub peer_identity: *const c_char,
}

extern "C" {
    pub fn tc_ep_connect(
        ctx: *mut tc_context,
        host_port: *const c_char,
        timeout_ns: u64,
        ep_out: *mut *mut tc_ep,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ep_flush(ep: *mut tc_ep, timeout_ns: u64, err: *mut tc_error) -> tc_status;
    pub fn tc_ep_close(ep: *mut tc_ep);
    pub fn tc_ep_finish(
        ep: *mut tc_ep,
        timeout_ns: u64,
        lost_out: *mut u64,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ep_error(ep: *const tc_ep, err: *mut tc_error) -> tc_status;
    pub fn tc_ep_refusal(ep: *const tc_ep, err: *mut tc_error) -> c_uint;
    pub fn tc_ep_context(ep: *const tc_ep) -> *mut tc_context;
    pub fn tc_ep_set_user(ep: *mut tc_ep, user: *mut c_void);
    pub fn tc_ep_user(ep: *const tc_ep) -> *mut c_void;
}
