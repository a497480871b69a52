//! The function that the bindings' test sends: by the payload's first byte it answers, fails,
//! panics or counts.
#![no_std]
use tchains_ifunc::{ifunc, sys::TC_E_HOPS, Failure, Message};

ifunc! {
    fn sample(message: &mut Message) -> Result<(), Failure> {
        let bytes = message.payload();
        match bytes.first() {
            None => message.reply(b"nothing"),
            Some(b'e') => message.reply(&message_of(bytes)),
            Some(b'f') => Err(Failure::new(TC_E_HOPS, "as asked")),
            Some(b'i') => {
                let at = bytes.len() * 2; // behind the end
                let byte = bytes[at];
                message.reply(&[byte])
            }
            Some(b'c') => {
                // All zeros are 0, and no other version of this function is there.
                let count = unsafe { message.state::<u64>() }
                    .ok_or(Failure::new(TC_E_HOPS, "no memory"))?;
                *count += 1;
                let count = *count;
                message.reply(&count.to_ne_bytes())
            }
            Some(_) => {
                let length = bytes.len() as u64;
                message.reply(&length.to_ne_bytes())
            }
        }
    }
}

/// Four bytes of the payload, whatever it has.
fn message_of(bytes: &[u8]) -> [u8; 4] {
    let mut answer = [b'.'; 4];
    for (to, from) in answer.iter_mut().zip(bytes) {
        *to = *from;
    }
    answer
}
