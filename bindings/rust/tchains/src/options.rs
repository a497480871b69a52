use crate::error::{check, plain, text};
use crate::Error;
use std::fmt;
use std::ptr;
use tchains_sys::*;

/// Options by name, as `tc-info --options` lists them. A context copies those it is made with.
pub struct Options(*mut tc_options);

// It belongs to one thread at a time.
unsafe impl Send for Options {}

impl Options {
    /// Those of the environment, and else the defaults.
    pub fn new() -> Result<Options, Error> {
        let mut options = ptr::null_mut();
        check(|err| unsafe { tc_options_create(&mut options, err) })?;
        Ok(Options(options))
    }

    /// Sets one: `Options::new()?.set("delivery", "am")?`.
    pub fn set(self, name: &str, value: &str) -> Result<Options, Error> {
        let (name, value) = (text(name)?, text(value)?);
        check(|err| unsafe {
            tc_options_set(
                self.0,
                name.as_ptr() as *const _,
                value.as_ptr() as *const _,
                err,
            )
        })?;
        Ok(self)
    }

    /// The value as text; of one with more than 1,023 bytes these.
    pub fn get(&self, name: &str) -> Result<String, Error> {
        let name = text(name)?;
        let mut value = [0u8; 1024];
        plain(unsafe {
            let place = value.as_mut_ptr() as *mut c_char;
            tc_options_get(self.0, name.as_ptr() as *const _, place, value.len())
        })?;
        Ok(unsafe { crate::error::owned(value.as_ptr() as *const c_char) })
    }

    pub(crate) fn as_ptr(&self) -> *const tc_options {
        self.0
    }
}

impl Drop for Options {
    fn drop(&mut self) {
        unsafe { tc_options_destroy(self.0) }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Options({:p})", self.0)
    }
}
