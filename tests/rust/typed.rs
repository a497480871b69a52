//! Typed messages, without a node: layouts, texts, and bytes that a peer chose.
use tchains::sys::typed::{prototype, Answered, Argument, Layout, Misfit, Value};
use tchains::{element, InOut, Out};

element! {
    #[derive(Debug, PartialEq)]
    pub struct Part { pub set: bool, pub sizes: [u16; 3] }
}
element! {
    #[derive(Debug, PartialEq)]
    pub struct Whole { pub first: Part, pub weight: f64 }
}

fn text(words: tchains::sys::typed::Words) -> String {
    let bytes: [u8; 128] = words.bytes();
    String::from_utf8(bytes[..words.length()].to_vec()).unwrap()
}

pub fn types_have_texts() {
    let words = prototype(
        [
            <Whole as Argument>::TEXT,
            <&[Part] as Argument>::TEXT,
            <&mut [i8] as Argument>::TEXT,
            <InOut<bool> as Argument>::TEXT,
            <Out<[Whole; 2]> as Argument>::TEXT,
            <Out<[f32]> as Argument>::TEXT,
            <&str as Argument>::TEXT,
        ],
        <[u64; 4] as Answered>::TEXT,
    );
    assert_eq!(
        text(words),
        "({{bool,u16[3]},f64},{bool,u16[3]}[],inout i8[],inout bool,\
         out {{bool,u16[3]},f64}[2],out f32[],text)->u64[4]"
    );
    assert_eq!(text(prototype([], <() as Answered>::TEXT)), "()");
}

const ARRAYS: Layout<4> = Layout::new([
    Value::varying::<u16>(),
    Value::fixed::<u8>(),
    Value::NONE,
    Value::varying::<f64>(),
]);

/// As tests/python/test_prototypes.py has it: `(u16[],u8,f64[])`.
pub fn layouts_are_those_of_all() {
    let good: Vec<u8> = [
        &[2, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 0, 2, 0, 0, 0][..],
        &0.5f64.to_ne_bytes(),
    ]
    .concat();
    let read = |bytes: &[u8]| unsafe { ARRAYS.read(bytes.as_ptr(), bytes.len()) };
    let parts = read(&good).unwrap();
    let found: Vec<_> = parts.iter().map(|part| (part.at, part.count)).collect();
    assert_eq!(found, [(10, 2), (8, 1), (0, 1), (16, 1)]);
    let (made, size) = ARRAYS.lay_out([2, 1, 1, 1]).unwrap();
    assert_eq!((size, made[3].at), (24, 16));
    for size in 0..good.len() {
        let bytes = &good[..size];
        assert!(read(bytes).is_err() == (size != 16), "{} bytes", size);
    }
    for lie in [4, 8, 1 << 63, u64::MAX, u64::MAX / 2 + 2] {
        let mut bytes = good.clone();
        bytes[..8].copy_from_slice(&lie.to_ne_bytes());
        match read(&bytes) {
            Err(Misfit::Elements(found, 7)) => assert_eq!(found, lie),
            Err(Misfit::Rest(..)) => assert!(lie < 8),
            Ok(parts) => assert_eq!((parts[0].count, parts[3].count), (lie as usize, 0)),
            Err(other) => panic!("{}: {:?}", lie, other),
        }
    }
    for count in [u64::MAX, u64::MAX / 8, 1 << 60] {
        assert!(matches!(
            ARRAYS.lay_out([1, 1, 1, count]),
            Err(Misfit::Elements(..))
        ));
    }
}

/// Whatever bytes there are, the parts lie inside them.
pub fn no_bytes_lead_outside() {
    let mut state = 7u64;
    for _ in 0..200_000 {
        let mut bytes = [0u8; 48];
        for byte in &mut bytes {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            *byte = if state >> 62 == 0 {
                (state >> 40) as u8
            } else {
                0
            };
        }
        let size = (state >> 33) as usize % 49;
        if let Ok(parts) = unsafe { ARRAYS.read(bytes.as_ptr(), size) } {
            assert!(parts[0].at + 2 * parts[0].count <= size);
            assert!(parts[3].at + 8 * parts[3].count == size);
        }
    }
}

pub fn bools_are_checked() {
    let mut whole = [0u8; 16];
    whole[8..].copy_from_slice(&2.5f64.to_ne_bytes());
    let take = |bytes: &mut [u8; 16]| unsafe {
        <Whole as Argument>::take(bytes.as_mut_ptr(), 1, std::ptr::null_mut(), 0)
    };
    whole[0] = 1;
    assert_eq!(take(&mut whole).unwrap().weight, 2.5);
    whole[0] = 2;
    assert!(matches!(take(&mut whole), Err(Misfit::Invalid(_))));
    // Bytes between members are left as they are: zeros.
    let mut bytes = [0u8; 16];
    let value = Whole {
        first: Part {
            set: true,
            sizes: [1, 2, 3],
        },
        weight: 0.0,
    };
    unsafe { Argument::put(&value, bytes.as_mut_ptr()) };
    assert_eq!(bytes, [1, 0, 1, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
}
