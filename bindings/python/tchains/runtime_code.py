"""The parts of Numba's runtime that travel: memory of arrays that a function makes, by malloc and free; and `reshape`, which Numba
takes of contiguous arrays alone (`argmin` and others reshape, too).

The first five members of the struct that NRT_MemInfo_... return are those that Numba's code reads itself; the sixth here is
malloc's pointer.
"""
TEXT = """
%meminfo = type { i64, void (i8*, i64, i8*)*, i8*, i8*, i64, i8* }

declare i8* @malloc(i64)
declare void @free(i8*)

define i8* @NRT_Allocate(i64 %size) {
  %p = call i8* @malloc(i64 %size)
  ret i8* %p
}

define void @NRT_Free(i8* %p) {
  call void @free(i8* %p)
  ret void
}

define i8* @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 %align) {
entry:
  %wide = zext i32 %align to i64
  %more = add i64 %wide, 64
  %all = add i64 %more, %size
  %overflow = icmp ult i64 %all, %size
  br i1 %overflow, label %none, label %try
try:
  %base = call i8* @malloc(i64 %all)
  %failed = icmp eq i8* %base, null
  br i1 %failed, label %none, label %fill
none:
  ret i8* null
fill:
  %info = bitcast i8* %base to %meminfo*
  %after = getelementptr i8, i8* %base, i64 48
  %address = ptrtoint i8* %after to i64
  %wide1 = sub i64 %wide, 1
  %up = add i64 %address, %wide1
  %mask = sub i64 0, %wide
  %aligned = and i64 %up, %mask
  %gap = sub i64 %aligned, %address
  %data = getelementptr i8, i8* %after, i64 %gap
  %count = getelementptr %meminfo, %meminfo* %info, i64 0, i32 0
  store i64 1, i64* %count
  %dtor = getelementptr %meminfo, %meminfo* %info, i64 0, i32 1
  store void (i8*, i64, i8*)* null, void (i8*, i64, i8*)** %dtor
  %dtorinfo = getelementptr %meminfo, %meminfo* %info, i64 0, i32 2
  store i8* null, i8** %dtorinfo
  %datap = getelementptr %meminfo, %meminfo* %info, i64 0, i32 3
  store i8* %data, i8** %datap
  %sizep = getelementptr %meminfo, %meminfo* %info, i64 0, i32 4
  store i64 %size, i64* %sizep
  %basep = getelementptr %meminfo, %meminfo* %info, i64 0, i32 5
  store i8* %base, i8** %basep
  ret i8* %base
}

define i8* @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %p = call i8* @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 %align)
  ret i8* %p
}

define i8* @NRT_MemInfo_alloc_safe(i64 %size) {
  %p = call i8* @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 16)
  ret i8* %p
}

define i8* @NRT_MemInfo_alloc(i64 %size) {
  %p = call i8* @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 16)
  ret i8* %p
}

define i8* @NRT_MemInfo_alloc_dtor_safe(i64 %size, i8* %dtor) {
entry:
  %p = call i8* @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 16)
  %failed = icmp eq i8* %p, null
  br i1 %failed, label %end, label %set
set:
  %info = bitcast i8* %p to %meminfo*
  %place = getelementptr %meminfo, %meminfo* %info, i64 0, i32 1
  %typed = bitcast i8* %dtor to void (i8*, i64, i8*)*
  store void (i8*, i64, i8*)* %typed, void (i8*, i64, i8*)** %place
  br label %end
end:
  ret i8* %p
}

define void @NRT_MemInfo_call_dtor(i8* %p) {
entry:
  %info = bitcast i8* %p to %meminfo*
  %dtorp = getelementptr %meminfo, %meminfo* %info, i64 0, i32 1
  %dtor = load void (i8*, i64, i8*)*, void (i8*, i64, i8*)** %dtorp
  %none = icmp eq void (i8*, i64, i8*)* %dtor, null
  br i1 %none, label %end, label %run
run:
  %datap = getelementptr %meminfo, %meminfo* %info, i64 0, i32 3
  %data = load i8*, i8** %datap
  %sizep = getelementptr %meminfo, %meminfo* %info, i64 0, i32 4
  %size = load i64, i64* %sizep
  %infop = getelementptr %meminfo, %meminfo* %info, i64 0, i32 2
  %dtorinfo = load i8*, i8** %infop
  call void %dtor(i8* %data, i64 %size, i8* %dtorinfo)
  br label %end
end:
  call void @free(i8* %p)
  ret void
}

define i32 @numba_attempt_nocopy_reshape(i64 %nd, i64* %dims, i64* %strides, i64 %newnd, i64* %newdims, i64* %newstrides,
                                         i64 %itemsize, i32 %fortran) {
entry:
  br label %next
next:
  %left = phi i64 [ %newnd, %entry ], [ %place, %body ]
  %stride = phi i64 [ %itemsize, %entry ], [ %wider, %body ]
  %end = icmp eq i64 %left, 0
  br i1 %end, label %done, label %body
body:
  %place = sub i64 %left, 1
  %where = getelementptr i64, i64* %newstrides, i64 %place
  store i64 %stride, i64* %where
  %lengthp = getelementptr i64, i64* %newdims, i64 %place
  %length = load i64, i64* %lengthp
  %wider = mul i64 %stride, %length
  br label %next
done:
  ret i32 1
}
"""
