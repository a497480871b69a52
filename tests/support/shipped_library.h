/* Libraries in the first folder of TC_IFUNC_PATH, which is tests/shipped in most tests, each by
 * the name of its file: "annex", or SHELF(2), which is "shelf2/shelf". */
#ifndef SHIPPED_LIBRARY_H
#define SHIPPED_LIBRARY_H

#include "pair.h"
#include "test_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/library.h>

#define SHELF(version) "shelf" #version "/shelf"

static inline tc_library *shipped_library_open(tc_context *ctx, const char *name)
{
    char path[1100];
    tc_library *library;
    tc_error error;
    const char *folders = getenv("TC_IFUNC_PATH");
    (void)snprintf(path, sizeof path, "%.*s/%s.tca", (int)strcspn(folders, ":"), folders, name);
    must(tc_library_open_code(ctx, &(tc_code){.path = path}, &library, &error), &error, path);
    return library;
}

static inline tc_status shipped_library_try_push(tc_ep *ep, const char *name,
                                                 uint64_t timeout_ns, tc_error *error)
{
    tc_library *library = shipped_library_open(tc_ep_context(ep), name);
    tc_status status = tc_library_push(ep, library, timeout_ns, error);
    tc_library_close(library);
    return status;
}

static inline void shipped_library_push(tc_ep *ep, const char *name)
{
    tc_error error;
    must(shipped_library_try_push(ep, name, PAIR_TIMEOUT_NS, &error), &error, name);
}

static inline tc_status shipped_library_try_withdraw(tc_ep *ep, const char *name,
                                                     tc_error *error)
{
    tc_library *library = shipped_library_open(tc_ep_context(ep), name);
    tc_status status = tc_library_withdraw(ep, library, PAIR_TIMEOUT_NS, error);
    tc_library_close(library);
    return status;
}

static inline tc_status shipped_library_try_install(tc_context *ctx, const char *name,
                                                    tc_error *error)
{
    tc_library *library = shipped_library_open(ctx, name);
    tc_status status = tc_library_install(ctx, library, error);
    tc_library_close(library);
    return status;
}

static inline void shipped_library_install(tc_context *ctx, const char *name)
{
    tc_error error;
    must(shipped_library_try_install(ctx, name, &error), &error, name);
}

#endif
