/* The ways to open code of release 0.1: as its sources get them from the headers, and as its
 * binaries get them from the library. */
#ifndef OLD_SOURCES_H
#define OLD_SOURCES_H

#include <tc/library.h>
#include <tc/loader.h>
#include <tc/package.h>

typedef struct old_opens {
    tc_status (*ifunc_file)(tc_context *, const char *, tc_ifunc **, tc_error *);
    tc_status (*ifunc_memory)(tc_context *, const void *, size_t, const char *, size_t,
                              tc_ifunc **, tc_error *);
    tc_status (*ifunc_signed)(tc_context *, const void *, size_t, const char *, size_t,
                              const char *, size_t, tc_ifunc **, tc_error *);
    tc_status (*ifunc_bitcode)(tc_context *, const char *, const tc_bitcode *, size_t,
                               const char *, size_t, tc_ifunc **, tc_error *);
    tc_status (*library_file)(tc_context *, const char *, tc_library **, tc_error *);
    tc_status (*library_memory)(tc_context *, const void *, size_t, const char *, size_t,
                                const char *, size_t, tc_library **, tc_error *);
    tc_status (*loader_memory)(tc_loader *, const void *, size_t, const char *, size_t,
                               tc_ifunc **, tc_error *);
    tc_status (*loader_bitcode)(tc_loader *, const char *, const tc_bitcode *, size_t,
                                const char *, size_t, tc_ifunc **, tc_error *);
    tc_status (*package_memory)(tc_context *, const void *, size_t, const uint8_t *,
                                tc_package **, tc_error *);
} old_opens;

extern const old_opens old_sources;

#endif
