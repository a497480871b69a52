// ifuncs/chase_reply.c in Rust.
#![no_std]

use core::ffi::c_void;

#[repr(C)]
pub struct Shard {
    entries: *const u64,
    rank: u64,
    place_bits: u64,
}

#[repr(C)]
pub struct Step {
    address: u64,
    depth: u64,
}

extern "C" {
    fn tc_reply(data: *const c_void, size: usize) -> i32;
    fn tc_forward(rank: u32, payload: *const c_void, size: usize) -> i32;
}

unsafe fn walk(shard: &Shard, step: &mut Step) {
    let places = 1u64 << shard.place_bits;
    let first = shard.rank * places;
    let (mut address, mut depth) = (step.address, step.depth);
    while depth > 0 && address.wrapping_sub(first) < places {
        address = *shard.entries.add((address - first) as usize);
        depth -= 1;
    }
    step.address = address;
    step.depth = depth;
}

#[no_mangle]
pub unsafe extern "C" fn chase_reply_rust_main(step: &mut Step, size: usize, shard: &Shard) {
    walk(shard, step);
    if step.depth == 0 {
        tc_reply(&step.address as *const u64 as *const c_void, 8);
    } else {
        let owner = (step.address >> shard.place_bits) as u32;
        tc_forward(owner, step as *const Step as *const c_void, size);
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

#[no_mangle] // older versions of rustc name it though nothing unwinds
extern "C" fn rust_eh_personality() {}
