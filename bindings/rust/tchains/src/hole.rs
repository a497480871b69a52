//! Values for the holes of functions: constants that the sender sets.

use crate::error::{check, text};
use crate::{Error, Function};
use std::mem::{size_of, size_of_val};
use std::ptr;
use tchains_sys::typed::Element;
use tchains_sys::*;

/// A value for a hole: a number, a bool, or an array of such or of structs of `element!`.
pub trait Hole {
    /// Its bytes, as C lays them out.
    fn bytes(&self) -> Vec<u8>;

    /// TC_HOLE_BYTES fits any hole of its size.
    fn kind(&self) -> tc_hole_kind {
        TC_HOLE_BYTES
    }
}

macro_rules! numbers {
    ($kind:ident: $($type:ty),*) => {
        $(impl Hole for $type {
            fn bytes(&self) -> Vec<u8> {
                self.to_ne_bytes().to_vec()
            }

            fn kind(&self) -> tc_hole_kind {
                $kind
            }
        })*
    };
}
numbers!(TC_HOLE_INTEGER: i8, i16, i32, i64, i128, u8, u16, u32, u64, u128);
numbers!(TC_HOLE_FLOATING: f32, f64);

impl Hole for bool {
    fn bytes(&self) -> Vec<u8> {
        vec![u8::from(*self)]
    }

    fn kind(&self) -> tc_hole_kind {
        TC_HOLE_INTEGER
    }
}

/// Also of one struct: `[point]` for a hole that is a struct. Bytes between members are 0.
impl<T: Element, const N: usize> Hole for [T; N] {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; size_of_val(self)];
        for (value, space) in self.iter().zip(bytes.chunks_mut(size_of::<T>().max(1))) {
            unsafe { value.write(space.as_mut_ptr()) }
        }
        bytes
    }
}

impl<'c> Function<'c> {
    /// The function with a value for each of its holes, a function of its own:
    /// `line.fill(&[("slope", &2.5), ("rise", &3i32)])`. A value has the type that the hole has
    /// in the function; TC_E_INVALID: its size or kind differs. `tc_ifunc_fill` has the rest.
    pub fn fill(&self, values: &[(&str, &dyn Hole)]) -> Result<Function<'c>, Error> {
        let names = values
            .iter()
            .map(|value| text(value.0))
            .collect::<Result<Vec<_>, _>>()?;
        let bytes: Vec<_> = values.iter().map(|value| value.1.bytes()).collect();
        let raw: Vec<_> = (0..values.len())
            .map(|i| tc_hole_value {
                name: names[i].as_ptr() as *const _,
                value: bytes[i].as_ptr() as *const _,
                size: bytes[i].len(),
                kind: values[i].1.kind(),
            })
            .collect();
        let (size, mut filled) = (size_of::<tc_hole_value>(), ptr::null_mut());
        check(|err| unsafe {
            tc_ifunc_fill_sized(self.raw, raw.as_ptr(), raw.len(), size, &mut filled, err)
        })?;
        Ok(Function::made(self.context, filled))
    }
}
