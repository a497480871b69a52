//! Between C, which calls `NAME_main`, and Rust: errors become statuses, panics do not leave.

use crate::message::{Failure, Message};
use crate::text::Text;
use tchains_sys::*;

/// The failure of a function that panicked.
pub const ABANDONED: tc_status = TC_E_THROWN;

#[inline]
pub(crate) fn fail(status: tc_status, text: &Text) {
    unsafe { tc_self_fail(status, text.as_ptr()) }
}

#[inline]
fn report(result: Result<(), Failure>) {
    if let Err(failure) = result {
        let mut text = Text::new();
        text.add(failure.text);
        fail(failure.status, &text);
    }
}

/// Runs a body whose panic does not leave. Returns whether it has returned.
///
/// # Safety
/// Without the standard library a panic drops nothing that the body made.
#[cfg(all(not(feature = "std"), feature = "abort"))]
#[inline(always)]
pub(crate) unsafe fn guarded<F: FnMut()>(mut body: F) -> bool {
    body();
    true
}

/// Runs a body whose panic does not leave. Returns whether it has returned.
///
/// # Safety
/// Without the standard library a panic drops nothing that the body made.
#[cfg(not(any(feature = "std", feature = "abort")))]
#[inline(always)]
pub(crate) unsafe fn guarded<F: FnMut()>(mut body: F) -> bool {
    unsafe extern "C" fn call<F: FnMut()>(argument: *mut c_void) {
        (*(argument as *mut F))()
    }
    // A panic reports the reason itself, in its handler.
    tc_self_guard(Some(call::<F>), &mut body as *mut F as *mut c_void) == 0
}

/// Runs a body whose panic does not leave. Returns whether it has returned.
///
/// # Safety
/// None is needed; the other variants need some.
#[cfg(feature = "std")]
#[inline(always)]
pub(crate) unsafe fn guarded<F: FnMut()>(body: F) -> bool {
    let panic = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)) {
        Ok(()) => return true,
        Err(panic) => panic,
    };
    let mut text = Text::new();
    text.add("the function panicked: ");
    text.add(
        match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(said), _) => said,
            (_, Some(said)) => said,
            _ => "no text",
        },
    );
    fail(ABANDONED, &text);
    false
}

/// The body of `NAME_main`, used by `ifunc!`.
///
/// # Safety
/// The arguments are those of `NAME_main`.
#[inline(always)]
pub unsafe fn run<F>(
    payload: *mut c_void,
    payload_size: usize,
    target_args: *mut c_void,
    function: F,
) where
    F: Fn(&mut Message) -> Result<(), Failure>,
{
    let mut message = Message::new(payload, payload_size, target_args);
    guarded(|| report(function(&mut message)));
}

#[cfg(not(feature = "std"))]
mod without_unwinding {
    use super::{fail, Text, ABANDONED};
    use core::panic::PanicInfo;

    extern "C" {
        fn abort() -> !;
    }

    #[panic_handler]
    fn panicked(info: &PanicInfo) -> ! {
        let mut text = Text::new();
        text.add("the function panicked");
        if let Some(place) = info.location() {
            text.add(" at ");
            text.add(place.file());
            text.add(":");
            text.add_number(place.line().into());
        }
        fail(ABANDONED, &text);
        // Does not return but in a thread that the function has started, or where nothing is to
        // be left: with the feature `abort`.
        #[cfg(not(feature = "abort"))]
        unsafe {
            tchains_sys::tc_self_abandon()
        }
        unsafe { abort() }
    }

    /// `core` was compiled to unwind and names this. Unwinding through the function, such as by
    /// `pthread_exit`, has nothing to do here (`_URC_CONTINUE_UNWIND`).
    #[no_mangle]
    extern "C" fn rust_eh_personality() -> i32 {
        8
    }
}
