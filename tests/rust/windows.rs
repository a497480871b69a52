//! Windows: memory of a context that a thread serves, for peers that are named by their identity.
use crate::served::{served, SOON};
use std::os::unix::fs::MetadataExt;
use std::sync::{mpsc, Arc};
use tchains::sys::*;
use tchains::{
    Context, Endpoint, Error, GlobalPointer, Group, Memory, Rights, WindowAccess, WindowParams,
};

/// This user's processes, on loopback.
fn own_identity() -> String {
    format!("uid:{}", std::fs::metadata("/proc/self").unwrap().uid())
}

/// Runs `client` with a window of a context that another thread serves.
pub fn opened(params: &WindowParams, client: impl FnOnce(&Context, &Endpoint, GlobalPointer)) {
    let owner = Context::new().unwrap();
    let identity = own_identity();
    let address = format!("127.0.0.1:{}", owner.listen("127.0.0.1:0").unwrap().keep());
    let params = params.identity(&identity);
    let pointer = owner.open_window(&params).unwrap().keep();
    let serving = owner.serve_in_thread().unwrap();
    let context = Context::new().unwrap();
    let node = context.connect(&address, SOON).unwrap();
    client(&context, &node, pointer);
    drop(node);
    let owner = serving.stop().unwrap();
    owner.close_window(pointer).unwrap();
    assert!(owner.close_window(pointer).unwrap_err().is(TC_E_NOT_FOUND));
}

pub fn refused<T: std::fmt::Debug>(result: Result<T, Error>, status: tc_status, text: &str) {
    let error = result.unwrap_err();
    assert!(error.is(status) && error.text.contains(text), "{}", error);
}

pub fn pointers_are_bytes() {
    let zeroed = GlobalPointer::default();
    assert_eq!(zeroed.to_bytes(), [0; 16]);
    let bytes: Vec<u8> = (1..17).collect();
    let pointer = GlobalPointer::from_bytes(bytes[..].try_into().unwrap());
    assert_eq!(pointer.to_bytes(), bytes[..]);
    assert_eq!((pointer + 3).offset(), pointer.offset() + 3);
    assert_eq!((pointer + u64::MAX).offset(), pointer.offset() - 1);
    assert_eq!((pointer + 3).with_offset(pointer.offset()), pointer);
    assert_eq!(
        format!("{:?}", Rights::READ | Rights::ATOMIC),
        "READ | ATOMIC"
    );
}

pub fn memory_is_copied() {
    let memory = Memory::new(21);
    let mut back = [9; 21];
    memory.read(0, &mut back).unwrap();
    assert_eq!((memory.bytes(), back), (21, [0; 21]));
    let bytes: Vec<u8> = (1..22).collect();
    for begin in 0..21 {
        for end in begin..22 {
            let memory = Memory::new(21);
            memory.write(begin as u64, &bytes[begin..end]).unwrap();
            memory.read(0, &mut back).unwrap();
            assert_eq!(back[begin..end], bytes[begin..end]);
            assert!(back[..begin]
                .iter()
                .chain(&back[end..])
                .all(|&byte| byte == 0));
            memory.write(0, &bytes).unwrap();
            let part = &mut back[begin..end];
            memory.read(begin as u64, part).unwrap();
            assert_eq!(*part, bytes[begin..end]);
        }
    }
    memory.put(8, 40).unwrap();
    assert_eq!(memory.fetch_add(8, 2).unwrap(), 40);
    assert_eq!(memory.compare_swap(8, 41, 1).unwrap(), 42);
    assert_eq!(memory.compare_swap(8, 42, 1).unwrap(), 42);
    assert_eq!(memory.get(8).unwrap(), 1);
    // The last word that is whole begins at 8.
    refused(
        memory.get(16),
        TC_E_INVALID,
        "8 bytes at offset 16, expected",
    );
    refused(memory.put(4, 1), TC_E_INVALID, "at a multiple of 8");
    refused(
        memory.fetch_add(u64::MAX - 7, 1),
        TC_E_INVALID,
        "within 21 bytes",
    );
    refused(
        memory.read(20, &mut [0; 2]),
        TC_E_INVALID,
        "2 bytes at offset 20",
    );
    refused(
        memory.write(u64::MAX, b"x"),
        TC_E_INVALID,
        "1 bytes at offset",
    );
    memory.write(21, b"").unwrap();
    refused(memory.write(22, b""), TC_E_INVALID, "0 bytes at offset 22");
    neighbours_keep_their_bytes();
}

/// Each thread writes bytes of its own in the same words.
fn neighbours_keep_their_bytes() {
    let memory = Memory::new(16);
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let memory = &memory;
            scope.spawn(move || {
                for round in 0..20_000u32 {
                    let (written, mut back) = (round.to_ne_bytes(), [0; 3]);
                    memory.write(2 + 3 * thread, &written[..3]).unwrap();
                    memory.read(2 + 3 * thread, &mut back).unwrap();
                    assert_eq!(back, written[..3]);
                }
            });
        }
    });
}

pub fn windows_are_opened() {
    let context = Context::new().unwrap();
    let memory = Memory::new(64);
    let nobody = WindowParams::new(&memory, Rights::READ);
    refused(context.open_window(&nobody), TC_E_INVALID, "no peer, group");
    let empty = Memory::new(0);
    let params = WindowParams::new(&empty, Rights::READ).identity("uid:0");
    refused(context.open_window(&params), TC_E_INVALID, "0 bytes");
    let params = WindowParams::shared(0, Rights::READ).identity("uid:0");
    refused(context.open_window(&params), TC_E_INVALID, "0 bytes");
    let params = nobody.identity("uid\0");
    refused(context.open_window(&params), TC_E_INVALID, "a zero byte");
    let params = nobody.identity("uid:0").arena_begin(65);
    refused(
        context.open_window(&params),
        TC_E_INVALID,
        "an arena from 65",
    );
    let other = Context::new().unwrap();
    let group = other.join(SOON).unwrap();
    refused(
        context.open_window(&nobody.group(&group)),
        TC_E_INVALID,
        "another context",
    );

    // The program and its windows have the same memory.
    let params = nobody.identity("uid:0");
    let window = context.open_window(&params).unwrap();
    let again = context.open_window(&params).unwrap();
    assert_eq!(
        (window.pointer().rank(), window.pointer().offset()),
        (None, 0)
    );
    assert_ne!(window.pointer(), again.pointer());
    window.put(8, 5).unwrap();
    assert_eq!((again.get(8).unwrap(), memory.get(8).unwrap()), (5, 5));
    assert!(context
        .close_window(again.pointer())
        .unwrap_err()
        .is(TC_E_NOT_FOUND));
    let kept = again.keep();
    assert_eq!(Arc::strong_count(&memory), 3);
    drop(window);
    context.close_window(kept).unwrap();
    assert_eq!(Arc::strong_count(&memory), 1);
    // Shared memory may be written in its last bytes, too.
    let shared = WindowParams::shared(4099, Rights::READ).identity("uid:0");
    let window = context.open_window(&shared).unwrap();
    window.write(4095, b"end.").unwrap();
    let mut back = [0; 5];
    window.read(4094, &mut back).unwrap();
    assert_eq!(&back, b"\0end.");
    let open_at_the_end = context.open_window(&params).unwrap().keep();
    assert_ne!(open_at_the_end, kept);
    assert_eq!(Arc::strong_count(&memory), 2);
    drop(window);
    drop(context);
    assert_eq!(Arc::strong_count(&memory), 1);
}

pub fn windows_are_mapped() {
    let rights = Rights::READ | Rights::WRITE | Rights::ATOMIC;
    let params = WindowParams::shared(68, rights);
    opened(&params, |context, node, at| {
        let view = node.map_window(at + 40, SOON).unwrap();
        let again = node.map_window(at, SOON).unwrap();
        assert_eq!((view.bytes(), view.rights()), (68, rights));
        view.put(8, 5).unwrap();
        assert_eq!(again.fetch_add(8, 1).unwrap(), 5);
        assert_eq!(node.fetch_add(at + 8, 1, SOON).unwrap(), 6);
        assert_eq!(view.compare_swap(8, 7, 70).unwrap(), 7);
        drop(again);
        assert_eq!(view.get(8).unwrap(), 70);
        view.write(61, b"the end").unwrap();
        assert_eq!(node.get(at + 60, 8, SOON).unwrap(), b"\0the end");
        refused(view.get(64), TC_E_INVALID, "within 68 bytes");
        // A view goes to other threads while it is here.
        std::thread::scope(|scope| {
            let memory: &Memory = &view;
            for _ in 0..2 {
                scope.spawn(move || (0..1000).for_each(|_| drop(memory.fetch_add(16, 1))));
            }
        });
        assert_eq!(node.fetch_add(at + 16, 0, SOON).unwrap(), 2000);
        let nothing = at.with_offset(0);
        drop(view);
        let view = node.map_window(nothing, SOON).unwrap();
        assert_eq!(view.get(16).unwrap(), 2000);
        assert_eq!(context.calls_under_way(), 0);
    });
    views_have_rights();
    views_outlast_their_window();
}

fn views_have_rights() {
    opened(&WindowParams::shared(64, Rights::READ), |_, node, at| {
        let view = node.map_window(at, SOON).unwrap();
        assert_eq!((view.get(0).unwrap(), view.rights()), (0, Rights::READ));
        let mut bytes = [1; 3];
        view.read(1, &mut bytes).unwrap();
        assert_eq!(bytes, [0; 3]);
        refused(view.put(0, 1), TC_E_INVALID, "rights READ, expected WRITE");
        refused(view.fetch_add(0, 1), TC_E_INVALID, "expected ATOMIC");
        refused(view.compare_swap(0, 0, 1), TC_E_INVALID, "expected ATOMIC");
        refused(
            view.write(0, b"x"),
            TC_E_INVALID,
            "rights READ, expected WRITE",
        );
    });
    opened(&WindowParams::shared(64, Rights::WRITE), |_, node, at| {
        let view = node.map_window(at, SOON).unwrap();
        view.put(0, 1).unwrap();
        refused(view.get(0), TC_E_INVALID, "rights WRITE, expected READ");
        refused(
            view.read(0, &mut [0]),
            TC_E_INVALID,
            "rights WRITE, expected READ",
        );
    });
}

fn views_outlast_their_window() {
    let owner = Context::new().unwrap();
    let identity = own_identity();
    let address = format!("127.0.0.1:{}", owner.listen("127.0.0.1:0").unwrap().keep());
    let params = WindowParams::shared(64, Rights::READ | Rights::WRITE).identity(&identity);
    let window = owner.open_window(&params).unwrap();
    window.put(0, 1).unwrap();
    let pointer = window.keep();
    let serving = owner.serve_in_thread().unwrap();
    let context = Context::new().unwrap();
    let node = context.connect(&address, SOON).unwrap();
    let view = node.map_window(pointer, SOON).unwrap();
    let owner = serving.stop().unwrap();
    owner.close_window(pointer).unwrap();
    view.put(8, 2).unwrap();
    let serving = owner.serve_in_thread().unwrap();
    refused(node.get(pointer, 8, SOON), TC_E_NOT_FOUND, "not open");
    drop((node, serving));
    assert_eq!((view.get(0).unwrap(), view.get(8).unwrap()), (1, 2));
}

/// A window of a group, which its members use; and one of the peer of an endpoint, which others
/// may not.
pub fn peers_are_named() {
    let (tell, hear) = mpsc::channel();
    let (tell_back, hear_back) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || second_member(tell_back, hear));
        served(|address| first_member(address, tell, hear_back));
    });
}

/// Tells the other one its address; the group of both.
fn member<'c>(
    context: &'c Context,
    rank: u32,
    tell: &mpsc::Sender<Vec<u8>>,
    hear: &mpsc::Receiver<Vec<u8>>,
) -> Group<'c> {
    let port = context.listen("127.0.0.1:0").unwrap().keep();
    let own = format!("127.0.0.1:{}", port).into_bytes();
    tell.send(own.clone()).unwrap();
    let theirs = hear.recv_timeout(SOON).unwrap();
    let mut members = [&own[..], &theirs[..]];
    members.rotate_right(rank as usize);
    let group = context.group_of(9, rank, &members).unwrap();
    group.connect(SOON).unwrap();
    group.barrier(SOON).unwrap();
    group
}

fn first_member(address: &str, tell: mpsc::Sender<Vec<u8>>, hear: mpsc::Receiver<Vec<u8>>) {
    let context = Context::new().unwrap();
    let group = member(&context, 0, &tell, &hear);
    let (memory, rights) = (Memory::new(64), Rights::READ | Rights::ATOMIC);
    memory.put(8, 4).unwrap();
    let params = WindowParams::new(&memory, rights);
    let window = context.open_window(&params.group(&group)).unwrap();
    let other = context.connect(address, SOON).unwrap();
    let of_peer = context.open_window(&params.peer(&other)).unwrap();
    for pointer in [window.pointer(), of_peer.pointer()] {
        tell.send(pointer.to_bytes().to_vec()).unwrap();
    }
    group.barrier(SOON).unwrap();
    assert_eq!(window.get(8).unwrap(), 10);
}

fn second_member(tell: mpsc::Sender<Vec<u8>>, hear: mpsc::Receiver<Vec<u8>>) {
    let context = Context::new().unwrap();
    let group = member(&context, 1, &tell, &hear);
    let pointer = || {
        let bytes = hear.recv_timeout(SOON).unwrap();
        GlobalPointer::from_bytes(bytes.try_into().unwrap())
    };
    let (at, of_another) = (pointer(), pointer());
    assert_eq!((at.rank(), of_another.rank()), (Some(0), None));
    let owner = group.member(0);
    assert_eq!(owner.fetch_add(at + 8, 3, SOON).unwrap(), 4);
    let (answer, answers) = mpsc::channel();
    let done = move |value: Result<u64, Error>| answer.send(value.unwrap()).unwrap();
    owner.start_fetch_add(at + 8, 3, SOON, done).unwrap();
    context.wait_for_calls(SOON).unwrap();
    assert_eq!(answers.recv().unwrap(), 7);
    let failed = owner.get(of_another, 8, SOON);
    refused(failed, TC_E_REFUSED, "not open to this peer");
    group.barrier(SOON).unwrap();
}
