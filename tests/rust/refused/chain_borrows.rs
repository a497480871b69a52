// error[E0597]: what a chain's closure borrows lives as long as the context may
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use tchains::{Endpoint, GlobalPointer, WindowAccess};

pub fn chain_borrows(endpoint: &Endpoint, at: GlobalPointer) {
    let sum = AtomicUsize::new(0);
    let borrowed = &sum;
    let started = endpoint.start_get(at, 8, Duration::ZERO, move |_| {
        borrowed.fetch_add(1, SeqCst);
    });
    started.unwrap();
}
