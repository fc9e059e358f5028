// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReservedNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace vitc;
using llvm::StringRef;

/// Without `.h`: a product's -IOUT/include would hide the system's file of that
/// name. Only names that are identifiers.
static constexpr StringRef headers[] = {
    // C, up to C23
    "assert", "complex", "ctype", "errno", "fenv", "float", "inttypes",
    "iso646", "limits", "locale", "math", "setjmp", "signal", "stdalign",
    "stdarg", "stdatomic", "stdbit", "stdbool", "stdckdint", "stdcountof",
    "stddef", "stddefer", "stdint", "stdio", "stdlib", "stdmchar",
    "stdnoreturn", "string", "tgmath", "threads", "time", "uchar", "wchar",
    "wctype",
    // POSIX.1-2017 and 2024
    "aio", "cpio", "devctl", "dirent", "dlfcn", "endian", "fcntl", "fmtmsg",
    "fnmatch", "ftw", "glob", "grp", "iconv", "langinfo", "libgen", "libintl",
    "monetary", "mqueue", "ndbm", "netdb", "nl_types", "poll", "pthread", "pwd",
    "regex", "sched", "search", "semaphore", "spawn", "strings", "stropts",
    "syslog", "tar", "termios", "trace", "ulimit", "unistd", "utime", "utmpx",
    "wordexp",
    // glibc and other C libraries of Linux
    "aliases", "alloca", "ar", "argp", "argz", "byteswap", "crypt", "elf",
    "envz", "err", "error", "execinfo", "features", "fpu_control", "fstab",
    "fts", "gconv", "getopt", "gshadow", "ieee754", "ifaddrs", "lastlog",
    "link", "malloc", "mcheck", "memory", "mntent", "nss", "obstack", "paths",
    "printf", "proc_service", "pty", "re_comp", "regexp", "resolv", "sgtty",
    "shadow", "stab", "stdio_ext", "syscall", "sysexits", "termio", "thread_db",
    "ttyent", "ucontext", "utmp", "values", "wait",
    // compilers; those that end in "intrin" are not listed
    "acc_prof", "altivec", "arm64intr", "arm_acle", "arm_bf16", "arm_cde",
    "arm_cmse", "arm_fp16", "arm_mve", "arm_neon", "arm_neon_sve_bridge",
    "arm_sme", "arm_sve", "arm_vector_types", "armintr", "backtrace",
    "builtins", "cet", "cpuid", "cxxabi", "gcov", "mm3dnow", "mm_malloc", "omp",
    "openacc", "ptrauth", "quadmath", "quadmath_weak", "stdfix", "syslimits",
    "unwind", "vadefs", "varargs", "yvals_core"};

/// Keywords and alternative tokens, up to C23 and C++20.
static constexpr StringRef keywords[] = {"alignas",
                                         "alignof",
                                         "and",
                                         "and_eq",
                                         "asm",
                                         "auto",
                                         "bitand",
                                         "bitor",
                                         "bool",
                                         "break",
                                         "case",
                                         "catch",
                                         "char",
                                         "char16_t",
                                         "char32_t",
                                         "char8_t",
                                         "class",
                                         "co_await",
                                         "co_return",
                                         "co_yield",
                                         "compl",
                                         "concept",
                                         "const",
                                         "const_cast",
                                         "consteval",
                                         "constexpr",
                                         "constinit",
                                         "continue",
                                         "decltype",
                                         "default",
                                         "delete",
                                         "do",
                                         "double",
                                         "dynamic_cast",
                                         "else",
                                         "enum",
                                         "explicit",
                                         "export",
                                         "extern",
                                         "false",
                                         "float",
                                         "for",
                                         "friend",
                                         "goto",
                                         "if",
                                         "inline",
                                         "int",
                                         "long",
                                         "mutable",
                                         "namespace",
                                         "new",
                                         "noexcept",
                                         "not",
                                         "not_eq",
                                         "nullptr",
                                         "operator",
                                         "or",
                                         "or_eq",
                                         "private",
                                         "protected",
                                         "public",
                                         "register",
                                         "reinterpret_cast",
                                         "requires",
                                         "restrict",
                                         "return",
                                         "short",
                                         "signed",
                                         "sizeof",
                                         "static",
                                         "static_assert",
                                         "static_cast",
                                         "struct",
                                         "switch",
                                         "template",
                                         "this",
                                         "thread_local",
                                         "throw",
                                         "true",
                                         "try",
                                         "typedef",
                                         "typeid",
                                         "typename",
                                         "typeof",
                                         "typeof_unqual",
                                         "union",
                                         "unsigned",
                                         "using",
                                         "virtual",
                                         "void",
                                         "volatile",
                                         "wchar_t",
                                         "while",
                                         "xor",
                                         "xor_eq"};

/// libNAME of the system, which -LOUT/lib would hide.
static constexpr StringRef libraries[] = {
    "anl",  "asan",      "atomic", "c",     "crypt",    "dl",     "g",
    "gcc",  "gcc_eh",    "gcc_s",  "gcov",  "gomp",     "hwasan", "itm",
    "lsan", "m",         "mvec",   "nsl",   "quadmath", "resolv", "rt",
    "ssp",  "thread_db", "tsan",   "ubsan", "unwind",   "util"};

/// What NAME_create, NAME_run or NAME_destroy is a function of the C library
/// for.
static constexpr StringRef functions[] = {"argz",
                                          "authdes",
                                          "authdes_pk",
                                          "authnone",
                                          "authunix",
                                          "clnt",
                                          "clntraw",
                                          "clnttcp",
                                          "clntudp",
                                          "clntunix",
                                          "cnd",
                                          "epoll",
                                          "memfd",
                                          "mtx",
                                          "posix_spawn_file_actions",
                                          "posix_spawnattr",
                                          "sem",
                                          "svc",
                                          "svcfd",
                                          "svcraw",
                                          "svctcp",
                                          "svcudp",
                                          "svcunix",
                                          "svcunixfd",
                                          "thrd",
                                          "timer",
                                          "timerfd",
                                          "tss",
                                          "xdrmem",
                                          "xdrrec",
                                          "xdrstdio"};

/// What NAME_OK, NAME_WIDTH, NAME_BATCH or NAME_status is something in headers
/// of the C library for, often a macro. SYS_… are all macros.
static constexpr StringRef constants[] = {"ARGP_HELP_EXIT",
                                          "BOOL",
                                          "CHAR",
                                          "CRYPT_SALT",
                                          "EX",
                                          "F",
                                          "INT",
                                          "INT16",
                                          "INT32",
                                          "INT64",
                                          "INT8",
                                          "INTMAX",
                                          "INTPTR",
                                          "INT_FAST16",
                                          "INT_FAST32",
                                          "INT_FAST64",
                                          "INT_FAST8",
                                          "INT_LEAST16",
                                          "INT_LEAST32",
                                          "INT_LEAST64",
                                          "INT_LEAST8",
                                          "LLONG",
                                          "LONG",
                                          "MCHECK",
                                          "MM",
                                          "MSG",
                                          "PS",
                                          "PTRDIFF",
                                          "R",
                                          "SCHAR",
                                          "SCHED",
                                          "SHRT",
                                          "SIG_ATOMIC",
                                          "SIZE",
                                          "TD",
                                          "UCHAR",
                                          "UINT",
                                          "UINT16",
                                          "UINT32",
                                          "UINT64",
                                          "UINT8",
                                          "UINTMAX",
                                          "UINTPTR",
                                          "UINT_FAST16",
                                          "UINT_FAST32",
                                          "UINT_FAST64",
                                          "UINT_FAST8",
                                          "UINT_LEAST16",
                                          "UINT_LEAST32",
                                          "UINT_LEAST64",
                                          "UINT_LEAST8",
                                          "ULLONG",
                                          "ULONG",
                                          "USHRT",
                                          "W",
                                          "WCHAR",
                                          "WINT",
                                          "X",
                                          "argp_err_exit",
                                          "exit",
                                          "re_syntax",
                                          "si"};

/// Their beginnings belong to what every library holds, or to the C library as
/// a whole.
static constexpr StringRef takenPrefixes[] = {"vitc", "halide", "pthread"};

std::string vitc::whyReserved(StringRef name) {
  if (name.starts_with("_") || name.ends_with("_") || name.contains("__"))
    return "names with _ at an end or twice in a row are reserved in C++";
  if (llvm::is_contained(keywords, name))
    return "it is a keyword of C or C++";
  if (name == "main" || name == "std")
    return "it has a meaning of its own in C or C++";
  if (llvm::is_contained(headers, name) || name.ends_with("intrin"))
    return (name + ".h would hide a header of the system").str();
  for (StringRef family : takenPrefixes)
    if (name == family || name.starts_with((family + "_").str()))
      return (family + "_… are functions of " +
              (family == "pthread" ? "the system" : "vitc's runtime"))
          .str();
  if (llvm::is_contained(libraries, name))
    return ("lib" + name + ".so would hide a library of the system").str();
  if (llvm::is_contained(functions, name))
    return (name + "_… are functions of the C library").str();
  if (llvm::is_contained(constants, name) || name.starts_with("SYS_"))
    return (name + "_… are names in the system's headers").str();
  if (name.equals_insensitive("threads"))
    return "CMake's package of that name is one that the library needs";
  return "";
}
