// Sessions with a URL of several hosts after a fail-over.
#include <string>

#include <gtest/gtest.h>

#include "storage/blocking/connection.hpp"
#include "storage/pq/primaries.hpp"
#include "storage/session/session.hpp"
#include "tests/harness/standby.hpp"

namespace waybill::tests {
namespace {

constexpr const char* find_server = "select current_setting('data_directory')";

/// The directory of the server that the blocking sessions of this process use.
std::string server_of_connection(const std::string& url) {
  storage::blocking::Connection session(url, "tested");
  return session.execute(find_server)[0][0].as<std::string>();
}
std::string server_of_session(const std::string& url) {
  storage::Session session(url, "tested");
  return std::string(session.execute(find_server).get(0, 0));
}

TEST(SeveralPrimaries, BlockingSessionsBeginWithTheHostThatAnsweredLast) {
  PrimaryAndStandby servers;
  const std::string url = servers.url_from_primary();
  const std::string old_primary = server_of_connection(url);
  servers.catch_up();
  servers.kill_primary();
  servers.promote();
  const std::string new_primary = server_of_session(url);
  EXPECT_NE(new_primary, old_primary);
  servers.start_primary();
  EXPECT_EQ(server_of_connection(url), new_primary);
  EXPECT_EQ(server_of_session(url), new_primary);
  servers.kill_standby();
  EXPECT_EQ(server_of_connection(url), old_primary) << "the last resort";
  EXPECT_EQ(server_of_session(url), old_primary);
}

TEST(SeveralPrimaries, AreCountedByServerAndNotByName) {
  PrimaryAndStandby servers;
  EXPECT_EQ(storage::pq::primaries_of(servers.url()).size(), 1U);
  const std::string primary = servers.primary_url();
  EXPECT_EQ(storage::pq::primaries_of(primary + "," + primary.substr(primary.find("host=") + 5)).size(), 1U);
  servers.promote();
  EXPECT_EQ(storage::pq::primaries_of(servers.url()).size(), 2U);
  servers.kill_primary();
  EXPECT_EQ(storage::pq::primaries_of(servers.url()).size(), 1U);
}

}  // namespace
}  // namespace waybill::tests
