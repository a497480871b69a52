/* Serves peers from an event loop of its own, beside other events: here the signals that end
 * it.
 *     event_loop HOST:PORT */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <tc/advanced.h>
#include <tc/tc.h>
#include <unistd.h>

/* A descriptor that is readable when the program is to end. Called before there are threads:
 * the library's inherit that these signals are blocked. */
static int open_signals(void)
{
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    if (sigprocmask(SIG_BLOCK, &ending, NULL) != 0)
        return -1;
    return signalfd(-1, &ending, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* Until when poll may sleep, in milliseconds, though no descriptor becomes readable. */
static int sleep_ms(tc_context *ctx)
{
    switch (tc_context_arm(ctx)) {
    case TC_OK: /* peers wake us; deadlines and dead peers are looked after once a second */
        return 1000;
    case TC_E_UNSUPPORTED: /* some peer cannot */
        return 1;
    default: /* something has come since tc_progress */
        return 0;
    }
}

/* Returns the signal that has ended it. */
static unsigned run_until_signal(tc_context *ctx, int signals, unsigned *turns_out)
{
    struct pollfd events[] = {{.fd = tc_context_fd(ctx), .events = POLLIN},
                              {.fd = signals, .events = POLLIN}};
    struct signalfd_siginfo info;
    for (*turns_out = 1;; ++*turns_out) {
        tc_progress(ctx);
        poll(events, 2, sleep_ms(ctx)); /* an error is one more turn */
        if (read(signals, &info, sizeof info) == sizeof info)
            return info.ssi_signo;
    }
}

int main(int argc, char **argv)
{
    tc_context *ctx = NULL;
    tc_listener *listener;
    tc_error err;
    tc_status status;
    unsigned notes = 0, turns, number;
    int signals = open_signals();
    if (argc != 2 || signals < 0) {
        fprintf(stderr, "usage: event_loop HOST:PORT\n");
        return 2;
    }
    if ((status = tc_context_create(NULL, &ctx, &err)) != TC_OK ||
        (status = tc_listener_open(ctx, argv[1], &listener, &err)) != TC_OK) {
        fprintf(stderr, "event_loop: %s\n", err.text);
    } else {
        tc_context_set_target_args(ctx, &notes);
        printf("event_loop: listening at port %u\n", tc_listener_port(listener));
        fflush(stdout);
        number = run_until_signal(ctx, signals, &turns);
        printf("event_loop: signal %u after %u notes, %u turns\n", number, notes, turns);
    }
    tc_context_destroy(ctx);
    close(signals);
    return status != TC_OK;
}
