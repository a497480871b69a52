#include "batch_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool complain(const char *path, const char *what)
{
    fprintf(stderr, "record_source: %s: %s\n", path, what);
    return false;
}

static bool read_text(FILE *file, const char *path, batch_reader *reader)
{
    struct stat info;
    if (fstat(fileno(file), &info) != 0)
        return complain(path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return complain(path, "not a regular file");
    reader->size = (size_t)info.st_size;
    reader->text = malloc(reader->size + 1); /* never of size 0 */
    if (reader->text == NULL)
        return complain(path, strerror(errno));
    if (fread(reader->text, 1, reader->size, file) != reader->size)
        return complain(path, "became shorter while it was read");
    return true;
}

bool batch_reader_open(const char *path, uint64_t run, batch_reader *reader_out)
{
    *reader_out = (batch_reader){.path = path, .run = run, .line = 1};
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return complain(path, strerror(errno));
    bool ok = read_text(file, path, reader_out);
    fclose(file);
    if (!ok)
        batch_reader_close(reader_out);
    return ok;
}

void batch_reader_close(batch_reader *reader)
{
    free(reader->text);
    free(reader->bytes);
    *reader = (batch_reader){.path = reader->path};
}

/* The end of the last line that ends within `most` bytes, or of the first line when that is
 * longer. */
static size_t cut(const char *text, size_t size, size_t most)
{
    if (size <= most)
        return size;
    const char *newline = memrchr(text, '\n', most);
    if (newline == NULL)
        newline = memchr(text + most, '\n', size - most);
    return newline != NULL ? (size_t)(newline - text) + 1 : size;
}

static uint64_t count_lines(const char *text, size_t size)
{
    uint64_t lines = size > 0 && text[size - 1] != '\n';
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

bool batch_reader_next(batch_reader *reader, size_t batch_bytes, record_batch *batch_out)
{
    const char *text = reader->text + reader->at;
    size_t text_bytes = cut(text, reader->size - reader->at, batch_bytes);
    size_t name_bytes = strlen(reader->path);
    size_t size = sizeof(record_head) + name_bytes + text_bytes;
    if (size > RECORD_BATCH_BYTES_MAX)
        return complain(reader->path, "a line is too long for a batch");
    char *bytes = realloc(reader->bytes, size);
    if (bytes == NULL)
        return complain(reader->path, strerror(errno));
    const record_head head = {
        .run = reader->run,
        .first_line = reader->line,
        .name_bytes = (uint32_t)name_bytes,
        .text_bytes = (uint32_t)text_bytes,
    };
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, reader->path, name_bytes);
    memcpy(bytes + sizeof head + name_bytes, text, text_bytes);
    reader->bytes = bytes;
    reader->at += text_bytes;
    reader->line += count_lines(text, text_bytes);
    *batch_out = (record_batch){.bytes = bytes, .size = size};
    return true;
}
