//! Calls of functions of a C header, by the callers that tc-clang --stubs has made of it.
//!     stubs_test ADDRESS
use std::time::Duration;
use tchains::{Context, InOut, Out};

mod deeds {
    include!(concat!(env!("DEEDS"), "/deeds_calls.rs"));
}

const SOON: Duration = Duration::from_secs(60);

fn main() -> Result<(), tchains::Error> {
    let address = std::env::args().nth(1).expect("an address");
    let context = Context::new()?;
    let node = context.connect(&address, SOON)?;
    let dot = context.open("dot")?;
    assert_eq!(deeds::dot(&node, &dot, SOON, &[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0])?, 32.0);
    let mut values = [1.0, 2.0];
    deeds::scale(&node, &context.open("scale")?, SOON, &mut values, 1.5)?;
    assert_eq!(values, [1.5, 3.0]);
    assert_eq!(deeds::find(&node, &context.open("find")?, SOON, "there", 'e' as i32)?, 2);
    let mut count = 5;
    assert!(!deeds::flip(&node, &context.open("flip")?, SOON, true, 2, InOut(&mut count))?);
    assert_eq!(count, -3);
    let one = deeds::record {
        first: 1,
        limits: deeds::limits { low: 0.5, high: 1.5 },
        bytes: [1, 2, 3],
        set: true,
    };
    let (mut both, mut out) = (deeds::record { first: 2, ..one }, one);
    let change = context.open("change")?;
    let changed = deeds::change(&node, &change, SOON, one, one, InOut(&mut both), Out(&mut out))?;
    assert_eq!(changed, deeds::record { set: false, ..one });
    assert_eq!((out.first, both.limits.high), (3, 2.0));
    let (mut b, mut found) = ([1.0, 1.0], [0; 5]);
    let mut limits = deeds::limits { low: 0.0, high: 0.0 };
    let blend = context.open("blend")?;
    let sum = deeds::blend(&node, &blend, SOON, &[2.0, 4.0], 0.5, &mut b, "abc",
        Out(&mut limits), Out(&mut found), true)?;
    assert_eq!((sum, b, found), (8.0, [2.0, 3.0], [97, 98, 99, -1, -1]));
    assert_eq!(limits, deeds::limits { low: 5.0, high: 1.0 });
    let mut squares = [0; 4];
    deeds::squares(&node, &context.open("squares")?, SOON, Out(&mut squares))?;
    assert_eq!(squares, [0, 1, 4, 9]);
    let wrong = deeds::dot(&node, &dot, SOON, &[1.0], &[]).unwrap_err();
    assert_eq!(wrong.status.name(), "TC_E_INVALID", "{wrong}");
    let wrong = deeds::nothing(&node, &dot, SOON).unwrap_err();
    assert_eq!(wrong.status.name(), "TC_E_VERSION", "{wrong}");
    Ok(())
}
