/* Writes, in an array: a world has some hundred. */
#include "versions.h"

#include "flows.h"

#define WRITES_MAX 16384u

typedef struct write {
    unsigned node, library, version;
    uint64_t begin_ns, end_ns; /* UINT64_MAX: it may still take effect */
    bool forgotten;
} write;

static write writes[WRITES_MAX];
static uint32_t count;

void versions_reset(void)
{
    count = 0;
}

void versions_forget(unsigned node)
{
    for (write *w = writes; w < writes + count; w++)
        w->forgotten |= w->node == node;
}

uint32_t versions_begin(unsigned node, unsigned library, unsigned version, uint64_t now_ns)
{
    if (count == WRITES_MAX) {
        flows_fail("more than %u libraries were pushed or withdrawn", WRITES_MAX);
        return 0;
    }
    writes[count] = (write){node, library, version, now_ns, UINT64_MAX, false};
    return count++;
}

void versions_end(uint32_t number, bool done, uint64_t now_ns)
{
    if (done)
        writes[number].end_ns = now_ns;
}

void versions_undo(uint32_t number)
{
    writes[number].forgotten = true;
}

static bool is_of(const write *w, unsigned node, unsigned library)
{
    return !w->forgotten && w->node == node && w->library == library;
}

/* Returns whether another write lies wholly between a write that ended then and a read. */
static bool is_overwritten(unsigned node, unsigned library, uint64_t end_ns, uint64_t read_ns)
{
    for (const write *w = writes; w < writes + count; w++) {
        if (is_of(w, node, library) && w->begin_ns > end_ns && w->end_ns < read_ns)
            return true;
    }
    return false;
}

bool versions_may_be(unsigned node, unsigned library, unsigned version, uint64_t begin_ns,
                     uint64_t end_ns)
{
    if (version == VERSION_ABSENT && !is_overwritten(node, library, 0, begin_ns))
        return true; /* none was there at first */
    for (const write *w = writes; w < writes + count; w++) {
        if (is_of(w, node, library) && w->version == version && w->begin_ns <= end_ns &&
            !is_overwritten(node, library, w->end_ns, begin_ns))
            return true;
    }
    return false;
}
