/* A node that has Julia in its process: functions that arrive may use all of it (`@ifunc
 * runtime=true`).
 *   JULIA_BINDIR=FOLDER julia_node PORT_FILE
 * FOLDER is the one of Julia's program; without it libjulia looks beside itself. Listens on
 * loopback until SIGINT or SIGTERM. */
#include <julia.h>
#include <stdio.h>
#include <stdlib.h>

#include <tc/context.h>

static int serve(const char *port_file)
{
    tc_context *ctx = NULL;
    tc_listener *listener;
    tc_error err;
    FILE *file;
    if (tc_context_create(NULL, &ctx, &err) != TC_OK ||
        tc_listener_open(ctx, "127.0.0.1:0", &listener, &err) != TC_OK) {
        fprintf(stderr, "julia_node: %s\n", err.text);
        tc_context_destroy(ctx);
        return EXIT_FAILURE;
    }
    file = fopen(port_file, "w");
    if (file != NULL) {
        fprintf(file, "%d\n", tc_listener_port(listener));
        fclose(file);
        (void)tc_serve_until_signal(ctx, NULL);
    }
    tc_context_destroy(ctx);
    return file != NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    const char *bindir;
    int status;
    if (argc != 2) {
        fprintf(stderr, "usage: julia_node PORT_FILE\n");
        return 2;
    }
    /* Julia's own handlers would end the process at once. */
    jl_options.handle_signals = JL_OPTIONS_HANDLE_SIGNALS_OFF;
    bindir = getenv("JULIA_BINDIR");
    if (bindir != NULL)
        jl_init_with_image(bindir, jl_get_default_sysimg_path());
    else
        jl_init();
    status = serve(argv[1]);
    jl_atexit_hook(status);
    return status;
}
