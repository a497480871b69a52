#include "node_packages.h"

#include "node_say.h"

#include "oci_reader.h"
#include "oci_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns true for "libbank-local.so", and false for "bank.tcp". */
static bool is_library(const char *path)
{
    const char *end = strrchr(path, '.');
    return end != NULL && strcmp(end, ".so") == 0;
}

static bool is_oci(const char *path)
{
    return strncmp(path, OCI_PREFIX, strlen(OCI_PREFIX)) == 0;
}

static tc_status open_oci(tc_context *ctx, const char *reference, tc_package **package,
                          tc_error *error)
{
    tc_code code = {.bytes = NULL};
    void *bytes;
    tc_status status = oci_reader_read(reference, &bytes, &code.size, error);
    if (status != TC_OK)
        return status;
    code.bytes = bytes;
    status = tc_package_open_code(ctx, &code, package, error);
    free(bytes);
    return status;
}

static tc_status open_one(tc_context *ctx, const char *path, tc_package **package,
                          tc_error *error)
{
    if (is_oci(path))
        return open_oci(ctx, path + strlen(OCI_PREFIX), package, error);
    return is_library(path) ? tc_package_use_local(ctx, path, package, error)
                            : tc_package_open(ctx, path, NULL, package, error);
}

static bool publish(tc_context *ctx, node_packages *packages)
{
    tc_error error;
    for (unsigned i = 0; i < packages->count; i++) {
        node_holdings_package *p = &packages->published[i];
        (void)snprintf(p->name, sizeof p->name, "%s", tc_package_name(packages->open[i]));
        tc_package_id(packages->open[i], p->id);
        p->elements = tc_package_count(packages->open[i]);
    }
    if (packages->count == 0 ||
        tc_context_publish(ctx, NODE_HOLDINGS_PACKAGES, packages->published,
                           packages->count * sizeof *packages->published, &error) == TC_OK)
        return true;
    node_say(NODE_ERROR, "--package: %s", error.text);
    return false;
}

bool node_packages_open(tc_context *ctx, const node_arguments *args, node_packages *packages)
{
    for (unsigned i = 0; i < args->package_count; i++) {
        tc_package *package;
        tc_error error;
        tc_status status = open_one(ctx, args->packages[i], &package, &error);
        if (status == TC_OK) {
            packages->open[packages->count++] = package;
            status = tc_package_install(ctx, package, &error);
        }
        if (status != TC_OK) {
            node_say(NODE_ERROR, "--package: %s", error.text);
            return false;
        }
    }
    return publish(ctx, packages);
}

void node_packages_close(node_packages *packages)
{
    while (packages->count > 0)
        tc_package_close(packages->open[--packages->count]);
}
