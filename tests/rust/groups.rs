//! Groups of contexts of this process.
use crate::served::SOON;
use std::sync::mpsc;
use std::time::Duration;
use tchains::sys::*;
use tchains::{Context, Group, Out};

tchains::remote! {
    fn join_rust(first: &str, second: &str, both: Out<[u8]>, swapped: bool);
}

/// Two members, each in a thread, with texts and bytes as addresses.
pub fn members_call_each_other() {
    for by_listener in [true, false] {
        let (to_first, from_second) = mpsc::channel();
        let (to_second, from_first) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(move || member(by_listener, 1, to_first, from_first, &|_| ()));
            member(by_listener, 0, to_second, from_second, &|group| {
                first_member_calls(group)
            });
        });
    }
}

fn member(
    by_listener: bool,
    rank: u32,
    tell: mpsc::Sender<Vec<u8>>,
    hear: mpsc::Receiver<Vec<u8>>,
    work: &dyn Fn(&Group),
) {
    let context = Context::new().unwrap();
    let own = if by_listener {
        let port = context.listen("127.0.0.1:0").unwrap().keep();
        format!("127.0.0.1:{}", port).into_bytes()
    } else {
        context.address()
    };
    tell.send(own.clone()).unwrap();
    let theirs = hear.recv_timeout(SOON).unwrap();
    let mut members = [&own[..], &theirs[..]];
    members.rotate_right(rank as usize);
    let group = context.group_of(77, rank, &members).unwrap();
    assert_eq!((group.rank(), group.size(), group.id()), (rank, 2, 77));
    assert_eq!(group.program(1), Some((0, String::new())));
    assert_eq!(group.program(2), None);
    group.connect(SOON).unwrap();
    work(&group);
    group.barrier(SOON).unwrap();
    assert!(group.failures().is_none());
}

fn first_member_calls(group: &Group) {
    let context = group.context();
    let sample = context.open("sample").unwrap();
    let second = group.member(1);
    assert_eq!(second.rank(), 1);
    second.prepare(&sample, SOON).unwrap();
    assert_eq!(second.call(&sample, b"echo", 4, SOON).unwrap(), b"echo");
    let large = vec![b'l'; 4 << 20];
    second.send(&sample, &large, SOON).unwrap();
    second.flush(SOON).unwrap();
    let length = (large.len() as u64).to_ne_bytes();
    for answer in group.call_all(&sample, &large, 8, SOON) {
        assert_eq!(answer.unwrap(), length);
    }
    let (answer, answers) = mpsc::channel();
    second
        .start_call(&sample, &large, 8, SOON, move |reply| {
            answer.send(reply.unwrap().to_vec()).unwrap()
        })
        .unwrap();
    drop(large);
    context.wait_for_calls(SOON).unwrap();
    assert_eq!(answers.recv().unwrap(), length);
    assert!(second.info().unwrap().sent_messages > 0);
    for failed in group.call_all(&sample, b"fail", 8, SOON) {
        let error = failed.unwrap_err();
        assert!(error.is(TC_E_HOPS), "{}", error);
    }
    let none = group.member(2).call(&sample, b"echo", 4, SOON).unwrap_err();
    assert!(none.is(TC_E_NOT_FOUND), "{}", none);
    let other = Context::new().unwrap();
    let theirs = other.open("sample").unwrap();
    for failed in group.call_all(&theirs, b"echo", 8, SOON) {
        assert!(failed.unwrap_err().text.contains("another context"));
    }
}

pub fn joins_a_group_of_one() {
    let context = Context::new().unwrap();
    let group = context.join(SOON).unwrap();
    let sample = context.open("sample").unwrap();
    assert_eq!((group.rank(), group.size()), (0, 1));
    let answers = group.call_all(&sample, b"echo", 4, SOON);
    assert_eq!(answers[0].as_ref().unwrap(), b"echo");
    let (join, mut both) = (context.open("join_rust").unwrap(), [0; 4]);
    let member = group.member(0);
    join_rust(&member, &join, SOON, "ab", "cd", Out(&mut both), true).unwrap();
    assert_eq!(&both, b"cdab");
    group.barrier(SOON).unwrap();
    assert!(context.group("nowhere", 0).unwrap_err().is(TC_E_INVALID));
    assert!(context.group_of(0, 0, &[]).unwrap_err().is(TC_E_INVALID));
    let damaged = context.group_of(5, 0, &[b"", b"neither"]).unwrap_err();
    assert!(damaged.is(TC_E_CORRUPT), "{}", damaged);
    // A member that is not there.
    let alone = context
        .group_of(6, 0, &[b"127.0.0.1:1", b"127.0.0.1:1"])
        .unwrap();
    let failed = alone.connect(Duration::from_millis(100)).unwrap_err();
    assert!(
        failed.is(TC_E_UNREACHABLE) || failed.is(TC_E_TIMEOUT),
        "{}",
        failed
    );
}
