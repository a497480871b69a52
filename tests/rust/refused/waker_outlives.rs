// error[E0505]: a waker does not outlive its context
use tchains::Context;

pub fn waker_outlives(context: Context) {
    let waker = context.waker();
    drop(context);
    waker.wake();
}
