// error[E0505]: a context that has handles yet does not go to another thread.
use std::time::Duration;
use tchains::{Context, Error, Serving};

pub fn served(context: Context) -> Result<Serving, Error> {
    let group = context.join(Duration::ZERO)?;
    let serving = context.serve_in_thread()?;
    println!("{}", group.rank());
    Ok(serving)
}
