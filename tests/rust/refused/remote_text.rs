// error[E0080]: a prototype has at most 511 characters
tchains::element! {
    pub struct Long { a: [u64; 1000000], b: [u64; 1000000], c: [u64; 1000000], d: [u64; 1000000] }
}

tchains::remote! {
    fn long(a: Long, b: Long, c: Long, d: Long, e: Long, f: Long, g: Long, h: Long, i: Long, j: Long) -> f64;
    fn longer(
        a: &[Long], b: &[Long], c: &[Long], d: &[Long], e: &[Long], f: &[Long], g: &[Long], h: &[Long], i: &[Long],
        j: &[Long], k: &[Long], l: &[Long], m: &[Long], n: &[Long], o: &[Long], p: &[Long], q: &[Long], r: &[Long]
    ) -> f64;
}
