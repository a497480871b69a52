//! `<tc/window_rows.h>`. Gets and puts of any size, and of rows that lie apart.

use crate::*;

#[repr(C)]
#[derive(Clone, Copy)]

pub struct tc_window_rows {
    pub at: tc_gptr,
    pub bytes: u64,
    pub count: u64,
    pub stride: u64,
    pub memory: *mut c_void,
    pub memory_stride: u64,
}
