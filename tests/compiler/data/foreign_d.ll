; As ldc writes a function that counts in a variable of its module and appends to an array.
source_filename = "foreign.d"
target triple = "x86_64-unknown-linux-gnu"

@_D7foreign7counteri = thread_local global i32 0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @ldc.register_dso, ptr null }]

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  %appended = call { i64, ptr } @_d_arrayappendcTX(ptr %payload, ptr %target, i64 1)
  %count = load i32, ptr @_D7foreign7counteri
  %next = add i32 %count, 1
  store i32 %next, ptr @_D7foreign7counteri
  ret void
}

define internal void @ldc.register_dso() {
  ret void
}

declare { i64, ptr } @_d_arrayappendcTX(ptr, ptr, i64)

!llvm.ident = !{!0}
!0 = !{!"ldc version 1.30.0"}
