#include "storage/standbys/request_database.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

TEST(RequestDatabase, NamesThePositionOfItsReadsOnlyIfAStandbyMayServeThem) {
  asio::io_context io;
  const std::string url = "postgresql://localhost:1/none";
  Database primary(io, {.url = url});
  StandbyLog log(1);
  Standbys standbys(io, primary, {.url = url, .database = {.url = url}}, log);
  const CommitPosition required{.timeline = 2, .lsn = 17};
  EXPECT_EQ(RequestDatabase(primary, &standbys, required).read_position(), required);
  EXPECT_EQ(RequestDatabase(primary, nullptr, required).read_position(), std::nullopt);
  EXPECT_EQ(primary.read_position(), std::nullopt);
}

}  // namespace
}  // namespace waybill::storage
