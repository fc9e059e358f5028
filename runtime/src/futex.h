// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Sleeping until a word changes: the one service that the threads need of the
/// operating system. Another system is another version of this file.
#ifndef VITC_RUNTIME_SRC_FUTEX_H
#define VITC_RUNTIME_SRC_FUTEX_H

#include <atomic>
#include <climits>
#include <cstdint>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vitc::rt {

using FutexWord = std::atomic<uint32_t>;
static_assert(sizeof(FutexWord) == 4 && FutexWord::is_always_lock_free);

/// Sleeps while `word` holds `expected`; may also return for no reason.
static inline void futexWait(FutexWord &word, uint32_t expected) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAIT_PRIVATE,
          expected, nullptr, nullptr, 0);
}

/// Wakes at most `count` threads that sleep on `word`.
static inline void futexWake(FutexWord &word, int count) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_PRIVATE,
          count, nullptr, nullptr, 0);
}

} // namespace vitc::rt

#endif // VITC_RUNTIME_SRC_FUTEX_H
