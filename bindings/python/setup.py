"""Makes the wheel: `pip wheel --no-build-isolation bindings/python`. The library has to be installed (binding_build.places)."""
import os
import re
import sys

from setuptools import setup
try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import binding_build  # pylint: disable=wrong-import-position


def version():
    """The library's, from the headers that the wheel is built with."""
    with open(os.path.join(binding_build.places()[0], "tc", "version.h"), encoding="utf-8") as file:
        return re.search(r'TC_VERSION_STRING "([^"]+)"', file.read()).group(1)


class AbiWheel(bdist_wheel):
    """One wheel for every Python 3 from that on."""

    def finalize_options(self):
        self.py_limited_api = "cp311"
        super().finalize_options()


setup(name="tchains", version=version(), description="Three-Chains: functions that move between processes", license="BSD-3-Clause",
      packages=["tchains"], python_requires=">=3.11", install_requires=["cffi>=1.15"], extras_require={"ifunc": ["numba", "numpy"]},
      cffi_modules=["binding_build.py:setup_builder"], cmdclass={"bdist_wheel": AbiWheel})
