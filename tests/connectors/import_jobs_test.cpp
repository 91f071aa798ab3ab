// Imports that a call requests as a job.
#include <atomic>
#include <future>

#include "tests/api/fixtures/jobs.hpp"
#include "tests/connectors/import_fixture.hpp"

namespace waybill::tests {
namespace {

class ImportJobs : public ImportTest {
 protected:
  std::string requested(const Connection& connection) {
    return accepted(tenant.http.post("/api/integrations/" + connection.guid() + "/sync", {}, as_job));
  }
};

TEST_F(ImportJobs, AJobIsDoneOnceTheWorkerHasImported) {
  store.add_order({});
  store.add_order({});
  const auto connection = connect(store);
  const auto job = requested(connection);
  const auto result = result_of(tenant.http, job);
  EXPECT_EQ(at(result, "imported"), 2) << to_json(result);
  EXPECT_EQ(at(result, "failed"), 0);
  EXPECT_EQ(at(tenant.http.get("/api/integrations/" + connection.guid() + "/runs").body, "data.0.guid"),
            at(result, "runId"));
}

TEST_F(ImportJobs, ACancelledImportEndsItsRun) {
  store.add_order({});
  auto connection = connect(store);
  // Another worker holds the store, so the requested import does not begin.
  connection.set("lease_owner = gen_random_uuid(), lease_until = now() + interval '5 minutes'");
  const auto job = requested(connection);
  ASSERT_TRUE(eventually([&] { return !connection.value("requested_run").empty(); }));
  EXPECT_EQ(tenant.http.del(job_path(job)).status, 200);
  EXPECT_EQ(text_at(ended(tenant.http, job), "status"), "cancelled");
  EXPECT_EQ(connection.value("requested_run"), "");
  EXPECT_NE(connection.value("lease_owner"), "") << "the import of the other worker goes on";
  const auto runs = tenant.http.get("/api/integrations/" + connection.guid() + "/runs");
  EXPECT_EQ(text_at(runs.data(), "0.errors.0.reason"), "Cancelled.");
  EXPECT_EQ(connection.orders(), 0);
}

TEST_F(ImportJobs, ACancelledImportEndsAfterThePageUnderWay) {
  store.add_order({});
  const auto connection = connect(store);
  std::promise<void> begun, cancelled;
  std::atomic<bool> is_first = true;
  store.after_page([&, go_on = cancelled.get_future().share()](std::size_t) {
    if (!is_first.exchange(false)) return;
    begun.set_value();
    go_on.wait();
  });
  const auto job = requested(connection);
  begun.get_future().wait();
  EXPECT_EQ(tenant.http.del(job_path(job)).status, 200);
  EXPECT_EQ(text_at(ended(tenant.http, job), "status"), "cancelled");
  const auto owner =
      tenant.sql.value("select lease_owner from integrations where guid = $1", {connection.guid()});
  cancelled.set_value();
  EXPECT_EQ(owner, "") << "the worker's next page finds its lease lost";
  EXPECT_EQ(
      tenant.sql.number("select count(*) from integrations where guid = $1 and due_at > now() + interval "
                        "'4 minutes'",
                        {connection.guid()}),
      1)
      << "the import does not begin again at once";
}

}  // namespace
}  // namespace waybill::tests
