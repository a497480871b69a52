#include "send_content.h"

#include "tool_json.h"

#include <stdio.h>
#include <string.h>
#include <tc/endpoint.h>

bool send_content_is_package(const char *path)
{
    const char *end = strrchr(path, '.');
    return end != NULL && strcmp(end, ".tcp") == 0;
}

static void describe(const tc_package *package, send_content *content)
{
    (void)snprintf(content->name, sizeof content->name, "%s", tc_package_name(package));
    for (size_t i = 0; i < tc_package_count(package); i++) {
        if (tc_package_library(package, tc_package_number(package, i)) != NULL)
            content->libraries++;
        else
            content->functions++;
    }
}

/* Withdraws from the last to the first, as libraries come after those that they use. */
static tc_status withdraw_all(tc_ep *ep, const tc_package *package, uint64_t timeout_ns,
                              tc_error *err)
{
    tc_status status = TC_OK;
    for (size_t i = tc_package_count(package); i-- > 0 && status == TC_OK;) {
        tc_library *library = tc_package_library(package, tc_package_number(package, i));
        if (library != NULL)
            status = tc_library_withdraw(ep, library, timeout_ns, err);
    }
    return status;
}

static tc_status move_package(tc_ep *ep, const char *path, uint64_t timeout_ns,
                              send_content *content, tc_error *err)
{
    tc_package *package;
    tc_status status = tc_package_open(tc_ep_context(ep), path, NULL, &package, err);
    if (status != TC_OK)
        return status;
    describe(package, content);
    status = content->pushed ? tc_package_prepare(ep, package, timeout_ns, err)
                             : withdraw_all(ep, package, timeout_ns, err);
    tc_package_close(package);
    return status;
}

static tc_status move_library(tc_ep *ep, const char *path, uint64_t timeout_ns,
                              send_content *content, tc_error *err)
{
    tc_library *library;
    tc_status status =
        tc_library_open_code(tc_ep_context(ep), &(tc_code){.path = path}, &library, err);
    if (status != TC_OK)
        return status;
    content->libraries = 1;
    (void)snprintf(content->name, sizeof content->name, "%s", tc_library_name(library));
    status = content->pushed ? tc_library_push(ep, library, timeout_ns, err)
                             : tc_library_withdraw(ep, library, timeout_ns, err);
    tc_library_close(library);
    return status;
}

tc_status send_content_move(tc_ep *ep, const char *path, bool push, uint64_t timeout_ns,
                            send_content *content_out, tc_error *err)
{
    *content_out = (send_content){.is_package = send_content_is_package(path), .pushed = push};
    return content_out->is_package ? move_package(ep, path, timeout_ns, content_out, err)
                                   : move_library(ep, path, timeout_ns, content_out, err);
}

void send_content_print(const send_content *content, double ms, bool json)
{
    const char *kind = content->is_package ? "package" : "library";
    if (json) {
        putchar('{');
        tool_json_member(stdout, kind, content->name);
        printf(", \"libraries\": %u, \"functions\": %u, \"seconds\": %.6f}\n",
               content->libraries, content->pushed ? content->functions : 0, ms / 1e3);
    } else if (content->pushed) {
        printf("tc-send: the target has %s '%s' after %.3f ms\n", kind, content->name, ms);
    } else {
        printf("tc-send: %s '%s': libraries are withdrawn\n", kind, content->name);
    }
}

tc_status send_content_function(tc_context *ctx, const char *path, const char *name,
                                tc_package **package_out, tc_ifunc **fn_out, tc_error *err)
{
    tc_package *package;
    tc_status status = tc_package_open(ctx, path, NULL, &package, err);
    if (status != TC_OK)
        return status;
    *fn_out = tc_package_find(package, name);
    *package_out = package;
    if (*fn_out != NULL)
        return TC_OK;
    (void)snprintf(err->text, sizeof err->text, "%s: package %s has no function '%.64s'", path,
                   tc_package_name(package), name);
    err->status = TC_E_NOT_FOUND;
    tc_package_close(package);
    *package_out = NULL;
    return TC_E_NOT_FOUND;
}
