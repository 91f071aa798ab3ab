#include "api/records/totals.hpp"

#include <stdexcept>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using testing::ElementsAre;

/// Counts that end when the test says so. Each returns the number of counts begun.
class TotalsTest : public testing::Test {
 protected:
  void request(const std::string& key) {
    asio::co_spawn(io, ask(key), asio::detached);
    io.restart();
    io.poll();
  }

  void end_count(bool fails = false) {
    fails_ = fails;
    open_.front()->cancel();
    open_.erase(open_.begin());
    io.restart();
    io.poll();
  }

  asio::io_context io;
  Totals totals;
  int begun = 0;
  std::vector<std::int64_t> answers;
  int failures = 0;

 private:
  asio::awaitable<void> ask(std::string key) {
    try {
      answers.push_back(co_await totals.count(key, [this] { return held_count(); }));
    } catch (const std::runtime_error&) {
      ++failures;
    }
  }

  asio::awaitable<std::int64_t> held_count() {
    const auto number = ++begun;
    open_.push_back(std::make_shared<asio::steady_timer>(io, asio::steady_timer::time_point::max()));
    boost::system::error_code cancelled;
    co_await open_.back()->async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    if (fails_) throw std::runtime_error("refused");
    co_return number;
  }

  std::vector<std::shared_ptr<asio::steady_timer>> open_;
  bool fails_ = false;
};

TEST_F(TotalsTest, CallersThatWaitForACountShareTheNextOne) {
  for (int i = 0; i < 4; ++i) request("a");
  EXPECT_EQ(begun, 1);
  end_count();
  EXPECT_EQ(begun, 2);
  EXPECT_THAT(answers, ElementsAre(1));
  end_count();
  EXPECT_EQ(begun, 2);
  EXPECT_THAT(answers, ElementsAre(1, 2, 2, 2));
}

TEST_F(TotalsTest, ACountServesNoCallerThatCameAfterItBegan) {
  request("a");
  request("a");
  end_count();
  request("a");
  end_count();
  EXPECT_THAT(answers, ElementsAre(1, 2));
  end_count();
  EXPECT_THAT(answers, ElementsAre(1, 2, 3));
}

TEST_F(TotalsTest, DifferentCountsRunAtOnce) {
  request("a");
  request("b");
  EXPECT_EQ(begun, 2);
  end_count();
  end_count();
  EXPECT_THAT(answers, ElementsAre(1, 2));
}

TEST_F(TotalsTest, AFailureReachesItsCallersAndNoOther) {
  for (int i = 0; i < 4; ++i) request("a");
  end_count();
  request("a");
  end_count(true);
  EXPECT_EQ(failures, 3);
  end_count();
  EXPECT_THAT(answers, ElementsAre(1, 3));
  request("a");
  end_count();
  EXPECT_THAT(answers, ElementsAre(1, 3, 4));
}

TEST_F(TotalsTest, RemembersWhetherATotalWasLarge) {
  EXPECT_EQ(totals.last_size("a"), Totals::Size::unknown);
  totals.remember("a", Totals::large);
  totals.remember("b", Totals::large - 1);
  EXPECT_EQ(totals.last_size("a"), Totals::Size::large);
  EXPECT_EQ(totals.last_size("b"), Totals::Size::small);
  totals.remember("a", 1);
  EXPECT_EQ(totals.last_size("a"), Totals::Size::small);
}

TEST_F(TotalsTest, RemembersALimitedNumberOfTotals) {
  for (int i = 0; i < 5000; ++i) totals.remember(std::to_string(i), 1);
  EXPECT_EQ(totals.last_size("0"), Totals::Size::unknown);
  EXPECT_EQ(totals.last_size("4999"), Totals::Size::small);
}

}  // namespace
}  // namespace waybill::api
