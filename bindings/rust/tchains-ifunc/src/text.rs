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
        let space = self.bytes.len() - 1 - self.used;
        let count = if text.len() < space {
            text.len()
        } else {
            space
        };
        // `used` never exceeds the array's length but for the zero.
        unsafe {
            let to = self.bytes.as_mut_ptr().add(self.used);
            core::ptr::copy_nonoverlapping(text.as_ptr(), to, count);
        }
        self.used += count;
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

    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.used]).unwrap_or("")
    }

    /// Valid while the text is.
    #[inline]
    pub(crate) fn as_ptr(&self) -> *const c_char {
        self.bytes.as_ptr() as *const c_char
    }
}
