// error[E0506]: nor be changed
use tchains::{Endpoint, Function};

pub fn payload_changed<'c>(endpoint: &Endpoint<'c>, function: &Function<'c>) {
    let mut payload = [0; 100];
    let mut sending = endpoint.start_send(function, &payload).unwrap();
    payload[0] = 1;
    while !sending.try_finish().unwrap() {}
}
