/* How functions become callable here, and what it took: for programs that watch their first
 * calls, and for measuring. */
#ifndef TC_LOAD_H
#define TC_LOAD_H

#include <tc/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the code came from. */
typedef enum tc_load_path {
    TC_LOAD_IMAGE = 0,  /* the archive's native image */
    TC_LOAD_CACHED = 1, /* an object that was compiled in an earlier process */
    TC_LOAD_JIT = 2     /* compiled now */
} tc_load_path;

/* The parts of a load, in their order. */
typedef enum tc_load_stage {
    TC_STAGE_WAIT = 0, /* until a loader's thread took it up, and for others it waited for */
    TC_STAGE_LIBRARIES = 1, /* those of the .deps list */
    TC_STAGE_CACHE = 2,     /* looking for a stored object, and reading it */
    TC_STAGE_PARSE = 3,
    TC_STAGE_VERIFY = 4, /* checks of the module, LLVM's and the library's */
    TC_STAGE_PASSES = 5,
    TC_STAGE_CODEGEN = 6,
    TC_STAGE_LINK = 7,
    TC_STAGE_IMAGE = 8,     /* placing and linking an image */
    TC_STAGE_EXECUTION = 9, /* the first call itself; not when better code came */
    TC_STAGE_COUNT = 10
} tc_load_stage;

#define TC_STAGE_MAX 16 /* space in reports: later versions may have more stages */

/* "wait", "libraries", ...; NULL beyond the last. */
TC_API const char *tc_load_stage_name(tc_load_stage stage);
/* "image", "cached", "jit". */
TC_API const char *tc_load_path_name(tc_load_path path);

typedef struct tc_load_report {
    const char *name;  /* the function's */
    const uint8_t *id; /* 16 bytes, see tc_ifunc_id */
    tc_load_path path;
    unsigned best;     /* 1: for this very CPU; 0: compiled quickly, or an image of any level */
    unsigned better;   /* 1: it replaced code that was being called */
    uint64_t seen_ns;  /* CLOCK_MONOTONIC: when the message with the function was found */
    uint64_t total_ns; /* from there to the return of the first call */
    uint64_t stage_ns[TC_STAGE_MAX];
    uint64_t memory_bytes; /* that code and data take */
} tc_load_report;

/* Called once for each function that a message brought, when its first call has returned, and
 * again when better code replaced it. By the thread that progresses the context; it must not
 * call the library. Pointers in the report are valid during the call. NULL: none. */
TC_API void tc_context_set_load_callback(
    tc_context *ctx, void (*callback)(void *user, const tc_load_report *report), void *user);

#ifdef __cplusplus
}
#endif
#endif
