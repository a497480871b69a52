/* Files of tc-send that are not functions: packages and libraries that travel. */
#ifndef SEND_CONTENT_H
#define SEND_CONTENT_H

#include <stdbool.h>
#include <stdint.h>
#include <tc/package.h>

/* The content that was brought or taken away. */
typedef struct send_content {
    char name[TC_LIBRARY_NAME_MAX];
    bool is_package;
    bool pushed;
    unsigned libraries;
    unsigned functions;
} send_content;

/* Returns whether the name ends in ".tcp". */
bool send_content_is_package(const char *path);

/* Puts the libraries of the file in force at the peer, and sends a package's functions ahead;
 * or takes the libraries out of force, those of a package from the last to the first. */
tc_status send_content_move(tc_ep *ep, const char *path, bool push, uint64_t timeout_ns,
                            send_content *content_out, tc_error *err);
/* Prints that it was done. */
void send_content_print(const send_content *content, double ms, bool json);

/* Opens a package for one of its functions, which stays open while the package does. */
tc_status send_content_function(tc_context *ctx, const char *path, const char *name,
                                tc_package **package_out, tc_ifunc **fn_out, tc_error *err);

#endif
