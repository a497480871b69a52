/* The version of the headers, and a description of the running library and this machine. */
#ifndef TC_VERSION_H
#define TC_VERSION_H

#include <tc/abi.h>
#include <tc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TC_VERSION_MAJOR 0
#define TC_VERSION_MINOR 1
#define TC_VERSION_PATCH 0
#define TC_VERSION_STRING "0.1.0"
/* For comparisons: 0x000100 is 0.1.0. */
#define TC_VERSION_NUMBER                                                                      \
    (TC_VERSION_MAJOR * 0x10000u + TC_VERSION_MINOR * 0x100u + TC_VERSION_PATCH)

/* Peers with another protocol version refuse each other. */
#define TC_PROTOCOL_VERSION 3

typedef struct tc_version_info {
    const char *library;  /* "0.1.0" */
    unsigned protocol;    /* TC_PROTOCOL_VERSION of the running library */
    const char *ucx;      /* "1.13.1", of the UCX that is loaded; or "none" */
    const char *llvm;     /* "19.1.7", or "none" if no code engine can be loaded */
    const char *triple;   /* normalised: "x86_64-linux" */
    const char *cpu;      /* LLVM's name of this CPU; without LLVM its level: "x86-64-v3" */
    const char *features; /* LLVM's feature string of this CPU, or "" */
} tc_version_info;

/* Reports the versions of the running library and its parts, and this CPU. The pointers are to
 * constants of the process. The first call loads the code engine, which takes about 10 ms. Any
 * thread, once the first call has returned. */
static inline void tc_version_query(tc_version_info *info_out)
{
    tc_version_query_sized(info_out, sizeof *info_out);
}

#ifdef __cplusplus
}
#endif
#endif
