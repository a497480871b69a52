#![no_std]
use tchains_ifunc::{element, typed, Out};

element! { struct Point { x: i16, y: i16 } }

typed! {
    fn gather_rust(which: &[u16], factor: u8, points: &[Point], mut found: Out<[Point]>) {
        for (to, number) in found.iter_mut().zip(which) {
            if let Some(from) = points.get(usize::from(*number)) {
                *to = Point { x: from.x * i16::from(factor), y: from.y * i16::from(factor) };
            }
        }
    }
}
