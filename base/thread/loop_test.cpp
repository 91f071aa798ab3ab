#include "base/thread/loop.hpp"

#include <array>
#include <atomic>
#include <pthread.h>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace waybill {
namespace {

using namespace std::chrono_literals;

constexpr Duration forever = 1h;

Duration no_failure(const std::exception&) { return forever; }

TEST(Loop, RepeatsItsTurnAfterTheWaitThatTheTurnReturns) {
  std::atomic<int> turns = 0;
  Loop loop(
      ThreadKind::duties,
      [&] {
        const int turn = ++turns;
        turns.notify_all();
        return Loop::Wait{turn < 3 ? Duration::zero() : forever};
      },
      no_failure);
  loop.start();
  for (int seen = turns; seen < 3; seen = turns) turns.wait(seen);
  loop.stop();
  EXPECT_EQ(turns, 3);
}

TEST(Loop, AWakeBeginsTheNextTurn) {
  std::atomic<int> turns = 0;
  Loop loop(
      ThreadKind::duties,
      [&] {
        ++turns;
        turns.notify_all();
        return Loop::Wait{forever};
      },
      no_failure);
  loop.start();
  turns.wait(0);
  loop.wake();
  turns.wait(1);
  loop.stop();
  EXPECT_EQ(turns, 2);
}

TEST(Loop, GoesOnAfterAnExceptionAndTheWaitThatItsReportReturns) {
  std::atomic<int> turns = 0;
  std::string reported;
  Loop loop(
      ThreadKind::duties,
      [&] {
        const int turn = ++turns;
        turns.notify_all();
        if (turn == 1) throw std::runtime_error("no database");
        return Loop::Wait{forever};
      },
      [&](const std::exception& error) {
        reported = error.what();
        return Duration::zero();
      });
  loop.start();
  for (int seen = turns; seen < 2; seen = turns) turns.wait(seen);
  loop.stop();
  EXPECT_EQ(reported, "no database");
}

TEST(Loop, BeginsNoTurnAfterARequestedStop) {
  std::atomic<int> turns = 0;
  std::atomic<bool> is_requested = false;
  Loop loop(
      ThreadKind::duties,
      [&] {
        ++turns;
        turns.notify_all();
        is_requested.wait(false);
        return Loop::Wait{};
      },
      no_failure);
  loop.stop();  // has no effect before the start
  EXPECT_FALSE(loop.is_started());
  loop.start();
  turns.wait(0);
  loop.request_stop();
  is_requested = true;
  is_requested.notify_all();
  loop.stop();
  EXPECT_EQ(turns, 1);
}

TEST(Loop, ItsThreadHasTheNameOfItsRow) {
  std::array<char, 16> name{};
  std::atomic<bool> is_known = false;
  Loop loop(
      ThreadKind::duties,
      [&] {
        pthread_getname_np(pthread_self(), name.data(), name.size());
        is_known = true;
        is_known.notify_all();
        return Loop::Wait{forever};
      },
      no_failure);
  loop.start();
  is_known.wait(false);
  loop.stop();
  EXPECT_EQ(std::string(name.data()), row_of(ThreadKind::duties).name);
}

}  // namespace
}  // namespace waybill
