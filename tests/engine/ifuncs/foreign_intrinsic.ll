; An instruction of another machine, which LLVM's verifier lets pass. Selecting instructions then ends the process.
define void @foreign_intrinsic_main(ptr %payload, i64 %size, ptr %args) {
  %n = call i64 @llvm.riscv.orc.b.i64(i64 %size)
  store i64 %n, ptr %args, align 8
  ret void
}
declare i64 @llvm.riscv.orc.b.i64(i64)
