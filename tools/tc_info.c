/* Prints versions, options and their values, how a peer is reached, and the cached
 * functions. */
#include "info_cache.h"
#include "info_fields.h"
#include "info_holdings.h"
#include "info_watch.h"
#include "tool_help.h"
#include "tool_json.h"
#include "tool_options.h"
#include "tool_status.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <tc/context.h>
#include <tc/endpoint.h>
#include <tc/log.h>
#include <tc/options.h>
#include <tc/version.h>

#define VALUE_MAX 1024
#define NS_PER_S 1000000000ull

typedef struct arguments {
    bool options;
    bool cache;
    bool clear;
    bool json;
    bool markdown;
    bool holdings;
    const char *connect; /* NULL: none */
    const char *watch;   /* NULL: none */
    uint64_t interval_ns;
    uint64_t refreshes; /* 0: any number */
    const char *option; /* with options: only this one, by either name; NULL: all */
} arguments;

#define AT(member) offsetof(arguments, member)

static const tool_option options[] = {
    {.name = "options",
     .letter = 'o',
     .offset = AT(options),
     .help = "list options: environment variable, unit, default, range, value; or the one that "
             "NAME says"},
    {.name = "connect",
     .letter = 'c',
     .kind = TOOL_TEXT,
     .value = "HOST:PORT",
     .offset = AT(connect),
     .help = "connect to a listener (tc-node --listen HOST:PORT), report, leave"},
    {.name = "holdings",
     .letter = 'l',
     .offset = AT(holdings),
     .help = "with --connect: list the libraries and packages that the peer holds"},
    {.name = "watch",
     .letter = 'w',
     .kind = TOOL_TEXT,
     .value = "HOST:PORT",
     .offset = AT(watch),
     .help = "show what a node does, again and again"},
    {.name = "interval",
     .letter = 'i',
     .kind = TOOL_SECONDS,
     .value = "S",
     .offset = AT(interval_ns),
     .min = NS_PER_S / 10,
     .max = 3600 * NS_PER_S,
     .help = "with --watch: seconds between two refreshes (default 1)"},
    {.name = "refreshes",
     .letter = 'n',
     .kind = TOOL_NUMBER,
     .value = "N",
     .offset = AT(refreshes),
     .min = 1,
     .max = UINT64_MAX,
     .help = "with --watch: end after N refreshes"},
    {.name = "cache",
     .letter = 'C',
     .offset = AT(cache),
     .help = "list the object cache: option cache_dir (TC_CACHE_DIR)"},
    {.name = "clear", .offset = AT(clear), .help = "with --cache: remove all of it"},
    {.name = "json", .letter = 'j', .offset = AT(json), .help = "one JSON object"},
    {.name = "markdown",
     .letter = 'm',
     .offset = AT(markdown),
     .help = "with --options: the text of docs/options.md, up to the bounds"},
};

static const char *option_word(size_t index)
{
    return index < tc_options_count() ? tc_options_info(index)->env : NULL;
}

static const tool_command tc_info = {
    .name = "tc-info",
    .usage = "[--json]\n--options [NAME] [--json | --markdown]\n--connect HOST:PORT "
             "[--holdings] [--json]\n--watch HOST:PORT [-i S] [-n N] [--json]\n"
             "--cache [--clear] [--json]",
    .about =
        "Versions, the processor; options and their values; peers and what they do; the object "
        "cache.\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .notes =
        "Exit status: 0, 1 when something failed, 2 for wrong arguments, 3 when nobody can be "
        "reached there,\n4 when the peer refuses.\n",
    .rest_max = 1,
    .rest_word = option_word,
};

static int fail(const tc_error *err)
{
    fprintf(stderr, "tc-info: %s: %s\n", tc_status_name(err->status), err->text);
    return tool_status_of(err->status);
}

static int report_versions(output_format format)
{
    tc_version_info info;
    tc_options *opts = NULL; /* an invalid one would make the next program here fail, too */
    tc_error err;
    tc_version_query(&info);
    const field fields[] = {
        {"library", info.library, 0},   {"protocol", NULL, info.protocol}, {"ucx", info.ucx, 0},
        {"llvm", info.llvm, 0},         {"triple", info.triple, 0},        {"cpu", info.cpu, 0},
        {"features", info.features, 0},
    };
    print_fields(fields, sizeof fields / sizeof fields[0], format);
    tc_status status = tc_options_create(&opts, &err);
    tc_options_destroy(opts);
    return status == TC_OK ? TOOL_OK : fail(&err);
}

static void print_option_text(const tc_option_info *info, const char *value)
{
    char limits[VALUE_MAX];
    printf("%-18s %s\n", info->name, *value == '\0' ? "\"\"" : value);
    (void)snprintf(limits, sizeof limits, "%s; %s: %s; default %s", info->env, info->unit,
                   info->range, *info->default_value == '\0' ? "empty" : info->default_value);
    tool_help_paragraph(stdout, info->help, 4);
    tool_help_paragraph(stdout, limits, 4);
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

/* Escapes bars, which would end the table's cell. */
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
        "Generated from the option table, up to the bounds: `tc-info --options --markdown`.\n\n"
        "A value comes from `tc_options_set`, else from the environment variable, else it is "
        "the default. Sizes take\n"
        "the suffixes K, M and G (powers of 1024), times ns, us, ms, s and h (without one: "
        "nanoseconds). A variable\n"
        "outside its range is an error, never ignored; one that is no option is warned of.\n\n"
        "| option | environment | unit | default | range | meaning |\n"
        "|---|---|---|---|---|---|");
}

/* Prints the level of the log, which belongs to the process and not to a context, so it is no
 * row of the table. */
static void print_options_tail(output_format format)
{
    static const char *const levels[] = {"off", "error", "warn", "info", "debug"};
    if (format == FORMAT_JSON) {
        fputs("], ", stdout);
        tool_json_member(stdout, "log_level", levels[tc_log_get_level()]);
        puts("}");
    } else if (format == FORMAT_MARKDOWN) {
        puts("\nThe log belongs to the whole process: `TC_LOG_LEVEL` is `off`, `error`, `warn` "
             "(the default), `info` or\n"
             "`debug`.");
    } else {
        printf("%-18s %s\n", "log level", levels[tc_log_get_level()]);
        tool_help_paragraph(stdout,
                            "TC_LOG_LEVEL; choice: off|error|warn|info|debug; default warn", 4);
    }
}

static void print_option(const tc_options *opts, const tc_option_info *info,
                         output_format format)
{
    char value[VALUE_MAX] = "";
    (void)!tc_options_get(opts, info->name, value,
                          sizeof value); /* the name is from the table */
    if (strcmp(info->unit, "secret") == 0 && *value != '\0')
        (void)snprintf(value, sizeof value, "(set)");
    if (format == FORMAT_JSON)
        print_option_json(info, value);
    else if (format == FORMAT_MARKDOWN)
        print_option_markdown(info);
    else
        print_option_text(info, value);
}

static void print_all_options(const tc_options *opts, output_format format)
{
    print_options_head(format);
    for (size_t i = 0; i < tc_options_count(); i++) {
        if (format == FORMAT_JSON)
            fputs(i == 0 ? "\n" : ", ", stdout);
        print_option(opts, tc_options_info(i), format);
    }
    print_options_tail(format);
}

/* Returns NULL if no option has that name. */
static const tc_option_info *find_option(const char *name)
{
    for (size_t i = 0; i < tc_options_count(); i++) {
        const tc_option_info *info = tc_options_info(i);
        if (strcmp(info->name, name) == 0 || strcmp(info->env, name) == 0)
            return info;
    }
    return NULL;
}

static int report_options(const char *name, output_format format)
{
    tc_options *opts;
    tc_error err;
    const tc_option_info *only = name != NULL ? find_option(name) : NULL;
    if (name != NULL && only == NULL)
        return tool_options_misused(
            &tc_info, "'%s' is no option, expected one of tc-info --options", name);
    if (tc_options_create(&opts, &err) != TC_OK)
        return fail(&err);
    if (only != NULL)
        print_option(opts, only, format);
    else
        print_all_options(opts, format);
    tc_options_destroy(opts);
    return TOOL_OK;
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

static int report_connection(const char *host_port, bool holdings, output_format format)
{
    tc_context *ctx = NULL;
    tc_ep *ep = NULL;
    tc_error err;
    tc_status status = tc_context_create(NULL, &ctx, &err);
    if (status == TC_OK)
        status = tc_ep_connect(ctx, host_port, 0, &ep, &err);
    if (status == TC_OK && holdings)
        status = info_holdings_print(ep, format, &err);
    else if (status == TC_OK)
        print_peer(host_port, ep, format);
    tc_ep_close(ep);
    tc_context_destroy(ctx);
    return status == TC_OK ? TOOL_OK : fail(&err);
}

static int check_arguments(const arguments *args)
{
    if (args->options + args->cache + (args->connect != NULL) + (args->watch != NULL) > 1)
        return tool_options_misused(
            &tc_info, "expected one of --options, --cache, --connect and --watch at most");
    if ((args->interval_ns > 0 || args->refreshes > 0) && args->watch == NULL)
        return tool_options_misused(&tc_info, "--interval and --refreshes are for --watch");
    if (args->holdings && args->connect == NULL)
        return tool_options_misused(&tc_info, "--holdings is for --connect");
    if (args->clear && !args->cache)
        return tool_options_misused(&tc_info, "--clear is for --cache");
    if (args->markdown && (!args->options || args->json))
        return tool_options_misused(&tc_info, "--markdown is for --options, without --json");
    if (args->option != NULL && !args->options)
        return tool_options_misused(&tc_info, "unexpected argument '%s'", args->option);
    return TOOL_GO_ON;
}

/* Returns the exit status of a report that has ended with that status. */
static int end(tc_status status, const tc_error *err)
{
    return status == TC_OK ? TOOL_OK : fail(err);
}

static int report_activity(const arguments *args)
{
    tc_error err;
    const info_watch_params params = {.peer = args->watch,
                                      .interval_ns =
                                          args->interval_ns > 0 ? args->interval_ns : NS_PER_S,
                                      .refreshes = args->refreshes,
                                      .json = args->json};
    return end(info_watch(&params, &err), &err);
}

static int run(const arguments *args)
{
    tc_error err;
    output_format format = args->json       ? FORMAT_JSON
                           : args->markdown ? FORMAT_MARKDOWN
                                            : FORMAT_TEXT;
    if (args->options)
        return report_options(args->option, format);
    if (args->cache)
        return end(args->clear ? info_cache_clear(format, &err)
                               : info_cache_report(format, &err),
                   &err);
    if (args->watch != NULL)
        return report_activity(args);
    if (args->connect != NULL)
        return report_connection(args->connect, args->holdings, format);
    return report_versions(format);
}

int main(int argc, char **argv)
{
    arguments args = {0};
    int result = tool_options_parse(&tc_info, argc, argv, &args);
    if (result != TOOL_GO_ON)
        return result;
    if (optind < argc)
        args.option = argv[optind];
    result = check_arguments(&args);
    if (result == TOOL_GO_ON)
        result = run(&args);
    return tool_options_finish(&tc_info, result);
}
