#include "signing.h"

#include "archive_file.h"
#include "code_signing.h"
#include "test.h"
#include "test_context.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 512

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0644), 0);
}

void signing_make(signing *s)
{
    (void)snprintf(s->folder, sizeof s->folder, "/tmp/tc-signing-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    (void)snprintf(s->trust, sizeof s->trust, "%s/trust", s->folder);
    (void)snprintf(s->list, sizeof s->list, "@%s/list", s->folder);
    assert_int_equal(mkdir(s->trust, 0700), 0);
    assert_int_equal(setenv("XDG_CONFIG_HOME", s->folder, 1), 0);
    must(tci_minisign_secret_create(&s->alice, NULL), NULL, "key");
    must(tci_minisign_secret_create(&s->mallory, NULL), NULL, "key");
}

static void remove_all(const char *folder)
{
    char path[PATH_BYTES];
    DIR *stream = opendir(folder);
    for (const struct dirent *at; stream != NULL && (at = readdir(stream)) != NULL;) {
        if (strcmp(at->d_name, ".") == 0 || strcmp(at->d_name, "..") == 0)
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, at->d_name);
        if (unlink(path) != 0)
            remove_all(path);
    }
    if (stream != NULL)
        (void)closedir(stream);
    (void)rmdir(folder);
}

void signing_remove(signing *s)
{
    remove_all(s->folder);
}

void signing_trust(const signing *s, const char *name, const tci_minisign_secret *key,
                   const char *lines)
{
    char path[PATH_BYTES], text[TCI_MINISIGN_PUBLIC_TEXT], all[1024];
    tci_minisign_public_text(&key->public, text);
    (void)snprintf(all, sizeof all, "%s%s", text, lines);
    (void)snprintf(path, sizeof path, "%s/%s.pub", s->trust, name);
    write_file(path, all);
}

void signing_distrust(const signing *s, const char *name)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s.pub", s->trust, name);
    assert_int_equal(unlink(path), 0);
}

void signing_list(const signing *s, const char *text)
{
    write_file(s->list + 1, text);
}

static void path_of(const char *function, char path_out[PATH_BYTES])
{
    (void)snprintf(path_out, PATH_BYTES, "%s/%s.tca", getenv("TC_IFUNC_PATH"), function);
}

void signing_sign(const tci_minisign_secret *key, const char *function,
                  char text_out[TCI_MINISIGN_SIGNATURE_TEXT])
{
    char path[PATH_BYTES], statement[TCI_CODE_STATEMENT_TEXT], name[TCI_ARCHIVE_NAME_MAX];
    tc_error error = {0};
    path_of(function, path);
    must(tci_code_signing_statement(path, statement, name, &error), &error, path);
    tci_minisign_sign(key, statement, strlen(statement), "a test", text_out);
}

tc_status signing_try_open(tc_context *ctx, const char *function, const char *signature,
                           tc_ifunc **fn_out, tc_error *err)
{
    char path[PATH_BYTES];
    void *archive;
    size_t size;
    path_of(function, path);
    must(tci_archive_file_read(path, TCI_ARCHIVE_FILE_MAX, &archive, &size, err), err, path);
    tc_status status = tc_ifunc_open_code(
        ctx,
        &(tc_code){.bytes = archive,
                   .size = size,
                   .signature = signature,
                   .signature_size = signature != NULL ? strlen(signature) : 0},
        fn_out, err);
    free(archive);
    return status;
}

tc_ifunc *signing_open(tc_context *ctx, const char *function, const char *signature)
{
    tc_error error = {0};
    tc_ifunc *fn;
    must(signing_try_open(ctx, function, signature, &fn, &error), &error, function);
    return fn;
}

tc_ifunc *signing_open_by(tc_context *ctx, const char *function, const tci_minisign_secret *key)
{
    char text[TCI_MINISIGN_SIGNATURE_TEXT];
    signing_sign(key, function, text);
    return signing_open(ctx, function, text);
}
