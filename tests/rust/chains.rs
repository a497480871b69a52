//! Operations in windows: single ones, chains, and those that are started.
use crate::served::{served, SOON};
use crate::windows::{opened, refused};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{mpsc, Arc};
use tchains::sys::*;
use tchains::{
    Context, Endpoint, Error, GlobalPointer, Memory, Outcome, Rights, Step, WindowAccess,
    WindowParams,
};

fn all_rights() -> Rights {
    Rights::READ | Rights::WRITE | Rights::ATOMIC | Rights::ALLOCATE
}

pub fn operations_are_done() {
    let memory = Memory::new(4096);
    let params = WindowParams::new(&memory, all_rights()).arena_begin(1000);
    opened(&params, |context, node, at| {
        node.put(at + 3, b"hello", SOON).unwrap();
        assert_eq!(node.get(at + 2, 7, SOON).unwrap(), b"\0hello\0");
        let mut word = [0; 5];
        memory.read(3, &mut word).unwrap();
        assert_eq!(&word, b"hello");
        let mut back = [0; 2];
        node.get_into(at + 3, &mut back, SOON).unwrap();
        assert_eq!(&back, b"he");

        assert_eq!(node.fetch_add(at + 16, 7, SOON).unwrap(), 0);
        assert_eq!(node.fetch_add(at + 16, u64::MAX, SOON).unwrap(), 7);
        assert_eq!(node.compare_swap(at + 16, 7, 1, SOON).unwrap(), 6);
        assert_eq!(node.compare_swap(at + 16, 6, 0xabcd, SOON).unwrap(), 6);
        let (expected, desired) = ((0xcd, 0xff), (0x1200, 0xff00));
        let before = node.masked_compare_swap(at + 16, expected, desired, SOON);
        assert_eq!((before.unwrap(), memory.get(16).unwrap()), (0xabcd, 0x12cd));

        let block = node.allocate(at, 10, SOON).unwrap();
        assert_eq!((block.offset() % 16, block.offset() >= 1000), (0, true));
        node.put(block, b"allocated!", SOON).unwrap();
        memory.put(24, block.offset()).unwrap();
        assert_eq!(node.get_indirect(at + 24, 5, 4, SOON).unwrap(), b"ated");
        refused(node.allocate(at, 4096, SOON), TC_E_NO_MEMORY, "4096 bytes");

        let stranger = Context::new().unwrap();
        assert_eq!(context.calls_under_way(), 0);
        refused(
            stranger.open_window(&params.peer(node)),
            TC_E_INVALID,
            "another context",
        );
    });
    assert_eq!(Arc::strong_count(&memory), 1);
}

pub fn operations_are_refused() {
    let memory = Memory::new(64);
    opened(&WindowParams::new(&memory, Rights::READ), |_, node, at| {
        refused(node.put(at, b"x", SOON), TC_E_REFUSED, "rights 0x1");
        refused(node.fetch_add(at, 1, SOON), TC_E_REFUSED, "rights 0x1");
        refused(
            node.get(at + 60, 5, SOON),
            TC_E_INVALID,
            "5 bytes at offset 60",
        );
        refused(node.get(at, 0, SOON), TC_E_INVALID, "step 1");
        refused(
            node.get(at, 1 << 40, SOON),
            TC_E_TOO_LARGE,
            "expected 524288",
        );
        refused(node.put(at, b"", SOON), TC_E_INVALID, "step 1");
        refused(node.chain(&[], SOON), TC_E_TOO_LARGE, "steps");
        let many = [Step::get(at, 1); 17];
        refused(node.chain(&many, SOON), TC_E_TOO_LARGE, "17");
        refused(
            node.chain(&[Step::get(at, usize::MAX), Step::get(at, 9)], SOON),
            TC_E_TOO_LARGE,
            "expected 524288",
        );
        let first = [Step::get(at, 8).if_failed()];
        refused(node.chain(&first, SOON), TC_E_INVALID, "step 1");
        for base in [0, 1, usize::MAX] {
            let own = [Step::get(at, 8).based_on(base)];
            refused(node.chain(&own, SOON), TC_E_INVALID, "step 1");
        }
        refused(node.map_window(at, SOON), TC_E_INVALID, "opened as shared");
        let nothing = GlobalPointer::default();
        refused(node.get(nothing, 1, SOON), TC_E_NOT_FOUND, "generation 0");
        refused(
            node.start_get(at, 0, SOON, |_| panic!("was not sent")),
            TC_E_INVALID,
            "step 1",
        );
    });
}

/// Pops from a list of free blocks, or allocates one.
fn take_block(node: &Endpoint, at: GlobalPointer, head: u64, next: u64) -> Outcome {
    let steps = [
        Step::compare_swap(at, head, next),
        Step::get(at.with_offset(0), 4).based_on(0).if_succeeded(),
        Step::allocate(at, 16).if_failed(),
        Step::put(at.with_offset(1), b"new")
            .based_on(2)
            .if_succeeded(),
    ];
    node.chain(&steps, SOON).unwrap()
}

pub fn chains_have_conditions() {
    let memory = Memory::new(1024);
    memory.put(0, 64).unwrap();
    memory.write(64, b"free").unwrap();
    let params = WindowParams::new(&memory, all_rights()).arena_begin(512);
    opened(&params, |_, node, at| {
        let taken = take_block(node, at, 64, 0);
        assert_eq!(taken.value(0), Some(64));
        assert_eq!(taken.result(1), Some(&b"free"[..]));
        // Step 2 was not done, as step 1 has succeeded; step 3 has therefore nothing before it.
        let all = |outcome: &Outcome| {
            let done: Vec<_> = (0..5).map(|step| outcome.done(step)).collect();
            let succeeded: Vec<_> = (0..5).map(|step| outcome.succeeded(step)).collect();
            (done, succeeded)
        };
        let steps = vec![true, true, false, false, false];
        assert_eq!(all(&taken), (steps.clone(), steps));
        assert_eq!((taken.result(2), taken.value(1)), (None, None));

        let allocated = take_block(node, at, 64, 0);
        // The comparison is done and has not swapped, so the get is left out, and has failed.
        assert_eq!(
            all(&allocated),
            (
                vec![true, false, true, true, false],
                vec![false, false, true, true, false]
            )
        );
        assert_eq!(
            (allocated.value(0), allocated.value(2)),
            (Some(0), Some(512))
        );
        assert_eq!(
            (allocated.result(3), allocated.result(4)),
            (Some(&b""[..]), None)
        );
        assert_eq!(node.get(at + 512, 5, SOON).unwrap(), b"\0new\0");

        // A base that was not done.
        let steps = [
            Step::compare_swap(at, 99, 1),
            Step::get(at, 8).if_succeeded(),
            Step::get(at, 1).based_on(1),
        ];
        refused(node.chain(&steps, SOON), TC_E_INVALID, "step 3");
        let most = vec![7; 512];
        let steps = [Step::put(at + 512, &most), Step::get(at + 512, 512)];
        let outcome = node.chain(&steps, SOON).unwrap();
        assert_eq!(outcome.result(1), Some(&most[..]));
    });
}

pub fn operations_are_started() {
    let memory = Memory::new(1024);
    memory.put(0, 64).unwrap();
    let params = WindowParams::new(&memory, all_rights()).arena_begin(512);
    opened(&params, |context, node, at| {
        let (tell, told) = mpsc::channel::<String>();
        macro_rules! says {
            () => {{
                let tell = tell.clone();
                move |ended| tell.send(format!("{:?}", ended)).unwrap()
            }};
        }
        let copied = b"copied".to_vec();
        node.start_put(at + 64, &copied, SOON, says!()).unwrap();
        drop(copied);
        node.start_get(at + 64, 2, SOON, says!()).unwrap();
        node.start_get_indirect(at, 2, 2, SOON, says!()).unwrap();
        node.start_fetch_add(at + 8, 3, SOON, says!()).unwrap();
        node.start_compare_swap(at + 8, 3, 9, SOON, says!())
            .unwrap();
        node.start_masked_compare_swap(at + 8, (1, 1), (0, 1), SOON, says!())
            .unwrap();
        node.start_allocate(at, 8, SOON, move |block: Result<_, Error>| {
            assert_eq!(block.unwrap().offset(), 512);
        })
        .unwrap();
        node.start_get(at + 1020, 5, SOON, says!()).unwrap();
        assert_eq!(context.calls_under_way(), 8);
        context.wait_for_calls(SOON).unwrap();
        let all: Vec<_> = told.try_iter().collect();
        let expected = [
            "Ok(())",
            "Ok([99, 111])",
            "Ok([112, 105])",
            "Ok(0)",
            "Ok(3)",
            "Ok(9)",
        ];
        assert_eq!(all[..6], expected);
        assert!(all[6].contains("5 bytes at offset 1020"), "{}", all[6]);
        assert_eq!((all.len(), memory.get(8).unwrap()), (7, 8));

        // A chain's closure is dropped with all that it has, also when it panics.
        let held = Arc::new(());
        let inside = held.clone();
        let steps = [Step::get(at, 8), Step::put(at + 32, b"late")];
        node.start_chain(&steps, SOON, move |ended| {
            let value = ended.unwrap().value(0);
            panic!("{:?} {:?}", value, inside);
        })
        .unwrap();
        let panic =
            catch_unwind(AssertUnwindSafe(|| context.wait_for_calls(SOON))).unwrap_err();
        let text = panic.downcast_ref::<String>().unwrap();
        assert_eq!((&text[..], Arc::strong_count(&held)), ("Some(64) ()", 1));
    });
    chains_end_with_their_context();
}

/// Chains that are under way when their context ends are notified then.
fn chains_end_with_their_context() {
    served(|address| {
        let context = Context::new().unwrap();
        let node = context.connect(address, SOON).unwrap();
        let ended = Arc::new(AtomicUsize::new(0));
        let ending = ended.clone();
        node.start_get(GlobalPointer::default(), 8, SOON, move |reply| {
            assert!(reply.is_err());
            ending.fetch_add(1, SeqCst);
        })
        .unwrap();
        assert_eq!(context.calls_under_way(), 1);
        drop(node);
        drop(context);
        assert_eq!((ended.load(SeqCst), Arc::strong_count(&ended)), (1, 1));
    });
}
