#include "base/thread/work_thread.hpp"

#include <atomic>

#include <gtest/gtest.h>

namespace waybill {
namespace {

using namespace std::chrono_literals;

constexpr Duration work_forever = 1h;

TEST(WorkThread, AStopEndsAWait) {
  std::atomic<bool> ended = false;
  WorkThread thread(ThreadKind::pump);
  thread.start([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) thread.wait(-1, work_forever);
    ended = true;
  });
  thread.stop();
  EXPECT_TRUE(ended);
  thread.stop();  // has no effect
}

TEST(WorkThread, AWakeBeforeAWaitEndsIt) {
  std::atomic<int> waits = 0;
  WorkThread thread(ThreadKind::pump);
  thread.wake();
  thread.start([&](const std::stop_token&) {
    thread.wait(-1, work_forever);
    waits = 1;
    waits.notify_all();
  });
  waits.wait(0);
  EXPECT_EQ(waits, 1);
}

TEST(WorkThread, ABeatIsSeenByOtherThreads) {
  WorkThread thread(ThreadKind::pump);
  const auto before = thread.heartbeat().age();
  thread.start([&](const std::stop_token&) { thread.beat(); });
  thread.stop();
  EXPECT_GE(before, 0s);
  EXPECT_LT(thread.heartbeat().age(), 1h);
}

}  // namespace
}  // namespace waybill
