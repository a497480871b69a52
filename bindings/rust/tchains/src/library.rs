use crate::error::{check, owned, start_of, text, CODE_SIZES, NO_CODE};
use crate::{nanoseconds, Context, Endpoint, Error};
use std::fmt;
use std::ptr;
use std::time::Duration;
use tchains_sys::*;

/// A library that travels: code and data that functions share at a node.
pub struct Library<'c> {
    pub(crate) raw: *mut tc_library,
    context: &'c Context,
    /// Else it is a package's.
    owned: bool,
}

/// A library that is in force in a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryInfo {
    pub name: String,
    pub id: [u8; TC_IFUNC_ID_BYTES],
    /// The identity that pushed it; "": an unauthenticated peer, or the program installed it.
    pub owner: String,
    /// Symbols that it exports, its entries not counted.
    pub symbols: u64,
    /// Bytes of code and data.
    pub memory_bytes: u64,
    /// Functions that are bound to it now.
    pub functions: u64,
    /// Libraries that are bound to it now.
    pub libraries: u64,
}

impl Context {
    fn library(
        &self,
        open: impl FnOnce(*mut *mut tc_library, *mut tc_error) -> tc_status,
    ) -> Result<Library<'_>, Error> {
        let mut raw = ptr::null_mut();
        check(|err| open(&mut raw, err))?;
        Ok(Library {
            raw,
            context: self,
            owned: true,
        })
    }

    /// Opens a library's NAME.tca of the option `ifunc_path`, with NAME.deps and the signature beside
    /// it.
    pub fn open_library(&self, name: &str) -> Result<Library<'_>, Error> {
        let name = text(name)?;
        self.library(|out, err| unsafe {
            tc_library_open(self.as_ptr(), name.as_ptr() as *const _, out, err)
        })
    }

    /// Opens the archive at a path, with the files beside it.
    pub fn open_library_file(&self, path: &str) -> Result<Library<'_>, Error> {
        let path = text(path)?;
        self.library(|out, err| unsafe {
            let code = tc_code {
                path: path.as_ptr() as *const _,
                ..NO_CODE
            };
            let (size, slice_size) = CODE_SIZES;
            tc_library_open_code_sized(self.as_ptr(), &code, size, slice_size, out, err)
        })
    }

    /// Opens an archive in memory. `libraries` are its dependencies, one in each line, and
    /// `signature` the text of a .minisig file; both may be "".
    pub fn open_library_memory(
        &self,
        archive: &[u8],
        libraries: &str,
        signature: &str,
    ) -> Result<Library<'_>, Error> {
        let (deps, signed) = (libraries.as_bytes(), signature.as_bytes());
        self.library(|out, err| unsafe {
            let code = tc_code {
                bytes: archive.as_ptr() as *const _,
                size: archive.len(),
                deps: start_of(deps) as *const _,
                deps_size: deps.len(),
                signature: start_of(signed) as *const _,
                signature_size: signed.len(),
                ..NO_CODE
            };
            let (size, slice_size) = CODE_SIZES;
            tc_library_open_code_sized(self.as_ptr(), &code, size, slice_size, out, err)
        })
    }

    /// Puts a library in force here, as if a peer had pushed it.
    pub fn install_library(&self, library: &Library) -> Result<(), Error> {
        library.is_of(self)?;
        self.returned(check(|err| unsafe {
            tc_library_install(self.as_ptr(), library.raw, err)
        }))
    }

    /// Withdraws the library of that name from this context, independent of its pusher.
    pub fn remove_library(&self, name: &str) -> Result<(), Error> {
        let name = text(name)?;
        self.returned(check(|err| unsafe {
            tc_library_remove(self.as_ptr(), name.as_ptr() as *const _, err)
        }))
    }

    /// The libraries in force here, in the order of arrival.
    pub fn libraries(&self) -> Vec<LibraryInfo> {
        const SIZE: usize = std::mem::size_of::<tc_library_info>();
        unsafe {
            let none = ptr::null_mut();
            let count = tc_library_list_sized(self.as_ptr(), none, 0, SIZE);
            let mut infos: Vec<tc_library_info> = vec![std::mem::zeroed(); count];
            let room = infos.as_mut_ptr();
            let now = tc_library_list_sized(self.as_ptr(), room, count, SIZE);
            infos.iter().take(now).map(|info| read(info)).collect()
        }
    }

    /// The address of a symbol of a library that is in force here, or NULL: valid until the library
    /// is replaced or withdrawn, so until this context progresses again.
    pub fn library_symbol(&self, library: &str, symbol: &str) -> Result<*mut c_void, Error> {
        let (library, symbol) = (text(library)?, text(symbol)?);
        Ok(unsafe {
            let library = library.as_ptr() as *const _;
            tc_library_symbol(self.as_ptr(), library, symbol.as_ptr() as *const _)
        })
    }
}

unsafe fn read(info: &tc_library_info) -> LibraryInfo {
    LibraryInfo {
        name: owned(info.name.as_ptr()),
        id: info.id,
        owner: owned(info.owner.as_ptr()),
        symbols: info.symbols,
        memory_bytes: info.memory_bytes,
        functions: info.functions,
        libraries: info.libraries,
    }
}

impl Endpoint<'_> {
    /// Sends a library to the peer and waits until it is in force there, or is refused. Zero: the
    /// option `call_timeout`.
    pub fn push_library(&self, library: &Library, timeout: Duration) -> Result<(), Error> {
        self.usable()?;
        library.is_of(self.context)?;
        self.context.returned(check(|err| unsafe {
            tc_library_push(self.raw, library.raw, nanoseconds(timeout), err)
        }))
    }

    /// Withdraws a library from the peer: functions that use it are refused from then on.
    pub fn withdraw_library(&self, library: &Library, timeout: Duration) -> Result<(), Error> {
        self.usable()?;
        library.is_of(self.context)?;
        self.context.returned(check(|err| unsafe {
            tc_library_withdraw(self.raw, library.raw, nanoseconds(timeout), err)
        }))
    }
}

impl<'c> Library<'c> {
    /// One that a package owns.
    pub(crate) fn lent(context: &'c Context, raw: *mut tc_library) -> Library<'c> {
        Library {
            raw,
            context,
            owned: false,
        }
    }

    /// Handles are of one context.
    fn is_of(&self, context: &Context) -> Result<(), Error> {
        if ptr::eq(self.context, context) {
            return Ok(());
        }
        let text = format!("{}: a library of another context", self.name());
        Err(Error::new(TC_E_INVALID, text))
    }

    pub fn name(&self) -> String {
        unsafe { owned(tc_library_name(self.raw)) }
    }

    /// Its content id.
    pub fn id(&self) -> [u8; TC_IFUNC_ID_BYTES] {
        let mut id = [0; TC_IFUNC_ID_BYTES];
        unsafe { tc_library_id(self.raw, id.as_mut_ptr()) };
        id
    }
}

impl Drop for Library<'_> {
    fn drop(&mut self) {
        if self.owned {
            unsafe { tc_library_close(self.raw) }
        }
    }
}

impl fmt::Debug for Library<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Library({})", self.name())
    }
}
