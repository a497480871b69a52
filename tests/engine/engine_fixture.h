/* Common parts of the engines' tests: an engine, files of code for it, and one call that loads
 * a file. engine_fixture.c is the one for bitcode, image_fixture.c for images; the calls marked
 * so exist in the first alone. */
#ifndef ENGINE_FIXTURE_H
#define ENGINE_FIXTURE_H

#include "../support/test.h"
#include "archive.h"
#include "engine/child/compiler_process.h"
#include "engine/engine_ops.h"
#include "engine/symbols.h"

/* Open in every test of a group with the set-up engine_set_up. Bitcode only. */
extern const tci_engine_ops *ops;
extern tci_engine *engine;
extern int tc_test_variable; /* a host symbol */

/* How many calls an unwinder finds under way; a host symbol. */
uint64_t tc_test_frames(void);

int engine_set_up(void **state);
int engine_tear_down(void **state);

/* Bitcode only. A process that compiles for the open engine; must succeed. */
tci_compiler *start_compiler(uint64_t time_max_ns);

/* Bitcode only: TEST_BITCODE_DIR/FILE.bc, for free(). Fails the test if it is not there. */
void *read_bitcode(const char *file, size_t *size_out);

/* A symbol scope whose host table holds tc_test_apply and tc_test_variable. */
tci_symbols *open_symbols(const char *deps);

tc_status try_symbols(const char *deps, tci_symbols **symbols_out, tc_error *err);

/* Scopes are opened under that policy, called "rules", until the next call; NULL: without a
 * policy. */
void under_policy(const char *text);

/* Bitcode only. A load request for the engine: the bytes, an entry set, everything else usual.
 * Without symbols it has no resolver. */
tci_engine_code code_of(const char *name, const void *bytes, size_t size, tci_symbols *symbols);

/* Bitcode only. Compiles and links, any thread; with TEST_COMPILER=process in the environment
 * compiles in a process, one thread at a time; with TEST_COMPILED=image the compiler makes
 * images. */
tc_status load_code(const tci_engine_code *code, tci_loaded **loaded_out,
                    tci_entries *entries_out, tc_error *err);

/* Bitcode only. */
void unload_code(tci_loaded *loaded);
bool compiles_images(void);

typedef struct loaded_file {
    tci_symbols *symbols;
    void *loaded; /* the engine's */
    tci_entries entries;
} loaded_file;

/* Loads FILE as the function NAME with the given entries (an image has those of its archive);
 * must succeed. */
loaded_file load_file(const char *file, const char *name, unsigned entries, const char *deps);
void unload_file(loaded_file *file);

/* Loads FILE, which must be refused with that status; every part of the text in `parts`
 * (NULL-terminated) must be in the error. */
void expect_refusal(const char *file, const char *name, unsigned entries, tc_status status,
                    const char *const *parts);
/* Bitcode only. */
void expect_refused_bytes(const void *bytes, size_t size, const char *name, tc_status status,
                          const char *const *parts);

#endif
