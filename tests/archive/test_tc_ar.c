/* tc-ar as its users meet it: output, exit status, files.
 * Arguments: the program, the folder of golden archives, a folder to work in. */
#include "../support/test.h"
#include "archive_file.h"
#include "archive_samples.h"
#include "base/content_id.h"
#include "image_samples.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program;
static const char *golden;
static char work[2048];
static char output[64 << 10];

/* Runs "tc-ar ARGUMENTS" in the work folder; its output and errors end up in `output`. Returns
 * the exit status. */
static int run(const char *fmt, ...) TC_PRINTF(1, 2);

static int run(const char *fmt, ...)
{
    char arguments[4096];
    char command[8192];
    va_list args;
    va_start(args, fmt);
    vsnprintf(arguments, sizeof arguments, fmt, args);
    va_end(args);
    snprintf(command, sizeof command, "cd '%s' && timeout 20 '%s' %s 2>&1", work, program,
             arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t n = fread(output, 1, sizeof output - 1, pipe);
    output[n] = '\0';
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void expect_output(const char *wanted)
{
    if (strstr(output, wanted) == NULL)
        fail_msg("expected '%s' in:\n%s", wanted, output);
}

static void write_work(const char *name, const void *bytes, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", work, name);
    assert_ok(tci_archive_file_write(path, bytes, size, NULL));
}

/* units.tca in the work folder, with or without libraries beside it. */
static void place_archive(const char *deps)
{
    char path[4096];
    void *bytes;
    size_t size;
    snprintf(path, sizeof path, "%s/units.tca", golden);
    assert_ok(tci_archive_file_read(path, 1 << 20, &bytes, &size, NULL));
    write_work("units.tca", bytes, size);
    free(bytes);
    snprintf(path, sizeof path, "%s/units.deps", work);
    (void)unlink(path);
    if (deps != NULL)
        write_work("units.deps", deps, strlen(deps));
}

static void content_id_of_work(const char *deps, char text_out[TCI_CONTENT_ID_TEXT])
{
    char path[4096];
    void *bytes;
    size_t size;
    tci_content_id id;
    snprintf(path, sizeof path, "%s/units.tca", work);
    assert_ok(tci_archive_file_read(path, 1 << 20, &bytes, &size, NULL));
    tci_content_id_of(bytes, size, deps, strlen(deps), &id);
    tci_content_id_text(&id, text_out);
    free(bytes);
}

TEST(list_has_a_line_per_slice)
{
    place_archive(NULL);
    assert_int_equal(run("list units.tca"), 0);
    assert_string_equal(
        output, "sample aarch64-linux  bitcode  llvm 19.1.8        300 bytes    2 undefined\n"
                "sample riscv64-linux  bitcode  llvm 19.1.9        300 bytes    1 undefined\n"
                "sample x86_64-linux   bitcode  llvm 19.1.7        300 bytes    3 undefined\n");
    assert_int_equal(run("list missing.tca units.tca"), 1);
    expect_output("tc-ar: missing.tca: No such file");
    expect_output("sample riscv64-linux");
}

TEST(list_as_json)
{
    place_archive(NULL);
    assert_int_equal(run("list --json units.tca"), 0);
    assert_string_equal(
        output, "[{\"file\":\"units.tca\",\"name\":\"sample\",\"slices\":["
                "{\"triple\":\"aarch64-linux\",\"form\":\"bitcode\",\"cpu_level\":0,"
                "\"producer\":\"19.1.8\",\"bytes\":300,\"undefined\":[\"abort\",\"memcpy\"]},"
                "{\"triple\":\"riscv64-linux\",\"form\":\"bitcode\",\"cpu_level\":0,"
                "\"producer\":\"19.1.9\",\"bytes\":300,\"undefined\":[\"abort\"]},"
                "{\"triple\":\"x86_64-linux\",\"form\":\"bitcode\",\"cpu_level\":0,"
                "\"producer\":\"19.1.7\",\"bytes\":300,"
                "\"undefined\":[\"abort\",\"memcpy\",\"puts\"]}]}]\n");
}

TEST(show_tells_everything)
{
    char id[TCI_CONTENT_ID_TEXT];
    place_archive("libzstd.so.1\n\nlibsqlite3.so.0");
    content_id_of_work("libzstd.so.1\n\nlibsqlite3.so.0", id);
    assert_int_equal(run("show units.tca"), 0);
    expect_output(id);
    expect_output("name     sample\n");
    expect_output("317 bytes (content 987 bytes, zstd of 2-bit units)");
    expect_output("sample_main sample_payload_get_max_size sample_payload_init\n");
    expect_output("x86_64-linux   bitcode  llvm 19.1.7");
    expect_output("    memcpy\n");
    expect_output("  libzstd.so.1\n  libsqlite3.so.0\n");
}

TEST(show_as_json)
{
    char id[TCI_CONTENT_ID_TEXT];
    place_archive("lib\"odd\\\x1b\xe9.so\n");
    content_id_of_work("lib\"odd\\\x1b\xe9.so\n", id);
    assert_int_equal(run("show --json units.tca"), 0);
    expect_output(id);
    expect_output(
        "\"archive_bytes\":317,\"content_bytes\":987,\"packing\":\"zstd of 2-bit units\"");
    expect_output(
        "\"entries\":[\"main\",\"payload_get_max_size\",\"payload_init\"],"
        "\"payload_alignment\":16,\"payload_readonly\":false,\"active_message\":false,");
    expect_output("\"deps\":[\"lib\\\"odd\\\\\\u001b\\u00e9.so\"]}\n");
}

TEST(show_without_libraries)
{
    char id[TCI_CONTENT_ID_TEXT];
    place_archive(NULL);
    content_id_of_work("", id);
    assert_int_equal(run("show units.tca"), 0);
    expect_output(id);
    expect_output("no .deps file");
    /* A terminal is not for the bytes of a file to drive. */
    place_archive("lib\x1b[31m.so\n");
    assert_int_equal(run("show units.tca"), 0);
    expect_output("  lib?[31m.so\n");
}

TEST(extract_gives_the_slice)
{
    char path[4096];
    void *bytes;
    size_t size;
    static sample_slice slices[3];
    place_archive(NULL);
    sample_slices(SAMPLE_BITS, 300, slices);
    assert_int_equal(run("extract units.tca aarch64-unknown-linux-gnu -o out.bc"), 0);
    snprintf(path, sizeof path, "%s/out.bc", work);
    assert_ok(tci_archive_file_read(path, 4096, &bytes, &size, NULL));
    assert_int_equal(size, 300);
    assert_memory_equal(bytes, slices[1].bytes, size);
    free(bytes);
    assert_int_equal(run("extract -o - units.tca x86_64 | cmp -n 300 - out.bc"), 1);
    assert_int_equal(run("extract -o - units.tca arm64 | cmp - out.bc"), 0);
    assert_int_equal(run("extract units.tca s390x -o out.bc"), 1);
    expect_output(
        "no bitcode for s390x-linux, it has: aarch64-linux bitcode, riscv64-linux bitcode, "
        "x86_64-linux bitcode");
}

/* image.tca: bitcode, an image, and one for a better CPU, all for x86_64. With `broken` the
 * second image is malformed. */
static void place_images(bool broken)
{
    static const char *const symbols[] = {"abort", "memcpy", "puts"};
    tci_image_source source = sample_image_full();
    tci_slice slice = {.triple = "x86_64-linux", .producer_major = 19};
    tci_archive_writer *writer;
    void *image;
    void *bytes;
    size_t image_size, size;
    assert_ok(tci_image_write(&source, &image, &image_size, NULL));
    assert_ok(tci_archive_writer_create("f", TCI_ENTRY_PLACES, &writer, NULL));
    slice.form = TCI_FORM_BITCODE;
    assert_ok(tci_archive_writer_add(writer, &slice, "BC", 2, NULL, 0, NULL));
    slice.form = TCI_FORM_IMAGE;
    assert_ok(tci_archive_writer_add(writer, &slice, image, image_size, symbols, 3, NULL));
    slice.cpu_level = TCI_CPU_X86_64_V3;
    assert_ok(tci_archive_writer_add(writer, &slice, image,
                                     broken ? image_size - 1 : image_size, symbols, 3, NULL));
    assert_ok(tci_archive_writer_finish(writer, &bytes, &size, NULL));
    tci_archive_writer_destroy(writer);
    write_work("image.tca", bytes, size);
    write_work("wanted.img", image, image_size);
    free(bytes);
    free(image);
}

/* tests/install checks the compiled result. */
TEST(embed_writes_a_source)
{
    place_archive("libm.so.6\n");
    assert_int_equal(run("embed units.tca -o units.c && cat %s/units.c", work), 0);
    expect_output("const tc_embedded sample_tca = {\n    archive, sizeof archive,\n"
                  "    deps, sizeof deps,\n    NULL, 0,\n};");
    expect_output("static const char deps[] = {\n    108, 105, 98, 109,");
    place_archive(NULL);
    assert_int_equal(run("embed units.tca -o -"), 0);
    expect_output("    NULL, 0,\n    NULL, 0,\n};");
    place_archive("libm\xc3\xa4.so\n");
    assert_int_equal(run("embed units.tca -o units.c"), 1);
    expect_output("has byte 0xc3 at 4, expected ASCII");
    write_work("units.tca", "no", 2);
    assert_int_equal(run("embed units.tca -o units.c"), 1);
    expect_output("units.tca: ");
    assert_int_equal(run("embed units.tca"), 2);
    expect_output("embed needs -o OUT.c");
    assert_int_equal(run("embed -o units.c"), 2);
    expect_output("got 0 arguments, expected 1");
}

TEST(show_tells_what_is_in_images)
{
    place_images(false);
    assert_int_equal(run("list image.tca"), 0);
    expect_output("undefined cpu level 3: x86-64-v3\n");
    assert_int_equal(run("show image.tca"), 0);
    expect_output("    code      0x0: 40 bytes, 16 zeros\n"
                  "    constants 0x1000: 53 bytes, 35 zeros\n"
                  "    data      0x2000: 4 bytes, 1004 zeros\n"
                  "    entries main 0x0, payload_get_max_size 0xc, payload_init 0x24\n"
                  "    eh_frame 0x1000: 48 bytes\n"
                  "    6 relocations, 2 weak names\n"
                  "    abort\n");
    assert_int_equal(run("show --relocations image.tca"), 0);
    expect_output("    6 relocations, 2 weak names\n"
                  "      0x28: puts\n"
                  "      0x30: abort - 3\n"
                  "      0x1050: maybe_b (weak)\n"
                  "      0x2008: maybe_a + 1048576 (weak)\n"
                  "      0x2010: image + 0x4\n"
                  "      0x23e8: image + 0x23f0\n");
    assert_int_equal(run("show --json --relocations image.tca"), 0);
    expect_output(
        "\"image\":{\"memory_bytes\":9200,\"segments\":[{\"kind\":\"code\",\"place\":0,"
        "\"file_bytes\":40,\"memory_bytes\":56},");
    expect_output("{\"place\":48,\"addend\":-3,\"symbol\":\"abort\"},"
                  "{\"place\":4176,\"addend\":0,\"weak\":\"maybe_b\"},");
    assert_int_equal(run("list --relocations image.tca"), 2);
}

TEST(broken_images_are_found)
{
    place_images(false);
    assert_int_equal(run("verify image.tca"), 0);
    place_images(true);
    assert_int_equal(run("verify image.tca"), 1);
    expect_output("failed: image.tca: archive f: slice 2: image: ");
    assert_int_equal(run("show image.tca"), 0);
    expect_output("    archive f: slice 2: image: ");
    assert_int_equal(run("show --json image.tca"), 0);
    expect_output("\"image\":{\"error\":\"archive f: slice 2: image: ");
}

TEST(extract_gives_images_too)
{
    place_images(false);
    assert_int_equal(run("extract image.tca x86_64 --image -o out.img"), 0);
    assert_int_equal(run("extract image.tca x86_64 --image=3 -o - | cmp - out.img"), 0);
    assert_int_equal(run("extract image.tca x86_64 --image=3 -o - | cmp - wanted.img"), 0);
    assert_int_equal(run("extract image.tca x86_64 -o - | grep -q '^BC$'"), 0);
    assert_int_equal(run("extract image.tca x86_64 --image=4 -o out.img"), 1);
    expect_output("archive f: no image for x86_64-linux of cpu level 4");
    assert_int_equal(run("extract image.tca aarch64 --image -o out.img"), 1);
    assert_int_equal(run("extract image.tca x86_64 --image=256 -o out.img"), 2);
}

TEST(verify_reports_every_file)
{
    char path[4096];
    void *bytes;
    size_t size;
    place_archive(NULL);
    snprintf(path, sizeof path, "%s/units.tca", work);
    assert_ok(tci_archive_file_read(path, 4096, &bytes, &size, NULL));
    ((uint8_t *)bytes)[size / 2] ^= 4;
    write_work("flipped.tca", bytes, size);
    write_work("cut.tca", bytes, size / 2);
    write_work("empty.tca", bytes, 0);
    free(bytes);
    assert_int_equal(run("verify units.tca"), 0);
    assert_string_equal(output, "ok: units.tca: sample, 3 slices, 317 bytes\n");
    assert_int_equal(run("verify flipped.tca missing.tca cut.tca . empty.tca units.tca"), 1);
    expect_output("failed: flipped.tca: archive: damaged or cut short");
    expect_output("failed: missing.tca: No such file or directory (TC_E_NOT_FOUND)\n");
    expect_output("failed: cut.tca: archive: damaged or cut short");
    expect_output("failed: .: not a regular file (TC_E_IO)\n");
    expect_output("failed: empty.tca: archive: 0 bytes, expected at least 12 (TC_E_CORRUPT)\n");
    expect_output("ok: units.tca");
}

TEST(misuse_is_explained)
{
    static const char *const misuses[] = {"",
                                          "frobnicate",
                                          "list",
                                          "show",
                                          "show a b",
                                          "verify",
                                          "verify --relocations a",
                                          "extract a",
                                          "extract a x86_64",
                                          "extract a 'no triple' -o b",
                                          "list --frobnicate a"};
    for (size_t i = 0; i < sizeof misuses / sizeof misuses[0]; i++) {
        assert_int_equal(run("%s", misuses[i]), 2);
        expect_output("usage: tc-ar");
    }
}

/* 24 lines of 80 columns are the smallest screen. */
TEST(help_fits_a_screen)
{
    static const char *const commands[] = {"",       "list",   "show", "extract",
                                           "verify", "keygen", "sign", "digest"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        size_t lines = 0;
        size_t longest = 0;
        assert_int_equal(run("%s --help", commands[i]), 0);
        for (const char *line = output; *line != '\0'; lines++) {
            size_t length = strcspn(line, "\n");
            longest = length > longest ? length : longest;
            line += length + (line[length] == '\n');
        }
        assert_in_range(lines, 4, 24);
        assert_in_range(longest, 20, 100);
    }
}

TEST(a_full_disk_is_an_error)
{
    place_archive(NULL);
    assert_int_equal(run("list units.tca > /dev/full"), 1);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return EXIT_FAILURE;
    program = argv[1];
    golden = argv[2];
    snprintf(work, sizeof work, "%s/tc_ar_work", argv[3]);
    (void)mkdir(work, 0777);
    return test_run(NULL, NULL);
}
