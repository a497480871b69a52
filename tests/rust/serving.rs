//! Contexts that threads serve, permission to connect, and rights of callbacks.
use crate::served::{served, SOON};
use std::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{mpsc, Arc};
use std::time::Duration;
use tchains::sys::*;
use tchains::{Context, Event, Options};

fn with(option: &str, value: &str) -> Context {
    let options = Options::new().unwrap().set(option, value).unwrap();
    Context::with_options(&options).unwrap()
}

fn ask(address: &str, client: &Context) {
    let node = client.connect(address, SOON).unwrap();
    let sample = client.open("sample").unwrap();
    assert_eq!(node.call(&sample, b"echo", 4, SOON).unwrap(), b"echo");
}

pub fn a_thread_serves() {
    let server = Context::new().unwrap();
    let address = format!("127.0.0.1:{}", server.listen("127.0.0.1:0").unwrap().keep());
    let client = Context::new().unwrap();
    let serving = server.serve_in_thread().unwrap();
    ask(&address, &client);
    // Stopped, it is the program's again, and can be served once more, by whichever thread.
    let server = serving.stop().unwrap();
    assert!(server.counter("messages_run").unwrap() > 0);
    let serving = server.serve_in_thread().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| ask(&address, &Context::new().unwrap()));
    });
    drop(serving);
    let gone = client.connect(&address, SOON).err().unwrap();
    assert!(gone.is(TC_E_UNREACHABLE), "{}", gone);
    a_panic_of_a_callback_ends_the_serving();
}

fn a_panic_of_a_callback_ends_the_serving() {
    let server = Context::new().unwrap();
    let address = format!("127.0.0.1:{}", server.listen("127.0.0.1:0").unwrap().keep());
    server.on_event(|_, what| {
        if what == Event::Opened {
            panic!("nobody is welcome");
        }
    });
    let serving = server.serve_in_thread().unwrap();
    let client = Context::new().unwrap();
    let peer = client.connect(&address, SOON).unwrap();
    drop(peer);
    let panic = catch_unwind(AssertUnwindSafe(|| serving.stop())).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"nobody is welcome"));
}

/// By the options of C: a key that both share.
pub fn keys_say_who_may_connect() {
    let key = match std::env::var("TEST_KEY") {
        Ok(key) => key,
        Err(_) => return println!("not tested: no key"),
    };
    let server = with("key_file", &key);
    let address = format!("127.0.0.1:{}", server.listen("127.0.0.1:0").unwrap().keep());
    let (tell, identities) = mpsc::channel();
    server.on_event(move |peer, what| {
        if what == Event::Opened {
            tell.send(peer.info().identity).unwrap();
        }
    });
    let serving = server.serve_in_thread().unwrap();
    let stranger = Context::new().unwrap();
    assert!(stranger.connect(&address, Duration::from_secs(5)).is_err());
    ask(&address, &with("key_file", &key));
    assert!(identities.recv_timeout(SOON).unwrap().starts_with("key:"));
    let server = serving.stop().unwrap();
    assert!(identities.try_recv().is_err());
    server.reload_trust().unwrap();
    server.reopen_audit().unwrap();
}

thread_local! {
    static HERE: Cell<Option<&'static Context>> = Cell::new(None);
}

/// Counts where it is dropped, and panics there.
struct Falls(Arc<AtomicUsize>);

impl Drop for Falls {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
        panic!("from a destructor");
    }
}

/// A callback finds its context by the thread's data; the library refuses forbidden calls.
pub fn callbacks_call_back_in() {
    served(|address| {
        let context: &'static Context = Box::leak(Box::new(Context::new().unwrap()));
        HERE.with(|here| here.set(Some(context)));
        let node = context.connect(address, SOON).unwrap();
        let sample = context.open("sample").unwrap();
        let (tell, told) = mpsc::channel();
        let first = node.start_call(&sample, b"echo", 4, SOON, move |reply| {
            assert!(reply.is_ok());
            let here = HERE.with(|here| here.get()).unwrap();
            assert_eq!(here.progress(), 0);
            assert!(here.wait(SOON).unwrap_err().is(TC_E_BUSY));
            assert!(here.wait_for_calls(SOON).unwrap_err().is(TC_E_BUSY));
            assert!(here.connect("127.0.0.1:1", SOON).unwrap_err().is(TC_E_BUSY));
            tell.send(()).unwrap();
        });
        context.wait_for_calls(SOON).unwrap();
        told.recv().unwrap();
        assert!(context.cancel(first.unwrap()).is_err());

        // A callback's data are dropped once, and a panic of that goes on here, as the panic of
        // the callback itself.
        let falls = Arc::new(AtomicUsize::new(0));
        let inside = Falls(falls.clone());
        node.start_call(&sample, b"echo", 4, SOON, move |_| {
            let _inside = inside;
        })
        .unwrap();
        let ended = catch_unwind(AssertUnwindSafe(|| context.wait_for_calls(SOON)));
        assert_eq!(
            ended.unwrap_err().downcast_ref::<&str>(),
            Some(&"from a destructor")
        );
        assert_eq!(falls.load(SeqCst), 1);

        // An event's callback that sets another one goes when it has returned.
        let inside = Falls(falls.clone());
        context.on_event(move |_, _| {
            let _here = &inside;
            HERE.with(|here| here.get()).unwrap().on_event(|_, _| ());
        });
        let port = context.listen("127.0.0.1:0").unwrap().keep();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let visitor = Context::new().unwrap();
                visitor
                    .connect(&format!("127.0.0.1:{}", port), SOON)
                    .map(drop)
            });
            let wait = || context.wait(SOON);
            while catch_unwind(AssertUnwindSafe(wait)).is_ok() {}
        });
        assert_eq!(falls.load(SeqCst), 2);
        drop((node, sample));
        HERE.with(|here| here.set(None));
        // It was leaked for its lifetime alone.
        drop(unsafe { Box::from_raw(context as *const Context as *mut Context) });
    });
}
