//! `<tc/window.h>`. Windows: memory that its owner has opened for peers.

use crate::*;

pub const TC_WINDOW_STEPS_MAX: c_uint = 16;
pub const TC_WINDOW_BYTES_MAX: c_uint = 512 << 10;

pub const TC_WINDOW_READ: c_uint = 1;
pub const TC_WINDOW_WRITE: c_uint = 2;
pub const TC_WINDOW_ATOMIC: c_uint = 4;
pub const TC_WINDOW_ALLOCATE: c_uint = 8;

pub const TC_WINDOW_GET: c_int = 1;
pub const TC_WINDOW_PUT: c_int = 2;
pub const TC_WINDOW_FETCH_ADD: c_int = 3;
pub const TC_WINDOW_COMPARE_SWAP: c_int = 4;
pub const TC_WINDOW_MASKED_COMPARE_SWAP: c_int = 5;
pub const TC_WINDOW_ALLOCATE_BYTES: c_int = 6;
pub const TC_WINDOW_DESCRIBE: c_int = 7;

pub const TC_WINDOW_ALWAYS: c_int = 0;
pub const TC_WINDOW_IF_SUCCEEDED: c_int = 1;
pub const TC_WINDOW_IF_FAILED: c_int = 2;

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_gptr {
    pub window: u16,
    pub generation: u16,
    pub rank: u32,
    pub offset: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_window_params {
    pub memory: *mut c_void,
    pub bytes: u64,
    pub rights: u32,
    pub peer: *mut tc_ep,
    pub group: *mut tc_group,
    pub identity: *const c_char,
    pub arena_begin: u64,
    pub shared: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_window_step {
    pub operation: u32,
    pub condition: u32,
    pub base: u32,
    pub at: tc_gptr,
    pub size: u64,
    pub source: *const c_void,
    pub result: *mut c_void,
    pub operand: u64,
    pub expected: u64,
    pub expected_mask: u64,
    pub operand_mask: u64,
}

pub type tc_window_callback = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        status: tc_status,
        succeeded: u32,
        text: *const c_char,
    ),
>;

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_window_start_params {
    pub timeout_ns: u64,
    pub done: tc_window_callback,
    pub user: *mut c_void,
}

extern "C" {
    pub fn tc_window_close(ctx: *mut tc_context, window: tc_gptr) -> tc_status;
}
