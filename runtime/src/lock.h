// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A lock that is held for as long as an object lives. std::mutex would do the
/// same, but needs the C++ library. Only creating and destroying contexts takes
/// locks.
#ifndef VITC_RUNTIME_SRC_LOCK_H
#define VITC_RUNTIME_SRC_LOCK_H

#include <pthread.h>

namespace vitc::rt {

class Guard {
public:
  explicit Guard(pthread_mutex_t &mutex) : mutex(mutex) {
    pthread_mutex_lock(&mutex);
  }
  ~Guard() { pthread_mutex_unlock(&mutex); }
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;

private:
  pthread_mutex_t &mutex;
};

} // namespace vitc::rt

#endif // VITC_RUNTIME_SRC_LOCK_H
