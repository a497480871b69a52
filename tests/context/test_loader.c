/* Functions in this process, without peers. */
#include "../support/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <tc/advanced.h>
#include <tc/loader.h>
#include <unistd.h>

typedef struct file_bytes {
    void *bytes;
    size_t size;
} file_bytes;

static file_bytes read_file(const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &info), 0);
    file_bytes file = {malloc((size_t)info.st_size), (size_t)info.st_size};
    assert_non_null(file.bytes);
    assert_int_equal(read(fd, file.bytes, file.size), info.st_size);
    (void)close(fd);
    return file;
}

static tc_loader *create(void)
{
    tc_loader *loader;
    assert_ok(tc_loader_create(NULL, NULL, 0, &loader, NULL));
    return loader;
}

static tc_ifunc *open_file(tc_loader *loader, const char *path)
{
    tc_ifunc *fn;
    tc_error error;
    file_bytes file = read_file(path);
    assert_ok(tc_loader_open_code(loader, &(tc_code){.bytes = file.bytes, .size = file.size},
                                  &fn, &error));
    size_t size;
    assert_memory_equal(tc_ifunc_archive(fn, &size), file.bytes, file.size);
    assert_int_equal(size, file.size);
    (void)tc_ifunc_deps(fn, &size);
    assert_int_equal(size, 0);
    free(file.bytes);
    return fn;
}

TEST(runs_a_function)
{
    tc_entry_points entries, again;
    tc_error error;
    uint64_t payload[4] = {0};
    const uint32_t number = 21;
    tc_loader *loader = create();
    tc_ifunc *fn = open_file(loader, TEST_DOUBLED);
    assert_string_equal(tc_ifunc_name(fn), "doubled");
    assert_ok(tc_loader_resolve(fn, &entries, &error));
    assert_ok(tc_loader_resolve(fn, &again, &error));
    assert_memory_equal(&entries, &again, sizeof entries);
    memset(&again, 0x5a, sizeof again);
    assert_ok(tc_loader_resolve_sized(fn, &again, sizeof again.main, &error));
    assert_true(again.main == entries.main);
    assert_int_equal(*(unsigned char *)&again.payload_max_size, 0x5a);
    assert_non_null(entries.main);
    assert_non_null(entries.payload_init);
    assert_null(entries.original_init);
    assert_true(entries.payload_max_size((void *)(uintptr_t)&number, sizeof number) <=
                sizeof payload);
    tc_ifunc_close(fn);
    tc_loader_destroy(loader);
}

/* A loader keeps the rules of the module trust, as a context does. */
TEST(revoked_code_is_refused)
{
    static const char path[] = "test_loader_revoked.txt";
    uint8_t id[TC_IFUNC_ID_BYTES];
    tc_options *options;
    tc_loader *loader = create();
    tc_ifunc *fn = open_file(loader, TEST_DOUBLED);
    tc_error error;
    tc_ifunc_id(fn, id);
    tc_ifunc_close(fn);
    tc_loader_destroy(loader);
    (void)unlink(path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    FILE *list = fdopen(fd, "w");
    assert_non_null(list);
    for (size_t i = 0; i < sizeof id; i++)
        (void)fprintf(list, "%02x", id[i]);
    (void)fputc('\n', list);
    assert_int_equal(fclose(list), 0);
    assert_ok(tc_options_create(&options, &error));
    assert_ok(tc_options_set(options, "code_revoked", "@test_loader_revoked.txt", &error));
    assert_ok(tc_loader_create(options, NULL, 0, &loader, &error));
    file_bytes file = read_file(TEST_DOUBLED);
    const tc_code code = {.bytes = file.bytes, .size = file.size};
    assert_status(tc_loader_open_code(loader, &code, &fn, &error), TC_E_REFUSED);
    free(file.bytes);
    tc_loader_destroy(loader);
    tc_options_destroy(options);
    (void)unlink(path);
}

/* It belongs to the maker of the payload: an endpoint has no buffer for one that shrinks. */
TEST(functions_of_the_original_api)
{
    tc_entry_points entries;
    tc_error error;
    tc_context *ctx;
    tc_ifunc *fn;
    tc_message *message;
    file_bytes file = read_file(TEST_ORIGINAL);
    tc_loader *loader = create();
    fn = open_file(loader, TEST_ORIGINAL);
    assert_ok(tc_loader_resolve(fn, &entries, &error));
    assert_non_null(entries.original_init);
    assert_null(entries.payload_init);
    char text[] = "some text", payload[64], result[64] = {0};
    size_t size = entries.payload_max_size(text, sizeof text);
    assert_in_range(size, sizeof text, sizeof payload);
    assert_int_equal(entries.original_init(text, sizeof text, payload, &size), 0);
    assert_int_equal(size, sizeof text);
    entries.main(payload, size, result);
    assert_string_equal(result, text);
    tc_loader_destroy(loader);

    assert_ok(tc_context_create(NULL, &ctx, &error));
    assert_ok(tc_ifunc_open_code(ctx, &(tc_code){.bytes = file.bytes, .size = file.size}, &fn,
                                 &error));
    assert_status(tc_message_create(fn, text, sizeof text, &message, NULL), TC_E_UNSUPPORTED);
    assert_status(tc_loader_resolve(fn, &entries, &error), TC_E_INVALID);
    tc_context_destroy(ctx);
    free(file.bytes);
}

TEST(bad_bitcode)
{
    tc_ifunc *fn;
    tc_entry_points entries;
    tc_error error;
    tc_bitcode slices[2] = {{"x86_64-linux", "nothing", 7}, {"aarch64-linux", "nothing", 7}};
    tc_loader *loader = create();
    assert_status(
        tc_loader_open_code(loader, &(tc_code){.name = "f", .slices = slices, .slice_count = 0},
                            &fn, &error),
        TC_E_INVALID);
    assert_status(
        tc_loader_open_code(
            loader, &(tc_code){.name = "1f", .slices = slices, .slice_count = 2}, &fn, &error),
        TC_E_INVALID);
    slices[1].triple = "";
    assert_status(
        tc_loader_open_code(loader, &(tc_code){.name = "f", .slices = slices, .slice_count = 2},
                            &fn, &error),
        TC_E_INVALID);
    slices[1].triple = "x86_64-pc-linux-gnu";
    assert_status(
        tc_loader_open_code(loader, &(tc_code){.name = "f", .slices = slices, .slice_count = 2},
                            &fn, &error),
        TC_E_IN_USE);
    slices[1].triple = "aarch64-linux";
    assert_ok(tc_loader_open_code(
        loader, &(tc_code){.name = "f", .slices = slices, .slice_count = 2}, &fn, &error));
    assert_true(tc_loader_resolve(fn, &entries, &error) != TC_OK);
    tc_ifunc_close(fn);
    tc_loader_destroy(loader);
}
