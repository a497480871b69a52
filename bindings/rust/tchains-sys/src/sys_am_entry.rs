//! `<tc/am_entry.h>`. Operations of active messages that travel, and their unit (`<tc/am_op.h>`).

use crate::*;

pub const TC_AM_ABI: u32 = 1;
pub const TC_AM_TEXT_MAX: usize = 160;

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_am_unit {
    pub input: *const c_void,
    pub output: *mut c_void,
    pub persistent: *mut c_void,
    pub persistent_bytes: u64,
    pub input_bytes: u32,
    pub output_bytes: u32,
    pub segments: u32,
    pub first: u32,
    pub description: *const c_void,
    pub description_bytes: u32,
    pub origin: u32,
    pub status: tc_status,
    pub text: [c_char; TC_AM_TEXT_MAX],
}

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_am_node {
    pub abi: u32,
    pub unused: u32,
    pub begin: Option<
        unsafe extern "C" fn(
            node: *const tc_am_node,
            payload: *const c_void,
            size: usize,
            unit_out: *mut tc_am_unit,
        ) -> c_int,
    >,
    pub end: Option<
        unsafe extern "C" fn(node: *const tc_am_node, unit: *mut tc_am_unit, returned: c_int),
    >,
}
