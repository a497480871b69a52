//! `<tc/advanced.h>`. Rare calls of contexts, endpoints and functions.

use crate::*;

opaque!(tc_message);

pub type tc_interrupt_callback = Option<unsafe extern "C" fn(user: *mut c_void) -> c_int>;

pub type tc_connection_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, connection: c_int, peer: *const c_char)>;

extern "C" {
    pub fn tc_context_reload_trust(ctx: *mut tc_context, err: *mut tc_error) -> tc_status;
    pub fn tc_context_reopen_audit(ctx: *mut tc_context, err: *mut tc_error) -> tc_status;
    pub fn tc_context_set_interrupt(
        ctx: *mut tc_context,
        callback: tc_interrupt_callback,
        user: *mut c_void,
    );
    pub fn tc_context_address(ctx: *mut tc_context, size_out: *mut usize) -> *const c_void;
    pub fn tc_wait_instruction() -> *const c_char;
    pub fn tc_context_fd(ctx: *const tc_context) -> c_int;
    pub fn tc_context_arm(ctx: *mut tc_context) -> tc_status;
    pub fn tc_listener_hand_over(
        listener: *mut tc_listener,
        callback: tc_connection_callback,
        user: *mut c_void,
    );
    pub fn tc_listener_open_socket(
        ctx: *mut tc_context,
        socket: c_int,
        listener_out: *mut *mut tc_listener,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_listener_open_handed(
        ctx: *mut tc_context,
        channel: c_int,
        listener_out: *mut *mut tc_listener,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_connection_end(ctx: *mut tc_context, connection: c_int, reason: *const c_char);
    pub fn tc_context_start_compiler(ctx: *mut tc_context, err: *mut tc_error) -> tc_status;
    pub fn tc_stats_count() -> usize;
    pub fn tc_stats_name(index: usize) -> *const c_char;
    pub fn tc_stats_value(ctx: *const tc_context, index: usize) -> u64;
    pub fn tc_ep_connect_address(
        ctx: *mut tc_context,
        address: *const c_void,
        size: usize,
        timeout_ns: u64,
        ep_out: *mut *mut tc_ep,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ifunc_id(func: *const tc_ifunc, id_out: *mut u8);
    pub fn tc_ifunc_signer(func: *const tc_ifunc) -> *const c_char;
    pub fn tc_ifunc_code_size(func: *const tc_ifunc) -> usize;
    pub fn tc_ifunc_payload_alignment(func: *const tc_ifunc) -> usize;
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
