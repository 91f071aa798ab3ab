#include "base/call_places.hpp"

#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace waybill {
namespace {

using namespace std::chrono_literals;

class CallPlacesTest : public testing::Test {
 protected:
  /// Takes a place and keeps it.
  void take(const std::string& owner, Duration most_wait = 1h) {
    const auto keep = [](CallPlacesTest& test, std::string of, Duration wait) -> asio::awaitable<void> {
      auto place = co_await test.places.take(of, wait);
      test.taken.push_back(place ? of : "none");
      test.held.push_back(std::move(place));
    };
    asio::co_spawn(io, keep(*this, owner, most_wait), asio::detached);
    io.restart();
    io.poll();
  }
  void release_first() {
    held.erase(held.begin());
    io.restart();
    io.poll();
  }

  asio::io_context io;
  CallPlaces places{2};
  std::vector<std::shared_ptr<void>> held;
  std::vector<std::string> taken;
};

TEST_F(CallPlacesTest, AnOwnerHasSoManyAtATimeAndOthersWaitInTheirOrder) {
  for (int i = 0; i < 4; ++i) take("a");
  EXPECT_EQ(taken.size(), 2U);
  take("b");
  EXPECT_EQ(taken.back(), "b") << "another owner does not wait";
  release_first();
  EXPECT_EQ(taken.size(), 4U);
  release_first();
  EXPECT_EQ(taken.size(), 5U);
}

TEST_F(CallPlacesTest, AWaitEndsWithoutAPlaceAfterItsTime) {
  for (int i = 0; i < 2; ++i) take("a");
  take("a", 1ms);
  io.restart();
  io.run();
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(taken.back(), "none");
  release_first();
  take("a");
  EXPECT_EQ(taken.back(), "a") << "the place of the one that gave up is not lost";
}

TEST_F(CallPlacesTest, ADestroyedWaitLosesNoPlace) {
  for (int i = 0; i < 2; ++i) take("a");
  {
    asio::io_context other;
    const auto wait = [](CallPlaces& of) -> asio::awaitable<void> { co_await of.take("a", 1h); };
    asio::co_spawn(other, wait(places), asio::detached);
    other.poll();
    asio::co_spawn(other, wait(places), asio::detached);
    other.restart();
    other.poll();
    release_first();  // the first wait has a place, which it never takes
  }
  take("a");
  EXPECT_EQ(taken.size(), 3U);
}

}  // namespace
}  // namespace waybill
