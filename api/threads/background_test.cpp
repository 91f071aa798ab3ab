#include "api/threads/background.hpp"

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace waybill::api {
namespace {

struct Threads {
  std::thread::id work;
  std::thread::id after;
};

asio::awaitable<Threads> run_once(Background& background) {
  Threads threads;
  threads.work = co_await background.run([] { return std::this_thread::get_id(); });
  threads.after = std::this_thread::get_id();
  co_return threads;
}

TEST(Background, WorkRunsOnAnotherThreadAndItsResultComesBack) {
  asio::io_context io;
  Background background;
  auto first = asio::co_spawn(io, run_once(background), asio::use_future);
  auto second = asio::co_spawn(io, run_once(background), asio::use_future);
  io.run();
  for (auto* const result : {&first, &second}) {
    const auto threads = result->get();
    EXPECT_NE(threads.work, std::this_thread::get_id());
    EXPECT_EQ(threads.after, std::this_thread::get_id());
  }
}

TEST(Background, AnExceptionOfTheWorkReachesTheCaller) {
  asio::io_context io;
  Background background;
  auto result = asio::co_spawn(io, background.run([]() -> int { throw std::runtime_error("no ink"); }),
                               asio::use_future);
  io.run();
  EXPECT_THROW(result.get(), std::runtime_error);
}

/// Blocks threads until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++inside_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
  }
  void wait_for(int inside) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return inside_ >= inside; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool is_open_ = false;
};

TEST(Background, ABusinessLeavesAThreadToOthers) {
  asio::io_context io;
  Background background({.threads = 3});
  const auto busy = Guid::random();
  Gate gate;
  std::vector<std::future<void>> held(10);
  for (auto& one : held)
    one = asio::co_spawn(io, background.run(busy, [&] { gate.pass(); }), asio::use_future);
  auto quiet = asio::co_spawn(io, background.run(Guid::random(), [] { return 7; }), asio::use_future);
  std::thread thread([&] { io.run(); });
  gate.wait_for(2);
  EXPECT_EQ(quiet.get(), 7);
  EXPECT_TRUE(background.is_busy());
  gate.open();
  for (auto& one : held) one.get();
  thread.join();
  EXPECT_FALSE(background.is_busy());
}

TEST(Background, BusinessesTakeTurns) {
  asio::io_context io;
  Background background({.threads = 1});
  const auto first = Guid::random();
  const auto second = Guid::random();
  Gate gate;
  std::vector<Guid> order;
  std::vector<std::future<void>> all;
  const auto put = [&](const Guid& business, bool waits) {
    auto work = [&, business, waits] {
      if (waits) gate.pass();
      order.push_back(business);  // one thread
    };
    all.push_back(asio::co_spawn(io, background.run(business, work), asio::use_future));
  };
  put(first, true);
  for (int i = 0; i < 3; ++i) put(first, false);
  for (int i = 0; i < 2; ++i) put(second, false);
  io.poll();
  gate.wait_for(1);
  gate.open();
  io.restart();
  io.run();
  for (auto& one : all) one.get();
  EXPECT_EQ(order, (std::vector<Guid>{first, second, first, second, first, first}));
}

TEST(Background, TooMuchWorkOfABusinessIsRefusedAndThatOfOthersIsNot) {
  asio::io_context io;
  Background background({.threads = 2, .most = 5, .most_of_one = 3});
  const auto busy = Guid::random();
  const auto second = Guid::random();
  Gate gate;
  std::vector<std::future<void>> all;
  const auto put = [&](const Guid& business) {
    all.push_back(asio::co_spawn(io, background.run(business, [&] { gate.pass(); }), asio::use_future));
  };
  for (int i = 0; i < 4; ++i) put(busy);
  for (int i = 0; i < 3; ++i) put(second);
  for (int i = 0; i < 20; ++i) put(Guid::random());
  put(second);
  io.poll();
  gate.open();
  io.restart();
  io.run();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 3 || i == 6 || i == 27) {
      EXPECT_THROW(all[i].get(), Failure) << i;
    } else {
      EXPECT_NO_THROW(all[i].get()) << i;
    }
  }
}

TEST(Background, WorkThatWaitsIsRefusedWhenItEnds) {
  asio::io_context io;
  std::future<int> waiting;
  Gate gate;
  {
    Background background({.threads = 1});
    asio::co_spawn(io, background.run([&] { gate.pass(); }), asio::detached);
    waiting = asio::co_spawn(io, background.run([] { return 1; }), asio::use_future);
    io.poll();
    gate.wait_for(1);
    gate.open();
  }
  io.restart();
  io.poll();
  EXPECT_THROW(waiting.get(), Failure);
}

TEST(Background, ItMayEndBeforeItsIoContextWhileWorkIsUnderway) {
  asio::io_context io;
  bool done = false;
  {
    Background background;
    asio::co_spawn(io, run_once(background), [&](const std::exception_ptr&, Threads) { done = true; });
    io.poll_one();
  }
  io.stop();
  EXPECT_FALSE(done) << "nobody waits for it any more";
}

}  // namespace
}  // namespace waybill::api
