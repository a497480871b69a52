; Whose size is zero in 64 bits.
target triple = "x86_64-unknown-linux-gnu"

@data = internal global [4294967296 x [4294967296 x i8]] zeroinitializer

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  store i8 1, ptr @data
  ret void
}
