//! Programs in Rust that send functions, or run those that arrive.
//!
//! ```no_run
//! use std::time::Duration;
//! use tchains::Context;
//!
//! fn main() -> Result<(), tchains::Error> {
//!     let context = Context::new()?;
//!     let node = context.connect("127.0.0.1:7000", Duration::ZERO)?;
//!     let length = context.open("length")?;
//!     let answer = node.call(&length, b"hello", 8, Duration::ZERO)?;
//!     println!("{} bytes", answer.len());
//!     Ok(())
//! }
//! ```
//!
//! **Threads.** A context belongs to one thread at a time, and so does all that is made from it. So
//! a `Context` is `Send` and not `Sync`; endpoints and functions borrow it and are neither, and
//! while one lives the context stays where it is. `Waker` alone goes to other threads.
//!
//! **Ownership.** Endpoints and functions give themselves back when they are dropped, and the
//! borrow checker has them go before their context. Payloads are the program's again
//! when a call returns; `Sending` has one for as long as the library may read it. Peers change
//! `Memory` by windows: it is copied or changed by atomic operations, and is never a slice.
//!
//! **Failures.** `Error` has the library's status and its text. A panic in a callback of yours does
//! not unwind through the library: it goes on where your call of the library returns.
//!
//! A `Duration` of zero is the option that the header of the C function names, or, where it
//! names none, polls once; `Duration::MAX` waits for ever.

mod access;
mod call;
mod context;
mod endpoint;
mod error;
mod function;
mod group;
mod hole;
mod library;
mod memory;
mod options;
mod package;
mod serving;
mod step;
pub mod typed;
mod window;

pub use access::WindowAccess;
pub use call::CallId;
pub use context::{Context, Event};
pub use endpoint::{Endpoint, EndpointInfo, Peer, Sending};
pub use error::{Error, Status};
pub use function::{Bitcode, Function};
pub use group::{Group, Member};
pub use hole::Hole;
pub use library::{Library, LibraryInfo};
pub use memory::Memory;
pub use options::Options;
pub use package::Package;
pub use serving::{Listener, Serving, Waker};
pub use step::{Outcome, Step};
pub use tchains_sys as sys;
pub use tchains_sys::element;
pub use tchains_sys::typed::{InOut, Out};
pub use window::{GlobalPointer, Rights, View, Window, WindowParams};

use std::time::Duration;

/// The versions of the library, of UCX and of LLVM here: "0.1.0", "1.13.1", "19.1.7" or "none".
pub fn versions() -> (String, String, String) {
    let mut info: sys::tc_version_info = unsafe { std::mem::zeroed() };
    unsafe { sys::tc_version_query_sized(&mut info, std::mem::size_of_val(&info)) };
    unsafe {
        (
            error::owned(info.library),
            error::owned(info.ucx),
            error::owned(info.llvm),
        )
    }
}

fn nanoseconds(timeout: Duration) -> u64 {
    u64::try_from(timeout.as_nanos()).unwrap_or(sys::TC_FOREVER)
}
