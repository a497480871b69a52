#include "text_table.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool complain(const char *what, int error)
{
    fprintf(stderr, "get_if: %s: %s\n", what, strerror(error));
    return false;
}

/* Doubles, so that reading many files stays linear. */
static bool make_room(text_table *table, size_t bytes)
{
    size_t room = table->room > 0 ? table->room : 1 << 20;
    while (room - table->size < bytes)
        room *= 2;
    char *text = room > table->room ? realloc(table->text, room) : table->text;
    if (text == NULL)
        return complain("the table", ENOMEM);
    table->text = text;
    table->room = room;
    return true;
}

/* A last line without a newline gets one. */
static bool append(text_table *table, int fd, size_t expected, const char *path)
{
    size_t begin = table->size;
    for (;;) {
        if (!make_room(table, expected + 2))
            return false;
        ssize_t n = read(fd, table->text + table->size, expected + 1);
        if (n < 0 && errno != EINTR)
            return complain(path, errno);
        if (n == 0)
            break;
        table->size += n > 0 ? (size_t)n : 0;
    }
    if (table->size > begin && table->text[table->size - 1] != '\n')
        table->text[table->size++] = '\n';
    table->files++;
    return true;
}

static bool read_file(text_table *table, const char *path, size_t expected)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return complain(path, errno);
    bool ok = append(table, fd, expected, path);
    (void)close(fd);
    return ok;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool read_entry(text_table *table, const FTSENT *entry, uint64_t *count, uint32_t share,
                       uint32_t shares)
{
    switch (entry->fts_info) {
    case FTS_F:
        return (*count)++ % shares != share ||
               read_file(table, entry->fts_accpath, (size_t)entry->fts_statp->st_size);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return complain(entry->fts_path, entry->fts_errno);
    default:
        return true;
    }
}

bool text_table_read(char *const *paths, uint32_t share, uint32_t shares, text_table *table_out)
{
    text_table table = {.text = NULL};
    uint64_t count = 0;
    FTSENT *entry;
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    bool ok = tree != NULL || complain(paths[0], errno);
    while (ok && (entry = fts_read(tree)) != NULL)
        ok = read_entry(&table, entry, &count, share, shares);
    if (tree != NULL)
        (void)fts_close(tree);
    if (ok)
        *table_out = table;
    else
        free(table.text);
    return ok;
}

void text_table_free(text_table *table)
{
    free(table->text);
    *table = (text_table){.text = NULL};
}
