#include "api/background.hpp"

#include <stdexcept>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

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

TEST(Background, WhatWorkThrowsIsThrownToTheCaller) {
  asio::io_context io;
  Background background;
  auto result = asio::co_spawn(io, background.run([]() -> int { throw std::runtime_error("no ink"); }),
                               asio::use_future);
  io.run();
  EXPECT_THROW(result.get(), std::runtime_error);
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
