# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whatever schedules/families defines is there: in the backend, in the lowering, and in a test that compares kernels with
numbers. VITC_TESTS are the tests of the backend that ctest runs."""
from harness import *

HERE = pathlib.Path(__file__).resolve().parent
LOWERINGS = HERE.parents[1] / "compiler/lib/Conversion/ViTToKernel"
tests = os.environ["VITC_TESTS"].split()
lacks = []

defined = {name for name, family in DEFINITIONS["families"].items() if NAME in family["backends"]}
lacks += [f"vitc-{NAME} has no {name}, which {NAME} is said to compile" for name in sorted(defined - set(FAMILIES))]
lacks += [f"vitc-{NAME} has {name}, but the definition does not say so" for name in sorted(set(FAMILIES) - defined)]

sources = {test: (HERE / f"test_{test}.py").read_text() for test in tests}
for name in sorted(defined):
    if not any(re.search(rf'\bbuild\("{name}"', text) for text in sources.values()):
        lacks.append(f"no test of vitc-{NAME} builds a kernel of {name}: call build(\"{name}\", …) in one of {', '.join(tests)}")

lowering = "".join(path.read_text() for path in sorted(LOWERINGS.glob("*.cpp")))
for name, family in DEFINITIONS["families"].items():
    if not re.search(rf"families::{family['cpp']}Spec\b", lowering):
        lacks.append(f"no operation is lowered to {name}: {LOWERINGS.name} has no families::{family['cpp']}Spec")

if lacks:
    sys.exit("FAILED\n" + "\n".join(lacks))
print(f"ok {len(defined)} families of {len(DEFINITIONS['families'])}")
