#include "gam_case.h"

#include "gam_ways.h"
#include "perf_value.h"

#include <stddef.h>

#include <tc/am.h>

#define FEW_VALUES 16u
#define CREDIT_LEAST 4096u
#define CREDIT_MOST (1u << 20)
#define PAPER_CREDIT 8192u /* the paper's buffer for each peer */
#define UNORDERED_ALL                                                                          \
    (TC_AM_UNORDERED_SAME_OP | TC_AM_UNORDERED_OTHER_OP | TC_AM_UNORDERED_SEGMENTS)

const char *const gam_operation_names[GAM_OPERATIONS] = {"search", "sum", "accumulate"};

typedef struct planner {
    gam_plan *plan;
    const gam_options *options;
    uint32_t origins;
    const gam_way *const *mpi;
} planner;

static void add(planner *p, const gam_case *like, const gam_way *way)
{
    if (p->plan->count == GAM_CASES_MAX ||
        !perf_value_lists(way->operations, ',', gam_operation_names[like->operation]) ||
        (p->options->ways != NULL && !perf_value_lists(p->options->ways, ',', way->name)))
        return;
    gam_case *c = &p->plan->cases[p->plan->count++];
    *c = *like;
    c->way = way;
}

/* `names`: of ways of this library. */
static void add_ways(planner *p, const gam_case *like, const char *names)
{
    for (const gam_way *const *at = gam_ways; *at != NULL; at++) {
        if (perf_value_lists(names, ',', (*at)->name))
            add(p, like, *at);
    }
}

static void add_mpi(planner *p, const gam_case *like, const char *names)
{
    for (const gam_way *const *at = p->mpi; at != NULL && *at != NULL; at++) {
        if (perf_value_lists(names, ',', (*at)->name))
            add(p, like, *at);
    }
}

static gam_case base_of(const planner *p, const char *part, gam_operation operation)
{
    return (gam_case){.part = part,
                      .operation = operation,
                      .values = GAM_VALUES,
                      .segments = GAM_SEGMENTS,
                      .messages = (uint32_t)p->options->messages,
                      .origins = 1};
}

static gam_case awaited_of(const planner *p, const char *part, gam_operation operation)
{
    gam_case c = base_of(p, part, operation);
    c.messages = (uint32_t)p->options->awaited;
    c.is_awaited = true;
    return c;
}

/* --- parts ------------------------------------------------------------------------------- */

static void plan_single(planner *p)
{
    for (unsigned i = 0; i < 2; i++) {
        gam_case c = awaited_of(p, "single", i == 0 ? GAM_SEARCH : GAM_SUM);
        c.segments = 1;
        c.messages *= 4;
        c.x = 1;
        add_ways(p, &c, "am,am-concurrent,call");
        add_mpi(p, &c, "mpi-server");
    }
}

static void plan_hundred(planner *p)
{
    for (unsigned i = 0; i < GAM_OPERATIONS; i++) {
        gam_case c = awaited_of(p, "hundred", (gam_operation)i);
        c.x = GAM_SEGMENTS;
        add_ways(p, &c, "am,am-concurrent,am-atomic,call,window,view,function");
        add_mpi(p, &c,
                "mpi-server,mpi-server-each,mpi-server-many,mpi-window,mpi-window-created,"
                "mpi-accumulate,mpi-accumulate-created");
    }
}

/* Segments of 20, 64 and 400 bytes. Ways with a message for each segment send as many
 * segments. */
static void plan_rate(planner *p)
{
    const uint32_t values[] = {0, FEW_VALUES, GAM_VALUES};
    for (unsigned i = 0; i < 3; i++) {
        gam_case c = base_of(p, "rate", i == 0 ? GAM_SEARCH : GAM_SUM);
        c.values = i == 0 ? GAM_VALUES : values[i];
        c.messages = c.messages / 4 + 1;
        c.x = gam_case_in(&c);
        c.at_once = GAM_SLOTS_AT_ONCE;
        add_ways(p, &c, "am,am-epoch,am-concurrent,call");
        add_mpi(p, &c, "mpi-server,mpi-server-each,mpi-server-many");
        c.messages *= GAM_SEGMENTS;
        c.segments = 1;
        add_ways(p, &c, "am,am-epoch,call");
    }
}

/* Figure 3. */
static void plan_units(planner *p)
{
    for (unsigned i = 0; i < 2; i++) {
        const gam_operation operation = i == 0 ? GAM_SEARCH : GAM_SUM;
        for (uint32_t unit = 10; unit <= GAM_SEGMENTS; unit += 10) {
            gam_case c = awaited_of(p, "units", operation);
            c.x = c.unit = unit;
            add_ways(p, &c, "am,function");
        }
        for (uint32_t unit = 10; unit <= GAM_SEGMENTS; unit += 10) {
            gam_case c = base_of(p, "units", operation);
            c.x = c.unit = unit;
            add_ways(p, &c, "am");
        }
    }
}

/* Figure 4. */
static void plan_credit(planner *p)
{
    for (uint32_t credit = CREDIT_LEAST; credit <= CREDIT_MOST; credit *= 2) {
        gam_case c = base_of(p, "credit", GAM_SEARCH);
        c.x = c.credit = credit;
        add_ways(p, &c, "am");
    }
}

/* Figure 6. */
static void plan_ordering(planner *p)
{
    for (uint32_t part = 1; part <= 4; part++) {
        for (unsigned unordered = 0; unordered < 2; unordered++) {
            gam_case c = base_of(p, "ordering", GAM_SEARCH);
            c.alternates = true;
            c.credit = PAPER_CREDIT;
            c.unit = GAM_SEGMENTS;
            c.unordered = unordered != 0 ? UNORDERED_ALL : 0;
            c.x = c.messages = c.messages * part / 4 + 1;
            add_ways(p, &c, "am");
        }
    }
}

/* Figures 5 and 7. */
static void plan_origins(planner *p)
{
    static const uint32_t credits[] = {PAPER_CREDIT, GAM_CREDIT_BYTES, CREDIT_MOST};
    for (unsigned i = 0; i < 3; i++) {
        for (uint32_t origins = 1; origins <= p->origins; origins++) {
            gam_case c = base_of(p, "origins", GAM_SEARCH);
            c.credit = credits[i];
            c.x = c.origins = origins;
            add_ways(p, &c, credits[i] == GAM_CREDIT_BYTES ? "am,am-concurrent" : "am");
        }
    }
}

void gam_plan_make(gam_plan *plan, const gam_options *options, uint32_t origins,
                   const gam_way *const *mpi)
{
    static const struct {
        const char *name;
        void (*make)(planner *p);
    } parts[] = {{"single", plan_single},  {"hundred", plan_hundred},
                 {"rate", plan_rate},      {"units", plan_units},
                 {"credit", plan_credit},  {"ordering", plan_ordering},
                 {"origins", plan_origins}};
    planner p = {plan, options, origins, mpi};
    plan->count = 0;
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (perf_value_lists(options->parts, ',', parts[i].name))
            parts[i].make(&p);
    }
}
