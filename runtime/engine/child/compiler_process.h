/* Compiles in a process of its own, tc-compile, which can be killed.
 *
 * LLVM can take for ever, crash, or end its process over bitcode that is damaged or made for
 * that. Here this costs only the function that was being compiled: the next one gets a new
 * process. It guards against accidents of the compiler; the code itself runs in this process
 * afterwards and is as trusted as ever. The process sets up walls (compile_wall.h), so that
 * code that takes the compiler over reaches only the socket to this process.
 *
 * Without such a process (the program is missing, or may not be started here, or there are no
 * descriptors for it), code is refused; or compiled in this process, if that was requested, and
 * this is logged once. */
#ifndef TCI_COMPILER_PROCESS_H
#define TCI_COMPILER_PROCESS_H

#include "base/option_table.h"
#include "engine/engine_ops.h"

#include <stdbool.h>
#include <sys/types.h>

/* One process, which one thread at a time may use. */
typedef struct tci_compiler tci_compiler;

typedef struct tci_compiler_opts {
    const tci_engine_ops *ops; /* the other process runs this module's compile */
    bool in_thread;            /* no process, ever: ops->compile in the caller's thread */
    bool or_in_thread;         /* the same, once no process is available */
    bool background;           /* at low priority */
    /* See compile_wall.h. Missing parts are logged once. TCI_CHOICE_WALL_YES: code is compiled
     * neither without all parts nor in this process. */
    tci_wall_choice wall;
    /* Limit of one compile; of the process's start likewise, but two seconds at least.
     * UINT64_MAX: any. */
    uint64_t time_max_ns;
    uint64_t memory_max; /* bytes of address space, LLVM's own 200 MB included; 0: any */
} tci_compiler_opts;

/* Starts the process and does not wait for the 25 ms that it takes to be ready. A process that
 * cannot be started is no failure here. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_compiler_start(const tci_compiler_opts *opts,
                                           tci_compiler **compiler_out, tc_error *err);

/* As tci_engine_ops.compile, with the code's resolver called in the caller's thread; `engine`
 * is this process's own, which the other one has to match. Also TC_E_TIMEOUT: it took longer
 * than time_max_ns; TC_E_CLOSED: the code's `cancelled` became true; TC_E_NO_MEMORY: no process
 * is available; TC_E_UNSUPPORTED: a process with the required walls is not possible here. The
 * text of TC_E_COMPILE may include how the process ended and its diagnostics. */
TC_MUST_CHECK tc_status tci_compiler_compile(tci_compiler *compiler, tci_engine *engine,
                                             const tci_engine_code *code,
                                             tci_object *object_out, tc_error *err);

/* Kills the process and waits for its end. NULL is allowed. */
void tci_compiler_end(tci_compiler *compiler);

/* Returns whether the process has died unasked; it is a zombie until the next compile or the
 * end. */
bool tci_compiler_has_died(const tci_compiler *compiler);

/* Returns the current process; -1 without one. */
pid_t tci_compiler_pid(const tci_compiler *compiler);

/* Returns the walls that the process has reported (TCI_WALL_ bits); 0 before its report. */
uint32_t tci_compiler_wall(const tci_compiler *compiler);

#endif
