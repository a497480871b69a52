; The same without variables and constructors: the runtime alone is missing.
source_filename = "foreign.d"
target triple = "x86_64-unknown-linux-gnu"

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  %appended = call { i64, ptr } @_d_arrayappendcTX(ptr %payload, ptr %target, i64 1)
  ret void
}

declare { i64, ptr } @_d_arrayappendcTX(ptr, ptr, i64)
