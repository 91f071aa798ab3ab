#include "base/thread/mutex.hpp"

#include <chrono>
#include <semaphore>
#include <thread>

#include <gtest/gtest.h>

namespace waybill {
namespace {

using namespace std::chrono_literals;

struct Guarded {
  Mutex mutex;
  Condition changed;
  StopCondition stopped;
  int value GUARDED_BY(mutex) = 0;
};

TEST(Mutex, IsHeldUntilTheEndOfItsLockAndNotBetweenUnlockAndLock) {
  Guarded guarded;
  const auto is_free = [&] {
    bool free = false;
    std::thread([&] {
      if (!guarded.mutex.try_lock()) return;
      free = true;
      guarded.mutex.unlock();
    }).join();
    return free;
  };
  {
    Lock lock(guarded.mutex);
    EXPECT_FALSE(is_free());
    lock.unlock();
    EXPECT_TRUE(is_free());
    lock.lock();
    EXPECT_FALSE(is_free());
  }
  EXPECT_TRUE(is_free());
}

TEST(Condition, AWaitEndsWithItsPredicateOrItsTime) {
  Guarded guarded;
  std::jthread other([&] {
    {
      const Lock lock(guarded.mutex);
      guarded.value = 1;
    }
    guarded.changed.notify_one();
  });
  Lock lock(guarded.mutex);
  guarded.changed.wait(lock, [&]() REQUIRES(guarded.mutex) { return guarded.value == 1; });
  EXPECT_EQ(guarded.value, 1);
  EXPECT_FALSE(
      guarded.changed.wait_for(lock, 1ms, [&]() REQUIRES(guarded.mutex) { return guarded.value == 2; }));
}

TEST(StopCondition, AStopEndsAWait) {
  Guarded guarded;
  std::jthread waiter([&](const std::stop_token& stop) {
    Lock lock(guarded.mutex);
    EXPECT_FALSE(
        guarded.stopped.wait(lock, stop, [&]() REQUIRES(guarded.mutex) { return guarded.value == 1; }));
  });
  waiter.request_stop();
}

TEST(SharedMutex, HasSeveralReaders) {
  SharedMutex mutex;
  std::binary_semaphore has_entered(0);
  std::jthread other;
  const ReaderLock first(mutex);
  other = std::jthread([&] {
    const ReaderLock second(mutex);
    has_entered.release();
  });
  EXPECT_TRUE(has_entered.try_acquire_for(10s));
}

}  // namespace
}  // namespace waybill
