//! `<tc/status.h>`. The result of every fallible call, and the text that explains a failure.

use crate::*;

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_error {
    pub status: tc_status,
    pub text: [c_char; TC_ERROR_TEXT_MAX],
}

pub type tc_status = c_int;
pub const TC_OK: tc_status = 0;
pub const TC_E_AGAIN: tc_status = -1;
pub const TC_E_TIMEOUT: tc_status = -2;
pub const TC_E_INVALID: tc_status = -3;
pub const TC_E_NO_MEMORY: tc_status = -4;
pub const TC_E_NOT_FOUND: tc_status = -5;
pub const TC_E_TOO_LARGE: tc_status = -6;
pub const TC_E_CORRUPT: tc_status = -7;
pub const TC_E_VERSION: tc_status = -8;
pub const TC_E_NO_SLICE: tc_status = -9;
pub const TC_E_UNRESOLVED: tc_status = -10;
pub const TC_E_NO_LIBRARY: tc_status = -11;
pub const TC_E_COMPILE: tc_status = -12;
pub const TC_E_REFUSED: tc_status = -13;
pub const TC_E_UNREACHABLE: tc_status = -14;
pub const TC_E_PEER_LOST: tc_status = -15;
pub const TC_E_IN_USE: tc_status = -16;
pub const TC_E_IO: tc_status = -17;
pub const TC_E_UCX: tc_status = -18;
pub const TC_E_UNSUPPORTED: tc_status = -19;
pub const TC_E_PAYLOAD: tc_status = -20;
pub const TC_E_CLOSED: tc_status = -21;
pub const TC_E_BUSY: tc_status = -22;
pub const TC_E_HOPS: tc_status = -23;
pub const TC_E_ABSENT: tc_status = -24;
pub const TC_E_THROWN: tc_status = -25;
pub const TC_STATUS_LAST: tc_status = TC_E_THROWN;

extern "C" {
    pub fn tc_status_text(status: tc_status) -> *const c_char;
    pub fn tc_status_name(status: tc_status) -> *const c_char;
}

pub const TC_FOREVER: u64 = u64::MAX;
pub const TC_ERROR_TEXT_MAX: usize = 1024;
