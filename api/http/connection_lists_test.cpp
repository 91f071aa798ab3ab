#include "api/http/connection_lists.hpp"

#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

const Connection::Steady::time_point opened_at = Connection::Steady::time_point(seconds(1'000));

class NoHost : public Connection::Host {
 public:
  Responder& responder() override { throw std::logic_error("no request is answered"); }
  std::string_view date() override { return {}; }
  bool stopping() const override { return false; }
  void begins_to_wait(Connection& /*connection*/) override {}
  void begins_to_stall(Connection& /*connection*/) override {}
  void begins_to_work(Connection& /*connection*/) override {}
};

class ConnectionListsTest : public testing::Test {
 protected:
  std::vector<Connection*> all() const {
    std::vector<Connection*> connections;
    lists.for_all([&](Connection& connection) { connections.push_back(&connection); });
    return connections;
  }
  static std::int64_t ticks(Connection::Steady::time_point time) { return time.time_since_epoch().count(); }

  asio::io_context io;
  NoHost host;
  HttpLimits limits;
  Connection a{Socket(io), host, limits};
  Connection b{Socket(io), host, limits};
  ConnectionLists lists;
};

TEST_F(ConnectionListsTest, AConnectionWorksAtFirst) {
  EXPECT_TRUE(lists.empty());
  lists.add(a);
  EXPECT_FALSE(lists.empty());
  EXPECT_EQ(lists.longest_waiting(), nullptr);
  EXPECT_EQ(lists.waiting_since(), ConnectionLists::never);
  EXPECT_THAT(all(), ElementsAre(&a));
}

TEST_F(ConnectionListsTest, TheLongestWaitingIsTheOneThatBeganFirst) {
  lists.add(a);
  lists.add(b);
  lists.begins_to_wait(b, opened_at);
  lists.begins_to_wait(a, opened_at + seconds(1));
  EXPECT_EQ(lists.longest_waiting(), &b);
  EXPECT_EQ(lists.waiting_since(), ticks(opened_at));
  lists.begins_to_work(b, opened_at + seconds(2));
  EXPECT_EQ(lists.longest_waiting(), &a);
  EXPECT_EQ(lists.waiting_since(), ticks(opened_at + seconds(1)));
  lists.begins_to_wait(b, opened_at + seconds(3));
  EXPECT_EQ(lists.longest_waiting(), &a);
}

TEST_F(ConnectionListsTest, AStalledConnectionDoesNotWaitForARequest) {
  lists.add(a);
  lists.add(b);
  lists.begins_to_wait(a, opened_at);
  lists.begins_to_stall(b, opened_at + seconds(1));
  EXPECT_EQ(lists.longest_waiting(), &a);
  EXPECT_EQ(lists.longest_stalled(), &b);
  EXPECT_EQ(lists.stalled_since(), ticks(opened_at + seconds(1)));
  lists.begins_to_stall(a, opened_at + seconds(2));
  EXPECT_EQ(lists.waiting_since(), ConnectionLists::never);
  EXPECT_EQ(lists.longest_stalled(), &b);
  lists.begins_to_stall(b, opened_at + seconds(3));
  EXPECT_EQ(lists.longest_stalled(), &a) << "the other has taken something";
  lists.begins_to_work(a, opened_at + seconds(4));
  lists.remove(b);
  EXPECT_EQ(lists.stalled_since(), ConnectionLists::never);
  EXPECT_THAT(all(), ElementsAre(&a));
}

TEST_F(ConnectionListsTest, ARemovedConnectionWaitsNoLonger) {
  lists.add(a);
  lists.add(b);
  lists.begins_to_wait(a, opened_at);
  lists.begins_to_wait(b, opened_at + seconds(1));
  lists.remove(a);
  EXPECT_EQ(lists.waiting_since(), ticks(opened_at + seconds(1)));
  EXPECT_THAT(all(), ElementsAre(&b));
  lists.remove(b);
  EXPECT_EQ(lists.waiting_since(), ConnectionLists::never);
  EXPECT_TRUE(lists.empty());
  EXPECT_THAT(all(), IsEmpty());
}

}  // namespace
}  // namespace waybill::api
