use crate::call::Pending;
use crate::endpoint::Peer;
use crate::error::{check, owned, plain, start_of, text};
use crate::{nanoseconds, Endpoint, Error, Memory, Options};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::os::unix::io::RawFd;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tchains_sys::*;

/// An event of a peer that a listener accepted, or of an endpoint of this context's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Opened,
    /// In order, after all its messages ran.
    Closed,
    Failed,
}

type EventCallback = Box<dyn FnMut(&Peer, Event) + Send>;

/// The data that callbacks of the library reach. It has one address for the context's whole
/// life, and is freed after it.
pub(crate) struct Shared {
    events: Cell<Option<EventCallback>>,
    pub(crate) calls: RefCell<HashMap<tc_call_id, *mut Pending>>,
    /// The first panic of a callback since the library was called.
    panic: Cell<Option<Box<dyn Any + Send>>>,
    /// Data that the library may read until the context is gone: those of messages that were
    /// partly sent, on endpoints that it closes later.
    kept: RefCell<Vec<Vec<u8>>>,
    /// The memory of windows that the library closes with the context, by number and generation.
    pub(crate) windows: RefCell<HashMap<(u16, u16), Arc<Memory>>>,
}

impl Shared {
    /// Runs a callback of the program's, with all that it drops. A panic waits until the library has
    /// returned; nothing unwinds into it.
    pub(crate) fn run(&self, callback: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(callback)) {
            match self.panic.take() {
                None => self.panic.set(Some(panic)),
                Some(first) => {
                    self.panic.set(Some(first));
                    std::mem::forget(panic); // its destructor may panic in its turn
                }
            }
        }
    }

    pub(crate) fn keep(&self, payload: Vec<u8>) {
        self.kept.borrow_mut().push(payload);
    }
}

/// One thread's part in all this: the functions it has loaded, its endpoints and listeners.
pub struct Context {
    raw: *mut tc_context,
    pub(crate) shared: Rc<Shared>, // callbacks have its address, so it is in no Box
}

// A context and its objects belong to one thread at a time, any thread: the objects borrow the
// context, callbacks are Send, and `shared` has no other user. It is not Sync, by its pointer.
unsafe impl Send for Context {}

impl Context {
    /// With the options of the environment.
    pub fn new() -> Result<Context, Error> {
        Context::create(ptr::null())
    }

    pub fn with_options(options: &Options) -> Result<Context, Error> {
        Context::create(options.as_ptr())
    }

    fn create(options: *const tc_options) -> Result<Context, Error> {
        let mut raw = ptr::null_mut();
        check(|err| unsafe {
            tc_context_create_for(TC_VERSION_NUMBER, options, &mut raw, err)
        })?;
        let shared = Rc::new(Shared {
            events: Cell::new(None),
            calls: RefCell::new(HashMap::new()),
            panic: Cell::new(None),
            kept: RefCell::new(Vec::new()),
            windows: RefCell::new(HashMap::new()),
        });
        Ok(Context { raw, shared })
    }

    pub(crate) fn as_ptr(&self) -> *mut tc_context {
        self.raw
    }

    /// A call of the library that may have run callbacks: if one panicked, the panic goes on.
    pub(crate) fn returned<T>(&self, value: T) -> T {
        if let Some(panic) = self.shared.panic.take() {
            resume_unwind(panic);
        }
        value
    }

    /// Connects to a listener, "127.0.0.1:7000". Zero: the option `connect_timeout`.
    pub fn connect(&self, host_port: &str, timeout: Duration) -> Result<Endpoint<'_>, Error> {
        let host_port = text(host_port)?;
        let mut ep = ptr::null_mut();
        self.returned(check(|err| unsafe {
            let place = host_port.as_ptr() as *const _;
            tc_ep_connect(self.raw, place, nanoseconds(timeout), &mut ep, err)
        }))?;
        Ok(Endpoint::new(self, ep))
    }

    /// Connects to a context by the bytes of its `address`, which come by a channel that both
    /// trust: peers are not authenticated this way, and damaged bytes alone are noticed.
    pub fn connect_address(
        &self,
        address: &[u8],
        timeout: Duration,
    ) -> Result<Endpoint<'_>, Error> {
        let mut ep = ptr::null_mut();
        self.returned(check(|err| unsafe {
            let (bytes, size) = (start_of(address), address.len());
            tc_ep_connect_address(self.raw, bytes, size, nanoseconds(timeout), &mut ep, err)
        }))?;
        Ok(Endpoint::new(self, ep))
    }

    /// This context's address for `connect_address` and `group_of`; from the first call on, peers can
    /// connect by it.
    pub fn address(&self) -> Vec<u8> {
        unsafe {
            let mut size = 0;
            let bytes = tc_context_address(self.raw, &mut size) as *const u8;
            if bytes.is_null() {
                return Vec::new();
            }
            std::slice::from_raw_parts(bytes, size).to_vec()
        }
    }

    /// Reads the keys of the option `trust` and the lists of `code_allow` and `code_revoked` again.
    pub fn reload_trust(&self) -> Result<(), Error> {
        self.returned(check(|err| unsafe {
            tc_context_reload_trust(self.raw, err)
        }))
    }

    /// Opens the file of the option `audit` again by its name, after it was renamed.
    pub fn reopen_audit(&self) -> Result<(), Error> {
        check(|err| unsafe { tc_context_reopen_audit(self.raw, err) })
    }

    /// Runs arrived messages, sends queued ones; returns the number of messages that ran.
    pub fn progress(&self) -> u32 {
        self.returned(unsafe { tc_progress(self.raw) })
    }

    /// Progresses until something happened; false: nothing did in that time.
    pub fn wait(&self, timeout: Duration) -> Result<bool, Error> {
        match self.returned(unsafe { tc_wait(self.raw, nanoseconds(timeout)) }) {
            TC_E_TIMEOUT => Ok(false),
            status => plain(status).map(|_| true),
        }
    }

    /// Blocks until no call is under way, and their callbacks have run.
    pub fn wait_for_calls(&self, timeout: Duration) -> Result<(), Error> {
        self.returned(plain(unsafe {
            tc_calls_wait(self.raw, nanoseconds(timeout))
        }))
    }

    /// For poll and epoll: readable when there is work, if `arm` returned true since the last
    /// `progress`. The context owns it.
    pub fn fd(&self) -> RawFd {
        unsafe { tc_context_fd(self.raw) }
    }

    /// Asks peers to make the descriptor readable; false: there is work already.
    pub fn arm(&self) -> Result<bool, Error> {
        match unsafe { tc_context_arm(self.raw) } {
            TC_E_AGAIN => Ok(false),
            status => plain(status).map(|_| true),
        }
    }

    /// Has the closure called when a peer comes or goes, while this context progresses.
    pub fn on_event(&self, callback: impl FnMut(&Peer, Event) + Send + 'static) {
        self.shared.events.set(Some(Box::new(callback)));
        let user = &*self.shared as *const Shared as *mut c_void;
        unsafe { tc_context_set_ep_callback(self.raw, Some(happened), user) }
    }

    /// The third argument of every function that runs here.
    ///
    /// # Safety Functions of any peer use it by their own idea of its type, until the context
    /// is dropped or it is set again.
    pub unsafe fn set_target_args(&self, target_args: *mut c_void) {
        tc_context_set_target_args(self.raw, target_args)
    }

    /// Gives functions that run here access to memory by name; null and 0 withdraw it.
    ///
    /// # Safety
    /// The memory stays until it is withdrawn or the context is dropped. Every function of every
    /// peer may read and write it whenever this context progresses.
    pub unsafe fn publish(&self, name: &str, data: *mut u8, size: usize) -> Result<(), Error> {
        let name = text(name)?;
        check(|err| {
            tc_context_publish(
                self.raw,
                name.as_ptr() as *const _,
                data as *mut c_void,
                size,
                err,
            )
        })
    }

    /// A counter by its name, as tc_context(3) lists them.
    pub fn counter(&self, name: &str) -> Option<u64> {
        (0..unsafe { tc_stats_count() })
            .find(|&index| unsafe { owned(tc_stats_name(index)) } == name)
            .map(|index| unsafe { tc_stats_value(self.raw, index) })
    }
}

impl Context {
    /// Destroys the context when all peers have run what was sent, or when the time is over; zero:
    /// the option `close_timeout`. Fails if messages may not have run: the text has their number.
    pub fn finish(mut self, timeout: Duration) -> Result<(), Error> {
        let finished = check(|err| unsafe {
            tc_context_finish(self.raw, nanoseconds(timeout), ptr::null_mut(), err)
        });
        if !matches!(&finished, Err(error) if error.is(TC_E_BUSY)) {
            self.raw = ptr::null_mut();
        }
        finished
    }
}

impl Drop for Context {
    /// Calls that are under way end with TC_E_CLOSED, and their callbacks are called.
    fn drop(&mut self) {
        unsafe { tc_context_destroy(self.raw) };
        if let Some(panic) = self.shared.panic.take() {
            if !std::thread::panicking() {
                resume_unwind(panic);
            }
        }
    }
}

unsafe extern "C" fn happened(user: *mut c_void, ep: *mut tc_ep, event: tc_ep_event) {
    let shared = &*(user as *const Shared);
    let event = match event {
        TC_EP_OPENED => Event::Opened,
        TC_EP_CLOSED => Event::Closed,
        _ => Event::Failed,
    };
    // Taken out meanwhile: the callback may set another one.
    if let Some(mut callback) = shared.events.take() {
        shared.run(|| callback(&Peer::new(ep), event));
        match shared.events.take() {
            None => shared.events.set(Some(callback)),
            Some(newer) => {
                shared.events.set(Some(newer));
                shared.run(|| drop(callback));
            }
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Context({:p})", self.raw)
    }
}
