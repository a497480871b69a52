//! `<tc/package.h>`. Packages: functions and the libraries that they share.

use crate::*;

pub const TC_PACKAGE_ID_BYTES: usize = 16;
opaque!(tc_package);

extern "C" {
    pub fn tc_package_open(
        ctx: *mut tc_context,
        path: *const c_char,
        id: *const u8,
        package_out: *mut *mut tc_package,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_package_use_local(
        ctx: *mut tc_context,
        path: *const c_char,
        package_out: *mut *mut tc_package,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_package_close(package: *mut tc_package);
    pub fn tc_package_name(package: *const tc_package) -> *const c_char;
    pub fn tc_package_id(package: *const tc_package, id_out: *mut u8);
    pub fn tc_package_count(package: *const tc_package) -> usize;
    pub fn tc_package_number(package: *const tc_package, place: usize) -> u32;
    pub fn tc_package_ifunc(package: *const tc_package, number: u32) -> *mut tc_ifunc;
    pub fn tc_package_library(package: *const tc_package, number: u32) -> *mut tc_library;
    pub fn tc_package_find(package: *const tc_package, name: *const c_char) -> *mut tc_ifunc;
    pub fn tc_package_push(
        ep: *mut tc_ep,
        package: *const tc_package,
        timeout_ns: u64,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_package_install(
        ctx: *mut tc_context,
        package: *const tc_package,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_package_prepare(
        ep: *mut tc_ep,
        package: *const tc_package,
        timeout_ns: u64,
        err: *mut tc_error,
    ) -> tc_status;
}
