#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""library_names.py VITC MODEL FOLDER: names that libraries cannot have, and those that folders get."""
import glob
import os
import re
import subprocess
import sys

vitc, model, folder = sys.argv[1:]
out = os.path.join(folder, "out")


def refused(name):
    done = subprocess.run([vitc, "compile", model, "-o", out, "--name", name, "--emit", "mlir"], capture_output=True, text=True)
    if done.returncode != 1 or "error: --name" not in done.stderr or os.path.exists(out):
        sys.exit(f"--name {name}: exit code {done.returncode}, {done.stderr}")
    return done.stderr.replace("vitc: error: ", "").strip()


def derived(name, source=model):
    link, result = os.path.join(folder, name), os.path.join(folder, "result-" + name[:8])
    os.symlink(source, link)
    subprocess.run([vitc, "compile", link, "-o", result, "--emit", "mlir", "--quiet"], check=True)
    (file,) = os.listdir(result)
    return file.removesuffix(".mlir")


for name in ("math stdint pthread features immintrin int co_await xor_eq main std _Net a__b net_ vitc vitc_embedded halide m timer "
             "pthread_mutex Threads SIZE X MSG si 9lives a-b a\nb häd").split(" "):
    print(refused(name))
print(refused("n" * 129))

# All headers that this machine's C library and compiler have at the top of their folders.
headers = {os.path.basename(path)[:-2] for pattern in ("/usr/include/*.h", "/usr/include/*-linux-gnu/*.h")
           for path in glob.glob(pattern)}
if os.path.exists("/usr/bin/dpkg"):
    listed = subprocess.run(["dpkg", "-L", "libc6-dev"], capture_output=True, text=True).stdout
    headers &= {os.path.basename(path)[:-2] for path in listed.splitlines() if path.endswith(".h")}
else:
    headers = set()
macros = subprocess.run(["g++", "-print-file-name=include"], capture_output=True, text=True).stdout.strip()
headers |= {os.path.basename(path)[:-2] for path in glob.glob(macros + "/*.h")}
headers = {name for name in headers if name.isidentifier() and not name.startswith("_")} - {"ISO_Fortran_binding"}
# C17 and POSIX.1-2017, on machines without those packages too.
headers |= set("""assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic
    stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype aio cpio dirent dlfcn fcntl fmtmsg
    fnmatch ftw glob grp iconv langinfo libgen monetary mqueue ndbm netdb nl_types poll pthread pwd regex sched search semaphore
    spawn strings stropts syslog tar termios trace ulimit unistd utime utmpx wordexp""".split())
words = set("""alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
    co_return co_yield compl concept const consteval constexpr constinit const_cast continue decltype default delete do double
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
    not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof static
    static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using
    virtual void volatile wchar_t while xor xor_eq restrict typeof typeof_unqual _Bool _Atomic __func__""".split())
# What the header of a library would declare, and one of the system's declares already.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Target/golden/golden_net.h")) as file:
    endings = set(re.findall(r"\bgolden_net_(\w+)", file.read()))
endings -= {ending for ending in endings if "LOGITS" in ending}
source = "".join(f"#if __has_include(<{name}.h>)\n#include <{name}.h>\n#endif\n" for name in """errno fcntl fmtmsg inttypes limits math
    pthread sched semaphore signal spawn stdint stdio stdlib string sysexits threads time unistd utmpx wchar""".split())
taken = set()
for option in ("-dM", "-P"):
    done = subprocess.run(["g++", "-x", "c++", "-E", option, "-"], input=source, capture_output=True, text=True, check=True)
    taken |= set(re.findall(r"\b[A-Za-z]\w*", done.stdout))
taken = {name[: -len(ending) - 1] for name in taken for ending in endings if name.endswith("_" + ending)}
taken = {name for name in taken if "__" not in name}
if not {"SIZE", "X", "pthread", "timer"} <= taken:
    sys.exit(f"only {sorted(taken)} were found in the system's headers")
headers |= taken
for name in sorted(headers | words):
    message = refused(name)
    if not re.search(r"; try --name \w+$", message):
        sys.exit(message)
print(f"refused {len(headers | words)} names of headers, keywords and more")

for name in "math string while 224 _x vit--base vit-base-patch16-224 ... vitc".split():
    print(f"folder {name}: {derived(name)}")
long = derived("long" * 60)
print("folder long:", "128 characters or fewer" if len(long) <= 128 else long)
