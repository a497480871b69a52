; Numbers of more bits than anybody needs, over which the compiler would take for ever.
define void @wide_number_main(ptr %payload, i64 %size, ptr %args) {
  %a = load i8000000, ptr %payload, align 8
  %b = mul i8000000 %a, %a
  store i8000000 %b, ptr %args, align 8
  ret void
}
