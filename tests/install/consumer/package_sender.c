/* Opens the package that its header was made with, sends nothing. */
#include "greetings.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    tc_context *ctx;
    tc_package *package;
    tc_error err;
    if (argc != 3)
        return 2;
    if (tc_context_create(NULL, &ctx, &err) != TC_OK ||
        greetings_package_open(ctx, argv[1], &package, &err) != TC_OK ||
        tc_package_use_local(ctx, argv[2], &package, &err) != TC_OK) {
        fprintf(stderr, "package_sender: %s\n", err.text);
        return 1;
    }
    printf("%s, %s\n", tc_package_name(package),
           tc_ifunc_name(tc_package_ifunc(package, greetings_id_hail)));
    tc_package_close(package);
    tc_context_destroy(ctx);
    return 0;
}
