#include "hello_sample.h"
#include "../support/test.h"
#include "base/content_id.h"

tci_hello_view hello_view(const char *text)
{
    return (tci_hello_view){text, strlen(text)};
}

/* The hello that the golden bytes hold. */
tci_hello hello_sample(void)
{
    tci_hello h = {.ucx_network = true,
                   .ucx_shared_memory = true,
                   .library = {1, 2, 3},
                   .ucx = {1, 13, 1},
                   .llvm = {19, 1, 7},
                   .isa = TCI_HELLO_X86_64,
                   .page_bytes = 4096,
                   .code_bytes_max = 16u << 20,
                   .pid = 4242,
                   .context_id = 0xa1a2a3a4a5a6a7a8u,
                   .connection_id = 0x0102,
                   .connection_token = 0xb1b2b3b4b5b6b7b8u,
                   .ring_bytes = 256u << 10,
                   .ring_nonce = 0x1122334455667788u,
                   .ring_address = 0x7f0012345000u,
                   .frame_bytes_max = 64u << 10,
                   .segment = 0xa1b2c3,
                   .rkey = {"\xc0\xff\xee", 3},
                   .worker_address = {"\0worker\xff", 8},
                   .triple = hello_view("x86_64-linux"),
                   .cpu = hello_view("znver4"),
                   .features = hello_view("+avx2,-sse4a")};
    for (size_t i = 0; i < sizeof h.host_id; i++)
        h.host_id[i] = (uint8_t)(0x10 + i);
    return h;
}

void hello_repair(uint8_t *message, size_t size)
{
    uint8_t hash[16];
    uint32_t body_bytes = (uint32_t)(size - HELLO_BODY_AT);
    for (size_t i = 0; i < 4; i++)
        message[HELLO_SIZE_AT + i] = (uint8_t)(body_bytes >> (8 * i));
    tci_hash128(message + HELLO_BODY_AT, body_bytes, hash);
    memcpy(message + HELLO_CHECKSUM_AT, hash, 4);
}

static void assert_same_view(tci_hello_view a, tci_hello_view b)
{
    assert_int_equal(a.size, b.size);
    if (a.size > 0)
        assert_memory_equal(a.data, b.data, a.size);
}

void assert_same_hello(const tci_hello *a, const tci_hello *b)
{
    assert_int_equal(a->stream, b->stream);
    assert_int_equal(a->ucx_network, b->ucx_network);
    assert_int_equal(a->ucx_shared_memory, b->ucx_shared_memory);
    assert_memory_equal(&a->library, &b->library, sizeof a->library);
    assert_memory_equal(&a->ucx, &b->ucx, sizeof a->ucx);
    assert_memory_equal(&a->llvm, &b->llvm, sizeof a->llvm);
    assert_int_equal(a->isa, b->isa);
    assert_int_equal(a->page_bytes, b->page_bytes);
    assert_int_equal(a->code_bytes_max, b->code_bytes_max);
    assert_int_equal(a->pid, b->pid);
    assert_memory_equal(a->host_id, b->host_id, sizeof a->host_id);
    assert_int_equal(a->context_id, b->context_id);
    assert_int_equal(a->connection_id, b->connection_id);
    assert_int_equal(a->connection_token, b->connection_token);
    assert_int_equal(a->ring_bytes, b->ring_bytes);
    assert_int_equal(a->ring_nonce, b->ring_nonce);
    assert_int_equal(a->ring_address, b->ring_address);
    assert_int_equal(a->frame_bytes_max, b->frame_bytes_max);
    assert_int_equal(a->segment, b->segment);
    assert_same_view(a->rkey, b->rkey);
    assert_same_view(a->worker_address, b->worker_address);
    assert_same_view(a->triple, b->triple);
    assert_same_view(a->cpu, b->cpu);
    assert_same_view(a->features, b->features);
    assert_int_equal(a->dictionary_count, b->dictionary_count);
    assert_memory_equal(a->dictionaries, b->dictionaries, sizeof a->dictionaries);
}

void assert_contains(const tc_error *err, const char *part)
{
    if (strstr(err->text, part) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", err->text, part);
}

size_t hello_encode(const tci_hello *h, tci_hello_kind kind, uint8_t buf[TCI_HELLO_MESSAGE_MAX])
{
    size_t size = 0;
    tc_error err;
    if (tci_hello_encode(h, kind, buf, TCI_HELLO_MESSAGE_MAX, &size, &err) != TC_OK)
        fail_msg("%s", err.text);
    return size;
}
