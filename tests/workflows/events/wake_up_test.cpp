#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

constexpr std::string_view first = "00000000-0000-4000-8000-000000000001";
constexpr std::string_view second = "00000000-0000-4000-8000-000000000002";

/// A migrated database, and rows as workers write them.
class WakeUp : public testing::Test {
 protected:
  WakeUp() {
    for (const auto& worker : {first, second}) {
      database.exec("insert into workers (guid, name) values ('" + std::string(worker) + "', 'w')");
      database.exec(beat(worker, "10 s"));
    }
  }

  static std::string beat(std::string_view worker, std::string_view left) {
    return "insert into worker_beats (worker, expires_at, matched_at) values ('" + std::string(worker) +
           "', clock_timestamp() + interval '" + std::string(left) + "', now())";
  }
  static std::string word(std::string_view worker, bool idle) {
    return "insert into worker_words (worker, idle) values ('" + std::string(worker) + "', " +
           (idle ? "true" : "false") + ")";
  }
  static bool is_due(Session& session) { return session.value("select is_notify_due()") == "t"; }
  bool is_due() {
    Session session = database.connect();
    return is_due(session);
  }

  TestDatabase database;
};

TEST_F(WakeUp, WritersNotifyWhileAnyWorkerIsIdle) {
  EXPECT_FALSE(is_due());
  database.exec(word(first, true));
  EXPECT_TRUE(is_due());
  database.exec(word(second, true));
  database.exec(word(first, false));
  EXPECT_TRUE(is_due());
  database.exec(word(second, false));
  EXPECT_FALSE(is_due());
}

TEST_F(WakeUp, WritersNotifyNoWorkerWhoseLeaseHasEnded) {
  database.exec(word(first, true));
  database.exec(beat(first, "-2 s"));
  EXPECT_FALSE(is_due());
  database.exec(beat(first, "10 s"));
  EXPECT_TRUE(is_due());
}

TEST_F(WakeUp, WritersNotifyNoWorkerThatLeft) {
  database.exec(word(first, true));
  database.exec("delete from workers where guid = '" + std::string(first) + "'");
  database.exec(beat(second, "10 s"));
  EXPECT_FALSE(is_due());
}

TEST_F(WakeUp, TheSettingKeepsWritersFromNotifying) {
  database.exec(word(first, true));
  Session writer = database.connect();
  writer.exec("set waybill.notify = off");
  EXPECT_FALSE(is_due(writer));
}

TEST_F(WakeUp, AnOpenSnapshotSeesTheNewestState) {
  Session reader = database.connect();
  reader.exec("begin isolation level repeatable read; select from workers");
  database.exec(word(first, true));
  EXPECT_TRUE(is_due(reader));
}

TEST_F(WakeUp, TheNextBeatCorrectsWhatARollbackLeft) {
  Session session = database.connect();
  session.exec("begin; " + word(first, true) + "; rollback");
  database.exec(beat(second, "10 s"));
  EXPECT_FALSE(is_due());
}

TEST_F(WakeUp, ALeaseDoesNotWaitForAWorkerThatBecomesIdle) {
  Session idle = database.connect();
  idle.exec("begin; " + word(first, true));
  Session other = database.connect();
  other.exec("set lock_timeout = '20ms'; " + beat(second, "10 s"));
  // A second worker that becomes idle or busy waits, because it would not see the first one's row.
  try {
    other.exec(word(second, false));
    FAIL() << "the row was written";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("lock timeout"));
  }
  idle.exec("commit");
  other.exec(word(second, false));
  EXPECT_TRUE(is_due());
}

}  // namespace
}  // namespace waybill::tests
