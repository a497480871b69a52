//! Hands on to programs where libtchains is, which tchains-sys has found: DEP_TCHAINS_PROGRAM_LIB_DIR.
fn main() {
    println!("cargo:rerun-if-env-changed=DEP_TCHAINS_LIB_DIR");
    if let Ok(folder) = std::env::var("DEP_TCHAINS_LIB_DIR") {
        println!("cargo:lib_dir={}", folder);
    }
}
