use std::ffi::{CStr, CString};
use std::fmt;
use tchains_sys::*;

/// A status by its number, one of `tchains::sys::TC_E_...`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub tc_status);

impl Status {
    /// "TC_E_AGAIN"
    pub fn name(self) -> &'static str {
        unsafe { constant(tc_status_name(self.0)) }
    }

    /// "no credit or a full queue"
    pub fn text(self) -> &'static str {
        unsafe { constant(tc_status_text(self.0)) }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a call of the library failed.
#[derive(Clone, Debug)]
pub struct Error {
    pub status: Status,
    /// The found and the expected value; one line.
    pub text: String,
}

impl Error {
    pub(crate) fn new(status: tc_status, text: impl Into<String>) -> Error {
        Error {
            status: Status(status),
            text: text.into(),
        }
    }

    /// Returns whether it has this status: `error.is(tchains::sys::TC_E_TIMEOUT)`.
    pub fn is(&self, status: tc_status) -> bool {
        self.status.0 == status
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} ({})", self.text, self.status.name())
    }
}

impl std::error::Error for Error {}

/// A `tc_error` for the library to fill.
pub(crate) fn empty() -> tc_error {
    tc_error {
        status: TC_OK,
        text: [0; TC_ERROR_TEXT_MAX],
    }
}

pub(crate) fn result(status: tc_status, err: &tc_error) -> Result<(), Error> {
    if status == TC_OK {
        Ok(())
    } else {
        Err(Error::new(status, unsafe { owned(err.text.as_ptr()) }))
    }
}

/// Calls the library with a buffer for its text.
pub(crate) fn check(call: impl FnOnce(*mut tc_error) -> tc_status) -> Result<(), Error> {
    let mut err = empty();
    let status = call(&mut err);
    result(status, &err)
}

/// The result of a call that gives no text.
pub(crate) fn plain(status: tc_status) -> Result<(), Error> {
    if status == TC_OK {
        Ok(())
    } else {
        Err(Error::new(status, Status(status).text()))
    }
}

/// A text for C.
pub(crate) fn text(of: &str) -> Result<CString, Error> {
    CString::new(of).map_err(|_| Error::new(TC_E_INVALID, format!("a zero byte in {:?}", of)))
}

/// A tc_code without a source.
pub(crate) const NO_CODE: tc_code = tc_code {
    name: std::ptr::null(),
    path: std::ptr::null(),
    bytes: std::ptr::null(),
    size: 0,
    deps: std::ptr::null(),
    deps_size: 0,
    signature: std::ptr::null(),
    signature_size: 0,
    slices: std::ptr::null(),
    slice_count: 0,
    id: std::ptr::null(),
    prototype: std::ptr::null(),
};

/// The sizes of a tc_code and of its slices, as the library asks for them.
pub(crate) const CODE_SIZES: (usize, usize) = (
    std::mem::size_of::<tc_code>(),
    std::mem::size_of::<tc_bitcode>(),
);

/// Bytes for C. Those of an empty slice may lie nowhere: C gets NULL.
pub(crate) fn start_of(bytes: &[u8]) -> *const c_void {
    if bytes.is_empty() {
        std::ptr::null()
    } else {
        bytes.as_ptr() as *const c_void
    }
}

/// Memory for C to write to, as `start_of`.
pub(crate) fn room_in(bytes: &mut [u8]) -> *mut c_void {
    if bytes.is_empty() {
        std::ptr::null_mut()
    } else {
        bytes.as_mut_ptr() as *mut c_void
    }
}

/// # Safety
/// A text of the library's that lives as long as the process.
unsafe fn constant(text: *const c_char) -> &'static str {
    CStr::from_ptr(text as *const _).to_str().unwrap_or("?")
}

/// # Safety
/// NULL or a text.
pub(crate) unsafe fn owned(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    CStr::from_ptr(text as *const _)
        .to_string_lossy()
        .into_owned()
}
