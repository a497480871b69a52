#include "node_packages.h"

#include <stdio.h>
#include <string.h>

/* "libbank-local.so", and not "bank.tcp". */
static bool is_library(const char *path)
{
    const char *end = strrchr(path, '.');
    return end != NULL && strcmp(end, ".so") == 0;
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
    return true;
}

void node_packages_close(node_packages *packages)
{
    while (packages->count > 0)
        tc_package_close(packages->open[--packages->count]);
}
