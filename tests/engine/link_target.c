/* A process that only makes one function callable, and prints the memory for that: link_target
 * FILE.bc NAME process|thread prints "STATUS KIBIBYTES TEXT". */
#include "archive.h"
#include "base/triple.h"
#include "engine/code_unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void *written; /* the bytes that the archive reads from */

static tci_archive *open_archive(const char *path, const char *name)
{
    static char bytes[16 << 20];
    static const tci_slice bitcode = {.form = TCI_FORM_BITCODE};
    tci_slice slice = bitcode;
    tci_archive_writer *writer;
    tci_archive *archive;
    size_t size;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    size = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    (void)snprintf(slice.triple, sizeof slice.triple, "%s", tci_triple_host());
    if (tci_archive_writer_create(name, TCI_ENTRY_MAIN, &writer, NULL) != TC_OK ||
        tci_archive_writer_add(writer, &slice, bytes, size, NULL, 0, NULL) != TC_OK ||
        tci_archive_writer_finish(writer, &written, &size, NULL) != TC_OK ||
        tci_archive_open(written, size, &archive, NULL) != TC_OK)
        return NULL;
    tci_archive_writer_destroy(writer);
    return archive;
}

static long peak_kibibytes(void)
{
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) == 0 ? used.ru_maxrss : -1;
}

int main(int argc, char **argv)
{
    tci_engine_handle *handle;
    tci_code_unit *unit = NULL;
    tc_error err = {0};
    if (argc != 4)
        return 2;
    const tci_engine_opts opts = {
        .engine_path = TEST_ENGINE_DIR,
        .form = TCI_CHOICE_BITCODE,
        .tier = TCI_TIER_FAST,
        .code_memory_max = 256u << 20,
        .compiler = strcmp(argv[3], "thread") == 0 ? TCI_COMPILER_THREAD : TCI_COMPILER_PROCESS,
        .compile_time_max_ns = 60000000000,
        .compile_memory_max = 2ull << 30};
    tci_archive *archive = open_archive(argv[1], argv[2]);
    const tci_load_source source = {.archive = archive};
    if (archive == NULL || tci_engine_acquire(&opts, &handle, &err) != TC_OK)
        return 1;
    tc_status status = tci_code_unit_load(handle, &source, &unit, &err);
    printf("%s %ld %s\n", tc_status_name(status), peak_kibibytes(), err.text);
    tci_code_unit_unload(handle, unit);
    tci_engine_release(handle);
    tci_archive_close(archive);
    free(written);
    return 0;
}
