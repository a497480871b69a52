/* What is installed here, what can be set, how a peer would be reached, and what is cached. */
#include "info_fields.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <tc/cache.h>
#include <tc/context.h>
#include <tc/endpoint.h>
#include <tc/log.h>
#include <tc/options.h>
#include <tc/version.h>
#include <time.h>

#define VALUE_MAX 1024

typedef struct arguments {
    bool options;
    bool cache;
    bool clear;
    const char *connect; /* NULL: none */
    output_format format;
} arguments;

static const char usage[] =
    "usage: tc-info [--json]                        versions, processor\n"
    "       tc-info --options [--json|--markdown]   every option, with its value now\n"
    "       tc-info --connect HOST:PORT [--json]    how a peer is reached, and what it is\n"
    "       tc-info --cache [--clear] [--json]      compiled functions on disk; or remove "
    "them\n"
    "\n"
    "  -o, --options            list options: environment variable, unit, default, range, "
    "value\n"
    "  -c, --connect HOST:PORT  connect to a listener (tc-node --listen HOST:PORT), report, "
    "leave\n"
    "  -C, --cache              list the object cache: option cache_dir (TC_CACHE_DIR)\n"
    "      --clear              with --cache: remove all of it\n"
    "  -j, --json               one JSON object\n"
    "  -m, --markdown           with --options: the text of docs/options.md\n"
    "  -h, --help               this text\n"
    "\n"
    "Exit status: 0, 1 when something failed, 2 for wrong arguments.\n";

static int report_versions(output_format format)
{
    tc_version_info info;
    tc_version_query(&info);
    const field fields[] = {
        {"library", info.library, 0},   {"protocol", NULL, info.protocol}, {"ucx", info.ucx, 0},
        {"llvm", info.llvm, 0},         {"triple", info.triple, 0},        {"cpu", info.cpu, 0},
        {"features", info.features, 0},
    };
    print_fields(fields, sizeof fields / sizeof fields[0], format);
    return 0;
}

static void print_option_text(const tc_option_info *info, const char *value)
{
    printf("%-18s %s\n", info->name, *value == '\0' ? "\"\"" : value);
    printf("    %s\n", info->help);
    printf("    %s; %s: %s; default %s\n", info->env, info->unit, info->range,
           *info->default_value == '\0' ? "empty" : info->default_value);
}

static void print_option_json(const tc_option_info *info, const char *value)
{
    const field fields[] = {
        {"name", info->name, 0},   {"env", info->env, 0},
        {"unit", info->unit, 0},   {"default", info->default_value, 0},
        {"range", info->range, 0}, {"value", value, 0},
        {"help", info->help, 0},
    };
    print_fields_json(fields, sizeof fields / sizeof fields[0]);
}

/* A bar would end the table's cell. */
static void print_cell(const char *text)
{
    fputs("| ", stdout);
    for (; *text != '\0'; text++)
        printf(*text == '|' ? "\\%c" : "%c", *text);
    putchar(' ');
}

static void print_option_markdown(const tc_option_info *info)
{
    printf("| `%s` | `%s` ", info->name, info->env);
    print_cell(info->unit);
    print_cell(*info->default_value == '\0' ? "(empty)" : info->default_value);
    print_cell(info->range);
    print_cell(info->help);
    puts("|");
}

static void print_options_head(output_format format)
{
    if (format == FORMAT_JSON)
        fputs("{\"options\": [", stdout);
    if (format != FORMAT_MARKDOWN)
        return;
    puts(
        "# Options\n\n"
        "Generated from the option table: `tc-info --options --markdown > docs/options.md`.\n\n"
        "A value comes from `tc_options_set`, else from the environment variable, else it is "
        "the default. Sizes take\n"
        "the suffixes K, M and G (powers of 1024), times ns, us, ms, s and h (without one: "
        "nanoseconds). A variable\n"
        "outside its range is an error, never ignored.\n\n"
        "| option | environment | unit | default | range | meaning |\n"
        "|---|---|---|---|---|---|");
}

/* The level of the log belongs to the process and not to a context, so it is no row of the
 * table. */
static void print_options_tail(output_format format)
{
    static const char *const levels[] = {"off", "error", "warn", "info", "debug"};
    if (format == FORMAT_JSON) {
        fputs("], ", stdout);
        print_json_member("log_level", levels[tc_log_get_level()]);
        puts("}");
    } else if (format == FORMAT_MARKDOWN) {
        puts("\nThe log belongs to the whole process: `TC_LOG_LEVEL` is `off`, `error`, `warn` "
             "(the default), `info` or\n"
             "`debug`.");
    } else {
        printf("log level          %s\n    TC_LOG_LEVEL; choice: off|error|warn|info|debug; "
               "default warn\n",
               levels[tc_log_get_level()]);
    }
}

static int report_options(output_format format)
{
    tc_options *opts;
    tc_error err;
    if (tc_options_create(&opts, &err) != TC_OK) {
        fprintf(stderr, "tc-info: %s\n", err.text);
        return 1;
    }
    print_options_head(format);
    for (size_t i = 0; i < tc_options_count(); i++) {
        const tc_option_info *info = tc_options_info(i);
        char value[VALUE_MAX] = "";
        (void)!tc_options_get(opts, info->name, value,
                              sizeof value); /* the name is the table's own */
        if (strcmp(info->unit, "secret") == 0 && *value != '\0')
            (void)snprintf(value, sizeof value, "(set)");
        if (format == FORMAT_JSON) {
            fputs(i == 0 ? "\n" : ", ", stdout);
            print_option_json(info, value);
        } else if (format == FORMAT_MARKDOWN) {
            print_option_markdown(info);
        } else {
            print_option_text(info, value);
        }
    }
    print_options_tail(format);
    tc_options_destroy(opts);
    return 0;
}

static void print_peer(const char *host_port, const tc_ep *ep, output_format format)
{
    tc_ep_info info;
    tc_ep_query(ep, &info);
    const field fields[] = {
        {"peer", host_port, 0},          {"delivery", info.delivery, 0},
        {"triple", info.peer_triple, 0}, {"library", info.peer_library, 0},
        {"ucx", info.peer_ucx, 0},       {"llvm", info.peer_llvm, 0},
        {"cpu", info.peer_cpu, 0},       {"payload_max", NULL, info.payload_max},
    };
    print_fields(fields, sizeof fields / sizeof fields[0], format);
}

static int report_connection(const char *host_port, output_format format)
{
    tc_context *ctx = NULL;
    tc_ep *ep = NULL;
    tc_error err;
    tc_status status = tc_context_create(NULL, &ctx, &err);
    if (status == TC_OK)
        status = tc_ep_connect(ctx, host_port, 0, &ep, &err);
    if (status == TC_OK) {
        print_peer(host_port, ep, format);
        tc_ep_close(ep);
    } else {
        fprintf(stderr, "tc-info: %s: %s\n", tc_status_name(status), err.text);
    }
    tc_context_destroy(ctx);
    return status == TC_OK ? 0 : 1;
}

/* False for anything that the usage text does not allow. */
/* --- the object cache -------------------------------------------------------------------- */

#define DATE_MAX 32

typedef struct listing {
    output_format format;
    bool begun;
} listing;

static int fail(const tc_error *err)
{
    fprintf(stderr, "tc-info: %s: %s\n", tc_status_name(err->status), err->text);
    return 1;
}

static void print_entry_text(const tc_cache_entry *entry, bool first)
{
    char date[DATE_MAX] = "-";
    time_t used_s = (time_t)entry->used_s;
    struct tm local;
    if (localtime_r(&used_s, &local) != NULL)
        (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M", &local);
    if (first)
        printf("%-20s %-9s %9s  %-16s  %-8s %-14s %s\n", "function", "level", "bytes",
               "last use", "llvm", "cpu", "id");
    printf("%-20s %-9s %9" PRIu64 "  %-16s  %-8s %-14s %s\n", entry->name, entry->level,
           entry->bytes, date, entry->llvm, entry->cpu, entry->id);
}

static void print_entry_json(const tc_cache_entry *entry, bool first)
{
    fputs(first ? "\n{" : ", {", stdout);
    print_json_member("name", entry->name);
    fputs(", ", stdout);
    print_json_member("id", entry->id);
    fputs(", ", stdout);
    print_json_member("level", entry->level);
    fputs(", ", stdout);
    print_json_member("cpu", entry->cpu);
    fputs(", ", stdout);
    print_json_member("features", entry->features);
    fputs(", ", stdout);
    print_json_member("llvm", entry->llvm);
    printf(", \"slice\": %u, \"bytes\": %" PRIu64 ", \"used\": %" PRId64 "}\n", entry->slice,
           entry->bytes, entry->used_s);
}

static void print_entry(void *user, const tc_cache_entry *entry)
{
    listing *list = user;
    bool first = !list->begun;
    list->begun = true;
    if (list->format != FORMAT_JSON) {
        print_entry_text(entry, first);
        return;
    }
    if (first)
        fputs("{\"functions\": [", stdout);
    print_entry_json(entry, first);
}

/* The totals come last, because only who has read all files knows them. */
static void print_totals(const listing *list, const tc_cache_totals *totals)
{
    if (list->format == FORMAT_JSON) {
        if (!list->begun)
            fputs("{\"functions\": [", stdout);
        fputs("], ", stdout);
        print_json_member("folder", totals->folder);
        printf(", \"count\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"limit\": %" PRIu64
               ", \"others\": %" PRIu64 "}\n",
               totals->entries, totals->bytes, totals->bytes_max, totals->others);
        return;
    }
    if (totals->folder[0] == '\0') {
        puts("no cache: TC_CACHE_DIR is empty, or the default is no place of this user's");
        return;
    }
    printf("%s%s: %" PRIu64 " functions, %" PRIu64 " bytes, limit %" PRIu64 "\n",
           list->begun ? "\n" : "", totals->folder, totals->entries, totals->bytes,
           totals->bytes_max);
    if (totals->others > 0)
        printf("%" PRIu64 " files are damaged, half written or foreign\n", totals->others);
}

/* Both give the program's exit status. */
static int report_cache(output_format format)
{
    listing list = {format, false};
    tc_cache_totals totals;
    tc_error err;
    if (tc_cache_list(NULL, print_entry, &list, &totals, &err) != TC_OK)
        return fail(&err);
    print_totals(&list, &totals);
    return 0;
}

static int clear_cache(output_format format)
{
    tc_cache_totals removed;
    tc_error err;
    if (tc_cache_clear(NULL, &removed, &err) != TC_OK)
        return fail(&err);
    if (format == FORMAT_JSON) {
        const field fields[] = {
            {"folder", removed.folder, 0},
            {"removed", NULL, removed.entries},
            {"bytes", NULL, removed.bytes},
        };
        print_fields_json(fields, sizeof fields / sizeof fields[0]);
    } else if (removed.folder[0] == '\0') {
        puts("no cache, nothing to remove");
    } else {
        printf("%s: removed %" PRIu64 " functions, %" PRIu64 " bytes\n", removed.folder,
               removed.entries, removed.bytes);
    }
    return 0;
}

static bool parse_arguments(int argc, char **argv, arguments *args, bool *help)
{
    static const struct option names[] = {
        {"options", no_argument, NULL, 'o'}, {"connect", required_argument, NULL, 'c'},
        {"cache", no_argument, NULL, 'C'},   {"clear", no_argument, NULL, 'R'},
        {"json", no_argument, NULL, 'j'},    {"markdown", no_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},    {NULL, 0, NULL, 0},
    };
    int name;
    while ((name = getopt_long(argc, argv, "oc:Cjmh", names, NULL)) != -1) {
        switch (name) {
        case 'o':
            args->options = true;
            break;
        case 'c':
            args->connect = optarg;
            break;
        case 'C':
            args->cache = true;
            break;
        case 'R':
            args->clear = true;
            break;
        case 'j':
            args->format = FORMAT_JSON;
            break;
        case 'm':
            args->format = FORMAT_MARKDOWN;
            break;
        case 'h':
            *help = true;
            break;
        default:
            return false;
        }
    }
    return optind == argc && args->options + args->cache + (args->connect != NULL) <= 1 &&
           (args->cache || !args->clear) && (args->options || args->format != FORMAT_MARKDOWN);
}

int main(int argc, char **argv)
{
    arguments args = {0};
    bool help = false;
    if (!parse_arguments(argc, argv, &args, &help)) {
        fputs(usage, stderr);
        return 2;
    }
    if (help) {
        fputs(usage, stdout);
        return 0;
    }
    if (args.options)
        return report_options(args.format);
    if (args.cache)
        return args.clear ? clear_cache(args.format) : report_cache(args.format);
    if (args.connect != NULL)
        return report_connection(args.connect, args.format);
    return report_versions(args.format);
}
