#![no_std]
use tchains_ifunc::{ifunc, Failure, Message};

ifunc! {
    /// The sum of the values over a limit, which stands in front of them.
    fn over_rust(message: &mut Message) -> Result<(), Failure> {
        let (limit, values) = match message.numbers()? {
            [limit, values @ ..] => (*limit, values),
            [] => return Err(Failure::new(tchains_ifunc::sys::TC_E_INVALID, "no limit")),
        };
        // sum() of no element is -0.0 since Rust 1.83.
        let sum = values.iter().filter(|value| **value > limit).fold(0.0, |sum, value| sum + value);
        message.reply(&sum.to_ne_bytes())
    }
}
