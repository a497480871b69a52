#include "compat_node.h"

#include "base/clock.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEADLINE_NS 120000000000ull /* only ends processes that hang */
#define BLOB_MAX 4096u

typedef struct introduction {
    uint64_t memory;
    uint64_t address_bytes, rkey_bytes;
    uint8_t bytes[BLOB_MAX];
} introduction;

static void turn(compat_node *node, uint64_t deadline_ns)
{
    if (ucp_worker_progress(node->worker) == 0)
        sched_yield();
    REQUIRE(tci_clock_ns() < deadline_ns);
}

static void open_ucx(compat_node *node)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_RMA};
    const ucp_worker_params_t worker = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SINGLE};
    REQUIRE(ucp_init(&params, NULL, &node->context) == UCS_OK);
    REQUIRE(ucp_worker_create(node->context, &worker, &node->worker) == UCS_OK);
}

void compat_node_open(compat_node *node, size_t memory_bytes)
{
    memset(node, 0, sizeof *node);
    open_ucx(node);
    ucp_mem_map_params_t map = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                                              UCP_MEM_MAP_PARAM_FIELD_FLAGS |
                                              UCP_MEM_MAP_PARAM_FIELD_ADDRESS,
                                .length = memory_bytes,
                                .flags = UCP_MEM_MAP_ALLOCATE};
    ucp_mem_attr_t attr = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    /* TEST_OWN_MEMORY: memory of the program's own, which UCX cannot map into another. */
    if (getenv("TEST_OWN_MEMORY") != NULL) {
        map.address = aligned_alloc(4096, (memory_bytes + 4095) & ~(size_t)4095);
        map.flags = 0;
        REQUIRE(map.address != NULL);
    }
    REQUIRE(ucp_mem_map(node->context, &map, &node->memory_handle) == UCS_OK);
    REQUIRE(ucp_mem_query(node->memory_handle, &attr) == UCS_OK);
    node->memory = attr.address;
    node->memory_bytes = memory_bytes;
    memset(node->memory, 0, memory_bytes);
}

/* --- finding each other --------------------------------------------------------------- */

static void introduce(const compat_node *node, introduction *out)
{
    ucp_address_t *address;
    size_t address_bytes, rkey_bytes;
    void *rkey;
    REQUIRE(ucp_worker_get_address(node->worker, &address, &address_bytes) == UCS_OK);
    REQUIRE(ucp_rkey_pack(node->context, node->memory_handle, &rkey, &rkey_bytes) == UCS_OK);
    REQUIRE(address_bytes + rkey_bytes <= sizeof out->bytes);
    memset(out, 0, sizeof *out);
    out->memory = (uint64_t)(uintptr_t)node->memory;
    out->address_bytes = address_bytes;
    out->rkey_bytes = rkey_bytes;
    memcpy(out->bytes, address, address_bytes);
    memcpy(out->bytes + address_bytes, rkey, rkey_bytes);
    ucp_rkey_buffer_release(rkey);
    ucp_worker_release_address(node->worker, address);
}

static compat_link *meet(compat_node *node, const introduction *other, int fd)
{
    REQUIRE(node->link_count < NODE_LINKS_MAX);
    compat_link *link = &node->links[node->link_count++];
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                    .address = (const ucp_address_t *)other->bytes};
    *link = (compat_link){.remote = other->memory, .fd = fd};
    REQUIRE(ucp_ep_create(node->worker, &params, &link->ep) == UCS_OK);
    REQUIRE(ucp_ep_rkey_unpack(link->ep, other->bytes + other->address_bytes, &link->rkey) ==
            UCS_OK);
    return link;
}

compat_link *compat_node_link(compat_node *node, int fd)
{
    introduction mine, other;
    introduce(node, &mine);
    REQUIRE(send(fd, &mine, sizeof mine, MSG_NOSIGNAL) == sizeof mine);
    REQUIRE(recv(fd, &other, sizeof other, MSG_WAITALL) == sizeof other);
    return meet(node, &other, fd);
}

compat_link *compat_node_link_self(compat_node *node)
{
    introduction mine;
    introduce(node, &mine);
    return meet(node, &mine, -1);
}

/* --- the end -------------------------------------------------------------------------- */

static void await_request(compat_node *node, void *request)
{
    const uint64_t deadline_ns = tci_clock_ns() + DEADLINE_NS;
    REQUIRE(!UCS_PTR_IS_ERR(request));
    if (request == NULL)
        return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
        turn(node, deadline_ns);
    REQUIRE(ucp_request_check_status(request) == UCS_OK);
    ucp_request_free(request);
}

void compat_node_flush(compat_node *node, compat_link *link)
{
    const ucp_request_param_t params = {.op_attr_mask = 0};
    await_request(node, ucp_ep_flush_nbx(link->ep, &params));
}

/* UCX's closing needs the other side's progress, so no process stops before all have come
 * here. */
static void meet_again(compat_node *node, int fd)
{
    const uint64_t deadline_ns = tci_clock_ns() + DEADLINE_NS;
    char byte = 'e';
    REQUIRE(send(fd, &byte, 1, MSG_NOSIGNAL) == 1);
    while (recv(fd, &byte, 1, MSG_DONTWAIT) < 0) {
        REQUIRE(errno == EAGAIN || errno == EINTR);
        turn(node, deadline_ns);
    }
}

void compat_node_close(compat_node *node)
{
    const ucp_request_param_t params = {.op_attr_mask = 0};
    for (unsigned i = 0; i < node->link_count; i++)
        compat_node_flush(node, &node->links[i]);
    for (unsigned i = 0; i < node->link_count; i++) {
        if (node->links[i].fd >= 0)
            meet_again(node, node->links[i].fd);
    }
    for (unsigned i = 0; i < node->link_count; i++) {
        ucp_rkey_destroy(node->links[i].rkey);
        await_request(node, ucp_ep_close_nbx(node->links[i].ep, &params));
    }
    for (unsigned i = 0; i < node->link_count; i++) {
        if (node->links[i].fd >= 0)
            meet_again(node, node->links[i].fd);
    }
    bool own = getenv("TEST_OWN_MEMORY") != NULL;
    REQUIRE(ucp_mem_unmap(node->context, node->memory_handle) == UCS_OK);
    if (own)
        free(node->memory);
    ucp_worker_destroy(node->worker);
    ucp_cleanup(node->context);
}

/* --- talking -------------------------------------------------------------------------- */

void compat_node_put_number(compat_node *node, compat_link *link, size_t offset,
                            const uint64_t *number)
{
    const ucp_request_param_t params = {.op_attr_mask = 0};
    await_request(node, ucp_put_nbx(link->ep, number, sizeof *number, link->remote + offset,
                                    link->rkey, &params));
    compat_node_flush(node, link);
}

void compat_node_await_number(compat_node *node, size_t offset, uint64_t at_least)
{
    const uint64_t deadline_ns = tci_clock_ns() + DEADLINE_NS;
    const _Atomic uint64_t *number = (const _Atomic uint64_t *)(node->memory + offset);
    while (atomic_load_explicit(number, memory_order_acquire) < at_least)
        turn(node, deadline_ns);
}

void compat_node_send(compat_node *node, compat_link *link, const ucp_ifunc_msg_t *msg,
                      size_t offset)
{
    const uint64_t deadline_ns = tci_clock_ns() + DEADLINE_NS;
    ucs_status_t status;
    while ((status = ucp_ifunc_send_nbix(link->ep, *msg, link->remote + offset, link->rkey)) ==
           UCS_ERR_NO_RESOURCE)
        turn(node, deadline_ns);
    REQUIRE(status == UCS_OK || status == UCS_INPROGRESS);
}

void compat_node_run(compat_node *node, size_t offset, size_t bytes, void *target_args)
{
    const uint64_t deadline_ns = tci_clock_ns() + DEADLINE_NS;
    ucs_status_t status;
    while ((status = ucp_poll_ifunc(node->context, node->memory + offset, bytes, target_args,
                                    node->worker)) == UCS_ERR_NO_MESSAGE) {
        sched_yield();
        REQUIRE(tci_clock_ns() < deadline_ns);
    }
    REQUIRE(status == UCS_OK);
}

ucp_ifunc_h compat_node_register(compat_node *node, const char *name, int llvm_bc)
{
    ucp_ifunc_reg_param_t param = {.name = (char *)(uintptr_t)name, .llvm_bc = llvm_bc};
    ucp_ifunc_h ifunc;
    REQUIRE(ucp_register_ifunc(node->context, param, &ifunc) == UCS_OK);
    return ifunc;
}

ucp_ifunc_msg_t compat_message(ucp_ifunc_h ifunc, const void *args, size_t size)
{
    ucp_ifunc_msg_t msg;
    REQUIRE(ucp_ifunc_msg_create(ifunc, (void *)(uintptr_t)args, size, &msg) == UCS_OK);
    return msg;
}

/* --- processes ------------------------------------------------------------------------ */

compat_child compat_fork(void (*body)(int fd, void *user), void *user)
{
    int fds[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
    compat_child child = {.pid = fork(), .fd = fds[0]};
    REQUIRE(child.pid >= 0);
    if (child.pid == 0) {
        (void)close(fds[0]);
        (void)alarm(180);
        body(fds[1], user);
        fflush(NULL);
        _exit(0);
    }
    (void)close(fds[1]);
    return child;
}

bool compat_wait(compat_child *child)
{
    int status = -1;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    (void)close(child->fd);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
