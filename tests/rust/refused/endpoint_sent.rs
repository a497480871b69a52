// error[E0277]: an endpoint stays with its context's thread
use std::thread;
use tchains::Endpoint;

pub fn endpoint_sent(endpoint: Endpoint<'static>) {
    thread::spawn(move || drop(endpoint));
}
