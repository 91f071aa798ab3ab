// The statements that distinguish a standby from a primary.
#include <gtest/gtest.h>

#include "storage/database/commit_position.hpp"
#include "storage/session/session.hpp"
#include "storage/sql/standbys.sql.hpp"
#include "storage/standbys/standby_session.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

using storage::CommitPosition;

class StandbyStatements : public testing::Test {
 protected:
  storage::StandbyTarget target(const CommitPosition& required = {}) {
    return {.connection = database.url(),
            .cluster = session.run(sql::standbys::Identity{}).front().cluster,
            .required = required};
  }

  TestDatabase database;
  storage::Session session{database.url(), "tested"};
};

TEST_F(StandbyStatements, NoteEachTimelineOfAPrimaryOnce) {
  EXPECT_FALSE(session.run(sql::standbys::Primary{}).front().is_noted);
  session.run(sql::standbys::NoteTimeline{});
  session.run(sql::standbys::NoteTimeline{});
  const auto rows = session.run(sql::standbys::Primary{});
  const auto primary = rows.front();
  EXPECT_TRUE(primary.is_noted);
  EXPECT_EQ(primary.cluster, session.run(sql::standbys::Identity{}).front().cluster);
  const auto position = CommitPosition::from_sql(primary.timeline, primary.lsn);
  ASSERT_TRUE(position);
  const auto checked = session.run(sql::standbys::Check{.cluster = primary.cluster});
  EXPECT_EQ(checked.front().timeline, position->timeline);
  EXPECT_EQ(database.number("select count(*) from timelines"), 1);
}

TEST_F(StandbyStatements, AnotherClusterDoesNotCount) {
  database.exec("insert into timelines (cluster, timeline) values (1, 9)");
  EXPECT_EQ(session.run(sql::standbys::Check{.cluster = target().cluster}).front().timeline, 0);
}

TEST_F(StandbyStatements, RefuseAPrimaryAndAnotherCluster) {
  EXPECT_EQ(storage::check_standby(session, target()), Observable::standby_promoted);
  auto other = target();
  ++other.cluster;
  EXPECT_EQ(storage::check_standby(session, other), Observable::standby_foreign);
}

TEST_F(StandbyStatements, GiveAPositionThatCoversTheCommit) {
  session.execute("insert into timelines (cluster, timeline) values (1, 1)");
  const auto rows = session.run(sql::standbys::CommitPosition{});
  const auto row = rows.front();
  const auto position = CommitPosition::from_sql(row.timeline, row.lsn);
  ASSERT_TRUE(position);
  session.execute("set synchronous_commit = off");
  session.execute("insert into timelines (cluster, timeline) values (2, 1)");
  const auto inserted = session.run(sql::standbys::CommitPosition{});
  EXPECT_GT(CommitPosition::from_sql(inserted.front().timeline, inserted.front().lsn), position)
      << "the commit is not flushed yet";
}

TEST_F(StandbyStatements, WorkOnAServerThatIsNoStandbyIsLeftToThePrimary) {
  int calls = 0;
  const auto work = [&calls](storage::Session&) { ++calls; };
  EXPECT_FALSE(storage::run_on_standby(target(), "tested", "select 1", work));
  auto gone = target();
  gone.connection = "host=/nonexistent";
  EXPECT_FALSE(storage::run_on_standby(gone, "tested", "select 1", work));
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace waybill::tests
