/* Runs a fuzz target over files instead of a fuzzer: the replay of a corpus as an ordinary
 * test. Arguments are folders, searched in depth, or files. Finding no input at all is a
 * failure: a corpus that moved away must not look like one that passed. */
#include "fuzzer.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#define INPUT_BYTES_MAX (64u << 20)

/* An exact-size heap copy, so that a sanitizer sees the first byte read behind the end. */
static int replay_file(const char *path, size_t size)
{
    int result = -1;
    if (size > INPUT_BYTES_MAX) {
        fprintf(stderr, "%s: %zu bytes, limit %u\n", path, size, INPUT_BYTES_MAX);
        return -1;
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    uint8_t *data = malloc(size > 0 ? size : 1);
    if (data != NULL && fread(data, 1, size, file) == size) {
        (void)LLVMFuzzerTestOneInput(data, size);
        result = 0;
    } else {
        fprintf(stderr, "%s: cannot read its %zu bytes\n", path, size);
    }
    free(data);
    (void)fclose(file);
    return result;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int replay_tree(FTS *tree, size_t *count)
{
    int result = 0;
    FTSENT *entry;
    while ((entry = fts_read(tree)) != NULL) {
        if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS ||
            entry->fts_info == FTS_DNR) {
            fprintf(stderr, "%s: %s\n", entry->fts_path, strerror(entry->fts_errno));
            result = -1;
        } else if (entry->fts_info == FTS_F) {
            if (replay_file(entry->fts_accpath, (size_t)entry->fts_statp->st_size) != 0)
                result = -1;
            (*count)++;
        }
    }
    return result;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER_OR_FILE...\n", argv[0]);
        return EXIT_FAILURE;
    }
    FTS *tree = fts_open(argv + 1, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    if (tree == NULL) {
        fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
        return EXIT_FAILURE;
    }
    int result = replay_tree(tree, &count);
    (void)fts_close(tree);
    printf("%zu inputs\n", count);
    return result == 0 && count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
