/* Input of programs to the original's API: functions in every form, and errors. One process
 * that sends to itself. */
#include "../support/test.h"
#include "compat_node.h"

#include "ifuncs/gather.h"

#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLOT_BYTES (1u << 21)
#define FOLDER "UCX_IFUNC_LIB_DIR"

typedef struct fixture {
    compat_node node;
    compat_link *self;
    char folder[4096];
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_non_null(getenv(FOLDER));
    (void)snprintf(f->folder, sizeof f->folder, "%s", getenv(FOLDER));
    compat_node_open(&f->node, SLOT_BYTES);
    f->self = compat_node_link_self(&f->node);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    setenv(FOLDER, f->folder, 1);
    compat_node_close(&f->node);
    free(f);
    return 0;
}

static ucs_status_t poll_once(fixture *f, size_t room, void *target_args)
{
    return ucp_poll_ifunc(f->node.context, f->node.memory, room, target_args, f->node.worker);
}

static void use_folder(const fixture *f, const char *name)
{
    char path[5000];
    (void)snprintf(path, sizeof path, "%s/%s", f->folder, name);
    assert_int_equal(setenv(FOLDER, path, 1), 0);
}

/* Sends messages of several sizes and checks their results. */
static void send_and_run(fixture *f, ucp_ifunc_h ifunc)
{
    gather_state gathered = {0};
    const uint64_t words[] = {0, 1, 2, 3, 500, 600, 200000};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const gather_args args = {0, i + 1, words[i]};
        ucp_ifunc_msg_t msg = compat_message(ifunc, &args, sizeof args);
        compat_node_send(&f->node, f->self, &msg, 0);
        assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
        compat_node_run(&f->node, 0, SLOT_BYTES, &gathered);
        assert_int_equal(gathered.run, i + 1);
    }
    assert_int_equal(gathered.torn + gathered.out_of_order, 0);
    assert_int_equal(ucp_deregister_ifunc(f->node.context, ifunc), UCS_OK);
}

/* --- forms ----------------------------------------------------------------------------- */

TEST_WITH(archive_runs, set_up, tear_down)
{
    fixture *f = *state;
    send_and_run(f, compat_node_register(&f->node, "gather", 1));
}

TEST_WITH(bitcode_files_run, set_up, tear_down)
{
    fixture *f = *state;
    use_folder(f, "bitcode");
    send_and_run(f, compat_node_register(&f->node, "gather", 1));
}

TEST_WITH(library_file_runs, set_up, tear_down)
{
    fixture *f = *state;
    use_folder(f, "library");
    send_and_run(f, compat_node_register(&f->node, "gather", 0));
    send_and_run(f, compat_node_register(&f->node, "gather", 1));
}

TEST_WITH(library_under_a_policy_is_refused, set_up, tear_down)
{
    fixture *f = *state;
    ucp_ifunc_reg_param_t param = {.name = "gather"};
    ucp_ifunc_h ifunc;
    use_folder(f, "library");
    setenv("TC_SYMBOLS", "@/etc/tchains/symbols", 1);
    assert_int_equal(ucp_register_ifunc(f->node.context, param, &ifunc), UCS_ERR_UNSUPPORTED);
    unsetenv("TC_SYMBOLS");
    send_and_run(f, compat_node_register(&f->node, "gather", 0));
}

static void *read_file(const char *path, uint32_t *size_out)
{
    struct stat info;
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &info), 0);
    void *bytes = malloc((size_t)info.st_size);
    assert_non_null(bytes);
    assert_int_equal(read(fd, bytes, (size_t)info.st_size), info.st_size);
    (void)close(fd);
    *size_out = (uint32_t)info.st_size;
    return bytes;
}

/* The slices of both architectures; this one's process runs its own. */
static void read_slices(const fixture *f, const char *name, ucp_llvm_bc_t slices[2])
{
    static char *const triples[2] = {"x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu"};
    for (int i = 0; i < 2; i++) {
        char path[5000];
        (void)snprintf(path, sizeof path, "%s/bitcode/%s.%s.bc", f->folder, name, triples[i]);
        slices[i].triple = triples[i];
        slices[i].bc = read_file(path, &slices[i].size);
    }
}

TEST_WITH(registered_from_memory, set_up, tear_down)
{
    fixture *f = *state;
    ucp_llvm_bc_t slices[2];
    char *deps[] = {"libz.so.1", "libm.so.6"};
    ucp_ifunc_reg_param_t param = {.name = "gather", .llvm_bc = 1};
    ucp_ifunc_h ifunc;
    unsetenv(FOLDER);
    read_slices(f, "gather", slices);
    assert_int_equal(ucp_register_ifunc_im(f->node.context, param, slices, 2, deps, 2, &ifunc),
                     UCS_OK);
    send_and_run(f, ifunc);
    assert_int_equal(ucp_register_ifunc_im(f->node.context, param, slices, 2, NULL, 0, &ifunc),
                     UCS_OK);
    send_and_run(f, ifunc);

    deps[0] = "libno_such_library.so.3"; /* a warning, as it is not needed */
    assert_int_equal(ucp_register_ifunc_im(f->node.context, param, slices, 2, deps, 2, &ifunc),
                     UCS_OK);
    send_and_run(f, ifunc);
    deps[0] = "../libz.so.1";
    assert_true(UCS_STATUS_IS_ERR(
        ucp_register_ifunc_im(f->node.context, param, slices, 2, deps, 2, &ifunc)));
    assert_int_equal(ucp_register_ifunc_im(f->node.context, param, slices, 0, NULL, 0, &ifunc),
                     UCS_ERR_INVALID_PARAM);
    assert_int_equal(ucp_register_ifunc_im(f->node.context, param, NULL, 1, NULL, 0, &ifunc),
                     UCS_ERR_INVALID_PARAM);
    slices[1].triple = slices[0].triple;
    assert_true(UCS_STATUS_IS_ERR(
        ucp_register_ifunc_im(f->node.context, param, slices, 2, NULL, 0, &ifunc)));
    memset(slices[0].bc, 'x', slices[0].size);
    assert_true(UCS_STATUS_IS_ERR(
        ucp_register_ifunc_im(f->node.context, param, slices, 1, NULL, 0, &ifunc)));
    param.name = "not a name";
    assert_int_equal(ucp_register_ifunc_im(f->node.context, param, slices, 1, NULL, 0, &ifunc),
                     UCS_ERR_INVALID_PARAM);
    free(slices[0].bc);
    free(slices[1].bc);
}

TEST_WITH(uses_zlib_and_openssl, set_up, tear_down)
{
    fixture *f = *state;
    struct {
        size_t size;
        unsigned char digest[SHA256_DIGEST_LENGTH];
    } result = {0};
    char text[20000];
    unsigned char expected[SHA256_DIGEST_LENGTH];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i / 100);
    (void)SHA256((const unsigned char *)text, sizeof text, expected);

    ucp_ifunc_h ifunc = compat_node_register(&f->node, "parcel", 1);
    ucp_ifunc_msg_t msg = compat_message(ifunc, text, sizeof text);
    void *payload;
    size_t payload_size;
    assert_int_equal(ucp_ifunc_msg_get_payload_ptr(&msg, &payload, &payload_size), UCS_OK);
    assert_int_equal((uintptr_t)payload % 16, 0);
    assert_true(payload_size < sizeof text / 4); /* the size made, not the announced one */
    compat_node_send(&f->node, f->self, &msg, 0);
    compat_node_run(&f->node, 0, SLOT_BYTES, &result);
    assert_int_equal(result.size, sizeof text);
    assert_memory_equal(result.digest, expected, sizeof expected);
    assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
    assert_int_equal(ucp_deregister_ifunc(f->node.context, ifunc), UCS_OK);
}

/* --- errors ------------------------------------------------------------------------------ */

static ucs_status_t try_register(fixture *f, const char *name)
{
    ucp_ifunc_reg_param_t param = {.name = (char *)(uintptr_t)name, .llvm_bc = 1};
    ucp_ifunc_h ifunc = (ucp_ifunc_h)(uintptr_t)77;
    ucs_status_t status = ucp_register_ifunc(f->node.context, param, &ifunc);
    assert_true(status != UCS_OK && ifunc == (ucp_ifunc_h)(uintptr_t)77);
    return status;
}

TEST_WITH(bad_folders_and_names, set_up, tear_down)
{
    fixture *f = *state;
    assert_int_equal(try_register(f, "nobody"), UCS_ERR_NO_ELEM);
    assert_int_equal(try_register(f, "../gather"), UCS_ERR_INVALID_PARAM);
    assert_int_equal(try_register(f, ""), UCS_ERR_INVALID_PARAM);
    assert_int_equal(try_register(f, NULL), UCS_ERR_INVALID_PARAM);
    unsetenv(FOLDER);
    assert_int_equal(try_register(f, "gather"), UCS_ERR_INVALID_PARAM);
    setenv(FOLDER, "", 1);
    assert_int_equal(try_register(f, "gather"), UCS_ERR_INVALID_PARAM);
    use_folder(f, "no_such_folder");
    assert_int_equal(try_register(f, "gather"), UCS_ERR_IO_ERROR);
    use_folder(f, "gather.tca"); /* a file */
    assert_int_equal(try_register(f, "gather"), UCS_ERR_IO_ERROR);
    use_folder(f, "damaged");
    assert_int_equal(try_register(f, "cut"), UCS_ERR_INVALID_PARAM);
    assert_int_equal(try_register(f, "folder"), UCS_ERR_IO_ERROR);
    assert_int_equal(try_register(f, "text"), UCS_ERR_UNSUPPORTED);

    char fifo[64] = "/tmp/original_input.XXXXXX";
    char file[80];
    assert_non_null(mkdtemp(fifo));
    (void)snprintf(file, sizeof file, "%s/slow.tca", fifo);
    assert_int_equal(mkfifo(file, 0600), 0);
    setenv(FOLDER, fifo, 1);
    assert_int_equal(try_register(f, "slow"), UCS_ERR_IO_ERROR); /* at once */
    (void)unlink(file);
    (void)rmdir(fifo);
}

TEST_WITH(registered_twice, set_up, tear_down)
{
    fixture *f = *state;
    ucp_context_h context = f->node.context;
    ucp_ifunc_h one = compat_node_register(&f->node, "gather", 1);
    ucp_ifunc_h two = compat_node_register(&f->node, "gather", 1);
    assert_true(one != two);
    assert_int_equal(ucp_deregister_ifunc(NULL, one), UCS_ERR_INVALID_PARAM);
    assert_int_equal(ucp_deregister_ifunc(context, one), UCS_OK);
    assert_int_equal(ucp_deregister_ifunc(context, one), UCS_ERR_NO_ELEM);
    ucp_ifunc_h three = compat_node_register(&f->node, "gather", 1);
    assert_true(three != one);
    assert_int_equal(ucp_deregister_ifunc(context, one), UCS_ERR_NO_ELEM);
    send_and_run(f, two);
    send_and_run(f, three);
    assert_int_equal(ucp_deregister_ifunc(context, NULL), UCS_ERR_NO_ELEM);
    assert_int_equal(ucp_deregister_ifunc(context, (ucp_ifunc_h)(uintptr_t)0x123456789),
                     UCS_ERR_NO_ELEM);
}

TEST_WITH(sent_after_deregistration, set_up, tear_down)
{
    fixture *f = *state;
    gather_state gathered = {0};
    const gather_args args = {0, 1, 4};
    ucp_ifunc_h ifunc = compat_node_register(&f->node, "gather", 1);
    ucp_ifunc_msg_t msg = compat_message(ifunc, &args, sizeof args), other;
    compat_node_send(&f->node, f->self, &msg, 0);
    assert_int_equal(ucp_deregister_ifunc(f->node.context, ifunc), UCS_OK);
    compat_node_run(&f->node, 0, SLOT_BYTES, &gathered); /* what is under way still runs */
    assert_int_equal(ucp_ifunc_send_nbix(f->self->ep, msg, f->self->remote, f->self->rkey),
                     UCS_ERR_NO_ELEM);
    assert_int_equal(ucp_ifunc_msg_create(ifunc, NULL, 0, &other), UCS_ERR_NO_ELEM);
    assert_int_equal(poll_once(f, SLOT_BYTES, &gathered), UCS_ERR_NO_MESSAGE);
    assert_int_equal(gathered.run, 1);
    assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
}

TEST_WITH(bad_messages, set_up, tear_down)
{
    fixture *f = *state;
    gather_state gathered = {0};
    gather_args args = {0, 1, 4};
    ucp_ifunc_h ifunc = compat_node_register(&f->node, "gather", 1);
    ucp_ifunc_msg_t msg;
    assert_int_equal(ucp_ifunc_msg_create(ifunc, &args, sizeof args - 1, &msg),
                     UCS_ERR_CANCELED);
    args.words = 1ull << 31;
    assert_int_equal(ucp_ifunc_msg_create(ifunc, &args, sizeof args, &msg),
                     UCS_ERR_EXCEEDS_LIMIT);
    args.words = 4;
    msg = compat_message(ifunc, &args, sizeof args);
    assert_int_equal(ucp_ifunc_send_nbix(f->self->ep, msg, f->self->remote + 4, f->self->rkey),
                     UCS_ERR_INVALID_PARAM);
    assert_int_equal(ucp_ifunc_send_nbix(f->self->ep, msg, f->self->remote, NULL),
                     UCS_ERR_INVALID_PARAM);
    assert_int_equal(ucp_poll_ifunc(f->node.context, NULL, SLOT_BYTES, NULL, NULL),
                     UCS_ERR_INVALID_PARAM);
    assert_int_equal(
        ucp_poll_ifunc(f->node.context, f->node.memory + 1, SLOT_BYTES, NULL, NULL),
        UCS_ERR_INVALID_PARAM);
    assert_int_equal(poll_once(f, 32, NULL), UCS_ERR_INVALID_PARAM);

    /* A message for a slot that is too short is reported once, and gone. */
    ucs_status_t status = UCS_ERR_NO_MESSAGE;
    compat_node_send(&f->node, f->self, &msg, 0);
    while (status == UCS_ERR_NO_MESSAGE)
        status = poll_once(f, 64, &gathered);
    assert_int_equal(status, UCS_ERR_MESSAGE_TRUNCATED);
    assert_int_equal(poll_once(f, SLOT_BYTES, &gathered), UCS_ERR_NO_MESSAGE);
    assert_int_equal(gathered.run, 0);
    assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
    assert_int_equal(ucp_ifunc_msg_free((ucp_ifunc_msg_t){.ifunc_h = ifunc}), UCS_OK);
    send_and_run(f, ifunc);
}

/* --- garbage ------------------------------------------------------------------------------ */

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 16;
}

/* Bytes in memory before its first message, or of an earlier user, are no message, and are left
 * unchanged. */
TEST_WITH(garbage_is_no_message, set_up, tear_down)
{
    fixture *f = *state;
    uint8_t before[256];
    uint64_t seed = 1;
    for (unsigned i = 0; i < 20000; i++) {
        for (size_t at = 0; at < sizeof before; at++)
            before[at] = i < 256 ? (uint8_t)i : (uint8_t)next_random(&seed);
        memcpy(f->node.memory, before, sizeof before);
        assert_int_equal(poll_once(f, SLOT_BYTES, NULL), UCS_ERR_NO_MESSAGE);
        assert_memory_equal(f->node.memory, before, sizeof before);
    }
    send_and_run(f, compat_node_register(&f->node, "gather", 1)); /* over the last garbage */
}

/* A message with any of its bytes changed is refused, waited for, or (where the byte is never
 * read) run. It never crashes. */
TEST_WITH(damaged_messages, set_up, tear_down)
{
    fixture *f = *state;
    gather_state gathered = {0};
    const gather_args args = {0, 1, 4};
    ucp_ifunc_h ifunc = compat_node_register(&f->node, "gather", 1);
    ucp_ifunc_msg_t msg = compat_message(ifunc, &args, sizeof args);
    for (size_t at = 0; at < msg.frame_size; at += at < 160 ? 1 : 61) {
        compat_node_send(&f->node, f->self, &msg, 0);
        compat_node_flush(&f->node, f->self);
        f->node.memory[at] ^= 0x10;
        ucs_status_t status = poll_once(f, SLOT_BYTES, &gathered);
        assert_true(status == UCS_OK || UCS_STATUS_IS_ERR(status));
        memset(f->node.memory, 0, msg.frame_size);
    }
    assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
    send_and_run(f, ifunc);
}

/* A slot that is written again before it was read: seen where it is mapped. */
TEST_WITH(occupied_slot, set_up, tear_down)
{
    fixture *f = *state;
    gather_state gathered = {0};
    const gather_args args = {0, 1, 4};
    void *mapped;
    ucp_ifunc_h ifunc = compat_node_register(&f->node, "gather", 1);
    ucp_ifunc_msg_t msg = compat_message(ifunc, &args, sizeof args);
    if (ucp_rkey_ptr(f->self->rkey, f->self->remote, &mapped) == UCS_OK) {
        compat_node_send(&f->node, f->self, &msg, 0);
        assert_int_equal(ucp_ifunc_send_nbix(f->self->ep, msg, f->self->remote, f->self->rkey),
                         UCS_ERR_NO_RESOURCE);
        compat_node_run(&f->node, 0, SLOT_BYTES, &gathered);
        /* The target has the code now: later messages are short. */
        memset(f->node.memory + 64, 0xee, msg.frame_size - 64);
        compat_node_send(&f->node, f->self, &msg, 0);
        assert_int_equal(f->node.memory[msg.frame_size - 1], 0xee);
        compat_node_run(&f->node, 0, SLOT_BYTES, &gathered);
    } else {
        /* Only where UCX cannot map it. */
        assert_true(getenv("UCX_TLS") != NULL || getenv("TEST_OWN_MEMORY") != NULL);
    }
    assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
    assert_int_equal(ucp_deregister_ifunc(f->node.context, ifunc), UCS_OK);
}

/* A payload may be changed between two sends. */
TEST_WITH(changed_payload, set_up, tear_down)
{
    fixture *f = *state;
    gather_state gathered = {0};
    gather_args args = {0, 1, 0};
    void *payload;
    size_t size;
    ucp_ifunc_h ifunc = compat_node_register(&f->node, "gather", 1);
    ucp_ifunc_msg_t msg = compat_message(ifunc, &args, sizeof args);
    assert_int_equal(ucp_ifunc_msg_get_payload_ptr(&msg, &payload, &size), UCS_OK);
    assert_int_equal(size, sizeof args);
    assert_int_equal(ucp_ifunc_msg_get_payload_ptr(&msg, &payload, NULL), UCS_OK);
    for (uint64_t i = 1; i <= 10; i++) {
        args.number = i;
        memcpy(payload, &args, sizeof args);
        compat_node_send(&f->node, f->self, &msg, 0);
        compat_node_run(&f->node, 0, SLOT_BYTES, &gathered);
        compat_node_flush(&f->node, f->self);
    }
    assert_int_equal(gathered.run, 10);
    assert_int_equal(gathered.torn + gathered.out_of_order, 0);
    assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
    assert_int_equal(ucp_deregister_ifunc(f->node.context, ifunc), UCS_OK);
}
