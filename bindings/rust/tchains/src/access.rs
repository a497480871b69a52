use crate::context::Shared;
use crate::error::{check, owned, room_in};
use crate::group::Member;
use crate::{nanoseconds, Context, Endpoint, Error, GlobalPointer, Outcome, Step, View};
use std::time::Duration;
use tchains_sys::*;

/// Has an endpoint to a peer.
pub trait Leads<'c> {
    #[doc(hidden)]
    fn lead(&self) -> Result<(&'c Context, *mut tc_ep), Error>;
}

impl<'c> Leads<'c> for Endpoint<'c> {
    fn lead(&self) -> Result<(&'c Context, *mut tc_ep), Error> {
        self.usable()?;
        Ok((self.context, self.raw))
    }
}

impl<'c> Leads<'c> for Member<'_, 'c> {
    fn lead(&self) -> Result<(&'c Context, *mut tc_ep), Error> {
        Ok((self.context(), self.endpoint()?))
    }
}

/// Operations in windows of an endpoint's peer, or of a member of a group. Those of one endpoint take
/// effect in the order in which they were begun.
///
/// Zero as time is the option `call_timeout`. The `start_` forms return at once; TC_E_AGAIN: call
/// `Context::wait` and retry. The closure gets the result, or the reason for a failure, once, while the
/// context progresses, or when it is dropped; after an error here it is not called. They count
/// as calls (`Context::wait_for_calls`).
pub trait WindowAccess<'c>: Leads<'c> {
    /// Sends up to 16 steps as one message, and waits until the owner has run them in one go.
    fn chain(&self, steps: &[Step], timeout: Duration) -> Result<Outcome, Error> {
        let (raw, mut outcome) = Outcome::prepare(steps)?;
        run(self, &raw, &mut outcome.succeeded, timeout)?;
        Ok(outcome)
    }

    /// Gets bytes.
    fn get(
        &self,
        at: GlobalPointer,
        bytes: usize,
        timeout: Duration,
    ) -> Result<Vec<u8>, Error> {
        let outcome = self.chain(&[Step::get(at, bytes)], timeout)?;
        Ok(outcome.into_result(0))
    }

    /// Gets as many bytes as the slice has.
    fn get_into(
        &self,
        at: GlobalPointer,
        result: &mut [u8],
        timeout: Duration,
    ) -> Result<(), Error> {
        let mut step = Step::get(at, result.len()).raw;
        step.result = room_in(result);
        run(self, &[step], &mut 0, timeout)
    }

    /// Puts bytes.
    fn put(&self, at: GlobalPointer, bytes: &[u8], timeout: Duration) -> Result<(), Error> {
        run(self, &[Step::put(at, bytes).raw], &mut 0, timeout)
    }

    /// Adds to a word; the value before.
    fn fetch_add(
        &self,
        at: GlobalPointer,
        value: u64,
        timeout: Duration,
    ) -> Result<u64, Error> {
        word(self, Step::fetch_add(at, value), timeout)
    }

    /// Replaces a word if it is `expected`; the value before, which is `expected` if it has swapped.
    fn compare_swap(
        &self,
        at: GlobalPointer,
        expected: u64,
        desired: u64,
        timeout: Duration,
    ) -> Result<u64, Error> {
        word(self, Step::compare_swap(at, expected, desired), timeout)
    }

    /// `Step::masked_compare_swap`; the value before.
    fn masked_compare_swap(
        &self,
        at: GlobalPointer,
        expected: (u64, u64),
        desired: (u64, u64),
        timeout: Duration,
    ) -> Result<u64, Error> {
        let step = Step::masked_compare_swap(at, expected, desired);
        word(self, step, timeout)
    }

    /// `Step::get_indirect`.
    fn get_indirect(
        &self,
        at: GlobalPointer,
        skip: u64,
        bytes: usize,
        timeout: Duration,
    ) -> Result<Vec<u8>, Error> {
        let outcome = self.chain(&Step::get_indirect(at, skip, bytes), timeout)?;
        Ok(outcome.into_result(1))
    }

    /// Allocates bytes in an arena; where they are.
    fn allocate(
        &self,
        arena: GlobalPointer,
        bytes: u64,
        timeout: Duration,
    ) -> Result<GlobalPointer, Error> {
        let offset = word(self, Step::allocate(arena, bytes), timeout)?;
        Ok(arena.with_offset(offset))
    }

    /// Maps a window that was opened by `WindowParams::shared`, of a process of this user and host.
    fn map_window(&self, window: GlobalPointer, timeout: Duration) -> Result<View<'c>, Error>
    where
        Self: Sized,
    {
        View::map(self, window, timeout)
    }

    /// Starts a chain: `chain`.
    fn start_chain(
        &self,
        steps: &[Step],
        timeout: Duration,
        done: impl FnOnce(Result<Outcome, Error>) + Send + 'static,
    ) -> Result<(), Error> {
        start(self, steps, timeout, Box::new(done))
    }

    /// `get`.
    fn start_get(
        &self,
        at: GlobalPointer,
        bytes: usize,
        timeout: Duration,
        done: impl FnOnce(Result<Vec<u8>, Error>) + Send + 'static,
    ) -> Result<(), Error> {
        let done =
            |ended: Result<Outcome, Error>| done(ended.map(|found| found.into_result(0)));
        self.start_chain(&[Step::get(at, bytes)], timeout, done)
    }

    /// `put`. The bytes are copied.
    fn start_put(
        &self,
        at: GlobalPointer,
        bytes: &[u8],
        timeout: Duration,
        done: impl FnOnce(Result<(), Error>) + Send + 'static,
    ) -> Result<(), Error> {
        let done = |ended: Result<Outcome, Error>| done(ended.map(drop));
        self.start_chain(&[Step::put(at, bytes)], timeout, done)
    }

    /// `fetch_add`.
    fn start_fetch_add(
        &self,
        at: GlobalPointer,
        value: u64,
        timeout: Duration,
        done: impl FnOnce(Result<u64, Error>) + Send + 'static,
    ) -> Result<(), Error> {
        start_word(self, Step::fetch_add(at, value), timeout, done)
    }

    /// `compare_swap`.
    fn start_compare_swap(
        &self,
        at: GlobalPointer,
        expected: u64,
        desired: u64,
        timeout: Duration,
        done: impl FnOnce(Result<u64, Error>) + Send + 'static,
    ) -> Result<(), Error> {
        let step = Step::compare_swap(at, expected, desired);
        start_word(self, step, timeout, done)
    }

    /// `masked_compare_swap`.
    fn start_masked_compare_swap(
        &self,
        at: GlobalPointer,
        expected: (u64, u64),
        desired: (u64, u64),
        timeout: Duration,
        done: impl FnOnce(Result<u64, Error>) + Send + 'static,
    ) -> Result<(), Error> {
        let step = Step::masked_compare_swap(at, expected, desired);
        start_word(self, step, timeout, done)
    }

    /// `get_indirect`.
    fn start_get_indirect(
        &self,
        at: GlobalPointer,
        skip: u64,
        bytes: usize,
        timeout: Duration,
        done: impl FnOnce(Result<Vec<u8>, Error>) + Send + 'static,
    ) -> Result<(), Error> {
        let done =
            |ended: Result<Outcome, Error>| done(ended.map(|found| found.into_result(1)));
        self.start_chain(&Step::get_indirect(at, skip, bytes), timeout, done)
    }

    /// `allocate`.
    fn start_allocate(
        &self,
        arena: GlobalPointer,
        bytes: u64,
        timeout: Duration,
        done: impl FnOnce(Result<GlobalPointer, Error>) + Send + 'static,
    ) -> Result<(), Error> {
        let done = move |ended: Result<u64, Error>| {
            done(ended.map(|offset| arena.with_offset(offset)))
        };
        start_word(self, Step::allocate(arena, bytes), timeout, done)
    }
}

impl<'c, T: Leads<'c>> WindowAccess<'c> for T {}

const STEP_SIZE: usize = std::mem::size_of::<tc_window_step>();

fn run<'c>(
    peer: &(impl Leads<'c> + ?Sized),
    steps: &[tc_window_step],
    succeeded: &mut u32,
    timeout: Duration,
) -> Result<(), Error> {
    let (context, ep) = peer.lead()?;
    context.returned(check(|err| unsafe {
        let (count, timeout) = (steps.len(), nanoseconds(timeout));
        let steps = steps.as_ptr();
        tc_window_chain_sized(ep, steps, STEP_SIZE, count, timeout, succeeded, err)
    }))
}

/// Runs a chain of one step, which has a word as its result.
fn word<'c>(
    peer: &(impl Leads<'c> + ?Sized),
    step: Step,
    timeout: Duration,
) -> Result<u64, Error> {
    let mut value = 0u64;
    let mut step = step.raw;
    step.result = &mut value as *mut u64 as *mut c_void;
    run(peer, &[step], &mut 0, timeout)?;
    Ok(value)
}

type Done = Box<dyn FnOnce(Result<Outcome, Error>) + Send>;

/// The data of a chain under way. The library has the address of its results until the chain ends.
struct Pending {
    shared: *const Shared,
    outcome: Outcome,
    done: Done,
}

unsafe extern "C" fn ended(
    user: *mut c_void,
    status: tc_status,
    succeeded: u32,
    text: *const c_char,
) {
    let pending = *Box::from_raw(user as *mut Pending);
    let Pending {
        shared,
        mut outcome,
        done,
    } = pending;
    outcome.succeeded = succeeded;
    let reply = if status == TC_OK {
        Ok(outcome)
    } else {
        Err(Error::new(status, owned(text)))
    };
    (*shared).run(|| done(reply));
}

fn start<'c>(
    peer: &(impl Leads<'c> + ?Sized),
    steps: &[Step],
    timeout: Duration,
    done: Done,
) -> Result<(), Error> {
    let (context, ep) = peer.lead()?;
    let (raw, outcome) = Outcome::prepare(steps)?;
    let pending = Box::into_raw(Box::new(Pending {
        shared: &*context.shared,
        outcome,
        done,
    }));
    let params = tc_window_start_params {
        timeout_ns: nanoseconds(timeout),
        done: Some(ended),
        user: pending as *mut c_void,
    };
    let started = check(|err| unsafe {
        let (steps, count) = (raw.as_ptr(), raw.len());
        let size = std::mem::size_of_val(&params);
        tc_window_chain_start_sized(ep, steps, STEP_SIZE, count, &params, size, err)
    });
    if started.is_err() {
        drop(unsafe { Box::from_raw(pending) });
    }
    context.returned(started)
}

fn start_word<'c>(
    peer: &(impl Leads<'c> + ?Sized),
    step: Step,
    timeout: Duration,
    done: impl FnOnce(Result<u64, Error>) + Send + 'static,
) -> Result<(), Error> {
    // A step without a condition is done.
    let ended =
        |ended: Result<Outcome, Error>| done(ended.map(|found| found.value(0).unwrap_or(0)));
    start(peer, &[step], timeout, Box::new(ended))
}
