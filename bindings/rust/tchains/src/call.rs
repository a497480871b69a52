use crate::context::Shared;
use crate::error::{check, owned, plain, room_in, start_of};
use crate::{nanoseconds, Context, Endpoint, Error, Function};
use std::slice;
use std::time::Duration;
use tchains_sys::*;

/// Names a call that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallId(tc_call_id);

type Done = Box<dyn FnOnce(Result<&[u8], Error>) + Send>;

/// The data that a call under way owns. The library has its address until the call ends.
pub(crate) struct Pending {
    shared: *const Shared,
    id: tc_call_id,
    result: Vec<u8>,
    done: Option<Done>,
}

unsafe extern "C" fn ended(user: *mut c_void, outcome: *const tc_call_outcome) {
    let mut pending = Box::from_raw(user as *mut Pending);
    let (shared, outcome) = (&*pending.shared, &*outcome);
    shared.calls.borrow_mut().remove(&pending.id);
    if let Some(done) = pending.done.take() {
        let reply = if outcome.status == TC_OK {
            Ok(slice::from_raw_parts(
                pending.result.as_ptr(),
                outcome.result_size,
            ))
        } else {
            Err(Error::new(outcome.status, owned(outcome.text)))
        };
        shared.run(|| done(reply));
    }
}

impl<'c> Endpoint<'c> {
    /// Calls a function and waits for its answer, of at most `capacity` bytes. Zero: the option
    /// `call_timeout`.
    pub fn call(
        &self,
        function: &Function,
        payload: &[u8],
        capacity: usize,
        timeout: Duration,
    ) -> Result<Vec<u8>, Error> {
        let mut answer = vec![0; capacity];
        let size = self.call_into(function, payload, &mut answer, timeout)?;
        answer.truncate(size);
        Ok(answer)
    }

    /// `call` into memory of the caller's; the answer's size. For a longer one TC_E_TOO_LARGE
    /// has the size in its text.
    pub fn call_into(
        &self,
        function: &Function,
        payload: &[u8],
        answer: &mut [u8],
        timeout: Duration,
    ) -> Result<usize, Error> {
        self.usable()?;
        self.context
            .call(self.raw, function, payload, answer, timeout)
    }

    /// Starts a call. The closure gets the answer, or the reason for a failure, once, while the
    /// context progresses, or when it is dropped. A cancelled call's closure is dropped. An
    /// error here is a message that was not sent, and the closure is not called.
    pub fn start_call(
        &self,
        function: &Function,
        payload: &[u8],
        capacity: usize,
        timeout: Duration,
        done: impl FnOnce(Result<&[u8], Error>) + Send + 'static,
    ) -> Result<CallId, Error> {
        self.usable()?;
        self.context.start_call(
            self.raw,
            function,
            payload,
            capacity,
            timeout,
            Box::new(done),
        )
    }
}

impl Context {
    /// Whatever comes of a call, its payload is the program's again when this returns.
    pub(crate) fn call(
        &self,
        ep: *mut tc_ep,
        function: &Function,
        payload: &[u8],
        answer: &mut [u8],
        timeout: Duration,
    ) -> Result<usize, Error> {
        self.owns(function)?;
        let mut size = answer.len();
        self.returned(check(|err| unsafe {
            let place: *mut usize = &mut size;
            let (bytes, room) = (start_of(payload), room_in(answer));
            let timeout = nanoseconds(timeout);
            tc_call(
                ep,
                function.raw,
                bytes,
                payload.len(),
                room,
                place,
                timeout,
                err,
            )
        }))?;
        Ok(size)
    }

    pub(crate) fn start_call(
        &self,
        ep: *mut tc_ep,
        function: &Function,
        payload: &[u8],
        capacity: usize,
        timeout: Duration,
        done: Done,
    ) -> Result<CallId, Error> {
        self.owns(function)?;
        let pending = Box::into_raw(Box::new(Pending {
            shared: &*self.shared,
            id: 0,
            result: vec![0; capacity],
            done: Some(done),
        }));
        let params = tc_call_params {
            result: room_in(unsafe { &mut (*pending).result }),
            result_capacity: capacity,
            timeout_ns: nanoseconds(timeout),
            hop_limit: 0,
            trace: 0,
            done: Some(ended),
            user: pending as *mut c_void,
        };
        let mut call = 0;
        let started = check(|err| unsafe {
            tc_call_start_sized(
                ep,
                function.raw,
                start_of(payload),
                payload.len(),
                &params,
                std::mem::size_of_val(&params),
                &mut call,
                err,
            )
        });
        // Before the context progresses: until then no call ends.
        if started.is_ok() {
            unsafe { (*pending).id = call };
            self.shared.calls.borrow_mut().insert(call, pending);
        } else {
            drop(unsafe { Box::from_raw(pending) });
        }
        self.returned(started)?;
        Ok(CallId(call))
    }

    /// How many calls are under way.
    pub fn calls_under_way(&self) -> usize {
        unsafe { tc_call_count(self.as_ptr()) }
    }

    /// Abandons a call: its closure is dropped and not called. The function runs all the same.
    pub fn cancel(&self, call: CallId) -> Result<(), Error> {
        plain(unsafe { tc_call_cancel(self.as_ptr(), call.0) })?;
        let pending = self.shared.calls.borrow_mut().remove(&call.0);
        drop(pending.map(|pending| unsafe { Box::from_raw(pending) }));
        Ok(())
    }
}
