/* The figures of a run, as text or JSON. */
#include "scale.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MIB (1024.0 * 1024.0)

uint64_t scale_resident(void)
{
    unsigned long long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
    if (file == NULL)
        return 0;
    if (fscanf(file, "%llu %llu", &total, &resident) != 2)
        resident = 0;
    (void)fclose(file);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t after_start(const scale_figures *f)
{
    return f->phases[SCALE_STAGE_start].resident;
}

static uint64_t per_node(const scale_plan *p, uint64_t resident, const scale_figures *f)
{
    return resident > f->resident_before ? (resident - f->resident_before) / p->nodes : 0;
}

static uint64_t hop_ns(const scale_plan *p, const scale_figures *f)
{
    return f->phases[SCALE_STAGE_chase].took_ns / p->hops;
}

static void print_text(const scale_plan *p, const scale_figures *f)
{
    printf("%s of %u nodes, %u on a host, %u hosts in a rack; rings of %u KB; seed %" PRIu64
           "\n",
           scale_pattern_name(p->pattern), p->nodes, p->per_host, p->rack_hosts, p->ring_kb,
           p->world.seed);
    printf("%-8s %14s %10s %12s %12s %14s\n", "phase", "simulated ms", "real s", "processor s",
           "events", "resident MiB");
    for (const scale_phase *phase = f->phases; phase < f->phases + SCALE_STAGES; phase++)
        printf("%-8s %14.3f %10.2f %12.2f %12" PRIu64 " %14.1f\n", phase->name,
               (double)phase->took_ns / 1e6, phase->real_s, phase->processor_s, phase->events,
               (double)phase->resident / MIB);
    printf("barrier %.3f ms; a hop %.3f us\n", (double)f->barrier_ns / 1e6,
           (double)hop_ns(p, f) / 1e3);
    printf("%" PRIu64 " nodes died: %" PRIu64 " ends of endpoints after %.3f ms, %" PRIu64
           " of calls after %.3f ms; %" PRIu64 " nodes know after %.3f ms\n",
           f->dead, f->ends, (double)f->ends_ns / 1e6, f->calls, (double)f->calls_ns / 1e6,
           f->knows, (double)f->knows_ns / 1e6);
    printf("a node: %" PRIu64 " bytes resident after its start, %" PRIu64
           " at the end; it allocates %" PRIu64 "; %.2f connections (at most %" PRIu64
           "), %.2f descriptors, %.1f messages\n",
           per_node(p, after_start(f), f),
           per_node(p, f->phases[SCALE_STAGE_death].resident, f), f->node_bytes / p->nodes,
           (double)f->connections / p->nodes, f->connections_max,
           (double)f->descriptors / p->nodes, (double)f->messages / p->nodes);
}

static void print_json(const scale_plan *p, const scale_figures *f)
{
    printf("{\"pattern\": \"%s\", \"nodes\": %u, \"degree\": %u, \"per_host\": %u, "
           "\"rack_hosts\": %u, \"ring_kb\": %u, \"hops\": %u, \"seed\": %" PRIu64
           ", \"phases\": {",
           scale_pattern_name(p->pattern), p->nodes, p->degree, p->per_host, p->rack_hosts,
           p->ring_kb, p->hops, p->world.seed);
    for (unsigned i = 0; i < SCALE_STAGES; i++)
        printf("%s\"%s\": {\"simulated_ns\": %" PRIu64 ", \"real_s\": %.3f, "
               "\"processor_s\": %.3f, \"events\": %" PRIu64 ", \"resident_bytes\": %" PRIu64
               "}",
               i > 0 ? ", " : "", f->phases[i].name, f->phases[i].took_ns, f->phases[i].real_s,
               f->phases[i].processor_s, f->phases[i].events, f->phases[i].resident);
    printf("}, \"barrier_ns\": %" PRIu64 ", \"hop_ns\": %" PRIu64 ", \"dead\": %" PRIu64
           ", \"ends\": %" PRIu64 ", \"ends_ns\": %" PRIu64 ", \"calls\": %" PRIu64
           ", \"calls_ns\": %" PRIu64 ", \"knows\": %" PRIu64 ", \"knows_ns\": %" PRIu64,
           f->barrier_ns, hop_ns(p, f), f->dead, f->ends, f->ends_ns, f->calls, f->calls_ns,
           f->knows, f->knows_ns);
    printf(", \"node_resident_bytes\": %" PRIu64 ", \"node_allocated_bytes\": %" PRIu64
           ", \"connections\": %" PRIu64 ", \"connections_max\": %" PRIu64
           ", \"descriptors\": %" PRIu64 ", \"messages\": %" PRIu64 ", \"hash\": \"%016" PRIx64
           "\"}\n",
           per_node(p, after_start(f), f), f->node_bytes / p->nodes, f->connections,
           f->connections_max, f->descriptors, f->messages, f->hash);
}

void scale_report(const scale_plan *p, const scale_figures *f, bool json)
{
    if (json)
        print_json(p, f);
    else
        print_text(p, f);
}
