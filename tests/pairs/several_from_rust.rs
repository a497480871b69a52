//! Calls the functions of several.h of every language, by the callers of `remote!`.
//!     several_from_rust SEVERAL.TXT ADDRESS FOLDER LANGUAGE...
use std::time::Duration;
use tchains::sys::{TC_E_CORRUPT, TC_E_VERSION};
use tchains::typed::Callee;
use tchains::{element, Context, Endpoint, Error, Function, Out};

element! {
    pub struct Limits { low: f64, high: f64 }
}
element! {
    #[derive(Debug, PartialEq)]
    pub struct Tally { sum: f64, count: i32 }
}
element! {
    #[derive(Debug, PartialEq)]
    pub struct Point { x: i16, y: i16 }
}

const SOON: Duration = Duration::from_secs(30);

tchains::remote! {
    fn blend(limits: Limits, name: &str, a: &[f64], values: &mut [f32], tally: Out<Tally>,
        codes: Out<[i32]>, twice: bool) -> f64;
    fn gather(which: &[u16], factor: u8, points: &[Point], found: Out<[Point]>);
    fn join(first: &str, second: &str, both: Out<[u8]>, swapped: bool);
    fn signed_gather(which: &[i16], factor: u8, points: &[Point], found: Out<[Point]>);
    fn signed_blend(limits: Limits, name: &str, a: &[f64], values: &mut [f32], tally: Out<Tally>,
        codes: Out<[u32]>, twice: bool) -> f64;
    fn half_join(first: &str, second: &[u16], both: Out<[u8]>, swapped: bool);
}

/// Records the bytes of a message, and answers with those of the file.
struct Golden {
    file: String,
    name: &'static str,
}

impl Golden {
    fn bytes(&self, name: &str) -> Vec<u8> {
        let line = self
            .file
            .lines()
            .find(|line| line.split(' ').next() == Some(name));
        let digits = line.unwrap().split(' ').nth(1).unwrap_or("");
        let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap();
        (0..digits.len()).step_by(2).map(byte).collect()
    }
}

impl Callee for Golden {
    fn call_typed(
        &self,
        _: &Function,
        payload: &[u8],
        answer: &mut [u8],
        _: Duration,
    ) -> Result<usize, Error> {
        assert_eq!(payload, self.bytes(self.name), "{}: the message", self.name);
        let bytes = self.bytes(&format!("{}_answer", self.name));
        answer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

fn check_blend(to: &impl Callee, fn_of: &Function) {
    let mut values = [1.5, 2.25, -1.0];
    let (mut codes, mut tally) = ([0; 6], Tally { sum: 0.0, count: 0 });
    let limits = Limits {
        low: 1.5,
        high: 4.0,
    };
    let sum = blend(
        to,
        fn_of,
        SOON,
        limits,
        "héé",
        &[1.0, 2.0, 3.0, 4.0, 5.0],
        &mut values,
        Out(&mut tally),
        Out(&mut codes),
        true,
    )
    .unwrap();
    assert_eq!(
        (sum, values, tally),
        (
            9.0,
            [3.0, 4.5, -2.0],
            Tally {
                sum: 2.75,
                count: 5
            }
        )
    );
    assert_eq!(codes, [104, 0xc3, 0xa9, 0xc3, 0xa9, -1]);
}

fn check_blend_none(to: &impl Callee, fn_of: &Function) {
    let (limits, mut tally) = (
        Limits {
            low: 0.0,
            high: 0.0,
        },
        Tally { sum: 1.0, count: 1 },
    );
    let sum = blend(
        to,
        fn_of,
        SOON,
        limits,
        "",
        &[],
        &mut [],
        Out(&mut tally),
        Out(&mut []),
        false,
    )
    .unwrap();
    assert_eq!((sum, tally), (0.0, Tally { sum: 0.0, count: 0 }));
}

fn check_gather(to: &impl Callee, fn_of: &Function) {
    let point = |x, y| Point { x, y };
    let mut found = [point(9, 9); 4];
    gather(
        to,
        fn_of,
        SOON,
        &[2, 0, 7],
        3,
        &[point(1, -2), point(3, 4), point(-5, 6)],
        Out(&mut found),
    )
    .unwrap();
    assert_eq!(
        found,
        [point(-15, 18), point(3, -6), point(0, 0), point(0, 0)]
    );
}

fn check_join(to: &impl Callee, fn_of: &Function) {
    let mut both = [9; 8];
    join(to, fn_of, SOON, "añb", "cd", Out(&mut both), true).unwrap();
    assert_eq!(&both, "cdañb\0\0".as_bytes());
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>, own: &str) {
    let error = result.unwrap_err();
    assert!(
        error.is(TC_E_VERSION) && error.text.contains(own),
        "{}",
        error
    );
}

fn check_refusals(node: &Endpoint, functions: &[Function]) {
    let own = |i: usize| functions[i].prototype().unwrap();
    let (limits, mut tally) = (
        Limits {
            low: 0.0,
            high: 0.0,
        },
        Tally { sum: 0.0, count: 0 },
    );
    let out = Out(&mut tally);
    refused(
        signed_blend(
            node,
            &functions[0],
            SOON,
            limits,
            "",
            &[],
            &mut [],
            out,
            Out(&mut []),
            false,
        ),
        &own(0),
    );
    refused(
        signed_gather(node, &functions[1], SOON, &[1], 1, &[], Out(&mut [])),
        &own(1),
    );
    refused(
        half_join(node, &functions[2], SOON, "", &[1], Out(&mut []), false),
        &own(2),
    );
}

fn check_liar(node: &Endpoint, liar: &Function) {
    for lie in 1..=4 {
        let (limits, mut tally) = (
            Limits {
                low: 0.0,
                high: 0.0,
            },
            Tally { sum: 0.0, count: 0 },
        );
        let (mut values, mut codes) = ([1.0, 2.0, 3.0], vec![0; lie]);
        let found = blend(
            node,
            liar,
            SOON,
            limits,
            "",
            &[],
            &mut values,
            Out(&mut tally),
            Out(&mut codes[..]),
            false,
        );
        assert!(
            found.as_ref().unwrap_err().is(TC_E_CORRUPT),
            "lie {}: {:?}",
            lie,
            found
        );
    }
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().collect();
    let file = std::fs::read_to_string(&arguments[1]).expect("the messages");
    let context = Context::new()?;
    let node = context.connect(&arguments[2], Duration::from_secs(60))?;
    let golden = |name| Golden {
        file: file.clone(),
        name,
    };
    for language in &arguments[4..] {
        let mut functions = Vec::new();
        for name in ["blend", "gather", "join"] {
            functions.push(
                context.open_file(&format!("{}/{}_{}.tca", arguments[3], name, language))?,
            );
        }
        check_blend(&golden("blend"), &functions[0]);
        check_blend_none(&golden("blend_none"), &functions[0]);
        check_gather(&golden("gather"), &functions[1]);
        check_join(&golden("join"), &functions[2]);
        check_blend(&node, &functions[0]);
        check_blend_none(&node, &functions[0]);
        check_gather(&node, &functions[1]);
        check_join(&node, &functions[2]);
        check_refusals(&node, &functions);
    }
    check_liar(
        &node,
        &context.open_file(&format!("{}/blend_liar.tca", arguments[3]))?,
    );
    Ok(())
}
