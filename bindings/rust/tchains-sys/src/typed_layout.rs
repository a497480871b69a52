//! The offsets of the values of a message or an answer: a C struct, in which each varying value
//! but the last has its number of elements, and behind it the elements.
//!
//! A peer has chosen the numbers. `read` reads each of them once and compares it with the bytes
//! that there are; nothing else is derived from the bytes before that.

use core::mem::{align_of, size_of};

/// One value of a message or of an answer.
#[derive(Clone, Copy)]
pub struct Value {
    size: usize, // of a varying value: of one element
    alignment: usize,
    varies: bool,
    is_there: bool,
}

impl Value {
    /// No value: an argument has none here.
    pub const NONE: Value = Value {
        size: 0,
        alignment: 1,
        varies: false,
        is_there: false,
    };

    pub const fn fixed<T>() -> Value {
        assert!(align_of::<T>() <= 16, "payloads are aligned to 16");
        assert!(size_of::<T>() > 0, "a value has bytes");
        Value {
            size: size_of::<T>(),
            alignment: align_of::<T>(),
            varies: false,
            is_there: true,
        }
    }

    pub const fn varying<T>() -> Value {
        let mut value = Value::fixed::<T>();
        value.varies = true;
        value
    }
}

/// The difference of a message from its prototype.
#[derive(Clone, Copy, Debug)]
pub enum Misfit {
    /// The bytes that there are, and those that there have to be.
    Size(usize, usize),
    /// The bytes that there are, and the smallest number of them.
    Short(usize, usize),
    /// The bytes of the last array, and those of one element.
    Rest(usize, usize),
    /// A number of elements, and the largest one that fits.
    Elements(u64, usize),
    /// A number of elements, and the expected one.
    Changed(usize, usize),
    /// A text is not UTF-8, or a bool is neither 0 nor 1.
    Invalid(&'static str),
}

impl Misfit {
    /// Gives a sink the text in pieces: words, and a number behind each of them.
    #[inline]
    pub fn say(&self, sink: &mut dyn FnMut(&'static str, Option<u64>)) {
        let (first, found, second, expected) = match *self {
            Misfit::Size(found, size) => ("", found as u64, " bytes, expected ", size),
            Misfit::Short(found, least) => {
                ("", found as u64, " bytes, expected at least ", least)
            }
            Misfit::Rest(found, unit) => {
                let text = " bytes in its last array, expected a multiple of ";
                ("", found as u64, text, unit)
            }
            Misfit::Elements(found, most) => {
                ("an array of ", found, " elements, expected at most ", most)
            }
            Misfit::Changed(found, expected) => {
                let text = " elements, expected ";
                ("an array of ", found as u64, text, expected)
            }
            Misfit::Invalid(text) => return sink(text, None),
        };
        sink(first, Some(found));
        sink(second, Some(expected as u64));
    }
}

/// Where the elements of a value begin, or the value itself, and their number.
#[derive(Clone, Copy, Default)]
pub struct Part {
    pub at: usize,
    pub count: usize,
}

/// Without the panic of a division by zero: a size never is 0.
#[inline]
fn elements_in(bytes: usize, size: usize) -> usize {
    bytes.checked_div(size).unwrap_or(0)
}

/// The layout of N values.
pub struct Layout<const N: usize> {
    values: [Value; N],
    offsets: [usize; N],
    last: usize,
    fixed: usize,
}

#[inline]
const fn rounded(at: usize, alignment: usize) -> usize {
    (at + alignment - 1) & !(alignment - 1)
}

impl<const N: usize> Layout<N> {
    pub const fn new(values: [Value; N]) -> Layout<N> {
        let mut last = N;
        let mut i = 0;
        while i < N {
            if values[i].varies {
                last = i;
            }
            i += 1;
        }
        let (mut offsets, mut end, mut largest) = ([0; N], 0, 1);
        i = 0;
        while i < N {
            let (size, alignment) = if values[i].varies {
                (8, 8)
            } else {
                (values[i].size, values[i].alignment)
            };
            if i != last && values[i].is_there {
                offsets[i] = rounded(end, alignment);
                end = offsets[i] + size;
                largest = if alignment > largest {
                    alignment
                } else {
                    largest
                };
            }
            i += 1;
        }
        Layout {
            values,
            offsets,
            last,
            fixed: if last == N {
                rounded(end, largest)
            } else {
                end
            },
        }
    }

    /// Finds the values in bytes of a peer's.
    ///
    /// # Safety
    /// There are `size` bytes at `bytes`.
    #[inline]
    pub unsafe fn read(&self, bytes: *const u8, size: usize) -> Result<[Part; N], Misfit> {
        if self.last == N && size != self.fixed {
            return Err(Misfit::Size(size, self.fixed));
        }
        if size < self.fixed {
            return Err(Misfit::Short(size, self.fixed));
        }
        let mut parts = [Part::default(); N];
        let mut end = self.fixed;
        for (i, (value, offset, part)) in self.with_offsets(&mut parts).enumerate() {
            *part = Part {
                at: offset,
                count: 1,
            };
            if !value.varies {
                continue;
            }
            let begin = rounded(end, value.alignment);
            if begin > size {
                return Err(Misfit::Short(size, begin));
            }
            let mut count = elements_in(size - begin, value.size);
            if i != self.last {
                let stated = (bytes.add(offset) as *const u64).read_unaligned();
                if stated > count as u64 {
                    return Err(Misfit::Elements(stated, count));
                }
                count = stated as usize;
            } else if count * value.size != size - begin {
                return Err(Misfit::Rest(size - begin, value.size));
            }
            *part = Part { at: begin, count };
            end = begin + count * value.size;
        }
        Ok(parts)
    }

    /// Lays out values with so many elements each: their parts, and the size of all.
    #[inline]
    pub fn lay_out(&self, counts: [u64; N]) -> Result<([Part; N], usize), Misfit> {
        let most = isize::MAX as usize;
        let mut parts = [Part::default(); N];
        let mut end = self.fixed;
        for ((value, offset, part), stated) in self.with_offsets(&mut parts).zip(counts) {
            *part = Part {
                at: offset,
                count: 1,
            };
            if !value.varies {
                continue;
            }
            let begin = rounded(end, value.alignment);
            let fits = elements_in(most.saturating_sub(begin), value.size);
            if stated > fits as u64 {
                return Err(Misfit::Elements(stated, fits));
            }
            let count = stated as usize;
            *part = Part { at: begin, count };
            end = begin + count * value.size;
        }
        Ok((parts, end))
    }

    /// Writes the numbers of elements into the fixed part.
    ///
    /// # Safety
    /// The bytes are those that `lay_out` found for the parts.
    #[inline]
    pub unsafe fn put_counts(&self, bytes: *mut u8, parts: &[Part; N]) {
        let places = self.values.iter().zip(self.offsets).zip(parts);
        for (i, ((value, offset), part)) in places.enumerate() {
            if value.varies && i != self.last {
                (bytes.add(offset) as *mut u64).write_unaligned(part.count as u64);
            }
        }
    }

    /// By iterators, which cannot panic as an index may: a function that cannot panic needs no
    /// guard.
    #[inline]
    fn with_offsets<'a>(
        &'a self,
        parts: &'a mut [Part; N],
    ) -> impl Iterator<Item = (&'a Value, usize, &'a mut Part)> {
        let places = self.values.iter().zip(self.offsets);
        places
            .zip(parts)
            .map(|((value, offset), part)| (value, offset, part))
    }
}
