; A function that lies where no target can place it.
target triple = "x86_64-unknown-linux-gnu"

define void @foreign_main(ptr %payload, i64 %size, ptr %target) align 4294967296 {

  ret void
}
