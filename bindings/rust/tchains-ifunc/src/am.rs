//! Operations of active messages: the code behind `am!`.

use crate::boundary::{fail, guarded};
use crate::message::Failure;
use crate::text::Text;
use core::mem::{align_of, size_of, MaybeUninit};
use core::{ptr, slice};
use tchains_sys::*;

const NODE: &[u8] = b"tc_ams\0"; // TC_AM_NODE

/// An element of an input, an output or a range.
///
/// # Safety
/// Any bytes are a value of the type.
pub unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($type:ty),*) => { $(unsafe impl Plain for $type {})* };
}
plain!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// A run of an operation.
pub struct Unit {
    raw: *mut tc_am_unit,
}

impl Unit {
    #[inline(always)]
    fn raw(&self) -> &tc_am_unit {
        unsafe { &*self.raw }
    }

    /// Segments of this unit, at least 1. Input and output have the elements of all of them.
    #[inline(always)]
    pub fn segments(&self) -> usize {
        self.raw().segments as usize
    }

    /// The number of its first segment.
    #[inline(always)]
    pub fn first(&self) -> u32 {
        self.raw().first
    }

    /// The rank that asks.
    #[inline(always)]
    pub fn origin(&self) -> u32 {
        self.raw().origin
    }

    /// Bytes of one segment of the input.
    #[inline(always)]
    pub fn input_bytes(&self) -> usize {
        self.raw().input_bytes as usize
    }

    /// Bytes of one segment of the output.
    #[inline(always)]
    pub fn output_bytes(&self) -> usize {
        self.raw().output_bytes as usize
    }

    /// The description that the origin gave; empty without one.
    #[inline(always)]
    pub fn description(&self) -> &[u8] {
        let raw = self.raw();
        if raw.description.is_null() {
            return &[];
        }
        let count = raw.description_bytes as usize;
        unsafe { slice::from_raw_parts(raw.description as *const u8, count) }
    }

    /// C's struct, valid while the operation runs. Where the window is one that several ranks may
    /// use at once, its pointer `persistent` is for atomic accesses.
    #[inline(always)]
    pub fn as_ptr(&self) -> *mut tc_am_unit {
        self.raw
    }
}

/// Copies the text, as `tc_am_fail` does.
#[cold]
#[inline]
unsafe fn fail_unit(unit: *mut tc_am_unit, status: tc_status, text: &str) {
    let count = text.len().min(TC_AM_TEXT_MAX - 1);
    let to = ptr::addr_of_mut!((*unit).text) as *mut u8;
    (*unit).status = if status < 0 { status } else { TC_E_INVALID };
    ptr::copy_nonoverlapping(text.as_ptr(), to, count);
    to.add(count).write(0);
}

#[cold]
#[inline]
unsafe fn misfit(unit: *mut tc_am_unit, what: &str, found: u64, expected: usize) {
    let mut text = Text::new();
    text.add(what);
    text.add_number(found);
    text.add(", expected a multiple of ");
    text.add_number(expected as u64);
    fail_unit(unit, TC_E_INVALID, text.as_str());
}

/// The elements of `count` parts of `bytes` each. None: they are not elements of that type, and
/// the unit has failed.
#[inline(always)]
unsafe fn elements<'a, T: Plain>(
    unit: *mut tc_am_unit,
    start: *const c_void,
    bytes: u64,
    count: u32,
    names: (&str, &str),
) -> Option<&'a mut [T]> {
    let size = size_of::<T>();
    if (bytes as usize).checked_rem(size) != Some(0) {
        misfit(unit, names.0, bytes, size);
        return None;
    }
    if bytes == 0 {
        return Some(&mut []);
    }
    if start as usize % align_of::<T>() != 0 {
        misfit(unit, names.1, start as u64, align_of::<T>());
        return None;
    }
    let elements = (bytes as usize / size).wrapping_mul(count as usize);
    Some(slice::from_raw_parts_mut(start as *mut T, elements))
}

#[inline(always)]
unsafe fn operate<I: Plain, O: Plain, P: Plain>(
    raw: *mut tc_am_unit,
    function: fn(&Unit, &[I], &mut [O], &mut [P]) -> Result<(), Failure>,
) -> Option<()> {
    let (unit, u) = (Unit { raw }, &*raw);
    let input_names = (
        "segments of the input have the bytes ",
        "the input lies at ",
    );
    let output_names = (
        "segments of the output have the bytes ",
        "the output lies at ",
    );
    let names = ("the range has the bytes ", "the range lies at ");
    let input = elements(raw, u.input, u.input_bytes.into(), u.segments, input_names)?;
    let output = elements(
        raw,
        u.output,
        u.output_bytes.into(),
        u.segments,
        output_names,
    )?;
    let persistent = elements(raw, u.persistent, u.persistent_bytes, 1, names)?;
    if let Err(failure) = function(&unit, input, output, persistent) {
        fail_unit(raw, failure.status, failure.text);
    }
    Some(())
}

#[cold]
#[inline]
fn refuse(text: &str) {
    let mut copy = Text::new();
    copy.add(text);
    fail(TC_E_UNSUPPORTED, &copy);
}

/// The body of `NAME_main`, used by `am!`. As `tc_am_run` of C, but that a panic ends the run.
///
/// # Safety
/// The arguments are those of `NAME_main`.
#[inline(always)]
pub unsafe fn run<I: Plain, O: Plain, P: Plain>(
    payload: *mut c_void,
    size: usize,
    function: fn(&Unit, &[I], &mut [O], &mut [P]) -> Result<(), Failure>,
) {
    let mut node_size = 0;
    let found = tc_self_data(NODE.as_ptr() as *const c_char, &mut node_size);
    if found.is_null() {
        return refuse("the rank has no active messages open");
    }
    let node = found as *const tc_am_node;
    let known = node_size >= size_of::<tc_am_node>() && (*node).abi == TC_AM_ABI;
    let (begin, end) = match (known, (*node).begin, (*node).end) {
        (true, Some(begin), Some(end)) => (begin, end),
        _ => return refuse("the rank has active messages of another version"),
    };
    let mut unit = MaybeUninit::<tc_am_unit>::uninit();
    let raw = unit.as_mut_ptr();
    if begin(node, payload, size, raw) == 0 {
        return;
    }
    let returned = guarded(|| {
        operate(raw, function);
    });
    end(node, raw, returned.into());
}
