//! `<tc/context.h>`. Contexts and listeners, progress.

use crate::*;

opaque!(tc_context);
opaque!(tc_listener);
opaque!(tc_ep);

pub type tc_ep_event = c_int;
pub const TC_EP_OPENED: tc_ep_event = 1;
pub const TC_EP_CLOSED: tc_ep_event = 2;
pub const TC_EP_FAILED: tc_ep_event = 3;

pub type tc_ep_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, ep: *mut tc_ep, event: tc_ep_event)>;

extern "C" {
    pub fn tc_context_destroy(ctx: *mut tc_context);
    pub fn tc_context_finish(
        ctx: *mut tc_context,
        timeout_ns: u64,
        lost_out: *mut u64,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_context_drain(
        ctx: *mut tc_context,
        timeout_ns: u64,
        lost_out: *mut u64,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_context_set_target_args(ctx: *mut tc_context, target_args: *mut c_void);
    pub fn tc_context_publish(
        ctx: *mut tc_context,
        name: *const c_char,
        data: *mut c_void,
        size: usize,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_context_set_ep_callback(
        ctx: *mut tc_context,
        callback: tc_ep_callback,
        user: *mut c_void,
    );
    pub fn tc_progress(ctx: *mut tc_context) -> c_uint;
    pub fn tc_wait(ctx: *mut tc_context, timeout_ns: u64) -> tc_status;
    pub fn tc_wake(ctx: *mut tc_context);
    pub fn tc_serve(ctx: *mut tc_context, until: *const c_int) -> tc_status;
    pub fn tc_serve_until_signal(ctx: *mut tc_context, signal_out: *mut c_int) -> tc_status;
    pub fn tc_listener_open(
        ctx: *mut tc_context,
        host_port: *const c_char,
        listener_out: *mut *mut tc_listener,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_listener_port(listener: *const tc_listener) -> u16;
    pub fn tc_listener_fd(listener: *const tc_listener) -> c_int;
    pub fn tc_listener_close(listener: *mut tc_listener);
}
