//! `<tc/library.h>`. Libraries that travel.

use crate::*;

pub const TC_LIBRARY_NAME_MAX: usize = 64;
opaque!(tc_library);

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_library_info {
    pub name: [c_char; TC_LIBRARY_NAME_MAX],
    pub id: [u8; TC_IFUNC_ID_BYTES],
    pub owner: [c_char; 256],
    pub symbols: u64,
    pub memory_bytes: u64,
    pub functions: u64,
    pub libraries: u64,
    pub order: u64,
}

extern "C" {
    pub fn tc_library_open(
        ctx: *mut tc_context,
        name: *const c_char,
        library_out: *mut *mut tc_library,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_library_close(library: *mut tc_library);
    pub fn tc_library_name(library: *const tc_library) -> *const c_char;
    pub fn tc_library_id(library: *const tc_library, id_out: *mut u8);
    pub fn tc_library_push(
        ep: *mut tc_ep,
        library: *mut tc_library,
        timeout_ns: u64,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_library_withdraw(
        ep: *mut tc_ep,
        library: *mut tc_library,
        timeout_ns: u64,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_library_install(
        ctx: *mut tc_context,
        library: *mut tc_library,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_library_remove(
        ctx: *mut tc_context,
        name: *const c_char,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_library_symbol(
        ctx: *mut tc_context,
        library: *const c_char,
        symbol: *const c_char,
    ) -> *mut c_void;
    pub fn tc_library_older(symbol: *const c_char) -> *mut c_void;
}
