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
//! `typed!` defines one with the parameters of its callers, which has a prototype.
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

pub mod am;
mod boundary;
mod message;
mod text;
pub mod typed;

pub use boundary::{run, ABANDONED};
pub use message::{Failure, Message, Status};
pub use tchains_sys as sys;
pub use tchains_sys::element;
pub use tchains_sys::typed::{InOut, Out};

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

/// Defines an operation of active messages:
///
/// ```ignore
/// am! {
///     fn sums(unit: &Unit, input: &[i64], output: &mut [i64], sums: &mut [i64]) -> Result<(), Failure> { ... }
/// }
/// ```
///
/// `NAME_main` in the archive has the rank check the message; then the function gets the input and
/// the output of all segments, and the range of the rank's window. Elements are of any type that
/// is `am::Plain`. An error becomes the failure of the unit.
#[macro_export]
macro_rules! am {
    ($(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),+ $(,)?) -> $result:ty $body:block) => {
        $(#[$attribute])*
        #[inline(always)]
        fn $name($($argument: $type),+) -> $result $body

        const _: () = {
            #[export_name = concat!(stringify!($name), "_payload_unit")]
            pub static UNIT: usize = 1;

            #[export_name = concat!(stringify!($name), "_main")]
            pub unsafe extern "C" fn main(
                payload: *mut $crate::sys::c_void,
                payload_size: usize,
                _target_args: *mut $crate::sys::c_void,
            ) {
                $crate::am::run(payload, payload_size, $name)
            }
        };
    };
}

/// Defines a hole, a constant that the function's sender sets (`Function::fill`, `tc_ifunc_fill`):
///
/// ```ignore
/// hole! { slope: f64 }
/// ```
///
/// `slope()` loads the value, so a loop keeps it in a variable. The type is a number, or another
/// one that is `am::Plain`. `tc-rustc` makes images alone of code with holes.
#[macro_export]
macro_rules! hole {
    ($(#[$attribute:meta])* $visible:vis $name:ident: $($type:tt)+) => {
        $(#[$attribute])*
        #[inline(always)]
        $visible fn $name() -> $($type)+ {
            #[no_mangle]
            #[allow(non_upper_case_globals)]
            #[link_section = $crate::hole_section!($($type)+)]
            static $name: $($type)+ =
                unsafe { ::core::mem::transmute([0u8; ::core::mem::size_of::<$($type)+>()]) };
            const fn plain<T: $crate::am::Plain>() {}
            const _: () = plain::<$($type)+>();
            unsafe { ::core::ptr::read_volatile(::core::ptr::addr_of!($name)) }
        }
    };
}

/// Where `hole!` puts a variable: its section states its kind.
#[doc(hidden)]
#[macro_export]
macro_rules! hole_section {
    (f32) => { ".tchole.floating" };
    (f64) => { ".tchole.floating" };
    (i8) => { ".tchole.integer" };
    (i16) => { ".tchole.integer" };
    (i32) => { ".tchole.integer" };
    (i64) => { ".tchole.integer" };
    (u8) => { ".tchole.integer" };
    (u16) => { ".tchole.integer" };
    (u32) => { ".tchole.integer" };
    (u64) => { ".tchole.integer" };
    ($($type:tt)+) => { ".tchole" };
}

/// Defines a function with the parameters of its callers:
///
/// ```ignore
/// typed! {
///     fn scaled(factor: f64, values: &mut [f32], about: &str) -> u64 { ... }
/// }
/// ```
///
/// The archive states the prototype that follows from the types, and the function runs on
/// messages that fit it, and whose texts are UTF-8. Parameters are numbers, bools, structs of
/// `element!`, arrays `[T; N]` of them, `&[T]`, `&str`; what comes back with the answer is a `&mut [T]`, an
/// `InOut<T>`, and, written here alone, an `Out<T>` or `Out<[T]>`. The result is nothing, or a
/// value of fixed size, perhaps in a `Result` with a `Failure`.
#[macro_export]
macro_rules! typed {
    ($(#[$attribute:meta])* fn $name:ident($($($argument:ident)+: $type:ty),* $(,)?) $body:block) => {
        $crate::typed! { $(#[$attribute])* fn $name($($($argument)+: $type),*) -> () $body }
    };
    ($(#[$attribute:meta])* fn $name:ident($($($argument:ident)+: $type:ty),* $(,)?) -> $result:ty $body:block) => {
        $(#[$attribute])*
        #[inline(always)]
        fn $name($($($argument)+: $type),*) -> $result $body

        const _: () = {
            use $crate::sys::typed::{prototype, Answered, Argument, Layout, Returned, Words};
            type Value = <$result as Returned>::Value;
            const TEXT: Words =
                prototype([$(<$type as Argument>::TEXT),*], <Value as Answered>::TEXT);
            #[export_name = concat!(stringify!($name), "_payload_prototype")]
            pub static PROTOTYPE: [u8; TEXT.length() + 1] = TEXT.bytes();

            fn entry(message: &mut $crate::Message) -> Result<(), $crate::Failure> {
                const COUNT: usize = <[&str]>::len(&[$(stringify!($type)),*]);
                const MESSAGE: Layout<COUNT> = Layout::new([$(<$type as Argument>::SENT),*]);
                const ANSWER: Layout<{ COUNT + 1 }> =
                    Layout::new([<Value as Answered>::VALUE, $(<$type as Argument>::BACK),*]);
                let mut values = match $crate::typed::Values::read(message, &MESSAGE) {
                    Some(values) => values,
                    None => return Ok(()),
                };
                let mut counts = [1u64; COUNT + 1];
                $(
                    let place = values.next();
                    counts[place] = unsafe { values.back_count::<$type>() };
                )*
                let mut answer = match $crate::typed::Answer::begin(&ANSWER, counts)? {
                    Some(answer) => answer,
                    None => return Ok(()),
                };
                values.rewind();
                let result = $name($({
                    let place = values.next();
                    match unsafe { values.take::<$type, { COUNT + 1 }>(&answer, place) } {
                        Some(value) => value,
                        None => return Ok(()),
                    }
                }),*);
                let result = Returned::result(result)?;
                answer.send(&result)
            }

            #[export_name = concat!(stringify!($name), "_main")]
            pub unsafe extern "C" fn main(
                payload: *mut $crate::sys::c_void,
                payload_size: usize,
                target_args: *mut $crate::sys::c_void,
            ) {
                $crate::run(payload, payload_size, target_args, entry)
            }
        };
    };
}
