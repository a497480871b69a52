use crate::error::{check, owned, text};
use crate::{Context, Error};
use std::fmt;
use std::ptr;
use tchains_sys::*;

/// A function that can be sent. Cheap to make again: the same content is the same function.
pub struct Function<'c> {
    pub(crate) raw: *mut tc_ifunc,
    pub(crate) context: &'c Context,
}

/// LLVM bitcode for one target, from any compiler.
pub struct Bitcode<'a> {
    /// Any spelling: "x86_64-pc-linux-gnu".
    pub triple: &'a str,
    pub bytes: &'a [u8],
}

impl Context {
    fn function(
        &self,
        open: impl FnOnce(*mut *mut tc_ifunc, *mut tc_error) -> tc_status,
    ) -> Result<Function<'_>, Error> {
        let mut raw = ptr::null_mut();
        check(|err| open(&mut raw, err))?;
        Ok(Function { raw, context: self })
    }

    /// Opens NAME.tca of the option `ifunc_path`, with NAME.deps and the signature beside it.
    pub fn open(&self, name: &str) -> Result<Function<'_>, Error> {
        let name = text(name)?;
        self.function(|out, err| unsafe {
            tc_ifunc_open(self.as_ptr(), name.as_ptr() as *const _, out, err)
        })
    }

    /// Opens the archive at a path, with what lies beside it.
    pub fn open_file(&self, path: &str) -> Result<Function<'_>, Error> {
        let path = text(path)?;
        self.function(|out, err| unsafe {
            tc_ifunc_open_file(self.as_ptr(), path.as_ptr() as *const _, out, err)
        })
    }

    /// Opens an archive in memory (`include_bytes!`); `libraries` are its dependencies, one in
    /// each line, or "".
    pub fn open_memory(&self, archive: &[u8], libraries: &str) -> Result<Function<'_>, Error> {
        self.function(|out, err| unsafe {
            let (deps, size) = bytes_or_null(libraries);
            let bytes = archive.as_ptr() as *const c_void;
            tc_ifunc_open_memory(self.as_ptr(), bytes, archive.len(), deps, size, out, err)
        })
    }

    /// Makes an archive of bitcode that the program has, and opens it.
    pub fn open_bitcode(
        &self,
        name: &str,
        slices: &[Bitcode],
        libraries: &str,
    ) -> Result<Function<'_>, Error> {
        let name = text(name)?;
        let triples: Vec<_> = slices
            .iter()
            .map(|slice| text(slice.triple))
            .collect::<Result<_, _>>()?;
        let raw: Vec<tc_bitcode> = slices
            .iter()
            .zip(&triples)
            .map(|(slice, triple)| tc_bitcode {
                triple: triple.as_ptr() as *const _,
                bytes: slice.bytes.as_ptr() as *const c_void,
                size: slice.bytes.len(),
            })
            .collect();
        self.function(|out, err| unsafe {
            let (deps, size) = bytes_or_null(libraries);
            tc_ifunc_open_bitcode_sized(
                self.as_ptr(),
                name.as_ptr() as *const _,
                raw.as_ptr(),
                raw.len(),
                std::mem::size_of::<tc_bitcode>(),
                deps,
                size,
                out,
                err,
            )
        })
    }
}

fn bytes_or_null(of: &str) -> (*const c_char, usize) {
    if of.is_empty() {
        (ptr::null(), 0)
    } else {
        (of.as_ptr() as *const c_char, of.len())
    }
}

impl Function<'_> {
    /// Its name, which is for people.
    pub fn name(&self) -> String {
        unsafe { owned(tc_ifunc_name(self.raw)) }
    }

    /// Its content id, which is what names it between processes.
    pub fn id(&self) -> [u8; TC_IFUNC_ID_BYTES] {
        let mut id = [0; TC_IFUNC_ID_BYTES];
        unsafe { tc_ifunc_id(self.raw, id.as_mut_ptr()) };
        id
    }

    /// The size of archive and dependency list, bytes.
    pub fn code_size(&self) -> usize {
        unsafe { tc_ifunc_code_size(self.raw) }
    }
}

impl Drop for Function<'_> {
    fn drop(&mut self) {
        unsafe { tc_ifunc_close(self.raw) }
    }
}

impl fmt::Debug for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Function({})", self.name())
    }
}
