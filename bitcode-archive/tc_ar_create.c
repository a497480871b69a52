/* tc-ar create: links, checks and packs bitcode files, one for each target, into an archive. */
#include "tc_ar.h"

#include "archive_file.h"
#include "code_signing.h"
#include "archive_name.h"
#include "archive_output.h"
#include "base/error_text.h"
#include "foreign_words.h"
#include "ifunc_module.h"
#include "image_make.h"
#include "image_object.h"
#include "prototype.h"
#include "slice_choice.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEPS_BYTES_MAX = 64 << 10, PATH_BYTES_MAX = 4096 };

#define OPT_LEVEL '2'

typedef struct create_command {
    const char *name;
    char **files;
    size_t file_count;
    const char *output;
    const char *deps;        /* NULL: not given */
    tci_text_list libraries; /* its lines, or those of the existing file */
    bool allow_asm;
    bool is_library;
    bool plain;            /* without a dictionary */
    const char *forms;     /* NULL: not given */
    const char *prototype; /* NULL: that of the bitcode, if it has one */
    tci_slice_choice slices;
} create_command;

#define AT(member) offsetof(create_command, member)

static const tool_option create_options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_TEXT,
     .value = "FILE",
     .offset = AT(output),
     .help = "the archive; must end in .tca"},
    {.name = "forms",
     .kind = TOOL_NAMES,
     .value = "A,B",
     .words = "bitcode,image",
     .offset = AT(forms),
     .help = "bitcode, image; default: both, images where the target has them"},
    {.name = "deps",
     .kind = TOOL_TEXT,
     .value = "FILE",
     .offset = AT(deps),
     .help = "libraries that the code needs, one soname per line; copied to NAME.deps"},
    {.name = "prototype",
     .kind = TOOL_TEXT,
     .value = "TEXT",
     .offset = AT(prototype),
     .help = "the types of arguments and answer, such as '(f64,i32[])->f64'"},
    {.name = "library",
     .offset = AT(is_library),
     .help = "a library that travels: it exports all that is neither static nor hidden"},
    {.name = "allow-asm", .offset = AT(allow_asm), .help = "accept inline assembly"},
    {.name = "no-dictionary",
     .offset = AT(plain),
     .help = "pack without a dictionary, for readers that have none"},
};

const tool_command tci_ar_create_command = {
    .name = "tc-ar create",
    .usage = "NAME a.bc b.bc ... -o NAME.tca [--deps FILE]",
    .summary = "pack bitcode, one file per target, and images of it",
    .about = "Packs LLVM bitcode, one file per target, that defines NAME_main, or a library's "
             "functions. The target\nis the one that the bitcode names. The same checks are "
             "made as by tc-clang, which also tells "
             "file and line "
             "when the\nbitcode has debug information.\n",
    .options = create_options,
    .option_count = sizeof create_options / sizeof create_options[0],
    .rest_min = 2,
    .rest_max = INT_MAX,
};

/* Checks the parts of its language's runtime that the code needs. */
static tc_status check_runtime(const create_command *c, const char *path,
                               const tci_ifunc_code *code, tci_text_list *findings,
                               tc_error *err)
{
    const size_t found = findings->count;
    tci_text_list warnings = {0};
    tci_foreign_words_of_symbols(&code->symbols, &c->libraries, path, findings, &warnings);
    for (size_t i = 0; i < warnings.count; i++)
        fprintf(stderr, "%s\n", warnings.items[i]);
    tci_text_list_fini(&warnings);
    return findings->count > found
               ? tci_error_set(err, TC_E_UNSUPPORTED, "%s: the code for %s cannot be shipped",
                               c->name, code->triple)
               : TC_OK;
}

/* Makes the slice of one file. */
static tc_status make_code(const create_command *c, const char *path, tci_text_list *findings,
                           tci_ifunc_code *code_out, tc_error *err)
{
    tci_ifunc_policy policy = {.name = c->name,
                               .is_library = c->is_library,
                               .allow_asm = c->allow_asm,
                               .for_image = c->slices.images,
                               .opt_level = OPT_LEVEL};
    tci_ifunc_module *module = NULL;
    void *bytes = NULL;
    size_t size = 0;
    TC_TRY(tci_archive_file_read(path, TCI_ARCHIVE_SLICE_BYTES_MAX, &bytes, &size, err));
    tc_status status = tci_ifunc_module_create(&policy, findings, &module, err);
    if (status == TC_OK)
        status = tci_ifunc_module_add(module, path, bytes, size, err);
    if (status == TC_OK)
        status = tci_ifunc_module_finish(module, code_out, err);
    if (status == TC_OK)
        status = check_runtime(c, path, code_out, findings, err);
    tci_ifunc_module_destroy(module);
    free(bytes);
    return status;
}

static tc_status check_new_target(const create_command *c, const tci_ifunc_code *codes,
                                  size_t index, tc_error *err)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(codes[i].triple, codes[index].triple) == 0)
            return tci_error_set(err, TC_E_IN_USE, "%s and %s are both for %s", c->files[i],
                                 c->files[index], codes[i].triple);
    }
    return TC_OK;
}

/* Processes all files, so that one run reports all problems. */
static tc_status make_codes(const create_command *c, tci_ifunc_code *codes, tc_error *err)
{
    tc_status status = TC_OK;
    for (size_t i = 0; i < c->file_count; i++) {
        tci_text_list findings = {0};
        tc_status one = make_code(c, c->files[i], &findings, &codes[i], err);
        for (size_t k = 0; k < findings.count; k++)
            fprintf(stderr, "%s\n", findings.items[k]);
        tci_text_list_fini(&findings);
        if (one == TC_OK)
            one = check_new_target(c, codes, i, err);
        if (one != TC_OK)
            status = one;
        if (one != TC_OK && one != TC_E_UNSUPPORTED)
            break;
    }
    return status;
}

/* States the prototype of the command line for each target. */
static tc_status state_prototype(const create_command *c, tci_ifunc_code *codes, size_t count,
                                 tc_error *err)
{
    for (size_t i = 0; i < count && c->prototype != NULL; i++) {
        char *own = codes[i].payload.prototype;
        if (own[0] != '\0' && strcmp(own, c->prototype) != 0)
            return tci_error_set(err, TC_E_INVALID,
                                 "--prototype '%.200s': the code states '%.200s'", c->prototype,
                                 own);
        memcpy(own, c->prototype, strlen(c->prototype) + 1); /* create() has checked it */
    }
    return TC_OK;
}

/* Bitcode for a machine without images gives only bitcode, unless images alone are wanted. */
static tc_status make_images(const create_command *c, const tci_ifunc_code *codes,
                             tci_ifunc_code *images, size_t *count_out, tc_error *err)
{
    size_t count = 0;
    tc_status status = TC_OK;
    for (size_t i = 0; i < c->file_count && status == TC_OK && c->slices.images; i++) {
        if (c->slices.bitcode && !tci_image_object_knows(codes[i].triple, codes[i].cpu_level))
            continue;
        status = tci_image_make(&codes[i], c->name, OPT_LEVEL, &images[count], err);
        count += status == TC_OK;
    }
    *count_out = count;
    return status;
}

/* `codes` has capacity for twice the files: bitcode first, then images. */
static tc_status make_archive(const create_command *c, tci_ifunc_code *codes, void **bytes_out,
                              size_t *size_out, tc_error *err)
{
    tci_ifunc_code *images = codes + c->file_count;
    size_t image_count = 0;
    TC_TRY(make_codes(c, codes, err));
    TC_TRY(make_images(c, codes, images, &image_count, err));
    size_t count = image_count + (c->slices.bitcode ? c->file_count : 0);
    TC_TRY(state_prototype(c, c->slices.bitcode ? codes : images, count, err));
    return tci_archive_output_pack(c->name, c->slices.bitcode ? codes : images, count, c->plain,
                                   bytes_out, size_out, err);
}

static tc_status read_deps(const char *path, tci_text_list *names_out, tc_error *err)
{
    void *bytes = NULL;
    size_t size = 0;
    TC_TRY(tci_archive_file_read(path, DEPS_BYTES_MAX, &bytes, &size, err));
    const char *text = bytes;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - text) - at : size - at;
        size_t used = length;
        while (used > 0 && (text[at + used - 1] == ' ' || text[at + used - 1] == '\r'))
            used--;
        if (memchr(text + at, '\0', used) != NULL) {
            free(bytes);
            return tci_error_set(err, TC_E_INVALID,
                                 "%s: a zero byte, expected one name per line", path);
        }
        if (used > 0)
            tci_text_list_add_bytes(names_out, text + at, used);
        at += length + 1;
    }
    free(bytes);
    if (names_out->failed)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: no memory for its names", path);
    return TC_OK;
}

/* A .deps file that a user wrote by hand is not overwritten, but it counts: it is part of the
 * data sent. */
static tc_status write_deps(const create_command *c, tc_error *err)
{
    char deps[PATH_BYTES_MAX];
    TC_TRY(tci_archive_output_deps_path(c->output, deps, sizeof deps, err));
    if (c->deps != NULL)
        return tci_archive_output_write_deps(c->output, &c->libraries, err);
    if (access(deps, F_OK) == 0)
        fprintf(stderr, "tc-ar: note: %s is there and stays as it is\n", deps);
    return TC_OK;
}

/* Also refuses a bad -o early. */
static tc_status read_libraries(create_command *c, tc_error *err)
{
    char deps[PATH_BYTES_MAX];
    TC_TRY(tci_archive_output_deps_path(c->output, deps, sizeof deps, err));
    if (c->deps == NULL && access(deps, F_OK) != 0)
        return TC_OK;
    return read_deps(c->deps != NULL ? c->deps : deps, &c->libraries, err);
}

static tc_status create(create_command *c, tc_error *err)
{
    void *bytes = NULL;
    size_t size = 0;
    TC_TRY(tci_archive_check_name(c->name, TC_E_INVALID, err));
    if (c->prototype != NULL)
        TC_TRY(tci_prototype_check(c->prototype, TC_E_INVALID, err));
    TC_TRY(read_libraries(c, err));
    tci_ifunc_code *codes = calloc(2 * c->file_count, sizeof *codes);
    if (codes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for %zu slices", c->file_count);
    tc_status status = make_archive(c, codes, &bytes, &size, err);
    if (status == TC_OK)
        status = write_deps(c, err);
    if (status == TC_OK)
        status = tci_code_signing_remove(c->output, err);
    if (status == TC_OK)
        status = tci_archive_file_write(c->output, bytes, size, err);
    free(bytes);
    for (size_t i = 0; i < 2 * c->file_count; i++)
        tci_ifunc_code_fini(&codes[i]);
    free(codes);
    return status;
}

/* Bitcode from unknown sources may crash LLVM in spite of the checks, so a child does the
 * work. */
static int create_apart(create_command *c)
{
    int status = 0;
    tc_error err;
    (void)fflush(NULL);
    const pid_t worker = fork();
    if (worker == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* ends with tc-ar */
        exit(create(c, &err) == TC_OK ? TOOL_OK : tci_ar_report(&err));
    }
    if (worker < 0 || waitpid(worker, &status, 0) != worker)
        (void)tci_error_set(&err, TC_E_IO, "no process for the work: %s", strerror(errno));
    else if (WIFSIGNALED(status))
        (void)tci_error_set(&err, TC_E_COMPILE,
                            "%s: LLVM ended by signal %d (%s) over the bitcode, expected code "
                            "as a compiler makes it",
                            c->name, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        return WEXITSTATUS(status);
    return tci_ar_report(&err);
}

int tci_ar_create(int argc, char **argv)
{
    create_command c = {.slices = tci_slice_choice_default()};
    tc_error err;
    int result = tool_options_parse(&tci_ar_create_command, argc, argv, &c);
    if (result != TOOL_GO_ON)
        return result;
    if (c.forms != NULL && tci_slice_choice_forms(&c.slices, c.forms, &err) != TC_OK)
        return tool_options_misused(&tci_ar_create_command, "%s", err.text);
    if (c.is_library && c.prototype != NULL)
        return tool_options_misused(&tci_ar_create_command,
                                    "--prototype '%s': a library has none", c.prototype);
    if (c.output == NULL)
        return tool_options_misused(&tci_ar_create_command, "create needs -o NAME.tca");
    c.name = argv[optind];
    c.files = argv + optind + 1;
    c.file_count = (size_t)(argc - optind - 1);
    const int status = create_apart(&c);
    tci_text_list_fini(&c.libraries);
    return status;
}
