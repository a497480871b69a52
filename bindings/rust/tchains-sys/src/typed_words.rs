//! Texts of prototypes, made when the program is compiled.

use crate::typed::Element;

const MAX: usize = 512;

/// A part of a prototype, in a constant.
#[derive(Clone, Copy)]
pub struct Words {
    bytes: [u8; MAX],
    length: usize,
}

impl Words {
    pub const fn new(text: &str) -> Words {
        let empty = Words {
            bytes: [0; MAX],
            length: 0,
        };
        empty.text(text)
    }

    pub const fn text(self, text: &str) -> Words {
        self.add(text.as_bytes(), text.len())
    }

    pub const fn words(self, other: Words) -> Words {
        self.add(&other.bytes, other.length)
    }

    pub const fn number(self, number: usize) -> Words {
        let before = if number >= 10 {
            self.number(number / 10)
        } else {
            self
        };
        before.add(&[b'0' + (number % 10) as u8], 1)
    }

    const fn add(mut self, bytes: &[u8], count: usize) -> Words {
        assert!(
            self.length + count < MAX,
            "the prototype has more than 511 characters"
        );
        let mut i = 0;
        while i < count {
            self.bytes[self.length] = bytes[i];
            self.length += 1;
            i += 1;
        }
        self
    }

    /// The bytes without a zero behind them.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// The text, with a zero byte behind it where N is above its length.
    pub const fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        let mut i = 0;
        while i < N && i < self.length {
            bytes[i] = self.bytes[i];
            i += 1;
        }
        bytes
    }
}

/// `(ARGUMENT,...)RESULT`
pub const fn prototype<const N: usize>(arguments: [Words; N], result: Words) -> Words {
    assert!(N <= 64, "a prototype has at most 64 arguments");
    let mut text = Words::new("(");
    let mut i = 0;
    while i < N {
        text = text.text(if i > 0 { "," } else { "" }).words(arguments[i]);
        i += 1;
    }
    text.text(")").words(result)
}

/// `way` and any number of elements.
pub(crate) const fn array<T: Element>(way: &str) -> Words {
    Words::new(way).words(T::TEXT).text("[]")
}

/// `{MEMBER,...}`, for `element!`.
pub const fn members<const N: usize>(members: [Words; N]) -> Words {
    let mut text = Words::new("{");
    let mut i = 0;
    while i < N {
        text = text.text(if i > 0 { "," } else { "" }).words(members[i]);
        i += 1;
    }
    text.text("}")
}
