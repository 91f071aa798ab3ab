#include "base/secret_box.hpp"
#include "storage/blocking/connection.hpp"
#include "tests/workflows/timing/digests_fixture.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using Digests = DigestTest;
using Guids = std::vector<std::string>;

TEST_F(Digests, BeginOneRunForTheEventsOfEachValue) {
  const std::string workflow = collecting({{"every", "PT1H"}, {"by", "notes"}});
  const std::string first = tenant.create_order({{"notes", "a"}});
  const std::string other = tenant.create_order();
  const std::string second = tenant.create_order({{"notes", "a"}});
  tenant.settle();
  EXPECT_EQ(open(), 2);
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
  jump();
  const auto received = wait_for(2);
  ASSERT_EQ(received.size(), 2U);
  const bool is_first = at(received[0].json_body(), "data.by") == json::value("a");
  const json::value body = received[is_first ? 0 : 1].json_body();
  const json::value rest = received[is_first ? 1 : 0].json_body();
  EXPECT_EQ(at(body, "type"), "digest");
  EXPECT_FALSE(body.as_object().contains("triggers"));
  EXPECT_EQ(at(body, "data.count"), json::value(2));
  EXPECT_EQ(orders_of(body), (Guids{first, second}));
  EXPECT_EQ(at(rest, "data.by"), json::value());
  EXPECT_EQ(orders_of(rest), Guids{other});
  const json::value& item = at(body, "data.items").as_array().at(0);
  EXPECT_EQ(at(item, "event.type"), "order_created");
  EXPECT_EQ(text_at(item, "event.timestamp"),
            tenant.sql.value("select iso(at) from events where entity_id = $1", {first}));
  EXPECT_EQ(at(item, "event.id"),
            json::value(tenant.sql.number("select id from events where entity_id = $1", {first})));
  EXPECT_EQ(at(item, "previous"), json::value(json::object()));
  EXPECT_EQ(at(item, "customer.name"), "Ada Lovelace");

  const std::string guid = received[is_first ? 0 : 1].header("webhook-id").substr(4);
  const json::object run = tenant.run(guid);
  EXPECT_EQ(at(run, "trigger"), "digest");
  EXPECT_TRUE(at(run, "eventId").is_null());
  EXPECT_TRUE(at(run, "entityId").is_null());
  EXPECT_EQ(tenant.runs("workflowId=" + workflow).size(), 2U);
  EXPECT_EQ(open(), 0);
  EXPECT_EQ(tenant.sql.number("select count(*) from digest_items where business_id = $1", {tenant.id}), 0);
}

TEST_F(Digests, HaveTheRecordsAsOfTheirEvents) {
  collecting({{"every", "PT1H"}}, {{"triggers", {"order_updated", "order_status_changed"}}});
  const std::string order = tenant.create_order();
  tenant.put_order(order, {{"notes", "one"}});
  tenant.put_order(order, {{"notes", "two"}});
  jump();
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  const json::value body = received[0].json_body();
  EXPECT_EQ(orders_of(body), (Guids{order, order})) << "an entry for each event";
  const auto& items = at(body, "data.items").as_array();
  EXPECT_EQ(at(items.at(0), "notes"), "one");
  EXPECT_EQ(at(items.at(1), "notes"), "two");
  EXPECT_EQ(at(items.at(1), "previous.notes"), "one");
  EXPECT_EQ(at(items.at(1), "event.type"), "order_updated");
}

TEST_F(Digests, BeginAtOnceWithTheirNumberOfEvents) {
  collecting({{"every", "P1D"}, {"max", 2}});
  Guids orders;
  for (int i = 0; i < 5; ++i) orders.push_back(tenant.create_order());
  const auto received = wait_for(2);
  ASSERT_EQ(received.size(), 2U);
  tenant.settle();
  EXPECT_EQ(open(), 1) << "the fifth order";
  std::vector<Guids> lists{orders_of(received[0].json_body()), orders_of(received[1].json_body())};
  if (lists[0].front() != orders[0]) std::swap(lists[0], lists[1]);
  EXPECT_EQ(lists[0], (Guids{orders[0], orders[1]}));
  EXPECT_EQ(lists[1], (Guids{orders[2], orders[3]}));
}

TEST_F(Digests, BeginByTheClock) {
  collecting({{"quiet", "PT1S"}});
  collecting({{"every", "PT1S"}}, {{"action", {{"type", "webhook"}, {"recipient", url("every")}}}});
  const std::string order = tenant.create_order();
  for (const char* const hook : {"hook", "every"}) {
    const auto received = wait_for(1, hook);
    ASSERT_EQ(received.size(), 1U) << hook;
    EXPECT_EQ(orders_of(received[0].json_body()), Guids{order});
  }
}

TEST_F(Digests, CloseOnceThoughTheClockOfTheDatabaseStepsBack) {
  for (const char* const terms : {"every", "quiet"}) {
    collecting({{terms, "PT3S"}}, {{"action", {{"type", "webhook"}, {"recipient", url(terms)}}}});
  }
  const std::string before = tenant.create_order();
  tenant.settle();
  // As if the clock had been an hour ahead when the digests began.
  for (const char* const column : {"began_at", "last_at", "due_at", "check_at"}) {
    tenant.sql.exec("update digests set " + std::string(column) + " = " + column +
                    " + interval '1 hour' where business_id = '" + tenant.id + "'");
  }
  const std::string after = tenant.create_order();
  tenant.settle();
  const SecretBox secrets{SecretBox::Key{}};
  storage::blocking::Connection session(world.database.url(), "test");
  worker::bring_back_runs(session, {.database_url = world.database.url(), .secrets = secrets});
  for (const char* const hook : {"every", "quiet"}) {
    const auto received = wait_for(1, hook);
    ASSERT_EQ(received.size(), 1U) << hook;
    EXPECT_EQ(orders_of(received[0].json_body()), (Guids{before, after})) << hook;
  }
  EXPECT_EQ(open(), 0);
  EXPECT_EQ(tenant.sql.number("select count(*) from digest_events where business_id = $1", {tenant.id}), 4);
  ledger();
}

TEST_F(Digests, MoveWithEachEventWhileTheyWaitForQuiet) {
  collecting({{"quiet", "PT1H"}, {"atMost", "PT90M"}});
  const auto due = [&] {
    tenant.settle();
    return tenant.sql.value(
        "select round(extract(epoch from due_at - began_at) / 60) from digests where business_id = $1",
        {tenant.id});
  };
  tenant.create_order();
  EXPECT_EQ(due(), "60");
  tenant.sql.exec("update digests set began_at = began_at - interval '45 minutes' where business_id = '" +
                  tenant.id + "'");
  tenant.create_order();
  EXPECT_EQ(due(), "90") << "at most";
}

TEST_F(Digests, CollectNothingWhileTheWorkflowIsOffAndRunWhatTheyHave) {
  const std::string workflow = collecting({{"every", "PT1H"}});
  const std::string before = tenant.create_order();
  tenant.settle();
  ASSERT_EQ(tenant.http.post("/api/workflows/configured/" + workflow + "/toggle", json::object{}).status,
            200);
  tenant.create_order();
  tenant.settle();
  ASSERT_EQ(tenant.http.post("/api/workflows/configured/" + workflow + "/toggle", json::object{}).status,
            200);
  tenant.configure({{"guid", workflow}, {"isActive", false}});
  tenant.create_order();
  tenant.settle();
  EXPECT_EQ(tenant.sql.number("select count(*) from digest_closings where business_id = $1", {tenant.id}), 0);
  EXPECT_EQ(open(), 1);
  jump();
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(orders_of(received[0].json_body()), Guids{before});
}

TEST_F(Digests, KeepTheirVersionWhichANewOneClosesAtOnce) {
  const std::string workflow = collecting({{"every", "PT1H"}});
  const std::string before = tenant.create_order();
  tenant.settle();
  tenant.configure({{"guid", workflow}, {"action", {{"type", "webhook"}, {"recipient", url("new")}}}});
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U) << "with the earlier action";
  EXPECT_EQ(orders_of(received[0].json_body()), Guids{before});
  EXPECT_EQ(at(tenant.run_with_status(workflow, "succeeded"), "workflowVersion"), json::value(1));
  const std::string after = tenant.create_order();
  tenant.settle();
  EXPECT_EQ(open(), 1);
  jump();
  const auto later = wait_for(1, "new");
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(orders_of(later[0].json_body()), Guids{after});
}

TEST_F(Digests, OfAWorkflowThatIsOffAreClosedByANewVersionWithinTwoLooks) {
  const std::string workflow = collecting({{"every", "PT1H"}});
  for (int version = 0; version < 3; ++version) {
    tenant.configure({{"guid", workflow}, {"isActive", true}});
    tenant.create_order();
    tenant.settle();
    tenant.configure({{"guid", workflow}, {"isActive", false}});
    const auto begin = std::chrono::steady_clock::now();
    tenant.configure({{"guid", workflow}, {"name", "Version " + std::to_string(version)}});
    ASSERT_EQ(wait_for(static_cast<std::size_t>(version) + 1).size(), static_cast<std::size_t>(version) + 1);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  }
}

TEST_F(Digests, WithoutADigestTheWorkflowClosesWhatItCollected) {
  const std::string workflow = collecting({{"every", "PT1H"}});
  const std::string before = tenant.create_order();
  tenant.settle();
  tenant.configure({{"guid", workflow}, {"digest", nullptr}});
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(orders_of(received[0].json_body()), Guids{before});
  const std::string after = tenant.create_order();
  const auto all = wait_for(2);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(text_at(all[1].json_body(), "data.entity.guid"), after);
}

TEST_F(Digests, OfADeletedWorkflowAreDropped) {
  const std::string workflow = collecting({{"every", "PT1H"}});
  const std::string order = tenant.create_order();
  tenant.settle();
  EXPECT_EQ(at(explained(order, workflow), "reason"), "digest");
  ASSERT_EQ(tenant.http.del("/api/workflows/configured/" + workflow).status, 200);
  EXPECT_EQ(at(explained(order, workflow), "reason"), "digest_dropped");
  EXPECT_TRUE(eventually([&] { return open() == 0; }));
  EXPECT_EQ(at(explained(order, workflow), "reason"), "digest_dropped");
  EXPECT_EQ(at(ledger(), "digests"),
            (json::value{{"events", 1}, {"collected", 0}, {"dropped", 1}, {"runs", 0}}));
  EXPECT_EQ(tenant.runs("workflowId=" + workflow).size(), 0U);
}

TEST_F(Digests, OfAPausedWorkflowHaveAHeldRun) {
  const std::string workflow = collecting({{"every", "PT1H"}});
  const std::string order = tenant.create_order();
  tenant.settle();
  pause(workflow);
  tenant.create_order();
  jump();
  tenant.run_with_status(workflow, "held");
  EXPECT_EQ(at(explained(order, workflow), "reason"), "paused");
  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(at(received[0].json_body(), "data.count"), json::value(2));
}

TEST_F(Digests, AreExplained) {
  const std::string workflow = collecting({{"every", "PT1H"}}, {{"conditions", {{"notes", "x"}}}});
  const std::string order = tenant.create_order({{"notes", "x"}});
  const std::string unmet = tenant.create_order();
  const std::string second = tenant.create_order({{"notes", "x"}});
  tenant.settle();
  const json::object waiting = explained(order, workflow);
  EXPECT_EQ(at(waiting, "reason"), "digest");
  EXPECT_EQ(at(waiting, "fired"), json::value(false));
  EXPECT_EQ(text_at(waiting, "dueAt"),
            tenant.sql.value("select iso(due_at) from digests where business_id = $1", {tenant.id}));
  EXPECT_EQ(at(explained(unmet, workflow), "reason"), "condition");
  EXPECT_EQ(at(ledger(), "digests"),
            (json::value{{"events", 2}, {"collected", 2}, {"dropped", 0}, {"runs", 0}}));
  jump();
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  for (const std::string& each : {order, second}) {
    const json::object entry = explained(each, workflow);
    EXPECT_EQ(at(entry, "fired"), json::value(true));
    EXPECT_EQ(at(entry, "runId"), at(run, "guid"));
    EXPECT_FALSE(entry.contains("dueAt"));
  }
  const json::value all = ledger();
  EXPECT_EQ(at(all, "digests"), (json::value{{"events", 2}, {"collected", 0}, {"dropped", 0}, {"runs", 1}}));
  EXPECT_EQ(at(all, "matched"), json::value(2));
  EXPECT_EQ(at(all, "runs.total"), json::value(1));
}

TEST_F(Digests, HaveSteps) {
  const std::string workflow =
      collecting({{"every", "PT1H"}},
                 {{"steps",
                   {{{"type", "webhook"},
                     {"recipient", url()},
                     {"template", "{{count}} {{#items}}{{event.type}} {{/items}}"},
                     {"contentType", "text/plain"}},
                    {{"type", "webhook"}, {"recipient", url("many")}, {"when", {{"count", {{"gt", 2}}}}}}}}});
  tenant.create_order();
  tenant.create_order();
  jump();
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(wait_for(1).at(0).body, "2 order_created order_created ");
  EXPECT_EQ(at(at(run, "steps").as_array().at(1), "code"), "CONDITION");
  for (int i = 0; i < 3; ++i) tenant.create_order();
  jump();
  EXPECT_EQ(at(wait_for(1, "many").at(0).json_body(), "data.count"), json::value(3));
}

TEST_F(Digests, AreReplayedWithTheSameText) {
  const std::string workflow = collecting({{"every", "PT1H"}});
  tenant.create_order();
  jump();
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  ASSERT_EQ(
      tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", json::object{}).status,
      201);
  const auto received = wait_for(2);
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[1].body, received[0].body);
  EXPECT_EQ(received[1].header("webhook-id"), received[0].header("webhook-id"));
  EXPECT_EQ(at(ledger(), "digests.runs"), json::value(1)) << "replays do not count";
}

TEST_F(Digests, CollectTheEventsOfASuspendedBusinessOnceItIsResumed) {
  collecting({{"every", "P1D"}, {"max", 3}});
  const std::string before = tenant.create_order();
  tenant.settle();
  set_suspended(true);
  const std::string second = tenant.insert_order(), third = tenant.insert_order();
  set_suspended(false);
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(orders_of(received[0].json_body()), (Guids{before, second, third}));
}

TEST_F(Digests, CollectTheEventsOfAWorkflowOnceItIsReadable) {
  const std::string workflow = collecting({{"every", "P1D"}, {"max", 2}});
  const std::string form = tenant.sql.value("select trigger_code from workflows where guid = $1", {workflow});
  EXPECT_EQ(form.substr(0, 2), "6:");
  tenant.sql.rows("update workflows set trigger_code = '9:' || trigger_code where guid = $1", {workflow});
  const std::string first = tenant.create_order(), second = tenant.create_order();
  tenant.settle();
  EXPECT_EQ(open(), 0);
  tenant.sql.rows("update workflows set trigger_code = $2 where guid = $1", {workflow, form});
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(orders_of(received[0].json_body()), (Guids{first, second}));
}

TEST_F(Digests, OfAnUnreadableWorkflowWaitUntilItCanBeRead) {
  const std::string workflow = collecting({{"every", "PT1H"}});
  const std::string order = tenant.create_order();
  tenant.settle();
  const std::string form = tenant.sql.value("select trigger_code from workflows where guid = $1", {workflow});
  const auto set_form = [&](const std::string& text) {
    tenant.sql.rows("update workflows set trigger_code = $2 where guid = $1", {workflow, text});
    jump();
  };
  set_form("9:order_created");
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from digests where business_id = $1 and check_at > now()",
                             {tenant.id}) == 1;
  }));
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
  set_form(form);
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(orders_of(received[0].json_body()), Guids{order});
}

TEST_F(Digests, LockedByAnotherSessionDelayNothing) {
  collecting({{"every", "PT1H"}});
  const std::string first = tenant.create_order();
  tenant.settle();
  Session holder = world.database.connect();
  holder.exec("begin; select from digests where business_id = '" + tenant.id + "' for update");
  const std::string second = tenant.create_order();
  tenant.settle();
  EXPECT_EQ(open(), 2) << "the event began another digest";
  tenant.sql.exec("update digests set due_at = now(), check_at = now() where count = 1 and business_id = '" +
                  tenant.id + "' and guid not in (select digest_id from digest_events where entity_id = '" +
                  first + "')");
  EXPECT_EQ(orders_of(wait_for(1).at(0).json_body()), Guids{second});
  holder.exec("rollback");
  jump();
  EXPECT_EQ(orders_of(wait_for(2).at(1).json_body()), Guids{first});
}

TEST_F(Digests, WaitForTheWindowOfTheirWorkflow) {
  const std::string workflow = collecting(
      {{"every", "PT1H"}}, {{"window",
                             {{"days", {tenant.sql.value("select to_char(now() + interval '3 days', 'dy')")}},
                              {"from", "09:00"},
                              {"to", "10:00"}}}});
  const std::string order = tenant.create_order();
  jump();
  tenant.run_with_status(workflow, "waiting");
  EXPECT_EQ(at(explained(order, workflow), "reason"), "window");
}

}  // namespace
}  // namespace waybill::tests
