/* The checker of libraries: the contents that a library of a node may have when a function sees
 * it. A push or withdrawal is a write that takes effect at some time between its begin and its
 * end; one that failed may do so at any time later, or never. A message or call reads at some
 * time between its send and its run. A read may see a write that began before the read's end,
 * unless another write began after that one's end, and ended before the read's begin. */
#ifndef SIM_VERSIONS_H
#define SIM_VERSIONS_H

#include <stdbool.h>
#include <stdint.h>

#define VERSIONS_LIBRARIES 2u
#define VERSIONS_CONTENTS 3u
#define VERSION_ABSENT VERSIONS_CONTENTS

/* Forgets all; for a new world. */
void versions_reset(void);
/* A node has begun a new life: it has no libraries. */
void versions_forget(unsigned node);

/* Begins a write, and returns its number. */
uint32_t versions_begin(unsigned node, unsigned library, unsigned version, uint64_t now_ns);
/* `done`: it has succeeded; else it may still take effect. */
void versions_end(uint32_t write, bool done, uint64_t now_ns);
/* It had no effect and will not have one. */
void versions_undo(uint32_t write);

/* Returns whether a read may see the version. */
bool versions_may_be(unsigned node, unsigned library, unsigned version, uint64_t begin_ns,
                     uint64_t end_ns);

#endif
