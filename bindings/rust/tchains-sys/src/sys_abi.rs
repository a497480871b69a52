//! `<tc/abi.h>`. The exported functions that take the size of a struct, or the version of the
//! headers.

use crate::*;

opaque!(tc_cache_entry);
opaque!(tc_cache_totals);
opaque!(tc_entry_points);
opaque!(tc_loader);
opaque!(tc_symbol);
opaque!(tc_ucx_objects);

extern "C" {
    pub fn tc_cache_clear_sized(
        opts: *const tc_options,
        removed_out: *mut tc_cache_totals,
        removed_size: usize,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_cache_list_sized(
        opts: *const tc_options,
        visit: Option<unsafe extern "C" fn(user: *mut c_void, entry: *const tc_cache_entry)>,
        user: *mut c_void,
        totals_out: *mut tc_cache_totals,
        totals_size: usize,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_call_start_sized(
        ep: *mut tc_ep,
        func: *mut tc_ifunc,
        source_args: *const c_void,
        size: usize,
        params: *const tc_call_params,
        params_size: usize,
        call_out: *mut u64,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_context_create_for(
        header_version: c_uint,
        opts: *const tc_options,
        ctx_out: *mut *mut tc_context,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_context_create_on_ucx_for(
        header_version: c_uint,
        opts: *const tc_options,
        ucx: *const tc_ucx_objects,
        ucx_size: usize,
        ctx_out: *mut *mut tc_context,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_context_start_thread_sized(
        ctx: *mut tc_context,
        params: *const tc_thread_params,
        params_size: usize,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ep_query_sized(ep: *const tc_ep, info_out: *mut tc_ep_info, info_size: usize);
    pub fn tc_group_call_all_sized(
        group: *mut tc_group,
        func: *mut tc_ifunc,
        source_args: *const c_void,
        size: usize,
        params: *const tc_group_call_params,
        params_size: usize,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_group_create_sized(
        ctx: *mut tc_context,
        params: *const tc_group_params,
        params_size: usize,
        member_size: usize,
        group_out: *mut *mut tc_group,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ifunc_open_code_sized(
        ctx: *mut tc_context,
        code: *const tc_code,
        code_size: usize,
        slice_size: usize,
        fn_out: *mut *mut tc_ifunc,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ifunc_fill_sized(
        func: *mut tc_ifunc,
        values: *const tc_hole_value,
        count: usize,
        value_size: usize,
        filled_out: *mut *mut tc_ifunc,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_ifunc_holes_sized(
        func: *const tc_ifunc,
        infos: *mut tc_hole_info,
        count: usize,
        info_size: usize,
    ) -> usize;
    pub fn tc_library_list_sized(
        ctx: *mut tc_context,
        infos: *mut tc_library_info,
        count: usize,
        info_size: usize,
    ) -> usize;
    pub fn tc_library_open_code_sized(
        ctx: *mut tc_context,
        code: *const tc_code,
        code_size: usize,
        slice_size: usize,
        library_out: *mut *mut tc_library,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_loader_create_sized(
        opts: *const tc_options,
        symbols: *const tc_symbol,
        symbol_count: usize,
        symbol_size: usize,
        loader_out: *mut *mut tc_loader,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_loader_open_code_sized(
        loader: *mut tc_loader,
        code: *const tc_code,
        code_size: usize,
        slice_size: usize,
        fn_out: *mut *mut tc_ifunc,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_loader_resolve_sized(
        func: *mut tc_ifunc,
        entries_out: *mut tc_entry_points,
        entries_size: usize,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_package_open_code_sized(
        ctx: *mut tc_context,
        code: *const tc_code,
        code_size: usize,
        package_out: *mut *mut tc_package,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_send_start_sized(
        ep: *mut tc_ep,
        func: *mut tc_ifunc,
        parts: *const iovec,
        count: usize,
        params: *const tc_send_params,
        params_size: usize,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_version_query_sized(info_out: *mut tc_version_info, info_size: usize);
    pub fn tc_window_chain_sized(
        ep: *mut tc_ep,
        steps: *const tc_window_step,
        step_size: usize,
        count: usize,
        timeout_ns: u64,
        succeeded_out: *mut u32,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_window_chain_start_sized(
        ep: *mut tc_ep,
        steps: *const tc_window_step,
        step_size: usize,
        count: usize,
        params: *const tc_window_start_params,
        params_size: usize,
        err: *mut tc_error,
    ) -> tc_status;
    pub fn tc_window_open_sized(
        ctx: *mut tc_context,
        params: *const tc_window_params,
        params_size: usize,
        window_out: *mut tc_gptr,
        err: *mut tc_error,
    ) -> tc_status;
}
