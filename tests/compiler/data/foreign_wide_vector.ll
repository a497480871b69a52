; A vector that LLVM takes apart by calling itself for each element.
target triple = "x86_64-unknown-linux-gnu"

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  %a = load <1000000 x i64>, ptr %payload
  %b = udiv <1000000 x i64> %a, %a
  store <1000000 x i64> %b, ptr %payload
  ret void
}
