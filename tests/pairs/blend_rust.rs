#![no_std]
use tchains_ifunc::{element, typed, Out};

element! { struct Limits { low: f64, high: f64 } }
element! { struct Tally { sum: f64, count: i32 } }

typed! {
    fn blend_rust(limits: Limits, name: &str, a: &[f64], values: &mut [f32], mut tally: Out<Tally>,
        mut codes: Out<[i32]>, twice: bool) -> f64 {
        *tally = Tally { sum: 0.0, count: name.len() as i32 };
        for value in values {
            tally.sum += f64::from(*value);
            *value *= if twice { 2.0 } else { 1.0 };
        }
        for (i, code) in codes.iter_mut().enumerate() {
            *code = name.as_bytes().get(i).map_or(-1, |byte| i32::from(*byte));
        }
        let within = a.iter().filter(|x| (limits.low..=limits.high).contains(*x));
        within.fold(0.0, |sum, x| sum + x)
    }
}
