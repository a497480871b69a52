/* Broken state of a function, and of the table of functions, ends the process. */
#include "../support/broken_invariant.h"
#include "../support/fake_node.h"
#include "ifunc/ifunc_load.h"

static void run(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
}

static tc_ifunc *function(void)
{
    return fake_node_function(fake_node_create(), "run", run);
}

static tc_ifunc *loaded(void)
{
    tc_ifunc *fn = function();
    assert_ok(tci_ifunc_load(fn, NULL));
    return fn;
}

static tc_ifunc *loading(void)
{
    tc_ifunc *fn = function();
    fake_code_of("run")->is_slow = true;
    assert_status(tci_ifunc_load_soon(fn, NULL), TC_E_AGAIN);
    return fn;
}

TEST_BROKEN(fn_references)
{
    tc_ifunc *fn = function();
    tci_registry_release(fn);
    tci_registry_release(fn);
}

TEST_BROKEN(fn_table)
{
    tc_ifunc *fn = function();
    fn->registry->count++;
    tci_registry_fini(fn->registry);
}

TEST_BROKEN(fn_bucket)
{
    tc_ifunc *fn = function();
    fn->id.bytes[0] ^= 1;
    tci_registry_fini(fn->registry);
}

TEST_BROKEN(fn_memory)
{
    tc_ifunc *fn = loaded();
    fn->registry->code_memory--;
    tci_ifunc_load_undo(fn);
}

TEST_BROKEN(fn_unit)
{
    tc_ifunc *fn = loaded();
    fn->state = TCI_NOT_LOADED;
    tci_ifunc_load_undo(fn);
}

TEST_BROKEN(fn_code)
{
    tc_ifunc *fn = loaded();
    fn->unit = NULL;
    fn->registry->code_memory = UINT64_MAX;
    if (tci_registry_trim(fn->registry, NULL, NULL) != TC_OK)
        return;
}

TEST_BROKEN(fn_idle)
{
    tc_ifunc *fn = function();
    tci_use_order_add(&fn->registry->idle, &fn->idle_link);
    tci_registry_release(fn);
}

TEST_BROKEN(fn_job)
{
    tc_ifunc *fn = loading();
    fn->registry->jobs = NULL;
    tci_ifunc_load_undo(fn);
}

TEST_BROKEN(fn_failure)
{
    tc_ifunc *fn = function();
    fn->state = TCI_LOAD_FAILED;
    assert_ok(tci_ifunc_load(fn, NULL));
}
