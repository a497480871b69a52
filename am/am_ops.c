/* A registered operation is named by a word: its number in the lower 12 bits, and 20 bits of a
 * hash of name and signature above them. Numbers are given in the order of registration and
 * never again. So a rank that has registered others, or in another order, is found by the first
 * message, and each text has the names of its own rank. */
#include "am_ops.h"

#include "base/error_text.h"

#include <assert.h>
#include <stdlib.h>

#define NUMBER_BITS 12u
#define NUMBER_MASK ((1u << NUMBER_BITS) - 1)

_Static_assert(TC_AM_OPS_MAX == NUMBER_MASK + 1, "each number has an entry");

/* FNV-1a, the terminator included, so that ("ab", "c") differs from ("a", "bc"). */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    do {
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    } while (*text++ != '\0');
    return hash;
}

static uint32_t word_of(uint32_t number, const tc_am_op *op)
{
    const uint64_t hash = hash_text(hash_text(14695981039346656037u, op->name), op->signature);
    assert(number <= NUMBER_MASK);
    return number | (uint32_t)(hash >> 44) << NUMBER_BITS;
}

tc_status tca_ops_find(const tc_ams *ams, uint32_t word, tc_am_op **op_out, tc_error *err)
{
    const uint32_t number = word & NUMBER_MASK;
    tc_am_op *op = ams->ops[number];
    if (op == NULL)
        return tci_error_set(err, TC_E_NOT_FOUND,
                             "no operation %u is registered here, of %u that were", number,
                             ams->op_count);
    if (op->word != word)
        return tci_error_set(err, TC_E_VERSION,
                             "operation %u is '%s' with the signature '%s' here", number,
                             op->name, op->signature);
    *op_out = op;
    return TC_OK;
}

static tc_status check_text(const char *text, const char *what, size_t bytes_max,
                            size_t bytes_min, tc_error *err)
{
    const size_t length = strnlen(text, bytes_max);
    if (length >= bytes_max || length < bytes_min)
        return tci_error_set(err, TC_E_INVALID, "the %s has %zu bytes, expected %zu to %zu",
                             what, length, bytes_min, bytes_max - 1);
    for (size_t i = 0; i < length; i++) {
        if (text[i] < ' ' || text[i] > '~')
            return tci_error_set(err, TC_E_INVALID, "byte %zu of the %s is not printable ASCII",
                                 i, what);
    }
    return TC_OK;
}

static tc_status make(tc_ams *ams, tc_am_function function, tc_am_op **op_out, tc_error *err)
{
    tc_am_op *op = calloc(1, sizeof *op);
    if (op == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "an operation of %zu bytes", sizeof *op);
    op->ams = ams;
    op->function = function;
    *op_out = op;
    return TC_OK;
}

tc_status tc_am_op_register(tc_ams *ams, const char *name, const char *signature,
                            tc_am_function function, tc_am_op **op_out, tc_error *err)
{
    tc_am_op *op;
    if (function == NULL)
        return tci_error_set(err, TC_E_INVALID, "an operation without function");
    TC_TRY(check_text(name, "name", TC_AM_NAME_MAX, 1, err));
    TC_TRY(check_text(signature, "signature", TC_AM_SIGNATURE_MAX, 0, err));
    if (ams->op_count == TC_AM_OPS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "%u operations were registered already",
                             TC_AM_OPS_MAX);
    TC_TRY(make(ams, function, &op, err));
    memcpy(op->name, name, strlen(name));
    memcpy(op->signature, signature, strlen(signature));
    op->word = word_of(ams->op_count, op);
    ams->ops[ams->op_count++] = op;
    *op_out = op;
    return TC_OK;
}

tc_status tc_am_op_open(tc_ams *ams, tc_ifunc *fn, tc_am_function equivalent, tc_am_op **op_out,
                        tc_error *err)
{
    tc_am_op *op;
    TC_TRY(make(ams, equivalent, &op, err));
    op->fn = fn;
    *op_out = op;
    return TC_OK;
}

tc_status tc_am_op_close(tc_am_op *op)
{
    if (op == NULL)
        return TC_OK;
    if (op->under_way > 0)
        return TC_E_BUSY;
    if (op->fn == NULL) {
        assert(op->ams->ops[op->word & NUMBER_MASK] == op);
        op->ams->ops[op->word & NUMBER_MASK] = NULL;
    }
    free(op);
    return TC_OK;
}

void tca_ops_free(tc_ams *ams)
{
    for (uint32_t i = 0; i < ams->op_count; i++)
        free(ams->ops[i]);
}
