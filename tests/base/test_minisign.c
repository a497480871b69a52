/* Keys and signatures in minisign's format. The golden ones were made by minisign 0.11. */
#include "../support/test.h"
#include "base/minisign_secret.h"

static const char message[] = "Three-Chains code\n";

static const char public_text[] = "untrusted comment: minisign public key A76053223D88BA76\n"
                                  "RWR2uog9IlNgp3hottyudyJiHhWB9p5PfWcucI4KNP6cWPejmL2YPKMe\n";

static const char secret_text[] =
    "untrusted comment: minisign encrypted secret key\n"
    "RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAdrqIPSJTYKf+"
    "8mtmaMSm"
    "5GKjWerb0Mo1BoLNRvrkyu/"
    "VCQU9KFATpXhottyudyJiHhWB9p5PfWcucI4KNP6cWPejmL2YPKMeAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAA=\n";

/* The same, sealed by the password "pass word" with scrypt at little cost (32768 operations, 16
 * MiB), of Python's library. The tool takes it, too. */
static const char encrypted_text[] =
    "untrusted comment: minisign encrypted secret key\n"
    "RWRTY0IyAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8AgAAAAAAAAAAA"
    "AAEAAAAA9DfbaeWy6pToyiKpcPIpQkCoJhQwnf3SAI205iEIK/XfM+j/KtVjN48L"
    "0B+kHyVlopNyKBBojSjZScfar+QzJyFHOzEDV0Z3VZjOyO1kma5nor5aKv9ruE8p"
    "QGn6EFYKVitHybkfzNU=\n";

static const char signature_text[] =
    "untrusted comment: signature from minisign secret key\n"
    "RUR2uog9IlNgp/nhiJ2/"
    "uDuP69J9RFbuKpeKVd2IgOYZfff50pxntqwSfwy4EEgvHNQSv2d8w7wMSM8vfK8dOqad8ZR5"
    "TkcFigk=\n"
    "trusted comment: a test\n"
    "FN3Jgefoll7nm8ZN9dHF3/jV3W/"
    "6StwtN4finnDyJJN1Iua9y3NHINLmFuxguFq+f1OaCWXO6tYC2uRwNOLyDg==\n";

static const char old_signature_text[] =
    "untrusted comment: signature from minisign secret key\n"
    "RWR2uog9IlNgp7d0i0AdV2lT2/"
    "jH3YvvWwAT773rHFGZ2pifcRX5tyQQ91lkOMeUpB4Nc+3rxKI98erXsgRRwvumv0kA"
    "CdB8owc=\n"
    "trusted comment: old\n"
    "AfPVxitm6NAWF0uFZ04at9/nDfDuf3s7hSIZ192+U01k1hPgnwQHU64e/"
    "0Sz3SDBEHhT1U3yE0wt03JFjyIxBQ==\n";

static tci_minisign_public golden_key(void)
{
    tci_minisign_public key;
    const char *rest;
    assert_ok(tci_minisign_public_parse(public_text, strlen(public_text), &key, &rest, NULL));
    assert_string_equal(rest, "");
    return key;
}

static tci_minisign_signature parse(const char *text, tci_minisign_comment *comment_out)
{
    tci_minisign_signature signature;
    assert_ok(tci_minisign_signature_parse(text, strlen(text), &signature, comment_out, NULL));
    return signature;
}

TEST(what_the_tool_signed_is_believed)
{
    const tci_minisign_public key = golden_key();
    tci_minisign_comment comment;
    char id[TCI_KEY_ID_TEXT];
    tci_minisign_signature signature = parse(signature_text, &comment);
    tci_minisign_id_text(signature.key_id, id);
    assert_string_equal(id, "A76053223D88BA76");
    assert_true(tci_minisign_fits(&key, signature.bytes, message, strlen(message)));
    assert_true(tci_minisign_comment_fits(&key, &signature, &comment));
    assert_int_equal(comment.size, strlen("a test"));
    assert_memory_equal(comment.text, "a test", comment.size);
}

TEST(a_bit_that_differs_is_found)
{
    const tci_minisign_public key = golden_key();
    tci_minisign_comment comment;
    tci_minisign_signature signature = parse(signature_text, &comment);
    assert_false(tci_minisign_fits(&key, signature.bytes, message, strlen(message) - 1));
    comment.size--;
    assert_false(tci_minisign_comment_fits(&key, &signature, &comment));
    for (size_t i = 0; i < sizeof signature.bytes; i++) {
        signature.bytes[i] ^= 1;
        assert_false(tci_minisign_fits(&key, signature.bytes, message, strlen(message)));
        signature.bytes[i] ^= 1;
    }
}

TEST(the_older_kind_is_named)
{
    tci_minisign_signature signature;
    tc_error error = {0};
    assert_status(tci_minisign_signature_parse(old_signature_text, strlen(old_signature_text),
                                               &signature, NULL, &error),
                  TC_E_VERSION);
    assert_non_null(strstr(error.text, "older kind (Ed)"));
}

/* Every truncated file is reported as such. */
TEST(cut_files_are_refused)
{
    tci_minisign_signature signature;
    tci_minisign_public key;
    tci_minisign_secret secret;
    const char *rest;
    for (size_t n = 0; n + 1 < strlen(signature_text); n++)
        assert_status(tci_minisign_signature_parse(signature_text, n, &signature, NULL, NULL),
                      TC_E_CORRUPT);
    for (size_t n = 0; n + 1 < strlen(public_text); n++)
        assert_status(tci_minisign_public_parse(public_text, n, &key, &rest, NULL),
                      TC_E_CORRUPT);
    for (size_t n = 0; n + 1 < strlen(secret_text); n++)
        assert_status(tci_minisign_secret_parse(secret_text, n, NULL, &secret, NULL),
                      TC_E_CORRUPT);
}

TEST(what_the_tools_key_signs_is_what_the_tool_signs)
{
    tci_minisign_secret secret;
    char text[TCI_MINISIGN_SIGNATURE_TEXT];
    tci_minisign_comment comment, golden_comment;
    assert_false(tci_minisign_secret_is_encrypted(secret_text, strlen(secret_text)));
    assert_ok(tci_minisign_secret_parse(secret_text, strlen(secret_text), NULL, &secret, NULL));
    tci_minisign_sign(&secret, message, strlen(message), "a test", text);
    const tci_minisign_signature own = parse(text, &comment);
    const tci_minisign_signature golden = parse(signature_text, &golden_comment);
    assert_memory_equal(&own, &golden, sizeof own); /* Ed25519 draws nothing */
    assert_memory_equal(comment.signature, golden_comment.signature, sizeof comment.signature);
}

static tc_status open_encrypted(const char *text, const char *password,
                                tci_minisign_secret *secret_out, const char *expected)
{
    tc_error error = {0};
    tc_status status =
        tci_minisign_secret_parse(text, strlen(text), password, secret_out, &error);
    if (strstr(error.text, expected) == NULL)
        fail_msg("'%s' is not in: %s", expected, error.text);
    return status;
}

TEST(an_encrypted_key_takes_its_password)
{
    tci_minisign_secret plain, opened;
    assert_true(tci_minisign_secret_is_encrypted(encrypted_text, strlen(encrypted_text)));
    assert_ok(tci_minisign_secret_parse(secret_text, strlen(secret_text), NULL, &plain, NULL));
    assert_ok(open_encrypted(encrypted_text, "pass word", &opened, ""));
    assert_memory_equal(&plain, &opened, sizeof plain);
    assert_status(open_encrypted(encrypted_text, "pass  word", &opened, "password"),
                  TC_E_REFUSED);
    assert_status(open_encrypted(encrypted_text, "", &opened, "password"), TC_E_REFUSED);
    assert_status(open_encrypted(encrypted_text, NULL, &opened, "needs a password"),
                  TC_E_REFUSED);
}

/* Memory and time are those of the file, up to a limit; other key derivations are refused. */
TEST(what_an_encrypted_key_may_cost_is_bounded)
{
    const size_t key = sizeof "untrusted comment: minisign encrypted secret key\n" - 1;
    tci_minisign_secret secret;
    char text[sizeof encrypted_text];
    (void)strcpy(text, encrypted_text);
    text[key + 58] = '/'; /* of the operations' upper bytes */
    assert_status(open_encrypted(text, "pass word", &secret, "costs more than any other"),
                  TC_E_CORRUPT);
    (void)strcpy(text, encrypted_text);
    text[key + 3] = 'V'; /* of "Sc" */
    assert_status(open_encrypted(text, "pass word", &secret, "no secret key of minisign's"),
                  TC_E_CORRUPT);
}

TEST(a_new_key_can_be_written_and_read)
{
    tci_minisign_secret made, read;
    tci_minisign_public public;
    char text[TCI_MINISIGN_SECRET_TEXT], of_public[TCI_MINISIGN_PUBLIC_TEXT];
    const char *rest;
    assert_ok(tci_minisign_secret_create(&made, NULL));
    assert_ok(tci_minisign_secret_text(&made, NULL, text, NULL));
    assert_ok(tci_minisign_secret_parse(text, strlen(text), NULL, &read, NULL));
    assert_memory_equal(&made, &read, sizeof made);
    tci_minisign_public_text(&made.public, of_public);
    assert_ok(tci_minisign_public_parse(of_public, strlen(of_public), &public, &rest, NULL));
    assert_memory_equal(&public, &made.public, sizeof public);
    char *key = strchr(text, '\n') + 120;
    *key = *key == 'A' ? 'B' : 'A';
    assert_status(tci_minisign_secret_parse(text, strlen(text), NULL, &read, NULL),
                  TC_E_CORRUPT);
}
