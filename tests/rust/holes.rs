//! Functions with holes: filled by their type, and one that is written in Rust.
use crate::served::{served, SOON};
use tchains::sys::*;
use tchains::{Context, Endpoint, Function};

fn at(node: &Endpoint, line: &Function, x: f64) -> f64 {
    let answer = node.call(line, &x.to_ne_bytes(), 8, SOON).unwrap();
    f64::from_ne_bytes(answer.try_into().unwrap())
}

/// The same line in C (tests/shipped/sloped.c) and in Rust.
pub fn fills_holes() {
    for name in ["sloped", "sloped_rust"] {
        served(|address| {
            let context = Context::new().unwrap();
            let node = context.connect(address, SOON).unwrap();
            let line = context.open(name).unwrap();
            let steep = line.fill(&[("slope", &2.5), ("rise", &3i32)]).unwrap();
            let flat = line.fill(&[("rise", &-1i32), ("slope", &0f64)]).unwrap();
            for _ in 0..2 {
                assert_eq!(at(&node, &steep, 4.0), 13.0);
                assert_eq!(at(&node, &flat, 4.0), -1.0);
            }
            let again = line.fill(&[("slope", &2.5), ("rise", &[3i32])]).unwrap();
            assert!(again.id() == steep.id() && steep.id() != flat.id());
            drop(line);
            assert_eq!(at(&node, &steep, 0.0), 3.0);

            let line = context.open(name).unwrap();
            let refused = node.call(&line, &[0; 8], 8, SOON).unwrap_err();
            assert!(refused.text.contains("values are not set"), "{}", refused);
            let refused = line.fill(&[("slope", &2.5f32), ("rise", &3i32)]).unwrap_err();
            assert_eq!(
                refused.text,
                format!("{}: hole slope has 8 bytes, its value 4", name)
            );
            let refused = line.fill(&[("slope", &2i64), ("rise", &3i32)]).unwrap_err();
            assert!(refused.is(TC_E_INVALID) && refused.text.contains("its value an integer"));
            let refused = line.fill(&[("slop", &2.5), ("rise", &3i32)]).unwrap_err();
            assert!(refused.is(TC_E_NOT_FOUND), "{}", refused);
        });
    }
}
