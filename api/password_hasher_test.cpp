#include "api/password_hasher.hpp"

#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace waybill::api {
namespace {

TEST(PasswordHasher, HashesAndCompares) {
  asio::io_context io;
  PasswordHasher hasher;
  const auto work = [&]() -> asio::awaitable<std::vector<bool>> {
    const auto turn = co_await hasher.turn();
    const auto hash = co_await turn.hash("correct horse");
    std::vector<bool> matches;
    matches.push_back(co_await turn.matches("correct horse", hash));
    matches.push_back(co_await turn.matches("wrong horse", hash));
    matches.push_back(co_await turn.matches("correct horse", ""));
    co_return matches;
  };
  auto result = asio::co_spawn(io, work, asio::use_future);
  io.run();
  EXPECT_EQ(result.get(), (std::vector<bool>{true, false, false}));
}

TEST(PasswordHasher, GivesTurnsInOrderAndRefusesWhoComesWhenTooManyWait) {
  asio::io_context io;
  PasswordHasher hasher;
  std::vector<PasswordHasher::Turn> held;
  std::vector<int> served;
  int refused = 0;
  const auto want = [&](int number) -> asio::awaitable<void> {
    try {
      held.push_back(co_await hasher.turn());
      served.push_back(number);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ErrorCode::unavailable);
      ++refused;
    }
  };
  for (int number = 0; number < 100; ++number) asio::co_spawn(io, want(number), asio::detached);
  io.poll();
  const auto at_once = served.size();
  EXPECT_GE(at_once, 1U);
  EXPECT_LE(at_once, 2U);
  EXPECT_EQ(refused, 100 - static_cast<int>(at_once + PasswordHasher::most_waiting));
  while (!held.empty()) {
    held.clear();
    io.restart();
    io.poll();
  }
  ASSERT_EQ(served.size(), at_once + PasswordHasher::most_waiting);
  for (std::size_t index = 0; index < served.size(); ++index)
    EXPECT_EQ(served[index], static_cast<int>(index));
}

}  // namespace
}  // namespace waybill::api
