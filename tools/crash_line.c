#include "crash_line.h"

#include <tc/code.h>

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

typedef struct watched_signal {
    int number;
    const char *name;
    struct sigaction before;
} watched_signal;

static watched_signal watched[] = {
    {.number = SIGSEGV, .name = "SIGSEGV"}, {.number = SIGBUS, .name = "SIGBUS"},
    {.number = SIGILL, .name = "SIGILL"},   {.number = SIGFPE, .name = "SIGFPE"},
    {.number = SIGTRAP, .name = "SIGTRAP"}, {.number = SIGABRT, .name = "SIGABRT"},
};
#define WATCHED (sizeof watched / sizeof watched[0])

static const char *program_name;
static void (*tell_too)(const char *text);

typedef struct line {
    char text[2 * TC_CODE_TEXT_MAX];
    size_t length;
} line;

/* In a signal handler nothing of stdio may be used. */
static void add(line *l, const char *text)
{
    for (; *text != '\0' && l->length < sizeof l->text - 1; text++)
        l->text[l->length++] = *text;
}

static const void *instruction_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (const void *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)(uintptr_t)context->uc_mcontext.pc;
#else
#error "where does ucontext_t have the instruction pointer?"
#endif
}

static void write_line(const char *signal_name, const void *instruction)
{
    char text[TC_CODE_TEXT_MAX];
    line l = {.length = 0};
    add(&l, program_name);
    add(&l, ": ");
    add(&l, signal_name);
    if (tc_code_name(instruction, text, sizeof text) > 0) {
        add(&l, " in ");
        add(&l, text);
    }
    add(&l, "; running: ");
    add(&l, tc_code_running(text, sizeof text) > 0 ? text : "no function");
    l.text[l.length] = '\n';
    ssize_t written = write(STDERR_FILENO, l.text, l.length + 1);
    (void)written; /* there is nobody left to tell */
    l.text[l.length] = '\0';
    if (tell_too != NULL)
        tell_too(l.text + strlen(program_name) + 2);
}

/* An instruction that faults does so again when this returns, and abort() sends its signal
 * again; then it is the former handler's. Signals that came from outside come again. */
static void on_crash(int number, siginfo_t *info, void *context)
{
    for (size_t i = 0; i < WATCHED; i++) {
        if (watched[i].number != number)
            continue;
        write_line(watched[i].name, instruction_of(context));
        (void)sigaction(number, &watched[i].before, NULL);
    }
    if (info->si_code <= 0 || number == SIGTRAP)
        (void)raise(number);
}

void crash_line_install(const char *program)
{
    static char stack[64 * 1024];
    const stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    program_name = program;
    action.sa_sigaction = on_crash;
    (void)sigaltstack(&alternative, NULL);
    for (size_t i = 0; i < WATCHED; i++)
        (void)sigaction(watched[i].number, &action, &watched[i].before);
}

void crash_line_tell(void (*tell)(const char *text))
{
    tell_too = tell;
}
