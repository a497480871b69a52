//! The running message, and its operations.

use core::slice;
use tchains_sys::*;

/// A status of the library's, by its number: `TC_E_NOT_FOUND`.
pub type Status = tc_status;

/// Why a function failed: the reason that the caller of a call receives.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    pub status: Status,
    /// 400 bytes of it are sent.
    pub text: &'static str,
}

impl Failure {
    /// A failure with a text. `status` is below 0.
    #[inline]
    pub const fn new(status: Status, text: &'static str) -> Failure {
        Failure { status, text }
    }
}

impl From<core::str::Utf8Error> for Failure {
    #[inline]
    fn from(_: core::str::Utf8Error) -> Failure {
        Failure::new(TC_E_INVALID, "the payload is not UTF-8")
    }
}

impl From<core::array::TryFromSliceError> for Failure {
    #[inline]
    fn from(_: core::array::TryFromSliceError) -> Failure {
        Failure::new(TC_E_INVALID, "the payload has another size")
    }
}

impl From<core::convert::Infallible> for Failure {
    #[inline]
    fn from(never: core::convert::Infallible) -> Failure {
        match never {}
    }
}

#[inline]
pub(crate) fn checked(status: Status, text: &'static str) -> Result<(), Failure> {
    if status == TC_OK {
        Ok(())
    } else {
        Err(Failure::new(status, text))
    }
}

/// The running message. Any connected peer chooses the payload's bytes.
pub struct Message<'a> {
    payload: &'a mut [u8],
    target_args: *mut c_void,
}

impl<'a> Message<'a> {
    /// # Safety
    /// The arguments are those of `NAME_main`.
    #[inline]
    pub(crate) unsafe fn new(
        payload: *mut c_void,
        payload_size: usize,
        target_args: *mut c_void,
    ) -> Message<'a> {
        let bytes: &'a mut [u8] = if payload.is_null() {
            slice::from_raw_parts_mut(16 as *mut u8, 0)
        } else {
            slice::from_raw_parts_mut(payload as *mut u8, payload_size)
        };
        Message {
            payload: bytes,
            target_args,
        }
    }

    /// Its bytes, at a multiple of 16.
    #[inline]
    pub fn payload(&self) -> &[u8] {
        self.payload
    }

    /// To change it in place, for `forward`. Where the target has the option `payload=readonly`
    /// a store ends the process.
    #[inline]
    pub fn payload_mut(&mut self) -> &mut [u8] {
        self.payload
    }

    /// The payload as numbers of the machine's byte order, which both architectures share.
    #[inline]
    pub fn numbers(&self) -> Result<&[f64], Failure> {
        let count = self.number_count()?;
        // Any bytes are a double, and the payload lies at a multiple of 16.
        Ok(unsafe { slice::from_raw_parts(self.payload.as_ptr() as *const f64, count) })
    }

    /// `numbers` to be changed in place, as `payload_mut`.
    #[inline]
    pub fn numbers_mut(&mut self) -> Result<&mut [f64], Failure> {
        let count = self.number_count()?;
        Ok(unsafe { slice::from_raw_parts_mut(self.payload.as_mut_ptr() as *mut f64, count) })
    }

    #[inline]
    fn number_count(&self) -> Result<usize, Failure> {
        match self.payload.len() % 8 {
            0 => Ok(self.payload.len() / 8),
            _ => Err(Failure::new(
                TC_E_INVALID,
                "the payload is no whole number of doubles",
            )),
        }
    }

    /// The pointer that the target's program gave all functions, or null.
    #[inline]
    pub fn target_args(&self) -> *mut c_void {
        self.target_args
    }

    /// Answers the call that the message is; without a call the answer is dropped.
    #[inline]
    pub fn reply(&mut self, data: &[u8]) -> Result<(), Failure> {
        match unsafe { tc_reply(data.as_ptr() as *const c_void, data.len()) } {
            TC_OK | TC_E_NOT_FOUND => Ok(()),
            status => Err(Failure::new(status, "the reply cannot be sent")),
        }
    }

    /// Sends this function on to another member of the group, and the call with it.
    #[inline]
    pub fn forward(&mut self, rank: u32, payload: &[u8]) -> Result<(), Failure> {
        let bytes = payload.as_ptr() as *const c_void;
        checked(
            unsafe { tc_forward(rank, bytes, payload.len()) },
            "the message cannot be forwarded",
        )
    }

    /// `forward` of the payload as it is, perhaps changed in place.
    #[inline]
    pub fn forward_payload(&mut self, rank: u32) -> Result<(), Failure> {
        let bytes = self.payload.as_ptr() as *const c_void;
        checked(
            unsafe { tc_forward(rank, bytes, self.payload.len()) },
            "the message cannot be forwarded",
        )
    }

    /// This process's rank in the message's group, or `TC_RANK_NONE`.
    #[inline]
    pub fn rank(&self) -> u32 {
        unsafe { tc_self_rank() }
    }

    /// The size of the message's group, or 0.
    #[inline]
    pub fn group_size(&self) -> u32 {
        unsafe { tc_self_size() }
    }

    /// The rank that sent the message first, or `TC_RANK_NONE`.
    #[inline]
    pub fn origin(&self) -> u32 {
        unsafe { tc_self_origin() }
    }

    /// How often the message was forwarded.
    #[inline]
    pub fn hops(&self) -> u32 {
        unsafe { tc_self_hops() }
    }

    /// Memory of this function in this context, kept from message to message: zeros at first.
    /// `None`: no memory, an earlier message asked for another size, or `T` asks for more than an
    /// alignment of 16.
    ///
    /// # Safety
    /// All bytes zero are a value of `T`, and all versions of the function mean the same `T`.
    #[inline]
    pub unsafe fn state<T>(&mut self) -> Option<&mut T> {
        if core::mem::align_of::<T>() > 16 {
            return None;
        }
        (tc_self_state(core::mem::size_of::<T>()) as *mut T).as_mut()
    }

    /// The bytes that this process published under a name, which ends in a zero byte: `b"column\0"`.
    ///
    /// # Safety
    /// The program that published them lets functions read them now.
    #[inline]
    pub unsafe fn data(&self, name: &'static [u8]) -> Option<&'a [u8]> {
        if name.last() != Some(&0) {
            return None;
        }
        let mut size = 0;
        let data = tc_self_data(name.as_ptr() as *const c_char, &mut size) as *const u8;
        if data.is_null() {
            None
        } else {
            Some(slice::from_raw_parts(data, size))
        }
    }
}
