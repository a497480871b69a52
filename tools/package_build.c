/* tc-package build: makes a package, its header and its local library from a folder of sources.
 * tc-clang and the C compiler do the compiling. */
#include "archive_file.h"
#include "base/error_text.h"
#include "oci_writer.h"
#include "package_output.h"
#include "package_program.h"
#include "package_source.h"
#include "tc_package.h"
#include "tool_status.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(member) offsetof(package_wish, member)

static const tool_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_TEXT,
     .value = "FILE.tcp",
     .offset = AT(output),
     .help = "the package; default: NAME.tcp"},
    {.name = "header",
     .kind = TOOL_TEXT,
     .value = "FILE.h",
     .offset = AT(header),
     .help = "the header for those who send; default: NAME.h beside the package"},
    {.name = "local",
     .kind = TOOL_TEXT,
     .value = "FILE.so",
     .offset = AT(local),
     .help = "the functions as a library; default: libNAME-local.so beside the package"},
    {.name = "no-local", .offset = AT(no_local), .help = "make no such library"},
    {.name = "name",
     .kind = TOOL_TEXT,
     .value = "NAME",
     .offset = AT(name),
     .help = "the package's name; default: the manifest's, or the folder's"},
    {.name = "clang",
     .kind = TOOL_TEXT,
     .value = "PROGRAM",
     .offset = AT(clang),
     .help = "the tc-clang to run; default: the one beside tc-package, or in PATH"},
    {.name = "cc",
     .kind = TOOL_TEXT,
     .value = "PROGRAM",
     .offset = AT(cc),
     .help = "the compiler of the library; default: $CC, or cc"},
    {.name = "rules",
     .kind = TOOL_TEXT,
     .value = "FILE.d",
     .offset = AT(rules),
     .help = "write a rule for make there: what the package was made of"},
    {.name = "oci",
     .kind = TOOL_TEXT,
     .value = "DIR[:TAG]",
     .offset = AT(oci),
     .help = "add the package to this OCI image layout, too; default tag: " OCI_TAG_DEFAULT},
    {.name = "json",
     .letter = 'j',
     .offset = AT(json),
     .help = "what was made as one JSON object"},
    {.name = "quiet", .letter = 'q', .offset = AT(quiet), .help = "print nothing but errors"},
};

const tool_command package_build_command = {
    .name = "tc-package build",
    .usage = "FOLDER [-o NAME.tcp] [options] [-- COMPILER OPTIONS]",
    .summary = "make a package, its header and its local library of a folder",
    .about = "Every source of FOLDER, X.c, is an element: the function X. Ids are 1, 2, ... in "
             "the order of the\nnames, or those of a manifest, FOLDER/" PACKAGE_MANIFEST ".\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .notes = "COMPILER OPTIONS go to tc-clang, and those that do not begin with -- to the C "
             "compiler, too.\n",
    .rest_min = 1,
    .rest_max = PACKAGE_WORDS_MAX / 2,
};

/* --- archives ----------------------------------------------------------------------------- */

/* Adds the headers of an installed library, which lie beside its programs, where compilers may
 * not look. */
static void add_own_headers(package_program *program)
{
    char own[PATH_MAX], header[PATH_MAX + 64];
    package_program_beside("tc-package", own, sizeof own);
    char *slash = strrchr(own, '/');
    if (slash == NULL)
        return;
    *slash = '\0';
    (void)snprintf(header, sizeof header, "%s/../include/tc/package.h", own);
    if (access(header, R_OK) == 0)
        package_program_add(program, "-I%s/../include", own);
}

static tc_status compile(const package_wish *wish, const package_part *part,
                         const package_output *output, const char *path, tc_error *err)
{
    package_program program = {.count = 0};
    char clang[PATH_MAX], rules[PATH_MAX];
    package_program_beside("tc-clang", clang, sizeof clang);
    package_program_add(&program, "%s", wish->clang != NULL ? wish->clang : clang);
    for (size_t i = 0; i < part->source_count; i++)
        package_program_add(&program, "%s", part->sources[i]);
    package_program_add(&program, "--name=%s", part->element.name);
    if (part->element.kind == TCI_ELEMENT_LIBRARY)
        package_program_add(&program, "--library");
    for (size_t i = 0; i < part->use_count; i++)
        package_program_add(&program, "--uses=%s", part->uses[i]);
    package_program_add(&program, "-o");
    package_program_add(&program, "%s", path);
    if (wish->rules != NULL) {
        package_output_path(output, part->element.name, ".d", rules);
        package_program_add(&program, "-MD");
        package_program_add(&program, "-MF");
        package_program_add(&program, "%s", rules);
        package_program_add(&program, "-MT");
        package_program_add(&program, "%s", output->package);
    }
    for (int i = 0; i < wish->flag_count; i++)
        package_program_add(&program, "%s", wish->flags[i]);
    add_own_headers(&program);
    return package_program_run(&program, "--clang=PROGRAM names it", err);
}

/* Reads a file beside an archive. Without that file `*bytes_out` is NULL. */
static tc_status read_beside(const char *path, size_t stem, const char *suffix, size_t max,
                             const char **bytes_out, size_t *size_out, tc_error *err)
{
    char beside[PATH_MAX + 16];
    void *bytes = NULL;
    (void)snprintf(beside, sizeof beside, "%.*s%s", (int)stem, path, suffix);
    tc_status status = tci_archive_file_read(beside, max, &bytes, size_out, err);
    *bytes_out = bytes;
    return status == TC_E_NOT_FOUND ? TC_OK : status;
}

static tc_status look_into(package_part *part, const char *path, tc_error *err)
{
    tci_archive *archive;
    const tci_package_element *element = &part->element;
    tc_status status = tci_archive_open(element->archive, element->archive_size, &archive, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "%s", path);
        return status;
    }
    part->entries = tci_archive_entries(archive);
    if (tci_archive_is_library(archive) != (element->kind == TCI_ELEMENT_LIBRARY))
        status = tci_error_set(err, TC_E_INVALID, "%s: it is a %s, expected a %s", path,
                               tci_archive_is_library(archive) ? "library" : "function",
                               tci_archive_is_library(archive) ? "function" : "library");
    else if (strcmp(tci_archive_name(archive), element->name) != 0)
        status = tci_error_set(err, TC_E_INVALID, "%s: it is that of '%s', expected '%s'", path,
                               tci_archive_name(archive), element->name);
    tci_archive_close(archive);
    return status;
}

static tc_status read_archive(package_part *part, const char *path, tc_error *err)
{
    tci_package_element *element = &part->element;
    size_t length = strlen(path);
    void *bytes;
    TC_TRY(
        tci_archive_file_read(path, TCI_ARCHIVE_FILE_MAX, &bytes, &element->archive_size, err));
    element->archive = bytes;
    TC_TRY(read_beside(path, length - strlen(".tca"), ".deps", TCI_PACKAGE_DEPS_MAX,
                       &element->deps, &element->deps_size, err));
    TC_TRY(read_beside(path, length, ".minisig", TCI_PACKAGE_SIGNATURE_MAX, &element->signature,
                       &element->signature_size, err));
    return look_into(part, path, err);
}

static tc_status make_archives(const package_wish *wish, package_plan *plan,
                               const package_output *output, tc_error *err)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < plan->count; i++) {
        package_part *part = &plan->parts[i];
        const bool made = package_plan_is_archive(part);
        package_output_path(output, part->element.name, ".tca", path);
        if (!made)
            TC_TRY(compile(wish, part, output, path, err));
        TC_TRY(read_archive(part, made ? part->sources[0] : path, err));
    }
    return TC_OK;
}

/* --- results ------------------------------------------------------------------------------ */

static tc_status write_text(const char *path, const package_plan *plan,
                            const tci_content_id *id, const void *bytes, size_t size,
                            tc_error *err)
{
    char *text = NULL;
    size_t text_size = 0;
    FILE *out = open_memstream(&text, &text_size);
    if (out == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for a source");
    if (id != NULL)
        package_source_header(plan, id, out);
    else
        package_source_vector(plan, bytes, size, out);
    tc_status status = fclose(out) == 0
                           ? tci_archive_file_write(path, text, text_size, err)
                           : tci_error_set(err, TC_E_NO_MEMORY, "no memory for a source");
    free(text);
    return status;
}

static tc_status check_local(const package_plan *plan, tc_error *err)
{
    for (size_t i = 0; i < plan->count; i++) {
        const package_part *part = &plan->parts[i];
        const char *why = NULL;
        if (package_plan_is_archive(part))
            why = "it has no source";
        else if (part->element.kind == TCI_ELEMENT_LIBRARY)
            why = "a library that travels would be there twice";
        else if ((part->entries & TCI_ENTRY_ORIGINAL) != 0)
            why = "its payload functions are of the original's API";
        if (why != NULL)
            return tci_error_set(err, TC_E_INVALID,
                                 "no local library can have element '%s', as %s: --no-local",
                                 part->element.name, why);
    }
    return TC_OK;
}

static tc_status make_local(const package_wish *wish, const package_plan *plan,
                            const package_output *output, const void *bytes, size_t size,
                            tc_error *err)
{
    package_program program = {.count = 0};
    char vector[PATH_MAX];
    const char *cc = wish->cc != NULL ? wish->cc : getenv("CC");
    TC_TRY(check_local(plan, err));
    /* The name is unused, as no element has a name with a dash. */
    package_output_path(output, "local-vector", ".c", vector);
    TC_TRY(write_text(vector, plan, NULL, bytes, size, err));
    package_program_add(&program, "%s", cc != NULL && *cc != '\0' ? cc : "cc");
    package_program_add(&program, "-shared");
    package_program_add(&program, "-fPIC");
    package_program_add(&program, "-O2");
    package_program_add(&program, "-fvisibility=hidden");
    package_program_add(&program, "-DTC_PACKAGE_LOCAL");
    package_program_add(&program, "-o");
    package_program_add(&program, "%s", output->local);
    package_program_add(&program, "%s", vector);
    for (size_t i = 0; i < plan->count; i++) {
        for (size_t k = 0; k < plan->parts[i].source_count; k++)
            package_program_add(&program, "%s", plan->parts[i].sources[k]);
    }
    for (int i = 0; i < wish->flag_count; i++) {
        if (strncmp(wish->flags[i], "--", 2) != 0)
            package_program_add(&program, "%s", wish->flags[i]);
    }
    add_own_headers(&program);
    return package_program_run(&program, "--cc=PROGRAM names it, --no-local does without", err);
}

/* Returns whether to make a local library. Without --local, it is not made for a package with a
 * library that travels, which can never have one. */
static bool wants_local(const package_wish *wish, const package_plan *plan)
{
    for (size_t i = 0; i < plan->count && wish->local == NULL && !wish->no_local; i++) {
        if (plan->parts[i].element.kind != TCI_ELEMENT_LIBRARY)
            continue;
        if (!wish->quiet)
            fprintf(stderr,
                    "tc-package: note: no local library is made, as element '%s' is a library "
                    "that travels\n",
                    plan->parts[i].element.name);
        return false;
    }
    return !wish->no_local;
}

static tc_status add_to_layout(const package_wish *wish, const tci_package *package,
                               const void *bytes, size_t size, tc_error *err)
{
    char id[TCI_CONTENT_ID_TEXT];
    if (wish->oci == NULL)
        return TC_OK;
    tci_content_id_text(&package->id, id);
    return oci_writer_add(wish->oci, package->name, id, bytes, size, err);
}

static tc_status write_results(const package_wish *wish, const package_plan *plan,
                               const package_output *output, const tci_package *package,
                               const void *bytes, size_t size, tc_error *err)
{
    if (wants_local(wish, plan))
        TC_TRY(make_local(wish, plan, output, bytes, size, err));
    TC_TRY(write_text(output->header, plan, &package->id, NULL, 0, err));
    TC_TRY(tci_archive_file_write(output->package, bytes, size, err));
    TC_TRY(add_to_layout(wish, package, bytes, size, err));
    TC_TRY(package_output_rules(wish, plan, output, err));
    if (!wish->quiet)
        package_list_print(output->package, package, size, wish->json);
    return TC_OK;
}

static tc_status pack(const package_wish *wish, const package_plan *plan,
                      const package_output *output, tc_error *err)
{
    tci_package_element elements[TCI_PACKAGE_ELEMENTS_MAX];
    tci_package package = {.count = plan->count, .elements = elements};
    void *bytes;
    size_t size;
    memcpy(package.name, plan->name, sizeof package.name);
    for (size_t i = 0; i < plan->count; i++)
        elements[i] = plan->parts[i].element;
    TC_TRY(tci_package_write(&package, &bytes, &size, err));
    tc_status status = write_results(wish, plan, output, &package, bytes, size, err);
    free(bytes);
    return status;
}

static tc_status build(const package_wish *wish, tc_error *err)
{
    package_plan *plan;
    package_output output;
    TC_TRY(package_plan_create(wish->folder, wish->name, &plan, err));
    tc_status status = package_output_begin(wish, plan, &output, err);
    if (status == TC_OK)
        status = make_archives(wish, plan, &output, err);
    if (status == TC_OK)
        status = pack(wish, plan, &output, err);
    package_output_end(&output);
    package_plan_destroy(plan);
    return status;
}

int package_build(int argc, char **argv)
{
    package_wish wish = {.name = NULL};
    tc_error err;
    int result = tool_options_parse(&package_build_command, argc, argv, &wish);
    if (result != TOOL_GO_ON)
        return result;
    if (wish.no_local && wish.local != NULL)
        return tool_options_misused(&package_build_command,
                                    "expected one of --local and --no-local at most");
    wish.folder = argv[optind];
    wish.flags = argv + optind + 1;
    wish.flag_count = argc - optind - 1;
    return build(&wish, &err) == TC_OK ? TOOL_OK : package_report(&err);
}
