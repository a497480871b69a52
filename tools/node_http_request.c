#include "node_http_request.h"

#include <string.h>
#include <strings.h>

/* Bytes that are not read yet. */
typedef struct text {
    const char *at, *end;
} text;

static bool is_token(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* Takes the bytes up to the first `c`, which is skipped. Returns false without such a byte. */
static bool take_until(text *rest, char c, text *part_out)
{
    const char *found = memchr(rest->at, c, (size_t)(rest->end - rest->at));
    if (found == NULL)
        return false;
    *part_out = (text){rest->at, found};
    rest->at = found + 1;
    return true;
}

static bool is_equal(const text *t, const char *word)
{
    return (size_t)(t->end - t->at) == strlen(word) && memcmp(t->at, word, strlen(word)) == 0;
}

/* Takes a line with its end, CR LF or (as RFC 9112, 2.2 allows) LF. */
static bool take_line(text *rest, text *line_out)
{
    if (!take_until(rest, '\n', line_out))
        return false;
    if (line_out->end > line_out->at && line_out->end[-1] == '\r')
        line_out->end--;
    return true;
}

static bool is_plain(const text *t)
{
    for (const char *c = t->at; c < t->end; c++) {
        if ((unsigned char)*c < 0x20 && *c != '\t')
            return false;
    }
    return true;
}

/* --- the parts ---------------------------------------------------------------------------- */

static node_http_path path_of(text target)
{
    const char *query = memchr(target.at, '?', (size_t)(target.end - target.at));
    if (query != NULL)
        target.end = query;
    return is_equal(&target, "/metrics")   ? NODE_HTTP_METRICS
           : is_equal(&target, "/healthz") ? NODE_HTTP_HEALTH
                                           : NODE_HTTP_OTHER;
}

static bool is_target(const text *t)
{
    for (const char *c = t->at; c < t->end; c++) {
        if (*c <= ' ' || *c > '~')
            return false;
    }
    return t->end > t->at;
}

static bool is_method(const text *t)
{
    for (const char *c = t->at; c < t->end; c++) {
        if (!is_token(*c))
            return false;
    }
    return t->end > t->at;
}

static int read_first_line(text line, node_http_request *request)
{
    text method, target;
    if (!take_until(&line, ' ', &method) || !take_until(&line, ' ', &target) ||
        !is_method(&method) || !is_target(&target) || line.end - line.at < 5 ||
        memcmp(line.at, "HTTP/", 5) != 0)
        return 400;
    if (!is_equal(&line, "HTTP/1.0") && !is_equal(&line, "HTTP/1.1"))
        return 505;
    request->is_head = is_equal(&method, "HEAD");
    if (!request->is_head && !is_equal(&method, "GET"))
        return 405;
    request->path = path_of(target);
    return 200;
}

static bool is_zero(text value)
{
    while (value.at < value.end && (*value.at == ' ' || *value.at == '\t'))
        value.at++;
    while (value.end > value.at && (value.end[-1] == ' ' || value.end[-1] == '\t'))
        value.end--;
    return is_equal(&value, "0");
}

/* Checks a field. A body would be taken for a next request, so a field that announces one is
 * refused. */
static bool is_field(text line)
{
    text name;
    if (!is_plain(&line) || !take_until(&line, ':', &name) || !is_method(&name))
        return false;
    const size_t size = (size_t)(name.end - name.at);
    if (size == 17 && strncasecmp(name.at, "transfer-encoding", size) == 0)
        return false;
    return size != 14 || strncasecmp(name.at, "content-length", size) != 0 || is_zero(line);
}

/* Returns the size of the head with its empty line, or 0 if that has not come. */
static size_t size_of_head(const char *bytes, size_t size)
{
    text rest = {bytes, bytes + size}, line;
    while (take_line(&rest, &line)) {
        if (line.at == line.end)
            return (size_t)(rest.at - bytes);
    }
    return 0;
}

int node_http_request_read(const char *bytes, size_t size, node_http_request *request_out)
{
    const size_t most = size < NODE_HTTP_REQUEST_MAX ? size : NODE_HTTP_REQUEST_MAX;
    const size_t head = size_of_head(bytes, most);
    text rest = {bytes, bytes + head}, line;
    if (head == 0)
        return size < NODE_HTTP_REQUEST_MAX ? 0 : 431;
    if (!take_line(&rest, &line))
        return 400;
    const int status = read_first_line(line, request_out);
    if (status != 200)
        return status;
    while (take_line(&rest, &line) && line.at < line.end) {
        if (!is_field(line))
            return 400;
    }
    return 200;
}

const char *node_http_request_phrase(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 431:
        return "Request Header Fields Too Large";
    case 503:
        return "Service Unavailable";
    case 505:
        return "HTTP Version Not Supported";
    default:
        return "Error";
    }
}
