//! `<tc/ifunc.h>`. Functions that can be sent.

use crate::*;

pub const TC_IFUNC_ID_BYTES: usize = 16;
opaque!(tc_ifunc);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tc_embedded {
    pub archive: *const c_void,
    pub archive_size: usize,
    pub deps: *const c_char,
    pub deps_size: usize,
    pub signature: *const c_char,
    pub signature_size: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tc_bitcode {
    pub triple: *const c_char,
    pub bytes: *const c_void,
    pub size: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tc_code {
    pub name: *const c_char,
    pub path: *const c_char,
    pub bytes: *const c_void,
    pub size: usize,
    pub deps: *const c_char,
    pub deps_size: usize,
    pub signature: *const c_char,
    pub signature_size: usize,
    pub slices: *const tc_bitcode,
    pub slice_count: usize,
    pub id: *const u8,
    pub prototype: *const c_char,
}

pub type tc_hole_kind = c_uint;
pub const TC_HOLE_BYTES: tc_hole_kind = 0;
pub const TC_HOLE_INTEGER: tc_hole_kind = 1;
pub const TC_HOLE_FLOATING: tc_hole_kind = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tc_hole_info {
    pub name: *const c_char,
    pub size: usize,
    pub kind: tc_hole_kind,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tc_hole_value {
    pub name: *const c_char,
    pub value: *const c_void,
    pub size: usize,
    pub kind: tc_hole_kind,
}

/// POSIX's, for `tc_send_start_sized`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct iovec {
    pub iov_base: *mut c_void,
    pub iov_len: usize,
}

pub const TC_SEND_PARTS_MAX: c_uint = 16;

pub type tc_send_callback = Option<unsafe extern "C" fn(user: *mut c_void, status: tc_status)>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tc_send_params {
    pub done: tc_send_callback,
    pub user: *mut c_void,
    pub ended: *mut u64,
}

extern "C" {
    pub fn tc_ifunc_open(
        ctx: *mut tc_context,
        name: *const c_char,
        fn_out: *mut *mut tc_ifunc,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ifunc_close(func: *mut tc_ifunc);
    pub fn tc_ifunc_name(func: *const tc_ifunc) -> *const c_char;
    pub fn tc_ifunc_prototype(func: *const tc_ifunc) -> *const c_char;
    pub fn tc_ifunc_check_prototype(
        func: *mut tc_ifunc,
        prototype: *const c_char,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_send(
        ep: *mut tc_ep,
        func: *mut tc_ifunc,
        source_args: *const c_void,
        size: usize,
    ) -> tc_status;
    pub fn tc_send_error(ctx: *const tc_context, err: *mut tc_error) -> tc_status;
    pub fn tc_send_wait(
        ep: *mut tc_ep,
        func: *mut tc_ifunc,
        source_args: *const c_void,
        size: usize,
        timeout_ns: u64,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ep_prepare(
        ep: *mut tc_ep,
        func: *mut tc_ifunc,
        timeout_ns: u64,
        err: *mut tc_error,
    ) -> tc_status;
}
