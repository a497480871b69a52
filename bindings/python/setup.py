"""Makes the wheel: `pip wheel --no-build-isolation bindings/python`. The library has to be installed (binding_build.places).

With TCHAINS_BUNDLE, a folder with the folders lib (the library and its modules), bin (programs) and licences, these become a part of
the wheel. Its tag then is one of manylinux, computed from its files (elf_needs.py). scripts/wheel.sh makes such a folder, and runs this.
"""
import os
import re
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import binding_build  # pylint: disable=wrong-import-position
import elf_needs  # pylint: disable=wrong-import-position

BUNDLE = os.environ.get("TCHAINS_BUNDLE")
PROGRAMS = sorted(os.listdir(os.path.join(BUNDLE, "bin"))) if BUNDLE else []


def version():
    """The library's, from the headers that the wheel is built with."""
    with open(os.path.join(binding_build.places()[0], "tc", "version.h"), encoding="utf-8") as file:
        return re.search(r'TC_VERSION_STRING "([^"]+)"', file.read()).group(1)


class BundleInside(build_py):
    """Puts the library and the programs into the package."""

    def run(self):
        super().run()
        for folder in ("lib", "bin", "licences") if BUNDLE else ():
            self.copy_tree(os.path.join(BUNDLE, folder), os.path.join(self.build_lib, "tchains", folder))


class AbiWheel(bdist_wheel):
    """One wheel for every Python 3 from that on."""

    def finalize_options(self):
        self.py_limited_api = "cp311"
        super().finalize_options()

    def get_tag(self):
        python, abi, platform = super().get_tag()
        return python, abi, elf_needs.platform_tag([self.bdist_dir]) if BUNDLE else platform


setup(name="tchains", version=version(), description="Three-Chains: functions that move between processes", license="BSD-3-Clause",
      packages=["tchains"], package_data={"tchains": ["py.typed", "*.pyi"]}, python_requires=">=3.11", install_requires=["cffi>=1.15"],
      extras_require={"ifunc": ["numba", "numpy"]}, cffi_modules=["binding_build.py:setup_builder"],
      entry_points={"console_scripts": [f"{name} = tchains.programs:{name.replace('-', '_')}" for name in PROGRAMS]},
      cmdclass={"bdist_wheel": AbiWheel, "build_py": BundleInside})
