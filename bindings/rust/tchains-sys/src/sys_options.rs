//! `<tc/options.h>`. Options by name.

use crate::*;

opaque!(tc_options);

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_option_info {
    pub name: *const c_char,
    pub env: *const c_char,
    pub unit: *const c_char,
    pub default_value: *const c_char,
    pub range: *const c_char,
    pub help: *const c_char,
}

extern "C" {
    pub fn tc_options_create(opts_out: *mut *mut tc_options, err: *mut tc_error) -> tc_status;
    pub fn tc_options_destroy(opts: *mut tc_options);
    pub fn tc_options_set(
        opts: *mut tc_options,
        name: *const c_char,
        value: *const c_char,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_options_get(
        opts: *const tc_options,
        name: *const c_char,
        buf: *mut c_char,
        size: usize,
    ) -> tc_status;
    pub fn tc_options_count() -> usize;
    pub fn tc_options_info(index: usize) -> *const tc_option_info;
}
