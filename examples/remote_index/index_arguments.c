#include "index_arguments.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tc-run -n RANKS index_run [options]\n"
    "\n"
    "  -k, --keys N        of table and tree (default 10000)\n"
    "  -b, --per-bucket N  keys for each bucket of the table, at most (default 1)\n"
    "  -f, --fanout N      keys of a leaf, children of an inner node (default 16)\n"
    "  -v, --value N       bytes of a value, a multiple of 8 (default 8)\n"
    "  -c, --clients N     ranks that look keys up; the others have them (default 1)\n"
    "  -l, --lookups N     in each way and round (default 100)\n"
    "  -r, --rounds N      in which the ways take turns (default 20)\n"
    "  -d, --delay N       microseconds that each message takes longer (default 0)\n"
    "      --change N      the tree's inner nodes change after each N lookups (default: "
    "never)\n"
    "      --damage WHAT   value, key: one is wrong, or missing, and has to be noticed\n"
    "  -h, --help          this text\n";

static void refuse(const char *option, const char *found, const char *expected)
{
    fprintf(stderr, "index: %s: '%s', expected %s\n", option, found, expected);
    exit(2);
}

static uint64_t parse_number(const char *option, const char *text, uint64_t min, uint64_t max)
{
    char *end, range[64];
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    (void)snprintf(range, sizeof range, "%" PRIu64 " to %" PRIu64, min, max);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < min ||
        value > max)
        refuse(option, text, range);
    return value;
}

static index_damage parse_damage(const char *text)
{
    if (strcmp(text, "value") != 0 && strcmp(text, "key") != 0)
        refuse("--damage", text, "value or key");
    return text[0] == 'v' ? INDEX_WRONG_VALUE : INDEX_NO_MIDDLE;
}

static void take_option(int option, index_arguments *args)
{
    index_shape *shape = &args->shape;
    switch (option) {
    case 'k':
        shape->keys = parse_number("--keys", optarg, 1, INDEX_KEYS_MAX);
        break;
    case 'b':
        args->per_bucket = parse_number("--per-bucket", optarg, 1, 1000);
        break;
    case 'f':
        shape->fanout = (uint32_t)parse_number("--fanout", optarg, 2, INDEX_FANOUT_MAX);
        break;
    case 'v':
        shape->value_bytes = (uint32_t)parse_number("--value", optarg, 8, INDEX_VALUE_MAX);
        if (shape->value_bytes % 8 != 0)
            refuse("--value", optarg, "a multiple of 8");
        break;
    case 'c':
        shape->clients = (uint32_t)parse_number("--clients", optarg, 1, 1000);
        break;
    case 'l':
        args->lookups = parse_number("--lookups", optarg, 1, 1000000);
        break;
    case 'r':
        args->rounds = parse_number("--rounds", optarg, 1, INDEX_ROUNDS_MAX);
        break;
    case 'd':
        args->delay_ns = 1000 * parse_number("--delay", optarg, 0, 100000);
        break;
    case 'C':
        args->change_every = parse_number("--change", optarg, 1, 1000000);
        break;
    case 'D':
        args->damage = parse_damage(optarg);
        break;
    default:
        fputs(usage, option == 'h' ? stdout : stderr);
        exit(option == 'h' ? 0 : 2);
    }
}

void index_arguments_parse(int argc, char **argv, index_arguments *args)
{
    static const struct option options[] = {
        {"keys", required_argument, NULL, 'k'},    {"per-bucket", required_argument, NULL, 'b'},
        {"fanout", required_argument, NULL, 'f'},  {"value", required_argument, NULL, 'v'},
        {"clients", required_argument, NULL, 'c'}, {"lookups", required_argument, NULL, 'l'},
        {"rounds", required_argument, NULL, 'r'},  {"delay", required_argument, NULL, 'd'},
        {"change", required_argument, NULL, 'C'},  {"damage", required_argument, NULL, 'D'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    *args = (index_arguments){
        .shape = {.keys = 10000, .clients = 1, .fanout = 16, .value_bytes = 8},
        .per_bucket = 1,
        .lookups = 100,
        .rounds = 20};
    for (int c; (c = getopt_long(argc, argv, "k:b:f:v:c:l:r:d:h", options, NULL)) != -1;)
        take_option(c, args);
    if (optind < argc)
        refuse("argument", argv[optind], "options alone; --help lists them");
    if (args->shape.keys * args->shape.value_bytes > INDEX_VALUES_MAX)
        refuse("--keys", "with such values", "256 MiB of values at most");
    if (args->delay_ns > 0 && args->shape.clients > 1)
        refuse("--delay", "with several clients",
               "one client: one message under way at a time");
}
