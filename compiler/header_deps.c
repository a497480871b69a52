#include "header_deps.h"

#include "archive_file.h"
#include "base/error_text.h"
#include "base/full_io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

tc_status tci_header_deps_begin(const tci_command *command, tci_text_list *words, int *fd_out,
                                tc_error *err)
{
    *fd_out = -1;
    if (!command->wants_rules)
        return TC_OK;
    int fd = memfd_create("rule", 0);
    if (fd < 0)
        return tci_error_errno(err, TC_E_IO, errno, "memfd_create");
    tci_text_list_add_all(words, &command->rule_options);
    if (!command->names_rule_target) {
        tci_text_list_add(words, "-MQ");
        tci_text_list_add(words, command->output);
    }
    tci_text_list_add(words, "-MF");
    tci_text_list_format(words, "/proc/self/fd/%d", fd);
    *fd_out = fd;
    return TC_OK;
}

tc_status tci_header_deps_end(int fd, tci_text_list *rules, tc_error *err)
{
    struct stat info;
    size_t size = 0;
    if (fd < 0)
        return TC_OK;
    tc_status status = TC_OK;
    char *text = NULL;
    if (fstat(fd, &info) != 0 || lseek(fd, 0, SEEK_SET) != 0)
        status = tci_error_errno(err, TC_E_IO, errno, "clang's rule");
    else if ((text = calloc(1, (size_t)info.st_size + 1)) == NULL)
        status = tci_error_set(err, TC_E_NO_MEMORY, "no memory for clang's rule");
    else if (!tci_full_io_read(fd, text, (size_t)info.st_size, &size))
        status = tci_error_errno(err, TC_E_IO, errno, "clang's rule");
    if (status == TC_OK)
        tci_text_list_add_once(rules, text);
    free(text);
    (void)close(fd);
    return status;
}

static tc_status path_of(const tci_command *command, char *out, size_t size, tc_error *err)
{
    const char *file = command->rule_file;
    int n = file != NULL
                ? snprintf(out, size, "%s", file)
                : snprintf(out, size, "%.*s.d", (int)(strlen(command->output) - strlen(".tca")),
                           command->output);
    if (n < 0 || (size_t)n >= size)
        return tci_error_set(err, TC_E_INVALID, "path of the rules too long");
    return TC_OK;
}

tc_status tci_header_deps_write(const tci_command *command, const tci_text_list *rules,
                                tc_error *err)
{
    char path[4096];
    size_t size = 0, at = 0;
    if (!command->wants_rules)
        return TC_OK;
    TC_TRY(path_of(command, path, sizeof path, err));
    for (size_t i = 0; i < rules->count; i++)
        size += strlen(rules->items[i]);
    char *text = malloc(size + 1);
    if (text == NULL || rules->failed) {
        free(text);
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for %s", path);
    }
    for (size_t i = 0; i < rules->count; i++) {
        memcpy(text + at, rules->items[i], strlen(rules->items[i]));
        at += strlen(rules->items[i]);
    }
    tc_status status = tci_archive_file_write(path, text, size, err);
    free(text);
    return status;
}
