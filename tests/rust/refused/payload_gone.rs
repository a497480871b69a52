// error[E0382]: a payload that may be partly sent is the message's
use tchains::{Endpoint, Function};

pub fn payload_gone<'c>(endpoint: &Endpoint<'c>, function: &Function<'c>) {
    let mut payload = vec![0; 1 << 20];
    let mut sending = endpoint.start_send(function, payload).unwrap();
    payload[0] = 1;
    while !sending.try_finish().unwrap() {}
}
