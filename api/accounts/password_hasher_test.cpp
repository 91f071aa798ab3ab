#include "api/accounts/password_hasher.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace waybill::api {
namespace {

using Purpose = PasswordHasher::Purpose;

TEST(PasswordHasher, HashesAndCompares) {
  asio::io_context io;
  PasswordHasher hasher;
  const auto work = [&]() -> asio::awaitable<std::vector<bool>> {
    const auto turn = co_await hasher.turn(Purpose::login, "192.0.2.1");
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

/// Clients that request a turn and keep it until the test ends it.
class HasherTurns : public testing::Test {
 protected:
  void request(const std::string& name, Purpose purpose, const std::string& network) {
    const auto wait = [](HasherTurns& test, std::string client, Purpose reason,
                         std::string from) -> asio::awaitable<void> {
      try {
        auto turn = co_await test.hasher.turn(reason, std::move(from));
        test.held.push_back(std::move(turn));
        test.served.push_back(std::move(client));
      } catch (const Failure& failure) {
        EXPECT_EQ(failure.code(), ErrorCode::unavailable);
        ++test.refused;
      }
    };
    asio::co_spawn(io, wait(*this, name, purpose, network), asio::detached);
    io.restart();
    io.poll();
  }

  /// Ends one turn after another until no client waits.
  void serve_all() {
    while (!held.empty()) {
      held.pop_front();
      io.restart();
      io.poll();
    }
  }

  asio::io_context io;
  PasswordHasher hasher;
  std::deque<PasswordHasher::Turn> held;
  std::vector<std::string> served;
  int refused = 0;
};

TEST_F(HasherTurns, AreInOrderAndRefusedWhenTooManyOfANetworkWait) {
  for (std::size_t number = 0; number < 100; ++number) {
    request(std::to_string(number), Purpose::login, "192.0.2.1");
  }
  const auto at_once = served.size();
  EXPECT_GE(at_once, 1U);
  EXPECT_LE(at_once, 2U);
  EXPECT_EQ(refused, 100 - static_cast<int>(at_once + PasswordHasher::most_waiting_of_network));
  request("another", Purpose::login, "192.0.2.2");
  EXPECT_EQ(refused, 100 - static_cast<int>(at_once + PasswordHasher::most_waiting_of_network))
      << "another network has places left";
  serve_all();
  ASSERT_EQ(served.size(), at_once + PasswordHasher::most_waiting_of_network + 1);
  EXPECT_EQ(served[at_once + 1], "another");
  std::erase(served, "another");
  for (std::size_t index = 0; index < served.size(); ++index) EXPECT_EQ(served[index], std::to_string(index));
}

TEST_F(HasherTurns, AreRefusedWhenTooManyOfAllNetworksWait) {
  for (int number = 0; number < 300; ++number) request("", Purpose::login, std::to_string(number));
  EXPECT_EQ(refused, 300 - static_cast<int>(held.size() + PasswordHasher::most_waiting));
  serve_all();
}

TEST_F(HasherTurns, OfFewNetworksKeepNoOtherNetworkOut) {
  for (int network = 0; network < 4; ++network) {
    for (std::size_t number = 0; number < PasswordHasher::most_waiting_of_network + 2; ++number)
      request("loud", Purpose::login, std::to_string(network));
  }
  const int refused_loud = refused;
  EXPECT_GT(refused_loud, 0);
  request("quiet", Purpose::login, "another");
  EXPECT_EQ(refused, refused_loud);
  request("loud", Purpose::login, "0");
  EXPECT_EQ(refused, refused_loud + 1);
  const std::size_t at_once = served.size();
  serve_all();
  const auto turn = std::ranges::find(served, "quiet") - served.begin();
  EXPECT_LE(turn, static_cast<std::ptrdiff_t>(at_once + 4)) << "it waits for one turn of each other network";
}

TEST_F(HasherTurns, LetALoginWaitForAtMostOneRegistration) {
  request("registers", Purpose::other, "192.0.2.1");
  request("registers", Purpose::other, "192.0.2.1");
  const auto at_once = held.size();
  for (int number = 0; number < 20; ++number) request("registers", Purpose::other, "192.0.2.1");
  request("logs in", Purpose::login, "192.0.2.1");
  serve_all();
  const auto login = std::ranges::find(served, "logs in") - served.begin();
  EXPECT_LE(login, static_cast<std::ptrdiff_t>(at_once + 1));
}

}  // namespace
}  // namespace waybill::api
