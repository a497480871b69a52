#include "node_packages.h"

#include <stdio.h>
#include <string.h>

/* Returns true for "libbank-local.so", and false for "bank.tcp". */
static bool is_library(const char *path)
{
    const char *end = strrchr(path, '.');
    return end != NULL && strcmp(end, ".so") == 0;
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
    fprintf(stderr, "tc-node: --package: %s\n", error.text);
    return false;
}

bool node_packages_open(tc_context *ctx, const node_arguments *args, node_packages *packages)
{
    for (unsigned i = 0; i < args->package_count; i++) {
        tc_package *package;
        tc_error error;
        const char *path = args->packages[i];
        tc_status status = is_library(path)
                               ? tc_package_use_local(ctx, path, &package, &error)
                               : tc_package_open(ctx, path, NULL, &package, &error);
        if (status == TC_OK) {
            packages->open[packages->count++] = package;
            status = tc_package_install(ctx, package, &error);
        }
        if (status != TC_OK) {
            fprintf(stderr, "tc-node: --package: %s\n", error.text);
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
