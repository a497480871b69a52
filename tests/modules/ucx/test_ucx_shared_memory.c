/* The folder of UCX's shared memory: little of it suffices, the error names it, and files of a
 * killed process there are removed. Each test has a /dev/shm of its own, in a namespace of
 * mounts. */
#include "modules/ucx/ucx_shared_memory.h"

#include "../../support/test.h"
#include "modules/ucx/ucx_compat.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tc/context.h>
#include <unistd.h>

#define CONTEXTS 100u
#define CONTEXTS_OF_LONG_QUEUES 25u /* UCX 1.16 and newer */
#define FOLDER "/dev/shm/"

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!write(fd, text, strlen(text));
    (void)close(fd);
}

/* A user other than root becomes root of a user namespace. */
static bool enter_namespace(void)
{
    char map[64];
    unsigned uid = (unsigned)getuid(), gid = (unsigned)getgid();
    int flags = uid == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
    if (unshare(flags) != 0)
        return false;
    if (uid != 0) {
        (void)snprintf(map, sizeof map, "0 %u 1", uid);
        write_file("/proc/self/uid_map", map);
        write_file("/proc/self/setgroups", "deny");
        (void)snprintf(map, sizeof map, "0 %u 1", gid);
        write_file("/proc/self/gid_map", map);
    }
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static void mount_folder(const char *options, unsigned long flags)
{
    assert_int_equal(mount("tmpfs", "/dev/shm", "tmpfs", flags, options), 0);
}

static int unmount_folder(void **state)
{
    return umount("/dev/shm");
}

/* --- space ------------------------------------------------------------------------------- */

TEST_WITH(sixty_four_megabytes_suffice_for_many_contexts, NULL, unmount_folder)
{
    tc_context *contexts[CONTEXTS];
    const unsigned wanted = tci_ucx_is_from(16) ? CONTEXTS_OF_LONG_QUEUES : CONTEXTS;
    tc_error error = {0};
    struct rlimit limit;
    mount_folder("size=64m", 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    unsigned count = 0;
    while (count < wanted && tc_context_create(NULL, &contexts[count], &error) == TC_OK)
        count++;
    for (unsigned i = 0; i < count; i++)
        tc_context_destroy(contexts[i]);
    if (count < wanted)
        fail_msg("%u contexts: %s", count, error.text);
}

static void expect_failure(const char *found)
{
    tc_context *ctx = NULL;
    tc_error error = {0};
    assert_status(tc_context_create(NULL, &ctx, &error), TC_E_UCX);
    assert_null(ctx);
    if (strstr(error.text, found) == NULL || strstr(error.text, "/dev/shm") == NULL ||
        strstr(error.text, "--shm-size") == NULL || strstr(error.text, "UCX_POSIX_DIR") == NULL)
        fail_msg("%s", error.text);
}

TEST_WITH(too_little_is_named, NULL, unmount_folder)
{
    mount_folder("size=128k", 0);
    expect_failure("KB, expected");
}

TEST_WITH(a_folder_that_cannot_be_written_is_named, NULL, unmount_folder)
{
    mount_folder("size=64m", MS_RDONLY);
    expect_failure("cannot be written");
}

TEST(a_folder_that_is_not_there_is_named)
{
    tc_context *ctx = NULL;
    tc_error error = {0};
    assert_int_equal(setenv("UCX_POSIX_DIR", "/no/such/folder", 1), 0);
    assert_status(tc_context_create(NULL, &ctx, &error), TC_E_UCX);
    (void)unsetenv("UCX_POSIX_DIR");
    assert_non_null(strstr(error.text, "/no/such/folder is not there"));
}

TEST_WITH(another_folder_serves, NULL, unmount_folder)
{
    char folder[] = "/tmp/test_ucx_shared_memory.XXXXXX";
    tc_context *ctx = NULL;
    tc_error error = {0};
    assert_non_null(mkdtemp(folder));
    mount_folder("size=128k", 0);
    assert_int_equal(setenv("UCX_POSIX_DIR", folder, 1), 0);
    tc_status status = tc_context_create(NULL, &ctx, &error);
    tc_context_destroy(ctx);
    (void)unsetenv("UCX_POSIX_DIR");
    (void)rmdir(folder);
    if (status != TC_OK)
        fail_msg("%s", error.text);
}

/* --- left-over files --------------------------------------------------------------------- */

static int make(const char *name, mode_t mode)
{
    char path[128];
    (void)snprintf(path, sizeof path, FOLDER "%s", name);
    int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 8192), 0);
    return fd;
}

static bool is_there(const char *name)
{
    char path[128];
    struct stat about;
    (void)snprintf(path, sizeof path, FOLDER "%s", name);
    return lstat(path, &about) == 0;
}

/* Holds its inherited files, in a process namespace of its own where that can be made. */
static pid_t start_holder(void)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)unshare(CLONE_NEWPID);
        pid_t inner = fork();
        if (inner == 0) {
            (void)!write(ready[1], "x", 1);
            for (;;)
                pause();
        }
        (void)waitpid(inner, NULL, 0);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
    (void)close(ready[1]);
    return pid;
}

TEST_WITH(what_nobody_uses_goes_away, NULL, unmount_folder)
{
    mount_folder("size=64m", 0);
    (void)close(make("ucx_shm_posix_1234abcd", 0600));
    (void)close(make("ucx_shm_posix_1", 0600));
    tci_ucx_shared_memory_sweep();
    assert_false(is_there("ucx_shm_posix_1234abcd"));
    assert_false(is_there("ucx_shm_posix_1"));
}

TEST_WITH(a_new_context_does_it, NULL, unmount_folder)
{
    tc_context *ctx = NULL;
    mount_folder("size=64m", 0);
    (void)close(make("ucx_shm_posix_1234abcd", 0600));
    assert_ok(tc_context_create(NULL, &ctx, NULL));
    assert_false(is_there("ucx_shm_posix_1234abcd"));
    tc_context_destroy(ctx);
}

TEST_WITH(what_somebody_uses_stays, NULL, unmount_folder)
{
    mount_folder("size=64m", 0);
    int opened = make("ucx_shm_posix_opened", 0600);
    int mapped = make("ucx_shm_posix_mapped", 0600);
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, mapped, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    (void)close(mapped);
    pid_t holder = start_holder();
    assert_int_equal(munmap(memory, 4096), 0);
    (void)close(opened);
    tci_ucx_shared_memory_sweep();
    bool stayed = is_there("ucx_shm_posix_opened") && is_there("ucx_shm_posix_mapped");
    /* With its first process a namespace ends, and here the holder's parent waits for it. */
    char command[64];
    (void)snprintf(command, sizeof command, "kill -9 $(cat /proc/%d/task/%d/children)",
                   (int)holder, (int)holder);
    assert_int_equal(system(command), 0);
    assert_int_equal(waitpid(holder, NULL, 0), holder);
    assert_true(stayed);
    tci_ucx_shared_memory_sweep();
    assert_false(is_there("ucx_shm_posix_opened"));
    assert_false(is_there("ucx_shm_posix_mapped"));
}

TEST_WITH(what_is_not_ucxs_stays, NULL, unmount_folder)
{
    mount_folder("size=64m", 0);
    (void)close(make("ucx_shm", 0600));
    (void)close(make("vader_segment.1", 0600));
    (void)close(make("ucx_shm_posix_readable", 0644));
    assert_int_equal(symlink(FOLDER "ucx_shm", FOLDER "ucx_shm_posix_link"), 0);
    assert_int_equal(mkfifo(FOLDER "ucx_shm_posix_fifo", 0600), 0);
    assert_int_equal(mkdir(FOLDER "ucx_shm_posix_folder", 0700), 0);
    (void)close(make("ucx_shm_posix_others", 0600));
    bool others = chown(FOLDER "ucx_shm_posix_others", 1, 1) == 0; /* not without other users */
    tci_ucx_shared_memory_sweep();
    static const char *const kept[] = {"ucx_shm",
                                       "vader_segment.1",
                                       "ucx_shm_posix_readable",
                                       "ucx_shm_posix_link",
                                       "ucx_shm_posix_fifo",
                                       "ucx_shm_posix_folder"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        if (!is_there(kept[i]))
            fail_msg("%s", kept[i]);
    }
    assert_true(!others || is_there("ucx_shm_posix_others"));
}

int main(void)
{
    if (!enter_namespace()) {
        (void)fprintf(stderr, "no namespace of mounts can be made here: %s\n", strerror(errno));
        return 77;
    }
    return test_run(NULL, NULL);
}
