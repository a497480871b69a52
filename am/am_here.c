/* The function gets the caller's own input and output where they lie as it expects them. Else
 * they are copied, into memory for this run. A layout with gaps at the target is left to the
 * target. */
#include "am_here.h"

#include "am_windows.h"

#include <stdio.h>
#include <stdlib.h>

/* Nothing that has to come before may be under way, and no unit may run meanwhile that expects
 * to be alone. */
static bool may_run(const tc_am_window *window, uint32_t rank, const tc_am_op *op,
                    const tca_plan *plan)
{
    const uint32_t both = TC_AM_UNORDERED_SAME_OP | TC_AM_UNORDERED_OTHER_OP;
    const bool is_own = rank == window->ams->rank;
    if (op->function == NULL || plan->is_spread || window->ams->is_running)
        return false;
    if (!is_own && !window->is_concurrent)
        return false;
    return window->remotes[rank].under_way == 0 || (window->unordered & both) == both;
}

/* Runs one unit. `packed_input` and `packed_output` are memory for it, or NULL where the
 * caller's is used. */
static void run_unit(tc_am_op *op, const tca_plan *plan, tc_am_unit *unit, void *packed_input,
                     void *packed_output)
{
    const tc_am_params *params = &plan->params;
    unit->input = packed_input;
    unit->output = packed_output;
    if (packed_input != NULL)
        tca_layout_gather(&plan->input, params->input, unit->first, unit->segments,
                          packed_input);
    else if (plan->input.bytes > 0)
        unit->input = (const char *)params->input + unit->first * plan->input.bytes;
    if (packed_output == NULL && plan->output.bytes > 0)
        unit->output = (char *)params->output + unit->first * plan->output.bytes;
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
    op->function(unit);
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
    if (packed_output != NULL && unit->status == TC_OK)
        tca_layout_scatter(&plan->output, params->output, unit->first, unit->segments,
                           packed_output);
}

/* Memory for a direction: NULL if the caller's is as the function expects it. */
static bool need_packed(const tca_layout *layout, uint32_t unit, void **packed_out)
{
    *packed_out = NULL;
    if (layout->bytes == 0 || tca_layout_is_packed(layout))
        return true;
    *packed_out = malloc(unit * layout->bytes);
    return *packed_out != NULL;
}

static void run_all(tc_am_window *window, tc_am_op *op, const tca_plan *plan, tc_am_unit *unit,
                    void *packed_input, void *packed_output, tc_am_outcome *outcome)
{
    const uint32_t segments = plan->params.segments;
    const bool goes_on = (window->unordered & TC_AM_UNORDERED_SEGMENTS) != 0;
    char text[TC_AM_TEXT_MAX] = "";
    for (uint32_t first = 0; first < segments; first += unit->segments) {
        unit->first = first;
        unit->segments = segments - first < plan->unit ? segments - first : plan->unit;
        unit->status = TC_OK;
        run_unit(op, plan, unit, packed_input, packed_output);
        window->ams->counts.units_here++;
        if (unit->status == TC_OK) {
            outcome->segments += unit->segments;
            continue;
        }
        if (outcome->status == TC_OK) {
            outcome->status = unit->status;
            memcpy(text, unit->text, sizeof text);
        }
        if (!goes_on)
            break;
    }
    memcpy(unit->text, text, sizeof text);
}

bool tca_here_run(tc_am_window *window, uint32_t rank, tc_am_op *op, const tca_plan *plan,
                  tc_am_outcome *outcome, char *text_out)
{
    const tc_am_params *params = &plan->params;
    uint64_t bytes = 0;
    void *packed_input, *packed_output = NULL;
    tc_am_unit unit;
    if (!may_run(window, rank, op, plan))
        return false;
    void *memory = tca_window_reach(window, rank, &bytes);
    if (memory == NULL && rank != window->ams->rank)
        return false;
    /* The target's check has the texts. */
    if (!tca_window_has(bytes, params->at, params->bytes))
        return false;
    if (!need_packed(&plan->input, plan->unit, &packed_input) ||
        !need_packed(&plan->output, plan->unit, &packed_output)) {
        free(packed_input);
        return false;
    }
    unit.persistent = params->bytes > 0 ? (char *)memory + params->at : NULL;
    unit.persistent_bytes = params->bytes;
    unit.input_bytes = (uint32_t)plan->input.bytes;
    unit.output_bytes = (uint32_t)plan->output.bytes;
    unit.description = params->description_bytes > 0 ? params->description : NULL;
    unit.description_bytes = (uint32_t)params->description_bytes;
    unit.origin = window->ams->rank;
    *outcome = (tc_am_outcome){.status = TC_OK, .segments = 0, .text = text_out};
    window->ams->is_running = true;
    run_all(window, op, plan, &unit, packed_input, packed_output, outcome);
    window->ams->is_running = false;
    memcpy(text_out, unit.text, TC_AM_TEXT_MAX);
    free(packed_input);
    free(packed_output);
    return true;
}
