#include "command_line.h"

#include "archive_name.h"
#include "base/error_text.h"
#include "command_option.h"
#include "library_object.h"

#include <stdio.h>
#include <string.h>

static bool has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n > m && strcmp(text + n - m, suffix) == 0;
}

bool tci_command_is_cxx(const char *source)
{
    return has_suffix(source, ".cpp") || has_suffix(source, ".cc") ||
           has_suffix(source, ".cxx");
}

static tc_status check_sources(const tci_command *c, tc_error *err)
{
    if (c->sources.count == 0)
        return tci_error_set(err, TC_E_INVALID, "no source files; see tc-clang --help");
    const bool is_shared = c->is_library && tci_library_object_is(c->sources.items[0]);
    for (size_t i = 0; i < c->sources.count; i++) {
        const char *source = c->sources.items[i];
        if (is_shared && tci_library_object_is(source))
            continue;
        bool is_llvm = has_suffix(source, ".bc") || has_suffix(source, ".ll");
        if (!is_llvm && !has_suffix(source, ".c") && !tci_command_is_cxx(source))
            return tci_error_set(err, TC_E_INVALID,
                                 "'%s': expected a source in C (.c) or C++ (.cpp, .cc, .cxx), "
                                 "or .bc or .ll",
                                 source);
        if (is_llvm && c->target_count != 1)
            return tci_error_set(
                err, TC_E_INVALID,
                "'%s' is code for one target; name it with --targets=, or pack one "
                "file per target with tc-ar create",
                source);
    }
    return TC_OK;
}

static tc_status check_compared(const tci_command *c, tc_error *err)
{
    if (c->compared.count > 0 && c->target_count < 2)
        return tci_error_set(err, TC_E_INVALID,
                             "--check-abi compares targets, and %s is the only one",
                             c->targets[0]->triple);
    return TC_OK;
}

/* Writes "foo" for "src/foo.c" and for "out/foo.tca". */
static void base_name(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    (void)snprintf(out, size, "%.*s", dot != NULL ? (int)(dot - base) : (int)strlen(base),
                   base);
}

/* Chooses NAME.tca in the working folder; NAME is that of --name, by default that of the only
 * source. */
static tc_status choose_output(tci_command *c, tc_error *err)
{
    char name[512];
    if (c->name[0] == '\0' && c->sources.count > 1)
        return tci_error_set(err, TC_E_INVALID,
                             "no output, and %zu sources: give -o NAME.tca or --name=NAME",
                             c->sources.count);
    base_name(c->name[0] != '\0' ? c->name : c->sources.items[0], name, sizeof name);
    if (tci_archive_check_name(name, TC_E_INVALID, err) != TC_OK)
        return tci_error_set(err, TC_E_INVALID,
                             "no output, and '%s', from the source's name, is no C identifier "
                             "of at most %d bytes; give -o NAME.tca or --name=NAME",
                             name, TCI_ARCHIVE_NAME_MAX - 1);
    (void)snprintf(c->own_output, sizeof c->own_output, "%.*s.tca", TCI_ARCHIVE_NAME_MAX - 1,
                   name);
    c->output = c->own_output;
    return TC_OK;
}

static tc_status check_output(tci_command *c, tc_error *err)
{
    if (c->output == NULL && c->compared.count > 0)
        return TC_OK;
    if (c->output == NULL)
        TC_TRY(choose_output(c, err));
    const char *slash = strrchr(c->output, '/');
    if (!has_suffix(slash != NULL ? slash + 1 : c->output, ".tca"))
        return tci_error_set(err, TC_E_INVALID,
                             "output '%s': expected a name that ends in .tca", c->output);
    if (c->name[0] != '\0')
        return TC_OK;
    char name[512];
    base_name(c->output, name, sizeof name);
    if (tci_archive_check_name(name, TC_E_INVALID, err) != TC_OK)
        return tci_error_set(
            err, TC_E_INVALID,
            "'%s', from the output's name, is no C identifier of at most %d bytes; "
            "give --name=NAME",
            name, TCI_ARCHIVE_NAME_MAX - 1);
    (void)snprintf(c->name, sizeof c->name, "%s", name);
    return TC_OK;
}

/* Such a command has a header for its only source, and makes no archive. */
static tc_status check_stubs(const tci_command *c, tc_error *err)
{
    if (c->sources.count != 1 || !has_suffix(c->sources.items[0], ".h"))
        return tci_error_set(err, TC_E_INVALID, "--stubs: expected one header, NAME.h");
    if (c->output != NULL || c->compared.count > 0)
        return tci_error_set(err, TC_E_INVALID,
                             "--stubs makes sources and no archive: it goes without %s",
                             c->output != NULL ? "-o" : "--check-abi");
    return TC_OK;
}

static const char completion[] = "--completion";

/* The shell follows '=' or is the next word. */
static void ask_for_completion(tci_command *c, const char *rest, const char *next)
{
    c->action = TCI_COMMAND_COMPLETION;
    c->shell = *rest == '=' ? rest + 1 : next != NULL ? next : "";
}

static bool asks_for_text(tci_command *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            c->action = TCI_COMMAND_HELP;
        else if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0)
            c->action = TCI_COMMAND_VERSION;
        else if (strncmp(argv[i], completion, sizeof completion - 1) == 0)
            ask_for_completion(c, argv[i] + sizeof completion - 1, argv[i + 1]);
        else
            continue;
        return true;
    }
    return false;
}

static tc_status read_word(tci_command *c, int argc, char **argv, int *at, tc_error *err)
{
    if (c->stubs != NULL && strcmp(argv[*at], "--") == 0) {
        while (++*at < argc)
            tci_text_list_add(&c->clang_options, argv[*at]);
        return TC_OK;
    }
    if (argv[*at][0] == '-')
        return tci_command_option_read(c, argc, argv, at, err);
    tci_text_list_add(&c->sources, argv[*at]);
    return TC_OK;
}

tc_status tci_command_parse(int argc, char **argv, tci_command *command_out, tc_error *err)
{
    memset(command_out, 0, sizeof *command_out);
    command_out->opt_level = '2';
    command_out->slices = tci_slice_choice_default();
    if (asks_for_text(command_out, argc, argv))
        return TC_OK;
    TC_TRY(tci_target_table_parse_list("x86_64,aarch64", command_out->targets,
                                       &command_out->target_count, err));
    for (int at = 1; at < argc; at++)
        TC_TRY(read_word(command_out, argc, argv, &at, err));
    if (command_out->sources.failed || command_out->clang_options.failed ||
        command_out->libraries.failed || command_out->folders.failed ||
        command_out->used.failed || command_out->compared.failed ||
        command_out->rule_options.failed || command_out->slices.levels.failed)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for the command line");
    if (command_out->stubs != NULL)
        return check_stubs(command_out, err);
    TC_TRY(check_compared(command_out, err));
    TC_TRY(check_sources(command_out, err));
    TC_TRY(tci_slice_choice_check(&command_out->slices, command_out->targets,
                                  command_out->target_count, err));
    return check_output(command_out, err);
}

void tci_command_fini(tci_command *command)
{
    tci_text_list_fini(&command->sources);
    tci_text_list_fini(&command->clang_options);
    tci_text_list_fini(&command->libraries);
    tci_text_list_fini(&command->folders);
    tci_text_list_fini(&command->used);
    tci_text_list_fini(&command->compared);
    tci_text_list_fini(&command->rule_options);
    tci_text_list_fini(&command->slices.levels);
}
