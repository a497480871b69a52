// error[E0277]: a struct of a message is one of element!
pub struct Pair(u8, f64);

tchains::remote! {
    fn pairs(pairs: &[Pair]) -> f64;
}
