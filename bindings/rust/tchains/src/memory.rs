use crate::window::Rights;
use crate::Error;
use std::fmt;
use std::ptr::{slice_from_raw_parts_mut, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use tchains_sys::*;

const WORD: usize = std::mem::size_of::<u64>();

/// Memory that peers change meanwhile: of a program, a window or a view. So it has no slice; bytes
/// are copied, and words of 8 bytes at multiples of 8 are got, put and changed by atomic operations.
///
/// A word that is put is seen with all that its writer wrote before. Copies of other bytes may be
/// seen in part. Whatever a peer can write, check it after it was copied.
pub struct Memory {
    start: NonNull<u64>,
    bytes: u64,
    rights: Rights,
    /// Words that may be got and put, and those for atomic operations.
    get_words: u64,
    put_words: u64,
    atomic_words: u64,
    /// Words in a box of its own; 0: the library has the memory.
    owned: usize,
}

// All accesses of the words are atomic.
unsafe impl Send for Memory {}
unsafe impl Sync for Memory {}

impl Memory {
    /// Zeroed memory of the program's, for windows.
    pub fn new(bytes: usize) -> Arc<Memory> {
        let words =
            vec![0u64; bytes / WORD + usize::from(bytes % WORD != 0)].into_boxed_slice();
        let owned = words.len();
        let start = NonNull::from(Box::leak(words)).cast();
        let mut memory = unsafe { Memory::lent(start, bytes as u64) };
        memory.owned = owned;
        Arc::new(memory)
    }

    /// Memory of the library's, with all rights.
    ///
    /// # Safety
    /// It begins at a multiple of 8, is mapped in whole pages, and stays for as long as the result does.
    pub(crate) unsafe fn lent(start: NonNull<u64>, bytes: u64) -> Memory {
        let words = bytes / WORD as u64;
        Memory {
            start,
            bytes,
            rights: Rights::READ | Rights::WRITE | Rights::ATOMIC,
            get_words: words,
            put_words: words,
            atomic_words: words,
            owned: 0,
        }
    }

    /// # Safety
    /// The view stays for as long as the result does.
    pub(crate) unsafe fn viewed(view: &tc_window_view) -> Memory {
        Memory {
            start: NonNull::new_unchecked(view.memory),
            bytes: view.bytes,
            rights: Rights::from_bits(view.rights),
            get_words: view.get_words,
            put_words: view.put_words,
            atomic_words: view.atomic_words,
            owned: 0,
        }
    }

    pub(crate) fn as_ptr(&self) -> *mut c_void {
        self.start.as_ptr() as *mut c_void
    }

    /// Its size.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// All but to allocate, or, of a view, the rights of its window.
    pub fn rights(&self) -> Rights {
        self.rights
    }

    /// The word at an offset: all that its writer wrote before it put the word is seen from then on.
    pub fn get(&self, offset: u64) -> Result<u64, Error> {
        let word = self.word(offset, self.get_words, Rights::READ)?;
        Ok(word.load(Ordering::Acquire))
    }

    /// Replaces the word at an offset.
    pub fn put(&self, offset: u64, value: u64) -> Result<(), Error> {
        let word = self.word(offset, self.put_words, Rights::WRITE)?;
        word.store(value, Ordering::Release);
        Ok(())
    }

    /// Adds to the word at an offset; the value before.
    pub fn fetch_add(&self, offset: u64, value: u64) -> Result<u64, Error> {
        let word = self.word(offset, self.atomic_words, Rights::ATOMIC)?;
        Ok(word.fetch_add(value, Ordering::SeqCst))
    }

    /// Replaces the word at an offset if it is `expected`; the value before.
    pub fn compare_swap(&self, offset: u64, expected: u64, desired: u64) -> Result<u64, Error> {
        let word = self.word(offset, self.atomic_words, Rights::ATOMIC)?;
        match word.compare_exchange(expected, desired, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(before) | Err(before) => Ok(before),
        }
    }

    /// Copies bytes out of the memory.
    pub fn read(&self, offset: u64, to: &mut [u8]) -> Result<(), Error> {
        self.holds(offset, to.len(), Rights::READ)?;
        let mut at = offset as usize;
        let mut rest = to;
        while !rest.is_empty() {
            let (skip, count) = part(at, rest.len());
            let word = self.at(at / WORD).load(Ordering::Acquire).to_ne_bytes();
            let (now, later) = rest.split_at_mut(count);
            now.copy_from_slice(&word[skip..skip + count]);
            rest = later;
            at += count;
        }
        Ok(())
    }

    /// Copies bytes into the memory.
    pub fn write(&self, offset: u64, from: &[u8]) -> Result<(), Error> {
        self.holds(offset, from.len(), Rights::WRITE)?;
        let mut at = offset as usize;
        let mut rest = from;
        while !rest.is_empty() {
            let (skip, count) = part(at, rest.len());
            let (now, later) = rest.split_at(count);
            write_in(self.at(at / WORD), skip, now);
            rest = later;
            at += count;
        }
        Ok(())
    }

    fn at(&self, word: usize) -> &AtomicU64 {
        unsafe { &*(self.start.as_ptr().add(word) as *const AtomicU64) }
    }

    /// The word at an offset. An offset that is no multiple of 8 gives a number that is above any
    /// limit, and so does the limit 0 of a right that is missing.
    fn word(&self, offset: u64, limit: u64, right: Rights) -> Result<&AtomicU64, Error> {
        let word = offset.rotate_right(WORD.trailing_zeros());
        if word >= limit {
            return Err(self.refused(offset, WORD, right, ", at a multiple of 8"));
        }
        Ok(self.at(word as usize))
    }

    fn holds(&self, offset: u64, count: usize, right: Rights) -> Result<(), Error> {
        if self.rights.has(right) && offset <= self.bytes && count as u64 <= self.bytes - offset
        {
            return Ok(());
        }
        Err(self.refused(offset, count, right, ""))
    }

    #[cold]
    fn refused(&self, offset: u64, count: usize, right: Rights, also: &str) -> Error {
        let text = if self.rights.has(right) {
            format!(
                "{} bytes at offset {}, expected them within {} bytes{}",
                count, offset, self.bytes, also
            )
        } else {
            format!("memory with rights {:?}, expected {:?}", self.rights, right)
        };
        Error::new(TC_E_INVALID, text)
    }
}

/// Where in its word a byte is, and how many of the wanted bytes that word has.
fn part(at: usize, wanted: usize) -> (usize, usize) {
    let skip = at % WORD;
    (skip, wanted.min(WORD - skip))
}

/// Leaves the other bytes of the word as they are, also those that change meanwhile.
fn write_in(word: &AtomicU64, skip: usize, bytes: &[u8]) {
    if let Ok(whole) = bytes.try_into() {
        return word.store(u64::from_ne_bytes(whole), Ordering::Release);
    }
    let mut before = word.load(Ordering::Relaxed);
    loop {
        let mut after = before.to_ne_bytes();
        after[skip..skip + bytes.len()].copy_from_slice(bytes);
        let after = u64::from_ne_bytes(after);
        match word.compare_exchange_weak(before, after, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(_) => return,
            Err(now) => before = now,
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.owned > 0 {
            let words = slice_from_raw_parts_mut(self.start.as_ptr(), self.owned);
            drop(unsafe { Box::from_raw(words) });
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Memory({} bytes, {:?})", self.bytes, self.rights)
    }
}
