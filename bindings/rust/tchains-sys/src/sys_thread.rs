//! `<tc/thread.h>`. A thread of the library's that progresses a context, and the lock for others.

use crate::*;

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_thread_params {
    pub name: *const c_char,
    pub pinned: c_uint,
    pub cpu: c_uint,
}

extern "C" {
    pub fn tc_context_stop_thread(ctx: *mut tc_context, err: *mut tc_error) -> tc_status;
    pub fn tc_context_lock(
        ctx: *mut tc_context,
        timeout_ns: u64,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_context_unlock(ctx: *mut tc_context);
}
