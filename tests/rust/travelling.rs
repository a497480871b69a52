//! Libraries and packages: scale.tca, which the function scaled uses, and both as box.tcp.
use crate::served::{served, SOON};
use std::ffi::CStr;
use tchains::sys::*;
use tchains::Context;

pub fn libraries_travel() {
    served(|address| {
        let context = Context::new().unwrap();
        let node = context.connect(address, SOON).unwrap();
        let (scale, scaled) = (
            context.open_library("scale").unwrap(),
            context.open("scaled").unwrap(),
        );
        assert!(scale.name() == "scale" && scale.id() != [0; 16]);
        let absent = node
            .call(&scaled, &7i32.to_ne_bytes(), 4, SOON)
            .unwrap_err();
        assert!(absent.is(TC_E_ABSENT), "{}", absent);
        let never = node.withdraw_library(&scale, SOON).unwrap_err();
        assert!(never.is(TC_E_NOT_FOUND), "{}", never);
        for _ in 0..2 {
            node.push_library(&scale, SOON).unwrap();
            let answer = node.call(&scaled, &7i32.to_ne_bytes(), 4, SOON).unwrap();
            assert_eq!(answer, 21i32.to_ne_bytes());
            node.withdraw_library(&scale, SOON).unwrap();
        }
        let other = Context::new().unwrap();
        let theirs = other.open_library("scale").unwrap();
        let failed = node.push_library(&theirs, SOON).unwrap_err();
        assert!(failed.text.contains("another context"), "{}", failed);
        assert!(context.open_library("scaled").unwrap_err().is(TC_E_INVALID));
        assert!(context.open_library("none").unwrap_err().is(TC_E_NOT_FOUND));
    });
    puts_a_library_in_force_here();
    prototypes_are_compared();
}

fn prototypes_are_compared() {
    fn text(of: &'static [u8]) -> &'static CStr {
        CStr::from_bytes_with_nul(of).unwrap()
    }
    let context = Context::new().unwrap();
    let scaled = context.open("scaled").unwrap();
    let sample = context.open("sample").unwrap();
    assert_eq!(scaled.prototype().as_deref(), Some("(i32)->i32"));
    assert_eq!(sample.prototype(), None);
    for _ in 0..2 {
        scaled.check_prototype(text(b"(i32)->*\0")).unwrap();
        sample.check_prototype(text(b"(f64)\0")).unwrap();
        let failed = scaled.check_prototype(text(b"(f32)->i32\0")).unwrap_err();
        assert!(failed.is(TC_E_VERSION), "{}", failed);
        assert!(failed.text.contains("'(f32)->i32', and it is '(i32)->i32'"));
    }
    let failed = sample.check_prototype(text(b"i32\0")).unwrap_err();
    assert!(failed.is(TC_E_INVALID), "{}", failed);
}

fn puts_a_library_in_force_here() {
    let context = Context::new().unwrap();
    let folder = std::env::var("TC_IFUNC_PATH").unwrap();
    let archive = std::fs::read(format!("{}/scale.tca", folder)).unwrap();
    assert!(context.open_library_memory(b"", "", "").is_err());
    let scale = context.open_library_memory(&archive, "", "").unwrap();
    let same = context.open_library_file(&format!("{}/scale.tca", folder));
    assert_eq!(same.unwrap().id(), scale.id());
    assert!(context.libraries().is_empty());
    assert!(context
        .library_symbol("scale", "scale_by")
        .unwrap()
        .is_null());
    context.install_library(&scale).unwrap();
    let found = context.libraries();
    assert_eq!(
        (found.len(), &found[0].name[..], found[0].symbols),
        (1, "scale", 2)
    );
    assert!(found[0].id == scale.id() && found[0].owner.is_empty());
    assert!(!context
        .library_symbol("scale", "scale_by")
        .unwrap()
        .is_null());
    context.remove_library("scale").unwrap();
    assert!(context
        .remove_library("scale")
        .unwrap_err()
        .is(TC_E_NOT_FOUND));
}

pub fn packages_travel() {
    let path = format!("{}/box.tcp", std::env::var("TC_IFUNC_PATH").unwrap());
    served(|address| {
        let context = Context::new().unwrap();
        let node = context.connect(address, SOON).unwrap();
        let package = context.open_package(&path, None).unwrap();
        assert_eq!(
            (&package.name()[..], package.numbers()),
            ("box", vec![1, 10])
        );
        assert_eq!(package.library_of(1).unwrap().name(), "scale");
        assert!(package.library_of(10).is_none() && package.function_of(1).is_none());
        assert!(package.function("none").is_none());
        node.prepare_package(&package, SOON).unwrap();
        for scaled in [package.function("scaled"), package.function_of(10)] {
            let answer = node.call(&scaled.unwrap(), &5i32.to_ne_bytes(), 4, SOON);
            assert_eq!(answer.unwrap(), 15i32.to_ne_bytes());
        }
        node.push_package(&package, SOON).unwrap();
        let library = package.library_of(1).unwrap();
        node.withdraw_library(&library, SOON).unwrap();
    });
    let context = Context::new().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let package = context.open_package_memory(&bytes, None).unwrap();
    let again = context.open_package(&path, Some(&package.id())).unwrap();
    context.install_package(&again).unwrap();
    assert_eq!(context.libraries().len(), 1);
    let other = context.open_package(&path, Some(&[7; 16])).unwrap_err();
    assert!(other.is(TC_E_VERSION), "{}", other);
    let short = context.open_package_memory(&bytes[..40], None).unwrap_err();
    assert!(short.is(TC_E_CORRUPT), "{}", short);
}
