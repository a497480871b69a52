// ifuncs/tsi.c in Rust.
#![no_std]

use core::ffi::c_void;

#[no_mangle]
pub unsafe extern "C" fn tsi_rust_main(_payload: *mut c_void, _size: usize, count: *mut u64) {
    *count += 1;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

#[no_mangle] // older versions of rustc name it though nothing unwinds
extern "C" fn rust_eh_personality() {}
