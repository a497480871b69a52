/* UCX's transports that count as RDMA: by made-up lists, as no adapter is at hand. */
#include "modules/ucx/ucx_lanes.h"
#include "../../support/test.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define LIST(...)                                                                              \
    ((const char *const[]){__VA_ARGS__}), COUNT(((const char *const[]){__VA_ARGS__}))

TEST(reliable_connections_count)
{
    assert_true(tci_ucx_lanes_write(LIST("rc_verbs")));
    assert_true(tci_ucx_lanes_write(LIST("rc_mlx5")));
    assert_true(tci_ucx_lanes_write(LIST("dc_mlx5")));
    assert_true(tci_ucx_lanes_write(LIST("ugni_rdma")));
    assert_true(tci_ucx_lanes_write(LIST("rc_mlx5", "rc_mlx5"))); /* two ports */
}

/* UCX gives puts to the lane that writes, whatever it has others for. */
TEST(one_that_counts_is_enough)
{
    assert_true(tci_ucx_lanes_write(LIST("ud_mlx5", "rc_mlx5")));
    assert_true(tci_ucx_lanes_write(LIST("rc_verbs", "tcp")));
    assert_true(tci_ucx_lanes_write(LIST("posix", "cma", "rc_verbs")));
    assert_true(tci_ucx_lanes_write(LIST("gdr_copy", "cuda_copy", "dc_mlx5")));
}

TEST(what_does_not_write_does_not)
{
    static const char *const names[] = {
        "tcp",      "ud_verbs", "ud_mlx5",  "srd",       "self",     "sysv",     "posix",
        "cma",      "knem",     "xpmem",    "mm",        "gdr_copy", "cuda_ipc", "cuda_copy",
        "rocm_ipc", "ze_copy",  "gga_mlx5", "ugni_smsg", "ugni_udt"};
    for (size_t i = 0; i < COUNT(names); i++)
        assert_false(tci_ucx_lanes_write(&names[i], 1));
    assert_false(tci_ucx_lanes_write(names, COUNT(names)));
}

TEST(names_are_whole)
{
    assert_false(tci_ucx_lanes_write(LIST("rc")));
    assert_false(tci_ucx_lanes_write(LIST("rc_verbs2")));
    assert_false(tci_ucx_lanes_write(LIST("RC_VERBS")));
    assert_false(tci_ucx_lanes_write(LIST("")));
    assert_false(tci_ucx_lanes_write(LIST(NULL)));
    assert_true(tci_ucx_lanes_write(LIST(NULL, "rc_verbs")));
    assert_false(tci_ucx_lanes_write(NULL, 0));
}
