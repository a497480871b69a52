use crate::error::{check, plain, text};
use crate::{Context, Error};
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use tchains_sys::*;

impl Context {
    /// Accepts peers at "127.0.0.1:0". Every peer that can connect can run code here: the
    /// options restrict them (`key_file`, `tls_ca`, `local_users`).
    pub fn listen(&self, host_port: &str) -> Result<Listener<'_>, Error> {
        let host_port = text(host_port)?;
        let mut raw = ptr::null_mut();
        check(|err| unsafe {
            tc_listener_open(self.as_ptr(), host_port.as_ptr() as *const _, &mut raw, err)
        })?;
        Ok(Listener {
            raw,
            context: PhantomData,
        })
    }

    /// Runs messages of peers until the number is not 0; its setter wakes the context then.
    pub fn serve(&self, until: &AtomicI32) -> Result<(), Error> {
        let until = until as *const AtomicI32 as *const c_int;
        self.returned(plain(unsafe { tc_serve(self.as_ptr(), until) }))
    }

    /// Runs messages of peers until SIGINT or SIGTERM comes; its number.
    pub fn serve_until_signal(&self) -> Result<i32, Error> {
        let mut signal = 0;
        self.returned(plain(unsafe {
            tc_serve_until_signal(self.as_ptr(), &mut signal)
        }))?;
        Ok(signal)
    }

    /// Has a thread of its own serve the context, until `Serving::stop`. A `Listener` goes before,
    /// by `Listener::keep`.
    pub fn serve_in_thread(self) -> Result<Serving, Error> {
        let raw = self.as_ptr();
        let until = Arc::new(AtomicI32::new(0));
        let seen = until.clone();
        let thread = std::thread::Builder::new()
            .name("tc-serving".to_string())
            .spawn(move || {
                // The context goes back whatever happens: `stop` wakes it until then.
                let ended = catch_unwind(AssertUnwindSafe(|| self.serve(&seen)));
                (self, ended)
            })
            .map_err(|why| Error::new(TC_E_NO_MEMORY, format!("no thread: {}", why)))?;
        Ok(Serving {
            raw,
            until,
            thread: Some(thread),
        })
    }

    /// A handle that wakes `wait` and `serve` from other threads.
    pub fn waker(&self) -> Waker<'_> {
        Waker {
            raw: self.as_ptr(),
            context: PhantomData,
        }
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

    /// Accepts peers for as long as the context lives; the port.
    pub fn keep(self) -> u16 {
        let port = self.port();
        std::mem::forget(self); // the context closes it
        port
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

type Ended = Result<Result<(), Error>, Box<dyn Any + Send>>;

/// A context that a thread serves. Dropped, it stops, and the context goes with it.
pub struct Serving {
    raw: *mut tc_context, // lives until the thread is joined
    until: Arc<AtomicI32>,
    thread: Option<JoinHandle<(Context, Ended)>>,
}

// It only wakes the context, which any thread may.
unsafe impl Send for Serving {}
unsafe impl Sync for Serving {}

impl Serving {
    /// Ends the thread, after the function that it runs; the context, which still has its peers. A
    /// panic of a callback goes on here.
    pub fn stop(mut self) -> Result<Context, Error> {
        let (context, ended) = self.join().expect("it is stopped once");
        match ended {
            Ok(served) => served.map(|_| context),
            Err(panic) => resume_unwind(panic),
        }
    }

    fn join(&mut self) -> Option<(Context, Ended)> {
        let thread = self.thread.take()?;
        self.until.store(1, Ordering::SeqCst);
        unsafe { tc_wake(self.raw) };
        Some(thread.join().expect("it catches panics"))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if let Some((context, ended)) = self.join() {
            drop(context);
            if let (Err(panic), false) = (ended, std::thread::panicking()) {
                resume_unwind(panic);
            }
        }
    }
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Serving({:p})", self.raw)
    }
}
