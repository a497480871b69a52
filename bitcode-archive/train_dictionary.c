/* Trains a dictionary from archives, for scripts/train-dictionaries.sh:
 *     train-dictionary FOLDER LLVM_MAJOR BYTES FILE.tca...
 * writes FOLDER/ID-llvmLLVM_MAJOR.dict and prints its name. The same archives in the same order
 * give the same bytes (from one version of zstd). */
#define ZDICT_STATIC_LINKING_ONLY
#include "archive.h"
#include "archive_dictionary.h"
#include "archive_file.h"
#include "archive_units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zdict.h>
#include <zstd.h>

#define ARCHIVE_BYTES_MAX (1u << 20)
#define ROOM_FOR_TABLES 1024u

/* zstd selects segments of `segment` units, by how often their parts of `match` units occur.
 * Bitcode repeats in long runs: its fixed blocks have hundreds of bytes. */
#define SEGMENT_UNITS 8192u
#define MATCH_UNITS 6u

typedef struct samples {
    uint8_t *units; /* of all samples, consecutive */
    size_t size;
    size_t *sizes;
    unsigned count;
} samples;

static bool add_sample(samples *s, const char *path, tc_error *err)
{
    void *bytes;
    size_t size;
    tci_archive *archive = NULL;
    bool added = false;
    if (tci_archive_file_read(path, ARCHIVE_BYTES_MAX, &bytes, &size, err) != TC_OK)
        return false;
    if (tci_archive_open(bytes, size, &archive, err) == TC_OK) {
        size_t content = tci_archive_content_size(archive);
        uint8_t *units = realloc(s->units, s->size + content * TCI_UNITS_PER_BYTE);
        if (units != NULL) {
            tci_units_spread(tci_archive_content(archive), content, units + s->size);
            s->units = units;
            s->sizes[s->count] = content * TCI_UNITS_PER_BYTE;
            s->size += s->sizes[s->count++];
            added = true;
        }
        tci_archive_close(archive);
    }
    free(bytes);
    return added;
}

/* Writes zstd's tables, then its content with the units gathered again. Returns the file's
 * size; 0: zstd could not train on the samples. */
static size_t train(const samples *s, size_t content_size, uint8_t *file)
{
    size_t room = content_size * TCI_UNITS_PER_BYTE + ROOM_FOR_TABLES;
    uint8_t *made = malloc(room);
    if (made == NULL)
        return 0;
    ZDICT_cover_params_t how = {.k = SEGMENT_UNITS, .d = MATCH_UNITS};
    how.zParams.compressionLevel = ZSTD_maxCLevel();
    size_t size = ZDICT_trainFromBuffer_cover(made, room, s->units, s->sizes, s->count, how);
    size_t tables = ZDICT_isError(size) ? size : ZDICT_getDictHeaderSize(made, size);
    if (ZDICT_isError(tables)) {
        (void)fprintf(stderr, "train-dictionary: %s\n", ZDICT_getErrorName(tables));
        free(made);
        return 0;
    }
    size_t kept = (size - tables) / TCI_UNITS_PER_BYTE; /* from its end, the best part */
    if (kept > content_size)
        kept = content_size;
    file[0] = (uint8_t)tables;
    file[1] = (uint8_t)(tables >> 8);
    memcpy(file + TCI_DICTIONARY_HEAD_SIZE, made, tables);
    bool gathered = tci_units_gather(made + size - kept * TCI_UNITS_PER_BYTE,
                                     file + TCI_DICTIONARY_HEAD_SIZE + tables, kept);
    free(made);
    return gathered ? TCI_DICTIONARY_HEAD_SIZE + tables + kept : 0;
}

static int write_dictionary(const samples *s, const char *folder, const char *major,
                            size_t content_size)
{
    char path[4096];
    tc_error err;
    int result = EXIT_FAILURE;
    uint8_t *file = malloc(TCI_DICTIONARY_HEAD_SIZE + ROOM_FOR_TABLES + content_size);
    size_t size = file != NULL ? train(s, content_size, file) : 0;
    if (size > 0) {
        (void)snprintf(path, sizeof path, "%s/%08" PRIx32 "-llvm%s.dict", folder,
                       tci_dictionary_id_of(file, size), major);
        if (tci_archive_file_write(path, file, size, &err) != TC_OK) {
            (void)fprintf(stderr, "train-dictionary: %s\n", err.text);
        } else {
            puts(path);
            result = EXIT_SUCCESS;
        }
    }
    free(file);
    return result;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        (void)fprintf(stderr, "usage: train-dictionary FOLDER LLVM_MAJOR BYTES FILE.tca...\n");
        return EXIT_FAILURE;
    }
    samples s = {.sizes = calloc((size_t)argc, sizeof(size_t))};
    int result = EXIT_FAILURE;
    tc_error err = {.text = "out of memory"};
    int at = 4;
    while (s.sizes != NULL && at < argc && add_sample(&s, argv[at], &err))
        at++;
    if (at < argc)
        (void)fprintf(stderr, "train-dictionary: %s: %s\n", argv[at], err.text);
    else
        result = write_dictionary(&s, argv[1], argv[2], strtoul(argv[3], NULL, 10));
    free(s.units);
    free(s.sizes);
    return result;
}
