; As Numba writes a function that makes an array and raises an exception.
target triple = "x86_64-unknown-linux-gnu"

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  %array = call ptr @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 32)
  %none = icmp eq ptr %array, null
  br i1 %none, label %raise, label %done
raise:
  %gil = call ptr @numba_gil_ensure()
  call void @PyErr_SetString(ptr %gil, ptr %array)
  ret void
done:
  store ptr %array, ptr %target
  ret void
}

declare ptr @NRT_MemInfo_alloc_safe_aligned(i64, i32)
declare ptr @numba_gil_ensure()
declare void @PyErr_SetString(ptr, ptr)
