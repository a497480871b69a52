/* The results of linking, checking and minimising a module, seen in LLVM's assembly text. */
#include "tool_run.h"

#include "archive.h"
#include "ifunc_module.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#define HEAD "target triple = \"x86_64-pc-linux-gnu\"\n"
#define MAIN "define void @f_main(ptr %p, i64 %n, ptr %t) "

static tc_error err;
static tci_text_list findings;

static int forget_findings(void **state)
{
    tci_text_list_fini(&findings);
    return 0;
}

static tc_status make(const char *const *texts, size_t count, bool allow_asm,
                      tci_ifunc_code *code_out)
{
    tci_ifunc_policy policy = {.name = "f", .allow_asm = allow_asm, .opt_level = '2'};
    tci_ifunc_module *module;
    assert_ok(tci_ifunc_module_create(&policy, &findings, &module, &err));
    tc_status status = TC_OK;
    for (size_t i = 0; i < count && status == TC_OK; i++)
        status = tci_ifunc_module_add(module, i == 0 ? "first" : "second", texts[i],
                                      strlen(texts[i]), &err);
    if (status == TC_OK)
        status = tci_ifunc_module_finish(module, code_out, &err);
    tci_ifunc_module_destroy(module);
    return status;
}

/* The module that a receiver would read, printed; for LLVMDisposeMessage. */
static char *printed(const tci_ifunc_code *code)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(code->bytes, code->size, "", false);
    assert_false(LLVMParseBitcodeInContext2(context, buffer, &module));
    char *text = LLVMPrintModuleToString(module);
    LLVMDisposeModule(module);
    LLVMDisposeMemoryBuffer(buffer);
    LLVMContextDispose(context);
    return text;
}

static char *minimised(const char *text, tci_ifunc_code *code_out)
{
    if (make(&text, 1, false, code_out) != TC_OK)
        fail_msg("%s; %s", err.text, findings.count > 0 ? findings.items[0] : "");
    return printed(code_out);
}

TEST_WITH(what_the_receiver_decides_is_gone, NULL, forget_findings)
{
    tci_ifunc_code code;
    char *text = minimised(
        "source_filename = \"/home/me/f.c\"\n"
        "target datalayout = "
        "\"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-"
        "S128\"\n" HEAD "%struct.pair = type { i64, i64 }\n" MAIN "#0 {\nentry:\n"
        "  %second = getelementptr %struct.pair, ptr %t, i64 0, i32 1\n"
        "  store i64 %n, ptr %second, align 8, !tbaa !2\n  ret void\n}\n"
        "attributes #0 = { nounwind \"target-cpu\"=\"x86-64\" \"target-features\"=\"+sse2\" "
        "\"tune-cpu\"=\"generic\" \"frame-pointer\"=\"all\" \"no-builtin-memcpy\" "
        "\"denormal-fp-math\"=\"preserve-sign,preserve-sign\" "
        "\"stack-protector-buffer-size\"=\"8\" }\n"
        "!llvm.module.flags = !{!0}\n!llvm.ident = !{!1}\n!0 = !{i32 8, !\"PIC Level\", i32 "
        "2}\n"
        "!1 = !{!\"some clang\"}\n!2 = !{!3, !3, i64 0}\n!3 = !{!\"long\", !4, i64 0}\n"
        "!4 = !{!\"omnipotent char\", !5, i64 0}\n!5 = !{!\"Simple C/C++ TBAA\"}\n",
        &code);
    static const char *const gone[] = {
        "target triple", "target datalayout", "/home/me",  "target-cpu",     "target-features",
        "tune-cpu",      "frame-pointer",     "PIC Level", "some clang",     "tbaa",
        "%second",       "struct.pair",       "entry:",    "stack-protector"};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
        assert_has_not(text, gone[i]);
    assert_has(text, "define void @f_main(ptr %0, i64 %1, ptr %2)");
    assert_has(text, "\"no-builtin-memcpy\"");
    assert_has(text, "\"denormal-fp-math\"=\"preserve-sign,preserve-sign\"");
    assert_string_equal(code.triple, "x86_64-linux");
    LLVMDisposeMessage(text);
    tci_ifunc_code_fini(&code);
}

TEST_WITH(undefined_symbols_may_be_far_away, NULL, forget_findings)
{
    tci_ifunc_code code;
    char *text =
        minimised(HEAD "@near = external dso_local global i32\n"
                       "@hidden = external hidden global i32\n"
                       "declare dso_local void @call(ptr, ptr)\n"
                       "declare void @unused()\ndeclare extern_weak void @maybe()\n" MAIN
                       "{\n  call void @call(ptr @near, ptr @hidden)\n"
                       "  call void @maybe()\n"
                       "  call void @llvm.memset.p0.i64(ptr %t, i8 0, i64 %n, i1 false)\n"
                       "  ret void\n}\n"
                       "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n",
                  &code);
    assert_has(text, "@near = external global i32");
    assert_has(text, "@hidden = external global i32");
    assert_has(text, "declare void @call(ptr, ptr)");
    assert_has_not(text, "@unused");
    assert_int_equal(code.symbols.count, 3);
    assert_true(tci_text_list_has(&code.symbols, "near"));
    assert_true(tci_text_list_has(&code.symbols, "hidden"));
    assert_true(tci_text_list_has(&code.symbols, "call"));
    LLVMDisposeMessage(text);
    tci_ifunc_code_fini(&code);
}

TEST_WITH(definitions_become_internal, NULL, forget_findings)
{
    tci_ifunc_code code;
    char *text = minimised(
        HEAD "$shared = comdat any\n@state = hidden global i32 3\n@dead = global i32 4\n"
             "define weak i32 @shared() comdat { ret i32 7 }\n"
             "define available_externally i32 @inlined() { ret i32 7 }\n"
             "define weak void @f_main(ptr %p, i64 %n, ptr %t) {\n  %a = call i32 @shared()\n"
             "  %b = call i32 @inlined()\n  %c = add i32 %a, %b\n  store i32 %c, ptr @state\n  "
             "ret void\n}\n",
        &code);
    assert_has(text, "define void @f_main(");
    assert_has(text, "define internal i32 @1()");
    assert_has(text, "@0 = internal global i32 3");
    assert_has(text, "declare i32 @inlined()");
    assert_has_not(text, "comdat");
    assert_has_not(text, "global i32 4");
    LLVMDisposeMessage(text);
    tci_ifunc_code_fini(&code);
}

static void assert_compiles(const char *triple, const tci_ifunc_code *code)
{
    LLVMTargetRef target;
    char *message = NULL;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    LLVMMemoryBufferRef object;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(code->bytes, code->size, "", false);
    assert_false(LLVMGetTargetFromTriple(triple, &target, &message));
    assert_false(LLVMParseBitcodeInContext2(context, buffer, &module));
    assert_string_equal(LLVMGetTarget(module), "");
    assert_string_equal(LLVMGetDataLayoutStr(module), "");
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(
        target, triple, "", "", LLVMCodeGenLevelNone, LLVMRelocPIC, LLVMCodeModelSmall);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetTarget(module, triple);
    LLVMSetModuleDataLayout(module, layout);
    assert_false(LLVMVerifyModule(module, LLVMReturnStatusAction, &message));
    LLVMDisposeMessage(message);
    assert_false(LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message,
                                                     &object));
    const char *bytes = LLVMGetBufferStart(object);
    assert_non_null(memmem(bytes, LLVMGetBufferSize(object), "f_main", 6));
    LLVMDisposeMemoryBuffer(object);
    LLVMDisposeTargetData(layout);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    LLVMDisposeMemoryBuffer(buffer);
    LLVMContextDispose(context);
}

TEST_WITH(a_receiver_can_compile_it_for_its_target, NULL, forget_findings)
{
    const char *text =
        HEAD "@table = internal constant [4 x i64] [i64 1, i64 2, i64 3, i64 4]\n"
             "define internal i64 @pick(i64 %i) {\n"
             "  %a = getelementptr [4 x i64], ptr @table, i64 0, i64 %i\n"
             "  %v = load i64, ptr %a\n  ret i64 %v\n}\n" MAIN
             "{\n  %v = call i64 @pick(i64 %n)\n  store i64 %v, ptr %t\n  ret void\n}\n";
    tci_ifunc_code code;
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmPrinters();
    assert_ok(make(&text, 1, false, &code));
    assert_compiles("x86_64-unknown-linux-gnu", &code);
    assert_compiles("aarch64-unknown-linux-gnu", &code);
    tci_ifunc_code_fini(&code);
}

/* A table in front of the code that it is about, which is how LLVM's text has it. */
TEST_WITH(addresses_of_labels_stay_what_they_are, NULL, forget_findings)
{
    static const char *const texts[] = {
        HEAD "declare void @other(ptr, i64)\n" MAIN "{\n  call void @other(ptr %t, i64 %n)\n"
             "  ret void\n}\n",
        HEAD "@table = internal constant [2 x ptr] "
             "[ptr blockaddress(@other, %a), ptr blockaddress(@other, %b)]\n"
             "define void @other(ptr %t, i64 %n) noinline {\nstart:\n"
             "  %e = getelementptr ptr, ptr @table, i64 %n\n  %to = load ptr, ptr %e\n"
             "  indirectbr ptr %to, [label %a, label %b]\n"
             "a:\n  store i64 11, ptr %t\n  ret void\nb:\n  store i64 22, ptr %t\n  ret "
             "void\n}\n"};
    tci_ifunc_code code;
    if (make(texts, 2, false, &code) != TC_OK)
        fail_msg("%s", err.text);
    char *text = printed(&code);
    assert_has(text, "@0 = internal unnamed_addr constant [2 x ptr] [ptr blockaddress(@1, %");
    assert_has(text, "indirectbr ptr %");
    assert_has(text, " 11");
    assert_has(text, " 22");
    LLVMDisposeMessage(text);
    tci_ifunc_code_fini(&code);
}

TEST_WITH(linked_sources_are_optimised_together, NULL, forget_findings)
{
    const char *const texts[] = {
        HEAD "declare i64 @twice(i64)\n" MAIN
             "{\n  %v = call i64 @twice(i64 %n)\n  store i64 %v, ptr %t\n  ret void\n}\n",
        HEAD "define i64 @twice(i64 %x) {\n  %y = shl i64 %x, 1\n  ret i64 %y\n}\n"};
    tci_ifunc_code code;
    assert_ok(make(texts, 2, false, &code));
    assert_int_equal(code.symbols.count, 0);
    assert_int_equal(code.entries, TCI_ENTRY_MAIN);
    char *text = printed(&code);
    assert_has_not(text, "call");
    assert_has_not(text, "define internal");
    LLVMDisposeMessage(text);
    tci_ifunc_code_fini(&code);
}

/* LLVM's passes order some sets by name, and never end over several without. */
TEST_WITH(functions_without_names_are_optimised, NULL, forget_findings)
{
    static const char *const texts[] = {
        HEAD
        "@handler = internal global ptr @0\n"
        "define internal i64 @0(i64 %x) noinline {\n  ret i64 %x\n}\n"
        "define internal i64 @1(i64 %x) noinline {\n  %r = mul i64 %x, 3\n  ret i64 %r\n}\n"
        "define internal i64 @2(i64 %x) noinline {\n  %r = sub i64 %x, 5\n  ret i64 %r\n}\n"
        "define internal i64 @3(i64 %x) noinline {\n  %r = xor i64 %x, 9\n  ret i64 "
        "%r\n}\n" MAIN "{\nentry:\n  %kind = urem i64 %n, 4\n  switch i64 %kind, label %call "
        "[ i64 0, label %zero i64 1, label %one i64 2, label %two ]\n"
        "zero:\n  store ptr @1, ptr @handler\n  br label %call\n"
        "one:\n  store ptr @2, ptr @handler\n  br label %call\n"
        "two:\n  store ptr @3, ptr @handler\n  br label %call\n"
        "call:\n  %f = load ptr, ptr @handler\n  %r = call i64 %f(i64 %n)\n"
        "  store i64 %r, ptr %t\n  ret void\n}\n",
        HEAD};
    tci_ifunc_code code;
    assert_ok(make(texts, 2, false, &code));
    char *text = printed(&code);
    assert_has_not(text, "nameless");
    LLVMDisposeMessage(text);
    tci_ifunc_code_fini(&code);
}

TEST_WITH(sources_for_different_targets_do_not_mix, NULL, forget_findings)
{
    const char *const texts[] = {HEAD MAIN "{ ret void }\n",
                                 "target triple = \"aarch64-linux-gnu\"\n"};
    const char *const none[] = {MAIN "{ ret void }\n"};
    const char *const strange[] = {"target triple = \"mars-rover-os\"\n"};
    const char *const others[][1] = {
        {"target triple = \"x86_64-pc-windows-msvc\"\n"},
        {"target datalayout = \"e-m:e-p:32:32-i64:64-n32:64-S128\"\n"
         "target triple = \"wasm32-unknown-linux\"\n"},
        {"target datalayout = \"e-m:e-p:32:32-p270:32:32-i64:64-S128\"\n"
         "target triple = \"x86_64-pc-linux-gnux32\"\n"}};
    tci_ifunc_code code;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_status(make(others[i], 1, false, &code), TC_E_INVALID);
        assert_has(err.text, " is not supported: expected Linux with addresses of 64 bits");
    }
    assert_status(make(texts, 2, false, &code), TC_E_INVALID);
    assert_has(err.text, "second: target is aarch64-linux, but first is for x86_64-linux");
    assert_status(make(none, 1, false, &code), TC_E_INVALID);
    assert_has(err.text, "first: the module names no target triple");
    assert_status(make(strange, 1, false, &code), TC_E_INVALID);
    assert_has(err.text, "'mars-rover-os'");
}

TEST_WITH(damaged_code_is_an_error_not_an_exit, NULL, forget_findings)
{
    const char *const texts[] = {"BC", "BC\xc0\xde", "define void @x(",
                                 "BC\xc0\xde rest of no bitcode",
                                 /* does not verify: %a is used before it is there */
                                 HEAD MAIN "{\n  br label %x\ny:\n  ret void\nx:\n"
                                           "  store i64 %a, ptr %t\n  %a = add i64 %n, 1\n"
                                           "  br label %y\n}\n"};
    tci_ifunc_code code;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_status(make(&texts[i], 1, false, &code), TC_E_CORRUPT);
        assert_has(err.text, "first: ");
    }
}

/* An identification block by hand: one unabbreviated record that says "LLVM99.0.0". */
static size_t encode_newer(unsigned char *out)
{
    static const char producer[] = "LLVM99.0.0";
    size_t at = 0;
    const struct {
        unsigned width;
        unsigned value;
    } head[] = {{32, 0xdec04342}, {2, 1}, {8, 13}, {4, 3}, {18, 0},
                {32, 7},          {3, 3}, {6, 1},  {6, 10}};
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++) {
        for (unsigned b = 0; b < head[i].width; b++, at++)
            out[at / 8] |= (unsigned char)((head[i].value >> b & 1) << at % 8);
    }
    for (size_t i = 0; i < strlen(producer); i++) {
        unsigned c = (unsigned char)producer[i];
        unsigned groups[2] = {(c & 31) | 32, c >> 5}; /* 6 bits each, the highest: "more" */
        for (unsigned b = 0; b < 12; b++, at++)
            out[at / 8] |= (unsigned char)((groups[b / 6] >> b % 6 & 1) << at % 8);
    }
    return (at / 8 + 8) & ~(size_t)3;
}

TEST_WITH(bitcode_of_a_newer_llvm_names_both_versions, NULL, forget_findings)
{
    unsigned char bytes[64] = {0};
    size_t size = encode_newer(bytes);
    tci_ifunc_policy policy = {.name = "f", .opt_level = '2'};
    tci_ifunc_module *module;
    char here[32];
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    (void)snprintf(here, sizeof here, "LLVM %u.%u.%u", major, minor, patch);
    assert_ok(tci_ifunc_module_create(&policy, &findings, &module, &err));
    assert_status(tci_ifunc_module_add(module, "new.bc", bytes, size, &err), TC_E_VERSION);
    assert_has(err.text, "new.bc: bitcode was written by LLVM99.0.0");
    assert_has(err.text, here);
    assert_has(err.text, "or take tools built with LLVM 99");
    tci_ifunc_module_destroy(module);
}

TEST_WITH(findings_without_debug_information_name_the_file, NULL, forget_findings)
{
    const char *text = HEAD
        "@t = external thread_local global i32\nmodule asm \"nop\"\n" MAIN
        "{\n  call void asm sideeffect \"nop\", \"\"()\n  store i32 1, ptr @t\n  ret void\n}\n";
    tci_ifunc_code code;
    assert_status(make(&text, 1, false, &code), TC_E_UNSUPPORTED);
    assert_int_equal(findings.count, 3);
    for (size_t i = 0; i < findings.count; i++)
        assert_true(strncmp(findings.items[i], "first: error: ", strlen("first: error: ")) ==
                    0);
}

/* <iostream> of GCC 13 has it. The address is read, so the target has to have such a
 * library. */
TEST_WITH(assembly_that_names_the_library_of_streams_becomes_a_need, NULL, forget_findings)
{
#define NEED "module asm \".globl _ZSt21ios_base_library_initv\"\n"
    const char *both[] = {HEAD NEED MAIN "{\n  ret void\n}\n",
                          HEAD NEED "define void @g() {\n  ret void\n}\n"};
    const char *other = HEAD "module asm \"nop\"\n" NEED MAIN "{\n  ret void\n}\n";
    tci_ifunc_code code;
    assert_ok(make(both, 2, false, &code));
    char *text = printed(&code);
    assert_null(strstr(text, "module asm"));
    assert_has(text, "declare void @_ZSt21ios_base_library_initv()");
    assert_has(text, "@f.life");
    LLVMDisposeMessage(text);
    tci_ifunc_code_fini(&code);
    assert_status(make(&other, 1, false, &code), TC_E_UNSUPPORTED);
    assert_has(findings.items[0], "assembly at file scope");
}
