// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// An interrupted program leaves neither files nor processes behind.
///
/// A signal handler may do next to nothing, so it only wakes a thread, and that
/// thread cleans up with ordinary code: it ends the processes, removes the
/// files and folders, and ends the program as the signal would have done. It
/// takes a lock for that and never gives it back. Whatever could bring a file
/// or a process back holds the same lock (an `InterruptLock`), so the rest of
/// the program stops at the next such step; it cannot report an error of its
/// own because its files vanish either.
#ifndef VITC_SUPPORT_INTERRUPT_H
#define VITC_SUPPORT_INTERRUPT_H

#include "llvm/ADT/StringRef.h"

#include <sys/types.h>

namespace vitc {

/// Starts the thread, for SIGHUP, SIGINT, SIGPIPE, SIGQUIT and SIGTERM except
/// those that the program was started to ignore (`nohup`). A write beyond the
/// limit on file sizes becomes an error instead of SIGXFSZ. Without this call
/// signals do what they always do.
void cleanUpOnInterrupt();

/// No interrupt is acted on while one lives. They do not nest.
class InterruptLock {
public:
  InterruptLock();
  ~InterruptLock();
  InterruptLock(const InterruptLock &) = delete;
  InterruptLock &operator=(const InterruptLock &) = delete;

  /// A file, or a folder with all that is in it, that must not be left behind.
  void add(llvm::StringRef path);
  /// A folder that must not be left behind empty. Those inside it are added
  /// before it.
  void addIfEmpty(llvm::StringRef folder);
  void drop(llvm::StringRef path);
  /// A child that leads a process group of its own, and is not yet waited for.
  void add(pid_t child);
  void drop(pid_t child);
};

} // namespace vitc

#endif // VITC_SUPPORT_INTERRUPT_H
