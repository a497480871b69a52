/* Runs --check-abi first, when asked (layout_check.h). Then four steps: clang makes bitcode of
 * each source for each target; this program links, checks and shrinks it; LLVM and lld make
 * images of it; the archive writer packs all slices together. Nothing is written before all of
 * it has succeeded. */
#include "archive_file.h"
#include "code_signing.h"
#include "archive_output.h"
#include "base/error_text.h"
#include "clang_run.h"
#include "command_line.h"
#include "engine/orc/llvm_compat.h"
#include "header_deps.h"
#include "ifunc_module.h"
#include "image_make.h"
#include "layout_check.h"
#include "link_deps.h"
#include "library_object.h"
#include "command_option.h"
#include "stub_run.h"
#include "tool_completion.h"
#include "tool_help.h"
#include "tool_status.h"
#include "tool_options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXIT_COMMAND_LINE = TOOL_USAGE,
    OPTIONS_MAX = 64,
    SLICES_MAX = TCI_TARGETS_MAX * (1 + TCI_CPU_LEVEL_MAX + 1) /* bitcode, an image per level */
};

typedef struct slices {
    tci_ifunc_code codes[SLICES_MAX];
    size_t count;
    tci_text_list findings;
    tci_text_list rules; /* for make */
} slices;

static void print_error(const tc_error *err)
{
    (void)fprintf(stderr, "tc-clang: error: %s\n", err->text);
}

static bool is_llvm_file(const char *source)
{
    size_t n = strlen(source);
    return n > 3 && (strcmp(source + n - 3, ".bc") == 0 || strcmp(source + n - 3, ".ll") == 0);
}

static tc_status run_clang(const tci_command *command, tci_text_list *words,
                           tci_text_list *rules, void **bytes_out, size_t *size_out,
                           tc_error *err)
{
    int rule = -1;
    tc_error rule_error;
    if (command->verbose && !words->failed)
        tci_clang_print(words, stderr);
    TC_TRY(tci_header_deps_begin(command, words, &rule, err));
    tc_status status = tci_clang_run(words, bytes_out, size_out, err);
    tc_status rule_status = tci_header_deps_end(rule, rules, &rule_error);
    if (status != TC_OK || rule_status == TC_OK)
        return status;
    free(*bytes_out);
    *err = rule_error;
    return rule_status;
}

static tc_status compile_source(const tci_command *command, const tci_target *target,
                                unsigned cpu_level, const char *source, tci_text_list *rules,
                                void **bytes_out, size_t *size_out, tc_error *err)
{
    if (is_llvm_file(source))
        return tci_archive_file_read(source, TCI_ARCHIVE_SLICE_BYTES_MAX, bytes_out, size_out,
                                     err);
    tci_text_list words = {0};
    tci_clang_command(command, target, cpu_level, source, &words);
    tc_status status = run_clang(command, &words, rules, bytes_out, size_out, err);
    tci_text_list_fini(&words);
    if (status == TC_E_COMPILE)
        tci_target_table_explain_headers(target, tci_command_is_cxx(source));
    if (status != TC_OK)
        tci_error_prefix(err, "%s for %s", source, target->triple);
    return status;
}

static tc_status add_sources(const tci_command *command, const tci_target *target,
                             unsigned cpu_level, tci_ifunc_module *module, tci_text_list *rules,
                             tc_error *err)
{
    for (size_t i = 0; i < command->sources.count; i++) {
        void *bytes = NULL;
        size_t size = 0;
        const char *source = command->sources.items[i];
        TC_TRY(compile_source(command, target, cpu_level, source, rules, &bytes, &size, err));
        tc_status status = is_llvm_file(source)
                               ? tci_ifunc_module_add(module, source, bytes, size, err)
                               : tci_ifunc_module_add_raw(module, source, bytes, size, err);
        free(bytes);
        TC_TRY(status);
    }
    return TC_OK;
}

static tc_status check_target(const tci_target *target, const tci_ifunc_code *code,
                              tc_error *err)
{
    if (strcmp(code->triple, target->triple) == 0)
        return TC_OK;
    return tci_error_set(err, TC_E_INVALID, "the code is for %s, but --targets names %s",
                         code->triple, target->triple);
}

static tc_status make_image(const tci_command *command, const tci_target *target,
                            tci_ifunc_module *module, slices *made, tc_error *err)
{
    tci_ifunc_code code = {0};
    TC_TRY(tci_ifunc_module_finish_for_image(module, &code, err));
    tc_status status = check_target(target, &code, err);
    if (status == TC_OK)
        status = tci_image_make(&code, command->name, command->opt_level,
                                &made->codes[made->count], err);
    made->count += status == TC_OK;
    tci_ifunc_code_fini(&code);
    return status;
}

static tc_status make_bitcode(const tci_target *target, tci_ifunc_module *module, slices *made,
                              tc_error *err)
{
    tci_ifunc_code *code = &made->codes[made->count];
    TC_TRY(tci_ifunc_module_finish(module, code, err));
    tc_status status = check_target(target, code, err);
    if (status == TC_OK)
        made->count++;
    else
        tci_ifunc_code_fini(code);
    return status;
}

/* Makes the slices of one compilation. */
static tc_status make_slices(const tci_command *command, const tci_target *target,
                             unsigned cpu_level, slices *made, tc_error *err)
{
    tci_text_list findings = {0};
    tci_ifunc_policy policy = {.name = command->name,
                               .is_library = command->is_library,
                               .allow_asm = command->allow_asm,
                               .keep_debug = command->keep_debug,
                               .for_image = command->slices.images,
                               .cpu_level = (uint8_t)cpu_level,
                               .opt_level = command->opt_level};
    tci_ifunc_module *module = NULL;
    TC_TRY(tci_ifunc_module_create(&policy, &findings, &module, err));
    tc_status status = add_sources(command, target, cpu_level, module, &made->rules, err);
    if (status == TC_OK && command->slices.images)
        status = make_image(command, target, module, made, err);
    if (status == TC_OK && command->slices.bitcode && cpu_level == TCI_CPU_ANY)
        status = make_bitcode(target, module, made, err);
    tci_ifunc_module_destroy(module);
    tci_text_list_add_all(&made->findings, &findings);
    tci_text_list_fini(&findings);
    return status;
}

static tc_status make_slices_of_target(const tci_command *command, const tci_target *target,
                                       slices *made, tc_error *err)
{
    TC_TRY(make_slices(command, target, TCI_CPU_ANY, made, err));
    for (unsigned level = TCI_CPU_ANY + 1; level <= TCI_CPU_LEVEL_MAX; level++) {
        if (tci_slice_choice_has_level(&command->slices, target->triple, level))
            TC_TRY(make_slices(command, target, level, made, err));
    }
    return TC_OK;
}

/* Each object states its machine itself. */
static tc_status take_shared_objects(const tci_command *command, slices *made, tc_error *err)
{
    for (size_t i = 0; i < command->sources.count; i++) {
        if (made->count == SLICES_MAX)
            return tci_error_set(err, TC_E_TOO_LARGE, "more than %d shared objects",
                                 SLICES_MAX);
        TC_TRY(tci_library_object_read(command->sources.items[i], command->name,
                                       &made->codes[made->count], err));
        made->count++;
    }
    return TC_OK;
}

/* A finding in the code of one target does not hide those that only another target has. */
static tc_status compile_targets(const tci_command *command, slices *made, tc_error *err)
{
    tc_status status = TC_OK;
    if (command->is_library && tci_library_object_is(command->sources.items[0]))
        return take_shared_objects(command, made, err);
    for (size_t i = 0; i < command->target_count; i++) {
        tc_status one = make_slices_of_target(command, command->targets[i], made, err);
        if (one != TC_OK)
            status = one;
        if (one != TC_OK && one != TC_E_UNSUPPORTED)
            break;
    }
    for (size_t i = 0; i < made->findings.count; i++)
        (void)fprintf(stderr, "%s\n", made->findings.items[i]);
    return status;
}

/* Returns whether the code of some target needs C++'s own library, which clang++ would link by
 * default. */
static bool needs_cxx_library(const tci_command *command, const slices *made)
{
    static const char *const prefixes[] = {"_Z", "__cxa_", "__gxx_"};
    bool is_cxx = false;
    for (size_t i = 0; i < command->sources.count; i++)
        is_cxx |= tci_command_is_cxx(command->sources.items[i]);
    for (size_t i = 0; i < made->count && is_cxx; i++) {
        const tci_text_list *symbols = &made->codes[i].symbols;
        for (size_t k = 0; k < symbols->count; k++) {
            for (size_t p = 0; p < sizeof prefixes / sizeof prefixes[0]; p++) {
                if (strncmp(symbols->items[k], prefixes[p], strlen(prefixes[p])) == 0)
                    return true;
            }
        }
    }
    return false;
}

static tc_status list_libraries(const tci_command *command, const slices *made,
                                tci_text_list *sonames, tc_error *err)
{
    tci_text_list libraries = {0};
    tci_text_list_add_all(sonames, &command->used);
    tci_text_list_add_all(&libraries, &command->libraries);
    if (needs_cxx_library(command, made))
        tci_text_list_add_once(&libraries, "stdc++");
    tc_status status = libraries.failed
                           ? tci_error_set(err, TC_E_NO_MEMORY, "no memory for library names")
                           : tci_link_deps(&libraries, &command->folders, sonames, err);
    tci_text_list_fini(&libraries);
    return status;
}

/* Writes the .deps file first: an archive must never be found without its list of libraries,
 * nor with the signature of another. */
static tc_status write_files(const tci_command *command, const slices *made,
                             const tci_minisign_secret *secret, tc_error *err)
{
    tci_text_list sonames = {0};
    void *bytes = NULL;
    size_t size = 0;
    tc_status status = list_libraries(command, made, &sonames, err);
    if (status == TC_OK)
        status = tci_archive_output_pack(command->name, made->codes, made->count,
                                         command->plain, &bytes, &size, err);
    if (status == TC_OK)
        status = tci_archive_output_write_deps(command->output, &sonames, err);
    if (status == TC_OK)
        status = tci_header_deps_write(command, &made->rules, err);
    if (status == TC_OK)
        status = tci_code_signing_remove(command->output, err);
    if (status == TC_OK)
        status = tci_archive_file_write(command->output, bytes, size, err);
    if (status == TC_OK && command->signing_key != NULL)
        status = tci_code_signing_sign(command->output, secret, err);
    free(bytes);
    tci_text_list_fini(&sonames);
    return status;
}

/* Reports success too, for users that ask only for this check. */
static void say_alike(const tci_command *command)
{
    for (size_t i = 0; i < command->compared.count; i++)
        printf("%s'%s'", i == 0 ? "" : ", ", command->compared.items[i]);
    printf(": alike on");
    for (size_t t = 0; t < command->target_count; t++)
        printf("%s %s", t == 0 ? "" : " and", command->targets[t]->triple);
    printf("\n");
}

static tc_status check_layouts(const tci_command *command, tc_error *err)
{
    tci_text_list findings = {0};
    tc_status status = tci_layout_check(command, &findings, err);
    for (size_t i = 0; i < findings.count; i++)
        (void)fprintf(stderr, "%s\n", findings.items[i]);
    tci_text_list_fini(&findings);
    if (status == TC_OK && command->output == NULL)
        say_alike(command);
    return status;
}

static int make_stubs(const tci_command *command)
{
    tc_error err = {0};
    if (tci_stub_run(command, &err) == TC_OK)
        return EXIT_SUCCESS;
    print_error(&err);
    return EXIT_FAILURE;
}

static int compile(const tci_command *command)
{
    slices made = {.count = 0};
    tci_minisign_secret secret = {0};
    tc_error err = {0};
    tc_status status = TC_OK;
    if (command->signing_key != NULL)
        status = tci_code_signing_key(command->signing_key, &secret, &err);
    if (status == TC_OK && command->compared.count > 0)
        status = check_layouts(command, &err);
    if (status == TC_OK && command->output != NULL)
        status = compile_targets(command, &made, &err);
    if (status == TC_OK && command->output != NULL)
        status = write_files(command, &made, &secret, &err);
    tci_minisign_secret_wipe(&secret);
    if (status != TC_OK)
        print_error(&err);
    for (size_t i = 0; i < made.count; i++)
        tci_ifunc_code_fini(&made.codes[i]);
    tci_text_list_fini(&made.findings);
    tci_text_list_fini(&made.rules);
    return status == TC_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void show_commands_of(const tci_command *command, const tci_target *target,
                             unsigned cpu_level)
{
    for (size_t i = 0; i < command->sources.count; i++) {
        tci_text_list words = {0};
        if (is_llvm_file(command->sources.items[i]))
            continue;
        tci_clang_command(command, target, cpu_level, command->sources.items[i], &words);
        tci_clang_print(&words, stdout);
        tci_text_list_fini(&words);
    }
}

static int show_commands(const tci_command *command)
{
    if (command->stubs != NULL)
        tci_stub_run_show(command, stdout);
    tci_layout_check_show(command, stdout);
    for (size_t t = 0; t < command->target_count && command->output != NULL; t++) {
        const tci_target *target = command->targets[t];
        show_commands_of(command, target, TCI_CPU_ANY);
        for (unsigned level = TCI_CPU_ANY + 1; level <= TCI_CPU_LEVEL_MAX; level++) {
            if (tci_slice_choice_has_level(&command->slices, target->triple, level))
                show_commands_of(command, target, level);
        }
    }
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int show_version(void)
{
    int result = tool_options_version("tc-clang");
    (void)printf("clang: %s\nlld: %s\n", tci_clang_program(), tci_image_make_linker());
    return result;
}

static int show_completion(const char *shell)
{
    tool_option rows[OPTIONS_MAX];
    const tool_command tc_clang = {.name = "tc-clang",
                                   .usage = "SOURCE.c... [-o NAME.tca] [options]",
                                   .options = rows,
                                   .option_count = tci_command_option_table(rows, OPTIONS_MAX),
                                   .rest_max = INT_MAX};
    return tool_completion_print(&tc_clang, shell);
}

/* Prints an error as compilers do, and points to the help. */
static void print_misuse(const tc_error *err)
{
    print_error(err);
    (void)fputs("usage: tc-clang SOURCE.c... [-o NAME.tca] [options]\n"
                "tc-clang --help tells more\n",
                stderr);
}

static int show_help(void)
{
    tool_help_text(stdout, tci_command_help);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    tci_command command;
    tc_error err = {0};
    int exit_status = EXIT_COMMAND_LINE;
    if (tci_command_parse(argc, argv, &command, &err) != TC_OK)
        print_misuse(&err);
    else if (command.action == TCI_COMMAND_HELP)
        exit_status = show_help();
    else if (command.action == TCI_COMMAND_COMPLETION)
        exit_status = show_completion(command.shell);
    else if (command.action == TCI_COMMAND_VERSION)
        exit_status = show_version();
    else if (command.action == TCI_COMMAND_SHOW)
        exit_status = show_commands(&command);
    else if (command.stubs != NULL)
        exit_status = make_stubs(&command);
    else
        exit_status = compile(&command);
    tci_command_fini(&command);
    return exit_status;
}
