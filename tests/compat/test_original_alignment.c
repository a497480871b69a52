/* Functions that ask for the alignment of their payloads have it in the original's API, too:
 * wherever the slot is, as an archive, as a library and as bitcode of any compiler. The process
 * sends to itself. */
#include "../shipped/aligned.h"
#include "../support/test.h"
#include "compat_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_BYTES ((size_t)1 << 18)
#define MEMORY_BYTES (SLOT_BYTES + 4096)
#define PAYLOAD_MAX 40000u

static compat_node node;
static compat_link *self;
static aligned_state seen;

static void use_folder(const char *folder)
{
    char path[512];
    const char *root = getenv("TEST_COMPAT_FOLDER");
    assert_non_null(root);
    (void)snprintf(path, sizeof path, "%s/%s", root, folder);
    assert_int_equal(setenv("UCX_IFUNC_LIB_DIR", path, 1), 0);
}

static void run_once(ucp_ifunc_h function, size_t size, size_t offset)
{
    static uint8_t payload[PAYLOAD_MAX + 1];
    aligned_fill(payload + 1, size);
    ucp_ifunc_msg_t msg = compat_message(function, payload + 1, size);
    const uint64_t calls = seen.calls;
    compat_node_send(&node, self, &msg, offset);
    compat_node_run(&node, offset, SLOT_BYTES, &seen);
    assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
    assert_int_equal(seen.calls, calls + 1);
    assert_int_equal(seen.misplaced, 0);
    assert_int_equal(seen.wrong, 0);
}

static void expect_aligned(const char *folder, const char *name, int llvm_bc)
{
    static const size_t sizes[] = {0,    1,    63,   64,   65,   1000,
                                   4080, 4095, 4096, 4097, 5000, PAYLOAD_MAX};
    use_folder(folder);
    ucp_ifunc_h function = compat_node_register(&node, name, llvm_bc);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t offset = 0; offset < 256; offset += 40)
            run_once(function, sizes[i], offset);
    }
    assert_int_equal(ucp_deregister_ifunc(node.context, function), UCS_OK);
}

TEST(archives)
{
    expect_aligned(".", "slot32", 1);
    expect_aligned(".", "slot64", 1);
    expect_aligned(".", "slot4096", 1);
}

/* Its payload_init gives up where its payload is not aligned as its function's. */
TEST(payloads_that_are_made)
{
    expect_aligned(".", "slot256", 1);
}

TEST(libraries)
{
    expect_aligned("library", "slot64", 0);
    expect_aligned("library", "slot4096", 0);
}

TEST(bitcode_of_any_compiler)
{
    expect_aligned("bitcode", "slot1024", 1);
}

TEST(a_library_that_asks_for_none_that_there_is)
{
    ucp_ifunc_h function;
    const ucp_ifunc_reg_param_t param = {.name = "slot48", .llvm_bc = 0};
    use_folder("library");
    assert_int_equal(ucp_register_ifunc(node.context, param, &function), UCS_ERR_INVALID_PARAM);
}

int main(void)
{
#ifdef __x86_64__
    seen.vector_bytes = __builtin_cpu_supports("avx512f") ? 64
                        : __builtin_cpu_supports("avx2")  ? 32
                                                          : 0;
#endif
    compat_node_open(&node, MEMORY_BYTES);
    self = compat_node_link_self(&node);
    int failures = test_run(NULL, NULL);
    compat_node_close(&node);
    return failures;
}
