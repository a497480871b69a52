/* The interface between the runtime and the engine, which turns bytes of code into something
 * callable.
 *
 * An engine lives in a module of its own (libtchains-orc.so), loaded when the first function
 * needs it, so that processes which only send never pay for LLVM. The module exports one
 * symbol, TCI_ENGINE_SYMBOL, a const tci_engine_ops. It shares no code with the library except
 * through this header. */
#ifndef TCI_ENGINE_OPS_H
#define TCI_ENGINE_OPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/log.h>
#include <tc/status.h>

#define TCI_ENGINE_ABI 9u
#define TCI_ENGINE_SYMBOL "tci_engine_module"

/* The entries of one function. All but the first are NULL when the code does not define them.
 * `life` runs its constructors; with (NULL, 0) the handlers registered for its end and its
 * destructors; with (NULL, 1) the handlers alone. A result other than 0: a constructor threw,
 * and `text` has the exception's text. */
typedef struct tci_entries {
    void (*main)(void *payload, size_t payload_size, void *target_args);
    size_t (*max_size)(void *source_args, size_t source_args_size);
    int (*init)(void *payload, size_t payload_size, void *source_args, size_t source_args_size);
    int (*life)(char *text, size_t size);
} tci_entries;

/* The amount of work for the machine code. The sender has optimised already, so even
 * TCI_LEVEL_BASELINE is no debug code: it only selects instructions and registers without
 * looking for the best, in a quarter of the time. TCI_LEVEL_OPTIMISED optimises again for this
 * exact CPU. TCI_LEVEL_OPTIMISED_SHARED does so for a function that runs already as baseline
 * code: the variables that it writes stay where they are, in that code's memory. */
typedef enum tci_code_level {
    TCI_LEVEL_BASELINE = 0,
    TCI_LEVEL_OPTIMISED = 1,
    TCI_LEVEL_OPTIMISED_SHARED = 2
} tci_code_level;

/* The result of compiling: an object, which `link` loads, or a compiled image (image_bundle.h),
 * which the library loads in a tenth of the time. TCI_OUTPUT_EITHER: an image, unless the code
 * is debuggable or an image cannot hold it. */
typedef enum tci_code_output {
    TCI_OUTPUT_OBJECT = 0,
    TCI_OUTPUT_IMAGE = 1,
    TCI_OUTPUT_EITHER = 2
} tci_code_output;

/* A value of tci_object.writable: the variables cannot be shared by name, so the function has
 * to stay as it was compiled first. */
#define TCI_WRITABLE_FIXED UINT32_MAX

/* One function as the engine gets it. Every byte below has passed the archive's checks, and
 * content ids were compared. */
typedef struct tci_engine_code {
    const char *name; /* entry points are NAME_main, ... */
    unsigned entries; /* TCI_ENTRY_ bits that must be there, see archive.h */
    tci_code_level level;
    /* debuggers are notified of it and can unwind the stack through it, as if it had debug
     * information */
    bool debuggable;
    tci_code_output output;
    uint64_t memory_max; /* bytes of the linked code and data; for link alone; 0: any */
    const void *bytes;   /* bitcode; valid during the call */
    size_t size;
    uint8_t producer_major; /* LLVM that wrote it, from the archive; 0: unknown */
    uint8_t producer_minor;
    uint8_t producer_patch;

    /* Returns the address of an undefined symbol, or NULL. The address holds for this function
     * alone: two functions may get different addresses for one name. Called during load only,
     * by the loading thread, and more than once for a symbol; it must not call the engine. */
    void *(*resolve)(void *user, const char *symbol);
    /* Does the same for a weak reference, which may stay undefined; NULL: `resolve` is used. */
    void *(*resolve_weak)(void *user, const char *symbol);
    void *resolve_user;
    /* Assembly is refused: the symbols that it names do not show its effects. */
    bool forbids_assembly;
    /* NULL, or true when the result is not needed any more: another process that compiles is
     * then ended. */
    const atomic_bool *cancelled;
} tci_engine_code;

/* Machine code that is not linked yet: bytes to keep, to store, and to link any number of times
 * on a host of the same CPU. Only the engine that made them reads them. */
typedef struct tci_object {
    void *bytes; /* of malloc; free() them */
    size_t size;
    uint32_t writable; /* variables that the function may write; TCI_WRITABLE_FIXED */
    /* The time that making it took, in nanoseconds. */
    uint64_t parse_ns;
    uint64_t verify_ns;
    uint64_t passes_ns;
    uint64_t codegen_ns;
} tci_object;

/* A piece of code with a name of its own: "count_main" for an entry point, "count:helper" for
 * another part of the function. */
typedef struct tci_code_symbol {
    const char *name;
    uintptr_t address;
    size_t size;
} tci_code_symbol;

typedef struct tci_engine tci_engine;
typedef struct tci_loaded tci_loaded;

typedef struct tci_engine_ops {
    uint32_t abi;     /* TCI_ENGINE_ABI; checked before anything else is used */
    const char *name; /* "orc" */

    /* Returns the version of the linked LLVM, "19.1.7"; may be called before create, from any
     * thread. */
    const char *(*llvm)(void);

    /* One engine per process; all later calls may come from several threads at once. `log`
     * (also called by any thread) stays valid until destroy. TC_E_COMPILE when LLVM cannot make
     * code for this host, TC_E_NO_MEMORY. */
    tc_status (*create)(void (*log)(tc_log_level level, const char *line),
                        tci_engine **engine_out, tc_error *err);
    /* Called after every function was unloaded. */
    void (*destroy)(tci_engine *engine);

    /* CPU name and feature string of this host; constants of the engine. */
    const char *(*cpu)(const tci_engine *engine);
    const char *(*features)(const tci_engine *engine);

    /* Compiles the code at code.level, and asks its resolver whether symbols exist.
     * TC_E_VERSION (bitcode of a newer LLVM: both versions, before LLVM parses it),
     * TC_E_NO_SLICE (a module for another target: both named), TC_E_COMPILE (LLVM's own text),
     * TC_E_UNRESOLVED (the missing names), TC_E_UNSUPPORTED (a construct that an ifunc may not
     * contain), TC_E_CORRUPT (no bitcode, or an entry point that is missing or of another
     * type), TC_E_TOO_LARGE, TC_E_NO_MEMORY; TC_E_UNSUPPORTED and TC_E_TOO_LARGE also for code
     * that an image cannot hold, if it is to be one. Never ends the process, as far as LLVM's
     * own error channels allow: code is trusted, and bitcode made to attack a parser must be
     * kept out before. */
    tc_status (*compile)(tci_engine *engine, const tci_engine_code *code,
                         tci_object *object_out, tc_error *err);

    /* Makes an object callable, with the name, the entries, memory_max and the resolver of
     * `code`. It cannot be interrupted, so its cost is bounded before (object_bounds.h). `base`
     * is the baseline code with the variables that an object of TCI_LEVEL_OPTIMISED_SHARED
     * uses, and has to stay as long as the code linked here; else NULL. TC_E_UNRESOLVED,
     * TC_E_COMPILE, TC_E_CORRUPT (no object of this engine, or an entry point without code),
     * TC_E_TOO_LARGE, TC_E_UNSUPPORTED (constructors, alignment above a page),
     * TC_E_NO_MEMORY. */
    tc_status (*link)(tci_engine *engine, const tci_engine_code *code, const void *object,
                      size_t size, const tci_loaded *base, tci_loaded **loaded_out,
                      tci_entries *entries_out, tc_error *err);

    /* Returns the number of variables that the function may write, as tci_object.writable. */
    uint32_t (*writable)(const tci_loaded *loaded);
    /* Returns the bytes that its code and data take, whole pages. */
    size_t (*memory)(const tci_loaded *loaded);
    /* Returns the number of pieces of its code, and the pieces; valid until it is unloaded. */
    size_t (*symbols)(const tci_loaded *loaded, const tci_code_symbol **symbols_out);

    /* Frees code and data. No call of its entries may be running. */
    void (*unload)(tci_engine *engine, tci_loaded *loaded);
} tci_engine_ops;

#endif
