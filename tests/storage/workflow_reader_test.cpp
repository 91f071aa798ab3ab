#include "storage/settings/workflow_reader.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "storage/sql/workflows.sql.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

class WorkflowReader : public testing::Test {
 protected:
  TestDatabase database_;
  Session sql_{database_.url()};
  storage::Session session_{database_.url(), "test"};
};

TEST_F(WorkflowReader, ChangedWorkflowsComeInPortions) {
  const std::string business = sql_.value("insert into businesses (name) values ('b') returning guid");
  sql_.rows(
      "insert into workflows (business_id, name, entity_type, trigger_code, action, conditions) "
      "select $1::uuid, 'w' || n, 0, 'order_created', '{\"type\": \"nothing\"}', "
      "jsonb_build_object('notes', repeat('x', 250000)) from generate_series(1, 14) n",
      {business});
  std::vector<std::size_t> portions;
  std::set<Guid> seen;
  std::uint64_t last = 0;
  const auto take = [&](const std::vector<storage::StoredWorkflow>& portion) {
    portions.push_back(portion.size());
    for (const storage::StoredWorkflow& workflow : portion) {
      seen.insert(workflow.guid);
      EXPECT_GE(workflow.epoch, last);
      last = workflow.epoch;
    }
  };
  const std::uint64_t reached = storage::read_changed_workflows(session_, 0, take);
  EXPECT_EQ(reached, last);
  EXPECT_GE(portions.size(), 3U);
  for (const std::size_t portion : portions) EXPECT_LE(portion, 9U);
  const auto all = static_cast<std::size_t>(sql_.number("select count(*) from workflows"));
  EXPECT_EQ(seen.size(), all);
  EXPECT_GE(all, 14U);

  portions.clear();
  EXPECT_EQ(storage::read_changed_workflows(session_, reached, take), reached);
  EXPECT_TRUE(portions.empty()) << "nothing has changed since";
  sql_.exec("update businesses set name = 'renamed'");
  EXPECT_GT(storage::read_changed_workflows(session_, reached, take), reached);
  EXPECT_GE(portions.size(), 3U);
}

TEST_F(WorkflowReader, ChangesOfSomeBusinessesAreReadAlone) {
  sql_.exec("insert into businesses (name) values ('a')");
  const std::string second = sql_.value("insert into businesses (name) values ('b') returning guid");
  const auto before = static_cast<std::uint64_t>(sql_.number("select epoch from workflow_epoch"));
  sql_.exec("update workflows set name = name || '!'");
  const std::vector<Guid> businesses{Guid::parse(second).value()};
  std::size_t read = 0;
  const auto take = [&](const std::vector<storage::StoredWorkflow>& portion) {
    read += portion.size();
    for (const storage::StoredWorkflow& workflow : portion) EXPECT_EQ(workflow.business_id, businesses[0]);
  };
  storage::read_changed_workflows(session_, before, businesses, take);
  EXPECT_EQ(read, static_cast<std::size_t>(
                      sql_.number("select count(*) from workflows where business_id = $1", {second})));
}

TEST_F(WorkflowReader, ABusinessWithAnyChangeThatItsWorkflowsShowIsFound) {
  const std::string business = sql_.value("insert into businesses (name) values ('a') returning guid");
  sql_.exec("insert into businesses (name) values ('b')");
  for (const char* const change : {"update workflows set name = name || '!' where business_id = $1",
                                   "update businesses set name = 'renamed' where guid = $1",
                                   "insert into templates (business_id, code, name, entity_type, type, body) "
                                   "values ($1, 't', 't', 0, 'webhook', 'text')"}) {
    const std::int64_t before = sql_.number("select epoch from workflow_epoch");
    EXPECT_TRUE(session_.run(storage::sql::workflows::ChangedBusinesses{.epoch = before}).empty());
    sql_.rows(change, {business});
    const auto changed = session_.run(storage::sql::workflows::ChangedBusinesses{.epoch = before});
    ASSERT_EQ(changed.size(), 1) << change;
    EXPECT_EQ(changed[0].business_id.to_string(), business);
    EXPECT_EQ(changed[0].epoch, sql_.number("select epoch from workflow_epoch"));
  }
}

}  // namespace
}  // namespace waybill::tests
