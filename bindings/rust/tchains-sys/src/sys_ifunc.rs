//! `<tc/ifunc.h>`. Functions that can be sent.

use crate::*;

pub const TC_IFUNC_ID_BYTES: usize = 16;
opaque!(tc_ifunc);
opaque!(tc_message);

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

extern "C" {
    pub fn tc_ifunc_open(
        ctx: *mut tc_context,
        name: *const c_char,
        fn_out: *mut *mut tc_ifunc,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ifunc_open_file(
        ctx: *mut tc_context,
        path: *const c_char,
        fn_out: *mut *mut tc_ifunc,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ifunc_open_memory(
        ctx: *mut tc_context,
        archive: *const c_void,
        archive_size: usize,
        deps: *const c_char,
        deps_size: usize,
        fn_out: *mut *mut tc_ifunc,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ifunc_open_signed(
        ctx: *mut tc_context,
        archive: *const c_void,
        archive_size: usize,
        deps: *const c_char,
        deps_size: usize,
        signature: *const c_char,
        signature_size: usize,
        fn_out: *mut *mut tc_ifunc,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ifunc_open_bitcode_sized(
        ctx: *mut tc_context,
        name: *const c_char,
        slices: *const tc_bitcode,
        count: usize,
        slice_size: usize,
        deps: *const c_char,
        deps_size: usize,
        fn_out: *mut *mut tc_ifunc,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ifunc_signer(func: *const tc_ifunc) -> *const c_char;
    pub fn tc_ifunc_close(func: *mut tc_ifunc);
    pub fn tc_ifunc_name(func: *const tc_ifunc) -> *const c_char;
    pub fn tc_ifunc_id(func: *const tc_ifunc, id_out: *mut u8);
    pub fn tc_ifunc_code_size(func: *const tc_ifunc) -> usize;
    pub fn tc_ifunc_payload_alignment(func: *const tc_ifunc) -> usize;
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
    pub fn tc_send_uncached(
        ep: *mut tc_ep,
        func: *mut tc_ifunc,
        source_args: *const c_void,
        size: usize,
    ) -> tc_status;
    pub fn tc_send_injected(
        ep: *mut tc_ep,
        func: *mut tc_ifunc,
        source_args: *const c_void,
        size: usize,
    ) -> tc_status;
    pub fn tc_ifunc_use_local(
        func: *mut tc_ifunc,
        main: Option<
            unsafe extern "C" fn(
                payload: *mut c_void,
                payload_size: usize,
                target_args: *mut c_void,
            ),
        >,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ifunc_use_local_entries(
        func: *mut tc_ifunc,
        main: Option<
            unsafe extern "C" fn(
                payload: *mut c_void,
                payload_size: usize,
                target_args: *mut c_void,
            ),
        >,
        payload_get_max_size: Option<
            unsafe extern "C" fn(source_args: *mut c_void, source_args_size: usize) -> usize,
        >,
        payload_init: Option<
            unsafe extern "C" fn(
                payload: *mut c_void,
                payload_size: usize,
                source_args: *mut c_void,
                source_args_size: usize,
            ) -> c_int,
        >,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_message_create(
        func: *mut tc_ifunc,
        source_args: *const c_void,
        size: usize,
        message_out: *mut *mut tc_message,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_message_payload(message: *mut tc_message, size_out: *mut usize) -> *mut c_void;
    pub fn tc_message_send(ep: *mut tc_ep, message: *const tc_message) -> tc_status;
    pub fn tc_message_destroy(message: *mut tc_message);
}
