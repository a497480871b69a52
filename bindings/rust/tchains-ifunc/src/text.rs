//! A text that ends in a zero byte, without an allocator.

use tchains_sys::c_char;

/// As much of a text as the library sends.
pub(crate) struct Text {
    bytes: [u8; 401],
    used: usize,
}

impl Text {
    #[inline]
    pub(crate) fn new() -> Text {
        Text {
            bytes: [0; 401],
            used: 0,
        }
    }

    #[inline]
    pub(crate) fn add(&mut self, text: &str) {
        for byte in text.bytes() {
            if self.used < self.bytes.len() - 1 {
                self.bytes[self.used] = byte;
                self.used += 1;
            }
        }
    }

    /// Without `core::fmt`, which would be most of a small function's code.
    #[inline]
    pub(crate) fn add_number(&mut self, number: u64) {
        if number >= 10 {
            self.add_number(number / 10);
        }
        let digit = [b'0' + (number % 10) as u8];
        self.add(core::str::from_utf8(&digit).unwrap_or("?"));
    }

    /// Valid while the text is.
    #[inline]
    pub(crate) fn as_ptr(&self) -> *const c_char {
        self.bytes.as_ptr() as *const c_char
    }
}
