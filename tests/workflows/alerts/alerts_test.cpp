// Alerts by webhook.
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

/// An answer that ends a run without further attempts, and opens no circuit breaker.
Reply refusal(std::string body = "no stock") {
  return Reply::with_status(422, {{"webhook-delivery", "abort-message"}}, std::move(body));
}

/// The path of a URL of the API.
std::string path_of(const json::value& replay) {
  const std::string url = text_at(replay, "url");
  return url.substr(url.find("/api/"));
}

Response call(Tenant& tenant, const json::value& replay) {
  return tenant.http.request(text_at(replay, "method"), path_of(replay), replay.at("body"));
}

/// The alerts that a receiver got, by webhook-id: {cause, workflow, run, response, count, replay}.
std::map<std::string, json::value> alerts_of(const std::vector<Received>& requests) {
  std::map<std::string, json::value> alerts;
  for (const Received& request : requests)
    alerts[request.header("webhook-id")] = at(request.json_body(), "data");
  return alerts;
}

class Alerts : public WorkflowTest {
 protected:
  /// Switches alerts on and returns the secret of the webhook.
  std::string switch_on(json::object more = {}) {
    more["webhook"] = {{"url", url("alerts")}};
    const Response changed = tenant.http.put(alert_settings, more);
    EXPECT_EQ(changed.status, 200) << changed.text;
    return text_at(changed.data(), "webhook.secret");
  }

  void end_windows() {
    tenant.sql.rows("update alerts set due_at = now() where business_id = $1", {tenant.id});
  }

  /// Waits until this many failures are counted that no message has reported.
  bool counts(std::int64_t failures) {
    return eventually([&] {
      return tenant.sql.number("select coalesce(sum(count), 0)::bigint from alerts where business_id = $1",
                               {tenant.id}) == failures;
    });
  }

  json::value alert(std::size_t number) {
    const auto received = wait_for(number, "alerts");
    if (received.size() < number) throw std::runtime_error("no alert " + std::to_string(number));
    return at(received.at(number - 1).json_body(), "data");
  }
};

TEST_F(Alerts, ADeadRunIsReportedAtOnceAndFurtherOnesInOneSummary) {
  const std::string secret = switch_on();
  receiver.answer(tenant.path(), refusal());
  const std::string workflow = tenant.webhook(url(), "order_created", {{"name", "Tell the ERP"}});
  const std::string order = tenant.insert_order();
  const auto first = wait_for(1, "alerts");
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].method, "POST");
  EXPECT_EQ(first[0].header("content-type"), "application/json");
  EXPECT_EQ(verify_with_npm(secret, first[0]).status, 0);
  const json::value body = first[0].json_body();
  EXPECT_EQ(text_at(body, "type"), "alert");
  EXPECT_TRUE(parse_timestamp(text_at(body, "timestamp")));
  const json::value data = at(body, "data");
  const json::object run = tenant.run_with_status(workflow, "dead");
  EXPECT_EQ(text_at(data, "cause"), "run_dead");
  EXPECT_EQ(text_at(data, "workflow.guid"), workflow);
  EXPECT_EQ(text_at(data, "workflow.name"), "Tell the ERP");
  EXPECT_EQ(text_at(data, "run.guid"), text_at(run, "guid"));
  EXPECT_EQ(text_at(data, "run.code"), "ABORTED");
  EXPECT_EQ(text_at(data, "run.entityId"), order);
  EXPECT_EQ(at(data, "run.statusCode"), 422);
  EXPECT_EQ(text_at(data, "response"), "no stock");
  EXPECT_EQ(at(data, "count"), 1);

  for (int i = 0; i < 3; ++i) tenant.insert_order();
  ASSERT_TRUE(counts(3));
  EXPECT_EQ(receiver.count(tenant.path("alerts")), 1U) << "at most one in a window";
  end_windows();
  const json::value summary = alert(2);
  EXPECT_EQ(at(summary, "count"), 3);
  EXPECT_NE(first[0].header("webhook-id"), wait_for(2, "alerts").at(1).header("webhook-id"));

  receiver.answer(tenant.path(), Reply::with_status(200));
  EXPECT_EQ(call(tenant, at(data, "replay")).status, 201);
  json::value plan = at(summary, "replay");
  plan.at("body").as_object()["plan"] = true;
  EXPECT_EQ(at(call(tenant, plan).data(), "runs"), 3);
  EXPECT_EQ(at(call(tenant, at(summary, "replay")).data(), "runs"), 3);

  end_windows();
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from alerts where business_id = $1", {tenant.id}) == 0;
  })) << "a window without a failure leaves nothing";
  EXPECT_EQ(receiver.count(tenant.path("alerts")), 2U) << "and sends no summary";
}

TEST_F(Alerts, AFailureIsCountedInTheTransactionThatRecordsIt) {
  switch_on();
  receiver.answer(tenant.path(), refusal());
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.sql.rows(
      "insert into alerts (business_id, cause, subject_id, count, told_at, due_at) "
      "values ($1, 'run_dead', $2, 0, now(), now() + interval '1 hour')",
      {tenant.id, workflow});
  const auto same_transaction = [&] {
    return tenant.sql.value(
        "select a.xmin = r.xmin from alerts a, runs r where a.business_id = $1 and "
        "r.business_id = $1 and a.run_id = r.guid",
        {tenant.id});
  };
  tenant.insert_order();
  tenant.run_with_status(workflow, "dead");
  EXPECT_EQ(same_transaction(), "t") << "of a run that ended at its first attempt";
  receiver.answer_next(tenant.path(), Reply::with_status(500));
  tenant.insert_order();
  ASSERT_TRUE(counts(2));
  EXPECT_EQ(same_transaction(), "t") << "of a run of the queue";
}

TEST_F(Alerts, AThousandFailuresAreOneMessageAndOneSummary) {
  switch_on();
  receiver.answer(tenant.path(), refusal());
  tenant.webhook(url(), "order_created");
  tenant.insert_order();
  EXPECT_EQ(at(alert(1), "count"), 1);
  tenant.sql.exec("insert into orders (business_id, order_number) select '" + tenant.id +
                  "', 'A-' || n from generate_series(1, 999) n");
  ASSERT_TRUE(counts(999));
  end_windows();
  EXPECT_EQ(at(alert(2), "count"), 999);
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path("alerts")), 2U);
}

TEST_F(Alerts, APausedWorkflowIsReportedAndResumedByItsReplay) {
  switch_on({{"on", json::array{"workflow_paused"}}});
  receiver.answer(tenant.path(), Reply::with_status(410));
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.insert_order();
  const json::value data = alert(1);
  EXPECT_EQ(text_at(data, "cause"), "workflow_paused");
  EXPECT_EQ(text_at(data, "workflow.guid"), workflow);
  EXPECT_THAT(text_at(data, "workflow.pausedReason"), HasSubstr("410"));
  EXPECT_EQ(call(tenant, at(data, "replay")).status, 200);
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "active");
  EXPECT_TRUE(tenant.run_with_status(workflow, "dead").contains("guid"));
  EXPECT_EQ(tenant.sql.number("select count(*) from alerts where business_id = $1 and cause = 'run_dead'",
                              {tenant.id}),
            0)
      << "a cause that is not chosen";
}

TEST_F(Alerts, ADestinationThatIsDownIsReported) {
  switch_on({{"on", json::array{"destination_down"}}});
  receiver.answer(tenant.path(), Reply::with_status(503, {}, "maintenance"));
  const std::string workflow = tenant.webhook(url(), "order_created");
  for (int i = 0; i < 8; ++i) tenant.insert_order();
  const json::value data = alert(1);
  EXPECT_EQ(text_at(data, "cause"), "destination_down");
  EXPECT_EQ(text_at(data, "workflow.guid"), workflow);
  EXPECT_EQ(text_at(data, "run.destination"), "127.0.0.1:" + std::to_string(receiver.port()));
  EXPECT_EQ(text_at(data, "response"), "maintenance");
  EXPECT_TRUE(at(data, "replay").is_null());
}

TEST_F(Alerts, AreSentOnceByTwoWorkers) {
  const Waybill second(world.database.url(),
                       {.command = "worker", .secret_key_file = world.waybill.secret_key_file()});
  switch_on();
  receiver.answer(tenant.path(), refusal());
  constexpr std::size_t workflows = 30;
  for (std::size_t i = 0; i < workflows; ++i)
    tenant.webhook(url(), "order_created", {{"name", std::to_string(i)}});
  tenant.insert_order();
  wait_for(workflows, "alerts");
  tenant.settle();
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from alert_messages where business_id = $1", {tenant.id}) == 0;
  }));
  const auto received = receiver.received(tenant.path("alerts"));
  EXPECT_EQ(received.size(), workflows);
  std::set<std::string> told;
  for (const auto& [id, data] : alerts_of(received)) told.insert(text_at(data, "workflow.guid"));
  EXPECT_EQ(told.size(), workflows);
}

TEST_F(Alerts, ADeadWebhookIsRepeatedOnTheScheduleAndThenGivenUp) {
  switch_on();
  receiver.answer(tenant.path(), refusal());
  receiver.answer(tenant.path("alerts"), Reply::with_status(500));
  tenant.webhook(url(), "order_created");
  tenant.insert_order();
  ASSERT_EQ(wait_for(4, "alerts").size(), 4U) << "the schedule has three delays";
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from alert_messages where business_id = $1", {tenant.id}) == 0;
  }));
  const auto received = receiver.received(tenant.path("alerts"));
  EXPECT_EQ(alerts_of(received).size(), 1U) << "each attempt has the same webhook-id";
  for (const Received& each : received) EXPECT_EQ(each.body, received[0].body);
  EXPECT_TRUE(counts(0)) << "the failure of an alert is no failure to tell of";
  EXPECT_EQ(received.size(), 4U);
}

TEST_F(Alerts, AWebhookThatHangsDelaysNobodyElse) {
  const auto gate = std::make_shared<Gate>();
  receiver.answer(tenant.path("alerts"), Reply::after(gate));
  receiver.answer(tenant.path(), refusal());
  switch_on();
  tenant.webhook(url(), "order_created", {{"name", "a"}});
  tenant.webhook(url(), "order_created", {{"name", "b"}});
  tenant.insert_order();
  ASSERT_EQ(wait_for(1, "alerts").size(), 1U);

  Tenant other(world.waybill, test_name() + "2");
  ASSERT_EQ(
      other.http.put(alert_settings, {{"webhook", {{"url", receiver.url(other.path("alerts"))}}}}).status,
      200);
  receiver.answer(other.path(), refusal());
  other.webhook(receiver.url(other.path()), "order_created");
  other.insert_order();
  EXPECT_EQ(receiver.wait_for(other.path("alerts"), 1).size(), 1U);
  EXPECT_EQ(receiver.count(tenant.path("alerts")), 1U) << "one attempt of a business at a time";
  gate->open();
  EXPECT_EQ(wait_for(2, "alerts").size(), 2U);
}

TEST_F(Alerts, AChannelHasAtMostAThousandWaitingMessages) {
  switch_on();
  tenant.sql.exec(
      "insert into alert_messages (business_id, channel, cause, subject_id, count, due_at) select '" +
      tenant.id +
      "', 'webhook', 'run_dead', gen_random_uuid(), 1, now() + interval '1 hour'"
      " from generate_series(1, 1000)");
  receiver.answer(tenant.path(), refusal());
  tenant.webhook(url(), "order_created");
  tenant.insert_order();
  // The first look leaves the alert for a window.
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from alerts where business_id = $1 and count = 1 and due_at > now()",
               {tenant.id}) == 1;
  }));
  EXPECT_EQ(tenant.sql.number("select count(*) from alert_messages where business_id = $1", {tenant.id}),
            1000);
  tenant.sql.exec("delete from alert_messages where business_id = '" + tenant.id + "'");
  tenant.insert_order();
  ASSERT_TRUE(counts(2));
  end_windows();
  EXPECT_EQ(at(alert(1), "count"), 2);
}

TEST_F(Alerts, AShorterWindowEndsTheOneThatIsOpen) {
  switch_on({{"minutes", 600}});
  receiver.answer(tenant.path(), refusal());
  tenant.webhook(url(), "order_created");
  tenant.insert_order();
  alert(1);
  tenant.insert_order();
  ASSERT_TRUE(counts(1));
  tenant.sql.rows("update alerts set told_at = now() - interval '2 minutes' where business_id = $1",
                  {tenant.id});
  ASSERT_EQ(tenant.http.put(alert_settings, {{"minutes", 1}}).status, 200);
  EXPECT_EQ(at(alert(2), "count"), 1);
}

TEST_F(Alerts, AlertsOfASuspendedBusinessWaitUntilItIsResumed) {
  switch_on();
  receiver.answer(tenant.path(), refusal());
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.sql.rows("update businesses set suspended_at = now() where guid = $1", {tenant.id});
  tenant.sql.rows("select count_failures($1, 'run_dead', $2, null, null, null, 2)", {tenant.id, workflow});
  tenant.sql.rows(
      "insert into alert_messages (business_id, channel, cause, subject_id, count) "
      "values ($1, 'webhook', 'run_dead', $2, 1)",
      {tenant.id, workflow});
  Tenant other(world.waybill, test_name() + "2");
  ASSERT_EQ(
      other.http.put(alert_settings, {{"webhook", {{"url", receiver.url(other.path("alerts"))}}}}).status,
      200);
  other.sql.rows("select count_failures($1, 'run_dead', $2, null, null, null, 1)", {other.id, workflow});
  ASSERT_EQ(receiver.wait_for(other.path("alerts"), 1).size(), 1U) << "others are told meanwhile";
  EXPECT_EQ(receiver.count(tenant.path("alerts")), 0U);
  tenant.sql.rows("update businesses set suspended_at = null where guid = $1", {tenant.id});
  EXPECT_EQ(wait_for(2, "alerts").size(), 2U);
}

TEST_F(Alerts, WithoutRecipientsCountNothing) {
  receiver.answer(tenant.path(), refusal());
  const std::string workflow = tenant.webhook(url(), "order_created");
  ASSERT_EQ(tenant.http.put(alert_settings, {{"minutes", 5}}).status, 200);
  tenant.insert_order();
  tenant.run_with_status(workflow, "dead");
  EXPECT_EQ(tenant.sql.number("select count(*) from alerts where business_id = $1", {tenant.id}), 0);

  switch_on();
  tenant.insert_order();
  alert(1);
  tenant.insert_order();
  ASSERT_TRUE(counts(1));
  ASSERT_EQ(tenant.http.put(alert_settings, {{"webhook", nullptr}}).status, 200);
  end_windows();
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from alerts where business_id = $1", {tenant.id}) == 0;
  }));
  EXPECT_EQ(receiver.count(tenant.path("alerts")), 1U);
}

TEST_F(Alerts, AlertsAboutAnErasedPersonHaveNoAnswerAnyMore) {
  switch_on();
  receiver.answer(tenant.path(), refusal("Ada lives here"));
  receiver.answer_next(tenant.path("alerts"), Reply::with_status(503));
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.insert_order();
  const json::object run = tenant.run_with_status(workflow, "dead");
  EXPECT_EQ(text_at(alert(1), "response"), "Ada lives here");
  tenant.sql.rows("update runs set tries = erased_tries(tries), error = null where business_id = $1",
                  {tenant.id});
  tenant.sql.rows("update alert_messages set due_at = now() where business_id = $1", {tenant.id});
  EXPECT_TRUE(at(alert(2), "response").is_null());
}

}  // namespace
}  // namespace waybill::tests
