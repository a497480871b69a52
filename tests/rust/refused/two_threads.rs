// error[E0277]: two threads do not share a context
use std::thread;
use tchains::Context;

pub fn two_threads(context: &Context) {
    thread::scope(|scope| {
        scope.spawn(|| context.progress());
    });
}
