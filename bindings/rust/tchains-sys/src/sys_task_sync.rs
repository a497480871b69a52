//! `<tc/task_sync.h>`. Locks, conditions and semaphores of functions that wait.

use crate::*;

#[repr(C)]
pub struct tc_task_lock {
    pub context: *mut tc_context,
    pub reserved: [u64; 3],
}

#[repr(C)]
pub struct tc_task_condition {
    pub context: *mut tc_context,
    pub reserved: [u64; 3],
}

#[repr(C)]
pub struct tc_task_semaphore {
    pub context: *mut tc_context,
    pub count: u64,
    pub count_max: u64,
    pub reserved: u64,
}

extern "C" {
    #[must_use]
    pub fn tc_task_lock_acquire(lock: *mut tc_task_lock, timeout_ns: u64) -> tc_status;
    pub fn tc_task_lock_release(lock: *mut tc_task_lock) -> tc_status;
    #[must_use]
    pub fn tc_task_condition_wait(
        condition: *mut tc_task_condition,
        lock: *mut tc_task_lock,
        timeout_ns: u64,
    ) -> tc_status;
    pub fn tc_task_condition_signal(condition: *mut tc_task_condition, count: u64) -> tc_status;
    #[must_use]
    pub fn tc_task_semaphore_acquire(
        semaphore: *mut tc_task_semaphore,
        timeout_ns: u64,
    ) -> tc_status;
    pub fn tc_task_semaphore_release(semaphore: *mut tc_task_semaphore, units: u64) -> tc_status;
    #[must_use]
    pub fn tc_task_enter(object: u64) -> tc_status;
    pub fn tc_task_leave(object: u64) -> tc_status;
    pub fn tc_task_forget(context: *mut tc_context, object: u64) -> tc_status;
}
