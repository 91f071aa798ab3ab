#include <string>

#include <gtest/gtest.h>

#include "base/database_clock.hpp"
#include "net/destination/destination_counts.hpp"
#include "storage/blocking/connection.hpp"
#include "tests/worker/worker_database.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// The reports that a worker publishes.
class DestinationReports : public WorkerDatabase {
 protected:
  void note(const std::string& destination, bool succeeded = true) {
    counts_.note({.business = business_,
                  .kind = net::DestinationKind::webhook,
                  .destination = destination,
                  .workflow = workflow_,
                  .succeeded = succeeded,
                  .duration = 20ms,
                  .at = database_clock().now(),
                  .health = {.places = 64}});
  }
  void publish(storage::blocking::Connection& session) {
    worker::publish_destinations(
        session,
        {.database_url = database_.url(), .secrets = secrets_, .destinations = &counts_, .worker = worker_});
  }
  void publish() { publish(session_); }
  void expire() {
    worker::expire_destinations(session_, {.database_url = database_.url(), .secrets = secrets_});
  }
  void age(const std::string& destination, const std::string& age) {
    database_.exec("update destination_reports set published_at = now() - interval '" + age +
                   "' where name = '" + destination + "'");
  }
  std::int64_t reports(const std::string& where = "true") {
    return database_.number("select count(*) from destination_reports where " + where);
  }

  const Guid workflow_ = add_workflow("order_created");
  net::DestinationCounts counts_;
  storage::blocking::Connection session_{database_.url(), "test"};
};

TEST_F(DestinationReports, HaveTheCountsAndAreUpdatedInPlace) {
  note("a:443");
  publish();
  note("a:443", false);
  note("a:443");
  publish();
  EXPECT_EQ(database_.value("select concat_ws(' ', succeeded[1], failed[1], places, workflows[1], "
                            "next_probe_at is null) from destination_reports"),
            "2 1 64 " + workflow_.to_string() + " t");
}

TEST_F(DestinationReports, ThatCouldNotBeWrittenAreWrittenLater) {
  note("a:443");
  storage::blocking::Connection refused(database_.url(), "test");
  refused.execute("set default_transaction_read_only = on");
  EXPECT_ANY_THROW(publish(refused));
  EXPECT_EQ(reports(), 0);
  publish();
  EXPECT_EQ(reports(), 1);
}

TEST_F(DestinationReports, OfADeletedBusinessAreNotPublished) {
  note("a:443");
  database_.exec("delete from workflows; delete from businesses where guid = '" + business_.to_string() +
                 "'");
  publish();
  EXPECT_EQ(reports(), 0);
}

TEST_F(DestinationReports, OfOneBusinessAreBoundedAlsoIfWorkersRestart) {
  database_.exec(
      "insert into destination_reports (business_id, kind, name, worker, places, counted_from, "
      "succeeded, failed, durations, workflows) select '" +
      business_.to_string() +
      "', 'webhook', n || ':1', gen_random_uuid(), 1, now(), '{}', '{}', '{}', '{}' from "
      "generate_series(1, 2000) n");
  note("a:443");
  publish();
  EXPECT_EQ(reports("name = 'a:443'"), 0);
  database_.exec("delete from destination_reports where name = '1:1'");
  note("a:443");
  publish();
  EXPECT_EQ(reports("name = 'a:443'"), 1);
}

TEST_F(DestinationReports, Of100000DestinationsAre201Rows) {
  for (int i = 0; i < 100'000; ++i) note("h" + std::to_string(i) + ":1");
  publish();
  EXPECT_EQ(reports(), 201);
  EXPECT_EQ(database_.number("select succeeded[1] from destination_reports where kind = 'others'"), 99'800);
}

TEST_F(DestinationReports, ExpireAfter36HoursOfTheDatabase) {
  for (const char* name : {"a:443", "b:443"}) note(name);
  publish();
  age("a:443", "35 hours 59 minutes");
  age("b:443", "36 hours 1 minute");
  expire();
  EXPECT_EQ(reports("name = 'a:443'"), 1);
  EXPECT_EQ(reports("name = 'b:443'"), 0);
}

TEST_F(DestinationReports, OfAnEndedWorkerExpireOnceALaterOneHasTheDestination) {
  for (const char* name : {"a:443", "b:443"}) {
    note(name);
    publish();
    age(name, "71 minutes");
  }
  database_.exec(
      "insert into destination_reports select business_id, kind, name, gen_random_uuid(), places, "
      "next_probe_at, counted_from, succeeded, failed, durations, workflows, now() from "
      "destination_reports where name = 'a:443'");
  expire();
  EXPECT_EQ(reports("name = 'a:443'"), 1);
  EXPECT_EQ(reports("name = 'b:443'"), 1);
}

}  // namespace
}  // namespace waybill::tests
