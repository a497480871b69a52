/* Slots for code: they run, do not meet, are never writable where they run, and come back. */

#include "../support/test.h"
#include "engine/image/code_arena.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static tci_code_arena *arena;

static int set_up(void **state)
{
    return tci_code_arena_create(&arena, NULL) == TC_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    tci_code_arena_destroy(arena);
    tci_code_arena_destroy(NULL);
    return 0;
}

/* Only the fields that the arena reads. */
static tci_image image_of(uint32_t code_bytes, uint32_t constant_bytes, uint32_t data_bytes)
{
    const uint32_t bytes[] = {code_bytes, constant_bytes, data_bytes};
    tci_image image = {.page_bytes = 65536};
    for (unsigned i = 0; i < 3; i++) {
        if (bytes[i] == 0)
            continue;
        uint32_t area = (image.memory_bytes + 65535) & ~65535u;
        image.segments[image.segment_count++] = (tci_image_segment){
            .offset = area, .memory_bytes = bytes[i], .kind = (tci_image_kind)(i + 1)};
        image.memory_bytes = area + bytes[i];
    }
    return image;
}

static tci_code_place take(const tci_image *image)
{
    tci_code_place area;
    tc_error err = {0};
    if (tci_code_arena_take(arena, image, &area, &err) != TC_OK)
        fail_msg("%s", err.text);
    return area;
}

#define CODE_BYTES 8u

/* Code that returns a number. */
static void write_code(uint8_t out[CODE_BYTES], unsigned answer)
{
#if defined(__x86_64__)
    const uint8_t code[CODE_BYTES] = {
        0xb8, (uint8_t)answer, (uint8_t)(answer >> 8), 0, 0, 0xc3, 0xcc,
        0xcc}; /* mov eax, answer; ret */
#else
    const uint32_t code[2] = {0x52800000u | (answer & 0xffff) << 5, 0xd65f03c0u};
#endif
    memcpy(out, code, sizeof code); /* mov w0, answer; ret */
}

static unsigned call(const tci_code_place *area)
{
    return ((unsigned (*)(void))(uintptr_t)area->run)();
}

static tci_code_place take_code(const tci_image *image, unsigned answer)
{
    tci_code_place area = take(image);
    write_code(area.write, answer);
    tci_code_arena_written(&area, image);
    return area;
}

TEST(what_is_written_runs)
{
    enum { COUNT = 300 };
    static tci_code_place places[COUNT];
    const tci_image images[] = {image_of(20, 0, 0), image_of(20, 0, 100), image_of(9000, 0, 1),
                                image_of(5000, 400, 5000)};
    for (unsigned i = 0; i < COUNT; i++)
        places[i] = take_code(&images[i % 4], i);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_int_equal(call(&places[i]), i);
        assert_int_equal((uintptr_t)places[i].run % TCI_IMAGE_BASE_ALIGNMENT, 0);
    }
    for (unsigned i = 0; i < COUNT; i++)
        tci_code_arena_give_back(arena, &places[i], &images[i % 4]);
}

TEST(data_is_zero_and_ours)
{
    static const unsigned char zeros[100];
    const tci_image image = image_of(20, 30, 100);
    for (int round = 0; round < 3; round++) {
        tci_code_place area = take(&image);
        uint8_t *data = area.run + image.segments[2].offset;
        area.write[image.segments[1].offset + 29] = 77;
        assert_int_equal(area.run[image.segments[1].offset + 29], 77);
        assert_memory_equal(data, zeros, sizeof zeros);
        memset(data, 0xee, sizeof zeros);
        tci_code_arena_give_back(arena, &area, &image);
    }
}

TEST(large_images_come_and_go_whole)
{
    const tci_image images[] = {image_of(3 << 20, 0, 5 << 20), image_of(100, 0, 10 << 20),
                                image_of(3 << 20, 0, 0), image_of(1 << 20, 1 << 20, 1)};
    size_t before = tci_code_arena_bytes(arena);
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++) {
        const tci_image_segment *last = &images[i].segments[images[i].segment_count - 1];
        tci_code_place area = take_code(&images[i], 7);
        assert_int_equal(call(&area), 7);
        if (last->kind == TCI_IMAGE_DATA) {
            assert_int_equal(area.run[images[i].memory_bytes - 1], 0);
            area.run[images[i].memory_bytes - 1] = 1;
        }
        assert_true(tci_code_arena_bytes(arena) >= before + images[i].memory_bytes);
        tci_code_arena_give_back(arena, &area, &images[i]);
        assert_int_equal(tci_code_arena_bytes(arena), before);
    }
}

TEST(what_went_traps)
{
    const tci_image image = image_of(200, 0, 0);
    tci_code_place area = take_code(&image, 1), other = take(&image);
    tci_code_arena_give_back(arena, &area, &image);
    uint8_t trap = area.run[0];
    assert_true(trap == 0xcc || trap == 0);
    for (size_t i = 0; i < 200; i++)
        assert_int_equal(area.run[i], trap);
    tci_code_arena_give_back(arena, &other, &image);
}

/* Linux 5.1 has the seal that makes it final. */
static bool kernel_seals_writing(void)
{
    int fd = memfd_create("probe", MFD_ALLOW_SEALING);
    bool sealed = fd >= 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) == 0;
    close(fd);
    return sealed;
}

TEST(the_view_that_runs_stays_unwritable)
{
    const tci_image image = image_of(20, 20, 20);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!kernel_seals_writing())
        skip();
    tci_code_place area = take_code(&image, 3);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(
            mprotect(area.run + image.segments[i].offset, page, PROT_READ | PROT_WRITE), -1);
        assert_int_equal(errno, EACCES);
    }
    assert_int_equal(call(&area), 3);
    tci_code_arena_give_back(arena, &area, &image);
}

TEST(taking_and_giving_back_leaves_nothing_behind)
{
    const tci_image images[] = {image_of(20, 0, 0), image_of(20, 0, 100)};
    tci_code_place stays = take_code(&images[0], 5);
    tci_code_place once = take(&images[1]);
    tci_code_arena_give_back(arena, &once, &images[1]);
    size_t before = tci_code_arena_bytes(arena);
    for (unsigned i = 0; i < 100000; i++) {
        tci_code_place area = take(&images[i % 2]);
        tci_code_arena_give_back(arena, &area, &images[i % 2]);
    }
    assert_int_equal(tci_code_arena_bytes(arena), before);
    assert_int_equal(call(&stays), 5);
    tci_code_arena_give_back(arena, &stays, &images[0]);
}

TEST(pages_that_are_too_small_are_refused)
{
    tci_image image = image_of(20, 0, 20);
    tci_code_place area;
    tc_error err = {0};
    image.page_bytes = 1024;
    assert_status(tci_code_arena_take(arena, &image, &area, &err), TC_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "1024"));
}

/* A context of the child's own loads freely. */
TEST(a_fork_runs_its_parents_code_and_loads_its_own)
{
    const tci_image image = image_of(20, 0, 0);
    tci_code_place area = take_code(&image, 9), second = take_code(&image, 10);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tci_code_place mine[40]; /* more than the parent's block has free */
        bool runs = call(&area) == 9;
        tci_code_arena_give_back(arena, &area, &image);
        for (unsigned i = 0; i < 40; i++)
            mine[i] = take_code(&image, 100 + i);
        for (unsigned i = 0; i < 40; i++) {
            runs = runs && call(&mine[i]) == 100 + i;
            tci_code_arena_give_back(arena, &mine[i], &image);
        }
        tci_code_arena_give_back(arena, &second, &image);
        _exit(runs ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(call(&area), 9);
    assert_int_equal(call(&second), 10);
    tci_code_place third = take_code(&image, 11); /* where nothing of the child's is */
    assert_int_equal(call(&third), 11);
    tci_code_arena_give_back(arena, &third, &image);
    tci_code_arena_give_back(arena, &area, &image);
    tci_code_arena_give_back(arena, &second, &image);
}

/* Each thread puts its own number into its slots and finds only that there. */
static void *take_many(void *argument)
{
    enum { HELD = 40, ROUNDS = 100 };
    tci_code_place held[HELD];
    const tci_image images[] = {image_of(20, 0, 0), image_of(20, 0, 100),
                                image_of(9000, 20, 1)};
    unsigned me = (unsigned)(uintptr_t)argument;
    intptr_t mistakes = 0;
    memset(held, 0, sizeof held);
    for (unsigned i = 0; i < HELD * (ROUNDS + 1); i++) {
        tci_code_place *area = &held[i % HELD];
        const tci_image *image = &images[i % HELD % 3];
        if (area->block != NULL) {
            mistakes += call(area) != me;
            tci_code_arena_give_back(arena, area, image);
        }
        if (i >= HELD * ROUNDS)
            continue;
        if (tci_code_arena_take(arena, image, area, NULL) != TC_OK)
            return (void *)1;
        write_code(area->write, me);
        tci_code_arena_written(area, image);
    }
    return (void *)mistakes;
}

TEST(threads_share_it)
{
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_many, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++) {
        void *mistakes;
        assert_int_equal(pthread_join(threads[i], &mistakes), 0);
        assert_null(mistakes);
    }
}

int main(void)
{
    return test_run(set_up, tear_down);
}
