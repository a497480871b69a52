use crate::error::start_of;
use crate::{Error, GlobalPointer};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use tchains_sys::*;

/// One operation of a chain, in a window of the peer's.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    pub(crate) raw: tc_window_step,
    source: PhantomData<&'a [u8]>, // of a put
}

impl<'a> Step<'a> {
    fn new(operation: c_int, at: GlobalPointer, size: u64) -> Step<'a> {
        let raw = tc_window_step {
            operation: operation as u32,
            condition: TC_WINDOW_ALWAYS as u32,
            base: 0,
            at: at.raw(),
            size,
            source: std::ptr::null(),
            result: std::ptr::null_mut(),
            operand: 0,
            expected: 0,
            expected_mask: 0,
            operand_mask: 0,
        };
        Step {
            raw,
            source: PhantomData,
        }
    }

    /// Has so many bytes as its result.
    pub fn get(at: GlobalPointer, bytes: usize) -> Step<'a> {
        Step::new(TC_WINDOW_GET, at, bytes as u64)
    }

    /// Copies bytes into the window; without a result.
    pub fn put(at: GlobalPointer, source: &'a [u8]) -> Step<'a> {
        let mut step = Step::new(TC_WINDOW_PUT, at, source.len() as u64);
        step.raw.source = start_of(source);
        step
    }

    /// Adds to a word. This one's result, and that of the next two, is the value before.
    pub fn fetch_add(at: GlobalPointer, value: u64) -> Step<'a> {
        let mut step = Step::new(TC_WINDOW_FETCH_ADD, at, 8);
        step.raw.operand = value;
        step
    }

    /// Replaces a word if it is `expected`.
    pub fn compare_swap(at: GlobalPointer, expected: u64, desired: u64) -> Step<'a> {
        let mut step = Step::new(TC_WINDOW_COMPARE_SWAP, at, 8);
        step.raw.expected = expected;
        step.raw.operand = desired;
        step
    }

    /// Replaces the bits of the mask of `desired` if those of the mask of `expected` are equal. Both are
    /// a value and its mask.
    pub fn masked_compare_swap(
        at: GlobalPointer,
        expected: (u64, u64),
        desired: (u64, u64),
    ) -> Step<'a> {
        let mut step = Step::new(TC_WINDOW_MASKED_COMPARE_SWAP, at, 8);
        (step.raw.expected, step.raw.expected_mask) = expected;
        (step.raw.operand, step.raw.operand_mask) = desired;
        step
    }

    /// Its result is the offset of so many bytes in the arena, a multiple of 16.
    pub fn allocate(arena: GlobalPointer, bytes: u64) -> Step<'a> {
        Step::new(TC_WINDOW_ALLOCATE_BYTES, arena.with_offset(0), bytes)
    }

    /// The two steps of a get by way of an offset: the word at `at` is an offset in the same
    /// window, and the bytes are got from there, `skip` bytes behind it.
    pub fn get_indirect(at: GlobalPointer, skip: u64, bytes: usize) -> [Step<'a>; 2] {
        let found = Step::get(at.with_offset(skip), bytes);
        [Step::get(at, 8), found.based_on(0)]
    }

    /// Is done only if the step before has succeeded: if it was done and, where it compares, has
    /// swapped.
    pub fn if_succeeded(mut self) -> Step<'a> {
        self.raw.condition = TC_WINDOW_IF_SUCCEEDED as u32;
        self
    }

    /// Is done only if the step before has not succeeded.
    pub fn if_failed(mut self) -> Step<'a> {
        self.raw.condition = TC_WINDOW_IF_FAILED as u32;
        self
    }

    /// Adds the result of an earlier step, by its number from 0 on, to the offset of this one. It is
    /// a result of 8 bytes.
    pub fn based_on(mut self, step: usize) -> Step<'a> {
        self.raw.base = u32::try_from(step).map_or(u32::MAX, |step| step.saturating_add(1));
        self
    }

    fn result_bytes(&self) -> u64 {
        match self.raw.operation as c_int {
            TC_WINDOW_PUT => 0,
            TC_WINDOW_GET => self.raw.size,
            _ => 8,
        }
    }
}

impl fmt::Debug for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (raw, names) = (&self.raw, ["always", "if succeeded", "if failed"]);
        write!(
            f,
            "Step(operation {} of {} bytes at {}, {})",
            raw.operation, raw.size, raw.at.offset, names[raw.condition as usize]
        )
    }
}

/// The results of a chain, and the steps that it has done. Steps are counted from 0 on, and in texts of the library's from 1 on.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub(crate) succeeded: u32,
    conditions: Vec<u32>,
    /// Where each step's result is in `bytes`.
    results: Vec<Range<usize>>,
    bytes: Vec<u8>,
}

impl Outcome {
    /// The steps as C has them, with the memory of their results, which stays where it is when
    /// the outcome is moved.
    pub(crate) fn prepare(steps: &[Step]) -> Result<(Vec<tc_window_step>, Outcome), Error> {
        let mut results = Vec::with_capacity(steps.len());
        let mut end = 0;
        for step in steps {
            let begin = end;
            end = step.result_bytes().saturating_add(begin);
            results.push(begin as usize..end as usize);
        }
        if end > TC_WINDOW_BYTES_MAX.into() {
            let max = TC_WINDOW_BYTES_MAX;
            let text = format!("a chain that gets {} bytes, expected {} at most", end, max);
            return Err(Error::new(TC_E_TOO_LARGE, text));
        }
        let mut outcome = Outcome {
            succeeded: 0,
            conditions: steps.iter().map(|step| step.raw.condition).collect(),
            results,
            bytes: vec![0; end as usize],
        };
        let start = outcome.bytes.as_mut_ptr();
        let raw = steps
            .iter()
            .zip(&outcome.results)
            .map(|(step, result)| {
                let mut raw = step.raw;
                if !result.is_empty() {
                    raw.result = unsafe { start.add(result.start) } as *mut c_void;
                }
                raw
            })
            .collect();
        Ok((raw, outcome))
    }

    /// Returns whether a step is done and, where it compares, has swapped.
    pub fn succeeded(&self, step: usize) -> bool {
        step < self.results.len() && self.succeeded >> step & 1 == 1
    }

    /// Returns whether a step is done: its condition has held.
    pub fn done(&self, step: usize) -> bool {
        let wanted = match self.conditions.get(step) {
            None => return false,
            Some(&condition) => condition as c_int,
        };
        let before = step > 0 && self.succeeded(step - 1);
        wanted == TC_WINDOW_ALWAYS || before == (wanted == TC_WINDOW_IF_SUCCEEDED)
    }

    /// The result of a step that is done, of a put no bytes.
    pub fn result(&self, step: usize) -> Option<&[u8]> {
        let range = self.results.get(step).filter(|_| self.done(step))?;
        Some(&self.bytes[range.clone()])
    }

    /// The result of a step that is done and has one of 8 bytes.
    pub fn value(&self, step: usize) -> Option<u64> {
        let word = self.result(step)?.try_into().ok()?;
        Some(u64::from_ne_bytes(word))
    }

    /// The result of a step without a condition.
    pub(crate) fn into_result(mut self, step: usize) -> Vec<u8> {
        let range = self.results[step].clone();
        self.bytes.truncate(range.end);
        self.bytes.drain(..range.start);
        self.bytes
    }
}
