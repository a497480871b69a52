//! The values of typed messages, for `typed!`: each is checked before the function runs.

use crate::boundary::fail;
use crate::message::{checked, Failure, Message};
use crate::text::Text;
use core::ptr;
use tchains_sys::typed::{Answered, Argument, Layout, Misfit, Part};
use tchains_sys::*;

extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

/// Ends the message with the difference; a panic's text would be no number.
#[cold]
#[inline]
fn refuse(of: &'static str, misfit: Misfit) {
    let mut text = Text::new();
    text.add(of);
    misfit.say(&mut |words, number| {
        text.add(words);
        if let Some(number) = number {
            text.add_number(number);
        }
    });
    fail(TC_E_INVALID, &text);
}

#[inline]
fn or_refuse<T>(result: Result<T, Misfit>) -> Option<T> {
    result
        .map_err(|misfit| refuse("the message has ", misfit))
        .ok()
}

/// The values of a message, taken one by one.
pub struct Values<const N: usize> {
    bytes: *mut u8,
    parts: [Part; N],
    taken: usize,
}

impl<const N: usize> Values<N> {
    /// None: the message does not fit, and has failed.
    #[inline(always)]
    pub fn read(message: &mut Message, layout: &Layout<N>) -> Option<Values<N>> {
        let payload = message.payload();
        let (bytes, size) = (payload.as_ptr() as *mut u8, payload.len());
        let parts = or_refuse(unsafe { layout.read(bytes, size) })?;
        Some(Values {
            bytes,
            parts,
            taken: 0,
        })
    }

    /// The number of the next value, from 1 on; its answer has the same.
    #[allow(clippy::should_implement_trait)]
    #[inline(always)]
    pub fn next(&mut self) -> usize {
        self.taken += 1;
        self.taken
    }

    #[inline(always)]
    pub fn rewind(&mut self) {
        self.taken = 0;
    }

    #[inline(always)]
    fn part(&self) -> (*mut u8, usize) {
        let part = self.parts[self.taken - 1];
        (self.bytes.wrapping_add(part.at), part.count)
    }

    /// # Safety
    /// The last `next` is of a parameter of type A.
    #[inline(always)]
    pub unsafe fn back_count<'a, A: Argument<'a>>(&self) -> u64 {
        let (sent, count) = self.part();
        A::back_count(sent, count)
    }

    /// None: it is no value of its type, and the message has failed.
    ///
    /// # Safety
    /// As `back_count`. The message and the answer stay for as long as 'a.
    #[inline(always)]
    pub unsafe fn take<'a, A: Argument<'a>, const M: usize>(
        &self,
        answer: &Answer<M>,
        place: usize,
    ) -> Option<A> {
        let (sent, count) = self.part();
        let back = answer.parts[place];
        or_refuse(A::take(
            sent,
            count,
            answer.memory.wrapping_add(back.at),
            back.count,
        ))
    }
}

/// The memory of an answer: the reply's, or that of a message which is no call, and is dropped.
/// A panic leaves the latter as it is.
pub struct Answer<const N: usize> {
    memory: *mut u8,
    parts: [Part; N],
    size: usize,
    is_call: bool,
}

impl<const N: usize> Answer<N> {
    /// None: the answer would be too large, and the message has failed.
    #[inline(always)]
    pub fn begin(layout: &Layout<N>, counts: [u64; N]) -> Result<Option<Answer<N>>, Failure> {
        let (parts, size) = match layout.lay_out(counts) {
            Ok(found) => found,
            Err(misfit) => {
                refuse("the answer has ", misfit);
                return Ok(None);
            }
        };
        let mut memory = ptr::null_mut();
        let status = unsafe { tc_reply_begin(size, &mut memory) };
        let is_call = status != TC_E_NOT_FOUND;
        if !is_call {
            memory = unsafe { malloc(size + 1) };
        } else {
            checked(status, "no memory for an answer of this size")?;
        }
        if memory.is_null() {
            return Err(Failure::new(TC_E_NO_MEMORY, "no memory for the answer"));
        }
        let memory = memory as *mut u8;
        unsafe {
            ptr::write_bytes(memory, 0, size);
            layout.put_counts(memory, &parts);
        }
        Ok(Some(Answer {
            memory,
            parts,
            size,
            is_call,
        }))
    }

    #[inline(always)]
    pub fn send<R: Answered>(&mut self, result: &R) -> Result<(), Failure> {
        unsafe { result.put(self.memory.wrapping_add(self.parts[0].at)) };
        if !self.is_call {
            return Ok(());
        }
        checked(
            unsafe { tc_reply_commit(self.size) },
            "the reply cannot be sent",
        )
    }
}

impl<const N: usize> Drop for Answer<N> {
    #[inline]
    fn drop(&mut self) {
        if !self.is_call {
            unsafe { free(self.memory as *mut c_void) }
        }
    }
}
