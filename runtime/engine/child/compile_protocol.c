#include "compile_protocol.h"

#include "base/cursor.h"
#include "base/error_text.h"

#include <string.h>

static const uint8_t magic[3] = {'T', 'C', 'C'};

void tci_compile_prefix_encode(tci_compile_kind kind, size_t body_size,
                               uint8_t out[TCI_COMPILE_PREFIX_BYTES])
{
    tci_writer w;
    tci_writer_init(&w, out, TCI_COMPILE_PREFIX_BYTES);
    tci_write_bytes(&w, magic, sizeof magic);
    tci_write_u8(&w, (uint8_t)kind);
    tci_write_u32(&w, (uint32_t)body_size);
}

tc_status tci_compile_prefix_decode(const uint8_t bytes[TCI_COMPILE_PREFIX_BYTES],
                                    tci_compile_kind *kind_out, size_t *body_size_out,
                                    tc_error *err)
{
    tci_reader r;
    tci_reader_init(&r, bytes + sizeof magic, TCI_COMPILE_PREFIX_BYTES - sizeof magic);
    unsigned kind = tci_read_u8(&r);
    uint32_t body_size = tci_read_u32(&r);
    if (memcmp(bytes, magic, sizeof magic) != 0 || kind < TCI_COMPILE_HELLO ||
        kind > TCI_COMPILE_REPLY)
        return tci_error_set(err, TC_E_CORRUPT,
                             "no message of a compiler: %02x %02x %02x, kind %u", bytes[0],
                             bytes[1], bytes[2], kind);
    if (body_size > TCI_COMPILE_BODY_MAX)
        return tci_error_set(err, TC_E_CORRUPT,
                             "message of a compiler: %u bytes, expected at most %u", body_size,
                             TCI_COMPILE_BODY_MAX);
    *kind_out = (tci_compile_kind)kind;
    *body_size_out = body_size;
    return TC_OK;
}

/* --- hello -------------------------------------------------------------------------------- */

static void write_text(tci_writer *w, const char *text)
{
    size_t n = strnlen(text, TCI_COMPILE_HELLO_TEXT_MAX);
    tci_write_u16(w, (uint16_t)n);
    tci_write_bytes(w, text, n);
}

tc_status tci_compile_hello_encode(const tci_compile_hello *hello, void *out, size_t out_size,
                                   size_t *size_out, tc_error *err)
{
    tci_writer w;
    tci_writer_init(&w, out, out_size);
    tci_write_u32(&w, TCI_COMPILE_PROTOCOL);
    tci_write_u32(&w, hello->abi);
    write_text(&w, hello->llvm);
    write_text(&w, hello->cpu);
    write_text(&w, hello->features);
    tci_write_u32(&w, hello->wall.parts);
    write_text(&w, hello->wall.missing);
    if (w.failed)
        return tci_error_set(err, TC_E_TOO_LARGE, "a compiler's hello in %zu bytes", out_size);
    *size_out = w.at;
    return TC_OK;
}

/* Reads a text of the length in the message; a terminator inside would hide the rest of it. */
static bool read_text(tci_reader *r, char *out, size_t capacity)
{
    size_t n = tci_read_u16(r);
    const uint8_t *bytes = tci_read_bytes(r, n);
    if (bytes == NULL || n >= capacity || memchr(bytes, '\0', n) != NULL)
        return false;
    memcpy(out, bytes, n);
    out[n] = '\0';
    return true;
}

tc_status tci_compile_hello_decode(const void *body, size_t size, tci_compile_hello *hello_out,
                                   tc_error *err)
{
    tci_reader r;
    tci_reader_init(&r, body, size);
    uint32_t protocol = tci_read_u32(&r);
    if (r.failed || protocol != TCI_COMPILE_PROTOCOL)
        return tci_error_set(err, TC_E_VERSION,
                             "a compiler speaks version %u of its protocol, expected %u",
                             protocol, TCI_COMPILE_PROTOCOL);
    hello_out->abi = tci_read_u32(&r);
    bool ok = read_text(&r, hello_out->llvm, TCI_COMPILE_HELLO_TEXT_MAX) &&
              read_text(&r, hello_out->cpu, TCI_COMPILE_HELLO_TEXT_MAX) &&
              read_text(&r, hello_out->features, TCI_COMPILE_HELLO_TEXT_MAX);
    hello_out->wall.parts = tci_read_u32(&r);
    ok = ok && read_text(&r, hello_out->wall.missing, TCI_WALL_TEXT_MAX);
    if (!ok || r.failed || tci_reader_left(&r) != 0 || hello_out->wall.parts > TCI_WALL_ALL)
        return tci_error_set(err, TC_E_CORRUPT,
                             "a compiler's hello of %zu bytes makes no sense", size);
    return TC_OK;
}

/* --- request ------------------------------------------------------------------------------ */

tc_status tci_compile_request_encode(const tci_engine_code *code,
                                     uint8_t out[TCI_COMPILE_REQUEST_HEAD_MAX],
                                     size_t *size_out, tc_error *err)
{
    tci_writer w;
    size_t name_size = strlen(code->name);
    if (name_size >= TCI_ARCHIVE_NAME_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "name of %zu bytes, expected less than %u",
                             name_size, TCI_ARCHIVE_NAME_MAX);
    if (code->size > TCI_ARCHIVE_SLICE_BYTES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "bitcode has %zu bytes, expected at most %u",
                             code->size, TCI_ARCHIVE_SLICE_BYTES_MAX);
    tci_writer_init(&w, out, TCI_COMPILE_REQUEST_HEAD_MAX);
    tci_write_u32(&w, code->entries);
    tci_write_u32(&w, (uint32_t)code->level);
    tci_write_u8(&w, code->producer_major);
    tci_write_u8(&w, code->producer_minor);
    tci_write_u8(&w, code->producer_patch);
    tci_write_u8(&w, code->debuggable);
    tci_write_u8(&w, code->forbids_assembly);
    tci_write_u8(&w, (uint8_t)code->output);
    tci_write_u8(&w, (uint8_t)name_size);
    tci_write_bytes(&w, code->name, name_size);
    *size_out = w.at;
    return TC_OK;
}

tc_status tci_compile_request_decode(const void *body, size_t size,
                                     char name[TCI_ARCHIVE_NAME_MAX], tci_engine_code *code_out,
                                     tc_error *err)
{
    tci_reader r;
    tci_engine_code code = {.name = name};
    tci_reader_init(&r, body, size);
    code.entries = tci_read_u32(&r);
    uint32_t level = tci_read_u32(&r);
    code.producer_major = tci_read_u8(&r);
    code.producer_minor = tci_read_u8(&r);
    code.producer_patch = tci_read_u8(&r);
    uint8_t debuggable = tci_read_u8(&r);
    uint8_t forbids_assembly = tci_read_u8(&r);
    uint8_t output = tci_read_u8(&r);
    size_t name_size = tci_read_u8(&r);
    const uint8_t *name_bytes = tci_read_bytes(&r, name_size);
    if (name_bytes == NULL || name_size >= TCI_ARCHIVE_NAME_MAX ||
        level > TCI_LEVEL_OPTIMISED_SHARED || debuggable > 1 || forbids_assembly > 1 ||
        output > TCI_OUTPUT_EITHER || memchr(name_bytes, '\0', name_size) != NULL)
        return tci_error_set(err, TC_E_CORRUPT,
                             "request to compile: %zu bytes, level %u, name of %zu bytes", size,
                             level, name_size);
    memcpy(name, name_bytes, name_size);
    name[name_size] = '\0';
    code.level = (tci_code_level)level;
    code.debuggable = debuggable != 0;
    code.forbids_assembly = forbids_assembly != 0;
    code.output = (tci_code_output)output;
    code.size = tci_reader_left(&r);
    code.bytes = tci_read_bytes(&r, code.size);
    *code_out = code;
    return TC_OK;
}

/* --- reply -------------------------------------------------------------------------------- */

void tci_compile_reply_encode(const tci_compile_reply *reply,
                              uint8_t out[TCI_COMPILE_REPLY_HEAD_BYTES])
{
    tci_writer w;
    tci_writer_init(&w, out, TCI_COMPILE_REPLY_HEAD_BYTES);
    tci_write_u32(&w, (uint32_t)-reply->status);
    tci_write_u32(&w, reply->writable);
    tci_write_u64(&w, reply->parse_ns);
    tci_write_u64(&w, reply->verify_ns);
    tci_write_u64(&w, reply->passes_ns);
    tci_write_u64(&w, reply->codegen_ns);
    tci_write_u32(&w, (uint32_t)reply->text_size);
    tci_write_u32(&w, (uint32_t)reply->names_size);
    tci_write_u32(&w, (uint32_t)reply->object_size);
}

static bool is_reply_valid(const tci_compile_reply *reply, uint32_t status)
{
    if (status > (uint32_t)-TC_STATUS_LAST || reply->text_size >= TC_ERROR_TEXT_MAX ||
        reply->names_size > TCI_COMPILE_NAMES_MAX)
        return false;
    if ((status == TC_OK) != (reply->text_size == 0) ||
        (status == TC_OK) != (reply->object_size > 0))
        return false;
    return reply->names_size == 0 || reply->names[reply->names_size - 1] == '\0';
}

tc_status tci_compile_reply_decode(const void *body, size_t size, tci_compile_reply *reply_out,
                                   tc_error *err)
{
    tci_reader r;
    tci_compile_reply reply = {0};
    tci_reader_init(&r, body, size);
    uint32_t status = tci_read_u32(&r);
    reply.writable = tci_read_u32(&r);
    reply.parse_ns = tci_read_u64(&r);
    reply.verify_ns = tci_read_u64(&r);
    reply.passes_ns = tci_read_u64(&r);
    reply.codegen_ns = tci_read_u64(&r);
    reply.text_size = tci_read_u32(&r);
    reply.names_size = tci_read_u32(&r);
    reply.object_size = tci_read_u32(&r);
    reply.text = (const char *)tci_read_bytes(&r, reply.text_size);
    reply.names = (const char *)tci_read_bytes(&r, reply.names_size);
    reply.object = tci_read_bytes(&r, reply.object_size);
    if (r.failed || tci_reader_left(&r) != 0 || !is_reply_valid(&reply, status))
        return tci_error_set(err, TC_E_CORRUPT,
                             "a compiler's reply of %zu bytes makes no sense: status %u, text "
                             "of %zu, names of %zu, object of %zu bytes",
                             size, status, reply.text_size, reply.names_size,
                             reply.object_size);
    reply.status = (tc_status) - (int)status;
    *reply_out = reply;
    return TC_OK;
}
