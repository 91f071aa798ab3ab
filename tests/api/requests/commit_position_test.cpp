// X-Commit-Position of a service without standbys.
#include "storage/database/commit_position.hpp"

#include <gtest/gtest.h>

#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

using storage::CommitPosition;

class CommitPositions : public ApiTest {
 protected:
  static CommitPosition position(const Response& response) {
    EXPECT_LT(response.status, 300) << response.text;
    const auto read = CommitPosition::parse(response.header("X-Commit-Position"));
    EXPECT_TRUE(read) << "'" << response.header("X-Commit-Position") << "'";
    return read.value_or(CommitPosition());
  }
};

TEST_F(CommitPositions, AreInTheResponseToEveryWriteAndGrow) {
  CommitPosition last;
  const auto grows = [&last](const Response& response) {
    const auto next = position(response);
    EXPECT_GT(next, last);
    last = next;
    return text_at(response.data(), "guid");
  };
  const std::string customer = grows(http.post("/api/v1/Customers", {{"name", "Ada"}}));
  grows(http.put("/api/v1/Customers/" + customer, {{"phone", "1"}}));
  const std::string order = grows(http.post("/api/v1/Orders", order_body()));
  grows(http.patch("/api/v1/Orders/" + order + "/status", {{"status", "processing"}}));
  grows(http.post("/api/v1/Orders/delete", json::array{{{"guid", order}}}));
  const std::string preset = grows(
      http.post("/api/v1/dimension-presets", {{"name", "Box"}, {"length", 1}, {"width", 1}, {"height", 1}}));
  grows(http.del("/api/v1/dimension-presets/" + preset));
}

TEST_F(CommitPositions, CoverTheCommit) {
  const auto written = position(http.post("/api/v1/Customers", {{"name", "Ada"}}));
  const auto flushed = storage::parse_lsn(tenant.sql.value("select pg_current_wal_flush_lsn()"));
  EXPECT_GE(flushed, written.lsn) << "a standby must be able to reach it";
}

TEST_F(CommitPositions, AreInTheResponseToAKeyedPostAndToItsReplay) {
  const Headers key{{"Idempotency-Key", "k"}};
  const auto first = position(http.post("/api/v1/Customers", {{"name", "Ada"}}, key));
  const Response again = http.post("/api/v1/Customers", {{"name", "Ada"}}, key);
  EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
  EXPECT_GE(position(again), first);
}

TEST_F(CommitPositions, AreNotInResponsesThatWroteNothing) {
  EXPECT_EQ(http.get("/api/v1/Orders").header("X-Commit-Position"), "");
  EXPECT_EQ(http.post("/api/v1/Customers", json::object{}).header("X-Commit-Position"), "");
}

TEST_F(CommitPositions, AreAcceptedByAllRequests) {
  const std::string known = http.post("/api/v1/Orders", order_body()).header("X-Commit-Position");
  for (const std::string& value : {known, std::string("7-FFFFFFFFFFFFFFFF")}) {
    const Headers header{{"X-Commit-Position", value}};
    const Response list = http.get("/api/v1/Orders", header);
    EXPECT_EQ(list.status, 200) << value;
    EXPECT_EQ(list.body.at("totalCount").to_number<int>(), 1);
    EXPECT_EQ(http.get("/api/workflows/ledger", header).status, 200) << value;
    EXPECT_EQ(http.put("/api/business/default-configuration", json::object{}, header).status, 200) << value;
  }
}

TEST_F(CommitPositions, ThatNoResponseHadAreRefusedByName) {
  for (const auto* const value : {"nonsense", "1", "1-", "0-1", "1-1-1", "1-G", "100000000-1"}) {
    const Headers header{{"X-Commit-Position", value}};
    expect_invalid(http.get("/api/v1/Orders", header), {"X-Commit-Position"});
    expect_invalid(http.post("/api/v1/Orders", order_body(), header), {"X-Commit-Position"});
  }
}

}  // namespace
}  // namespace waybill::tests
