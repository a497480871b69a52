use crate::error::{check, owned, text, CODE_SIZES, NO_CODE};
use crate::{nanoseconds, Context, Endpoint, Error, Function, Library};
use std::fmt;
use std::ptr;
use std::time::Duration;
use tchains_sys::*;

/// Functions that belong together and the libraries that they share, of a file that tc-package made.
pub struct Package<'c> {
    raw: *mut tc_package,
    context: &'c Context,
}

impl Context {
    fn package(
        &self,
        open: impl FnOnce(*mut *mut tc_package, *mut tc_error) -> tc_status,
    ) -> Result<Package<'_>, Error> {
        let mut raw = ptr::null_mut();
        check(|err| open(&mut raw, err))?;
        Ok(Package { raw, context: self })
    }

    /// Opens a .tcp file, and all that is in it; with an id, only the package of that content.
    pub fn open_package(
        &self,
        path: &str,
        id: Option<&[u8; TC_PACKAGE_ID_BYTES]>,
    ) -> Result<Package<'_>, Error> {
        let path = text(path)?;
        let id = id.map_or(ptr::null(), |id| id.as_ptr());
        self.package(|out, err| unsafe {
            tc_package_open(self.as_ptr(), path.as_ptr() as *const _, id, out, err)
        })
    }

    /// `open_package` of the file's bytes (`include_bytes!`).
    pub fn open_package_memory(
        &self,
        package: &[u8],
        id: Option<&[u8; TC_PACKAGE_ID_BYTES]>,
    ) -> Result<Package<'_>, Error> {
        let id = id.map_or(ptr::null(), |id| id.as_ptr());
        self.package(|out, err| unsafe {
            let code = tc_code {
                bytes: package.as_ptr() as *const _,
                size: package.len(),
                id,
                ..NO_CODE
            };
            tc_package_open_code_sized(self.as_ptr(), &code, CODE_SIZES.0, out, err)
        })
    }

    /// Opens the package in libNAME-local.so, and has messages for its functions run the code of
    /// that library.
    ///
    /// # Safety
    /// The library's code runs in this process, from its constructors on.
    pub unsafe fn use_local_package(&self, path: &str) -> Result<Package<'_>, Error> {
        let path = text(path)?;
        self.package(|out, err| {
            tc_package_use_local(self.as_ptr(), path.as_ptr() as *const _, out, err)
        })
    }

    /// Puts a package's libraries in force here, as if a peer had pushed them.
    pub fn install_package(&self, package: &Package) -> Result<(), Error> {
        package.is_of(self)?;
        self.returned(check(|err| unsafe {
            tc_package_install(self.as_ptr(), package.raw, err)
        }))
    }
}

impl Endpoint<'_> {
    /// Pushes a package's libraries to the peer, a library before those that use it.
    pub fn push_package(&self, package: &Package, timeout: Duration) -> Result<(), Error> {
        self.usable()?;
        package.is_of(self.context)?;
        self.context.returned(check(|err| unsafe {
            tc_package_push(self.raw, package.raw, nanoseconds(timeout), err)
        }))
    }

    /// `push_package`, and waits until the peer can call all functions; zero: until their code is
    /// sent.
    pub fn prepare_package(&self, package: &Package, timeout: Duration) -> Result<(), Error> {
        self.usable()?;
        package.is_of(self.context)?;
        self.context.returned(check(|err| unsafe {
            tc_package_prepare(self.raw, package.raw, nanoseconds(timeout), err)
        }))
    }
}

impl Package<'_> {
    /// Handles are of one context.
    fn is_of(&self, context: &Context) -> Result<(), Error> {
        if ptr::eq(self.context, context) {
            return Ok(());
        }
        let text = format!("{}: a package of another context", self.name());
        Err(Error::new(TC_E_INVALID, text))
    }

    pub fn name(&self) -> String {
        unsafe { owned(tc_package_name(self.raw)) }
    }

    /// Its content id.
    pub fn id(&self) -> [u8; TC_PACKAGE_ID_BYTES] {
        let mut id = [0; TC_PACKAGE_ID_BYTES];
        unsafe { tc_package_id(self.raw, id.as_mut_ptr()) };
        id
    }

    /// The numbers of its functions and libraries, in their order.
    pub fn numbers(&self) -> Vec<u32> {
        (0..unsafe { tc_package_count(self.raw) })
            .map(|place| unsafe { tc_package_number(self.raw, place) })
            .collect()
    }

    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<Function<'_>> {
        let name = text(name).ok()?;
        let raw = unsafe { tc_package_find(self.raw, name.as_ptr() as *const _) };
        Function::lent(self.context, raw)
    }

    /// The function of that number.
    pub fn function_of(&self, number: u32) -> Option<Function<'_>> {
        Function::lent(self.context, unsafe { tc_package_ifunc(self.raw, number) })
    }

    /// The library of that number.
    pub fn library_of(&self, number: u32) -> Option<Library<'_>> {
        let raw = unsafe { tc_package_library(self.raw, number) };
        if raw.is_null() {
            return None;
        }
        Some(Library::lent(self.context, raw))
    }
}

impl Drop for Package<'_> {
    fn drop(&mut self) {
        unsafe { tc_package_close(self.raw) }
    }
}

impl fmt::Debug for Package<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Package({})", self.name())
    }
}
