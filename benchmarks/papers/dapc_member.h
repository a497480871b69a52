/* Servers of a pointer chase that are a program: another build of tc-perf, perhaps for another
 * architecture, which an emulator runs. It gets descriptors of its session and of the table,
 * then an order: the same as a forked worker has. */
#ifndef TC_PERF_DAPC_MEMBER_H
#define TC_PERF_DAPC_MEMBER_H

#include "dapc.h"

/* The name of the machine that a process is made for, as uname(2) has it. */
#define DAPC_ARCH_MAX 16u
void dapc_member_arch(char arch_out[DAPC_ARCH_MAX]);

/* Returns whether there is such a file that may be run. False after a complaint. */
bool dapc_member_check(const char *program);

/* perf_serve, in the child that is to become the program; `config` is a dapc_worker_config.
 * Returns false alone, after a complaint. */
bool dapc_member_become(perf_session *session, void *config);

/* The leader: sends the program its role. False after a complaint. */
bool dapc_member_order(perf_session *session, const dapc_worker_config *config);
/* The program's answer: its architecture. */
bool dapc_member_judge(perf_session *session, const void *bytes, size_t size,
                       char arch_out[DAPC_ARCH_MAX]);
#define DAPC_INTRODUCTION_BYTES 32u

/* tc-perf member: the program. Returns its exit status. */
int dapc_member_main(int argc, char **argv);

#endif
