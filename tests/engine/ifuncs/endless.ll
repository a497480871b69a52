; Keeps the compiler busy for a long time and is small: every product is 64 by 64 machine words, laid out one after the
; other, and every sum needs all of them.
define void @endless_main(ptr %payload, i64 %size, ptr %args) {
  %a = load volatile i4096, ptr %payload, align 8
  %p0 = zext i64 %size to i4096
  %p1 = mul i4096 %p0, %a
  %p2 = mul i4096 %p1, %a
  %p3 = mul i4096 %p2, %a
  %p4 = mul i4096 %p3, %a
  %p5 = mul i4096 %p4, %a
  %p6 = mul i4096 %p5, %a
  %p7 = mul i4096 %p6, %a
  %p8 = mul i4096 %p7, %a
  %p9 = mul i4096 %p8, %a
  %p10 = mul i4096 %p9, %a
  %p11 = mul i4096 %p10, %a
  %p12 = mul i4096 %p11, %a
  %p13 = mul i4096 %p12, %a
  %p14 = mul i4096 %p13, %a
  %p15 = mul i4096 %p14, %a
  %p16 = mul i4096 %p15, %a
  %p17 = mul i4096 %p16, %a
  %p18 = mul i4096 %p17, %a
  %p19 = mul i4096 %p18, %a
  %p20 = mul i4096 %p19, %a
  %p21 = mul i4096 %p20, %a
  %p22 = mul i4096 %p21, %a
  %p23 = mul i4096 %p22, %a
  %p24 = mul i4096 %p23, %a
  %p25 = mul i4096 %p24, %a
  %p26 = mul i4096 %p25, %a
  %p27 = mul i4096 %p26, %a
  %p28 = mul i4096 %p27, %a
  %p29 = mul i4096 %p28, %a
  %p30 = mul i4096 %p29, %a
  %p31 = mul i4096 %p30, %a
  %p32 = mul i4096 %p31, %a
  store volatile i4096 %p32, ptr %args, align 8
  ret void
}
