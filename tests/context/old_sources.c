/* Compiled as a program of release 0.1 is: with its one include, and its names. */
#undef TC_WITHOUT_0_1
#include <tc/tc.h>

#include "old_sources.h"

const old_opens old_sources = {
    .ifunc_file = tc_ifunc_open_file,
    .ifunc_memory = tc_ifunc_open_memory,
    .ifunc_signed = tc_ifunc_open_signed,
    .ifunc_bitcode = tc_ifunc_open_bitcode,
    .library_file = tc_library_open_file,
    .library_memory = tc_library_open_memory,
    .loader_memory = tc_loader_open_memory,
    .loader_bitcode = tc_loader_open_bitcode,
    .package_memory = tc_package_open_memory,
};

/* Names that have moved to other headers are there, too. */
extern const void *const old_names[];
const void *const old_names[] = {
    (const void *)tc_send_uncached,      (const void *)tc_message_create,
    (const void *)tc_context_address,    (const void *)tc_ep_connect_address,
    (const void *)tc_stats_value,        (const void *)tc_group_send,
    (const void *)tc_library_push,       (const void *)tc_log_write,
    (const void *)tc_context_lock,       (const void *)tc_self_endpoint,
    (const void *)tc_crash_line_install, (const void *)tc_code_name,
    (const void *)tc_load_stage_name,    (const void *)tc_package_push,
};
