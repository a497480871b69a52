// error[E0515]: a window does not outlive its context
use tchains::{Context, Rights, Window, WindowParams};

pub fn window_outlives<'c>() -> Window<'c> {
    let context = Context::new().unwrap();
    let params = WindowParams::shared(64, Rights::READ).identity("uid:0");
    context.open_window(&params).unwrap()
}
