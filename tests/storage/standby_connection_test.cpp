// Reads on a connection to a streaming standby.
#include "storage/standbys/standby_connection.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "storage/pq/connect_params.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/server.hpp"
#include "tests/harness/standby.hpp"

namespace waybill::tests {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using storage::pq::StandbyConnection;
using storage::pq::StandbyRead;

constexpr storage::Statement echo{"test.echo", "select $1::text"};
constexpr Guid one_business{{1}};
constexpr Guid another_business{{2}};

class StandbyConnections : public testing::Test {
 protected:
  StandbyConnections() {
    migrate_with_binary(servers.url());
    servers.catch_up();
  }
  ~StandbyConnections() override {
    connection->shut_down();
    io.run();
  }

  asio::awaitable<void> read(Guid business, std::vector<Guid>& answered) {
    const auto params = storage::Params().add("text");
    StandbyRead read{.statement = echo, .params = params, .business = business};
    co_await connection->run(read);
    EXPECT_FALSE(read.fault || read.error);
    answered.push_back(business);
  }

  PrimaryAndStandby servers;
  asio::io_context io{1};
  std::shared_ptr<StandbyConnection> connection = std::make_shared<StandbyConnection>(
      io,
      storage::pq::ChannelOptions{.url = storage::pq::standbys_of(servers.standby_url()).front().connection,
                                  .application_name = "tested",
                                  .read_only = true,
                                  .statement_timeout = 10s,
                                  .connect_timeout = 5s});
};

TEST_F(StandbyConnections, ReadsOfABusinessWaitForOneOfAnotherBusinessAtATime) {
  connection->refresh();
  ASSERT_TRUE(eventually([&] {
    io.run_for(1ms);
    return connection->state() != nullptr;
  })) << connection->last_failure();
  std::vector<Guid> answered;
  constexpr std::size_t many = 40;
  for (std::size_t i = 0; i < many; ++i) asio::co_spawn(io, read(one_business, answered), asio::detached);
  asio::co_spawn(io, read(another_business, answered), asio::detached);
  ASSERT_TRUE(eventually([&] {
    io.run_for(1ms);
    return answered.size() == many + 1;
  }));
  const auto place = std::ranges::find(answered, another_business) - answered.begin();
  // Four are with the server, and the business that waits longer has the first turn.
  EXPECT_LE(place, 5);
}

}  // namespace
}  // namespace waybill::tests
