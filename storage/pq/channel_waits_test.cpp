#include "storage/pq/channel_waits.hpp"

#include <array>
#include <chrono>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace waybill::storage::pq {
namespace {

using Direction = ChannelWaits::Direction;

/// Two connected sockets.
class Sockets {
 public:
  Sockets() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, descriptors_.data()), 0); }
  ~Sockets() {
    for (const int descriptor : descriptors_) close(descriptor);
  }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  int watched() const { return descriptors_[0]; }
  void make_readable() const { EXPECT_EQ(write(descriptors_[1], "x", 1), 1); }

 private:
  std::array<int, 2> descriptors_{};
};

TEST(ChannelWaits, CallTheirHandlers) {
  const Sockets sockets;
  asio::io_context io;
  ChannelWaits waits(io);
  int calls = 0;
  waits.for_turn([&] { ++calls; });
  EXPECT_FALSE(waits.for_socket(sockets.watched(), Direction::wait_read, [&] { ++calls; }));
  sockets.make_readable();
  waits.until(std::chrono::steady_clock::now(), [&] {
    EXPECT_FALSE(waits.awaits_time());
    ++calls;
  });
  EXPECT_TRUE(waits.awaits_time());
  io.run();
  EXPECT_EQ(calls, 3);
  waits.release_socket();
}

TEST(ChannelWaits, TheirEndReachesQueuedHandlers) {
  const Sockets sockets;
  asio::io_context io;
  ChannelWaits waits(io);
  int calls = 0;
  const auto epoch = waits.epoch();
  asio::post(io, [&] {
    waits.end();
    waits.release_socket();
    waits.for_turn([&] { calls += 10; });
  });
  waits.for_turn([&] { ++calls; });
  EXPECT_FALSE(waits.for_socket(sockets.watched(), Direction::wait_read, [&] { ++calls; }));
  sockets.make_readable();
  waits.until(std::chrono::steady_clock::now(), [&] { ++calls; });
  io.run();
  EXPECT_EQ(calls, 10) << "only the wait of the next connection is left";
  EXPECT_NE(waits.epoch(), epoch);
  EXPECT_FALSE(waits.awaits_time());
}

TEST(ChannelWaits, AStoppedTimerIsSilent) {
  asio::io_context io;
  ChannelWaits waits(io);
  waits.until(std::chrono::steady_clock::now() + std::chrono::hours(1), [] { ADD_FAILURE(); });
  waits.stop_timer();
  EXPECT_FALSE(waits.awaits_time());
  io.run();
}

TEST(ChannelWaits, AnUnusableSocketIsAnError) {
  asio::io_context io;
  ChannelWaits waits(io);
  EXPECT_TRUE(waits.for_socket(-1, Direction::wait_read, [] { ADD_FAILURE(); }));
  io.run();
}

}  // namespace
}  // namespace waybill::storage::pq
