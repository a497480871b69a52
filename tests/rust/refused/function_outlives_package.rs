// error[E0515]: what a package lends goes before it.
use tchains::{Context, Error, Function};

pub fn opened(context: &Context) -> Result<Option<Function<'_>>, Error> {
    let package = context.open_package("box.tcp", None)?;
    Ok(package.function("scaled"))
}
