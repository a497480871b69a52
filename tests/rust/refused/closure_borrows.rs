// error[E0597]: what a call's closure borrows lives as long as the context may
use std::time::Duration;
use tchains::{Endpoint, Function};

pub fn closure_borrows<'c>(endpoint: &Endpoint<'c>, function: &Function<'c>) {
    let sum = std::sync::atomic::AtomicUsize::new(0);
    let borrowed = &sum;
    let call = endpoint.start_call(function, b"", 8, Duration::ZERO, move |_| {
        borrowed.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    });
    call.unwrap();
}
