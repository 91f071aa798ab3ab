// Calls that are answered at once and performed as jobs.
#include "tests/api/fixtures/jobs.hpp"

#include <algorithm>

#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

class JobsTest : public ApiTest {
 protected:
  std::string customer(std::string_view name = "Ada", std::string_view email = "ada@example.com") {
    return text_at(http.post("/api/v1/Customers", {{"name", name}, {"email", email}}).data(), "guid");
  }
  Http with_role(std::string_view role) {
    const auto made = http.post("/api/business/tokens", {{"role", role}});
    EXPECT_EQ(made.status, 201) << made.text;
    return http.with_token(text_at(made.data(), "token"));
  }
  std::string exported(std::string_view guid) {
    return accepted(http.get("/api/v1/Customers/" + std::string(guid) + "/export", as_job));
  }
  json::object backtest_body() {
    return {{"definition",
             {{"name", "for Ada"},
              {"entityType", "Order"},
              {"triggerId", trigger_guid("order_created")},
              {"conditions", {{"notes", "Ada Lovelace"}}},
              {"action", {{"type", "webhook"}, {"recipient", "https://example.com/"}}}}}};
  }
  std::int64_t contents_of(std::string_view job) {
    return tenant.sql.number("select count(*) from job_contents where job_id = $1", {std::string(job)});
  }
  /// Adds running jobs that are not due yet.
  void add_waiting_jobs(int count) {
    tenant.sql.rows(
        "insert into jobs (business_id, guid, kind, operation, role, due_at) select $1, gen_random_uuid(), "
        "'export', 'exportCustomer', 'viewer', now() + interval '5 minutes' from generate_series(1, $2::int)",
        {tenant.id, std::to_string(count)});
  }
};

TEST_F(JobsTest, AnUploadAndItsConfirmationAreJobs) {
  const auto uploaded = upload_as_a_job(http, "name,email\r\nAda,ada@example.com\r\nBob,bob@example.com\r\n");
  const auto upload = std::string(result_of(http, uploaded).as_string());
  EXPECT_EQ(at(http.get(job_path(uploaded)).data(), "progress"), json::value({{"done", 2}, {"of", nullptr}}));
  EXPECT_EQ(contents_of(uploaded), 0) << "the call is deleted with the end of the job";
  const auto confirmed = accepted(http.post("/api/v1/Customers/confirm-upload?guid=" + upload, {}, as_job));
  EXPECT_TRUE(result_of(http, confirmed).is_null()) << "this call has no data";
  EXPECT_EQ(at(http.get(job_path(confirmed)).data(), "progress"), json::value({{"done", 2}, {"of", 2}}));
  EXPECT_EQ(at(http.get("/api/v1/Customers").body, "totalCount"), 2);
}

TEST_F(JobsTest, ALargeFileIsStoredInPartsUntilTheJobEnds) {
  constexpr int rows = 30'000;
  std::string csv = "name,email\r\n";
  for (int row = 0; row < rows; ++row)
    csv += "A customer with a long name,a-customer-" + std::to_string(row) + "@example.com\r\n";
  ASSERT_GT(csv.size(), 1UL << 20);
  const auto job = upload_as_a_job(http, csv);
  result_of(http, job);
  EXPECT_EQ(at(http.get(job_path(job)).data(), "progress.done"), rows);
}

TEST_F(JobsTest, TheProgressOfAConfirmationCountsCustomersNotPortions) {
  constexpr int rows = 5'001;  // two portions
  std::string csv = "name,email\r\n";
  for (int row = 0; row < rows; ++row) csv += "Ada,\r\n";
  const auto upload = std::string(result_of(http, upload_as_a_job(http, csv)).as_string());
  const auto job = accepted(http.post("/api/v1/Customers/confirm-upload?guid=" + upload, {}, as_job));
  result_of(http, job);
  EXPECT_EQ(at(http.get(job_path(job)).data(), "progress"), json::value({{"done", rows}, {"of", rows}}));
}

TEST_F(JobsTest, ARefusedFileFailsTheJobWithoutItsTexts) {
  const auto job = upload_as_a_job(http, "ada@example.com,email\r\nAda,x\r\n");
  const auto error = error_of(http, job, "VALIDATION_ERROR");
  EXPECT_EQ(at(error, "details"), json::value({{"line 1", "is not valid"}}));
  const auto lines = upload_as_a_job(http, "name,email\r\n,ada@example.com\r\n");
  EXPECT_EQ(at(error_of(http, lines, "VALIDATION_ERROR"), "details"),
            json::value({{"line 2", "name is required"}}));
  EXPECT_EQ(http.get(job_path(job)).text.find("ada@"), std::string::npos);
}

TEST_F(JobsTest, AnExportHasAFileForTheRoleOfTheCall) {
  const auto guid = customer();
  const auto job = exported(guid);
  const auto result = result_of(http, job);
  EXPECT_EQ(text_at(result, "file"), job_path(job) + "/file");
  const auto file = with_role("viewer").get(job_path(job) + "/file");
  ASSERT_EQ(file.status, 200) << file.text;
  EXPECT_EQ(file.header("Content-Type"), "application/json");
  EXPECT_EQ(file.header("Cache-Control"), "private, no-store");
  EXPECT_EQ(text_at(file.body, "customer.email"), "ada@example.com");
  EXPECT_EQ(at(result, "bytes"), file.text.size());
  EXPECT_EQ(tenant.sql.number("select count(*) from job_contents where job_id = $1 and position('ada@' in "
                              "encode(bytes, 'escape')) > 0",
                              {job}),
            0)
      << "the file is sealed";
  expect_refused(other_business().http.get(job_path(job) + "/file"), 404, "NOT_FOUND");
  tenant.sql.exec("update jobs set role = 'owner' where guid = '" + job + "'");
  expect_refused(http.get(job_path(job) + "/file"), 403, "FORBIDDEN");
  EXPECT_EQ(tenant.sql.number("select count(*) from audit_log where business_id = $1 and action = 'exported'",
                              {tenant.id}),
            1);
}

TEST_F(JobsTest, AFileIsKeptForADay) {
  const auto job = exported(customer());
  result_of(http, job);
  tenant.sql.exec("update jobs set file_until = now() where guid = '" + job + "'");
  expect_refused(http.get(job_path(job) + "/file"), 404, "NOT_FOUND");
}

TEST_F(JobsTest, AnErasureDeletesTheFilesAndStopsJobsThatCanHoldThePerson) {
  const auto guid = customer();
  const auto job = exported(guid);
  result_of(http, job);
  add_waiting_jobs(1);
  const auto erasure = accepted(http.post("/api/v1/Customers/" + guid + "/erase", {}, as_job));
  EXPECT_EQ(at(result_of(http, erasure), "orders"), 0);
  expect_refused(http.get(job_path(job) + "/file"), 404, "NOT_FOUND");
  EXPECT_EQ(contents_of(job), 0);
  const auto waiting =
      tenant.sql.value("select guid from jobs where business_id = $1 and stop = 'ERASED'", {tenant.id});
  error_of(http, waiting, "ERASED");
  EXPECT_EQ(text_at(http.get("/api/v1/Customers/" + guid).data(), "name"), "Erased");
}

TEST_F(JobsTest, ABacktestKeepsNoValueOfItsConditions) {
  const auto job = accepted(http.post("/api/workflows/backtest", backtest_body(), as_job));
  const auto result = result_of(http, job);
  EXPECT_EQ(text_at(result, "conditions.0.path"), "notes") << to_json(result);
  EXPECT_TRUE(at(result, "conditions.0.expected").is_null());
  const auto direct = http.post("/api/workflows/backtest", backtest_body());
  EXPECT_EQ(text_at(direct.data(), "conditions.0.expected"), "Ada Lovelace");
}

TEST_F(JobsTest, ACallWithAWrongBodyIsRefusedAtOnce) {
  expect_invalid(http.post("/api/workflows/replay", {{"status", "late"}}, as_job), {"status"});
  EXPECT_EQ(at(http.get("/api/jobs").body, "totalCount"), 0);
}

TEST_F(JobsTest, AnUnknownRecordFailsTheJob) {
  error_of(http, accepted(http.post("/api/v1/Customers/" + std::string(unknown_guid) + "/erase", {}, as_job)),
           "NOT_FOUND");
  error_of(http, exported(unknown_guid), "NOT_FOUND");
  error_of(http, accepted(http.post("/api/integrations/" + std::string(unknown_guid) + "/sync", {}, as_job)),
           "NOT_FOUND");
  error_of(http, accepted(http.post("/api/workflows/replay", {{"workflowId", unknown_guid}}, as_job)),
           "NOT_FOUND");
}

TEST_F(JobsTest, AHeadOfAnExportMakesNoJob) {
  const auto guid = customer();
  EXPECT_EQ(http.request("HEAD", "/api/v1/Customers/" + guid + "/export", {}, as_job).status, 200);
  EXPECT_EQ(at(http.get("/api/jobs").body, "totalCount"), 0);
}

TEST_F(JobsTest, TheSameIdempotencyKeyGivesTheSameJob) {
  Headers headers = as_job;
  headers.emplace_back("Idempotency-Key", "k");
  const auto first = accepted(http.post("/api/workflows/replay", json::object(), headers));
  const auto again = http.post("/api/workflows/replay", json::object(), headers);
  EXPECT_EQ(accepted(again), first);
  EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
  EXPECT_EQ(at(result_of(http, first), "runs"), 0) << "the job begins after the commit";
  EXPECT_EQ(at(http.get("/api/jobs").body, "totalCount"), 1);
}

TEST_F(JobsTest, ABusinessHasTwentyOpenJobsAtMost) {
  add_waiting_jobs(20);
  const auto guid = customer();
  expect_refused(http.get("/api/v1/Customers/" + guid + "/export", as_job), 409, "CONFLICT");
  EXPECT_EQ(http.get("/api/v1/Customers/" + guid + "/export").status, 200) << "without a job";
  Http& other = other_business().http;
  result_of(other, accepted(other.post("/api/workflows/replay", json::object(), as_job)));
}

TEST_F(JobsTest, FilesOfABusinessHaveAQuarterOfAGibibyteAtMost) {
  const auto guid = customer();
  const auto job = exported(guid);
  result_of(http, job);
  tenant.sql.exec("update jobs set file_bytes = 268435456 where guid = '" + job + "'");
  error_of(http, exported(guid), "CONFLICT");
}

TEST_F(JobsTest, OperatorsCancelAndViewersRead) {
  add_waiting_jobs(1);
  const auto job = tenant.sql.value("select guid from jobs where business_id = $1", {tenant.id});
  Http viewer = with_role("viewer");
  EXPECT_EQ(viewer.get("/api/jobs").status, 200);
  EXPECT_EQ(viewer.get(job_path(job)).status, 200);
  expect_refused(viewer.del(job_path(job)), 403, "FORBIDDEN");
  Http operator_ = with_role("operator");
  const auto cancelled = operator_.del(job_path(job));
  EXPECT_EQ(cancelled.status, 200) << cancelled.text;
  EXPECT_EQ(text_at(cancelled.data(), "guid"), job);
  EXPECT_EQ(text_at(ended(http, job), "status"), "cancelled");
  expect_refused(operator_.del(job_path(job)), 409, "CONFLICT");
  expect_refused(operator_.del(job_path(unknown_guid)), 404, "NOT_FOUND");
  expect_refused(other_business().http.del(job_path(job)), 404, "NOT_FOUND");
  expect_refused(other_business().http.get(job_path(job)), 404, "NOT_FOUND");
}

TEST_F(JobsTest, AnErasureCannotBeCancelled) {
  tenant.sql.rows(
      "insert into jobs (business_id, guid, kind, operation, role, due_at) values ($1, gen_random_uuid(), "
      "'erasure', 'eraseCustomer', 'operator', now() + interval '5 minutes')",
      {tenant.id});
  const auto job = tenant.sql.value("select guid from jobs where business_id = $1", {tenant.id});
  expect_refused(http.del(job_path(job)), 409, "CONFLICT");
  EXPECT_EQ(text_at(http.get(job_path(job)).data(), "status"), "running");
}

TEST_F(JobsTest, JobsAreListedNewestFirst) {
  std::vector<std::string> made;
  for (int i = 0; i < 3; ++i) {
    made.push_back(accepted(http.post("/api/workflows/replay", json::object(), as_job)));
    result_of(http, made.back());
  }
  std::ranges::reverse(made);
  EXPECT_EQ(texts(http.get("/api/jobs"), "guid"), made);
  const auto page = http.get("/api/jobs?Page=2&PageSize=2");
  EXPECT_EQ(texts(page, "guid"), std::vector<std::string>{made.back()});
  EXPECT_EQ(at(page.body, "totalCount"), 3);
  EXPECT_EQ(names_of(page.data().at(0)),
            (std::set<std::string>{"guid", "kind", "status", "progress", "startedAt", "finishedAt", "result",
                                   "error"}));
}

TEST_F(JobsTest, AJobThatFailsAgainAndAgainEnds) {
  tenant.sql.rows(
      "insert into jobs (business_id, guid, kind, operation, role, due_at, failures) values ($1, "
      "gen_random_uuid(), 'export', 'exportCustomer', 'viewer', now(), 5)",
      {tenant.id});
  error_of(http, tenant.sql.value("select guid from jobs where business_id = $1", {tenant.id}),
           "INTERRUPTED");
}

TEST_F(JobsTest, JobsOfASuspendedBusinessWait) {
  const auto set_suspended = [&](std::string_view verb) {
    const auto done = run({waybill_binary(), "business", std::string(verb), "--database-url",
                           world.database.url(), "--business", tenant.name});
    ASSERT_EQ(done.status, 0) << done.standard_error;
  };
  set_suspended("suspend");
  tenant.sql.rows(
      "insert into jobs (business_id, guid, kind, operation, role, due_at, failures) values ($1, "
      "gen_random_uuid(), 'export', 'exportCustomer', 'viewer', now(), 5)",
      {tenant.id});
  EXPECT_TRUE(throughout(
      [&] { return tenant.sql.number("select failures from jobs where business_id = $1", {tenant.id}) == 5; },
      std::chrono::seconds(3)));
  set_suspended("resume");
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.value("select status from jobs where business_id = $1", {tenant.id}) == "failed";
  }));
}

}  // namespace
}  // namespace waybill::tests
