#![no_std]
use tchains_ifunc::{hole, typed};

hole! { slope: f64 }
hole! { rise: i32 }

typed! {
    fn sloped_rust(x: f64) -> f64 {
        slope() * x + f64::from(rise())
    }
}
