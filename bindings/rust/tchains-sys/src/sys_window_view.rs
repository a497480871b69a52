//! `<tc/window_view.h>`. Windows that peers map.

use crate::*;

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_window_view {
    pub memory: *mut u64,
    pub get_words: u64,
    pub put_words: u64,
    pub atomic_words: u64,
    pub bytes: u64,
    pub rights: u32,
}

extern "C" {
    pub fn tc_window_memory(ctx: *const tc_context, window: tc_gptr) -> *mut c_void;
    pub fn tc_window_map(
        ep: *mut tc_ep,
        window: tc_gptr,
        timeout_ns: u64,
        view_out: *mut *const tc_window_view,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_window_unmap(ctx: *mut tc_context, view: *const tc_window_view) -> tc_status;
}
