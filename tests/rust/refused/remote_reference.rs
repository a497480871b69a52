// error[E0277]: a message has no references
tchains::remote! {
    fn refers(to: &f64) -> f64;
}
