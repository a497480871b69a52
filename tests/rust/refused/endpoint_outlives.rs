// error[E0515]: an endpoint does not outlive its context
use std::time::Duration;
use tchains::{Context, Endpoint};

pub fn endpoint_outlives<'c>() -> Endpoint<'c> {
    let context = Context::new().unwrap();
    context.connect("127.0.0.1:7000", Duration::ZERO).unwrap()
}
