//! `<tc/call.h>`. Calls: messages to functions that answer.

use crate::*;

pub const TC_RANK_NONE: u32 = u32::MAX;

pub type tc_call_id = u64;

pub type tc_call_fate = c_uint;
pub const TC_CALL_ANSWERED: tc_call_fate = 0;
pub const TC_CALL_NOT_RUN: tc_call_fate = 1;
pub const TC_CALL_MAY_HAVE_RUN: tc_call_fate = 2;

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_call_outcome {
    pub status: tc_status,
    pub result_size: usize,
    pub hops: u32,
    pub rank: u32,
    pub path: *const u32,
    pub path_length: usize,
    pub text: *const c_char,
    pub fate: tc_call_fate,
}

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_call_params {
    pub result: *mut c_void,
    pub result_capacity: usize,
    pub timeout_ns: u64,
    pub hop_limit: u32,
    pub trace: c_uint,
    pub done: tc_call_callback,
    pub user: *mut c_void,
}

pub type tc_call_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, outcome: *const tc_call_outcome)>;

extern "C" {
    pub fn tc_call(
        ep: *mut tc_ep,
        func: *mut tc_ifunc,
        source_args: *const c_void,
        size: usize,
        result: *mut c_void,
        result_size: *mut usize,
        timeout_ns: u64,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_call_cancel(ctx: *mut tc_context, call: tc_call_id) -> tc_status;
    pub fn tc_call_count(ctx: *const tc_context) -> usize;
    pub fn tc_calls_wait(ctx: *mut tc_context, timeout_ns: u64) -> tc_status;
}
