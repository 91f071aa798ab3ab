#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <utility>

#include "base/thread/annotations.hpp"

namespace waybill {

/// A mutex that clang's thread-safety analysis knows. A member that it guards is declared with
/// `GUARDED_BY(mutex_)`, and a function that its caller calls under the lock with `REQUIRES(mutex_)`.
class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  bool try_lock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class Lock;
  std::mutex mutex_;
};

/// Holds a mutex until its end, except between `unlock` and `lock`.
class SCOPED_CAPABILITY Lock {
 public:
  explicit Lock(Mutex& mutex) ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~Lock() RELEASE() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void lock() ACQUIRE() { lock_.lock(); }
  void unlock() RELEASE() { lock_.unlock(); }

 private:
  friend class Condition;
  friend class StopCondition;
  std::unique_lock<std::mutex> lock_;
};

/// A condition variable. A predicate that reads guarded members is a lambda declared with
/// `REQUIRES(mutex_)`: `[this]() REQUIRES(mutex_) { return done_; }`.
class Condition {
 public:
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

  /// Waits until the predicate is true. The lock is held when it is called, and after the wait.
  template <typename Predicate>
  void wait(Lock& lock, Predicate predicate) {
    condition_.wait(lock.lock_, std::move(predicate));
  }
  /// Waits until the predicate is true or the time is over. Returns the value of the predicate.
  template <typename Rep, typename Period, typename Predicate>
  bool wait_for(Lock& lock, std::chrono::duration<Rep, Period> limit, Predicate predicate) {
    return condition_.wait_for(lock.lock_, limit, std::move(predicate));
  }
  template <typename Clock, typename Length, typename Predicate>
  bool wait_until(Lock& lock, std::chrono::time_point<Clock, Length> limit, Predicate predicate) {
    return condition_.wait_until(lock.lock_, limit, std::move(predicate));
  }
  /// Waits until a notification, the time, or a spurious wake-up.
  template <typename Rep, typename Period>
  void wait_for(Lock& lock, std::chrono::duration<Rep, Period> limit) {
    condition_.wait_for(lock.lock_, limit);
  }

 private:
  std::condition_variable condition_;
};

/// A condition variable whose waits a stop ends, too.
class StopCondition {
 public:
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

  /// Waits until the predicate is true or a stop is requested. Returns the value of the predicate.
  template <typename Predicate>
  bool wait(Lock& lock, std::stop_token stop, Predicate predicate) {
    return condition_.wait(lock.lock_, std::move(stop), std::move(predicate));
  }
  template <typename Rep, typename Period, typename Predicate>
  bool wait_for(Lock& lock, std::stop_token stop, std::chrono::duration<Rep, Period> limit,
                Predicate predicate) {
    return condition_.wait_for(lock.lock_, std::move(stop), limit, std::move(predicate));
  }
  template <typename Clock, typename Length, typename Predicate>
  bool wait_until(Lock& lock, std::stop_token stop, std::chrono::time_point<Clock, Length> limit,
                  Predicate predicate) {
    return condition_.wait_until(lock.lock_, std::move(stop), limit, std::move(predicate));
  }

 private:
  std::condition_variable_any condition_;
};

/// A mutex that several readers, or one writer, may hold.
class CAPABILITY("mutex") SharedMutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  void lock_shared() ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void unlock_shared() RELEASE_GENERIC() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

/// Holds a shared mutex as its writer until its end.
class SCOPED_CAPABILITY WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~WriterLock() RELEASE() { mutex_.unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mutex_;
};

/// Holds a shared mutex as one of its readers until its end.
class SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) ACQUIRE_SHARED(mutex) : mutex_(mutex) { mutex_.lock_shared(); }
  ~ReaderLock() RELEASE_GENERIC() { mutex_.unlock_shared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace waybill
