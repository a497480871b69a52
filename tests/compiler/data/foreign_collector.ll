; A function that a compiler with a collector of garbage wrote.
target triple = "x86_64-unknown-linux-gnu"

define void @foreign_main(ptr %payload, i64 %size, ptr %target) gc "statepoint-example" {
  ret void
}
