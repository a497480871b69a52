#include "tls_bio.h"

#include <errno.h>
#include <openssl/bio.h>
#include <pthread.h>
#include <sys/socket.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static BIO_METHOD *method;

static bool would_block(int errnum)
{
    return errnum == EAGAIN || errnum == EWOULDBLOCK || errnum == EINTR;
}

static int bio_read(BIO *bio, char *bytes, size_t size, size_t *read_out)
{
    tci_tls_session *session = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    ssize_t n = recv(session->fd, bytes, size, 0);
    if (n > 0) {
        *read_out = (size_t)n;
        return 1;
    }
    if (n == 0)
        session->ended = true;
    else if (would_block(errno))
        BIO_set_retry_read(bio);
    else
        session->errnum = errno;
    return 0;
}

static int bio_write(BIO *bio, const char *bytes, size_t size, size_t *written_out)
{
    tci_tls_session *session = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    ssize_t n = send(session->fd, bytes, size, MSG_NOSIGNAL);
    if (n >= 0) {
        *written_out = (size_t)n;
        return 1;
    }
    if (would_block(errno))
        BIO_set_retry_write(bio);
    else
        session->errnum = errno;
    return 0;
}

static long bio_ctrl(BIO *bio, int command, long number, void *pointer)
{
    const tci_tls_session *session = BIO_get_data(bio);
    (void)number;
    (void)pointer;
    if (command == BIO_CTRL_EOF)
        return session->ended;
    return command == BIO_CTRL_FLUSH; /* no bytes are buffered here */
}

/* Makes the method, which is never freed, as the module is not. */
static void make_method(void)
{
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "three-chains channel");
    if (method == NULL)
        return;
    (void)BIO_meth_set_read_ex(method, bio_read);
    (void)BIO_meth_set_write_ex(method, bio_write);
    (void)BIO_meth_set_ctrl(method, bio_ctrl);
}

BIO *tci_tls_bio_new(tci_tls_session *session)
{
    (void)pthread_once(&once, make_method);
    BIO *bio = method != NULL ? BIO_new(method) : NULL;
    if (bio == NULL)
        return NULL;
    BIO_set_data(bio, session);
    BIO_set_init(bio, 1);
    return bio;
}
