use crate::error::{check, empty, owned, result, start_of};
use crate::{nanoseconds, Context, Error, Function};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::time::Duration;
use tchains_sys::*;

/// The properties of an endpoint and of its peer; the peer chooses its texts, but for
/// `identity`.
#[derive(Clone, Debug, Default)]
pub struct EndpointInfo {
    /// "direct", "am", "put" or "stream"
    pub delivery: String,
    pub triple: String,
    pub library: String,
    /// "19.1.7" or "none"
    pub llvm: String,
    pub cpu: String,
    /// "uid:1000", "key:cluster"; "": nothing was proved
    pub identity: String,
    pub payload_max: usize,
    pub sent_messages: u64,
    pub run_messages: u64,
}

pub(crate) fn info(ep: *const tc_ep) -> EndpointInfo {
    unsafe {
        let mut info: tc_ep_info = std::mem::zeroed();
        tc_ep_query_sized(ep, &mut info, std::mem::size_of_val(&info));
        EndpointInfo {
            delivery: owned(info.delivery),
            triple: owned(info.peer_triple),
            library: owned(info.peer_library),
            llvm: owned(info.peer_llvm),
            cpu: owned(info.peer_cpu),
            identity: owned(info.peer_identity),
            payload_max: info.payload_max,
            sent_messages: info.sent_messages,
            run_messages: info.run_messages,
        }
    }
}

/// A message of one frame is sent whole or not at all.
pub(crate) fn frame_max(ep: *const tc_ep) -> usize {
    unsafe {
        let mut info: tc_ep_info = std::mem::zeroed();
        tc_ep_query_sized(ep, &mut info, std::mem::size_of_val(&info));
        info.frame_payload_max
    }
}

/// The endpoint that an event is about; there during the callback.
pub struct Peer<'e> {
    raw: *mut tc_ep,
    event: PhantomData<&'e ()>,
}

impl Peer<'_> {
    pub(crate) fn new<'e>(raw: *mut tc_ep) -> Peer<'e> {
        Peer {
            raw,
            event: PhantomData,
        }
    }

    pub fn info(&self) -> EndpointInfo {
        info(self.raw)
    }

    /// Why it ended.
    pub fn error(&self) -> Result<(), Error> {
        check(|err| unsafe { tc_ep_error(self.raw, err) })
    }
}

/// An ordered connection to one peer. Dropped, it is flushed for the option `close_timeout` at most
/// and closed.
pub struct Endpoint<'c> {
    pub(crate) context: &'c Context,
    pub(crate) raw: *mut tc_ep,
    given_up: Cell<bool>,
}

impl<'c> Endpoint<'c> {
    pub(crate) fn new(context: &'c Context, raw: *mut tc_ep) -> Endpoint<'c> {
        Endpoint {
            context,
            raw,
            given_up: Cell::new(false),
        }
    }

    pub(crate) fn usable(&self) -> Result<(), Error> {
        if self.given_up.get() {
            return Err(Error::new(
                TC_E_CLOSED,
                "closed, because a message was partly sent",
            ));
        }
        Ok(())
    }

    pub(crate) fn accepts(&self, function: &Function) -> Result<(), Error> {
        self.usable()?;
        self.context.owns(function)
    }

    /// Follows a send that waited, after which the payload is the program's again: when a part
    /// of it was sent, the library may read the rest until the endpoint is closed.
    fn let_go(&self, payload: &[u8], sent: Result<(), Error>) -> Result<(), Error> {
        if let Err(error) = &sent {
            if error.is(TC_E_TIMEOUT) && payload.len() > frame_max(self.raw) {
                self.given_up.set(true);
                unsafe { tc_ep_close(self.raw) };
            }
        }
        self.context.returned(sent)
    }

    /// Sends one message; waits so long for space. When that was too short for a payload of
    /// more than one frame, the endpoint is closed, since a part may have left.
    pub fn send(
        &self,
        function: &Function,
        payload: &[u8],
        timeout: Duration,
    ) -> Result<(), Error> {
        self.accepts(function)?;
        let sent = check(|err| unsafe {
            let (bytes, timeout) = (start_of(payload), nanoseconds(timeout));
            tc_send_wait(self.raw, function.raw, bytes, payload.len(), timeout, err)
        });
        self.let_go(payload, sent)
    }

    /// Sends one message without ever waiting: the rest that was not sent at once goes by
    /// `Sending::try_finish`, which has the payload until then.
    pub fn start_send<'e>(
        &'e self,
        function: &'e Function<'c>,
        payload: Vec<u8>,
    ) -> Result<Sending<'e, 'c>, Error> {
        self.accepts(function)?;
        let mut sending = Sending {
            endpoint: self,
            function,
            payload,
            done: false,
        };
        sending.try_finish()?;
        Ok(sending)
    }

    /// Blocks until the peer has run, or dropped, all that was sent.
    pub fn flush(&self, timeout: Duration) -> Result<(), Error> {
        self.usable()?;
        self.context.returned(check(|err| unsafe {
            tc_ep_flush(self.raw, nanoseconds(timeout), err)
        }))
    }

    /// Closes the endpoint when the peer has run, or dropped, all that was sent, or when the time
    /// is over; zero: the option `close_timeout`. Fails if messages may not have run: the text has
    /// their number.
    pub fn finish(self, timeout: Duration) -> Result<(), Error> {
        self.usable()?;
        let finished = check(|err| unsafe {
            tc_ep_finish(self.raw, nanoseconds(timeout), ptr::null_mut(), err)
        });
        let busy = matches!(&finished, Err(error) if error.is(TC_E_BUSY));
        self.given_up.set(!busy);
        self.context.returned(finished)
    }

    /// Sends a function's code ahead and waits until the peer can call it; zero: until it is sent.
    pub fn prepare(&self, function: &Function, timeout: Duration) -> Result<(), Error> {
        self.accepts(function)?;
        self.context.returned(check(|err| unsafe {
            tc_ep_prepare(self.raw, function.raw, nanoseconds(timeout), err)
        }))
    }

    /// How many functions the peer has refused, and why the newest of them.
    pub fn refusal(&self) -> Option<(u32, Error)> {
        self.usable().ok()?;
        let mut err = empty();
        match unsafe { tc_ep_refusal(self.raw, &mut err) } {
            0 => None,
            count => Some((count, result(err.status, &err).err()?)),
        }
    }

    /// Why the endpoint cannot be used any more.
    pub fn error(&self) -> Result<(), Error> {
        self.usable()?;
        check(|err| unsafe { tc_ep_error(self.raw, err) })
    }

    /// Empty for one that is closed, because a message was partly sent.
    pub fn info(&self) -> EndpointInfo {
        match self.usable() {
            Ok(()) => info(self.raw),
            Err(_) => EndpointInfo::default(),
        }
    }
}

impl Drop for Endpoint<'_> {
    fn drop(&mut self) {
        if !self.given_up.get() {
            unsafe { tc_ep_close(self.raw) };
        }
        if !std::thread::panicking() {
            self.context.returned(());
        }
    }
}

/// A message that may be partly sent, and its payload. Dropped before it is finished, the context
/// keeps the payload, and the endpoint takes no other message any more (TC_E_BUSY).
#[must_use = "the message may be partly sent: try_finish says"]
pub struct Sending<'e, 'c> {
    endpoint: &'e Endpoint<'c>,
    function: &'e Function<'c>,
    payload: Vec<u8>,
    done: bool,
}

impl Sending<'_, '_> {
    /// True: it is sent or queued, and `into_payload` has its bytes. False: progress or wait,
    /// then try again.
    pub fn try_finish(&mut self) -> Result<bool, Error> {
        if self.done {
            return Ok(true);
        }
        // Another message may have closed the endpoint meanwhile.
        if let Err(closed) = self.endpoint.usable() {
            self.done = true;
            return Err(closed);
        }
        let context = self.endpoint.context;
        let status = context.returned(unsafe {
            let bytes = start_of(&self.payload);
            tc_send(
                self.endpoint.raw,
                self.function.raw,
                bytes,
                self.payload.len(),
            )
        });
        match status {
            TC_E_AGAIN => Ok(false),
            TC_OK => {
                self.done = true;
                Ok(true)
            }
            status => {
                self.done = true;
                let mut err = empty();
                unsafe { tc_send_error(context.as_ptr(), &mut err) };
                result(status, &err).map(|_| true)
            }
        }
    }
}

impl Sending<'_, '_> {
    /// The payload, to be used again; `None` while it is not all sent.
    pub fn into_payload(mut self) -> Option<Vec<u8>> {
        self.done.then(|| std::mem::take(&mut self.payload))
    }
}

impl Drop for Sending<'_, '_> {
    fn drop(&mut self) {
        if !self.done {
            // Not of the endpoint's: closed inside a callback, it ends later.
            let payload = std::mem::take(&mut self.payload);
            self.endpoint.context.shared.keep(payload);
        }
    }
}

impl fmt::Debug for Endpoint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Endpoint({})", self.info().identity)
    }
}
