#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

/// A database with an API; a worker is started after the test has prepared everything, and performs all
/// duties at its start.
class Watched : public testing::Test {
 protected:
  static Waybill::Options api_options() {
    Waybill::Options options;
    options.command = "api";
    return options;
  }

  std::unique_ptr<Waybill> start_worker() {
    database.make_duties_due();
    Waybill::Options options;
    options.command = "worker";
    options.secret_key_file = api.secret_key_file();
    options.arguments = {"--mail-dir", mails.path()};
    return std::make_unique<Waybill>(database.url(), options);
  }

  /// A webhook workflow whose definition is a month old.
  std::string old_workflow(Tenant& tenant, std::string_view name) {
    std::string workflow = tenant.webhook("http://127.0.0.1:9/", "order_created", {{"name", name}});
    tenant.sql.rows("update workflows set judged_since = now() - interval '30 days' where guid = $1",
                    {workflow});
    return workflow;
  }

  /// Runs that ended that many days ago, half an hour after their events.
  static void insert_runs(Tenant& tenant, const std::string& workflow, std::string_view status,
                          const std::vector<double>& days_ago) {
    for (const double days : days_ago) {
      tenant.sql.rows(
          "insert into runs (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
          "entity_id,"
          " trigger_code, action, status, attempts, created_at, finished_at, origin, destination, request, "
          "tries)"
          " select $1, guid, $2, 1, 1, 0, $2, 'order_created', 'webhook', $3, 1, made, made + interval '30 "
          "minutes',"
          " guid, '', '{}', '[]' from (select now() - $4::float8 * interval '1 day' - interval '30 minutes' "
          "as made) m,"
          " lateral (select (left(first_guid(made)::text, 14) || substr(gen_random_uuid()::text, 15))::uuid "
          "as guid) g",
          {tenant.id, workflow, std::string(status), std::to_string(days)});
    }
  }

  std::vector<std::string> written_mails() const {
    std::vector<std::string> texts;
    if (!std::filesystem::exists(mails.path())) return texts;
    for (const auto& entry : std::filesystem::directory_iterator(mails.path())) {
      if (entry.path().extension() != ".eml") continue;
      std::ifstream file(entry.path());
      texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return texts;
  }

  TestDatabase database;
  TempDirectory mails;
  Waybill api{database.url(), api_options()};
};

TEST_F(Watched, AWorkflowThatOnlyFailsForFiveDaysIsPausedAndItsBusinessMailed) {
  Tenant tenant(api, "failing");
  tenant.sql.rows("update businesses set email = 'ops@failing.example' where guid = $1", {tenant.id});
  const std::string failing = old_workflow(tenant, "failing");
  insert_runs(tenant, failing, "dead", {9, 6, 1});
  const std::string failed_after_success = old_workflow(tenant, "after a success");
  insert_runs(tenant, failed_after_success, "succeeded", {9.5, 6});
  insert_runs(tenant, failed_after_success, "dead", {5.1, 1});
  const std::string skipping = old_workflow(tenant, "also skipping");
  insert_runs(tenant, skipping, "dead", {8, 2});
  insert_runs(tenant, skipping, "skipped", {3});

  std::vector<std::string> healthy;
  healthy.push_back(old_workflow(tenant, "not long enough"));
  insert_runs(tenant, healthy.back(), "dead", {4.9, 3, 1});
  healthy.push_back(old_workflow(tenant, "succeeded in between"));
  insert_runs(tenant, healthy.back(), "dead", {9, 6, 3, 1});
  insert_runs(tenant, healthy.back(), "succeeded", {2});
  healthy.push_back(old_workflow(tenant, "failing for four days after a success"));
  insert_runs(tenant, healthy.back(), "dead", {9, 4, 1});
  insert_runs(tenant, healthy.back(), "succeeded", {6});
  healthy.push_back(old_workflow(tenant, "failed long ago"));
  insert_runs(tenant, healthy.back(), "dead", {9, 6});
  healthy.push_back(old_workflow(tenant, "resumed since"));
  insert_runs(tenant, healthy.back(), "dead", {9, 6, 1});
  tenant.sql.rows(
      "update workflows set paused_reason = 'x', paused_at = now() - interval '2 days' where guid = $1",
      {healthy.back()});
  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + healthy.back()).status, 200);
  const std::string disabled = old_workflow(tenant, "disabled");
  insert_runs(tenant, disabled, "dead", {9, 6, 1});
  tenant.sql.rows("update workflows set is_active = false where guid = $1", {disabled});

  // Only the worker acts from here on, for the mails as well.
  ASSERT_EQ(api.stop(), 0);
  const auto worker = start_worker();
  const auto reason = [&](const std::string& workflow) {
    return tenant.sql.value("select paused_reason from workflows where guid = $1", {workflow});
  };
  ASSERT_TRUE(eventually([&] { return reason(failing) == "every run failed for 5 days"; }));
  EXPECT_EQ(reason(failed_after_success), "every run failed for 5 days");
  EXPECT_EQ(reason(skipping), "every run failed for 5 days");
  for (const std::string& workflow : healthy) {
    EXPECT_EQ(reason(workflow), "") << tenant.sql.value("select name from workflows where guid = $1",
                                                        {workflow});
  }
  EXPECT_EQ(reason(disabled), "");
  EXPECT_EQ(
      tenant.sql.number("select count(*) from workflow_health where workflow_id = $1 and succeeded_at > "
                        "now() - interval '5 days'",
                        {healthy[1]}),
      1)
      << "its runs are not read again before its success is 5 days old";

  // Sent by a process that serves no API.
  ASSERT_TRUE(eventually([&] { return written_mails().size() == 3; }));
  bool is_reported = false;
  for (const std::string& mail : written_mails()) {
    EXPECT_NE(mail.find("\r\nTo: ops@failing.example\r\n"), std::string::npos) << mail;
    is_reported = is_reported || mail.find(failing) != std::string::npos;
  }
  EXPECT_TRUE(is_reported);
  EXPECT_TRUE(eventually([&] { return database.number("select count(*) from mail_outbox") == 0; }));
}

TEST_F(Watched, ABusinessWithoutAnAddressIsNotifiedThroughItsOwners) {
  Tenant tenant(api, "owned");
  tenant.sql.exec(
      "insert into users (email, password_hash, business_id, role, verified_at) values "
      "('owner@owned.example', 'x', '" +
      tenant.id +
      "', 'owner', now()), "
      "('unverified@owned.example', 'x', '" +
      tenant.id +
      "', 'admin', null), "
      "('viewer@owned.example', 'x', '" +
      tenant.id + "', 'viewer', now())");
  EXPECT_EQ(tenant.sql.value("select contact_addresses($1)", {tenant.id}), "owner@owned.example");
  tenant.sql.rows("update businesses set email = 'b@owned.example' where guid = $1", {tenant.id});
  EXPECT_EQ(tenant.sql.value("select contact_addresses($1)", {tenant.id}), "b@owned.example");
}

TEST_F(Watched, ALedgerThatDoesNotBalanceIsReported) {
  Receiver receiver;
  auto worker = start_worker();
  Tenant balanced(api, "sound");
  Tenant duplicate(api, "doubled");
  Tenant without_event(api, "baseless");
  for (Tenant* tenant : {&balanced, &duplicate, &without_event}) {
    const std::string workflow = tenant->webhook(receiver.url(tenant->path()), "order_created");
    tenant->insert_order();
    tenant->run_with_status(workflow, "succeeded");
    ASSERT_EQ(tenant->http
                  .post("/api/workflows/runs/" +
                        text_at(tenant->runs("workflowId=" + workflow).front(), "guid") + "/replay")
                  .status,
              201);
    receiver.wait_for(tenant->path(), 2);
    tenant->settle();
  }
  Tenant lost(api, "lost");
  lost.configure({{"name", "digest"},
                  {"entityType", "Order"},
                  {"triggers", {"order_created"}},
                  {"digest", {{"every", "PT1H"}}},
                  {"action", {{"type", "webhook"}, {"recipient", receiver.url(lost.path())}}}});
  lost.insert_order();
  lost.settle();
  worker.reset();
  // A second run of the same event and workflow, a run of an event that does not exist, and an event that a
  // digest has collected and lost.
  lost.sql.exec("delete from digests where business_id = '" + lost.id + "'");
  duplicate.sql.exec(
      "insert into runs select (jsonb_populate_record(r, jsonb_build_object('guid', left(r.guid::text, 14) "
      "|| "
      "substr(gen_random_uuid()::text, 15)))).* from runs r where replay_of is null and business_id = '" +
      duplicate.id + "'");
  without_event.sql.exec("delete from events where business_id = '" + without_event.id + "'");

  worker = start_worker();
  const auto duplicate_line = worker->process().wait_for_line("business=" + duplicate.id);
  ASSERT_TRUE(duplicate_line);
  EXPECT_NE(duplicate_line->find("ledger.unbalanced"), std::string::npos) << *duplicate_line;
  EXPECT_NE(duplicate_line->find("runs=2 pairs=1"), std::string::npos) << *duplicate_line;
  const auto without_event_line = worker->process().wait_for_line("business=" + without_event.id);
  ASSERT_TRUE(without_event_line);
  EXPECT_NE(without_event_line->find("of_no_event=1"), std::string::npos) << *without_event_line;
  const auto lost_line = worker->process().wait_for_line("business=" + lost.id);
  ASSERT_TRUE(lost_line);
  EXPECT_NE(lost_line->find("lost=1"), std::string::npos) << *lost_line;
  EXPECT_EQ(worker->process().standard_error().find("business=" + balanced.id), std::string::npos);
}

}  // namespace
}  // namespace waybill::tests
