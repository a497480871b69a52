// error[E0505]: a context whose windows are mapped does not go to another thread
use tchains::{Context, Error, Serving, View};

pub fn served(context: Context, map: fn(&Context) -> View<'_>) -> Result<Serving, Error> {
    let view = map(&context);
    let serving = context.serve_in_thread()?;
    println!("{:?}", view.get(0));
    Ok(serving)
}
