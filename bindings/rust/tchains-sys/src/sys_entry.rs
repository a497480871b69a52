//! `<tc/entry.h>`. The calls that a function may make where it runs.

use crate::*;

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_call_ticket {
    pub call: u64,
    pub origin: u32,
    pub hops: u32,
}

extern "C" {
    pub fn tc_self_endpoint() -> *mut tc_ep;
    pub fn tc_self_identity() -> *const c_char;
    pub fn tc_self_ifunc() -> *mut tc_ifunc;
    pub fn tc_self_group() -> *mut tc_group;
    pub fn tc_self_rank() -> u32;
    pub fn tc_self_size() -> u32;
    pub fn tc_self_origin() -> u32;
    pub fn tc_self_hops() -> u32;
    pub fn tc_forward(rank: u32, payload: *const c_void, size: usize) -> tc_status;
    pub fn tc_forward_function(
        func: *mut tc_ifunc,
        rank: u32,
        payload: *const c_void,
        size: usize,
    ) -> tc_status;
    pub fn tc_reply(data: *const c_void, size: usize) -> tc_status;
    pub fn tc_reply_begin(size: usize, memory_out: *mut *mut c_void) -> tc_status;
    pub fn tc_reply_commit(size: usize) -> tc_status;
    pub fn tc_reply_error(status: tc_status, text: *const c_char) -> tc_status;
    pub fn tc_self_fail(status: tc_status, text: *const c_char);
    pub fn tc_self_guard(
        body: Option<unsafe extern "C" fn(argument: *mut c_void)>,
        argument: *mut c_void,
    ) -> c_int;
    pub fn tc_self_abandon();
    pub fn tc_detach(ticket_out: *mut tc_call_ticket) -> tc_status;
    pub fn tc_reply_to(
        ticket: *const tc_call_ticket,
        data: *const c_void,
        size: usize,
    ) -> tc_status;
    pub fn tc_reply_error_to(
        ticket: *const tc_call_ticket,
        status: tc_status,
        text: *const c_char,
    ) -> tc_status;
    pub fn tc_self_data(name: *const c_char, size_out: *mut usize) -> *mut c_void;
    pub fn tc_self_state(size: usize) -> *mut c_void;
}
