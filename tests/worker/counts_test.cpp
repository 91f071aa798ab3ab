#include <string>

#include "storage/blocking/connection.hpp"
#include "tests/worker/worker_database.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

class CountsDuty : public WorkerDatabase {
 protected:
  void fold() {
    worker::fold_counts(session_, {.database_url = database_.url(), .secrets = secrets_, .turn = 10s});
  }

  storage::blocking::Connection session_{database_.url(), "test"};
};

// An update of orders adds a row for each of them. A statement that was planned for few rows would scan all
// of them for each row, for minutes, and its snapshot would keep all dead rows of the outbox that long. A
// kept plan stands for rows that are added in the meantime.
TEST_F(CountsDuty, FoldsManyRowsInTimeInProportionToTheirNumber) {
  const std::string business = "'" + business_.to_string() + "'";
  database_.exec("insert into status_counts (business_id, entity_type, status_after, records) values (" +
                 business + ", 0, 'pending', 40000)");
  database_.exec("vacuum analyze status_counts");
  session_.execute("set plan_cache_mode = force_generic_plan");
  fold();
  database_.exec(
      "insert into status_counts (business_id, entity_type, status_before, status_after, records) select " +
      business + ", 0, 'pending', 'ready', 1 from generate_series(1, 40000)");
  session_.execute("set statement_timeout = '5s'");
  ASSERT_NO_THROW(fold());
  EXPECT_EQ(database_.value("select string_agg(status_after || ' ' || records, ', ') from status_counts"),
            "ready 40000");
}

}  // namespace
}  // namespace waybill::tests
