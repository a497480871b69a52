//! The location of libtchains: TCHAINS_LIB_DIR, or else pkg-config's.
use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=TCHAINS_LIB_DIR");
    let folder = env::var("TCHAINS_LIB_DIR").ok().or_else(|| {
        let said = Command::new("pkg-config").args(["--variable=libdir", "tchains"]).output().ok()?;
        let text = String::from_utf8(said.stdout).ok()?;
        Some(text.trim().to_string()).filter(|text| said.status.success() && !text.is_empty())
    });
    match folder {
        Some(folder) => {
            println!("cargo:rustc-link-search=native={}", folder);
            println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder);
            println!("cargo:lib_dir={}", folder); // for the crates that depend on this one
        }
        None => println!("cargo:warning=TCHAINS_LIB_DIR is not set and pkg-config knows no tchains"),
    }
}
