//! Functions that are sent, in Rust.
//!
//! ```ignore
//! #![no_std]
//! use tchains_ifunc::{ifunc, Failure, Message};
//!
//! ifunc! {
//!     fn length(message: &mut Message) -> Result<(), Failure> {
//!         let length = message.payload().len() as u64;
//!         message.reply(&length.to_le_bytes())
//!     }
//! }
//! ```
//!
//! `tc-rustc length.rs` makes `length.tca` of it. Functions of `core` that it calls become code
//! of its own, so it needs nothing of Rust where it runs.
//!
//! A panic never leaves the function: the caller gets the panic's text as the failure of its
//! call, and the process goes on. Without the standard library there is no unwinding. Nothing
//! is dropped then: locks that the function holds stay locked, and values on its stack are
//! gone, also if something else has its address. With `tc-rustc --panic abort` the process ends
//! instead, by SIGABRT, in a line that names the function. With the standard library (`tc-rustc
//! --std`) the panic is caught, and values are dropped.
#![cfg_attr(not(feature = "std"), no_std)]

mod boundary;
mod message;
mod text;

pub use boundary::{run, ABANDONED};
pub use message::{Failure, Message, Status};
pub use tchains_sys as sys;

/// Defines a function: `fn NAME(message: &mut Message) -> Result<(), Failure>`, with the entry
/// `NAME_main` in the archive. An error becomes the failure of the call.
#[macro_export]
macro_rules! ifunc {
    ($(#[$attribute:meta])* fn $name:ident($message:ident: $kind:ty) -> $result:ty $body:block) => {
        $(#[$attribute])*
        #[inline(always)]
        fn $name($message: $kind) -> $result $body

        const _: () = {
            #[export_name = concat!(stringify!($name), "_main")]
            pub unsafe extern "C" fn main(
                payload: *mut $crate::sys::c_void,
                payload_size: usize,
                target_args: *mut $crate::sys::c_void,
            ) {
                $crate::run(payload, payload_size, target_args, $name)
            }
        };
    };
}
