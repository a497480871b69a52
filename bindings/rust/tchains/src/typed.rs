//! Typed calls: `remote!` declares a function with its parameters, and makes its callers.

use crate::error::{check, Error};
use crate::{Context, Endpoint, Function, Member};
use std::time::Duration;
use tchains_sys::typed::{Answered, Layout, Misfit, Part};
use tchains_sys::*;

/// Declares functions at a node, with the parameters that they have there:
///
/// ```no_run
/// use std::time::Duration;
/// tchains::remote! {
///     /// Multiplies the values.
///     pub fn scaled(factor: f64, values: &mut [f32], about: &str) -> u64;
/// }
/// # fn main() -> Result<(), tchains::Error> {
/// # let context = tchains::Context::new()?;
/// # let node = context.connect("127.0.0.1:7000", Duration::ZERO)?;
/// let function = context.open("scaled")?;
/// let mut values = [1.5, 2.0];
/// let count = scaled(&node, &function, Duration::ZERO, 0.5, &mut values, "a name")?;
/// # Ok(())
/// # }
/// ```
///
/// Each compares its prototype with the function's, so TC_E_VERSION has both where they differ,
/// packs the message, calls, and takes the answer apart. An answer that does not fit is
/// TC_E_CORRUPT; arguments in front of the misfit may have changed then. The parameters are those
/// of `tchains_ifunc::typed!`: numbers, bools, structs of `element!`, arrays `[T; N]` of them,
/// `&[T]` and `&str`; and for values that come back `&mut [T]`, `InOut<T>`, `Out<T>` and
/// `Out<[T]>`, which are made as `Out(&mut values)`.
#[macro_export]
macro_rules! remote {
    ($($(#[$attribute:meta])* $visible:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)+) => {
        $(
            $(#[$attribute])*
            #[allow(clippy::too_many_arguments)]
            $visible fn $name(
                peer: &impl $crate::typed::Callee,
                function: &$crate::Function,
                timeout: ::std::time::Duration,
                $($argument: $type),*
            ) -> ::std::result::Result<$crate::remote!(@result $($result)?), $crate::Error> {
                use $crate::sys::typed::{prototype, Answered, Argument, Layout, Words};
                type Value = $crate::remote!(@result $($result)?);
                const TEXT: Words =
                    prototype([$(<$type as Argument>::TEXT),*], <Value as Answered>::TEXT);
                static PROTOTYPE: [u8; TEXT.length() + 1] = TEXT.bytes();
                const COUNT: usize = <[&str]>::len(&[$(stringify!($argument)),*]);
                const MESSAGE: Layout<COUNT> = Layout::new([$(<$type as Argument>::SENT),*]);
                const ANSWER: Layout<{ COUNT + 1 }> =
                    Layout::new([<Value as Answered>::VALUE, $(<$type as Argument>::BACK),*]);
                let call = $crate::typed::Call {
                    function,
                    prototype: &PROTOTYPE,
                    message: &MESSAGE,
                    answer: &ANSWER,
                };
                $(#[allow(unused_mut)] let mut $argument = $argument;)*
                let (mut message, parts) = call.message([$(Argument::count(&$argument)),*])?;
                let mut at = parts.iter().map(|part| part.at);
                $(unsafe {
                    Argument::put(&$argument, $crate::typed::next(&mut message, &mut at));
                })*
                let _ = at;
                let answer = call.call(
                    peer,
                    &message,
                    [1, $(Argument::capacity(&$argument)),*],
                    timeout,
                )?;
                let mut parts = answer.parts.iter().skip(1);
                $(unsafe {
                    answer.set(parts.next(), |back, count| Argument::set(&mut $argument, back, count))?;
                })*
                let _ = parts;
                unsafe { answer.result::<Value>() }
            }
        )+
    };
    (@result) => { () };
    (@result $result:ty) => { $result };
}

/// An endpoint, or a member of a group.
pub trait Callee {
    #[doc(hidden)]
    fn call_typed(
        &self,
        function: &Function,
        payload: &[u8],
        answer: &mut [u8],
        timeout: Duration,
    ) -> Result<usize, Error>;
}

impl Callee for Endpoint<'_> {
    fn call_typed(
        &self,
        function: &Function,
        payload: &[u8],
        answer: &mut [u8],
        timeout: Duration,
    ) -> Result<usize, Error> {
        self.call_into(function, payload, answer, timeout)
    }
}

impl Callee for Member<'_, '_> {
    fn call_typed(
        &self,
        function: &Function,
        payload: &[u8],
        answer: &mut [u8],
        timeout: Duration,
    ) -> Result<usize, Error> {
        let context: &Context = self.context();
        context.call(self.endpoint()?, function, payload, answer, timeout)
    }
}

fn error(status: tc_status, of: &str, misfit: Misfit) -> Error {
    let mut text = of.to_string();
    misfit.say(&mut |words, number| {
        text.push_str(words);
        if let Some(number) = number {
            text.push_str(&number.to_string());
        }
    });
    Error::new(status, text)
}

/// For `remote!`: where the next value of a message begins.
#[doc(hidden)]
pub fn next(message: &mut [u8], at: &mut impl Iterator<Item = usize>) -> *mut u8 {
    let at = at.next().expect("a part for each argument");
    message[at..].as_mut_ptr()
}

/// For `remote!`: a call with M arguments; N is one more.
#[doc(hidden)]
pub struct Call<'f, const M: usize, const N: usize> {
    pub function: &'f Function<'f>,
    pub prototype: &'static [u8],
    pub message: &'static Layout<M>,
    pub answer: &'static Layout<N>,
}

impl<const M: usize, const N: usize> Call<'_, M, N> {
    /// The bytes of a message, with the numbers of elements; and the parts.
    pub fn message(&self, counts: [u64; M]) -> Result<(Vec<u8>, [Part; M]), Error> {
        self.check()?;
        let (parts, size) = self
            .message
            .lay_out(counts)
            .map_err(|misfit| error(TC_E_TOO_LARGE, "the message has ", misfit))?;
        let mut bytes = vec![0; size];
        unsafe { self.message.put_counts(bytes.as_mut_ptr(), &parts) };
        Ok((bytes, parts))
    }

    fn check(&self) -> Result<(), Error> {
        check(|err| unsafe {
            tc_ifunc_check_prototype(
                self.function.as_ptr(),
                self.prototype.as_ptr() as *const _,
                err,
            )
        })
    }

    pub fn call(
        &self,
        peer: &impl Callee,
        message: &[u8],
        counts: [u64; N],
        timeout: Duration,
    ) -> Result<Answer<N>, Error> {
        let (_, capacity) = self
            .answer
            .lay_out(counts)
            .map_err(|misfit| error(TC_E_TOO_LARGE, "the answer has ", misfit))?;
        let mut bytes = vec![0; capacity];
        let size = peer.call_typed(self.function, message, &mut bytes, timeout)?;
        let parts = unsafe { self.answer.read(bytes.as_ptr(), size) }
            .map_err(|misfit| error(TC_E_CORRUPT, "the answer has ", misfit))?;
        Ok(Answer { bytes, parts })
    }
}

/// For `remote!`: an answer that fits its prototype.
#[doc(hidden)]
pub struct Answer<const N: usize> {
    bytes: Vec<u8>,
    pub parts: [Part; N],
}

impl<const N: usize> Answer<N> {
    /// # Safety
    /// The part is that of the value which is set.
    pub unsafe fn set(
        &self,
        part: Option<&Part>,
        set: impl FnOnce(*const u8, usize) -> Result<(), Misfit>,
    ) -> Result<(), Error> {
        let part = part.expect("a part for each argument");
        set(self.bytes[part.at..].as_ptr(), part.count)
            .map_err(|misfit| error(TC_E_CORRUPT, "the answer has ", misfit))
    }

    /// # Safety
    /// The first part is an R.
    pub unsafe fn result<R: Answered>(&self) -> Result<R, Error> {
        R::get(self.bytes[self.parts[0].at..].as_ptr())
            .map_err(|misfit| error(TC_E_CORRUPT, "the answer has ", misfit))
    }
}
