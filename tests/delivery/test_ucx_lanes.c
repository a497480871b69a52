/* Which of UCX's transports count as RDMA: by made-up lists, as no adapter is at hand. */
#include "delivery/ucx_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define LIST(...)                                                                              \
    ((const char *const[]){__VA_ARGS__}), COUNT(((const char *const[]){__VA_ARGS__}))

static void reliable_connections_count(void **state)
{
    (void)state;
    assert_true(tci_ucx_lanes_write(LIST("rc_verbs")));
    assert_true(tci_ucx_lanes_write(LIST("rc_mlx5")));
    assert_true(tci_ucx_lanes_write(LIST("dc_mlx5")));
    assert_true(tci_ucx_lanes_write(LIST("ugni_rdma")));
    assert_true(tci_ucx_lanes_write(LIST("rc_mlx5", "rc_mlx5"))); /* two ports */
}

/* UCX gives puts to the lane that writes, whatever it has others for. */
static void one_that_counts_is_enough(void **state)
{
    (void)state;
    assert_true(tci_ucx_lanes_write(LIST("ud_mlx5", "rc_mlx5")));
    assert_true(tci_ucx_lanes_write(LIST("rc_verbs", "tcp")));
    assert_true(tci_ucx_lanes_write(LIST("posix", "cma", "rc_verbs")));
    assert_true(tci_ucx_lanes_write(LIST("gdr_copy", "cuda_copy", "dc_mlx5")));
}

static void what_does_not_write_does_not(void **state)
{
    static const char *const names[] = {
        "tcp",      "ud_verbs", "ud_mlx5",  "srd",       "self",     "sysv",     "posix",
        "cma",      "knem",     "xpmem",    "mm",        "gdr_copy", "cuda_ipc", "cuda_copy",
        "rocm_ipc", "ze_copy",  "gga_mlx5", "ugni_smsg", "ugni_udt"};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        assert_false(tci_ucx_lanes_write(&names[i], 1));
    assert_false(tci_ucx_lanes_write(names, COUNT(names)));
}

static void names_are_whole(void **state)
{
    (void)state;
    assert_false(tci_ucx_lanes_write(LIST("rc")));
    assert_false(tci_ucx_lanes_write(LIST("rc_verbs2")));
    assert_false(tci_ucx_lanes_write(LIST("RC_VERBS")));
    assert_false(tci_ucx_lanes_write(LIST("")));
    assert_false(tci_ucx_lanes_write(LIST(NULL)));
    assert_true(tci_ucx_lanes_write(LIST(NULL, "rc_verbs")));
    assert_false(tci_ucx_lanes_write(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reliable_connections_count),
        cmocka_unit_test(one_that_counts_is_enough),
        cmocka_unit_test(what_does_not_write_does_not),
        cmocka_unit_test(names_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
