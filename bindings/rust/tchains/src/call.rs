use crate::context::Shared;
use crate::error::{check, empty, owned, plain, result};
use crate::{nanoseconds, Context, Endpoint, Error, Function};
use std::slice;
use std::time::Duration;
use tchains_sys::*;

/// Names a call that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallId(tc_call_id);

type Done = Box<dyn FnOnce(Result<&[u8], Error>) + Send>;

/// What a call under way owns. The library has its address until the call ends.
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

    /// `call` into memory of the caller's; the answer's size. Of a longer one TC_E_TOO_LARGE has
    /// the size in its text.
    pub fn call_into(
        &self,
        function: &Function,
        payload: &[u8],
        answer: &mut [u8],
        timeout: Duration,
    ) -> Result<usize, Error> {
        self.accepts(function)?;
        let (mut err, mut size) = (empty(), answer.len());
        let status = unsafe {
            tc_call(
                self.raw,
                function.raw,
                payload.as_ptr() as *const c_void,
                payload.len(),
                answer.as_mut_ptr() as *mut c_void,
                &mut size,
                nanoseconds(timeout),
                &mut err,
            )
        };
        self.let_go(payload, result(status, &err))?;
        Ok(size)
    }

    /// Starts a call, with a payload of one frame at most (`call` takes larger ones); the closure gets the answer, or why there is none, once, while the context
    /// progresses, or when it is dropped. A cancelled call's closure is dropped. An error here is
    /// a message that was not sent, and the closure is not called.
    pub fn start_call(
        &self,
        function: &Function,
        payload: &[u8],
        capacity: usize,
        timeout: Duration,
        done: impl FnOnce(Result<&[u8], Error>) + Send + 'static,
    ) -> Result<CallId, Error> {
        self.accepts(function)?;
        let room = self.frame_max();
        if payload.len() > room {
            let text = format!(
                "a payload of {} bytes, a frame takes {}",
                payload.len(),
                room
            );
            return Err(Error::new(TC_E_TOO_LARGE, text));
        }
        let pending = Box::into_raw(Box::new(Pending {
            shared: &*self.context.shared,
            id: 0,
            result: vec![0; capacity],
            done: Some(Box::new(done)),
        }));
        let params = tc_call_params {
            result: unsafe { (*pending).result.as_mut_ptr() as *mut c_void },
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
                self.raw,
                function.raw,
                payload.as_ptr() as *const c_void,
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
            self.context.shared.calls.borrow_mut().insert(call, pending);
        } else {
            drop(unsafe { Box::from_raw(pending) });
        }
        self.context.returned(started)?;
        Ok(CallId(call))
    }
}

impl Context {
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
