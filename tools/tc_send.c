/* Sends a function to a target, once or many times. */
#include "tool_number.h"

#include <tc/endpoint.h>
#include <tc/ifunc.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PAYLOAD_BYTES_MAX (64u << 20)
#define PROGRESS_INTERVAL_NS 250000000ull
#define NS_PER_S 1000000000ull

typedef struct arguments {
    const char *target;
    const char *archive;
    const char *payload_file; /* NULL: none */
    const char *text;         /* NULL: none */
    uint64_t count;
    uint64_t timeout_ns;
    int uncached;
    int prepare;
    int quiet;
} arguments;

typedef struct payload {
    char *bytes;
    size_t size;
} payload;

static const char usage[] =
    "usage: tc-send HOST:PORT FUNCTION.tca [--payload FILE | --text TEXT] [options]\n"
    "\n"
    "Sends a function with a payload and waits until the target has run it.\n"
    "\n"
    "  -p, --payload FILE   the source arguments are this file's bytes ('-': standard input)\n"
    "  -t, --text TEXT      the source arguments are this text, without a terminator\n"
    "  -c, --count N        send it N times (default 1)\n"
    "      --uncached       send the code with every message\n"
    "      --prepare        only send the code ahead, and wait until the target can call it;\n"
    "                       messages that follow, by whomever, find it ready\n"
    "      --timeout S      give up after S seconds without progress (default 30)\n"
    "  -q, --quiet          print nothing but errors\n"
    "  -h, --help           this text\n"
    "\n"
    "Options of the library: environment variables TC_*, see tc-info --options.\n"
    "Exit status: 0 only when every message was run; 1 when not; 2 for wrong arguments.\n";

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* What is no option: the target and the function. */
static int parse_rest(int argc, char **argv, arguments *args)
{
    int payloads = (args->payload_file != NULL) + (args->text != NULL);
    if (argc - optind != 2 || payloads + args->prepare > 1) {
        fputs(usage, stderr);
        return 2;
    }
    args->target = argv[optind];
    args->archive = argv[optind + 1];
    return 0;
}

static int parse(int argc, char **argv, arguments *args)
{
    enum { UNCACHED = 256, PREPARE, TIMEOUT };
    static const struct option options[] = {{"payload", required_argument, NULL, 'p'},
                                            {"text", required_argument, NULL, 't'},
                                            {"count", required_argument, NULL, 'c'},
                                            {"uncached", no_argument, NULL, UNCACHED},
                                            {"prepare", no_argument, NULL, PREPARE},
                                            {"timeout", required_argument, NULL, TIMEOUT},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    uint64_t seconds = 30;
    *args = (arguments){.count = 1};
    for (int c; (c = getopt_long(argc, argv, "p:t:c:qh", options, NULL)) != -1;) {
        switch (c) {
        case 'p':
            args->payload_file = optarg;
            break;
        case 't':
            args->text = optarg;
            break;
        case 'c':
            if (!tool_number("tc-send", "--count", optarg, 1, UINT64_MAX, &args->count))
                return 2;
            break;
        case UNCACHED:
            args->uncached = 1;
            break;
        case PREPARE:
            args->prepare = 1;
            break;
        case TIMEOUT:
            if (!tool_number("tc-send", "--timeout", optarg, 1, 86400, &seconds))
                return 2;
            break;
        case 'q':
            args->quiet = 1;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            fputs(usage, stderr);
            return 2;
        }
    }
    args->timeout_ns = seconds * NS_PER_S;
    return parse_rest(argc, argv, args);
}

static int read_payload_file(const char *path, payload *out)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "tc-send: %s: %s\n", path, strerror(errno));
        return 0;
    }
    size_t room = 0;
    for (;;) {
        if (out->size == room) {
            room = room == 0 ? 65536 : 2 * room;
            char *bytes = room <= PAYLOAD_BYTES_MAX ? realloc(out->bytes, room) : NULL;
            if (bytes == NULL) {
                fprintf(stderr, "tc-send: %s: more than %u bytes\n", path, PAYLOAD_BYTES_MAX);
                break;
            }
            out->bytes = bytes;
        }
        size_t n = fread(out->bytes + out->size, 1, room - out->size, file);
        out->size += n;
        if (n == 0)
            break;
    }
    int ok = feof(file) && !ferror(file);
    if (file != stdin)
        fclose(file);
    return ok;
}

static int load_payload(const arguments *args, payload *out)
{
    *out = (payload){NULL, 0};
    if (args->payload_file != NULL)
        return read_payload_file(args->payload_file, out);
    if (args->text == NULL)
        return 1;
    out->size = strlen(args->text);
    out->bytes = strdup(args->text);
    return out->bytes != NULL;
}

static void show_progress(const arguments *args, uint64_t sent, uint64_t *next_ns)
{
    uint64_t now = now_ns();
    if (now < *next_ns)
        return;
    fprintf(stderr, "\rtc-send: %" PRIu64 " of %" PRIu64 " messages sent (%.0f %%) ", sent,
            args->count, 100.0 * (double)sent / (double)args->count);
    *next_ns = now + PROGRESS_INTERVAL_NS;
}

static tc_status send_one(tc_ep *ep, tc_ifunc *fn, const arguments *args, const payload *p)
{
    tc_context *ctx = tc_ep_context(ep);
    uint64_t deadline_ns = 0;
    tc_status status;
    for (;;) {
        status = args->uncached ? tc_send_uncached(ep, fn, p->bytes, p->size)
                                : tc_send(ep, fn, p->bytes, p->size);
        if (status != TC_E_AGAIN)
            return status;
        if (tc_progress(ctx) > 0 || deadline_ns == 0)
            deadline_ns = now_ns() + args->timeout_ns;
        else if (now_ns() > deadline_ns)
            return TC_E_TIMEOUT;
    }
}

static void report_too_large(const tc_ep *ep, const char *archive)
{
    tc_ep_info info;
    tc_ep_query(ep, &info);
    fprintf(stderr,
            "tc-send: %s: the payload is too large: this target takes at most %zu bytes\n",
            archive, info.payload_max);
}

/* What became of it, in the words of whoever decided it. A target may end right after the last
 * message, so what the flush said counts, and not how the endpoint is now. */
static int report(tc_ep *ep, const char *archive, tc_status status)
{
    tc_error error = {.status = TC_OK};
    if (tc_ep_refusal(ep, &error) > 0)
        fprintf(stderr, "tc-send: %s: refused by the target: %s\n", archive, error.text);
    else if (status == TC_OK)
        return 0;
    else if (tc_ep_error(ep, &error) != TC_OK)
        fprintf(stderr, "tc-send: %s\n", error.text);
    else if (status == TC_E_TOO_LARGE)
        report_too_large(ep, archive);
    else
        fprintf(stderr, "tc-send: %s: %s\n", archive, tc_status_text(status));
    return 1;
}

static int send_all(tc_ep *ep, tc_ifunc *fn, const arguments *args, const payload *p)
{
    uint64_t started_ns = now_ns(), next_ns = started_ns + PROGRESS_INTERVAL_NS;
    int show = !args->quiet && isatty(STDERR_FILENO);
    tc_status status = TC_OK;
    uint64_t sent = 0;
    for (; sent < args->count && status == TC_OK; sent += status == TC_OK) {
        status = send_one(ep, fn, args, p);
        if (show && sent % 1024 == 0)
            show_progress(args, sent, &next_ns);
    }
    if (status == TC_OK)
        status = tc_ep_flush(ep, args->timeout_ns);
    double seconds = (double)(now_ns() - started_ns) / (double)NS_PER_S;
    if (show && next_ns != started_ns + PROGRESS_INTERVAL_NS)
        fputc('\n', stderr);
    if (report(ep, args->archive, status) != 0)
        return 1;
    if (!args->quiet)
        printf("tc-send: %" PRIu64 " messages of '%s' run in %.3f ms (%.0f messages/s)\n", sent,
               tc_ifunc_name(fn), seconds * 1e3, (double)sent / seconds);
    return 0;
}

static int prepare(tc_ep *ep, tc_ifunc *fn, const arguments *args)
{
    tc_error error = {.status = TC_OK};
    uint64_t started_ns = now_ns();
    tc_status status = tc_ep_prepare(ep, fn, args->timeout_ns, &error);
    if (status != TC_OK) {
        fprintf(stderr, "tc-send: %s: %s%s\n", args->archive,
                status == TC_E_REFUSED ? "refused by the target: " : "", error.text);
        return 1;
    }
    if (!args->quiet)
        printf("tc-send: the target can call '%s' after %.3f ms\n", tc_ifunc_name(fn),
               (double)(now_ns() - started_ns) / 1e6);
    return 0;
}

static int connect_and_send(tc_context *ctx, const arguments *args, const payload *p)
{
    tc_error error;
    tc_ifunc *fn;
    tc_ep *ep;
    if (tc_ifunc_open_file(ctx, args->archive, &fn, &error) != TC_OK ||
        tc_ep_connect(ctx, args->target, 0, &ep, &error) != TC_OK) {
        fprintf(stderr, "tc-send: %s\n", error.text);
        return 1;
    }
    int result = args->prepare ? prepare(ep, fn, args) : send_all(ep, fn, args, p);
    tc_ep_close(ep);
    tc_ifunc_close(fn);
    return result;
}

/* What was flushed needs no time to close, and what could not be flushed in time gets no more.
 */
static tc_status create_context(tc_context **ctx_out, tc_error *err)
{
    tc_options *options;
    tc_status status = tc_options_create(&options, err);
    if (status != TC_OK)
        return status;
    status = tc_options_set(options, "close_timeout", "0", err);
    if (status == TC_OK)
        status = tc_context_create(options, ctx_out, err);
    tc_options_destroy(options);
    return status;
}

int main(int argc, char **argv)
{
    arguments args;
    payload p;
    tc_context *ctx;
    tc_error error;
    int result = parse(argc, argv, &args);
    if (result != 0)
        return result;
    if (!load_payload(&args, &p))
        return 1;
    if (create_context(&ctx, &error) == TC_OK) {
        result = connect_and_send(ctx, &args, &p);
        tc_context_destroy(ctx);
    } else {
        fprintf(stderr, "tc-send: %s\n", error.text);
        result = 1;
    }
    free(p.bytes);
    return result;
}
