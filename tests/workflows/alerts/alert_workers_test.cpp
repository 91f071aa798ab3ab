// Alerts across processes: workers that are killed, mails and their limit, the log; and alerts of imports.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/connectors/import_fixture.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

TEST_F(ImportTest, AFailedImportIsReported) {
  Receiver receiver;
  ASSERT_EQ(
      tenant.http.put(alert_settings, {{"webhook", {{"url", receiver.url(tenant.path("alerts"))}}}}).status,
      200);
  auto connection = connect(store);
  store.fail(failing_with(500), 100);
  const ImportRun run = connection.sync();
  const auto received = receiver.wait_for(tenant.path("alerts"), 1);
  ASSERT_EQ(received.size(), 1U);
  const json::value data = at(received[0].json_body(), "data");
  EXPECT_EQ(text_at(data, "cause"), "import_failed");
  EXPECT_TRUE(at(data, "workflow").is_null());
  EXPECT_EQ(text_at(data, "run.guid"), run.guid);
  EXPECT_EQ(text_at(data, "response"), run.reason());
  const std::string url = text_at(data, "replay.url");
  EXPECT_EQ(tenant.http.post(url.substr(url.find("/api/"))).status, 200);
}

/// Separate processes, because the tests kill them or limit their mails.
class AlertWorkers : public testing::Test {
 protected:
  static Waybill::Options options(std::string command, std::vector<std::string> arguments = {}) {
    Waybill::Options chosen;
    chosen.command = std::move(command);
    chosen.arguments = std::move(arguments);
    return chosen;
  }
  std::unique_ptr<Waybill> start_worker(std::vector<std::string> arguments = {}) {
    Waybill::Options chosen = options("worker", std::move(arguments));
    chosen.secret_key_file = api.secret_key_file();
    return std::make_unique<Waybill>(database.url(), chosen);
  }
  std::vector<std::string> mails() const {
    std::vector<std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
      if (entry.path().extension() != ".eml") continue;
      std::ifstream file(entry.path());
      texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return texts;
  }
  void fail(const std::string& workflow) {
    tenant.sql.rows("select count_failures($1, 'run_dead', $2, null, null, null, 1)", {tenant.id, workflow});
  }

  TempDirectory directory;
  TestDatabase database;
  Waybill api{database.url(), options("api")};
  Receiver receiver;
  Tenant tenant{api, "Shop"};
};

TEST_F(AlertWorkers, SurviveAWorkerThatIsKilledWhileItSends) {
  const auto gate = std::make_shared<Gate>();
  receiver.answer_next("/alerts", Reply::after(gate));
  ASSERT_EQ(tenant.http.put(alert_settings, {{"webhook", {{"url", receiver.url("/alerts")}}}}).status, 200);
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
  fail(workflow);
  auto worker = start_worker();
  ASSERT_EQ(receiver.wait_for("/alerts", 1).size(), 1U);
  worker->process().kill(SIGKILL);
  worker.reset();
  fail(workflow);
  database.exec("update alert_messages set due_at = now()");  // the claim of the killed worker ends
  worker = start_worker();
  ASSERT_EQ(receiver.wait_for("/alerts", 2).size(), 2U);
  const auto received = receiver.received("/alerts");
  EXPECT_EQ(received[1].header("webhook-id"), received[0].header("webhook-id"));
  EXPECT_EQ(received[1].body, received[0].body);
  EXPECT_TRUE(eventually([&] { return database.number("select count(*) from alert_messages") == 0; }));
  EXPECT_EQ(database.number("select count from alerts"), 1)
      << "the later failure waits for the end of the window";
}

TEST_F(AlertWorkers, ALockedMessageDelaysNoOthers) {
  Tenant other(api, "Other");
  const auto gate = std::make_shared<Gate>();
  receiver.answer("/locked", Reply::after(gate));
  ASSERT_EQ(tenant.http.put(alert_settings, {{"webhook", {{"url", receiver.url("/locked")}}}}).status, 200);
  ASSERT_EQ(other.http.put(alert_settings, {{"webhook", {{"url", receiver.url("/alerts")}}}}).status, 200);
  fail(tenant.webhook(receiver.url("/hook"), "order_created"));
  const auto worker = start_worker();
  ASSERT_EQ(receiver.wait_for("/locked", 1).size(), 1U);
  Session holder = database.connect();
  holder.exec("begin; select from alert_messages for update");
  gate->open();
  other.sql.rows("select count_failures($1, 'run_dead', $2, null, null, null, 1)",
                 {other.id, other.webhook(receiver.url("/hook"), "order_created")});
  EXPECT_EQ(receiver.wait_for("/alerts", 1).size(), 1U);
  EXPECT_TRUE(eventually([&] { return database.number("select count(*) from alert_messages") == 1; }));
  holder.exec("rollback");
  EXPECT_TRUE(eventually([&] { return database.number("select count(*) from alert_messages") == 0; }));
  EXPECT_EQ(receiver.count("/locked"), 1U);
}

TEST_F(AlertWorkers, MailTheSameInWordsWithinTheLimitOfMails) {
  database.exec("update businesses set registered_by_itself = true, plan = 'standard'");
  ASSERT_EQ(
      tenant.http.put(alert_settings, {{"emails", json::array{"ops@shop.example", "boss@shop.example"}}})
          .status,
      200);
  tenant.webhook(receiver.url("/hook"), "order_created", {{"name", "Tell the ERP"}});
  receiver.answer("/hook", Reply::with_status(422, {{"webhook-delivery", "abort-message"}}, "no stock"));
  const auto worker = start_worker({"--mail-dir", directory.path(), "--mails-per-day", "3"});
  tenant.insert_order();
  ASSERT_TRUE(eventually([&] { return mails().size() == 1; }));
  const std::string mail = mails().front();
  EXPECT_THAT(mail, HasSubstr("\r\nTo: ops@shop.example,\r\n boss@shop.example\r\n"));
  EXPECT_THAT(mail, HasSubstr("Subject: A run of the workflow \"Tell the ERP\" failed"));
  EXPECT_THAT(mail, HasSubstr("no stock"));
  EXPECT_THAT(mail, HasSubstr("/replay"));
  EXPECT_THAT(mail, HasSubstr("Auto-Submitted: auto-generated"));
  EXPECT_EQ(database.number("select recipients from business_mails"), 2);

  tenant.insert_order();
  ASSERT_TRUE(
      eventually([&] { return database.number("select coalesce(sum(count), 0)::bigint from alerts") == 1; }));
  database.exec("update alerts set due_at = now()");
  ASSERT_TRUE(worker->process().wait_for_line("alert.delayed"));
  EXPECT_EQ(mails().size(), 1U) << "two more recipients exceed the limit";
  EXPECT_EQ(database.number("select attempts from alert_messages where due_at > now() + interval '1 second'"),
            1);
}

TEST_F(AlertWorkers, ReportWhatTheySentAndGaveUp) {
  ASSERT_EQ(tenant.http.put(alert_settings, {{"webhook", {{"url", receiver.url("/alerts")}}}}).status, 200);
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
  receiver.answer_next("/alerts", Reply::with_status(410));
  const auto worker = start_worker();
  fail(workflow);
  const auto lost = worker->process().wait_for_line("alert.lost");
  ASSERT_TRUE(lost);
  EXPECT_THAT(*lost, HasSubstr("cause=run_dead channel=webhook attempt=1"));
  EXPECT_THAT(*lost, HasSubstr("410"));
  fail(workflow);
  database.exec("update alerts set due_at = now()");
  EXPECT_TRUE(worker->process().wait_for_line("alert.sent"));
}

TEST_F(AlertWorkers, MessagesExpireWithTheRuns) {
  for (const std::string_view age : {"29 days", "31 days"})
    tenant.sql.rows(
        "insert into alert_messages (business_id, channel, cause, subject_id, count, created_at, due_at) "
        "values ($1, 'webhook', 'run_dead', $1, 1, now() - $2::interval, now() + interval '1 day')",
        {tenant.id, std::string(age)});
  database.make_duties_due();
  const auto worker = start_worker();
  EXPECT_TRUE(eventually([&] { return database.number("select count(*) from alert_messages") == 1; }));
}

}  // namespace
}  // namespace waybill::tests
