//! The safe layer, against a context of the same process that a thread serves, and against a node:
//!     bindings_test NODE
//! Functions, libraries and packages are found by TC_IFUNC_PATH; TEST_KEY is a key file.
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};
use std::sync::{mpsc, Arc};
use std::time::Duration;
use tchains::sys::*;
use tchains::{Bitcode, Context, Event, Options};

mod chains;
mod groups;
mod holes;
mod leaks;
mod served;
mod serving;
mod travelling;
mod typed;
mod windows;
use served::{served, SOON};

fn sends_and_calls() {
    let events = served(|address| {
        let context = Context::new().unwrap();
        let node = context.connect(address, SOON).unwrap();
        let sample = context.open("sample").unwrap();
        assert_eq!(sample.name(), "sample");
        assert!(sample.code_size() > 100 && sample.id() != [0; 16]);
        assert_eq!(node.call(&sample, b"echo", 4, SOON).unwrap(), b"echo");
        assert_eq!(node.call(&sample, b"", 10, SOON).unwrap(), b"nothing");
        for _ in 0..3 {
            node.send(&sample, b"count", SOON).unwrap();
        }
        node.flush(SOON).unwrap();
        assert_eq!(
            node.call(&sample, b"count", 8, SOON).unwrap(),
            4u64.to_ne_bytes()
        );
        assert!(node.error().is_ok() && node.refusal().is_none());
        let info = node.info();
        assert_eq!((info.delivery.is_empty(), info.sent_messages), (false, 6));
        assert_eq!(context.counter("no such counter"), None);
        assert!(context.counter("code_sent").unwrap() > 0);
    });
    assert_eq!(events, [Event::Opened, Event::Closed]);
}

fn says_what_failed() {
    served(|address| {
        let context = Context::new().unwrap();
        let node = context.connect(address, SOON).unwrap();
        let sample = context.open("sample").unwrap();
        let failed = node.call(&sample, b"fail", 8, SOON).unwrap_err();
        assert_eq!(
            (failed.status.name(), &failed.text[..]),
            ("TC_E_HOPS", "as asked")
        );
        let failed = node.call(&sample, b"echo", 2, SOON).unwrap_err();
        assert!(failed.is(TC_E_TOO_LARGE), "{}", failed);
        let missing = context.open("missing").unwrap();
        let failed = node.call(&missing, b"", 8, SOON).unwrap_err();
        assert!(failed.text.contains("nobody_defines_this"), "{}", failed);
        let (count, why) = node.refusal().unwrap();
        assert!(count == 1 && why.is(TC_E_UNRESOLVED), "{} {}", count, why);
        assert!(context.open("absent").unwrap_err().is(TC_E_NOT_FOUND));
        assert!(context.open("zero\0byte").unwrap_err().is(TC_E_INVALID));
        assert!(context
            .open_memory(b"no archive", "")
            .unwrap_err()
            .is(TC_E_CORRUPT));
        let none = Bitcode {
            triple: "x86_64-linux",
            bytes: b"",
        };
        assert!(context
            .open_bitcode("none", &[none], "")
            .unwrap_err()
            .is(TC_E_INVALID));
        let other = Context::new().unwrap();
        let theirs = other.open("sample").unwrap();
        assert!(node
            .send(&theirs, b"", SOON)
            .unwrap_err()
            .text
            .contains("another context"));
    });
    let context = Context::new().unwrap();
    let failed = context.connect("127.0.0.1:1", SOON).err().unwrap();
    assert!(failed.is(TC_E_UNREACHABLE), "{}", failed);
    assert!(Options::new()
        .unwrap()
        .set("delivery", "pigeon")
        .err()
        .unwrap()
        .is(TC_E_INVALID));
}

fn calls_back() {
    served(|address| {
        let context = Context::new().unwrap();
        let node = context.connect(address, SOON).unwrap();
        let sample = context.open("sample").unwrap();
        let (answer, answers) = mpsc::channel();
        for text in ["echo", "fail"] {
            let answer = answer.clone();
            node.start_call(&sample, text.as_bytes(), 8, SOON, move |reply| {
                answer
                    .send(reply.map(<[u8]>::to_vec).map_err(|error| error.text))
                    .unwrap();
            })
            .unwrap();
        }
        context.wait_for_calls(SOON).unwrap();
        let all: Vec<_> = answers.try_iter().collect();
        assert_eq!(all, [Ok(b"echo".to_vec()), Err("as asked".to_string())]);

        // A cancelled call's closure goes, and is not called.
        let held = Arc::new(());
        let inside = held.clone();
        let call = node
            .start_call(&sample, b"echo", 8, SOON, move |_| {
                panic!("cancelled: {:?}", inside)
            })
            .unwrap();
        assert_eq!(
            (context.calls_under_way(), Arc::strong_count(&held)),
            (1, 2)
        );
        context.cancel(call).unwrap();
        assert_eq!(
            (context.calls_under_way(), Arc::strong_count(&held)),
            (0, 1)
        );
        assert!(context.cancel(call).unwrap_err().is(TC_E_NOT_FOUND));

        // A panic goes on where the library was called.
        node.start_call(&sample, b"echo", 8, SOON, |_| panic!("from a callback"))
            .unwrap();
        let panic =
            catch_unwind(AssertUnwindSafe(|| context.wait_for_calls(SOON))).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"from a callback"));
        assert_eq!(node.call(&sample, b"echo", 4, SOON).unwrap(), b"echo");

        // Those that are under way at the end are notified.
        let inside = answer.clone();
        node.start_call(&sample, b"echo", 8, SOON, move |reply| {
            inside
                .send(reply.map(<[u8]>::to_vec).map_err(|error| error.text))
                .unwrap();
        })
        .unwrap();
        drop((node, sample));
        drop(context);
        assert_eq!(answers.try_iter().count(), 1);
    });
}

fn finishing_reports_losses() {
    served(|address| {
        let context = Context::new().unwrap();
        let node = context.connect(address, SOON).unwrap();
        let other = context.connect(address, SOON).unwrap();
        let sample = context.open("sample").unwrap();
        node.send(&sample, b"echo", SOON).unwrap();
        node.finish(SOON).unwrap();
        other.send(&sample, b"echo", SOON).unwrap();
        drop((sample, other));
        context.finish(SOON).unwrap();
    });
}

fn keeps_what_is_partly_sent() {
    served(|address| {
        let context = Context::new().unwrap();
        let node = context.connect(address, SOON).unwrap();
        let sample = context.open("sample").unwrap();
        let mut large = vec![b'l'; 8 << 20];
        for _ in 0..4 {
            let mut sending = node.start_send(&sample, large).unwrap();
            while !sending.try_finish().unwrap() {
                context.wait(SOON).unwrap();
            }
            large = sending.into_payload().unwrap();
        }
        let length = node.call(&sample, &large, 8, SOON).unwrap();
        assert_eq!(length, (large.len() as u64).to_ne_bytes());
        // A call has a copy of its payload.
        let (answer, answers) = mpsc::channel();
        node.start_call(&sample, &large, 8, SOON, move |reply| {
            answer.send(reply.unwrap().to_vec()).unwrap()
        })
        .unwrap();
        drop(large);
        context.wait_for_calls(SOON).unwrap();
        assert_eq!(answers.recv().unwrap(), length);
    });
}

/// A peer that rests takes a part of a large payload, and no more.
fn lets_go_of_what_is_partly_sent() {
    let options = Options::new()
        .unwrap()
        .set("close_timeout", "50ms")
        .unwrap();
    let (context, server) = (
        Context::with_options(&options).unwrap(),
        Context::new().unwrap(),
    );
    let (resting, large) = (AtomicI32::new(0), vec![b'l'; 64 << 20]);
    let (sender, ports) = mpsc::channel();
    std::thread::scope(|scope| {
        let rest = &resting;
        let thread = scope.spawn(move || {
            let listener = server.listen("127.0.0.1:0").unwrap();
            sender.send(listener.port()).unwrap();
            while rest.load(SeqCst) == 0 {
                server.progress();
            }
            while rest.load(SeqCst) == 1 {
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let address = format!("127.0.0.1:{}", ports.recv().unwrap());
        let node = context.connect(&address, SOON).unwrap();
        let sample = context.open("sample").unwrap();
        assert_eq!(node.call(&sample, b"echo", 4, SOON).unwrap(), b"echo");
        let full = context.connect(&address, SOON).unwrap();
        let lost = context.connect(&address, SOON).unwrap();
        rest.store(1, SeqCst);
        let failed = node
            .send(&sample, &large, Duration::from_millis(50))
            .unwrap_err();
        assert!(failed.is(TC_E_TIMEOUT), "{}", failed);
        assert!(node
            .send(&sample, b"echo", SOON)
            .unwrap_err()
            .is(TC_E_CLOSED));
        assert!(
            node.flush(SOON).unwrap_err().is(TC_E_CLOSED) && node.info().delivery.is_empty()
        );
        // One that has not left, and another message closes the endpoint.
        let mut behind = loop {
            let mut sending = full.start_send(&sample, b"echo".to_vec()).unwrap();
            if !sending.try_finish().unwrap() {
                break sending;
            }
        };
        let soon = Duration::from_millis(50);
        assert!(full
            .send(&sample, &large, soon)
            .unwrap_err()
            .is(TC_E_TIMEOUT));
        assert!(behind.try_finish().unwrap_err().is(TC_E_CLOSED));
        assert_eq!(behind.into_payload().unwrap(), b"echo");
        lost.send(&sample, b"echo", SOON).unwrap();
        let failed = lost.finish(soon).unwrap_err();
        assert!(failed.is(TC_E_TIMEOUT), "{}", failed);
        assert!(failed.to_string().contains("1 message may not have run"));
        rest.store(2, SeqCst);
        thread.join().unwrap();
    });
}

fn waits_by_descriptor() {
    let context = Context::with_options(&Options::new().unwrap().set("spin", "0").unwrap());
    let context = context.unwrap();
    assert!(context.fd() >= 0 && context.arm().unwrap());
    assert_eq!(context.progress(), 0);
    assert!(!context.wait(Duration::from_millis(1)).unwrap());
    context.waker().wake();
    assert!(context.wait(SOON).unwrap());
}

/// Without the standard library nothing unwinds: the message ends, and all else goes on.
fn hears_a_panic(node: &str) {
    let context = Context::new().unwrap();
    let endpoint = context.connect(node, SOON).unwrap();
    let sample = context.open("sample").unwrap();
    for round in 1..4u64 {
        let failed = endpoint.call(&sample, b"index", 8, SOON).unwrap_err();
        assert!(failed.is(TC_E_THROWN), "{}", failed);
        assert!(
            failed.text.contains("the function panicked at"),
            "{}",
            failed
        );
        assert!(failed.text.contains("sample.rs:"), "{}", failed);
        // Once more as a message without a waiting caller.
        endpoint.send(&sample, b"index", SOON).unwrap();
        let count = endpoint.call(&sample, b"count", 8, SOON).unwrap();
        assert_eq!(count, round.to_ne_bytes());
    }
    endpoint.flush(SOON).unwrap();
}

/// Compiled with --panic abort, the peer's process ends; the node gives each peer one.
fn hears_that_a_process_ended(node: &str) {
    let context = Context::new().unwrap();
    let endpoint = context.connect(node, SOON).unwrap();
    let aborts = context.open("aborts").unwrap();
    let failed = endpoint.call(&aborts, b"index", 8, SOON).unwrap_err();
    assert!(failed.is(TC_E_THROWN), "{}", failed);
    assert!(failed.text.contains("aborts.rs:"), "{}", failed);
    assert!(endpoint.flush(SOON).is_err());
    let again = context.connect(node, SOON).unwrap();
    assert_eq!(again.call(&aborts, b"echo", 4, SOON).unwrap(), b"echo");
}

/// One that was compiled with the standard library catches it. Not every rustc can make one.
fn hears_a_caught_panic(node: &str) {
    let context = Context::new().unwrap();
    let endpoint = context.connect(node, SOON).unwrap();
    let caught = match context.open("caught") {
        Err(error) if error.is(TC_E_NOT_FOUND) => return,
        found => found.unwrap(),
    };
    assert_eq!(
        endpoint.call(&caught, b"b a b", 64, SOON).unwrap(),
        br#"{"a": 1, "b": 2}"#
    );
    let failed = endpoint.call(&caught, b" ", 8, SOON).unwrap_err();
    assert!(failed.is(TC_E_THROWN), "{}", failed);
    assert_eq!(failed.text, "the function panicked: no word in 1 bytes");
    assert!(endpoint
        .call(&caught, b"\xff", 8, SOON)
        .unwrap_err()
        .text
        .contains("UTF-8"));
    assert!(endpoint.call(&caught, b"still here", 64, SOON).is_ok());
}

fn main() {
    let node = std::env::args().nth(1).expect("usage: bindings_test NODE");
    let (library, ucx, _) = tchains::versions();
    println!("libtchains {}, UCX {}", library, ucx);
    let tests: [(&str, &dyn Fn()); 32] = [
        ("sends and calls", &sends_and_calls),
        ("says what failed", &says_what_failed),
        ("fills holes", &holes::fills_holes),
        ("calls back", &calls_back),
        ("finishing reports losses", &finishing_reports_losses),
        ("keeps what is partly sent", &keeps_what_is_partly_sent),
        (
            "lets go of what is partly sent",
            &lets_go_of_what_is_partly_sent,
        ),
        ("waits by its descriptor", &waits_by_descriptor),
        ("nothing is left", &leaks::nothing_is_left),
        ("libraries travel", &travelling::libraries_travel),
        ("packages travel", &travelling::packages_travel),
        ("groups", &groups::members_call_each_other),
        ("a group of one", &groups::joins_a_group_of_one),
        ("a thread serves", &serving::a_thread_serves),
        ("keys", &serving::keys_say_who_may_connect),
        ("callbacks call back in", &serving::callbacks_call_back_in),
        ("pointers are bytes", &windows::pointers_are_bytes),
        ("memory is copied", &windows::memory_is_copied),
        ("windows are opened", &windows::windows_are_opened),
        ("operations are done", &chains::operations_are_done),
        ("operations are refused", &chains::operations_are_refused),
        ("chains have conditions", &chains::chains_have_conditions),
        ("operations are started", &chains::operations_are_started),
        ("windows are mapped", &windows::windows_are_mapped),
        ("peers are named", &windows::peers_are_named),
        ("types have texts", &typed::types_have_texts),
        ("layouts are those of all", &typed::layouts_are_those_of_all),
        ("no bytes lead outside", &typed::no_bytes_lead_outside),
        ("bools are checked", &typed::bools_are_checked),
        ("hears a panic", &|| hears_a_panic(&node)),
        ("hears that a process ended", &|| {
            hears_that_a_process_ended(&node)
        }),
        ("hears a caught panic", &|| hears_a_caught_panic(&node)),
    ];
    for (name, test) in tests {
        test();
        println!("ok: {}", name);
    }
}
