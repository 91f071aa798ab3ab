#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/guid.hpp"
#include "storage/blocking/connection.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// A psql session that has changed a workflow and does not commit: it locks the workflow's row and the row of
/// the workflows' epoch.
class HeldWorkflow : public testing::Test {
 protected:
  HeldWorkflow() {
    holder.exec("begin; update workflows set updated_at = updated_at where guid = '" + workflow + "'");
  }

  World world;
  Receiver receiver;
  Tenant loud{world.waybill, "loud"};
  Tenant quiet{world.waybill, "quiet"};
  std::string workflow = loud.webhook(receiver.url("/gone"), "order_created");
  std::string other = quiet.webhook(receiver.url("/hook"), "order_created");
  Session holder = world.database.connect();
};

TEST_F(HeldWorkflow, APauseThatCannotBeWrittenTakesEffectAndStopsNoOtherRuns) {
  receiver.answer("/gone", Reply::with_status(410));
  loud.insert_order();
  ASSERT_EQ(receiver.wait_for("/gone", 1).size(), 1U);
  EXPECT_EQ(loud.run_with_status(workflow, "dead").at("code"), "GONE");
  for (int i = 0; i < 20; ++i) {
    loud.insert_order();
    quiet.insert_order();
  }
  EXPECT_EQ(receiver.wait_for("/hook", 20).size(), 20U);
  quiet.settle();
  loud.settle();
  EXPECT_EQ(world.database.number("select count(*) from runs where workflow_id = '" + other +
                                  "' and status = 'succeeded'"),
            20);
  EXPECT_EQ(world.database.number("select count(*) from run_queue where workflow_id = '" + workflow + "'"),
            20);
  EXPECT_EQ(receiver.count("/gone"), 1U) << "the pause takes effect before it is written";
  EXPECT_EQ(loud.workflow(workflow).at("status"), "active");

  holder.exec("commit");
  EXPECT_TRUE(eventually([&] { return loud.workflow(workflow).at("status") == "paused"; }));
  EXPECT_TRUE(eventually([&] { return loud.runs("workflowId=" + workflow + "&status=held").size() == 20; }));
  EXPECT_EQ(receiver.count("/gone"), 1U);
  receiver.answer("/gone", Reply::with_status(200));
  ASSERT_EQ(loud.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
  EXPECT_EQ(receiver.wait_for("/gone", 21).size(), 21U);
}

TEST_F(HeldWorkflow, AChangeOfAnotherWorkflowIsRefusedWithinFourSeconds) {
  const auto asked_at = std::chrono::steady_clock::now();
  const Response response = quiet.http.get("/api/workflows/configured/" + other + "/toggle");
  EXPECT_EQ(response.status, 503);
  EXPECT_NE(response.header("retry-after"), "");
  EXPECT_LT(std::chrono::steady_clock::now() - asked_at, 4s);
  holder.exec("rollback");
  EXPECT_EQ(quiet.http.get("/api/workflows/configured/" + other + "/toggle").status, 200);
}

/// The session of a worker that was stopped while it recorded a run still locks the unique key of the run.
TEST(HeldKey, OrderedRunsAreQueuedInTheOrderOfTheChangesOfTheirRecord) {
  World world;
  Receiver receiver;
  Tenant tenant(world.waybill, "ordered");
  // Runs of a workflow with a rate begin in the queue.
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_updated",
                                              {{"ordered", true}, {"rate", {{"perSecond", 100}}}});
  const std::string order = tenant.insert_order();
  const std::string other = tenant.insert_order();
  const auto change = [](Session& session, const std::string& record, const std::string& notes) {
    session.exec("update orders set notes = '" + notes + "' where guid = '" + record + "'");
  };
  Session writer = world.database.connect();
  writer.exec("begin");
  change(writer, order, "first");
  const auto event = writer.rows(
      "select id, floor(extract(epoch from at) * 1000)::bigint from events where entity_id = $1 order by id "
      "desc limit 1",
      {order});
  const Guid run = Guid::timed_hash(std::stoll(event[0][1].value()), Guid::parse(workflow).value(),
                                    std::stoull(event[0][0].value()));
  Session holder = world.database.connect();
  holder.exec("begin");
  holder.rows(
      "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
      "entity_id, "
      "trigger_code, action, status, created_at, due_at, origin, request) "
      "values ($1, $2, $3, 1, $4, 0, $5, 'order_updated', 'webhook', 'queued', now(), now(), $2, 'null')",
      {tenant.id, run.to_string(), workflow, event[0][0], order});
  writer.exec("commit");
  change(writer, order, "second");
  change(writer, other, "of another");
  const auto notes = [&](std::size_t count) {
    std::vector<std::string> all;
    for (const Received& request : receiver.wait_for("/hook", count))
      all.push_back(text_at(request.json_body(), "data.entity.notes"));
    return all;
  };
  EXPECT_EQ(notes(1), std::vector<std::string>{"of another"});
  holder.exec("rollback");
  EXPECT_EQ(notes(3), (std::vector<std::string>{"of another", "first", "second"}));
}

/// A run that another session has locked is written after the lock is released, and the others before.
TEST(HeldRun, DoesNotPreventOtherRunsFromBeingRecorded) {
  World world;
  Receiver receiver;
  Tenant tenant(world.waybill, "locked");
  const auto gate = std::make_shared<Gate>();
  receiver.answer("/hung", Reply::after(gate));
  const std::string hung = tenant.webhook(receiver.url("/hung"), "order_created");
  tenant.insert_order();
  ASSERT_TRUE(eventually(
      [&] { return tenant.sql.number("select count(*) from run_queue where status = 'running'") == 1; }));
  Session holder = world.database.connect();
  holder.exec("begin; select from run_queue for update");
  gate->open();
  tenant.webhook(receiver.url("/hook"), "order_updated");
  for (int i = 0; i < 10; ++i) tenant.update_orders("notes = '" + std::to_string(i) + "' where true");
  EXPECT_EQ(receiver.wait_for("/hook", 10).size(), 10U);
  tenant.settle();
  holder.exec("commit");
  tenant.run_with_status(hung, "succeeded");
}

/// A worker that was killed while another session had locked one of its runs.
TEST(HeldRunOfALostWorker, KeepsNoShardFromItsSuccessor) {
  Waybill::Options api;
  api.command = "api";
  World world(api);
  const auto start_worker = [&] {
    Waybill::Options options;
    options.command = "worker";
    options.secret_key_file = world.waybill.secret_key_file();
    return std::make_unique<Waybill>(world.database.url(), options);
  };
  Receiver receiver;
  Tenant tenant(world.waybill, "left");
  const auto gate = std::make_shared<Gate>();
  receiver.answer("/hung", Reply::after(gate));
  tenant.webhook(receiver.url("/hung"), "order_created");
  tenant.webhook(receiver.url("/hook"), "order_updated");
  auto worker = start_worker();
  tenant.insert_order();
  ASSERT_TRUE(eventually(
      [&] { return tenant.sql.number("select count(*) from run_queue where status = 'running'") == 1; }));
  Session holder = world.database.connect();
  holder.exec("begin; select from run_queue for update");
  worker->process().kill(SIGKILL);
  worker.reset();
  worker = start_worker();
  tenant.update_orders("notes = 'x' where true");
  EXPECT_EQ(receiver.wait_for("/hook", 1).size(), 1U);
  holder.exec("rollback");
  gate->open();
}

/// A session that has locked hundreds of runs of one business, whose receivers then answer at once.
TEST(HeldRuns, DoNotDelayTheRunsOfAnotherBusiness) {
  constexpr int held = 300;
  World world;
  Receiver receiver;
  Tenant loud(world.waybill, "loud");
  Tenant quiet(world.waybill, "quiet");
  const auto gate = std::make_shared<Gate>();
  receiver.answer("/hung", Reply::after(gate));
  const std::string hung = loud.webhook(receiver.url("/hung"), "order_created");
  const std::string hook = quiet.webhook(receiver.url("/hook"), "order_created");
  quiet.insert_order();
  quiet.run_with_status(hook, "succeeded");
  for (int i = 0; i < held; ++i) loud.insert_order();
  loud.settle();
  ASSERT_GE(receiver.wait_for("/hung", 1).size(), 1U);
  Session holder = world.database.connect();
  holder.exec("begin; select from run_queue for update");
  gate->open();
  for (int i = 0; i < 3; ++i) {
    const auto since = std::chrono::steady_clock::now();
    const std::string order = quiet.insert_order();
    EXPECT_TRUE(eventually([&] {
      return quiet.sql.number("select count(*) from runs where entity_id = $1 and status = 'succeeded'",
                              {order}) == 1;
    })) << i;
    EXPECT_LT(std::chrono::steady_clock::now() - since, 1s) << i;
  }
  EXPECT_EQ(loud.sql.number("select count(*) from runs where workflow_id = '" + hung + "'"), 0);
  holder.exec("commit");
  EXPECT_TRUE(eventually(
      [&] {
        return loud.sql.number("select count(*) from runs where workflow_id = '" + hung +
                               "' and status = 'succeeded'") == held;
      },
      60s));
}

/// More held runs than a request queues, one of which another session has locked, and no worker.
TEST(ManyHeldRuns, AreQueuedByTheRequestAndTheDuty) {
  Waybill::Options options;
  options.command = "api";
  World world(options);
  Tenant tenant(world.waybill, "resumed");
  const std::string workflow = tenant.webhook("http://127.0.0.1:9/", "order_created");
  tenant.sql.rows("update workflows set paused_reason = 'full', paused_at = now() where guid = $1",
                  {workflow});
  tenant.sql.rows(
      "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
      "entity_id, trigger_code, action, status, created_at, due_at, origin, request) "
      "select $1::uuid, gen_random_uuid(), $2::uuid, 1, n, 0, gen_random_uuid(), 'order_created', 'webhook', "
      "'held', now(), now(), gen_random_uuid(), '{}' from generate_series(1, 2500) n",
      {tenant.id, workflow});
  const auto held = [&] {
    return tenant.sql.number("select count(*) from run_queue where status = 'held' and workflow_id = $1",
                             {workflow});
  };
  Session holder = world.database.connect();
  holder.exec("begin; select from run_queue order by guid limit 1 for update");
  EXPECT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
  EXPECT_EQ(held(), 1'500);

  const SecretBox secrets(SecretBox::Key{});
  storage::blocking::Connection duties(world.database.url(), "duties");
  while (worker::release_held(duties, {.database_url = {}, .secrets = secrets})) continue;
  EXPECT_EQ(held(), 1);
  holder.exec("rollback");
  while (worker::release_held(duties, {.database_url = {}, .secrets = secrets})) continue;
  EXPECT_EQ(held(), 0);
}

}  // namespace
}  // namespace waybill::tests
