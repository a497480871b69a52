/* Compiling in a process of its own: whatever becomes of that process, this one goes on, and so
 * does compiling. */
#include "engine_fixture.h"

#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A sanitizer would rather describe the other. */
#define CRASH_SIGNAL (TCI_SANITIZED ? SIGABRT : SIGSEGV)
#define SHORT_NS (300 * TCI_NS_PER_MS)
#define LONG_NS (60 * TCI_NS_PER_S)
#define DEADLINE_MS 30000

static struct {
    void *bytes;
    size_t size;
} counter, endless, foreign_intrinsic;

static void *find_any(void *user, const char *symbol)
{
    (void)symbol;
    return user;
}

static tc_status compile(tci_compiler *c, const char *name, const void *bytes, size_t size,
                         tc_error *err)
{
    tci_object object;
    tci_engine_code code = code_of(name, bytes, size, NULL);
    code.resolve = find_any;
    code.resolve_user = &code;
    tc_status status = tci_compiler_compile(c, engine, &code, &object, err);
    if (status == TC_OK)
        free(object.bytes);
    return status;
}

static void expect_works(tci_compiler *c)
{
    tc_error err = {0};
    if (compile(c, "counter", counter.bytes, counter.size, &err) != TC_OK)
        fail_msg("%s", err.text);
}

static void expect_text(const tc_error *err, const char *part)
{
    if (strstr(err->text, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, err->text);
}

/* --- watching the process ----------------------------------------------------------------- */

/* Clock ticks of processor time that it took; -1 when it is gone. */
static long busy_ticks(pid_t pid)
{
    char path[64], text[1024];
    unsigned long user, system;
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    const char *behind_name = strrchr(text, ')');
    if (behind_name == NULL ||
        sscanf(behind_name + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
               &system) != 2)
        return -1;
    return (long)(user + system);
}

typedef struct killing {
    pid_t pid;
    int signal;
    long from_ticks;
} killing;

/* When it has been compiling for a while. */
static void *kill_when_busy(void *argument)
{
    killing *k = argument;
    uint64_t deadline_ns = tci_deadline_after(DEADLINE_MS * TCI_NS_PER_MS);
    while (tci_deadline_left_ns(deadline_ns) > 0 && busy_ticks(k->pid) < k->from_ticks + 5)
        usleep(5000);
    (void)kill(k->pid, k->signal);
    return NULL;
}

static bool ends_soon(int pidfd)
{
    struct pollfd end = {.fd = pidfd, .events = POLLIN};
    return poll(&end, 1, DEADLINE_MS) == 1;
}

static int open_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* --- the tests ---------------------------------------------------------------------------- */

TEST(code_that_takes_for_ever_is_refused)
{
    tc_error err = {0};
    tci_compiler *c = start_compiler(SHORT_NS);
    pid_t first = tci_compiler_pid(c);
    assert_status(compile(c, "endless", endless.bytes, endless.size, &err), TC_E_TIMEOUT);
    expect_text(&err, "compile_time_max");
    expect_text(&err, "300 ms");
    assert_int_not_equal(tci_compiler_pid(c), first);
    assert_int_equal(kill(first, 0), -1);
    tci_compiler_end(c);
}

/* Not even files that every user may read. */
TEST(assembly_reads_no_files)
{
    tc_error err = {0};
    size_t size;
    tci_compiler *c = start_compiler(LONG_NS);
    void *bytes = read_bitcode("asm_file", &size);
    assert_status(compile(c, "asm_file", bytes, size, &err), TC_E_COMPILE);
    expect_text(&err, "incbin");
    expect_works(c);
    tci_compiler_end(c);
    free(bytes);
}

TEST(a_crash_costs_one_function)
{
    tc_error err = {0};
    pthread_t thread;
    tci_compiler *c = start_compiler(LONG_NS);
    expect_works(c);
    killing k = {.pid = tci_compiler_pid(c), .signal = CRASH_SIGNAL};
    k.from_ticks = busy_ticks(k.pid);
    assert_int_equal(pthread_create(&thread, NULL, kill_when_busy, &k), 0);
    assert_status(compile(c, "endless", endless.bytes, endless.size, &err), TC_E_COMPILE);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_status(err.status, TC_E_COMPILE);
    expect_text(&err, TCI_SANITIZED ? "ended by signal 6" : "ended by signal 11");
    expect_text(&err, "'endless'");
    expect_works(c);
    tci_compiler_end(c);
}

TEST(llvms_own_end_costs_one_function)
{
    tc_error err = {0};
    tci_compiler *c = start_compiler(LONG_NS);
    assert_status(
        compile(c, "foreign_intrinsic", foreign_intrinsic.bytes, foreign_intrinsic.size, &err),
        TC_E_COMPILE);
    expect_text(&err, "the compiler ended");
    expect_text(&err, "Cannot select");
    expect_text(&err, "'foreign_intrinsic'");
    expect_works(c);
    tci_compiler_end(c);
}

TEST(one_that_was_killed_is_replaced)
{
    static const int signals[] = {SIGKILL, SIGTERM, SIGKILL};
    tci_compiler *c = start_compiler(LONG_NS);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        assert_int_equal(kill(tci_compiler_pid(c), signals[i]),
                         0); /* the first while it starts */
        expect_works(c);
    }
    tci_compiler_end(c);
}

/* In a process that gets killed; `busy`: while the compiler is at work. */
static void expect_it_follows_its_parent(bool busy)
{
    int ends[2];
    pid_t pid = -1;
    assert_int_equal(pipe(ends), 0);
    pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) {
        tci_compiler *c = start_compiler(LONG_NS);
        expect_works(c);
        pid = tci_compiler_pid(c);
        (void)!write(ends[1], &pid, sizeof pid);
        if (busy)
            (void)compile(c, "endless", endless.bytes, endless.size, NULL);
        (void)pause();
        _exit(1);
    }
    assert_int_equal(read(ends[0], &pid, sizeof pid), sizeof pid);
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    assert_true(pidfd >= 0);
    killing k = {.pid = pid, .from_ticks = busy ? busy_ticks(pid) : -10};
    (void)kill_when_busy(&k);
    assert_int_equal(kill(parent, SIGKILL), 0);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    assert_true(ends_soon(pidfd));
    close(pidfd);
    close(ends[0]);
    close(ends[1]);
}

TEST(it_ends_with_its_parent)
{
    expect_it_follows_its_parent(false);
    expect_it_follows_its_parent(true);
}

TEST(flipped_bits_never_reach_this_process)
{
    int refused = 0, accepted = 0, timeouts = 0, died = 0;
    uint32_t random = 4711;
    tc_error err = {0};
    char *mutant = malloc(counter.size);
    tci_compiler *c = start_compiler(SHORT_NS);
    int rounds = TCI_SANITIZED ? 200 : 1000;
    for (int round = 0; round < rounds; round++) {
        memcpy(mutant, counter.bytes, counter.size);
        for (int flips = 0; flips <= round % 3; flips++) {
            random = random * 1664525u + 1013904223u;
            mutant[(random >> 4) % counter.size] ^= (char)(1u << (random >> 29));
        }
        tc_status status = compile(c, "counter", mutant, counter.size, &err);
        if (status == TC_OK)
            accepted++;
        else if (status == TC_E_TIMEOUT)
            timeouts++;
        else if (strstr(err.text, "the compiler ended") != NULL)
            died++;
        else
            refused++;
    }
    print_message(
        "%d mutants: %d refused, %d accepted, %d took too long, %d ended a compiler\n", rounds,
        refused, accepted, timeouts, died);
    assert_true(refused > rounds / 4);
    free(mutant);
    tci_compiler_end(c);
    c = start_compiler(LONG_NS);
    expect_works(c);
    tci_compiler_end(c);
}

TEST(nothing_is_left_behind)
{
    int before = open_descriptors();
    tci_compiler *c = start_compiler(LONG_NS);
    expect_works(c);
    (void)compile(c, "foreign_intrinsic", foreign_intrinsic.bytes, foreign_intrinsic.size,
                  NULL);
    tci_compiler_end(c);
    c = start_compiler(LONG_NS); /* ended before it is ready */
    tci_compiler_end(c);
    tci_compiler_end(NULL);
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

TEST(programs_that_ignore_their_children_may_compile)
{
    tc_error err = {0};
    signal(SIGCHLD, SIG_IGN);
    tci_compiler *c = start_compiler(LONG_NS);
    expect_works(c);
    assert_status(
        compile(c, "foreign_intrinsic", foreign_intrinsic.bytes, foreign_intrinsic.size, &err),
        TC_E_COMPILE);
    expect_text(&err, "the compiler ended while");
    assert_int_equal(kill(tci_compiler_pid(c), SIGKILL), 0);
    expect_works(c);
    tci_compiler_end(c);
    signal(SIGCHLD, SIG_DFL);
}

/* Runs it in a process of its own, which must exit with 0. */
static void expect_in_fork(void (*run)(tci_compiler *), tci_compiler *argument)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run(argument);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void compile_without_streams(tci_compiler *nothing)
{
    (void)nothing;
    close(0);
    close(1);
    close(2);
    tci_compiler *c = start_compiler(LONG_NS);
    if (compile(c, "counter", counter.bytes, counter.size, NULL) != TC_OK ||
        tci_compiler_pid(c) < 0)
        _exit(1);
    tci_compiler_end(c);
}

static void compile_with_the_parents(tci_compiler *c)
{
    pid_t pid = tci_compiler_pid(c);
    if (compile(c, "counter", counter.bytes, counter.size, NULL) != TC_OK)
        _exit(1);
    if (tci_compiler_pid(c) == pid)
        _exit(2);
    tci_compiler_end(c);
}

TEST(forks_and_closed_streams_are_no_problem)
{
    expect_in_fork(compile_without_streams, NULL);
    tci_compiler *c = start_compiler(LONG_NS);
    expect_works(c);
    pid_t pid = tci_compiler_pid(c);
    expect_in_fork(compile_with_the_parents, c);
    expect_works(c);
    assert_int_equal(tci_compiler_pid(c), pid);
    tci_compiler_end(c);
}

static int set_up(void **state)
{
    counter.bytes = read_bitcode("counter", &counter.size);
    endless.bytes = read_bitcode("endless", &endless.size);
    foreign_intrinsic.bytes = read_bitcode("foreign_intrinsic", &foreign_intrinsic.size);
    return engine_set_up(state);
}

static int tear_down(void **state)
{
    free(counter.bytes);
    free(endless.bytes);
    free(foreign_intrinsic.bytes);
    return engine_tear_down(state);
}

int main(void)
{
    return test_run(set_up, tear_down);
}
