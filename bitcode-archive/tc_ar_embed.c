/* tc-ar embed: writes an archive and the files beside it as a C source that defines one object
 * of the type tc_embedded. C++ compilers accept it too. */
#include "tc_ar.h"

#include "archive_file.h"
#include "base/error_text.h"
#include "code_signing.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPS_BYTES_MAX = 64 << 10, PATH_BYTES_MAX = 4096, BYTES_PER_LINE = 24 };

typedef struct embedding {
    const char *output;
} embedding;

#define AT(member) offsetof(embedding, member)

static const tool_option embed_options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_TEXT,
     .value = "OUT.c",
     .offset = AT(output),
     .help = "where to write it; - is stdout"},
};

const tool_command tci_ar_embed_command = {
    .name = "tc-ar embed",
    .usage = "FILE.tca -o OUT.c",
    .summary = "a C source that defines the archive",
    .about =
        "Writes a C source that defines `const tc_embedded NAME_tca`: the archive, the list of "
        "libraries and\nthe signature beside it, for tc_ifunc_open_embedded. NAME is the "
        "function's.\n"
        "tc_add_ifunc(NAME ... EMBED) of the CMake package does this.\n",
    .options = embed_options,
    .option_count = sizeof embed_options / sizeof embed_options[0],
    .rest_min = 1,
    .rest_max = 1,
};

/* Reads a file beside the archive; a missing file gives 0 bytes. */
static tc_status read_beside(const char *path, size_t stem, const char *suffix, size_t max,
                             void **bytes_out, size_t *size_out, tc_error *err)
{
    char beside[PATH_BYTES_MAX];
    *bytes_out = NULL;
    *size_out = 0;
    int n = snprintf(beside, sizeof beside, "%.*s%s", (int)stem, path, suffix);
    if (n < 0 || (size_t)n >= sizeof beside)
        return tci_error_set(err, TC_E_INVALID, "path too long: %.200s...", path);
    tc_status status = tci_archive_file_read(beside, max, bytes_out, size_out, err);
    return status == TC_E_NOT_FOUND ? TC_OK : status;
}

static void print_bytes(FILE *out, const char *type, const char *name, const void *bytes,
                        size_t size)
{
    const unsigned char *at = bytes;
    if (size == 0)
        return;
    (void)fprintf(out, "\nstatic const %s %s[] = {", type, name);
    for (size_t i = 0; i < size; i++)
        (void)fprintf(out, "%s%u,", i % BYTES_PER_LINE == 0 ? "\n    " : " ", at[i]);
    (void)fputs("\n};\n", out);
}

static void print_member(FILE *out, const char *name, size_t size)
{
    if (size > 0)
        (void)fprintf(out, "    %s, sizeof %s,\n", name, name);
    else
        (void)fputs("    NULL, 0,\n", out);
}

/* A list of libraries and a signature are texts, stored as char on every machine: bytes above
 * 0x7f would not be constants of a signed char. */
static tc_status print_source(const tci_ar_input *input, const void *deps, size_t deps_size,
                              const void *signature, size_t signature_size, FILE *out,
                              tc_error *err)
{
    const char *name = tci_archive_name(input->archive);
    for (size_t i = 0; i < deps_size; i++) {
        if (((const unsigned char *)deps)[i] > 0x7f)
            return tci_error_set(err, TC_E_INVALID,
                                 "the list of libraries beside %s has byte 0x%02x at %zu, "
                                 "expected ASCII",
                                 input->path, ((const unsigned char *)deps)[i], i);
    }
    (void)fprintf(out,
                  "/* The function %s, for tc_ifunc_open_embedded. Made by tc-ar embed. */\n"
                  "#include <tc/ifunc.h>\n",
                  name);
    print_bytes(out, "unsigned char", "archive", input->bytes, input->size);
    print_bytes(out, "char", "deps", deps, deps_size);
    print_bytes(out, "char", "signature", signature, signature_size);
    (void)fprintf(out,
                  "\nextern const tc_embedded %s_tca;\n"
                  "const tc_embedded %s_tca = {\n",
                  name, name);
    print_member(out, "archive", input->size);
    print_member(out, "deps", deps_size);
    print_member(out, "signature", signature_size);
    (void)fputs("};\n", out);
    return TC_OK;
}

static tc_status write_source(const tci_ar_input *input, const void *deps, size_t deps_size,
                              const void *signature, size_t signature_size, const char *output,
                              tc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for the source");
    tc_status status =
        print_source(input, deps, deps_size, signature, signature_size, out, err);
    bool failed = ferror(out) != 0;
    if ((fclose(out) != 0 || failed) && status == TC_OK)
        status = tci_error_set(err, TC_E_NO_MEMORY, "no memory for the source");
    if (status == TC_OK)
        status = tci_ar_write_output(output, text, size, err);
    free(text);
    return status;
}

static tc_status embed(const char *path, const char *output, tc_error *err)
{
    tci_ar_input input;
    void *deps = NULL, *signature = NULL;
    size_t deps_size = 0, signature_size = 0, length = strlen(path);
    size_t stem = length > 4 && strcmp(path + length - 4, ".tca") == 0 ? length - 4 : length;
    TC_TRY(tci_ar_input_open(path, &input, err));
    tc_status status = read_beside(path, stem, ".deps", DEPS_BYTES_MAX, &deps, &deps_size, err);
    if (status == TC_OK)
        status = read_beside(path, length, TCI_SIGNATURE_SUFFIX, TCI_MINISIGN_FILE_MAX,
                             &signature, &signature_size, err);
    if (status == TC_OK)
        status = write_source(&input, deps, deps_size, signature, signature_size, output, err);
    free(signature);
    free(deps);
    tci_ar_input_close(&input);
    return status;
}

int tci_ar_embed(int argc, char **argv)
{
    embedding e = {.output = NULL};
    tc_error err;
    int result = tool_options_parse(&tci_ar_embed_command, argc, argv, &e);
    if (result != TOOL_GO_ON)
        return result;
    if (e.output == NULL)
        return tool_options_misused(&tci_ar_embed_command, "embed needs -o OUT.c");
    return embed(argv[optind], e.output, &err) == TC_OK ? TOOL_OK : tci_ar_report(&err);
}
