/* Sends text files to a target's database, a batch of lines per message, and prints the cost.
 *
 * Knows neither zstd nor SQLite: record_insert packs here and unpacks over there. */
#include "batch_reader.h"
#include "call_times.h"

#include <tc/advanced.h>
#include <tc/ifunc.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000ull
#define DEADLINE_NS (30 * NS_PER_S) /* for one answer of the target */
#define PROGRESS_INTERVAL_NS (NS_PER_S / 4)
#define BATCH_BYTES 16384u

typedef struct arguments {
    const char *target;
    char **files;
    size_t file_count;
    size_t batch_bytes;
    bool damage;
} arguments;

typedef struct source {
    const arguments *args;
    tc_context *ctx;
    tc_ep *ep;
    tc_ifunc *insert;
    tc_ifunc *close;
    uint64_t run;         /* a number that no other run has */
    record_counts counts; /* this process's target_args: record_close brings them back */
    uint64_t bytes, packed_bytes, batches, rows, damaged;
    uint64_t load_ns; /* of the first message: loading LLVM here, compiling, packing */
    call_times calls; /* each batch, from sending to inserted */
    uint64_t started_ns, shown_ns;
} source;

static const char usage[] =
    "usage: record_source HOST:PORT FILE... [options]\n"
    "\n"
    "Sends the files' lines to the target's database (tc-node with librecord_target.so). The\n"
    "functions record_insert and record_close are looked for on TC_IFUNC_PATH.\n"
    "\n"
    "  -b, --batch-bytes N   lines per message, in bytes before packing (default 16384)\n"
    "      --damage          send damaged batches too; the target must refuse each and live "
    "on\n"
    "  -h, --help            this text\n"
    "\n"
    "Exit status: 0 only when every line was inserted and every damaged batch refused.\n";

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static bool parse_size(const char *text, size_t *value_out)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value == 0 ||
        value > RECORD_BATCH_BYTES_MAX) {
        fprintf(stderr, "record_source: --batch-bytes '%s': expected 1 to %u\n", text,
                RECORD_BATCH_BYTES_MAX);
        return false;
    }
    *value_out = (size_t)value;
    return true;
}

static int parse(int argc, char **argv, arguments *args)
{
    enum { DAMAGE = 256 };
    static const struct option options[] = {{"batch-bytes", required_argument, NULL, 'b'},
                                            {"damage", no_argument, NULL, DAMAGE},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    *args = (arguments){.batch_bytes = BATCH_BYTES};
    for (int c; (c = getopt_long(argc, argv, "b:h", options, NULL)) != -1;) {
        switch (c) {
        case 'b':
            if (!parse_size(optarg, &args->batch_bytes))
                return 2;
            break;
        case DAMAGE:
            args->damage = true;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            fputs(usage, stderr);
            return 2;
        }
    }
    if (argc - optind < 2) {
        fputs(usage, stderr);
        return 2;
    }
    args->target = argv[optind];
    args->files = argv + optind + 1;
    args->file_count = (size_t)(argc - optind - 1);
    return 0;
}

/* --- messages --- */

/* The result, with the text of the process that decided it. */
static bool complain(const source *s, const char *what, tc_error *err)
{
    if (tc_ep_refusal(s->ep, err) > 0)
        fprintf(stderr, "record_source: %s: refused by the target: %s\n", what, err->text);
    else
        fprintf(stderr, "record_source: %s: %s\n", what, err->text);
    return false;
}

static bool too_large(const source *s, const char *what, size_t size)
{
    tc_ep_info info;
    tc_ep_query(s->ep, &info);
    if (size <= info.payload_max)
        return false;
    fprintf(stderr, "record_source: %s: a batch has %zu bytes packed, the target takes %zu\n",
            what, size, info.payload_max);
    return true;
}

/* A function that the target refuses is no failure of tc_ep_flush: tc_ep_refusal reports it. */
static bool deliver(source *s, const tc_message *message, const char *what)
{
    uint64_t deadline_ns = now_ns() + DEADLINE_NS;
    tc_error err = {TC_OK, "the target has freed no capacity in time"};
    tc_status status;
    while ((status = tc_message_send(s->ep, message)) == TC_E_AGAIN && now_ns() < deadline_ns)
        (void)tc_progress(s->ctx);
    if (status == TC_OK)
        status = tc_ep_flush(s->ep, DEADLINE_NS, &err);
    else if (status != TC_E_AGAIN)
        (void)tc_send_error(s->ctx, &err);
    return (status == TC_OK && tc_ep_refusal(s->ep, NULL) == 0) || complain(s, what, &err);
}

static bool make_message(source *s, record_batch *batch, tc_message **message_out)
{
    tc_error err;
    tc_status status = tc_message_create(s->insert, batch, sizeof *batch, message_out, &err);
    free(batch->packed); /* NULL unless the message could not be made */
    batch->packed = NULL;
    return status == TC_OK || complain(s, "record_insert", &err);
}

static bool send_batch(source *s, record_batch *batch, const char *path)
{
    tc_message *message;
    uint64_t made_ns = now_ns();
    if (!make_message(s, batch, &message))
        return false;
    uint64_t sent_ns = now_ns();
    size_t packed;
    (void)tc_message_payload(message, &packed);
    bool ok = !too_large(s, path, packed) && deliver(s, message, path) &&
              call_times_add(&s->calls, now_ns() - sent_ns);
    if (s->batches == 0)
        s->load_ns = sent_ns - made_ns;
    s->packed_bytes += packed;
    s->batches++;
    tc_message_destroy(message);
    return ok;
}

/* --- damage --- */

static bool send_damaged(source *s, record_batch *batch,
                         void (*damage)(uint8_t *payload, size_t size))
{
    tc_message *message;
    size_t size;
    if (!make_message(s, batch, &message))
        return false;
    uint8_t *payload = tc_message_payload(message, &size);
    if (damage != NULL)
        damage(payload, size);
    bool ok = deliver(s, message, "a damaged batch");
    tc_message_destroy(message);
    s->damaged++;
    return ok;
}

static void flip_a_bit(uint8_t *payload, size_t size)
{
    payload[size / 2] ^= 1;
}

static void overwrite(uint8_t *payload, size_t size)
{
    memset(payload, 'x', size);
}

/* A sound frame around a head that promises more than there is. */
static bool send_wrong_head(source *s, const record_batch *batch)
{
    char *bytes = malloc(batch->size);
    if (bytes == NULL) {
        fprintf(stderr, "record_source: a damaged batch: no memory\n");
        return false;
    }
    record_head head;
    memcpy(bytes, batch->bytes, batch->size);
    memcpy(&head, bytes, sizeof head);
    head.name_bytes = UINT32_MAX;
    memcpy(bytes, &head, sizeof head);
    record_batch wrong = {.bytes = bytes, .size = batch->size};
    bool ok = send_damaged(s, &wrong, NULL);
    free(bytes);
    return ok;
}

/* Damaged doubles of a batch, after the batch itself. */
static bool send_damage(source *s, record_batch *batch)
{
    return send_damaged(s, batch, flip_a_bit) && send_damaged(s, batch, overwrite) &&
           send_wrong_head(s, batch);
}

/* --- the run --- */

static void show_progress(source *s, size_t files, size_t bytes_of_file)
{
    uint64_t now = now_ns();
    if (now - s->shown_ns < PROGRESS_INTERVAL_NS || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\rrecord_source: file %zu of %zu, %.1f MB sent ", files,
            s->args->file_count, (double)(s->bytes + bytes_of_file) / 1048576.0);
    s->shown_ns = now;
}

static bool send_file(source *s, const char *path, size_t files)
{
    batch_reader reader;
    record_batch batch;
    if (!batch_reader_open(path, s->run, &reader))
        return false;
    bool ok = true;
    while (ok && batch_reader_has_more(&reader)) {
        ok = batch_reader_next(&reader, s->args->batch_bytes, &batch) &&
             send_batch(s, &batch, path);
        if (ok && s->args->damage && s->damaged == 0)
            ok = send_damage(s, &batch);
        show_progress(s, files, reader.at);
    }
    s->bytes += reader.size;
    s->rows += reader.line - 1;
    batch_reader_close(&reader);
    return ok;
}

/* record_close comes back with the counts of this run. */
static bool fetch_counts(source *s)
{
    s->counts = (record_counts){.run = ~s->run}; /* no answer yet */
    tc_error err = {TC_OK, "its counts have not come in time"};
    tc_status status = tc_send_wait(s->ep, s->close, &s->run, sizeof s->run, DEADLINE_NS, &err);
    if (status == TC_OK)
        status = tc_ep_flush(s->ep, DEADLINE_NS, &err);
    uint64_t deadline_ns = now_ns() + DEADLINE_NS;
    while (status == TC_OK && s->counts.run != s->run && tc_ep_refusal(s->ep, NULL) == 0 &&
           now_ns() < deadline_ns)
        if (tc_wait(s->ctx, PROGRESS_INTERVAL_NS) != TC_OK)
            status = tc_ep_error(s->ep, &err);
    if (status == TC_OK && s->counts.run != s->run)
        status = TC_E_TIMEOUT;
    return status == TC_OK || complain(s, "record_close", &err);
}

static bool counts_are_right(const source *s)
{
    const record_counts *c = &s->counts;
    if (c->batches == s->batches && c->rows == s->rows && c->damaged == s->damaged &&
        c->failed == 0)
        return true;
    fprintf(stderr,
            "record_source: sent %" PRIu64 " batches, %" PRIu64 " rows and %" PRIu64
            " damaged batches, but the target counts %" PRIu64 ", %" PRIu64 " and %" PRIu64
            ", and %" PRIu64 " failed; its newest error: %.*s\n",
            s->batches, s->rows, s->damaged, c->batches, c->rows, c->damaged, c->failed,
            (int)sizeof c->error, c->error[0] != '\0' ? c->error : "none");
    return false;
}

static bool send_all(source *s)
{
    s->started_ns = s->shown_ns = now_ns();
    for (size_t i = 0; i < s->args->file_count; i++)
        if (!send_file(s, s->args->files[i], i + 1))
            return false;
    if (s->shown_ns != s->started_ns)
        fputc('\n', stderr);
    return true;
}

/* --- the report --- */

static void print_cached_calls(source *s)
{
    call_summary cached = call_times_summarise_cached(&s->calls);
    if (cached.count > 0)
        printf("%-14s p50 %.3f ms, p99 %.3f ms, mean %.3f ms per batch, %zu calls\n",
               "cached calls", cached.p50_ms, cached.p99_ms, cached.mean_ms, cached.count);
}

static void print_report(source *s, uint64_t elapsed_ns)
{
    tc_ep_info info;
    tc_ep_query(s->ep, &info);
    double seconds = (double)elapsed_ns / 1e9;
    printf("%-14s %s, target %s, LLVM %s\n", "delivery", info.delivery, info.peer_triple,
           info.peer_llvm);
    printf("%-14s %zu\n%-14s %" PRIu64 " in %" PRIu64 " batches\n", "files",
           s->args->file_count, "rows", s->rows, s->batches);
    printf("%-14s %" PRIu64 ", packed %" PRIu64 "; on the wire %" PRIu64
           " with headers and the code of %zu + %zu bytes\n",
           "bytes", s->bytes, s->packed_bytes, info.sent_bytes, tc_ifunc_code_size(s->insert),
           tc_ifunc_code_size(s->close));
    if (s->batches > 0)
        printf("%-14s %.3f ms with the code, which the target compiles if it is new there (and "
               "before that %.3f ms here: load LLVM, compile, pack)\n",
               "first call", (double)s->calls.ns[0] / 1e6, (double)s->load_ns / 1e6);
    print_cached_calls(s);
    printf("%-14s %.0f rows/s, %.1f MB/s, first call and packing included\n", "rate",
           (double)s->rows / seconds, (double)s->bytes / 1048576.0 / seconds);
    if (s->damaged > 0)
        printf("%-14s %" PRIu64 " damaged batches sent, %" PRIu64 " refused; newest: %.*s\n",
               "damage", s->damaged, s->counts.damaged, (int)sizeof s->counts.error,
               s->counts.error);
}

static bool open_all(source *s)
{
    tc_error error;
    if (tc_ifunc_open(s->ctx, "record_insert", &s->insert, &error) == TC_OK &&
        tc_ifunc_open(s->ctx, "record_close", &s->close, &error) == TC_OK &&
        tc_ep_connect(s->ctx, s->args->target, 0, &s->ep, &error) == TC_OK)
        return true;
    fprintf(stderr, "record_source: %s\n", error.text);
    return false;
}

int main(int argc, char **argv)
{
    arguments args;
    tc_error error;
    source s = {.args = &args, .run = (uint64_t)getpid() << 48 ^ now_ns()};
    int wrong = parse(argc, argv, &args);
    if (wrong)
        return wrong;
    if (tc_context_create(NULL, &s.ctx, &error) != TC_OK) {
        fprintf(stderr, "record_source: %s\n", error.text);
        return 1;
    }
    tc_context_set_target_args(s.ctx, &s.counts);
    bool ok = open_all(&s) && send_all(&s);
    uint64_t elapsed_ns = now_ns() - s.started_ns;
    ok = ok && fetch_counts(&s) && counts_are_right(&s);
    if (ok)
        print_report(&s, elapsed_ns);
    tc_context_destroy(s.ctx); /* endpoint and functions too */
    call_times_fini(&s.calls);
    return ok ? 0 : 1;
}
