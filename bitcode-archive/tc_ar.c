/* tc-ar: inspects, checks and signs .tca archives, extracts slices and creates archives. */
#include "tc_ar.h"

#include "archive_file.h"
#include "base/error_text.h"
#include "code_signing.h"
#include "image.h"
#include "tool_json.h"

#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const tool_command *const commands[] = {
    &tci_ar_list_command,
    &tci_ar_show_command,
    &tci_ar_extract_command,
    &tci_ar_embed_command,
    &tci_ar_verify_command,
    &tci_ar_keygen_command,
    &tci_ar_sign_command,
    &tci_ar_digest_command,
#ifdef TC_WITH_LLVM
    &tci_ar_create_command,
#endif
    NULL,
};

static int (*const runs[])(int argc, char **argv) = {
    tci_ar_list,   tci_ar_show,   tci_ar_extract, tci_ar_embed,
    tci_ar_verify, tci_ar_keygen, tci_ar_sign,    tci_ar_digest,
#ifdef TC_WITH_LLVM
    tci_ar_create,
#endif
};

static const tool_command program = {
    .name = "tc-ar",
    .usage = "COMMAND ...\nCOMMAND --help",
    .about =
        "Looks into .tca archives, which hold one function's code for several targets; checks, "
        "signs and\nmakes them.\n",
    .commands = commands,
};

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

tc_status tci_ar_write_output(const char *path, const void *bytes, size_t size, tc_error *err)
{
    if (strcmp(path, "-") != 0)
        return tci_archive_file_write(path, bytes, size, err);
    if (fwrite(bytes, 1, size, stdout) != size)
        return tci_error_set(err, TC_E_IO, "stdout: cannot write %zu bytes", size);
    return TC_OK;
}

int tci_ar_report(const tc_error *err)
{
    fprintf(stderr, "tc-ar: %s\n", err->text);
    return TOOL_FAILED;
}

/* --- extract ----------------------------------------------------------------------------- */

typedef struct extraction {
    const char *path;
    const char *output;
    char triple[TCI_TRIPLE_MAX];
    bool image;
    unsigned level; /* of the image */
} extraction;

static bool take_level(void *into, const tool_option *row, const char *text);

#define AT(member) offsetof(extraction, member)

static const tool_option extract_options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_TEXT,
     .value = "OUT",
     .offset = AT(output),
     .help = "where to write it"},
    {.name = "image",
     .kind = TOOL_OTHER,
     .value = "[=LEVEL]",
     .take = take_level,
     .help = "the image, not the bitcode; of a CPU level by number; default: 0, for every CPU"},
};

const tool_command tci_ar_extract_command = {
    .name = "tc-ar extract",
    .usage = "FILE TRIPLE [--image[=LEVEL]] -o OUT",
    .summary = "write the code for one target",
    .about = "Writes the slice for TRIPLE (\"aarch64\", \"x86_64-pc-linux-gnu\") to OUT; - is "
             "stdout.\n",
    .options = extract_options,
    .option_count = sizeof extract_options / sizeof extract_options[0],
    .rest_min = 2,
    .rest_max = 2,
};

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
        status = tci_ar_write_output(e->output, tci_archive_slice_bytes(input.archive, index),
                                     tci_archive_slice(input.archive, index)->size, err);
    tci_ar_input_close(&input);
    return status;
}

static bool take_level(void *into, const tool_option *row, const char *text)
{
    extraction *e = into;
    char *end;
    (void)row;
    e->image = true;
    if (text == NULL)
        return true;
    unsigned long level = strtoul(text, &end, 10);
    e->level = (unsigned)level;
    if (*text >= '0' && *text <= '9' && *end == '\0' && level <= UINT8_MAX)
        return true;
    (void)tool_options_misused(&tci_ar_extract_command, "'%s' is no CPU level, 0 to 255", text);
    return false;
}

int tci_ar_extract(int argc, char **argv)
{
    extraction e = {.output = NULL};
    tc_error err;
    int result = tool_options_parse(&tci_ar_extract_command, argc, argv, &e);
    if (result != TOOL_GO_ON)
        return result;
    if (e.output == NULL)
        return tool_options_misused(&tci_ar_extract_command, "extract needs -o OUT");
    const char *wanted = argv[optind + 1];
    if (!tci_triple_normalise(wanted, strlen(wanted), e.triple))
        return tool_options_misused(&tci_ar_extract_command, "'%s' is not a target triple",
                                    wanted);
    e.path = argv[optind];
    return extract(&e, &err) == TC_OK ? TOOL_OK : tci_ar_report(&err);
}

/* --- verify ------------------------------------------------------------------------------ */

typedef struct verification {
    const char *key_path; /* NULL: signatures are not checked */
    bool json;
} verification;

#undef AT
#define AT(member) offsetof(verification, member)

static const tool_option verify_options[] = {
    {.name = "key",
     .letter = 'k',
     .kind = TOOL_TEXT,
     .value = "KEY.pub",
     .offset = AT(key_path),
     .help = "each has a signature of this key beside it: FILE.minisig"},
    {.name = "json",
     .letter = 'j',
     .offset = AT(json),
     .help = "one array with an object per file"},
};

const tool_command tci_ar_verify_command = {
    .name = "tc-ar verify",
    .usage = "[--key KEY.pub] [--json] FILE...",
    .summary = "check every byte, and signatures; status 1 when one fails",
    .about = "Checks the checksum, the format and the limits of each archive and unpacks all "
             "of it; checks "
             "the images\nin it. Every file gets a line. What the code itself does is not "
             "looked at.\n",
    .options = verify_options,
    .option_count = sizeof verify_options / sizeof verify_options[0],
    .notes = "Exit status: 0 all good, 1 a file failed, 2 wrong arguments.\n",
    .rest_min = 1,
    .rest_max = INT_MAX,
};

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

/* On TC_OK `input_out` is for tci_ar_input_close. `key` NULL: signatures are not checked. */
static tc_status verify_file(const char *path, const tci_minisign_public *key,
                             tci_ar_input *input_out, tc_error *err)
{
    TC_TRY(tci_ar_input_open(path, input_out, err));
    tc_status status = verify_images(input_out, err);
    if (status == TC_OK && key != NULL)
        status = tci_code_signing_verify(path, key, err);
    if (status != TC_OK)
        tci_ar_input_close(input_out);
    return status;
}

static void print_found(const tci_ar_input *input, bool has_key, bool json)
{
    const char *name = tci_archive_name(input->archive);
    size_t slices = tci_archive_slice_count(input->archive);
    if (!json) {
        printf("ok: %s: %s, %zu slices, %zu bytes%s\n", input->path, name, slices, input->size,
               has_key ? ", signed" : "");
        return;
    }
    fputs("{\"ok\": true, ", stdout);
    tool_json_member(stdout, "file", input->path);
    fputs(", ", stdout);
    tool_json_member(stdout, "name", name);
    printf(", \"slices\": %zu, \"bytes\": %zu, \"signed\": %s}", slices, input->size,
           has_key ? "true" : "null");
}

static void print_failure(const char *path, const tc_error *err, bool json)
{
    if (!json) {
        printf("failed: %s (%s)\n", err->text, tc_status_name(err->status));
        return;
    }
    fputs("{\"ok\": false, ", stdout);
    tool_json_member(stdout, "file", path);
    fputs(", ", stdout);
    tool_json_member(stdout, "status", tc_status_name(err->status));
    fputs(", ", stdout);
    tool_json_member(stdout, "error", err->text);
    putchar('}');
}

static int verify_files(char **paths, int count, const tci_minisign_public *key, bool json)
{
    int result = TOOL_OK;
    for (int i = 0; i < count; i++) {
        tci_ar_input input;
        tc_error err;
        if (json)
            fputs(i == 0 ? "[" : ",\n", stdout);
        if (verify_file(paths[i], key, &input, &err) == TC_OK) {
            print_found(&input, key != NULL, json);
            tci_ar_input_close(&input);
        } else {
            print_failure(paths[i], &err, json);
            result = TOOL_FAILED;
        }
    }
    if (json)
        puts("]");
    return result;
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
    verification v = {.key_path = NULL};
    tci_minisign_public key;
    tc_error err;
    int result = tool_options_parse(&tci_ar_verify_command, argc, argv, &v);
    if (result != TOOL_GO_ON)
        return result;
    if (v.key_path != NULL && read_public_key(v.key_path, &key, &err) != TC_OK)
        return tci_ar_report(&err);
    return verify_files(argv + optind, argc - optind, v.key_path != NULL ? &key : NULL, v.json);
}

/* --- main -------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    int result = tool_options_parse(&program, argc, argv, NULL);
    if (result == TOOL_GO_ON)
        result = tool_options_run(&program, runs, argc, argv);
    return tool_options_finish(&program, result);
}
