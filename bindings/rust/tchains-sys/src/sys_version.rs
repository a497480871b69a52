//! `<tc/version.h>`. The version of the headers that this crate declares, and that of the
//! running library.

use crate::*;

pub const TC_VERSION_NUMBER: c_uint = 0x000100;
pub const TC_PROTOCOL_VERSION: c_uint = 3;

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_version_info {
    pub library: *const c_char,
    pub protocol: c_uint,
    pub ucx: *const c_char,
    pub llvm: *const c_char,
    pub triple: *const c_char,
    pub cpu: *const c_char,
    pub features: *const c_char,
}
