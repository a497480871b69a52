/* One table of options with a handler for each; shells complete from the same table. */
#include "command_option.h"

#include "archive_name.h"
#include "base/error_text.h"

#include <stdio.h>
#include <string.h>

typedef tc_status (*option_handler)(tci_command *c, const char *option, const char *value,
                                    tc_error *err);

/* Forms of an option's value. */
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
    /* For the completion of shells, as in tool_option; help NULL: not offered. */
    const char *help;
    const char *value;
    const char *words;
} option_row;

/* --- handlers of options ----------------------------------------------------------------- */

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

static tc_status set_library(tci_command *c, const char *option, const char *value,
                             tc_error *err)
{
    (void)option, (void)value, (void)err;
    c->is_library = true;
    return TC_OK;
}

static tc_status add_used(tci_command *c, const char *option, const char *value, tc_error *err)
{
    (void)option;
    TC_TRY(tci_archive_check_name(value, TC_E_INVALID, err));
    tci_text_list_format(&c->used, "tc:%s", value);
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

static tc_status ask_for_rules(tci_command *c, const char *option, const char *value,
                               tc_error *err)
{
    (void)value, (void)err;
    c->wants_rules = true;
    tci_text_list_add(&c->rule_options, option);
    return TC_OK;
}

static tc_status set_rule_file(tci_command *c, const char *option, const char *value,
                               tc_error *err)
{
    (void)option, (void)err;
    c->rule_file = value;
    return TC_OK;
}

/* Handles -MP alone, -MT and -MQ with a value. */
static tc_status add_rule_option(tci_command *c, const char *option, const char *value,
                                 tc_error *err)
{
    (void)err;
    c->names_rule_target = c->names_rule_target || value != NULL;
    tci_text_list_format(&c->rule_options, "%.3s", option);
    if (value != NULL)
        tci_text_list_add(&c->rule_options, value);
    return TC_OK;
}

static tc_status set_allow_asm(tci_command *c, const char *option, const char *value,
                               tc_error *err)
{
    (void)option, (void)value, (void)err;
    c->allow_asm = true;
    return TC_OK;
}

static tc_status set_signing_key(tci_command *c, const char *option, const char *value,
                                 tc_error *err)
{
    (void)option;
    if (value[0] == '\0')
        return tci_error_set(err, TC_E_INVALID, "--sign= names no key");
    c->signing_key = value;
    return TC_OK;
}

static tc_status set_stubs(tci_command *c, const char *option, const char *value, tc_error *err)
{
    (void)option;
    if (value[0] == '\0')
        return tci_error_set(err, TC_E_INVALID, "--stubs= names no folder");
    c->stubs = value;
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

static tc_status refuse_run_time(tci_command *c, const char *option, const char *value,
                                 tc_error *err)
{
    (void)c, (void)value;
    return tci_error_set(err, TC_E_INVALID,
                         "option '%s' needs a library in the program that code is linked into, "
                         "which targets do not have",
                         option);
}

/* Refuses sanitizers that need a library. Those that check arithmetic and the like, which clang
 * generates itself, can do with a trap. */
static tc_status set_sanitizers(tci_command *c, const char *option, const char *value,
                                tc_error *err)
{
    static const char *const libraries[] = {"address", "hwaddress", "memory", "thread",
                                            "leak",    "dataflow",  "fuzzer", "safe-stack",
                                            "memtag",  "kernel",    "cfi",    "type"};
    for (const char *at = value;; at++) {
        size_t size = strcspn(at, ",");
        for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
            if (strncmp(at, libraries[i], strlen(libraries[i])) == 0)
                return refuse_run_time(c, option, value, err);
        }
        at += size;
        if (*at == '\0')
            return pass_on(c, option, NULL, err);
    }
}

/* The first matching row is used. */
static const option_row rows[] = {
    {"-o", EITHER, set_output, "the archive", "FILE.tca", NULL},
    {"--name=", JOINED, set_name, "name of the function", "NAME", NULL},
    {"--targets=", JOINED, set_targets, "architectures", "A,B", "x86_64,aarch64"},
    {"--forms=", JOINED, set_forms, "bitcode, image", "A,B", "bitcode,image"},
    {"--cpu-levels=", JOINED, set_cpu_levels, "more images, for better CPUs", "A,B",
     "x86-64-v2,x86-64-v3,x86-64-v4,armv8-a+lse,armv8-a+lse+sve"},
    {"--check-abi=", JOINED, set_compared, "compare how types lie in memory", "TYPES", NULL},
    {"--check-abi", SEPARATE, set_compared, NULL, NULL, NULL},
    {"--library", ALONE, set_library, "make a library that functions share", NULL, NULL},
    {"--uses=", JOINED, add_used, "library that travels", "NAME", NULL},
    {"--stubs=", JOINED, set_stubs, "make typed callers and entries of a header", "FOLDER",
     NULL},
    {"--allow-asm", ALONE, set_allow_asm, "accept inline assembly", NULL, NULL},
    {"--no-dictionary", ALONE, set_plain, "pack without a dictionary", NULL, NULL},
    {"--sign=", JOINED, set_signing_key, "sign with a key of tc-ar keygen", "KEY", NULL},
    {"-###", ALONE, set_show, "print the clang commands", NULL, NULL},
    {"-v", ALONE, set_verbose, "print and run the clang commands", NULL, NULL},
    {"-l", EITHER, add_library, "library that the target loads", "LIB", NULL},
    {"-L", EITHER, add_folder, "where to look for libraries", "FOLDER", NULL},
    {"-I", EITHER, pass_on, "as clang has it", "FOLDER", NULL},
    {"-D", EITHER, pass_on, "as clang has it", "MACRO", NULL},
    {"-U", EITHER, pass_on, "as clang has it", "MACRO", NULL},
    {"-include", SEPARATE, pass_on, "as clang has it", "FILE", NULL},
    {"-isystem", SEPARATE, pass_on, "as clang has it", "FOLDER", NULL},
    {"-iquote", SEPARATE, pass_on, "as clang has it", "FOLDER", NULL},
    {"-idirafter", SEPARATE, pass_on, "as clang has it", "FOLDER", NULL},
    {"-std=", JOINED, pass_on, "as clang has it", "STANDARD",
     "c99,c11,c17,gnu11,gnu17,c++17,c++20"},
    {"--sysroot=", JOINED, pass_on, "as clang has it", "FOLDER", NULL},
    {"-nostdinc", ALONE, pass_on, "as clang has it", NULL, NULL},
    {"-ansi", ALONE, pass_on, "as clang has it", NULL, NULL},
    {"-pedantic", ALONE, pass_on, "as clang has it", NULL, NULL},
    {"-pedantic-errors", ALONE, pass_on, "as clang has it", NULL, NULL},
    {"-pthread", ALONE, pass_on, "as clang has it", NULL, NULL},
    {"-w", ALONE, pass_on, "as clang has it", NULL, NULL},
    {"-O", JOINED, set_opt_level, NULL, NULL, NULL},
    {"-g", JOINED, set_debug, NULL, NULL, NULL},
    {"-Wl,", JOINED, refuse_tool_option, NULL, NULL, NULL},
    {"-Wa,", JOINED, refuse_tool_option, NULL, NULL, NULL},
    {"-Wp,", JOINED, refuse_tool_option, NULL, NULL, NULL},
    {"-MD", ALONE, ask_for_rules, "as clang has it", NULL, NULL},
    {"-MMD", ALONE, ask_for_rules, "as clang has it", NULL, NULL},
    {"-MP", ALONE, add_rule_option, "as clang has it", NULL, NULL},
    {"-MF", EITHER, set_rule_file, "as clang has it", "FILE", NULL},
    {"-MT", EITHER, add_rule_option, "as clang has it", "TARGET", NULL},
    {"-MQ", EITHER, add_rule_option, "as clang has it", "TARGET", NULL},
    {"-W", JOINED, pass_on, NULL, NULL, NULL},
    {"-fsanitize=", JOINED, set_sanitizers, NULL, NULL, NULL},
    {"-fprofile-arcs", ALONE, refuse_run_time, NULL, NULL, NULL},
    {"-ftest-coverage", ALONE, refuse_run_time, NULL, NULL, NULL},
    {"-fcoverage-mapping", ALONE, refuse_run_time, NULL, NULL, NULL},
    {"-fprofile-generate", JOINED, refuse_run_time, NULL, NULL, NULL},
    {"-fprofile-instr-generate", JOINED, refuse_run_time, NULL, NULL, NULL},
    {"-fcs-profile-generate", JOINED, refuse_run_time, NULL, NULL, NULL},
    {"-fxray-instrument", ALONE, refuse_run_time, NULL, NULL, NULL},
    {"--coverage", ALONE, refuse_run_time, NULL, NULL, NULL},
    {"-f", JOINED, pass_on, NULL, NULL, NULL},
    {"-m", JOINED, refuse_machine, NULL, NULL, NULL},
};

/* --- reading argv ------------------------------------------------------------------------ */

static bool row_fits(const option_row *row, const char *text)
{
    if (row->form == ALONE || row->form == SEPARATE)
        return strcmp(row->text, text) == 0;
    return strncmp(row->text, text, strlen(row->text)) == 0;
}

/* clang gets "-IDIR" as one word and "-include" "FILE" as two; handlers that keep the value
 * take it alone. */
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

tc_status tci_command_option_read(tci_command *c, int argc, char **argv, int *at, tc_error *err)
{
    const char *word = argv[*at];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (row_fits(&rows[i], word))
            return apply(c, &rows[i], argc, argv, at, err);
    }
    return tci_error_set(err, TC_E_INVALID, "unknown option '%s'; see tc-clang --help", word);
}

size_t tci_command_option_table(tool_option *table, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && count < size; i++) {
        if (rows[i].help != NULL)
            table[count++] = (tool_option){.name = rows[i].text,
                                           .kind = TOOL_OTHER,
                                           .value = rows[i].value,
                                           .help = rows[i].help,
                                           .words = rows[i].words};
    }
    return count;
}
