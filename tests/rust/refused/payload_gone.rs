// error[E0505]: a payload that is partly sent cannot go
use tchains::{Endpoint, Function};

pub fn payload_gone<'c>(endpoint: &Endpoint<'c>, function: &Function<'c>) {
    let payload = vec![0; 1 << 20];
    let mut sending = endpoint.start_send(function, &payload).unwrap();
    drop(payload);
    while !sending.try_finish().unwrap() {}
}
