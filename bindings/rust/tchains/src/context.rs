use crate::call::Pending;
use crate::endpoint::Peer;
use crate::error::{check, owned, plain, text};
use crate::{nanoseconds, Endpoint, Error, Options};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::os::unix::io::RawFd;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::atomic::AtomicI32;
use std::time::Duration;
use tchains_sys::*;

/// What happened to a peer that a listener accepted, or to an endpoint of this context's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Opened,
    /// In order, after all its messages ran.
    Closed,
    Failed,
}

type EventCallback = Box<dyn FnMut(&Peer, Event) + Send>;

/// What callbacks of the library reach. It has one address for the context's whole life.
pub(crate) struct Shared {
    events: Cell<Option<EventCallback>>,
    pub(crate) calls: RefCell<HashMap<tc_call_id, *mut Pending>>,
    panic: Cell<Option<Box<dyn Any + Send>>>,
}

impl Shared {
    /// Runs a callback of the program's. A panic waits until the library has returned.
    pub(crate) fn run(&self, callback: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(callback)) {
            self.panic.set(Some(panic));
        }
    }
}

/// One thread's part in all this: the functions it has loaded, its endpoints and listeners.
pub struct Context {
    raw: *mut tc_context,
    pub(crate) shared: Box<Shared>,
}

// A context and what is made from it belong to one thread at a time, any thread: what is made from
// it borrows it, and callbacks are Send. It is not Sync, by its pointer.
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
        let shared = Box::new(Shared {
            events: Cell::new(None),
            calls: RefCell::new(HashMap::new()),
            panic: Cell::new(None),
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

    /// Accepts peers at "127.0.0.1:0". Whoever can connect can run code here.
    pub fn listen(&self, host_port: &str) -> Result<Listener<'_>, Error> {
        let host_port = text(host_port)?;
        let mut raw = ptr::null_mut();
        check(|err| unsafe {
            tc_listener_open(self.raw, host_port.as_ptr() as *const _, &mut raw, err)
        })?;
        Ok(Listener {
            raw,
            context: PhantomData,
        })
    }

    /// Runs what has arrived, sends what waits; how many messages ran.
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

    /// Runs what peers send until the number is not 0; whoever sets it wakes the context then.
    pub fn serve(&self, until: &AtomicI32) -> Result<(), Error> {
        let until = until as *const AtomicI32 as *const c_int;
        self.returned(plain(unsafe { tc_serve(self.raw, until) }))
    }

    /// Runs what peers send until SIGINT or SIGTERM comes; its number.
    pub fn serve_until_signal(&self) -> Result<i32, Error> {
        let mut signal = 0;
        self.returned(plain(unsafe {
            tc_serve_until_signal(self.raw, &mut signal)
        }))?;
        Ok(signal)
    }

    /// Blocks until no call is under way, and their callbacks have run.
    pub fn wait_for_calls(&self, timeout: Duration) -> Result<(), Error> {
        self.returned(plain(unsafe {
            tc_calls_wait(self.raw, nanoseconds(timeout))
        }))
    }

    /// What wakes `wait` and `serve` from other threads.
    pub fn waker(&self) -> Waker<'_> {
        Waker {
            raw: self.raw,
            context: PhantomData,
        }
    }

    /// For poll and epoll: readable when there is work, if `arm` said true since the last
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
    /// # Safety
    /// Functions of any peer use it as what they take it for, until the context is dropped or it is
    /// set again.
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
        let newer = shared.events.take();
        shared.events.set(newer.or(Some(callback)));
    }
}

/// Accepts peers until it is dropped; those that it accepted stay.
pub struct Listener<'c> {
    raw: *mut tc_listener,
    context: PhantomData<&'c Context>,
}

impl Listener<'_> {
    pub fn port(&self) -> u16 {
        unsafe { tc_listener_port(self.raw) }
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        unsafe { tc_listener_close(self.raw) }
    }
}

/// Has `wait` return, and `serve` look at its number: from any thread, and from a signal handler.
#[derive(Clone, Copy)]
pub struct Waker<'c> {
    raw: *mut tc_context,
    context: PhantomData<&'c ()>,
}

unsafe impl Send for Waker<'_> {}
unsafe impl Sync for Waker<'_> {}

impl Waker<'_> {
    pub fn wake(&self) {
        unsafe { tc_wake(self.raw) }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Context({:p})", self.raw)
    }
}
