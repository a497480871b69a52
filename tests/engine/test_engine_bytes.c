/* Damaged bitcode. LLVM's parser is not made against attackers: some of it crashes LLVM, and
 * once in some hundred mutants LLVM 22 never comes back. It must never end the process through
 * exit. Every mutant is tried in a process of its own. An emulated parser is slow, and the same
 * as any other: it gets a few of them. */
#include "engine_fixture.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REFUSED = 40, ACCEPTED = 41, SANITIZER = 77 };
enum { MUTANTS = TEST_EMULATED ? 40 : 200, STEP = TEST_EMULATED ? 32 : 4 };

#if TCI_SANITIZED
/* A mutant may ask for more memory than the sanitizer gives: its own way to crash. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
    return "exitcode=77";
}

const char *__tsan_default_options(void)
{
    return "exitcode=77";
}
#endif

typedef struct tally {
    int refused;
    int accepted;
    int crashed;
    int hung;
    int other;
} tally;

static void be_a_victim(unsigned seconds)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP};
    struct rlimit none = {0, 0};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_DFL);
    (void)setrlimit(RLIMIT_CORE, &none);
#if !TCI_SANITIZED
    struct rlimit memory = {2ull << 30, 2ull << 30};
    (void)setrlimit(RLIMIT_AS, &memory);
#endif
    (void)freopen("/dev/null", "w", stderr);
    alarm(seconds);
}

static int load_once(const void *bytes, size_t size)
{
    tc_error err;
    tci_loaded *loaded;
    tci_entries entries;
    tci_symbols *symbols = open_symbols("");
    tci_engine_code code = code_of("counter", bytes, size, symbols);
    return load_code(&code, &loaded, &entries, &err) == TC_OK ? ACCEPTED : REFUSED;
}

static void try_apart(const void *bytes, size_t size, tally *t)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        be_a_victim(5);
        _exit(load_once(bytes, size));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    bool crashed = (WIFSIGNALED(status) && !hung) ||
                   (WIFEXITED(status) && WEXITSTATUS(status) == SANITIZER);
    if (crashed)
        t->crashed++;
    else if (hung)
        t->hung++;
    else if (WIFEXITED(status) && WEXITSTATUS(status) == REFUSED)
        t->refused++;
    else if (WIFEXITED(status) && WEXITSTATUS(status) == ACCEPTED)
        t->accepted++;
    else
        t->other++;
}

/* In one child, which sees every length that the engine lets through to LLVM. */
TEST(every_truncation_is_refused)
{
    size_t size;
    char *bytes = read_bitcode("counter", &size);
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        be_a_victim(60);
        for (size_t n = 0; n < size; n += STEP) {
            if (load_once(bytes, n) != REFUSED)
                _exit(ACCEPTED);
        }
        _exit(REFUSED);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), REFUSED);
    free(bytes);
}

TEST(flipped_bits_never_make_llvm_exit)
{
    size_t size;
    tally t = {0};
    uint32_t random = 2024;
    char *bytes = read_bitcode("counter", &size);
    char *mutant = malloc(size);
    for (int round = 0; round < MUTANTS; round++) {
        memcpy(mutant, bytes, size);
        for (int flips = 0; flips <= round % 3; flips++) {
            random = random * 1664525u + 1013904223u;
            mutant[(random >> 4) % size] ^= (char)(1u << (random >> 29));
        }
        try_apart(mutant, size, &t);
    }
    print_message("%d mutants: %d refused, %d accepted, %d crashed LLVM, %d kept it busy\n",
                  MUTANTS, t.refused, t.accepted, t.crashed, t.hung);
    assert_int_equal(t.other, 0);
    assert_true(t.hung <= 4);
    assert_true(t.refused > MUTANTS / 4);
    free(mutant);
    free(bytes);
}

TEST(random_bytes_behind_the_magic_are_refused)
{
    tally t = {0};
    uint32_t random = 7;
    unsigned char bytes[512] = {'B', 'C', 0xc0, 0xde};
    for (int round = 0; round < 30; round++) {
        for (size_t i = 4; i < sizeof bytes; i++) {
            random = random * 1664525u + 1013904223u;
            bytes[i] = (unsigned char)(random >> 24);
        }
        try_apart(bytes, sizeof bytes, &t);
    }
    assert_int_equal(t.other, 0);
    assert_int_equal(t.accepted, 0);
}

int main(void)
{
    return test_run(engine_set_up, engine_tear_down);
}
