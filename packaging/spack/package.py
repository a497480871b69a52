# Spack's recipe for Three-Chains. It builds the tree that it lies in:
#     spack repo create REPO tchains && ln -s TREE/packaging/spack REPO/packages/three-chains
#     spack repo add REPO && spack install three-chains
# In a mirror or in a repository of its own, `git` is to be set to where the sources are.
from pathlib import Path

from spack.package import *

try:  # Spack 1.0 keeps build systems with the packages
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    pass


class ThreeChains(CMakePackage):
    """Sends functions to other processes, as LLVM bitcode or as native images, over UCX, and runs them there."""

    git = Path(__file__).resolve().parents[2].as_uri()
    license("BSD-3-Clause")

    # The tree that this file lies in, unless a release is asked for, of which a mirror has the tag.
    version("main", branch="main", preferred=True)
    version("0.1.0", tag="v0.1.0")

    variant("llvm", default=True, description="Compile bitcode (ORC JIT), and build tc-clang and tc-perf; native images alone without")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("ucx@1.13:")
    depends_on("zstd")
    depends_on("libsodium")
    depends_on("jansson")
    depends_on("openssl@3:")
    with when("+llvm"):
        # tc-clang runs clang and lld where it is used.
        depends_on("llvm@17:22 +clang +lld +llvm_dylib", type=("build", "link", "run"))
        depends_on("elfutils")
    depends_on("cmocka", type="test")

    conflicts("platform=darwin", msg="Three-Chains is for Linux")
    conflicts("platform=windows", msg="Three-Chains is for Linux")
    requires("target=x86_64:", "target=aarch64:", policy="one_of", msg="Three-Chains is for x86_64 and aarch64")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("TC_WITH_LLVM", "llvm"),
            self.define("TC_BUILD_TESTS", self.run_tests),
            self.define("TC_BUILD_EXAMPLES", False),
            self.define("TC_WERROR", False),
        ]
        if self.spec.satisfies("+llvm"):
            llvm = self.spec["llvm"]
            args += [
                self.define("TC_LLVM_VERSION", str(llvm.version.up_to(1))),
                self.define("TC_LLVM_CONFIG", llvm.prefix.bin.join("llvm-config")),
                self.define("TC_CLANG", llvm.prefix.bin.join("clang")),
                self.define("TC_LLD", llvm.prefix.bin.join("ld.lld")),
                # Headers of the other architecture's C library are no package of Spack's.
                self.define("TC_IFUNC_TARGETS", str(self.spec.target.family)),
                self.define("TC_NATIVE", False),
            ]
        return args

    def setup_run_environment(self, env):
        env.prepend_path("CMAKE_PREFIX_PATH", self.prefix)
