/* The fixture for images: archives that tc-clang made of the same sources. */
#include "engine_fixture.h"

#include "engine/image/image_loader.h"

static tci_code_arena *arena;

int engine_set_up(void **state)
{
    return tci_code_arena_create(&arena, NULL) == TC_OK ? 0 : -1;
}

int engine_tear_down(void **state)
{
    tci_code_arena_destroy(arena);
    return 0;
}

static tc_status load_image(const char *file, tci_symbols *symbols,
                            tci_loaded_image **loaded_out, tci_entries *entries_out,
                            tc_error *err)
{
    static unsigned char bytes[1 << 16];
    tci_archive *archive;
    size_t index = 0;
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s.tca", getenv("TEST_IMAGE_DIR"), file);
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        fail_msg("%s", path);
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    if (tci_archive_open(bytes, size, &archive, err) != TC_OK ||
        tci_archive_select_image(archive, tci_triple_host(), TCI_CPU_ANY, &index, err) != TC_OK)
        fail_msg("%s: %s", file, err->text);
    tc_status status =
        tci_image_loader_load(arena, archive, index, symbols, 0, loaded_out, entries_out, err);
    tci_archive_close(archive);
    return status;
}

loaded_file load_file(const char *file, const char *name, unsigned entries, const char *deps)
{
    tc_error err = {0};
    loaded_file result = {.symbols = open_symbols(deps)};
    tci_loaded_image *loaded = NULL;
    (void)name, (void)entries;
    if (load_image(file, result.symbols, &loaded, &result.entries, &err) != TC_OK)
        fail_msg("%s: %s", file, err.text);
    result.loaded = loaded;
    return result;
}

void unload_file(loaded_file *file)
{
    tci_image_loader_unload(arena, file->loaded);
    tci_symbols_destroy(file->symbols);
}

void expect_refusal(const char *file, const char *name, unsigned entries, tc_status status,
                    const char *const *parts)
{
    tc_error err = {0};
    tci_loaded_image *loaded = NULL;
    tci_entries found_entries = {0};
    tci_symbols *symbols = open_symbols("");
    (void)name, (void)entries;
    tc_status found = load_image(file, symbols, &loaded, &found_entries, &err);
    if (found != status)
        fail_msg("%s: status %s, expected %s: %s", file, tc_status_name(found),
                 tc_status_name(status), err.text);
    assert_null(loaded);
    assert_null(found_entries.main);
    for (; *parts != NULL; parts++) {
        if (strstr(err.text, *parts) == NULL)
            fail_msg("%s: '%s' is not in '%s'", file, *parts, err.text);
    }
    tci_symbols_destroy(symbols);
}
