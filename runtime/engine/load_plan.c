/* Tries an image, then bitcode, then a shared object. */
#include "load_plan.h"

#include "base/error_text.h"
#include "base/triple.h"
#include "engine/deps_list.h"

/* Bytes of bitcode. An object made from so much is linked in less time than a thread needs to
 * wake up. */
#define STORED_AT_ONCE_MAX (16u << 10)

static tc_status select_bitcode(const tci_load_source *source, size_t *slice_out, tc_error *err)
{
    return tci_archive_select(source->archive, tci_triple_host(), slice_out, err);
}

/* Returns the form that the code's signer is restricted to, or else the one that the process
 * wants. */
static tci_form_choice form_of(const tci_load_policy *policy, const tci_load_source *source)
{
    return source->form != TCI_CHOICE_AUTO ? source->form : policy->form;
}

static const char *const form_names[] = {"", "image", "bitcode"};

static tc_status check_forms(const tci_load_policy *policy, const tci_load_source *source,
                             tc_error *err)
{
    if (policy->form == TCI_CHOICE_AUTO || source->form == TCI_CHOICE_AUTO ||
        policy->form == source->form)
        return TC_OK;
    return tci_error_set(err, TC_E_REFUSED,
                         "option form is %s, and the key that signed it has forms=%s",
                         form_names[policy->form], form_names[source->form]);
}

static bool can_compile(const tci_load_policy *policy, const tci_load_source *source)
{
    size_t slice;
    return form_of(policy, source) != TCI_CHOICE_IMAGE && policy->has_compiler &&
           select_bitcode(source, &slice, NULL) == TC_OK &&
           tci_archive_slice(source->archive, slice)->producer_major <= policy->llvm_major;
}

/* With the tier `best`, only an image for all features of the CPU is preferred to bitcode.
 * Debuggers see nothing of an image, so where they are wanted, an image runs only if bitcode
 * cannot. */
static tc_status plan_image(const tci_load_policy *policy, const tci_load_source *source,
                            tci_load_plan *plan, tc_error *err)
{
    if (form_of(policy, source) == TCI_CHOICE_BITCODE)
        return tci_error_set(err, TC_E_NO_SLICE, "images are not wanted");
    TC_TRY(tci_archive_select_image(source->archive, tci_triple_host(), policy->cpu_level,
                                    &plan->slice, err));
    bool lacks = tci_archive_slice(source->archive, plan->slice)->cpu_level < policy->cpu_level;
    bool compiles = (lacks || policy->debuggable) && can_compile(policy, source);
    if (compiles && (policy->debuggable || policy->tier == TCI_TIER_BEST))
        return tci_error_set(err, TC_E_NO_SLICE, "bitcode is better");
    plan->kind = TCI_LOAD_IMAGE;
    plan->may_tier_up = lacks && compiles && policy->tier == TCI_TIER_AUTO;
    return TC_OK;
}

static tc_status plan_bitcode(const tci_load_policy *policy, const tci_load_source *source,
                              tci_load_plan *plan, tc_error *err)
{
    tc_status status = select_bitcode(source, &plan->slice, err);
    if (status != TC_OK && form_of(policy, source) != TCI_CHOICE_BITCODE)
        tci_error_prefix(err, "no image runs here (level %s)",
                         tci_cpu_level_text(tci_triple_host(), policy->cpu_level));
    plan->kind = policy->has_cache ? TCI_LOAD_STORED : TCI_LOAD_COMPILE;
    plan->level = policy->tier == TCI_TIER_BEST ? TCI_LEVEL_OPTIMISED : TCI_LEVEL_BASELINE;
    plan->takes_optimised = policy->tier == TCI_TIER_AUTO;
    plan->may_tier_up = policy->tier == TCI_TIER_AUTO;
    return status;
}

static bool takes_microseconds(const tci_load_source *source, const tci_load_plan *plan)
{
    if (tci_deps_list_opens_any(source->deps, source->deps_size))
        return false;
    return plan->kind == TCI_LOAD_IMAGE ||
           (plan->kind == TCI_LOAD_STORED &&
            tci_archive_slice(source->archive, plan->slice)->size <= STORED_AT_ONCE_MAX);
}

/* A shared object is made by another compiler and linker and has neither form, so a restriction
 * to one form excludes it. */
static bool plan_shared(const tci_load_policy *policy, const tci_load_source *source,
                        tci_load_plan *plan)
{
    if (form_of(policy, source) != TCI_CHOICE_AUTO ||
        tci_archive_select_shared(source->archive, tci_triple_host(), &plan->slice, NULL) !=
            TC_OK)
        return false;
    *plan = (tci_load_plan){.kind = TCI_LOAD_SHARED, .slice = plan->slice};
    return true;
}

/* A failure to take an image is not a reason to compile, as the bitcode beside it is the same
 * code with the same needs. */
tc_status tci_load_plan_make(const tci_load_policy *policy, const tci_load_source *source,
                             tci_load_plan *plan_out, tc_error *err)
{
    tci_load_plan plan = {0};
    tc_error why;
    tc_status status = check_forms(policy, source, &why);
    if (status == TC_OK)
        status = plan_image(policy, source, &plan, &why);
    if (status == TC_E_NO_SLICE && form_of(policy, source) != TCI_CHOICE_IMAGE)
        status = plan_bitcode(policy, source, &plan, &why);
    if (status == TC_E_NO_SLICE && plan_shared(policy, source, &plan))
        status = TC_OK;
    if (status == TC_E_NO_SLICE && source->form != TCI_CHOICE_AUTO)
        return tci_error_set(err, TC_E_REFUSED, "%s: %s; the key that signed it has forms=%s",
                             tci_archive_name(source->archive), why.text,
                             form_names[source->form]);
    if (status != TC_OK)
        return tci_error_set(err, status, "%s: %s", tci_archive_name(source->archive),
                             why.text);
    plan.at_once = takes_microseconds(source, &plan);
    *plan_out = plan;
    return TC_OK;
}

tc_status tci_load_plan_tier_up(const tci_load_policy *policy, const tci_load_source *source,
                                bool has_state, tci_load_plan *plan_out, tc_error *err)
{
    tci_load_plan plan = {.kind = policy->has_cache ? TCI_LOAD_STORED : TCI_LOAD_COMPILE,
                          .level = has_state ? TCI_LEVEL_OPTIMISED_SHARED : TCI_LEVEL_OPTIMISED,
                          .background = true};
    tc_status status = select_bitcode(source, &plan.slice, err);
    if (status == TC_OK)
        *plan_out = plan;
    else
        tci_error_prefix(err, "%s", tci_archive_name(source->archive));
    return status;
}
