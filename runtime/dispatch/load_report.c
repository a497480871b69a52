/* Reports of functions that became callable, or got better code: log, callback. */
#include "dispatch/load_report.h"

#include "base/clock.h"
#include "base/logger.h"
#include "core/usage_ops.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const stage_names[] = {
    [TC_STAGE_WAIT] = "wait",       [TC_STAGE_LIBRARIES] = "libraries",
    [TC_STAGE_CACHE] = "cache",     [TC_STAGE_PARSE] = "parse",
    [TC_STAGE_VERIFY] = "verify",   [TC_STAGE_PASSES] = "passes",
    [TC_STAGE_CODEGEN] = "codegen", [TC_STAGE_LINK] = "link",
    [TC_STAGE_IMAGE] = "image",     [TC_STAGE_EXECUTION] = "execution",
};
_Static_assert(sizeof stage_names / sizeof stage_names[0] == TC_STAGE_COUNT,
               "each stage has a name");

const char *tc_load_stage_name(tc_load_stage stage)
{
    return (unsigned)stage < TC_STAGE_COUNT ? stage_names[stage] : NULL;
}

const char *tc_load_path_name(tc_load_path path)
{
    static const char *const names[] = {"image", "cached", "jit"};
    return (unsigned)path < sizeof names / sizeof names[0] ? names[path] : NULL;
}

static void log_report(const tc_load_report *report)
{
    char stages[256] = "";
    size_t used = 0;
    for (int i = 0; i < TC_STAGE_COUNT && used < sizeof stages; i++) {
        if (report->stage_ns[i] >= 100)
            used += (size_t)snprintf(stages + used, sizeof stages - used, ", %s %.1f",
                                     stage_names[i], (double)report->stage_ns[i] / 1000);
    }
    TC_LOG(TC_LOG_INFO, "%s: %s%s code%s%s, %" PRIu64 " bytes; us: total %.1f%s", report->name,
           tc_load_path_name(report->path), report->best ? ", best" : "",
           report->signer[0] != '\0' ? ", signed by " : "", report->signer,
           report->memory_bytes, (double)report->total_ns / 1000, stages);
}

void tci_load_report_notify(tci_core *core, tc_ifunc *fn, uint64_t execution_ns,
                            uint64_t total_ns)
{
    tc_load_report report = {.name = tci_archive_name(fn->archive),
                             .id = fn->id.bytes,
                             .signer = fn->signer,
                             .better = total_ns == 0,
                             .seen_ns = fn->seen_ns,
                             .total_ns = total_ns};
    if (fn->unit == NULL)
        return; /* code of the process itself */
    fn->registry->loading->report(fn->unit, &report);
    report.stage_ns[TC_STAGE_EXECUTION] = execution_ns;
    for (int i = 0; i < TC_STAGE_COUNT && report.better; i++)
        report.total_ns += report.stage_ns[i];
    tci_usage_note(core, NULL, fn, TCI_USAGE_LOADED, report.total_ns);
    if (tc_log_get_level() >= TC_LOG_INFO)
        log_report(&report);
    if (core->load_callback != NULL)
        core->load_callback(core->load_user, &report);
}

void tci_load_report_first_call(tci_core *core, tc_ifunc *fn, uint64_t called_ns)
{
    uint64_t now_ns = tci_clock_ns();
    fn->report_due = false;
    tci_load_report_notify(core, fn, now_ns - called_ns, now_ns - fn->seen_ns);
}
