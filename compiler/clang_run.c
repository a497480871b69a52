#include "clang_run.h"

#include "child_run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *tci_clang_program(void)
{
    const char *program = getenv("TC_CLANG");
    return program != NULL && program[0] != '\0' ? program : TC_CLANG_PROGRAM;
}

/* --- the command ------------------------------------------------------------------------- */

/* assert and __FILE__ write the source's path into the code; without its folder the same source
 * gives the same archive in any folder. */
static void add_path_map(const char *source, tci_text_list *words)
{
    const char *slash = strrchr(source, '/');
    if (slash != NULL)
        tci_text_list_format(words, "-fmacro-prefix-map=%.*s=", (int)(slash - source) + 1,
                             source);
}

static void add_cross_headers(const tci_target *target, const char *source,
                              tci_text_list *words)
{
    char folder[4096];
    if (tci_target_table_is_host(target) ||
        !tci_target_table_header_folder(target, folder, sizeof folder) ||
        access(folder, F_OK) != 0)
        return;
    /* clang finds them itself beside C++'s headers, which must come first. */
    if (tci_command_is_cxx(source) && tci_target_table_has_cxx_headers(target))
        return;
    /* In front of /usr/include, which has headers of other libraries: those are the same for
     * all machines. */
    tci_text_list_add(words, "-isystem");
    tci_text_list_add(words, folder);
}

void tci_clang_command(const tci_command *command, const tci_target *target, unsigned cpu_level,
                       const char *source, tci_text_list *words_out)
{
    /* The user's options follow these and may override them. */
    static const char *const defaults[] = {"-O2", "-fno-stack-protector",
                                           "-fno-asynchronous-unwind-tables",
                                           "-fomit-frame-pointer", "-D__TC_CLANG__=1"};
    /* The target compiles position-independent code only, and cannot read the bitcode of -flto.
     */
    static const char *const fixed[] = {
        "-fPIC", "-fno-lto", "-c", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-o", "-"};
    tci_text_list_add(words_out, tci_clang_program());
    tci_text_list_format(words_out, "--target=%s", target->gnu_triple);
    if (cpu_level != TCI_CPU_ANY)
        tci_text_list_format(words_out, "-march=%s",
                             tci_cpu_level_text(target->triple, cpu_level));
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        tci_text_list_add(words_out, defaults[i]);
    add_path_map(source, words_out);
    for (size_t i = 0; i < command->clang_options.count; i++)
        tci_text_list_add(words_out, command->clang_options.items[i]);
    add_cross_headers(target, source, words_out);
    if (!command->keep_debug)
        tci_text_list_add(words_out,
                          "-g"); /* file and line for the checks; removed afterwards */
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        tci_text_list_add(words_out, fixed[i]);
    /* clang would read a path that starts with '-' as an option, but not one with a folder. */
    tci_text_list_format(words_out, "%s%s", source[0] == '-' ? "./" : "", source);
}

void tci_clang_types_command(const tci_command *command, const tci_target *target,
                             const char *source, tci_text_list *words_out)
{
    /* No warnings: the compilation of the source prints them. */
    static const char *const more[] = {"-S", "-g", "-fno-eliminate-unused-debug-types", "-w"};
    tci_clang_command(command, target, TCI_CPU_ANY, source, words_out);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        tci_text_list_add(words_out, more[i]);
}

static void print_word(const char *word, FILE *stream)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=-+,:%@";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        (void)fputs(word, stream);
        return;
    }
    (void)fputc('\'', stream);
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            (void)fputs("'\\''", stream);
        else
            (void)fputc(*word, stream);
    }
    (void)fputc('\'', stream);
}

void tci_clang_print(const tci_text_list *words, FILE *stream)
{
    for (size_t i = 0; i < words->count; i++) {
        if (i > 0)
            (void)fputc(' ', stream);
        print_word(words->items[i], stream);
    }
    (void)fputc('\n', stream);
}

tc_status tci_clang_run(const tci_text_list *words, void **bytes_out, size_t *size_out,
                        tc_error *err)
{
    return tci_child_run(words, "install clang or set TC_CLANG to its path", bytes_out,
                         size_out, err);
}
