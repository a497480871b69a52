/* The TLS module of the program's own objects, where the library looks for the module's file.
 * A node is not interrupted in a call of OpenSSL's, as the fibers of a world share the state
 * that OpenSSL has for each thread. OpenSSL's objects are counted for each node, as their
 * memory is not the node's. */
#include "keys.h"

#include "base/module_file.h"
#include "bootstrap/tls_ops.h"
#include "flows.h"
#include "sim_world.h"

#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS_MAX 4096u

extern const tci_tls_ops tci_tls_module;

tc_status __real_tci_module_file_open(const tci_module_file_kind *kind, const char *folder,
                                      const void **table_out, tc_error *err);
tc_status __wrap_tci_module_file_open(const tci_module_file_kind *kind, const char *folder,
                                      const void **table_out, tc_error *err);
SSL_CTX *__real_SSL_CTX_new(const SSL_METHOD *method);
SSL_CTX *__wrap_SSL_CTX_new(const SSL_METHOD *method);
void __real_SSL_CTX_free(SSL_CTX *context);
void __wrap_SSL_CTX_free(SSL_CTX *context);
SSL *__real_SSL_new(SSL_CTX *context);
SSL *__wrap_SSL_new(SSL_CTX *context);
void __real_SSL_free(SSL *ssl);
void __wrap_SSL_free(SSL *ssl);
EVP_CIPHER_CTX *__real_EVP_CIPHER_CTX_new(void);
EVP_CIPHER_CTX *__wrap_EVP_CIPHER_CTX_new(void);
void __real_EVP_CIPHER_CTX_free(EVP_CIPHER_CTX *cipher);
void __wrap_EVP_CIPHER_CTX_free(EVP_CIPHER_CTX *cipher);

/* --- OpenSSL's objects ------------------------------------------------------------------- */

typedef enum object_kind { OF_CONTEXT, OF_CONNECTION, OF_CIPHER } object_kind;

typedef struct object {
    void *pointer;
    object_kind kind;
    const tc_sim_node *node;
    unsigned life; /* of the node */
} object;

static object objects[OBJECTS_MAX];
static unsigned count;

static void *note(void *pointer, object_kind kind)
{
    const tc_sim_node *node = sim_world_node();
    if (pointer == NULL || node == NULL)
        return pointer;
    if (count == OBJECTS_MAX)
        flows_fail("more than %u objects of OpenSSL's", OBJECTS_MAX);
    else
        objects[count++] = (object){pointer, kind, node, node->life};
    return pointer;
}

static void forget(const void *pointer)
{
    for (object *o = objects; o < objects + count; o++) {
        if (o->pointer != pointer)
            continue;
        *o = objects[--count];
        return;
    }
}

SSL_CTX *__wrap_SSL_CTX_new(const SSL_METHOD *method)
{
    return note(__real_SSL_CTX_new(method), OF_CONTEXT);
}

void __wrap_SSL_CTX_free(SSL_CTX *context)
{
    forget(context);
    __real_SSL_CTX_free(context);
}

SSL *__wrap_SSL_new(SSL_CTX *context)
{
    return note(__real_SSL_new(context), OF_CONNECTION);
}

void __wrap_SSL_free(SSL *ssl)
{
    forget(ssl);
    __real_SSL_free(ssl);
}

EVP_CIPHER_CTX *__wrap_EVP_CIPHER_CTX_new(void)
{
    return note(__real_EVP_CIPHER_CTX_new(), OF_CIPHER);
}

void __wrap_EVP_CIPHER_CTX_free(EVP_CIPHER_CTX *cipher)
{
    forget(cipher);
    __real_EVP_CIPHER_CTX_free(cipher);
}

unsigned keys_left(const tc_sim_node *node)
{
    unsigned left = 0;
    for (const object *o = objects; o < objects + count; o++)
        left += o->node == node && o->life == node->life;
    return node->finished ? left : 0;
}

void keys_forget(void)
{
    for (const object *o = objects; o < objects + count; o++) {
        if (o->kind == OF_CONNECTION)
            __real_SSL_free(o->pointer);
        else if (o->kind == OF_CIPHER)
            __real_EVP_CIPHER_CTX_free(o->pointer);
    }
    for (const object *o = objects; o < objects + count; o++) {
        if (o->kind == OF_CONTEXT)
            __real_SSL_CTX_free(o->pointer);
    }
    count = 0;
}

/* --- calls without interruptions --------------------------------------------------------- */

static tc_status create(const tci_tls_material *material, tci_tls **tls_out,
                        char warning_out[TCI_TLS_WARNING_MAX], tc_error *err)
{
    const bool held = sim_world_hold(true);
    tc_status status = tci_tls_module.create(material, tls_out, warning_out, err);
    (void)sim_world_hold(held);
    return status;
}

static tc_status open_session(tci_tls *tls, int fd, tci_tls_role role, const char *host,
                              tci_tls_session **session_out, tc_error *err)
{
    const bool held = sim_world_hold(true);
    tc_status status = tci_tls_module.open(tls, fd, role, host, session_out, err);
    (void)sim_world_hold(held);
    return status;
}

static tc_status handshake(tci_tls_session *session, tc_error *err)
{
    const bool held = sim_world_hold(true);
    tc_status status = tci_tls_module.handshake(session, err);
    (void)sim_world_hold(held);
    return status;
}

static tc_status read_bytes(tci_tls_session *session, void *bytes, size_t size,
                            size_t *read_out, bool *ended_out, tc_error *err)
{
    const bool held = sim_world_hold(true);
    tc_status status = tci_tls_module.read(session, bytes, size, read_out, ended_out, err);
    (void)sim_world_hold(held);
    return status;
}

static tc_status write_bytes(tci_tls_session *session, const void *bytes, size_t size,
                             size_t *written_out, tc_error *err)
{
    const bool held = sim_world_hold(true);
    tc_status status = tci_tls_module.write(session, bytes, size, written_out, err);
    (void)sim_world_hold(held);
    return status;
}

static void close_session(tci_tls_session *session, bool goodbye)
{
    const bool held = sim_world_hold(true);
    tci_tls_module.close(session, goodbye);
    (void)sim_world_hold(held);
}

tc_status __wrap_tci_module_file_open(const tci_module_file_kind *kind, const char *folder,
                                      const void **table_out, tc_error *err)
{
    static tci_tls_ops table;
    if (strcmp(kind->symbol, TCI_TLS_SYMBOL) != 0)
        return __real_tci_module_file_open(kind, folder, table_out, err);
    table = tci_tls_module;
    table.create = create;
    table.open = open_session;
    table.handshake = handshake;
    table.read = read_bytes;
    table.write = write_bytes;
    table.close = close_session;
    *table_out = &table;
    return TC_OK;
}

bool keys_are_there(void)
{
    return true;
}
