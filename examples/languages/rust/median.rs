//! The median of a column of doubles, sorted where it arrived. The answer is one double.
#![no_std]
use tchains_ifunc::{ifunc, sys::TC_E_INVALID, Failure, Message};

ifunc! {
    fn median(message: &mut Message) -> Result<(), Failure> {
        let column = message.numbers_mut()?;
        if column.is_empty() || column.iter().any(|value| value.is_nan()) {
            return Err(Failure::new(TC_E_INVALID, "expected numbers, one at least"));
        }
        let middle = column.len() / 2;
        let (_, &mut median, _) = column.select_nth_unstable_by(middle, f64::total_cmp);
        message.reply(&median.to_ne_bytes())
    }
}
