#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/schedule_ticks.hpp"
#include "tests/workflows/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// A database with an API; workers are started after the test has prepared everything, because each performs
/// all duties at its start.
class Watched : public testing::Test {
 protected:
  static Waybill::Options api_options() {
    Waybill::Options options;
    options.command = "api";
    return options;
  }

  std::unique_ptr<Waybill> start_worker() {
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
  worker.reset();
  // A second run of the same event and workflow, and a run of an event that does not exist.
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
  EXPECT_EQ(worker->process().standard_error().find("business=" + balanced.id), std::string::npos);
}

/// Limits under which a few firings are many.
class BlastGuard : public testing::Test {
 protected:
  static Waybill::Options guarded(std::string factor, std::string minimum) {
    Waybill::Options options;
    options.arguments = {"--blast-guard-factor", std::move(factor), "--blast-guard-minimum",
                         std::move(minimum)};
    return options;
  }

  static void insert_orders(Tenant& tenant, int count) {
    tenant.sql.rows(
        "insert into orders (business_id, order_number) select $1, gen_random_uuid() from "
        "generate_series(1, $2::int)",
        {tenant.id, std::to_string(count)});
    tenant.settle();
  }
  static std::size_t count(Tenant& tenant, const std::string& workflow, std::string_view status) {
    return tenant.runs("workflowId=" + workflow + "&status=" + std::string(status)).size();
  }

  Receiver receiver;
};

TEST_F(BlastGuard, PausesBeyondTheMinimumAndHoldsTheRemainingRuns) {
  World world(guarded("100", "20"));
  Tenant tenant(world.waybill, "burst");
  tenant.sql.rows("update businesses set email = 'ops@burst.example' where guid = $1", {tenant.id});
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
  const std::string other = tenant.webhook(receiver.url("/other"), "order_updated");
  insert_orders(tenant, 20);
  EXPECT_EQ(receiver.wait_for("/hook", 20).size(), 20U);
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "active");

  insert_orders(tenant, 5);
  const json::object paused = tenant.workflow(workflow);
  EXPECT_EQ(text_at(paused, "status"), "paused");
  EXPECT_NE(text_at(paused, "pausedReason").find("it fired 21 times within a minute"), std::string::npos);
  EXPECT_EQ(text_at(tenant.workflow(other), "status"), "active");
  EXPECT_TRUE(world.waybill.process().wait_for_line("workflow.paused"));
  insert_orders(tenant, 1);
  EXPECT_EQ(count(tenant, workflow, "held"), 6U);
  EXPECT_EQ(receiver.count("/hook"), 20U);
  // The mail was sent with the pause.
  EXPECT_TRUE(world.waybill.process().wait_for_line("mail.written"));

  // A user who resumes has seen the warning, so the count starts again.
  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
  EXPECT_EQ(receiver.wait_for("/hook", 26).size(), 26U);
  insert_orders(tenant, 20);
  EXPECT_EQ(receiver.wait_for("/hook", 46).size(), 46U);
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "active");

  EXPECT_EQ(world.waybill.stop(), 0);
  EXPECT_EQ(
      world.database.number("select sum(count) from workflow_firings where workflow_id = $1", {workflow}), 40)
      << "held runs do not count as firings, in any split into batches";
}

TEST_F(BlastGuard, WatchesTheRecordsOfASchedule) {
  World world(guarded("100", "20"));
  Tenant tenant(world.waybill, "scheduled");
  insert_orders(tenant, 25);
  const std::string workflow =
      text_at(tenant.configure({{"name", "scheduled"},
                                {"entityType", "Order"},
                                {"schedule", {{"cron", "0 8 1 1 *"}}},
                                {"each", true},
                                {"action", {{"type", "webhook"}, {"recipient", receiver.url("/each")}}}}),
              "guid");
  make_tick_due(tenant, workflow);
  EXPECT_TRUE(eventually([&] { return text_at(tenant.workflow(workflow), "status") == "paused"; }));
  // The first twenty are queued when the pause begins, which holds those that have not begun.
  EXPECT_TRUE(eventually([&] { return count(tenant, workflow, "held") + receiver.count("/each") == 25; }));
  EXPECT_LE(receiver.count("/each"), 20U);
  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
  EXPECT_EQ(receiver.wait_for("/each", 25).size(), 25U);
}

TEST_F(BlastGuard, AWorkflowMayFireAHundredTimesItsRate) {
  World world(guarded("100", "20"));
  Tenant tenant(world.waybill, "usual");
  const std::string fired = tenant.webhook(receiver.url("/fired"), "order_created");
  const std::string expected = tenant.webhook(receiver.url("/expected"), "order_created");
  // 0.5 a minute, a hundred times which is 50.
  tenant.sql.rows("insert into workflow_firings values ($1, $2, now() - interval '6 days', 5040)",
                  {tenant.id, fired});
  tenant.sql.rows("update workflow_health set expected_weekly = 5040 where workflow_id = $1", {expected});
  insert_orders(tenant, 50);
  EXPECT_EQ(receiver.wait_for("/fired", 50).size(), 50U);
  EXPECT_EQ(receiver.wait_for("/expected", 50).size(), 50U);
  insert_orders(tenant, 1);
  for (const std::string& workflow : {fired, expected}) {
    EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "paused");
    EXPECT_EQ(count(tenant, workflow, "held"), 1U);
  }
}

TEST_F(BlastGuard, AFiringRateOlderThanAWeekIsIgnored) {
  World world(guarded("100", "20"));
  Tenant tenant(world.waybill, "stale");
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
  tenant.sql.rows("insert into workflow_firings values ($1, $2, now() - interval '7 days 1 hour', 5040)",
                  {tenant.id, workflow});
  insert_orders(tenant, 21);
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "paused");
}

TEST_F(BlastGuard, ConfiguringStoresTheExpectedFiringRate) {
  World world(guarded("100", "20"));
  Tenant tenant(world.waybill, "configured");
  insert_orders(tenant, 7);
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
  EXPECT_EQ(
      tenant.sql.number("select expected_weekly from workflow_health where workflow_id = $1", {workflow}), 7);
}

TEST_F(BlastGuard, ABacklogIsCountedByTheTimesOfItsEvents) {
  World world(guarded("100", "20"));
  Tenant tenant(world.waybill, "backlog");
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
  tenant.sql.rows("update workflows set active_since = now() - interval '1 day' where guid = $1", {workflow});
  // Matched at once, although one was created every ten seconds.
  tenant.sql.exec("begin");
  tenant.sql.rows(
      "insert into orders (business_id, order_number) select $1, gen_random_uuid() from "
      "generate_series(1, 60)",
      {tenant.id});
  tenant.sql.rows(
      "with numbered as (select id, at as was, row_number() over (order by id) as n from events "
      "where business_id = $1), moved as (update events e set at = now() - interval '15 minutes' + "
      "n.n * interval '10 seconds' from numbered n where e.id = n.id and e.at = n.was returning e.id, e.at) "
      "update pending_events p set at = m.at from moved m where p.id = m.id",
      {tenant.id});
  tenant.sql.exec("commit");
  EXPECT_EQ(receiver.wait_for("/hook", 60).size(), 60U);
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "active");
}

TEST_F(BlastGuard, ZeroDisablesTheGuard) {
  for (const auto& [factor, minimum] : {std::pair("0", "20"), std::pair("100", "0")}) {
    World world(guarded(factor, minimum));
    Tenant tenant(world.waybill, "unguarded");
    const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
    insert_orders(tenant, 60);
    EXPECT_EQ(count(tenant, workflow, "held"), 0U);
    EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "active");
  }
}

}  // namespace
}  // namespace waybill::tests
