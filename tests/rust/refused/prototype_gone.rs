// error[E0597]: the library keeps the address of a prototype that has agreed
use std::ffi::CString;
use tchains::Function;

pub fn prototype_gone(function: &Function) {
    let text = CString::new("(f64)").unwrap();
    function.check_prototype(&text).unwrap();
}
