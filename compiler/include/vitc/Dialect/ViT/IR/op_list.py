# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""op_list.py ViTOps.cpp.inc OUTPUT: the ops of the dialect, from what mlir-tblgen made, as rows `VITC_VIT_OP(Name)` for whoever
declares something for each (see Visit.h)."""
import pathlib
import re
import sys


def main(source, output):
    listed = re.search(r"#ifdef GET_OP_LIST\n(.*?)#endif", pathlib.Path(source).read_text(), re.DOTALL)[1]
    names = re.findall(r"::(\w+)Op\b", listed)
    if not names:
        raise SystemExit(f"{source}: no ops")
    rows = "".join(f"VITC_VIT_OP({name})\n" for name in names)
    pathlib.Path(output).write_text(f"{rows}#undef VITC_VIT_OP\n")


main(*sys.argv[1:])
