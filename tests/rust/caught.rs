//! With the standard library: words of a text, and panics that are caught.
use std::collections::BTreeMap;
use tchains_ifunc::{ifunc, Failure, Message};

ifunc! {
    fn caught(message: &mut Message) -> Result<(), Failure> {
        let text = std::str::from_utf8(message.payload())?;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for word in text.split_whitespace() {
            *counts.entry(word).or_default() += 1;
        }
        if counts.is_empty() {
            panic!("no word in {} bytes", text.len());
        }
        let answer = format!("{:?}", counts);
        message.reply(answer.as_bytes())
    }
}
