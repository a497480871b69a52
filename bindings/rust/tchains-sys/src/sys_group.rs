//! `<tc/group.h>`. Groups.

use crate::*;

pub const TC_GROUP_SIZE_MAX: u32 = 65536;
pub const TC_PROGRAM_NONE: u32 = u32::MAX;
pub const TC_PROGRAM_NAME_MAX: u32 = 64;
opaque!(tc_group);

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_group_member {
    pub address: *const c_void,
    pub size: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_group_params {
    pub id: u64,
    pub rank: u32,
    pub size: u32,
    pub members: *const tc_group_member,
}

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_group_call_params {
    pub results: *mut c_void,
    pub result_capacity: usize,
    pub sizes: *mut usize,
    pub statuses: *mut tc_status,
    pub timeout_ns: u64,
}

extern "C" {
    pub fn tc_group_create_hosts(
        ctx: *mut tc_context,
        hosts: *const c_char,
        rank: u32,
        group_out: *mut *mut tc_group,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_group_join(
        ctx: *mut tc_context,
        timeout_ns: u64,
        group_out: *mut *mut tc_group,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_group_destroy(group: *mut tc_group);
    pub fn tc_group_rank(group: *const tc_group) -> u32;
    pub fn tc_group_size(group: *const tc_group) -> u32;
    pub fn tc_group_id(group: *const tc_group) -> u64;
    pub fn tc_group_context(group: *const tc_group) -> *mut tc_context;
    pub fn tc_group_program(
        group: *const tc_group,
        rank: u32,
        name_out: *mut *const c_char,
    ) -> u32;
    pub fn tc_group_ep(
        group: *mut tc_group,
        rank: u32,
        ep_out: *mut *mut tc_ep,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_group_send(
        group: *mut tc_group,
        rank: u32,
        func: *mut tc_ifunc,
        source_args: *const c_void,
        size: usize,
    ) -> tc_status;
    pub fn tc_group_connect(
        group: *mut tc_group,
        timeout_ns: u64,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_group_barrier(
        group: *mut tc_group,
        timeout_ns: u64,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_group_failures(group: *const tc_group, err: *mut tc_error) -> u64;
}
