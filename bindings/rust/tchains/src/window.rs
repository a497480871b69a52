use crate::access::Leads;
use crate::error::{check, plain, text};
use crate::{nanoseconds, Context, Endpoint, Error, Group, Memory};
use std::fmt;
use std::ops::{Add, BitOr, Deref};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::time::Duration;
use tchains_sys::*;

/// A position in a window of some process: 16 plain bytes that may travel and be stored. Any peer can
/// forge one, so it gives no right: the owner of the window checks each operation.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GlobalPointer {
    window: u16,
    generation: u16,
    rank: u32,
    offset: u64,
}

impl GlobalPointer {
    /// The bytes of C's `tc_gptr`.
    pub fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..2].copy_from_slice(&self.window.to_ne_bytes());
        bytes[2..4].copy_from_slice(&self.generation.to_ne_bytes());
        bytes[4..8].copy_from_slice(&self.rank.to_ne_bytes());
        bytes[8..].copy_from_slice(&self.offset.to_ne_bytes());
        bytes
    }

    /// All bytes are valid: whether they name an open window is up to the peer.
    pub fn from_bytes(bytes: [u8; 16]) -> GlobalPointer {
        let [w0, w1, g0, g1, r0, r1, r2, r3, offset @ ..] = bytes;
        GlobalPointer {
            window: u16::from_ne_bytes([w0, w1]),
            generation: u16::from_ne_bytes([g0, g1]),
            rank: u32::from_ne_bytes([r0, r1, r2, r3]),
            offset: u64::from_ne_bytes(offset),
        }
    }

    /// The owner's rank in its group, if the window was opened to one.
    pub fn rank(self) -> Option<u32> {
        (self.rank != TC_RANK_NONE).then_some(self.rank)
    }

    /// Bytes from the window's beginning.
    pub fn offset(self) -> u64 {
        self.offset
    }

    /// Another position in the same window.
    pub fn with_offset(self, offset: u64) -> GlobalPointer {
        GlobalPointer { offset, ..self }
    }

    fn of(raw: tc_gptr) -> GlobalPointer {
        GlobalPointer {
            window: raw.window,
            generation: raw.generation,
            rank: raw.rank,
            offset: raw.offset,
        }
    }

    pub(crate) fn raw(self) -> tc_gptr {
        tc_gptr {
            window: self.window,
            generation: self.generation,
            rank: self.rank,
            offset: self.offset,
        }
    }

    /// The window alone, for tables.
    fn number(self) -> (u16, u16) {
        (self.window, self.generation)
    }
}

impl Add<u64> for GlobalPointer {
    type Output = GlobalPointer;

    /// Moved by some bytes. One that leaves its window is refused when it is used.
    fn add(self, bytes: u64) -> GlobalPointer {
        self.with_offset(self.offset.wrapping_add(bytes))
    }
}

/// The operations that peers may do in a window: `Rights::READ | Rights::ATOMIC`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rights(u32);

impl Rights {
    /// Get.
    pub const READ: Rights = Rights(TC_WINDOW_READ);
    /// Put.
    pub const WRITE: Rights = Rights(TC_WINDOW_WRITE);
    /// Fetch and add, compare and swap.
    pub const ATOMIC: Rights = Rights(TC_WINDOW_ATOMIC);
    /// Allocate: the window is an arena.
    pub const ALLOCATE: Rights = Rights(TC_WINDOW_ALLOCATE);

    /// Returns whether it has all the rights of another one.
    pub fn has(self, others: Rights) -> bool {
        self.0 & others.0 == others.0
    }

    pub(crate) fn from_bits(bits: u32) -> Rights {
        Rights(bits)
    }
}

impl BitOr for Rights {
    type Output = Rights;

    fn bitor(self, other: Rights) -> Rights {
        Rights(self.0 | other.0)
    }
}

impl fmt::Debug for Rights {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let names = [
            (Rights::READ, "READ"),
            (Rights::WRITE, "WRITE"),
            (Rights::ATOMIC, "ATOMIC"),
            (Rights::ALLOCATE, "ALLOCATE"),
        ];
        let held = names.iter().filter(|(right, _)| self.has(*right));
        f.write_str(&held.map(|(_, name)| *name).collect::<Vec<_>>().join(" | "))
    }
}

/// The properties of a window that is about to be opened. It needs a peer, a group or an identity:
/// only those that are named have the rights.
#[derive(Clone, Copy, Debug)]
pub struct WindowParams<'a> {
    memory: Option<&'a Arc<Memory>>,
    bytes: u64,
    rights: Rights,
    peer: Option<&'a Endpoint<'a>>,
    group: Option<&'a Group<'a>>,
    identity: Option<&'a str>,
    arena_begin: u64,
}

impl<'a> WindowParams<'a> {
    /// A window of memory that the program keeps, too.
    pub fn new(memory: &'a Arc<Memory>, rights: Rights) -> WindowParams<'a> {
        WindowParams {
            memory: Some(memory),
            ..WindowParams::shared(memory.bytes(), rights)
        }
    }

    /// A window of zeroed shared memory of the library's, which peers on this host may map.
    pub fn shared(bytes: u64, rights: Rights) -> WindowParams<'a> {
        WindowParams {
            memory: None,
            bytes,
            rights,
            peer: None,
            group: None,
            identity: None,
            arena_begin: 0,
        }
    }

    /// Names the peer of an endpoint of the context.
    pub fn peer(self, peer: &'a Endpoint<'a>) -> WindowParams<'a> {
        let peer = Some(peer);
        WindowParams { peer, ..self }
    }

    /// Names all members of a group.
    pub fn group(self, group: &'a Group<'a>) -> WindowParams<'a> {
        let group = Some(group);
        WindowParams { group, ..self }
    }

    /// Names peers by `EndpointInfo::identity`.
    pub fn identity(self, identity: &'a str) -> WindowParams<'a> {
        let identity = Some(identity);
        WindowParams { identity, ..self }
    }

    /// With `Rights::ALLOCATE`: the first offset to give out.
    pub fn arena_begin(self, arena_begin: u64) -> WindowParams<'a> {
        WindowParams {
            arena_begin,
            ..self
        }
    }
}

impl Context {
    /// Opens a window. Peers use it while this context progresses.
    pub fn open_window(&self, params: &WindowParams) -> Result<Window<'_>, Error> {
        if let Some(peer) = params.peer {
            peer.usable()?;
        }
        let identity = params.identity.map(text).transpose()?;
        let given = tc_window_params {
            memory: params
                .memory
                .map_or(ptr::null_mut(), |memory| memory.as_ptr()),
            bytes: params.bytes,
            rights: params.rights.0,
            peer: params.peer.map_or(ptr::null_mut(), |peer| peer.raw),
            group: params.group.map_or(ptr::null_mut(), |group| group.raw),
            identity: identity
                .as_ref()
                .map_or(ptr::null(), |identity| identity.as_ptr() as *const _),
            arena_begin: params.arena_begin,
            shared: params.memory.is_none() as u32,
        };
        let mut raw = GlobalPointer::default().raw();
        check(|err| unsafe {
            let size = std::mem::size_of_val(&given);
            tc_window_open_sized(self.as_ptr(), &given, size, &mut raw, err)
        })?;
        let memory = params.memory.cloned().unwrap_or_else(|| unsafe {
            let start = tc_window_memory(self.as_ptr(), raw) as *mut u64;
            Arc::new(Memory::lent(NonNull::new_unchecked(start), params.bytes))
        });
        Ok(Window {
            context: self,
            pointer: GlobalPointer::of(raw),
            memory,
            kept: false,
        })
    }

    /// Closes a window that `Window::keep` has left to this context.
    pub fn close_window(&self, pointer: GlobalPointer) -> Result<(), Error> {
        let kept = self.shared.windows.borrow_mut().remove(&pointer.number());
        match kept {
            Some(_memory) => plain(unsafe { tc_window_close(self.as_ptr(), pointer.raw()) }),
            None => Err(Error::new(
                TC_E_NOT_FOUND,
                format!("{:?} names no window that this context keeps", pointer),
            )),
        }
    }
}

/// A window of this process, and its memory. Dropped, it is closed: operations that come later are
/// refused.
pub struct Window<'c> {
    context: &'c Context,
    pointer: GlobalPointer,
    memory: Arc<Memory>,
    kept: bool,
}

impl Window<'_> {
    /// Its beginning, to be given to peers.
    pub fn pointer(&self) -> GlobalPointer {
        self.pointer
    }

    /// Leaves the window open for as long as the context lives, or until `Context::close_window`; its
    /// pointer. The program keeps memory of its own by its `Arc`; that of a shared window is then
    /// the peers'.
    pub fn keep(mut self) -> GlobalPointer {
        let mut windows = self.context.shared.windows.borrow_mut();
        windows.insert(self.pointer.number(), self.memory.clone());
        self.kept = true;
        self.pointer
    }
}

impl Deref for Window<'_> {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.memory
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        if !self.kept {
            unsafe { tc_window_close(self.context.as_ptr(), self.pointer.raw()) };
        }
    }
}

impl fmt::Debug for Window<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Window({:?}, {:?})", self.pointer, self.memory)
    }
}

/// A window of another process, mapped into this one: its words are used by instructions, without
/// messages. It stays, with its last bytes, when the owner has ended. Dropped, it is unmapped.
pub struct View<'c> {
    context: &'c Context,
    raw: *const tc_window_view,
    memory: Memory,
}

impl<'c> View<'c> {
    pub(crate) fn map(
        peer: &impl Leads<'c>,
        window: GlobalPointer,
        timeout: Duration,
    ) -> Result<View<'c>, Error> {
        let (context, ep) = peer.lead()?;
        let mut raw = ptr::null();
        context.returned(check(|err| unsafe {
            tc_window_map(ep, window.raw(), nanoseconds(timeout), &mut raw, err)
        }))?;
        Ok(View {
            context,
            raw,
            memory: unsafe { Memory::viewed(&*raw) },
        })
    }
}

impl Deref for View<'_> {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.memory
    }
}

impl Drop for View<'_> {
    fn drop(&mut self) {
        unsafe { tc_window_unmap(self.context.as_ptr(), self.raw) };
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "View({:?})", self.memory)
    }
}
