/* Asks a node for its activity at each refresh, by the function tell_activity, which is part of
 * tc-info. A node that runs another function for long cannot answer. Then a second connection
 * learns its name, and the question is not repeated before that function has returned, so that
 * no questions pile up there. */
#include "info_watch.h"

#include "client_context.h"
#include "peer_silence.h"
#include "tool_clock.h"
#include "tool_help.h"
#include "watch_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <tc/advanced.h>
#include <tc/log.h>
#include <unistd.h>

#define NS_PER_S 1000000000ull
#define ANSWER_NS_MAX NS_PER_S /* for one answer; a shorter interval allows less */
#define ANSWER_NS_MIN (NS_PER_S / 5)
#define PREPARE_TRIES 10u

typedef struct watcher {
    const info_watch_params *params;
    tc_context *ctx;
    tc_ep *ep; /* NULL: lost */
    tc_ifunc *fn;
    watch_sample samples[2]; /* [current] is the newest */
    unsigned current;
    bool is_silent; /* the last question was not answered in time */
    watch_rates rates;
} watcher;

static watcher watching; /* too large for a stack */
static tc_status fail(tc_error *err, tc_status status, const char *format, ...) TC_PRINTF(3, 4);

static tc_status fail(tc_error *err, tc_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    err->status = status;
    (void)vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    return status;
}

/* --- asking ------------------------------------------------------------------------------- */

#ifdef INFO_HOLDINGS
extern const tc_embedded tell_activity_tca;

static tc_status open_function(watcher *w, tc_error *err)
{
    return tc_ifunc_open_embedded(w->ctx, &tell_activity_tca, &w->fn, err);
}
#else
static tc_status open_function(watcher *w, tc_error *err)
{
    (void)w;
    return fail(err, TC_E_UNSUPPORTED,
                "--watch: this tc-info was built without LLVM, which makes the function that "
                "asks");
}
#endif

static uint64_t patience(const watcher *w)
{
    const uint64_t ns = w->params->interval_ns;
    return ns < ANSWER_NS_MIN ? ANSWER_NS_MIN : ns > ANSWER_NS_MAX ? ANSWER_NS_MAX : ns;
}

static tc_status dial(watcher *w, uint64_t timeout_ns, tc_error *err)
{
    tc_ep_close(w->ep);
    w->ep = NULL;
    w->is_silent = false;
    w->samples[0].is_there = w->samples[1].is_there = false;
    return tc_ep_connect(w->ctx, w->params->peer, timeout_ns, &w->ep, err);
}

/* Waits until the node can call the function, which it may have to compile. */
static tc_status prepare(watcher *w, tc_error *err)
{
    char why[sizeof err->text];
    for (unsigned i = 0; i < PREPARE_TRIES && !client_context_is_over(); i++) {
        tc_status status = tc_ep_prepare(w->ep, w->fn, NS_PER_S, err);
        if (status != TC_E_TIMEOUT)
            return status;
        w->is_silent = peer_silence_ask(w->ctx, w->params->peer, why, sizeof why);
        if (w->is_silent)
            return TC_OK;
    }
    return TC_OK; /* the first question finds that out */
}

/* Reads the node's report into the older sample, which is the current one then. */
static tc_status ask(watcher *w, uint64_t *ns_out, tc_error *err)
{
    watch_sample *sample = &w->samples[1 - w->current];
    char why[200];
    size_t size = NODE_ACTIVITY_BYTES_MAX;
    const uint64_t begun_ns = tool_clock_ns();
    sample->is_there = false;
    tc_status status = tc_call(w->ep, w->fn, NULL, 0, sample->bytes, &size, patience(w), err);
    *ns_out = tool_clock_ns() - begun_ns;
    if (status != TC_OK)
        return status;
    if (!node_activity_read(sample->bytes, size, &sample->activity, why, sizeof why))
        return fail(err, TC_E_CORRUPT, "--watch: %s", why);
    sample->is_there = true;
    w->current = 1 - w->current;
    return TC_OK;
}

/* Asks a node that did not answer why; TC_OK: it answers again. */
static tc_status ask_silent(watcher *w, tc_error *err)
{
    char why[sizeof err->text];
    if (!peer_silence_ask(w->ctx, w->params->peer, why, sizeof why)) {
        w->is_silent = false;
        return TC_OK;
    }
    return fail(err, TC_E_TIMEOUT, "%s", why);
}

static tc_status take_report(watcher *w, uint64_t *ns_out, tc_error *err)
{
    if (w->ep == NULL || tc_ep_error(w->ep, err) != TC_OK) {
        tc_status status = dial(w, patience(w), err);
        if (status != TC_OK)
            return status;
    }
    if (w->is_silent) {
        tc_status status = ask_silent(w, err);
        if (status != TC_OK)
            return status;
    }
    tc_status status = ask(w, ns_out, err);
    if (status != TC_E_TIMEOUT || client_context_is_over())
        return status;
    w->is_silent = true;
    char why[sizeof err->text];
    if (peer_silence_ask(w->ctx, w->params->peer, why, sizeof why))
        (void)fail(err, TC_E_TIMEOUT, "%s", why);
    return status;
}

/* --- showing ------------------------------------------------------------------------------ */

/* Writes over the last refresh: from the upper left corner, each line to its end, and nothing
 * below. */
static void put_on_screen(const char *text)
{
    fputs("\x1b[H", stdout);
    for (; *text != '\0'; text++) {
        if (*text == '\n')
            fputs("\x1b[K", stdout);
        putchar(*text);
    }
    fputs("\x1b[J", stdout);
}

/* Returns whether standard output is a screen, and its size. */
static bool is_screen(watch_report *report)
{
    const char *term = getenv("TERM");
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
        return false;
    report->columns = size.ws_col;
    if (term == NULL || strcmp(term, "dumb") == 0)
        return false;
    report->lines = size.ws_row - 1u; /* the cursor's own is left */
    return true;
}

static void show_text(const watch_report *given, bool is_first)
{
    watch_report report = *given;
    char *text = NULL;
    size_t size = 0;
    const bool on_screen = is_screen(&report);
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return;
    watch_report_text(out, &report);
    if (fclose(out) == 0 && on_screen)
        put_on_screen(text);
    else if (text != NULL)
        printf("%s%s", is_first ? "" : "\n", text);
    free(text);
}

static void show(watcher *w, const watch_report *report, bool is_first)
{
    if (w->params->json)
        watch_report_json(stdout, report);
    else
        show_text(report, is_first);
    (void)fflush(stdout);
}

/* Returns whether the node may answer at a later refresh. */
static bool may_pass(tc_status status)
{
    return status == TC_OK || status == TC_E_TIMEOUT || status == TC_E_PEER_LOST ||
           status == TC_E_CLOSED || status == TC_E_UNREACHABLE;
}

static tc_status refresh(watcher *w, bool is_first, tc_error *err)
{
    uint64_t ns = 0;
    tc_status status = take_report(w, &ns, err);
    watch_report report = {.peer = w->params->peer, .now = err->text};
    if (client_context_is_over())
        return TC_OK;
    if (!may_pass(status))
        return status;
    if (status == TC_OK) {
        watch_rates_compute(&w->samples[1 - w->current], &w->samples[w->current], &w->rates);
        report.rates = &w->rates;
        report.sample = &w->samples[w->current];
        report.answer_us = (double)ns / 1e3;
        report.now = NULL;
    }
    show(w, &report, is_first);
    return w->is_silent ? TC_OK : status;
}

/* --- the loop ----------------------------------------------------------------------------- */

static tc_status watch(watcher *w, tc_error *err)
{
    const uint64_t count = w->params->refreshes > 0 ? w->params->refreshes : UINT64_MAX;
    uint64_t next_ns = tool_clock_ns(), now;
    tc_status status = TC_OK;
    for (uint64_t i = 0; i < count && !client_context_is_over() && may_pass(status); i++) {
        status = refresh(w, i == 0, err);
        next_ns += w->params->interval_ns;
        if (next_ns < tool_clock_ns())
            next_ns = tool_clock_ns(); /* late ones are not made up for */
        while (i + 1 < count && !client_context_is_over() && (now = tool_clock_ns()) < next_ns)
            (void)tc_wait(w->ctx, next_ns - now);
    }
    return status;
}

static tc_status connect_and_watch(watcher *w, tc_error *err)
{
    tc_status status = open_function(w, err);
    if (status != TC_OK)
        return status;
    status = dial(w, 0, err);
    if (status == TC_OK)
        status = prepare(w, err);
    if (getenv("TC_LOG_LEVEL") == NULL)
        tc_log_set_level(TC_LOG_ERROR); /* each of its warnings is a reason that is shown */
    if (status == TC_OK)
        status = watch(w, err);
    tc_ep_close(w->ep);
    tc_ifunc_close(w->fn);
    return status;
}

tc_status info_watch(const info_watch_params *params, tc_error *err)
{
    watcher *w = &watching;
    w->params = params;
    w->samples[0].bytes = malloc(NODE_ACTIVITY_BYTES_MAX);
    w->samples[1].bytes = malloc(NODE_ACTIVITY_BYTES_MAX);
    tc_status status = w->samples[0].bytes != NULL && w->samples[1].bytes != NULL
                           ? tc_context_create(NULL, &w->ctx, err)
                           : fail(err, TC_E_NO_MEMORY, "--watch: out of memory");
    if (status == TC_OK) {
        client_context_catch_signals(w->ctx);
        status = connect_and_watch(w, err);
        client_context_release_signals();
        tc_context_destroy(w->ctx);
    }
    free(w->samples[0].bytes);
    free(w->samples[1].bytes);
    return status;
}
