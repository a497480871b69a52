//! Typed messages: the types of a function's parameters give its prototype, the layout of its
//! messages and of its answers (`docs/payload-layout.md`), for functions and for callers.
//!
//! `tchains_ifunc::typed!` and `tchains::remote!` use this; both take the same parameters.

pub use crate::typed_layout::{Layout, Misfit, Part, Value};
pub use crate::typed_words::{members, prototype, Words};

use core::mem::size_of;
use core::ops::{Deref, DerefMut};
use core::{ptr, slice, str};

/// A number, a bool, or a struct of `element!`.
///
/// # Safety
/// It is laid out as C lays out TEXT, on both architectures. All bytes zero are a value of it,
/// and so are those that `is_valid` accepts.
pub unsafe trait Element: Copy {
    const TEXT: Words;

    /// # Safety
    /// There are as many bytes as the type has.
    #[inline]
    unsafe fn is_valid(_bytes: *const u8) -> bool {
        true
    }

    /// Leaves bytes between members as they are.
    ///
    /// # Safety
    /// There is space for the type, of any alignment.
    #[inline]
    unsafe fn write(self, to: *mut u8) {
        (to as *mut Self).write_unaligned(self);
    }
}

macro_rules! numbers {
    ($($type:ty: $text:literal),*) => {
        $(unsafe impl Element for $type {
            const TEXT: Words = Words::new($text);
        })*
    };
}
numbers!(i8: "i8", i16: "i16", i32: "i32", i64: "i64", u8: "u8", u16: "u16", u32: "u32",
    u64: "u64", f32: "f32", f64: "f64");

unsafe impl Element for bool {
    const TEXT: Words = Words::new("bool");

    #[inline]
    unsafe fn is_valid(bytes: *const u8) -> bool {
        *bytes <= 1
    }
}

/// Defines a struct that is a value or an element of a message: `element! { struct Point { x: f64,
/// y: f64 } }`, of numbers, bools, such structs and arrays of them.
#[macro_export]
macro_rules! element {
    ($(#[$attribute:meta])* $visible:vis struct $name:ident { $($(#[$about:meta])* $member_visible:vis $member:ident: $type:ty),+ $(,)? }) => {
        $(#[$attribute])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        $visible struct $name { $($(#[$about])* $member_visible $member: $type),+ }

        unsafe impl $crate::typed::Element for $name {
            const TEXT: $crate::typed::Words =
                $crate::typed::members([$(<$type as $crate::typed::Fixed>::TEXT),+]);

            #[inline]
            unsafe fn is_valid(bytes: *const u8) -> bool {
                let value = ::core::mem::MaybeUninit::<$name>::uninit();
                let start = value.as_ptr();
                $(<$type as $crate::typed::Fixed>::is_valid(
                    bytes.add(::core::ptr::addr_of!((*start).$member) as usize - start as usize),
                ))&&+
            }

            #[inline]
            unsafe fn write(self, to: *mut u8) {
                let start = &self as *const $name;
                $(<$type as $crate::typed::Fixed>::write(
                    self.$member,
                    to.add(::core::ptr::addr_of!((*start).$member) as usize - start as usize),
                );)+
            }
        }
    };
}

/// An element, or an array of a known number of them.
///
/// # Safety
/// As for `Element`.
pub unsafe trait Fixed: Copy {
    const TEXT: Words;

    /// # Safety
    /// There are as many bytes as the type has.
    unsafe fn is_valid(bytes: *const u8) -> bool;

    /// # Safety
    /// There is space for the type.
    unsafe fn write(self, to: *mut u8);
}

unsafe impl<T: Element> Fixed for T {
    const TEXT: Words = T::TEXT;

    #[inline]
    unsafe fn is_valid(bytes: *const u8) -> bool {
        T::is_valid(bytes)
    }

    #[inline]
    unsafe fn write(self, to: *mut u8) {
        Element::write(self, to);
    }
}

unsafe impl<T: Element, const N: usize> Fixed for [T; N] {
    const TEXT: Words = T::TEXT.text("[").number(N).text("]");

    #[inline]
    unsafe fn is_valid(bytes: *const u8) -> bool {
        are_valid::<T>(bytes, N)
    }

    #[inline]
    unsafe fn write(self, to: *mut u8) {
        write_all(&self, to);
    }
}

#[inline]
unsafe fn write_all<T: Element>(elements: &[T], to: *mut u8) {
    for (i, element) in elements.iter().enumerate() {
        element.write(to.add(i * size_of::<T>()));
    }
}

#[inline]
unsafe fn are_valid<T: Element>(bytes: *const u8, count: usize) -> bool {
    (0..count).all(|i| T::is_valid(bytes.add(i * size_of::<T>())))
}

#[inline]
unsafe fn check<T: Element>(bytes: *const u8, count: usize) -> Result<(), Misfit> {
    if are_valid::<T>(bytes, count) {
        Ok(())
    } else {
        Err(Misfit::Invalid("a bool that is neither 0 nor 1"))
    }
}

#[inline]
unsafe fn fixed<T: Fixed>(bytes: *const u8) -> Result<T, Misfit> {
    if T::is_valid(bytes) {
        Ok((bytes as *const T).read_unaligned())
    } else {
        Err(Misfit::Invalid("a bool that is neither 0 nor 1"))
    }
}

/// A parameter that the function alone writes: a value, or an array of which the message has the
/// number of elements. It begins with bytes of zero.
pub struct Out<'a, T: ?Sized>(pub &'a mut T);

/// A value that goes with the message and comes back changed. An array is a `&mut [T]`.
pub struct InOut<'a, T>(pub &'a mut T);

impl<T: ?Sized> Deref for Out<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0
    }
}

impl<T: ?Sized> DerefMut for Out<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}

impl<T> Deref for InOut<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0
    }
}

impl<T> DerefMut for InOut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}

/// A parameter of a typed function: its part of the prototype, of the message and of the answer.
///
/// A function takes it out of the message with `take`; a caller writes it with `put`, and gets
/// the answer's part with `set`. The pointers are those of its value or of its elements.
///
/// # Safety
/// The constants describe the bytes that the functions read and write.
pub unsafe trait Argument<'a>: Sized {
    const TEXT: Words;
    /// In the message.
    const SENT: Value;
    /// In the answer.
    const BACK: Value;

    /// The number of elements of the answer, of a message's value.
    ///
    /// # Safety
    /// `sent` has the value that SENT describes, with so many elements.
    #[inline]
    unsafe fn back_count(_sent: *const u8, count: usize) -> u64 {
        count as u64
    }

    /// # Safety
    /// `sent` and `back` have the values of SENT and BACK, aligned, for as long as 'a.
    unsafe fn take(
        sent: *mut u8,
        count: usize,
        back: *mut u8,
        back_count: usize,
    ) -> Result<Self, Misfit>;

    /// The elements that a caller sends.
    #[inline]
    fn count(&self) -> u64 {
        1
    }

    /// The elements that the answer may have.
    #[inline]
    fn capacity(&self) -> u64 {
        self.count()
    }

    /// # Safety
    /// `sent` has space for the value of SENT, with `count` elements.
    unsafe fn put(&self, sent: *mut u8);

    /// # Safety
    /// `back` has the value of BACK, with so many elements.
    #[inline]
    unsafe fn set(&mut self, _back: *const u8, _count: usize) -> Result<(), Misfit> {
        Ok(())
    }
}

unsafe impl<'a, T: Fixed> Argument<'a> for T {
    const TEXT: Words = T::TEXT;
    const SENT: Value = Value::fixed::<T>();
    const BACK: Value = Value::NONE;

    #[inline]
    unsafe fn take(sent: *mut u8, _: usize, _: *mut u8, _: usize) -> Result<T, Misfit> {
        fixed(sent)
    }

    #[inline]
    unsafe fn put(&self, sent: *mut u8) {
        Fixed::write(*self, sent);
    }
}

unsafe impl<'a> Argument<'a> for &'a str {
    const TEXT: Words = Words::new("text");
    const SENT: Value = Value::varying::<u8>();
    const BACK: Value = Value::NONE;

    #[inline]
    unsafe fn take(
        sent: *mut u8,
        count: usize,
        _: *mut u8,
        _: usize,
    ) -> Result<&'a str, Misfit> {
        str::from_utf8(slice::from_raw_parts(sent, count))
            .map_err(|_| Misfit::Invalid("a text that is not UTF-8"))
    }

    #[inline]
    fn count(&self) -> u64 {
        self.len() as u64
    }

    #[inline]
    unsafe fn put(&self, sent: *mut u8) {
        ptr::copy_nonoverlapping(self.as_ptr(), sent, self.len());
    }
}

unsafe impl<'a, T: Element> Argument<'a> for &'a [T] {
    const TEXT: Words = crate::typed_words::array::<T>("");
    const SENT: Value = Value::varying::<T>();
    const BACK: Value = Value::NONE;

    #[inline]
    unsafe fn take(
        sent: *mut u8,
        count: usize,
        _: *mut u8,
        _: usize,
    ) -> Result<&'a [T], Misfit> {
        check::<T>(sent, count)?;
        Ok(slice::from_raw_parts(sent as *const T, count))
    }

    #[inline]
    fn count(&self) -> u64 {
        self.len() as u64
    }

    #[inline]
    unsafe fn put(&self, sent: *mut u8) {
        write_all(self, sent);
    }
}

/// Copies an answer's elements into a caller's.
#[inline]
unsafe fn receive<T: Element>(
    to: &mut [T],
    back: *const u8,
    count: usize,
) -> Result<(), Misfit> {
    check::<T>(back, count)?;
    ptr::copy_nonoverlapping(back, to.as_mut_ptr() as *mut u8, count * size_of::<T>());
    Ok(())
}

unsafe impl<'a, T: Element> Argument<'a> for &'a mut [T] {
    const TEXT: Words = crate::typed_words::array::<T>("inout ");
    const SENT: Value = Value::varying::<T>();
    const BACK: Value = Value::varying::<T>();

    #[inline]
    unsafe fn take(
        sent: *mut u8,
        count: usize,
        back: *mut u8,
        _: usize,
    ) -> Result<&'a mut [T], Misfit> {
        ptr::copy_nonoverlapping(sent, back, count * size_of::<T>());
        check::<T>(back, count)?;
        Ok(slice::from_raw_parts_mut(back as *mut T, count))
    }

    #[inline]
    fn count(&self) -> u64 {
        self.len() as u64
    }

    #[inline]
    unsafe fn put(&self, sent: *mut u8) {
        write_all(self, sent);
    }

    #[inline]
    unsafe fn set(&mut self, back: *const u8, count: usize) -> Result<(), Misfit> {
        if count != self.len() {
            return Err(Misfit::Changed(count, self.len()));
        }
        receive(self, back, count)
    }
}

unsafe impl<'a, T: Fixed> Argument<'a> for InOut<'a, T> {
    const TEXT: Words = Words::new("inout ").words(T::TEXT);
    const SENT: Value = Value::fixed::<T>();
    const BACK: Value = Value::fixed::<T>();

    #[inline]
    unsafe fn take(sent: *mut u8, _: usize, back: *mut u8, _: usize) -> Result<Self, Misfit> {
        *(back as *mut T) = fixed(sent)?;
        Ok(InOut(&mut *(back as *mut T)))
    }

    #[inline]
    unsafe fn put(&self, sent: *mut u8) {
        Fixed::write(*self.0, sent);
    }

    #[inline]
    unsafe fn set(&mut self, back: *const u8, _: usize) -> Result<(), Misfit> {
        *self.0 = fixed(back)?;
        Ok(())
    }
}

unsafe impl<'a, T: Fixed> Argument<'a> for Out<'a, T> {
    const TEXT: Words = Words::new("out ").words(T::TEXT);
    const SENT: Value = Value::NONE;
    const BACK: Value = Value::fixed::<T>();

    #[inline]
    unsafe fn take(_: *mut u8, _: usize, back: *mut u8, _: usize) -> Result<Self, Misfit> {
        Ok(Out(&mut *(back as *mut T)))
    }

    #[inline]
    unsafe fn put(&self, _: *mut u8) {}

    unsafe fn set(&mut self, back: *const u8, _: usize) -> Result<(), Misfit> {
        *self.0 = fixed(back)?;
        Ok(())
    }
}

unsafe impl<'a, T: Element> Argument<'a> for Out<'a, [T]> {
    const TEXT: Words = crate::typed_words::array::<T>("out ");
    const SENT: Value = Value::fixed::<u64>();
    const BACK: Value = Value::varying::<T>();

    #[inline]
    unsafe fn back_count(sent: *const u8, _: usize) -> u64 {
        (sent as *const u64).read_unaligned()
    }

    #[inline]
    unsafe fn take(_: *mut u8, _: usize, back: *mut u8, count: usize) -> Result<Self, Misfit> {
        Ok(Out(slice::from_raw_parts_mut(back as *mut T, count)))
    }

    #[inline]
    fn capacity(&self) -> u64 {
        self.len() as u64
    }

    #[inline]
    unsafe fn put(&self, sent: *mut u8) {
        (sent as *mut u64).write_unaligned(self.len() as u64);
    }

    #[inline]
    unsafe fn set(&mut self, back: *const u8, count: usize) -> Result<(), Misfit> {
        if count > self.len() {
            return Err(Misfit::Elements(count as u64, self.len()));
        }
        receive(self.0, back, count)?;
        let rest = &mut self.0[count..];
        ptr::write_bytes(rest.as_mut_ptr(), 0, rest.len());
        Ok(())
    }
}

/// The result of a function or of a call: nothing, or a value of fixed size.
pub trait Answered: Sized {
    const TEXT: Words;
    const VALUE: Value;

    /// # Safety
    /// `back` has space for VALUE.
    unsafe fn put(&self, back: *mut u8);

    /// # Safety
    /// `back` has VALUE.
    unsafe fn get(back: *const u8) -> Result<Self, Misfit>;
}

impl Answered for () {
    const TEXT: Words = Words::new("");
    const VALUE: Value = Value::NONE;

    #[inline]
    unsafe fn put(&self, _: *mut u8) {}

    unsafe fn get(_: *const u8) -> Result<(), Misfit> {
        Ok(())
    }
}

impl<T: Fixed> Answered for T {
    const TEXT: Words = Words::new("->").words(T::TEXT);
    const VALUE: Value = Value::fixed::<T>();

    #[inline]
    unsafe fn put(&self, back: *mut u8) {
        Fixed::write(*self, back);
    }

    #[inline]
    unsafe fn get(back: *const u8) -> Result<T, Misfit> {
        fixed(back)
    }
}

/// The type that a function returns: its result, or a `Result` of it.
pub trait Returned {
    type Value: Answered;
    type Failure;

    fn result(self) -> Result<Self::Value, Self::Failure>;
}

impl<T: Answered> Returned for T {
    type Value = T;
    type Failure = core::convert::Infallible;

    #[inline]
    fn result(self) -> Result<T, core::convert::Infallible> {
        Ok(self)
    }
}

impl<T: Answered, F> Returned for Result<T, F> {
    type Value = T;
    type Failure = F;

    #[inline]
    fn result(self) -> Result<T, F> {
        self
    }
}
