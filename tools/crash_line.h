/* One line on standard error before a process dies of SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP
 * or SIGABRT: which function of which peer was running. An example of <tc/code.h> for programs
 * with a crash handler of their own. */
#ifndef CRASH_LINE_H
#define CRASH_LINE_H

/* For the calling thread also when its stack is full. Whoever handled these signals before gets
 * them afterwards, and the process ends as it would have ended without. Call it once. */
void crash_line_install(const char *program);

/* Has the line, without the program's name, told to somebody else too: in the signal handler. */
void crash_line_tell(void (*tell)(const char *text));

#endif
