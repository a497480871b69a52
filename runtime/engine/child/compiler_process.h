/* Compiling in a process of its own, tc-compile, which can be killed.
 *
 * LLVM can take for ever, crash, or end its process over bitcode that is damaged or made for
 * that. Here this costs the function that was being compiled and nothing else: the next one
 * gets a new process. It guards against accidents of the compiler; the code itself runs in this
 * process afterwards and is as trusted as ever. It stands behind walls (compile_wall.h), so that
 * code that takes the compiler over reaches the socket to this process and nothing else.
 *
 * Where no such process can be had (the program is missing, or may not be started here, or there
 * are no descriptors for it), code is refused; or compiled in this process, if that was asked
 * for, and the log says so once. */
#ifndef TCI_COMPILER_PROCESS_H
#define TCI_COMPILER_PROCESS_H

#include "base/option_table.h"
#include "engine/engine_ops.h"

#include <stdbool.h>
#include <sys/types.h>

/* One process, which one thread at a time may use. */
typedef struct tci_compiler tci_compiler;

typedef struct tci_compiler_opts {
    const tci_engine_ops *ops; /* the module whose compile the other process runs */
    bool in_thread;            /* no process, ever: ops->compile in the caller's thread */
    bool or_in_thread;         /* the same, once no process could be had */
    bool background;           /* at low priority */
    /* compile_wall.h. What is not there is said once in the log; TCI_CHOICE_WALL_YES: nothing
     * is compiled without it, and nothing in this process. */
    tci_wall_choice wall;
    /* Of one compile; of the process's start likewise, but two seconds at least. UINT64_MAX:
     * any. */
    uint64_t time_max_ns;
    uint64_t memory_max; /* bytes of address space, LLVM's own 200 MB included; 0: any */
} tci_compiler_opts;

/* Starts the process and does not wait for the 25 ms that it takes to be ready. That it cannot
 * be started is no failure. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_compiler_start(const tci_compiler_opts *opts,
                                           tci_compiler **compiler_out, tc_error *err);

/* As tci_engine_ops.compile, with the code's resolver asked in the caller's thread; `engine` is
 * this process's own, which the other has to be like. Also TC_E_TIMEOUT: it took longer than
 * time_max_ns; TC_E_NO_MEMORY: no process can be had now;
 * TC_E_UNSUPPORTED: nor later, or not behind the walls that are asked for. TC_E_COMPILE may also say how the
 * process ended and its diagnostics. */
TC_MUST_CHECK tc_status tci_compiler_compile(tci_compiler *compiler, tci_engine *engine,
                                             const tci_engine_code *code,
                                             tci_object *object_out, tc_error *err);

/* Kills the process and waits for its end. NULL is allowed. */
void tci_compiler_end(tci_compiler *compiler);

/* Somebody else ended the process, which is a zombie until the next compile or the end. */
bool tci_compiler_has_died(const tci_compiler *compiler);

/* The process that it has now; -1 without one. */
pid_t tci_compiler_pid(const tci_compiler *compiler);

/* Which walls the process has said to be behind (TCI_WALL_ bits); 0 before it has said so. */
uint32_t tci_compiler_wall(const tci_compiler *compiler);

#endif
