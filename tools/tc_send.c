/* Sends a function to a target, once or many times; brings it packages and libraries. */
#include "client_context.h"
#include "send_content.h"
#include "send_payload.h"
#include "tool_clock.h"
#include "tool_json.h"
#include "tool_options.h"
#include "tool_status.h"

#include <tc/advanced.h>
#include <tc/call.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>

#include <getopt.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_INTERVAL_NS 250000000ull
#define NS_PER_S 1000000000ull
#define TIMEOUT_S 30u

typedef struct arguments {
    const char *target;
    const char *archive;
    const char *payload_file; /* NULL: none */
    const char *text;         /* NULL: none */
    uint64_t count;
    uint64_t timeout_s;
    uint64_t timeout_ns;
    uint64_t connect_timeout_ns; /* 0: the library's default */
    bool uncached;
    bool prepare;
    bool push;
    bool withdraw;
    const char *function; /* of a package; NULL: the file is a function's */
    bool call;
    bool quiet;
    bool json;
} arguments;

#define AT(member) offsetof(arguments, member)

static const tool_option rows[] = {
    {.name = "payload",
     .letter = 'p',
     .kind = TOOL_TEXT,
     .value = "FILE",
     .offset = AT(payload_file),
     .help = "the source arguments are this file's bytes ('-': standard input)"},
    {.name = "text",
     .letter = 't',
     .kind = TOOL_BYTES,
     .value = "TEXT",
     .offset = AT(text),
     .help = "the source arguments are this text, without a terminator"},
    {.name = "count",
     .letter = 'c',
     .kind = TOOL_NUMBER,
     .value = "N",
     .offset = AT(count),
     .min = 1,
     .max = UINT64_MAX,
     .help = "send it N times (default 1)"},
    {.name = "uncached", .offset = AT(uncached), .help = "send the code with every message"},
    {.name = "prepare",
     .offset = AT(prepare),
     .help = "only send the code ahead, and wait until the target can call it; messages that "
             "follow, by whomever, find it ready"},
    {.name = "function",
     .kind = TOOL_TEXT,
     .value = "NAME",
     .offset = AT(function),
     .help = "the file is a package (.tcp), and this function of it is sent"},
    {.name = "push",
     .offset = AT(push),
     .help = "bring a package, or a library that travels, and put it in force there"},
    {.name = "withdraw", .offset = AT(withdraw), .help = "take its libraries out of force"},
    {.name = "call",
     .offset = AT(call),
     .help = "write to standard output what the function answers, and nothing else"},
    {.name = "timeout",
     .kind = TOOL_NUMBER,
     .value = "S",
     .offset = AT(timeout_s),
     .min = 1,
     .max = 86400,
     .help = "give up after S seconds without progress (default 30, to connect 10)"},
    {.name = "json",
     .letter = 'j',
     .offset = AT(json),
     .help = "what was done as one JSON object, with --call the answers too"},
    {.name = "quiet", .letter = 'q', .offset = AT(quiet), .help = "print nothing but errors"},
};

static const tool_command command = {
    .name = "tc-send",
    .usage = "HOST:PORT FILE [--payload FILE | --text TEXT] [options]",
    .about = "Sends a function with a payload and waits until the target has run it.\n",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .notes =
        "Options of the library: environment variables TC_*, see tc-info --options.\n"
        "Exit status: 0 only when every message was run; 1 when not; 2 for wrong arguments; 3 "
        "when the\ntarget cannot be reached or was lost; 4 when it refused the function.\n",
    .rest_min = 2,
    .rest_max = 2,
};

/* Checks that the kind of the file fits the request. */
static int check_file(const arguments *args)
{
    if (args->push || args->withdraw)
        return args->function == NULL
                   ? TOOL_GO_ON
                   : tool_options_misused(&command, "--function is not for --push, --withdraw");
    if (send_content_is_package(args->archive) == (args->function != NULL))
        return TOOL_GO_ON;
    return tool_options_misused(&command, args->function != NULL
                                              ? "--function is for a package, NAME.tcp"
                                              : "of a package expected --function or --push");
}

static int parse(int argc, char **argv, arguments *args)
{
    *args = (arguments){.count = 1};
    int result = tool_options_parse(&command, argc, argv, args);
    if (result != TOOL_GO_ON)
        return result;
    if ((args->payload_file != NULL) + (args->text != NULL) + args->prepare > 1)
        return tool_options_misused(&command,
                                    "expected one of --payload, --text and --prepare at most");
    if (args->call + args->prepare + args->uncached + args->push + args->withdraw > 1)
        return tool_options_misused(&command, "expected one of --call, --prepare, --uncached, "
                                              "--push and --withdraw at most");
    if (args->json && args->quiet)
        return tool_options_misused(&command, "expected one of --json and --quiet at most");
    args->target = argv[optind];
    args->archive = argv[optind + 1];
    args->timeout_ns = (args->timeout_s > 0 ? args->timeout_s : TIMEOUT_S) * NS_PER_S;
    args->connect_timeout_ns = args->timeout_s * NS_PER_S;
    return check_file(args);
}

static void show_progress(const arguments *args, uint64_t sent, uint64_t *next_ns)
{
    uint64_t now = tool_clock_ns();
    if (now < *next_ns)
        return;
    fprintf(stderr, "\rtc-send: %" PRIu64 " of %" PRIu64 " messages sent (%.0f %%) ", sent,
            args->count, 100.0 * (double)sent / (double)args->count);
    *next_ns = now + PROGRESS_INTERVAL_NS;
}

static tc_status send_one(tc_ep *ep, tc_ifunc *fn, const arguments *args, const send_payload *p,
                          tc_error *err)
{
    tc_context *ctx = tc_ep_context(ep);
    uint64_t deadline_ns = 0;
    tc_status status;
    for (;;) {
        status = args->uncached ? tc_send_uncached(ep, fn, p->bytes, p->size)
                                : tc_send(ep, fn, p->bytes, p->size);
        if (status == TC_OK)
            return status;
        if (status != TC_E_AGAIN)
            return tc_send_error(ctx, err);
        if (tc_progress(ctx) > 0 || deadline_ns == 0)
            deadline_ns = tool_clock_ns() + args->timeout_ns;
        else if (tool_clock_ns() > deadline_ns)
            break;
    }
    (void)snprintf(err->text, sizeof err->text, "the target has freed no capacity in time");
    return TC_E_TIMEOUT;
}

/* Reports the outcome, in the words of its source. A target may end right after the last
 * message, so the flush's status counts, and not the endpoint's present state. */
static int report(tc_ep *ep, const char *archive, tc_status status, tc_error *err)
{
    if (tc_ep_refusal(ep, err) > 0) {
        fprintf(stderr, "tc-send: %s: refused by the target: %s\n", archive, err->text);
        return TOOL_REFUSED;
    }
    if (status == TC_OK)
        return TOOL_OK;
    if (tc_ep_error(ep, err) != TC_OK) {
        fprintf(stderr, "tc-send: %s\n", err->text);
        return tool_status_of(err->status);
    }
    fprintf(stderr, "tc-send: %s: %s\n", archive, err->text);
    return tool_status_of(status);
}

/* `answers` are strings with commas; NULL if no answers were requested. */
static void print_json(const tc_ifunc *fn, uint64_t messages, uint64_t since_ns,
                       const char *answers)
{
    putchar('{');
    tool_json_member(stdout, "function", tc_ifunc_name(fn));
    printf(", \"messages\": %" PRIu64 ", \"seconds\": %.6f", messages,
           (double)(tool_clock_ns() - since_ns) / (double)NS_PER_S);
    if (answers != NULL)
        printf(", \"answers\": [%s]", answers);
    puts("}");
}

static int send_all(tc_ep *ep, tc_ifunc *fn, const arguments *args, const send_payload *p)
{
    uint64_t started_ns = tool_clock_ns(), next_ns = started_ns + PROGRESS_INTERVAL_NS;
    int show = !args->quiet && isatty(STDERR_FILENO);
    tc_status status = TC_OK;
    tc_error error;
    uint64_t sent = 0;
    for (; sent < args->count && status == TC_OK; sent += status == TC_OK) {
        status = send_one(ep, fn, args, p, &error);
        if (show && sent % 1024 == 0)
            show_progress(args, sent, &next_ns);
    }
    if (status == TC_OK)
        status = tc_ep_flush(ep, args->timeout_ns, &error);
    double seconds = (double)(tool_clock_ns() - started_ns) / (double)NS_PER_S;
    if (show && next_ns != started_ns + PROGRESS_INTERVAL_NS)
        fputc('\n', stderr);
    int result = report(ep, args->archive, status, &error);
    if (result != TOOL_OK)
        return result;
    if (args->json)
        print_json(fn, sent, started_ns, NULL);
    else if (!args->quiet)
        printf("tc-send: %" PRIu64 " messages of '%s' run in %.3f ms (%.0f messages/s)\n", sent,
               tc_ifunc_name(fn), seconds * 1e3, (double)sent / seconds);
    return 0;
}

static int prepare(tc_ep *ep, tc_ifunc *fn, const arguments *args)
{
    tc_error error = {.status = TC_OK};
    uint64_t started_ns = tool_clock_ns();
    tc_status status = tc_ep_prepare(ep, fn, args->timeout_ns, &error);
    if (status != TC_OK) {
        fprintf(stderr, "tc-send: %s: %s%s\n", args->archive,
                status == TC_E_REFUSED ? "refused by the target: " : "", error.text);
        return tool_status_of(status);
    }
    if (args->json)
        print_json(fn, 0, started_ns, NULL);
    else if (!args->quiet)
        printf("tc-send: the target can call '%s' after %.3f ms\n", tc_ifunc_name(fn),
               (double)(tool_clock_ns() - started_ns) / 1e6);
    return TOOL_OK;
}

/* A call that the target did not run ends with the refusal's own status, such as
 * TC_E_UNRESOLVED, which a function may answer with, too. Only the endpoint can distinguish a
 * refusal, at the latest when it is flushed. */
static int failed_call(tc_ep *ep, const arguments *args, tc_status status)
{
    tc_error refusal;
    int result = tool_status_of(status);
    if (result != TOOL_FAILED)
        return result;
    tc_status flushed = tc_ep_flush(ep, args->timeout_ns, &refusal);
    (void)flushed; /* the call has failed already */
    return tc_ep_refusal(ep, &refusal) > 0 ? TOOL_REFUSED : result;
}

/* Writes the answers one after the other, as bytes: only the function knows their meaning. */
static int call_all(tc_ep *ep, tc_ifunc *fn, const arguments *args, const send_payload *p,
                    FILE *out)
{
    tc_error error = {.status = TC_OK};
    tc_status status = TC_OK;
    char *answer = malloc(SEND_PAYLOAD_BYTES_MAX);
    if (answer == NULL) {
        fputs("tc-send: no memory for an answer\n", stderr);
        return TOOL_FAILED;
    }
    for (uint64_t i = 0; i < args->count && status == TC_OK; i++) {
        size_t size = SEND_PAYLOAD_BYTES_MAX;
        status = tc_call(ep, fn, p->bytes, p->size, answer, &size, args->timeout_ns, &error);
        if (status != TC_OK)
            break;
        if (!args->json) {
            fwrite(answer, 1, size, out);
            continue;
        }
        fputs(i > 0 ? ", " : "", out);
        tool_json_bytes(out, answer, size);
    }
    free(answer);
    if (status == TC_OK)
        return TOOL_OK;
    fprintf(stderr, "tc-send: %s: %s (%s)\n", args->archive, error.text,
            tc_status_name(status));
    return failed_call(ep, args, status);
}

/* JSON is written when all answers are there, as half an object is not JSON. */
static int call(tc_ep *ep, tc_ifunc *fn, const arguments *args, const send_payload *p)
{
    char *answers = NULL;
    size_t size = 0;
    uint64_t started_ns = tool_clock_ns();
    FILE *out = args->json ? open_memstream(&answers, &size) : stdout;
    int result = out != NULL ? call_all(ep, fn, args, p, out) : TOOL_FAILED;
    if (out != NULL && out != stdout && fclose(out) != 0)
        result = TOOL_FAILED;
    if (args->json && answers == NULL)
        fputs("tc-send: no memory for the answers\n", stderr);
    else if (args->json && result == TOOL_OK)
        print_json(fn, args->count, started_ns, answers);
    free(answers);
    return result;
}

/* Waits for the confirmation of what was sent: a function may go on after its answer, and the
 * message that brought a library is confirmed later. A close before that would report that
 * messages are under way. */
static void settle(tc_ep *ep, const arguments *args)
{
    tc_error ignored; /* the answers are there */
    tc_status status = tc_ep_flush(ep, args->timeout_ns, &ignored);
    (void)status;
}

static int fail(const tc_error *error)
{
    fprintf(stderr, "tc-send: %s\n", error->text);
    return tool_status_of(error->status);
}

/* Brings a package or a library, or takes it away. */
static int move_content(tc_context *ctx, const arguments *args)
{
    send_content content;
    tc_error error;
    tc_ep *ep;
    if (tc_ep_connect(ctx, args->target, args->connect_timeout_ns, &ep, &error) != TC_OK)
        return fail(&error);
    const uint64_t started_ns = tool_clock_ns();
    tc_status status =
        send_content_move(ep, args->archive, args->push, args->timeout_ns, &content, &error);
    if (status == TC_OK)
        settle(ep, args);
    tc_ep_close(ep);
    if (status != TC_OK)
        return fail(&error);
    if (!args->quiet)
        send_content_print(&content, (double)(tool_clock_ns() - started_ns) / 1e6, args->json);
    return tool_options_finish(&command, TOOL_OK);
}

static tc_status open_function(tc_context *ctx, const arguments *args, tc_package **package_out,
                               tc_ifunc **fn_out, tc_error *err)
{
    if (args->function != NULL)
        return send_content_function(ctx, args->archive, args->function, package_out, fn_out,
                                     err);
    return tc_ifunc_open_code(ctx, &(tc_code){.path = args->archive}, fn_out, err);
}

static int connect_and_send(tc_context *ctx, const arguments *args, const send_payload *p)
{
    tc_package *package = NULL; /* keeps the function open */
    tc_error error;
    tc_ifunc *fn;
    tc_ep *ep;
    if (open_function(ctx, args, &package, &fn, &error) != TC_OK)
        return fail(&error);
    int result;
    if (tc_ep_connect(ctx, args->target, args->connect_timeout_ns, &ep, &error) == TC_OK) {
        result = args->prepare ? prepare(ep, fn, args)
                 : args->call  ? call(ep, fn, args, p)
                               : send_all(ep, fn, args, p);
        if (result == TOOL_OK)
            settle(ep, args);
        tc_ep_close(ep);
        result = tool_options_finish(&command, result);
    } else {
        result = fail(&error);
    }
    if (package == NULL)
        tc_ifunc_close(fn);
    tc_package_close(package);
    return result;
}

int main(int argc, char **argv)
{
    arguments args;
    send_payload p;
    tc_context *ctx;
    tc_error error;
    int result = parse(argc, argv, &args);
    if (result != TOOL_GO_ON)
        return result;
    if (!send_payload_load(&p, args.payload_file, args.text))
        return TOOL_FAILED;
    if (client_context_create(&ctx, &error) == TC_OK) {
        result = args.push || args.withdraw ? move_content(ctx, &args)
                                            : connect_and_send(ctx, &args, &p);
        tc_context_destroy(ctx);
    } else {
        result = fail(&error);
    }
    free(p.bytes);
    return result;
}
