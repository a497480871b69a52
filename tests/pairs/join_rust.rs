#![no_std]
use tchains_ifunc::{typed, Out};

typed! {
    fn join_rust(first: &str, second: &str, mut both: Out<[u8]>, swapped: bool) {
        let (front, back) = if swapped { (second, first) } else { (first, second) };
        for (to, from) in both.iter_mut().zip(front.bytes().chain(back.bytes())) {
            *to = from;
        }
    }
}
