// The functions of the C library for threads, waits and time, as this program uses them. In a simulation they
// make fibers, switch between them and read the clock of the Scheduler; otherwise they do what those of the
// library do. The linker takes them instead of the library's, also for the C++ library.
#include <cerrno>
#include <chrono>
#include <ctime>
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "tests/simulate/scheduler.hpp"

namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using waybill::simulate::Scheduler;

/// The library's function of a name.
template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

Scheduler::Moment moment(const timespec& time) {
  return Scheduler::Moment(seconds(time.tv_sec) + nanoseconds(time.tv_nsec));
}

/// The moment at which a clock shows a time.
Scheduler::Moment moment(Scheduler& scheduler, clockid_t clock, const timespec& time) {
  if (clock != CLOCK_REALTIME) return moment(time);
  const auto now = (scheduler.time() + scheduler.skew()).time_since_epoch();
  return scheduler.now() + (seconds(time.tv_sec) + nanoseconds(time.tv_nsec) - now);
}

int try_lock(pthread_mutex_t* mutex) {
  static auto* const function = real<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  return function(mutex);
}

int unlock(pthread_mutex_t* mutex) {
  static auto* const function = real<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  return function(mutex);
}

/// The fibers that wait for a mutex. It is too high after a simulation that did not come to its end.
int waiting_for_mutexes = 0;

int wait(Scheduler& scheduler, pthread_cond_t* condition, pthread_mutex_t* mutex,
         std::optional<Scheduler::Moment> deadline) {
  pthread_mutex_unlock(mutex);
  const bool was_woken = scheduler.wait(condition, deadline);
  pthread_mutex_lock(mutex);
  return was_woken ? 0 : ETIMEDOUT;
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  if (Scheduler* const scheduler = Scheduler::active()) {
    *thread = scheduler->start(scheduler->owner(), [run, argument] { run(argument); });
    return 0;
  }
  static auto* const function =
      real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return function(thread, attributes, run, argument);
}

int pthread_join(pthread_t thread, void** result) {
  if (Scheduler* const scheduler = Scheduler::active()) {
    scheduler->join(thread);
    return 0;
  }
  static auto* const function = real<int(pthread_t, void**)>("pthread_join");
  return function(thread, result);
}

int pthread_setname_np(pthread_t thread, const char* name) noexcept {
  if (Scheduler::active() != nullptr) return 0;
  static auto* const function = real<int(pthread_t, const char*)>("pthread_setname_np");
  return function(thread, name);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (Scheduler* const scheduler = Scheduler::active()) {
    while (try_lock(mutex) == EBUSY) {
      ++waiting_for_mutexes;
      scheduler->wait(mutex);
      --waiting_for_mutexes;
    }
    return 0;
  }
  static auto* const function = real<int(pthread_mutex_t*)>("pthread_mutex_lock");
  return function(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  const int result = unlock(mutex);
  if (waiting_for_mutexes == 0) return result;
  if (Scheduler* const scheduler = Scheduler::active()) scheduler->wake_all(mutex);
  return result;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (Scheduler* const scheduler = Scheduler::active())
    return wait(*scheduler, condition, mutex, std::nullopt);
  static auto* const function = real<int(pthread_cond_t*, pthread_mutex_t*)>("pthread_cond_wait");
  return function(condition, mutex);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* time) {
  if (Scheduler* const scheduler = Scheduler::active())
    return wait(*scheduler, condition, mutex, moment(*scheduler, clock, *time));
  static auto* const function =
      real<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>("pthread_cond_clockwait");
  return function(condition, mutex, clock, time);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* time) {
  if (Scheduler* const scheduler = Scheduler::active())
    return wait(*scheduler, condition, mutex, moment(*scheduler, CLOCK_REALTIME, *time));
  static auto* const function =
      real<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>("pthread_cond_timedwait");
  return function(condition, mutex, time);
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  if (Scheduler* const scheduler = Scheduler::active()) {
    scheduler->wake_one(condition);
    return 0;
  }
  static auto* const function = real<int(pthread_cond_t*)>("pthread_cond_signal");
  return function(condition);
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  if (Scheduler* const scheduler = Scheduler::active()) {
    scheduler->wake_all(condition);
    return 0;
  }
  static auto* const function = real<int(pthread_cond_t*)>("pthread_cond_broadcast");
  return function(condition);
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  Scheduler* const scheduler = Scheduler::active();
  if (scheduler == nullptr || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME))
    return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  const nanoseconds now = clock == CLOCK_MONOTONIC
                              ? nanoseconds(scheduler->now().time_since_epoch())
                              : nanoseconds((scheduler->time() + scheduler->skew()).time_since_epoch());
  time->tv_sec = now / seconds(1);
  time->tv_nsec = (now % seconds(1)).count();
  return 0;
}

int ppoll(pollfd* watched, nfds_t count, const timespec* limit, const sigset_t* signals) {
  Scheduler* const scheduler = Scheduler::active();
  if (scheduler == nullptr)
    return static_cast<int>(syscall(SYS_ppoll, watched, count, limit, signals, sizeof(unsigned long)));
  std::vector<int> descriptors;
  for (nfds_t i = 0; i < count; ++i) descriptors.push_back(watched[i].fd);
  scheduler->wait_for_signals(descriptors,
                              scheduler->now() + seconds(limit->tv_sec) + nanoseconds(limit->tv_nsec));
  int readable = 0;
  for (nfds_t i = 0; i < count; ++i) {
    watched[i].revents = scheduler->is_signalled(watched[i].fd) ? POLLIN : 0;
    readable += watched[i].revents != 0 ? 1 : 0;
  }
  return readable;
}

int eventfd(unsigned count, int flags) noexcept {
  if (Scheduler* const scheduler = Scheduler::active()) return scheduler->open_signal();
  return static_cast<int>(syscall(SYS_eventfd2, count, flags));
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  Scheduler* const scheduler = Scheduler::active();
  if (scheduler == nullptr || !Scheduler::is_signal(descriptor))
    return syscall(SYS_write, descriptor, bytes, count);
  scheduler->signal(descriptor);
  return static_cast<ssize_t>(count);
}

ssize_t read(int descriptor, void* bytes, size_t count) {
  Scheduler* const scheduler = Scheduler::active();
  if (scheduler == nullptr || !Scheduler::is_signal(descriptor))
    return syscall(SYS_read, descriptor, bytes, count);
  if (scheduler->take_signal(descriptor)) return static_cast<ssize_t>(count);
  errno = EAGAIN;
  return -1;
}

int close(int descriptor) {
  Scheduler* const scheduler = Scheduler::active();
  if (scheduler == nullptr || !Scheduler::is_signal(descriptor))
    return static_cast<int>(syscall(SYS_close, descriptor));
  scheduler->close_signal(descriptor);
  return 0;
}

}  // extern "C"
