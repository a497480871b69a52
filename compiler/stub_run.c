#include "stub_run.h"

#include "base/error_text.h"
#include "child_run.h"
#include "clang_run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the folder of this program, without a slash behind it; "." if it is unknown. */
static void own_folder(char out[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", out, PATH_MAX - 1);
    out[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(out, '/');
    if (slash != NULL)
        *slash = '\0';
    else
        (void)snprintf(out, PATH_MAX, ".");
}

/* tc-stubs lies beside the folder of the programs, or where the installation put it. */
static void add_program(const char *own, tci_text_list *words)
{
    char beside[PATH_MAX + 64];
    (void)snprintf(beside, sizeof beside, "%s/../libexec/tchains/tc-stubs", own);
    tci_text_list_add(words, access(beside, X_OK) == 0 ? beside : TC_STUBS_PROGRAM);
}

/* libclang looks for <stddef.h> and the like beside itself; those of clang are elsewhere where
 * the two are of different packages. */
static void add_clang_headers(tci_text_list *words)
{
    tci_text_list question = {0};
    tc_error ignored;
    void *bytes = NULL;
    size_t size = 0;
    tci_text_list_add(&question, tci_clang_program());
    tci_text_list_add(&question, "-print-resource-dir");
    if (tci_clang_run(&question, &bytes, &size, &ignored) == TC_OK) {
        const char *end = memchr(bytes, '\n', size);
        tci_text_list_add(words, "-resource-dir");
        tci_text_list_add_bytes(words, bytes,
                                end != NULL ? (size_t)(end - (char *)bytes) : size);
    }
    free(bytes);
    tci_text_list_fini(&question);
}

/* Adds the headers of an installed library, which lie beside its programs, where compilers may
 * not look. */
static void add_own_headers(const char *own, tci_text_list *words)
{
    char header[PATH_MAX + 64];
    (void)snprintf(header, sizeof header, "%s/../include/tc/remote.h", own);
    if (access(header, R_OK) == 0)
        tci_text_list_format(words, "-I%s/../include", own);
}

static void make_words(const tci_command *command, tci_text_list *words)
{
    char own[PATH_MAX];
    own_folder(own);
    add_program(own, words);
    tci_text_list_add(words, command->stubs);
    tci_text_list_format(words, "%s%s", command->sources.items[0][0] == '-' ? "./" : "",
                         command->sources.items[0]);
    add_clang_headers(words);
    tci_text_list_add_all(words, &command->clang_options);
    add_own_headers(own, words);
}

tc_status tci_stub_run(const tci_command *command, tc_error *err)
{
    tci_text_list words = {0};
    void *bytes = NULL;
    size_t size = 0;
    make_words(command, &words);
    if (command->verbose && !words.failed)
        tci_clang_print(&words, stderr);
    tc_status status = tci_child_run(&words,
                                     "--stubs needs a build with libclang: package "
                                     "libclang-" TC_STUBS_LLVM "-dev",
                                     &bytes, &size, err);
    if (status == TC_E_COMPILE)
        status = tci_error_set(err, TC_E_COMPILE, "no stubs were made of '%s'",
                               command->sources.items[0]);
    free(bytes);
    tci_text_list_fini(&words);
    return status;
}

void tci_stub_run_show(const tci_command *command, FILE *stream)
{
    tci_text_list words = {0};
    make_words(command, &words);
    tci_clang_print(&words, stream);
    tci_text_list_fini(&words);
}
