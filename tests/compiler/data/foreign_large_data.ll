; An exabyte of values in a few bytes.
target triple = "x86_64-unknown-linux-gnu"

@data = internal constant { i8, [1152921504606846976 x i8] } { i8 1, [1152921504606846976 x i8] undef }

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  %place = getelementptr i8, ptr @data, i64 %size
  %value = load i8, ptr %place
  store i8 %value, ptr %payload
  ret void
}
