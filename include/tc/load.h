/* How functions became callable in this process, and how long each stage took. For programs
 * that watch their first calls, and for measurements. */
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

/* The stages of a load, in their order. */
typedef enum tc_load_stage {
    TC_STAGE_WAIT = 0,      /* until a loader thread was free, and for other loads */
    TC_STAGE_LIBRARIES = 1, /* loading the libraries of the .deps list */
    TC_STAGE_CACHE = 2,     /* looking for a cached object, and reading it */
    TC_STAGE_PARSE = 3,     /* reading bitcode */
    TC_STAGE_VERIFY = 4,    /* checks of the module, LLVM's and the library's */
    TC_STAGE_PASSES = 5,    /* LLVM's optimisations */
    TC_STAGE_CODEGEN = 6,   /* LLVM's code generation */
    TC_STAGE_LINK = 7,      /* linking compiled code */
    TC_STAGE_IMAGE = 8,     /* placing and linking an image */
    TC_STAGE_EXECUTION = 9, /* the first invocation; 0 in reports of better code */
    TC_STAGE_COUNT = 10
} tc_load_stage;

#define TC_STAGE_MAX 16 /* space in reports; later versions may have more stages */

/* "wait", "libraries", ...; NULL for other values. Any thread. */
TC_API const char *tc_load_stage_name(tc_load_stage stage);

/* "image", "cached" or "jit"; NULL for other values. Any thread. */
TC_API const char *tc_load_path_name(tc_load_path path);

/* The library makes this struct; later versions may append fields. */
typedef struct tc_load_report {
    const char *name;  /* the function's name */
    const uint8_t *id; /* its content id, 16 bytes */
    tc_load_path path;
    unsigned best;                   /* 1: optimised for this CPU; 0: baseline code */
    unsigned better;                 /* 1: it replaced code that was in use */
    uint64_t seen_ns;                /* CLOCK_MONOTONIC when its message was found */
    uint64_t total_ns;               /* from there to the return of the first invocation */
    uint64_t stage_ns[TC_STAGE_MAX]; /* by tc_load_stage */
    uint64_t memory_bytes;           /* of code and data */
    const char *signer;              /* as tc_ifunc_signer */
} tc_load_report;

/* Sets a callback that the thread that progresses the context calls once for each function that
 * a message brought, when its first invocation has returned, and again when faster code
 * replaced it. The callback must not call the library. Pointers in the report are valid during
 * it. NULL: none. */
TC_API void tc_context_set_load_callback(
    tc_context *ctx, void (*callback)(void *user, const tc_load_report *report), void *user);

#ifdef __cplusplus
}
#endif
#endif
