//! The peer of a test: a context of this process that a thread serves.
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};
use std::sync::{mpsc, Arc};
use std::time::Duration;
use tchains::{Context, Event};

pub const SOON: Duration = Duration::from_secs(20);

/// Runs `client` with the address of a context that another thread serves; that thread's events.
pub fn served(client: impl FnOnce(&str)) -> Vec<Event> {
    let server = Context::new().unwrap();
    let (event, events) = mpsc::channel();
    let closed = Arc::new(AtomicI32::new(0));
    let closing = closed.clone();
    server.on_event(move |peer, what| {
        assert!(what != Event::Opened || peer.info().triple.ends_with("linux"));
        closing.store((what != Event::Opened) as i32, SeqCst);
        event.send(what).unwrap();
    });
    let end = AtomicI32::new(0);
    let (port, ports) = mpsc::channel();
    let end_ref = &end;
    std::thread::scope(|scope| {
        // The context moves to the thread, and a waker to its ender.
        let thread = scope.spawn(move || {
            let listener = server.listen("127.0.0.1:0").unwrap();
            port.send(listener.port()).unwrap();
            let waker = server.waker();
            std::thread::scope(|inner| {
                inner.spawn(move || {
                    while end_ref.load(SeqCst) == 0 {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    waker.wake();
                });
                server.serve(end_ref).unwrap();
            });
            server.serve(&closed).unwrap();
        });
        let address = format!("127.0.0.1:{}", ports.recv().unwrap());
        let done = catch_unwind(AssertUnwindSafe(|| client(&address)));
        end.store(1, SeqCst);
        thread.join().unwrap();
        if let Err(panic) = done {
            std::panic::resume_unwind(panic);
        }
    });
    events.try_iter().collect()
}
