//! `<tc/task.h>`. Functions that wait.

use crate::*;

extern "C" {
    pub fn tc_task_run(
        body: Option<
            unsafe extern "C" fn(
                payload: *mut c_void,
                payload_size: usize,
                target_args: *mut c_void,
            ),
        >,
        exceptions: Option<unsafe extern "C" fn() -> *mut c_void>,
        payload: *mut c_void,
        payload_size: usize,
        target_args: *mut c_void,
    );
    #[must_use]
    pub fn tc_task_sleep(ns: u64) -> tc_status;
    pub fn tc_task_count(ctx: *const tc_context) -> usize;
}
