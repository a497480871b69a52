; As Julia writes a function that makes an array.
target triple = "x86_64-unknown-linux-gnu"

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  %states = call ptr @jl_get_ptls_states()
  %wrong = icmp eq ptr %states, null
  br i1 %wrong, label %bad, label %good
bad:
  call void @jl_throw(ptr %states)
  unreachable
good:
  %array = call ptr @jl_alloc_array_1d(ptr %states, i64 %size)
  store ptr %array, ptr %target
  ret void
}

declare ptr @jl_get_ptls_states()
declare void @jl_throw(ptr)
declare ptr @jl_alloc_array_1d(ptr, i64)
