#include "prewarm.h"

#include <string.h>

/* A bit of what real functions have: a loop, a table, a copy, a call outside, floating point, a
 * branch on data. Written without attributes, so that every LLVM reads it. */
static const char prewarm_ir[] =
    "@table = internal global [64 x i64] zeroinitializer, align 16\n"
    "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
    "declare i64 @strnlen(ptr, i64)\n"
    "define internal i64 @mix(i64 %value) noinline {\n"
    "  %a = lshr i64 %value, 33\n"
    "  %b = xor i64 %a, %value\n"
    "  %c = mul i64 %b, -49064778989728563\n"
    "  %slot = and i64 %c, 63\n"
    "  %place = getelementptr inbounds [64 x i64], ptr @table, i64 0, i64 %slot\n"
    "  %old = load i64, ptr %place, align 8\n"
    "  %new = add i64 %old, 1\n"
    "  store i64 %new, ptr %place, align 8\n"
    "  %f = uitofp i64 %new to double\n"
    "  %g = fmul double %f, 5.0e-1\n"
    "  %h = fptoui double %g to i64\n"
    "  ret i64 %h\n"
    "}\n"
    "define void @prewarm_main(ptr %payload, i64 %size, ptr %args) {\n"
    "entry:\n"
    "  %copy = alloca [8 x i64], align 16\n"
    "  %count = lshr i64 %size, 3\n"
    "  %empty = icmp eq i64 %count, 0\n"
    "  br i1 %empty, label %done, label %loop\n"
    "loop:\n"
    "  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]\n"
    "  %sum = phi i64 [ 0, %entry ], [ %sum.next, %next ]\n"
    "  %at = getelementptr inbounds i64, ptr %payload, i64 %i\n"
    "  %word = load i64, ptr %at, align 8\n"
    "  %sum.next = add i64 %sum, %word\n"
    "  %low = and i64 %word, 3\n"
    "  switch i64 %low, label %next [ i64 1, label %one\n"
    "                                 i64 2, label %two ]\n"
    "one:\n"
    "  %mixed = call i64 @mix(i64 %word)\n"
    "  store i64 %mixed, ptr %copy, align 16\n"
    "  br label %next\n"
    "two:\n"
    "  %room = call i64 @llvm.umin.i64(i64 %size, i64 64)\n"
    "  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %payload, i64 %room, i1 false)\n"
    "  %length = call i64 @strnlen(ptr %copy, i64 %room)\n"
    "  %again = call i64 @mix(i64 %length)\n"
    "  br label %next\n"
    "next:\n"
    "  %i.next = add nuw i64 %i, 1\n"
    "  %end = icmp eq i64 %i.next, %count\n"
    "  br i1 %end, label %done, label %loop\n"
    "done:\n"
    "  %total = phi i64 [ 0, %entry ], [ %sum.next, %next ]\n"
    "  store i64 %total, ptr %args, align 8\n"
    "  ret void\n"
    "}\n"
    "declare i64 @llvm.umin.i64(i64, i64)\n";

static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
    (void)info, (void)user;
}

LLVMMemoryBufferRef tci_prewarm_bitcode(void)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = NULL;
    LLVMMemoryBufferRef bitcode = NULL;
    char *message;
    LLVMContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
    if (tci_llvm_parse_ir(context, prewarm_ir, sizeof prewarm_ir - 1, &module, &message)) {
        bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
        LLVMDisposeModule(module);
    }
    LLVMDisposeMessage(message);
    LLVMContextDispose(context);
    return bitcode;
}
