//! The C API of Three-Chains as its headers declare it, function by function: `include/tc` has
//! the meaning of each call, its statuses and ownership. A test compares all declarations here
//! with those headers, and the layout of structs with a C compiler's.
//!
//! Written for Rust 1.63 and newer, without the standard library, so that functions which are
//! sent can use it, too. The crate `tchains` is the safe layer for programs, `tchains-ifunc` that
//! for functions.
#![no_std]
#![allow(non_camel_case_types)]

pub use core::ffi::c_void;

pub type c_int = i32;
pub type c_uint = u32;
/// Plain `char` of C.
#[cfg(target_arch = "aarch64")]
pub type c_char = u8;
#[cfg(not(target_arch = "aarch64"))]
pub type c_char = i8;

/// An object of the library's, which only the library looks into.
macro_rules! opaque {
    ($name:ident) => {
        #[repr(C)]
        pub struct $name {
            _bytes: [u8; 0],
            _neither_send_nor_sync: core::marker::PhantomData<*mut u8>,
        }
    };
}

mod sys_abi;
mod sys_advanced;
mod sys_am_entry;
mod sys_call;
mod sys_context;
mod sys_endpoint;
mod sys_entry;
mod sys_group;
mod sys_ifunc;
mod sys_library;
mod sys_options;
mod sys_package;
mod sys_status;
mod sys_task;
mod sys_task_sync;
mod sys_thread;
mod sys_version;
mod sys_window;
mod sys_window_rows;
mod sys_window_view;
pub mod typed;
mod typed_layout;
mod typed_words;

pub use sys_abi::*;
pub use sys_advanced::*;
pub use sys_am_entry::*;
pub use sys_call::*;
pub use sys_context::*;
pub use sys_endpoint::*;
pub use sys_entry::*;
pub use sys_group::*;
pub use sys_ifunc::*;
pub use sys_library::*;
pub use sys_options::*;
pub use sys_package::*;
pub use sys_status::*;
pub use sys_task::*;
pub use sys_task_sync::*;
pub use sys_thread::*;
pub use sys_version::*;
pub use sys_window::*;
pub use sys_window_rows::*;
pub use sys_window_view::*;

#[cfg_attr(not(feature = "function"), link(name = "tchains"))]
extern "C" {}
