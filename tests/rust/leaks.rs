//! A process holds the same resources after hundreds of contexts, endpoints, functions and
//! calls as after the first few.
use std::collections::BTreeMap;
use std::fs::{read_dir, read_to_string};
use std::time::{Duration, Instant};
use tchains::{Context, Memory, Rights, WindowAccess, WindowParams};

use crate::served::{served, SOON};

const FIRST_ROUNDS: u32 = 10;
const ROUNDS: u32 = 200;
/// The C library may take some more memory of its own at any time.
const MAY_GROW: usize = 8;

fn held() -> BTreeMap<&'static str, usize> {
    let maps = read_to_string("/proc/self/maps").unwrap();
    let files = maps.lines().filter(|line| line.contains('/')).count();
    let own = std::process::id().to_string();
    let segments = read_to_string("/proc/sysvipc/shm").unwrap();
    BTreeMap::from([
        ("descriptors", read_dir("/proc/self/fd").unwrap().count()),
        ("threads", read_dir("/proc/self/task").unwrap().count()),
        ("mapped files", files),
        ("anonymous mappings", maps.lines().count() - files),
        (
            "shared memory segments",
            segments
                .lines()
                .filter(|line| line.split_whitespace().nth(4) == Some(&own))
                .count(),
        ),
    ])
}

fn more(before: &BTreeMap<&'static str, usize>) -> Vec<String> {
    let grown = held().into_iter().filter(|(what, count)| {
        let slack = if *what == "anonymous mappings" { MAY_GROW } else { 0 };
        *count > before[what] + slack
    });
    grown
        .map(|(what, count)| format!("{}: {}, was {}", what, count, before[what]))
        .collect()
}

fn one_round(address: &str) {
    let context = Context::new().unwrap();
    let node = context.connect(address, SOON).unwrap();
    let sample = context.open("sample").unwrap();
    assert_eq!(node.call(&sample, b"echo", 4, SOON).unwrap(), b"echo");
    node.send(&sample, b"count", SOON).unwrap();
    assert!(node.call(&sample, b"fail", 8, SOON).is_err());
    assert!(context.open("absent").is_err());
    let (group, memory) = (context.join(SOON).unwrap(), Memory::new(64));
    let params = WindowParams::new(&memory, Rights::READ).group(&group);
    context.open_window(&params).unwrap().keep();
    let shared = WindowParams::shared(64, Rights::READ).group(&group);
    let window = context.open_window(&shared).unwrap();
    let view = group.member(0).map_window(window.pointer(), SOON).unwrap();
    window.put(0, 5).unwrap();
    assert_eq!(view.get(0).unwrap(), 5);
}

pub fn nothing_is_left() {
    served(|address| {
        for _ in 0..FIRST_ROUNDS {
            one_round(address);
        }
        let before = held();
        for _ in 0..ROUNDS {
            one_round(address);
        }
        // The target releases shared memory when it is notified of the end.
        let until = Instant::now() + Duration::from_secs(30);
        while !more(&before).is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(more(&before), [""; 0]);
    });
}
