//! As ../shipped/am_sum.c; with a description it answers with the unit as it sees it.
#![no_std]
use core::mem::size_of;
use tchains_ifunc::am::Unit;
use tchains_ifunc::{am, sys, Failure};

fn see(unit: &Unit, output: &mut [i64], persistent_bytes: usize) -> Result<(), Failure> {
    for (s, words) in output.chunks_exact_mut(10).enumerate() {
        let description = unit.description();
        words.copy_from_slice(&[
            i64::from(unit.first()) + s as i64,
            unit.segments() as i64,
            i64::from(unit.origin()),
            unit.input_bytes() as i64,
            unit.output_bytes() as i64,
            persistent_bytes as i64,
            description.len() as i64,
            description.first().copied().unwrap_or(0).into(),
            size_of::<sys::tc_am_unit>() as i64,
            unsafe { (*unit.as_ptr()).status }.into(),
        ]);
    }
    Ok(())
}

am! {
    fn am_sum_rust(unit: &Unit, input: &[i64], output: &mut [i64], sums: &mut [i64]) -> Result<(), Failure> {
        if !unit.description().is_empty() {
            return see(unit, output, sums.len() * 8);
        }
        if sums.len() * 8 != unit.input_bytes() {
            return Err(Failure::new(sys::TC_E_INVALID, "the range has another size than a segment"));
        }
        for (i, &number) in input.iter().enumerate() {
            let at = i % sums.len();
            if number < 0 {
                panic!("a number below 0");
            }
            sums[at] += number;
            if let Some(sum) = output.get_mut(i) {
                *sum = sums[at];
            }
        }
        Ok(())
    }
}
