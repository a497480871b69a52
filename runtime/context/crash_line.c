/* tc/crash.h: one line about a crash. A signal handler must not use stdio. */
#include "context/crash_stack.h"

#include "base/arch.h"
#include "core/current.h"
#include "core/tasks_ops.h"
#include "dispatch/payload_view.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <tc/code.h>
#include <tc/crash.h>
#include <ucontext.h>
#include <unistd.h>

#define NAME_MAX_BYTES 64u

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

static char program_name[NAME_MAX_BYTES];
static tc_crash_callback told;
static void *told_user;

typedef struct line {
    char text[NAME_MAX_BYTES + 2 * TC_CODE_TEXT_MAX + 128];
    size_t length;
} line;

static void add(line *l, const char *text)
{
    for (; *text != '\0' && l->length < sizeof l->text - 1; text++)
        l->text[l->length++] = *text;
}

static const void *instruction_of(const ucontext_t *context)
{
#if defined(TCI_ARCH_X86_64)
    return (const void *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(TCI_ARCH_AARCH64)
    return (const void *)(uintptr_t)context->uc_mcontext.pc;
#else
#error "where does ucontext_t have the instruction pointer?"
#endif
}

/* Explains a store to a read-only payload, which other processes may allow, and one below the
 * stack of functions that wait. "": the crash has another cause. */
static const char *why_access_failed(const siginfo_t *info)
{
    const tc_ep *ep = tci_current_get()->ep;
    if (info->si_signo != SIGSEGV || info->si_code != SEGV_ACCERR || ep == NULL)
        return "";
    if (ep->core->tasks != NULL && ep->core->tasks->ops->overflows(ep->core, info->si_addr))
        return "; its stack is full: functions that may wait have 1 MiB";
    if (tci_payload_view_was_asked(ep, info->si_addr))
        return "; it wrote to its payload, which is read-only (TC_PAYLOAD_READONLY)";
    if (tci_payload_view_holds(ep, info->si_addr))
        return "; it wrote to its payload, which is read-only (option payload)";
    return "";
}

static void write_line(const char *signal_name, const siginfo_t *info, const void *instruction)
{
    char text[TC_CODE_TEXT_MAX];
    line l = {.length = 0};
    add(&l, program_name);
    add(&l, ": ");
    size_t begin = l.length;
    add(&l, signal_name);
    if (tc_code_name(instruction, text, sizeof text) > 0) {
        add(&l, " in ");
        add(&l, text);
    }
    add(&l, "; running: ");
    add(&l, tc_code_running(text, sizeof text) > 0 ? text : "no function");
    add(&l, why_access_failed(info));
    l.text[l.length] = '\n';
    ssize_t written = write(STDERR_FILENO, l.text, l.length + 1);
    (void)written; /* no way to report a failure is left */
    l.text[l.length] = '\0';
    if (told != NULL)
        told(told_user, l.text + begin);
}

/* An instruction that faults does so again when this returns, and abort() sends its signal
 * again; the former handler gets that one. Signals from outside are raised again here. */
static void on_crash(int number, siginfo_t *info, void *context)
{
    int error = errno;
    for (size_t i = 0; i < WATCHED; i++) {
        if (watched[i].number != number)
            continue;
        write_line(watched[i].name, info, instruction_of(context));
        (void)sigaction(number, &watched[i].before, NULL);
    }
    if (info->si_code <= 0 || number == SIGTRAP)
        (void)raise(number);
    errno = error;
}

void tc_crash_line_install(const char *program, tc_crash_callback callback, void *user)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    static bool installed;
    strncpy(program_name, program, sizeof program_name - 1);
    told = callback;
    told_user = user;
    if (installed)
        return; /* a handler that came since may call this one: each would call the other */
    installed = true;
    tci_crash_stack_want();
    (void)tci_crash_stack_begin(); /* for as long as the thread lives */
    action.sa_sigaction = on_crash;
    for (size_t i = 0; i < WATCHED; i++)
        (void)sigaction(watched[i].number, &action, &watched[i].before);
}
