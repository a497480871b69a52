; 16 GiB that are not zero, in a few bytes.
@data = internal constant [4 x [65536 x [65536 x i8]]] [
  [65536 x [65536 x i8]] undef,
  [65536 x [65536 x i8]] undef,
  [65536 x [65536 x i8]] zeroinitializer,
  [65536 x [65536 x i8]] zeroinitializer]

define void @huge_value_main(ptr %payload, i64 %size, ptr %args) {
  %place = getelementptr i8, ptr @data, i64 %size
  %value = load i8, ptr %place
  store i8 %value, ptr %args
  ret void
}
