#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "storage/session/session.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/storage/database_fixture.hpp"

namespace waybill::tests {
namespace {

using storage::Params;
using storage::Statement;

constexpr Statement find{"test.find", "select count(*) from things where id = $1::bigint"};

/// A statement as the generated headers declare one. Its row has the time at which the session prepared it.
struct Prepared {
  static constexpr Statement statement{"test.prepared",
                                       "select prepare_time::text from pg_prepared_statements"};
  static Params params() { return {}; }

  struct Row {
    template <typename Source>
    explicit Row(const storage::RowOf<Source>& row) : at(storage::read_column<std::string_view>(row, 0)) {}

    std::string_view at;
  };
};

/// Sessions that keep the plan of a statement, which they made while its table was empty.
class KeptPlans : public DatabaseTest {
 protected:
  KeptPlans() {
    server_.exec("create table things (id bigint primary key) with (autovacuum_enabled = off)");
    server_.exec("vacuum analyze things");
  }

  /// Calls `find_thing` until its plan is kept, adds many rows, and returns the number of scans by further
  /// calls.
  template <typename FindThing>
  std::int64_t scans_after_growth(FindThing find_thing) {
    constexpr int calls = 10;  // PostgreSQL may keep a plan from the sixth on
    for (int i = 0; i < calls; ++i) find_thing();
    server_.exec("insert into things select generate_series(1, 10000)");
    for (int i = 0; i < calls; ++i) find_thing();
    return server_.number("select seq_scan from pg_stat_user_tables where relname = 'things'");
  }
};

TEST_F(KeptPlans, OfReadsScanNoTableThatHasGrown) {
  open();
  EXPECT_EQ(scans_after_growth([&] {
              read(find, Params().add(7));
              read(Statement{"test.report", "select pg_stat_force_next_flush()::text"});
            }),
            0);
}

TEST_F(KeptPlans, OfWritesScanNoTableThatHasGrown) {
  open();
  EXPECT_EQ(scans_after_growth([&] {
              write(find, Params().add(7));
              write(Statement{"test.report", "select pg_stat_force_next_flush()"});
            }),
            0);
}

TEST_F(KeptPlans, OfBlockingSessionsScanNoTableThatHasGrown) {
  storage::Session session(server_.url(), "tested");
  EXPECT_EQ(scans_after_growth([&] {
              session.run(find, Params().add(7));
              session.execute("select pg_stat_force_next_flush()");
            }),
            0);
}

TEST_F(KeptPlans, ThatMustBeFreshAreKeptForAWhileAndThenMadeAgain) {
  storage::Session session(server_.url(), "tested");
  const auto prepared_at = [&] { return std::string(session.run_with_fresh_plan(Prepared{}).front().at); };
  constexpr std::size_t calls = 50;
  std::set<std::string> times;
  for (std::size_t i = 0; i < calls; ++i) times.insert(prepared_at());
  EXPECT_LT(times.size(), calls);
  EXPECT_TRUE(eventually([&] {
    for (std::size_t i = 0; i < calls; ++i) times.insert(prepared_at());
    return times.size() > 2;
  }));
}

}  // namespace
}  // namespace waybill::tests
