#include "command_line.h"

#include "archive_name.h"
#include "base/error_text.h"

#include <stdio.h>
#include <string.h>

typedef tc_status (*option_handler)(tci_command *c, const char *option, const char *value,
                                    tc_error *err);

/* How an option's value is written. */
typedef enum value_form {
    ALONE,    /* -v */
    JOINED,   /* -std=c11: the option is a prefix and taken whole */
    SEPARATE, /* -include FILE */
    EITHER    /* -IDIR or -I DIR */
} value_form;

typedef struct option_row {
    const char *text;
    value_form form;
    option_handler handle;
} option_row;

/* --- what options do --------------------------------------------------------------------- */

static tc_status pass_on(tci_command *c, const char *option, const char *value, tc_error *err)
{
    (void)err;
    tci_text_list_add(&c->clang_options, option);
    if (value != NULL)
        tci_text_list_add(&c->clang_options, value);
    return TC_OK;
}

static tc_status set_output(tci_command *c, const char *option, const char *value,
                            tc_error *err)
{
    (void)option;
    if (c->output != NULL)
        return tci_error_set(err, TC_E_INVALID, "two outputs, '%s' and '%s'", c->output, value);
    c->output = value;
    return TC_OK;
}

static tc_status set_name(tci_command *c, const char *option, const char *value, tc_error *err)
{
    (void)option;
    TC_TRY(tci_archive_check_name(value, TC_E_INVALID, err));
    (void)snprintf(c->name, sizeof c->name, "%s", value);
    return TC_OK;
}

static tc_status set_targets(tci_command *c, const char *option, const char *value,
                             tc_error *err)
{
    (void)option;
    return tci_target_table_parse_list(value, c->targets, &c->target_count, err);
}

static tc_status set_forms(tci_command *c, const char *option, const char *value, tc_error *err)
{
    (void)option;
    return tci_slice_choice_forms(&c->slices, value, err);
}

static tc_status set_cpu_levels(tci_command *c, const char *option, const char *value,
                                tc_error *err)
{
    (void)option;
    return tci_slice_choice_levels(&c->slices, value, err);
}

static tc_status add_library(tci_command *c, const char *option, const char *value,
                             tc_error *err)
{
    if (value[0] == '\0')
        return tci_error_set(err, TC_E_INVALID, "option '%s' names no library", option);
    tci_text_list_add(&c->libraries, value);
    return TC_OK;
}

static tc_status add_folder(tci_command *c, const char *option, const char *value,
                            tc_error *err)
{
    (void)option;
    (void)err;
    tci_text_list_add(&c->folders, value);
    return TC_OK;
}

/* The level is needed here too, for the passes over linked sources. */
static tc_status set_opt_level(tci_command *c, const char *option, const char *level,
                               tc_error *err)
{
    if (strcmp(level, "") == 0)
        c->opt_level = '2';
    else if (strcmp(level, "g") == 0)
        c->opt_level = '1';
    else if (strcmp(level, "fast") == 0)
        c->opt_level = '3';
    else if (level[1] == '\0' && strchr("0123sz", level[0]) != NULL)
        c->opt_level = level[0];
    else
        return tci_error_set(err, TC_E_INVALID, "unknown optimisation level '%s'", option);
    return pass_on(c, option, NULL, err);
}

static tc_status set_compared(tci_command *c, const char *option, const char *value,
                              tc_error *err)
{
    for (;; value++) {
        size_t size = strcspn(value, ",");
        if (size == 0)
            return tci_error_set(err, TC_E_INVALID, "option '%s' names a type without a name",
                                 option);
        tci_text_list_add_bytes(&c->compared, value, size);
        value += size;
        if (*value == '\0')
            return TC_OK;
    }
}

static tc_status set_debug(tci_command *c, const char *option, const char *value, tc_error *err)
{
    (void)value;
    c->keep_debug = strcmp(option, "-g0") != 0;
    return pass_on(c, option, NULL, err);
}

static tc_status set_allow_asm(tci_command *c, const char *option, const char *value,
                               tc_error *err)
{
    (void)option, (void)value, (void)err;
    c->allow_asm = true;
    return TC_OK;
}

static tc_status set_plain(tci_command *c, const char *option, const char *value, tc_error *err)
{
    (void)option, (void)value, (void)err;
    c->plain = true;
    return TC_OK;
}

static tc_status set_verbose(tci_command *c, const char *option, const char *value,
                             tc_error *err)
{
    (void)option, (void)value, (void)err;
    c->verbose = true;
    return TC_OK;
}

static tc_status set_show(tci_command *c, const char *option, const char *value, tc_error *err)
{
    (void)option, (void)value, (void)err;
    c->action = TCI_COMMAND_SHOW;
    return TC_OK;
}

static tc_status refuse_machine(tci_command *c, const char *option, const char *value,
                                tc_error *err)
{
    (void)c, (void)value;
    return tci_error_set(
        err, TC_E_INVALID,
        "option '%s' is about one machine; code is shipped for every CPU of a target", option);
}

static tc_status refuse_tool_option(tci_command *c, const char *option, const char *value,
                                    tc_error *err)
{
    (void)c, (void)value;
    return tci_error_set(
        err, TC_E_INVALID,
        "option '%s' is for a linker, assembler or preprocessor that is not run", option);
}

/* The first row that fits wins. */
static const option_row rows[] = {
    {"-o", EITHER, set_output},
    {"--name=", JOINED, set_name},
    {"--targets=", JOINED, set_targets},
    {"--forms=", JOINED, set_forms},
    {"--cpu-levels=", JOINED, set_cpu_levels},
    {"--check-abi=", JOINED, set_compared},
    {"--check-abi", SEPARATE, set_compared},
    {"--allow-asm", ALONE, set_allow_asm},
    {"--no-dictionary", ALONE, set_plain},
    {"-###", ALONE, set_show},
    {"-v", ALONE, set_verbose},
    {"-l", EITHER, add_library},
    {"-L", EITHER, add_folder},
    {"-I", EITHER, pass_on},
    {"-D", EITHER, pass_on},
    {"-U", EITHER, pass_on},
    {"-include", SEPARATE, pass_on},
    {"-isystem", SEPARATE, pass_on},
    {"-iquote", SEPARATE, pass_on},
    {"-idirafter", SEPARATE, pass_on},
    {"-std=", JOINED, pass_on},
    {"--sysroot=", JOINED, pass_on},
    {"-nostdinc", ALONE, pass_on},
    {"-ansi", ALONE, pass_on},
    {"-pedantic", ALONE, pass_on},
    {"-pedantic-errors", ALONE, pass_on},
    {"-pthread", ALONE, pass_on},
    {"-w", ALONE, pass_on},
    {"-O", JOINED, set_opt_level},
    {"-g", JOINED, set_debug},
    {"-Wl,", JOINED, refuse_tool_option},
    {"-Wa,", JOINED, refuse_tool_option},
    {"-Wp,", JOINED, refuse_tool_option},
    {"-W", JOINED, pass_on},
    {"-f", JOINED, pass_on},
    {"-m", JOINED, refuse_machine},
};

/* --- reading argv ------------------------------------------------------------------------ */

static bool row_fits(const option_row *row, const char *text)
{
    if (row->form == ALONE || row->form == SEPARATE)
        return strcmp(row->text, text) == 0;
    return strncmp(row->text, text, strlen(row->text)) == 0;
}

/* clang gets "-IDIR" as one word and "-include" "FILE" as two; handlers that keep the value
 * want it alone. */
static tc_status apply(tci_command *c, const option_row *row, int argc, char **argv, int *at,
                       tc_error *err)
{
    const char *option = argv[*at];
    const char *joined = option + strlen(row->text);
    if (row->form == ALONE)
        return row->handle(c, option, NULL, err);
    if (row->form == JOINED)
        return row->handle(c, option, row->handle == pass_on ? NULL : joined, err);
    if (row->form == EITHER && *joined != '\0') {
        bool whole = row->handle == pass_on;
        return row->handle(c, option, whole ? NULL : joined, err);
    }
    if (*at + 1 >= argc)
        return tci_error_set(err, TC_E_INVALID, "option '%s' needs an argument", option);
    *at += 1;
    return row->handle(c, option, argv[*at], err);
}

static tc_status read_word(tci_command *c, int argc, char **argv, int *at, tc_error *err)
{
    const char *word = argv[*at];
    if (word[0] != '-') {
        tci_text_list_add(&c->sources, word);
        return TC_OK;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (row_fits(&rows[i], word))
            return apply(c, &rows[i], argc, argv, at, err);
    }
    return tci_error_set(err, TC_E_INVALID, "unknown option '%s'; see tc-clang --help", word);
}

/* --- the command as a whole -------------------------------------------------------------- */

static bool has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n > m && strcmp(text + n - m, suffix) == 0;
}

static tc_status check_sources(const tci_command *c, tc_error *err)
{
    if (c->sources.count == 0)
        return tci_error_set(err, TC_E_INVALID, "no source files; see tc-clang --help");
    for (size_t i = 0; i < c->sources.count; i++) {
        const char *source = c->sources.items[i];
        bool is_llvm = has_suffix(source, ".bc") || has_suffix(source, ".ll");
        if (!is_llvm && !has_suffix(source, ".c"))
            return tci_error_set(err, TC_E_INVALID,
                                 "'%s': expected a C source (.c), or .bc or .ll", source);
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

static tc_status check_output(tci_command *c, tc_error *err)
{
    if (c->output == NULL && c->compared.count > 0)
        return TC_OK;
    if (c->output == NULL)
        return tci_error_set(err, TC_E_INVALID, "no output; give -o NAME.tca");
    const char *slash = strrchr(c->output, '/');
    const char *base = slash != NULL ? slash + 1 : c->output;
    size_t size = strlen(base);
    if (!has_suffix(base, ".tca"))
        return tci_error_set(err, TC_E_INVALID,
                             "output '%s': expected a name that ends in .tca", c->output);
    if (c->name[0] != '\0')
        return TC_OK;
    char name[512];
    (void)snprintf(name, sizeof name, "%.*s", (int)(size - strlen(".tca")), base);
    if (tci_archive_check_name(name, TC_E_INVALID, err) != TC_OK)
        return tci_error_set(
            err, TC_E_INVALID,
            "'%s', from the output's name, is no C identifier of at most %d bytes; "
            "give --name=NAME",
            name, TCI_ARCHIVE_NAME_MAX - 1);
    (void)snprintf(c->name, sizeof c->name, "%s", name);
    return TC_OK;
}

static bool asks_for_text(tci_command *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            c->action = TCI_COMMAND_HELP;
        else if (strcmp(argv[i], "--version") == 0)
            c->action = TCI_COMMAND_VERSION;
        else
            continue;
        return true;
    }
    return false;
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
        command_out->compared.failed || command_out->slices.levels.failed)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for the command line");
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
    tci_text_list_fini(&command->compared);
    tci_text_list_fini(&command->slices.levels);
}
