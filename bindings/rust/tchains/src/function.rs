use crate::error::{check, owned, start_of, text, CODE_SIZES, NO_CODE};
use crate::{Context, Error};
use std::ffi::CStr;
use std::fmt;
use std::ptr;
use tchains_sys::*;

/// A function that can be sent. Cheap to make again: the same content is the same function.
pub struct Function<'c> {
    pub(crate) raw: *mut tc_ifunc,
    pub(crate) context: &'c Context,
    /// Else it is a package's.
    owned: bool,
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
        Ok(Function::made(self, raw))
    }

    /// Handles are of one context.
    pub(crate) fn owns(&self, function: &Function) -> Result<(), Error> {
        if ptr::eq(self, function.context) {
            return Ok(());
        }
        let text = format!("{}: a function of another context", function.name());
        Err(Error::new(TC_E_INVALID, text))
    }

    /// Opens NAME.tca of the option `ifunc_path`, with NAME.deps and the signature beside it.
    pub fn open(&self, name: &str) -> Result<Function<'_>, Error> {
        let name = text(name)?;
        self.function(|out, err| unsafe {
            tc_ifunc_open(self.as_ptr(), name.as_ptr() as *const _, out, err)
        })
    }

    unsafe fn open_code(
        &self,
        code: &tc_code,
        out: *mut *mut tc_ifunc,
        err: *mut tc_error,
    ) -> tc_status {
        let (size, slice_size) = CODE_SIZES;
        tc_ifunc_open_code_sized(self.as_ptr(), code, size, slice_size, out, err)
    }

    /// Opens the archive at a path, with the files beside it.
    pub fn open_file(&self, path: &str) -> Result<Function<'_>, Error> {
        let path = text(path)?;
        self.function(|out, err| unsafe {
            let code = tc_code {
                path: path.as_ptr() as *const _,
                ..NO_CODE
            };
            self.open_code(&code, out, err)
        })
    }

    /// Opens an archive in memory (`include_bytes!`); `libraries` are its dependencies, one in
    /// each line, or "".
    pub fn open_memory(&self, archive: &[u8], libraries: &str) -> Result<Function<'_>, Error> {
        self.function(|out, err| unsafe {
            let (deps, size) = (start_of(libraries.as_bytes()) as *const _, libraries.len());
            let code = tc_code {
                bytes: archive.as_ptr() as *const _,
                size: archive.len(),
                deps,
                deps_size: size,
                ..NO_CODE
            };
            self.open_code(&code, out, err)
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
                bytes: start_of(slice.bytes),
                size: slice.bytes.len(),
            })
            .collect();
        self.function(|out, err| unsafe {
            let (deps, size) = (start_of(libraries.as_bytes()) as *const _, libraries.len());
            let code = tc_code {
                name: name.as_ptr() as *const _,
                slices: raw.as_ptr(),
                slice_count: raw.len(),
                deps,
                deps_size: size,
                ..NO_CODE
            };
            self.open_code(&code, out, err)
        })
    }
}

impl<'c> Function<'c> {
    pub(crate) fn made(context: &'c Context, raw: *mut tc_ifunc) -> Function<'c> {
        Function {
            raw,
            context,
            owned: true,
        }
    }

    /// One that a package owns; None for NULL.
    pub(crate) fn lent(context: &'c Context, raw: *mut tc_ifunc) -> Option<Function<'c>> {
        (!raw.is_null()).then(|| Function {
            raw,
            context,
            owned: false,
        })
    }

    /// Its name, which is for people.
    pub fn name(&self) -> String {
        unsafe { owned(tc_ifunc_name(self.raw)) }
    }

    /// Its content id, which names it between processes.
    pub fn id(&self) -> [u8; TC_IFUNC_ID_BYTES] {
        let mut id = [0; TC_IFUNC_ID_BYTES];
        unsafe { tc_ifunc_id(self.raw, id.as_mut_ptr()) };
        id
    }

    /// The types of its arguments and of its answer, if it states them:
    /// `(f64,i32,f32[])->f64` (`docs/payload-layout.md`).
    pub fn prototype(&self) -> Option<String> {
        let text = unsafe { tc_ifunc_prototype(self.raw) };
        (!text.is_null()).then(|| unsafe { owned(text) })
    }

    /// Compares the prototype of a caller with the function's: TC_E_VERSION, with both, where
    /// they differ; any agrees with a function that states none. TC_E_INVALID: `text` is no
    /// prototype. The library remembers the last text that agreed by its address, so a text in
    /// a constant is compared once, and has to live as long.
    pub fn check_prototype(&self, text: &'static CStr) -> Result<(), Error> {
        check(|err| unsafe {
            tc_ifunc_check_prototype(self.raw, text.as_ptr() as *const _, err)
        })
    }

    pub(crate) fn as_ptr(&self) -> *mut tc_ifunc {
        self.raw
    }

    /// The size of archive and dependency list, bytes.
    pub fn code_size(&self) -> usize {
        unsafe { tc_ifunc_code_size(self.raw) }
    }
}

impl Drop for Function<'_> {
    fn drop(&mut self) {
        if self.owned {
            unsafe { tc_ifunc_close(self.raw) }
        }
    }
}

impl fmt::Debug for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Function({})", self.name())
    }
}
