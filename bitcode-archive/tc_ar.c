/* tc-ar: looks into .tca archives, checks them, takes slices out and puts them together. */
#include "tc_ar.h"

#include "archive_file.h"
#include "base/error_text.h"
#include "code_signing.h"
#include "image.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/version.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments;
    const char *help;
} commands[] = {
    {"list", tci_ar_list, "FILE...", "one line per slice"},
    {"show", tci_ar_show, "FILE", "name, content id, entries, slices, symbols, libraries"},
    {"extract", tci_ar_extract, "FILE TRIPLE -o OUT", "the code for one target"},
    {"verify", tci_ar_verify, "FILE...",
     "check every byte, and signatures; status 1 when one fails"},
    {"keygen", tci_ar_keygen, "NAME", "make keys to sign with: NAME.key, NAME.pub"},
    {"sign", tci_ar_sign, "--key KEY FILE...", "sign the code: FILE.minisig"},
    {"digest", tci_ar_digest, "FILE", "the statement that is signed"},
#ifdef TC_WITH_LLVM
    {"create", tci_ar_create, "NAME a.bc ... -o OUT",
     "pack bitcode, one file per target, and images of it"},
#endif
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

tc_status tci_ar_input_open(const char *path, tci_ar_input *input_out, tc_error *err)
{
    tci_ar_input input = {.path = path};
    TC_TRY(tci_archive_file_read(path, TCI_ARCHIVE_FILE_MAX, &input.bytes, &input.size, err));
    tc_status status = tci_archive_open(input.bytes, input.size, &input.archive, err);
    if (status != TC_OK) {
        free(input.bytes);
        tci_error_prefix(err, "%s", path);
        return status;
    }
    *input_out = input;
    return TC_OK;
}

void tci_ar_input_close(tci_ar_input *input)
{
    tci_archive_close(input->archive);
    free(input->bytes);
}

int tci_ar_report(const tc_error *err)
{
    fprintf(stderr, "tc-ar: %s\n", err->text);
    return TCI_AR_FAILED;
}

int tci_ar_misused(const char *usage, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("tc-ar: ", stderr);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fprintf(stderr, "\n\n%s", usage);
    return TCI_AR_USAGE;
}

int tci_ar_help_or_misused(const char *usage, int option)
{
    if (option == 'h') {
        fputs(usage, stdout);
        return TCI_AR_OK;
    }
    fprintf(stderr, "\n%s", usage);
    return TCI_AR_USAGE;
}

/* --- extract ----------------------------------------------------------------------------- */

static const char extract_usage[] =
    "usage: tc-ar extract FILE TRIPLE [--image[=LEVEL]] -o OUT\n"
    "\n"
    "Writes the slice for TRIPLE (\"aarch64\", \"x86_64-pc-linux-gnu\") to OUT; - is stdout.\n"
    "\n"
    "  -o, --output OUT     where to write it\n"
    "      --image[=LEVEL]  the image, not the bitcode; of a CPU level by number; default: 0,\n"
    "                       for every CPU\n"
    "  -h, --help           this text\n";

static tc_status write_output(const char *path, const void *bytes, size_t size, tc_error *err)
{
    if (strcmp(path, "-") != 0)
        return tci_archive_file_write(path, bytes, size, err);
    if (fwrite(bytes, 1, size, stdout) != size)
        return tci_error_set(err, TC_E_IO, "stdout: cannot write %zu bytes", size);
    return TC_OK;
}

typedef struct extraction {
    const char *path;
    const char *output;
    char triple[TCI_TRIPLE_MAX];
    bool image;
    unsigned level; /* of the image */
} extraction;

static tc_status find_slice(const extraction *e, const tci_archive *archive, size_t *index_out,
                            tc_error *err)
{
    if (!e->image)
        return tci_archive_select(archive, e->triple, index_out, err);
    TC_TRY(tci_archive_select_image(archive, e->triple, e->level, index_out, err));
    if (tci_archive_slice(archive, *index_out)->cpu_level == e->level)
        return TC_OK;
    return tci_error_set(err, TC_E_NO_SLICE, "archive %s: no image for %s of cpu level %u",
                         tci_archive_name(archive), e->triple, e->level);
}

static tc_status extract(const extraction *e, tc_error *err)
{
    tci_ar_input input;
    size_t index;
    TC_TRY(tci_ar_input_open(e->path, &input, err));
    tc_status status = find_slice(e, input.archive, &index, err);
    if (status == TC_OK)
        status = write_output(e->output, tci_archive_slice_bytes(input.archive, index),
                              tci_archive_slice(input.archive, index)->size, err);
    tci_ar_input_close(&input);
    return status;
}

static bool parse_level(const char *text, unsigned *level_out)
{
    char *end;
    unsigned long level = strtoul(text, &end, 10);
    *level_out = (unsigned)level;
    return end != text && *end == '\0' && level <= UINT8_MAX;
}

int tci_ar_extract(int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"image", optional_argument, NULL, 'i'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    extraction e = {.output = NULL};
    int option;
    while ((option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
        if (option == 'o')
            e.output = optarg;
        else if (option == 'i')
            e.image = true;
        else
            return tci_ar_help_or_misused(extract_usage, option);
        if (option == 'i' && optarg != NULL && !parse_level(optarg, &e.level))
            return tci_ar_misused(extract_usage, "'%s' is no CPU level, 0 to 255", optarg);
    }
    if (argc - optind != 2)
        return tci_ar_misused(extract_usage, "extract takes a FILE and a TRIPLE");
    if (e.output == NULL)
        return tci_ar_misused(extract_usage, "extract needs -o OUT");
    const char *wanted = argv[optind + 1];
    if (!tci_triple_normalise(wanted, strlen(wanted), e.triple))
        return tci_ar_misused(extract_usage, "'%s' is not a target triple", wanted);
    e.path = argv[optind];
    tc_error err;
    return extract(&e, &err) == TC_OK ? TCI_AR_OK : tci_ar_report(&err);
}

/* --- verify ------------------------------------------------------------------------------ */

static const char verify_usage[] =
    "usage: tc-ar verify [--key KEY.pub] FILE...\n"
    "\n"
    "Checks the checksum, the format and the limits of each archive and unpacks all of it;\n"
    "checks the images in it. Every file gets a line. What the code itself does is not looked\n"
    "at.\n"
    "\n"
    "  -k, --key KEY.pub  each has a signature of this key beside it: FILE.minisig\n"
    "  -h, --help         this text\n"
    "\n"
    "status: 0 all good, 1 a file failed, 2 wrong arguments\n";

static tc_status verify_images(const tci_ar_input *input, tc_error *err)
{
    for (size_t i = 0; i < tci_archive_slice_count(input->archive); i++) {
        tci_image image;
        if (tci_archive_slice(input->archive, i)->form != TCI_FORM_IMAGE)
            continue;
        tc_status status = tci_image_open_slice(input->archive, i, &image, err);
        if (status != TC_OK) {
            tci_error_prefix(err, "%s", input->path);
            return status;
        }
    }
    return TC_OK;
}

/* `key` NULL: signatures are not looked at. */
static int verify_file(const char *path, const tci_minisign_public *key)
{
    tci_ar_input input;
    tc_error err;
    tc_status status = tci_ar_input_open(path, &input, &err);
    if (status == TC_OK) {
        status = verify_images(&input, &err);
        if (status == TC_OK && key != NULL)
            status = tci_code_signing_verify(path, key, &err);
        if (status != TC_OK)
            tci_ar_input_close(&input);
    }
    if (status != TC_OK) {
        printf("failed: %s (%s)\n", err.text, tc_status_name(status));
        return TCI_AR_FAILED;
    }
    printf("ok: %s: %s, %zu slices, %zu bytes%s\n", path, tci_archive_name(input.archive),
           tci_archive_slice_count(input.archive), input.size, key != NULL ? ", signed" : "");
    tci_ar_input_close(&input);
    return TCI_AR_OK;
}

static tc_status read_public_key(const char *path, tci_minisign_public *key_out, tc_error *err)
{
    void *text;
    size_t size;
    const char *rest;
    TC_TRY(tci_archive_file_read(path, TCI_MINISIGN_FILE_MAX, &text, &size, err));
    tc_status status = tci_minisign_public_parse(text, size, key_out, &rest, err);
    if (status != TC_OK)
        tci_error_prefix(err, "%s", path);
    free(text);
    return status;
}

int tci_ar_verify(int argc, char **argv)
{
    static const struct option options[] = {{"key", required_argument, NULL, 'k'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *path = NULL;
    tci_minisign_public key;
    tc_error err;
    int option;
    while ((option = getopt_long(argc, argv, "k:h", options, NULL)) != -1) {
        if (option != 'k')
            return tci_ar_help_or_misused(verify_usage, option);
        path = optarg;
    }
    if (path != NULL && read_public_key(path, &key, &err) != TC_OK)
        return tci_ar_report(&err);
    if (optind == argc)
        return tci_ar_misused(verify_usage, "verify takes at least one FILE");
    int result = TCI_AR_OK;
    for (int i = optind; i < argc; i++) {
        if (verify_file(argv[i], path != NULL ? &key : NULL) != TCI_AR_OK)
            result = TCI_AR_FAILED;
    }
    return result;
}

/* --- main -------------------------------------------------------------------------------- */

static void print_usage(FILE *out)
{
    fputs("usage: tc-ar COMMAND ...\n\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  tc-ar %-8s %-22s %s\n", commands[i].name, commands[i].arguments,
                commands[i].help);
    fputs("\ntc-ar COMMAND --help tells more. tc-ar --version prints the version.\n"
          "A .tca archive holds one function's code for several targets.\n",
          out);
}

static int run_command(int argc, char **argv)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "tc-ar: no command '%s'\n\n", argv[1]);
    print_usage(stderr);
    return TCI_AR_USAGE;
}

int main(int argc, char **argv)
{
    int result = TCI_AR_OK;
    if (argc < 2) {
        print_usage(stderr);
        return TCI_AR_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        print_usage(stdout);
    else if (strcmp(argv[1], "--version") == 0)
        puts("tc-ar " TC_VERSION_STRING);
    else
        result = run_command(argc, argv);

    /* A full disk behind stdout shows only here. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("tc-ar: cannot write to stdout\n", stderr);
        return TCI_AR_FAILED;
    }
    return result;
}
