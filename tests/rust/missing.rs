//! Calls a symbol that no process has.
#![no_std]
use tchains_ifunc::{ifunc, Failure, Message};

extern "C" {
    fn nobody_defines_this() -> i32;
}

ifunc! {
    fn missing(message: &mut Message) -> Result<(), Failure> {
        let number = unsafe { nobody_defines_this() };
        message.reply(&number.to_ne_bytes())
    }
}
