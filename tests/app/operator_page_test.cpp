#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/server.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The metrics listener of a process.
Http metrics_of(Waybill& waybill) {
  constexpr std::string_view host = "metrics=http://127.0.0.1:";
  const auto line = waybill.process().wait_for_line(std::string(host));
  if (!line) throw std::runtime_error("no metrics listener");
  return {"127.0.0.1", std::stoi(line->substr(line->find(host) + host.size()))};
}

class OperatorPage : public testing::Test {
 protected:
  TestDatabase database;
  Waybill waybill{database.url(), {.arguments = {"--metrics-listen", "127.0.0.1:0"}}};
  Http metrics = metrics_of(waybill);
};

TEST_F(OperatorPage, ShowsTheProcessesTheQueueAndTheBusinessesByGuid) {
  const Tenant tenant(waybill, "operators-see-no-names");
  const Response page = metrics.get("/operator");
  ASSERT_EQ(page.status, 200) << page.text;
  EXPECT_THAT(page.header("content-type"), HasSubstr("text/html"));
  for (const char* title : {"Database", "Processes", "Shards and lag", "Queue of runs", "Connections",
                            "Partitions", "Standbys", "Ledger", "Duties", "Businesses"})
    EXPECT_THAT(page.text, HasSubstr("<h2>" + std::string(title) + "</h2>"));
  EXPECT_THAT(page.text, HasSubstr(tenant.id));
  EXPECT_THAT(page.text, Not(HasSubstr(tenant.name)));
  EXPECT_THAT(page.text, HasSubstr("up "));
  EXPECT_THAT(page.text, Not(HasSubstr("class=\"fault\""))) << page.text;
  EXPECT_THAT(page.text, Not(HasSubstr("<script")));
}

TEST_F(OperatorPage, LoadsNothingButItsStyle) {
  const Response page = metrics.get("/operator");
  EXPECT_EQ(
      page.header("content-security-policy"),
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  EXPECT_EQ(page.header("cache-control"), "no-store");
  const Response style = metrics.get("/operator.css");
  EXPECT_EQ(style.status, 200);
  EXPECT_THAT(style.header("content-type"), HasSubstr("text/css"));
  EXPECT_EQ(metrics.request("POST", "/operator").status, 404);
}

TEST_F(OperatorPage, IsReadOnceForTheViewsOfFiveSeconds) {
  const std::string first = metrics.get("/operator").text;
  const Tenant tenant(waybill, "later");
  EXPECT_EQ(metrics.get("/operator").text, first);
  EXPECT_TRUE(eventually([&] { return metrics.get("/operator").text.find(tenant.id) != std::string::npos; }));
}

TEST_F(OperatorPage, ShowsWhatACheckOfTheLedgerHasFound) {
  database.exec(
      "insert into businesses (guid, name) values ('11111111-1111-4111-8111-111111111111', 'Acme')");
  database.exec(
      "insert into ledger_findings (business_id, first_time, end_time) values "
      "('11111111-1111-4111-8111-111111111111', '2026-01-01', '2026-01-02')");
  EXPECT_THAT(metrics.get("/operator").text,
              HasSubstr("<td>11111111-1111-4111-8111-111111111111</td><td>2026-01-01 00:00:00"));
}

TEST_F(OperatorPage, ShowsTheLastValuesWhileTheDatabaseIsAway) {
  ASSERT_THAT(metrics.get("/operator").text, HasSubstr("As of "));
  Session admin = postgres().admin();
  admin.exec("alter database " + database.name() + " allow_connections false");
  database.terminate_connections();
  std::string page;
  ASSERT_TRUE(eventually([&] {
    page = metrics.get("/operator").text;
    return page.find("The database is unavailable.") != std::string::npos;
  })) << page;
  EXPECT_THAT(page, HasSubstr("<h2>Processes</h2>"));
  admin.exec("alter database " + database.name() + " allow_connections true");
  EXPECT_TRUE(
      eventually([&] { return metrics.get("/operator").text.find("class=\"fault\"") == std::string::npos; }));
}

}  // namespace
}  // namespace waybill::tests
