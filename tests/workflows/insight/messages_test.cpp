#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/actions/steps_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// The list of messages that runs sent, wait to send, or did not send.
class Messages : public StepsTest {
 protected:
  static json::object mail(const json::value& recipient = "{{customer.email}}",
                           const json::object& more = {}) {
    json::object action{{"type", "send_email"},
                        {"recipient", recipient},
                        {"subject", "About {{orderNumber}}"},
                        {"body", "Dear {{customer.name}}"}};
    for (const auto& [key, value] : more) action[key] = value;
    return action;
  }
  std::string mail_workflow(const json::value& recipient = "{{customer.email}}",
                            const json::object& more = {}) {
    json::object definition{{"action", mail(recipient)}};
    for (const auto& [key, value] : more) definition[key] = value;
    return tenant.webhook("", "order_created", definition);
  }
  json::array list(const std::string& query) {
    const Response response = tenant.http.get("/api/messages?" + query);
    EXPECT_EQ(response.status, 200) << response.text;
    EXPECT_GE(at(response.body, "totalCount").as_int64(), response.data().as_array().size()) << response.text;
    return response.data().as_array();
  }
  /// "STEP TYPE STATUS CODE" of the messages, newest first.
  std::vector<std::string> shown(const std::string& query) {
    std::vector<std::string> lines;
    for (const json::value& each : list(query)) {
      std::string line = std::to_string(at(each, "step").as_int64()) + ' ' + text_at(each, "type") + ' ' +
                         text_at(each, "status");
      if (at(each, "code").is_string()) line += ' ' + text_at(each, "code");
      lines.push_back(std::move(line));
    }
    return lines;
  }
  std::int64_t noted_addresses() {
    return tenant.sql.number("select count(*) from mail_addresses where business_id = $1", {tenant.id});
  }
  std::string user(const std::string& email) {
    const Response made =
        tenant.http.post("/api/business/users",
                         {{"email", email}, {"firstName", "A"}, {"lastName", "B"}, {"role", "operator"}});
    EXPECT_EQ(made.status, 201) << made.text;
    return text_at(made.data(), "guid");
  }
};

TEST_F(Messages, EachBegunStepThatSendsIsAnEntryWithWhatItSent) {
  const std::string flow = workflow({hook("first"), sets(R"({"notes": "changed"})"), mail(),
                                     hook("never", {{"when", {{"notes", "other"}}}}), hook("last")});
  const std::string order = tenant.create_order({{"orderNumber", "M-1"}});
  const json::object run = tenant.run_with_status(flow, "succeeded");
  EXPECT_THAT(shown("workflowId=" + flow), ElementsAre("5 webhook sent", "4 webhook skipped CONDITION",
                                                       "3 send_email sent", "1 webhook sent"));
  EXPECT_EQ(list("entityId=" + order), list("workflowId=" + flow));
  const json::array entries = list("workflowId=" + flow);
  const json::value& sent = entries.at(2);
  EXPECT_EQ(text_at(sent, "to"), "ada@example.com");
  EXPECT_EQ(text_at(sent, "subject"), "About M-1");
  EXPECT_EQ(text_at(sent, "runId"), text_at(run, "guid"));
  EXPECT_EQ(text_at(sent, "workflow.guid"), flow);
  EXPECT_EQ(text_at(sent, "workflow.name"), "steps");
  EXPECT_EQ(at(sent, "workflow.version"), 1);
  EXPECT_EQ(text_at(sent, "trigger"), "order_created");
  EXPECT_EQ(text_at(sent, "entityType"), "Order");
  EXPECT_EQ(text_at(sent, "entityId"), order);
  EXPECT_EQ(text_at(sent, "at"), text_at(run, "steps.2.finishedAt"));
  EXPECT_EQ(text_at(entries.at(3), "to"), url("first"));
  EXPECT_TRUE(at(entries.at(3), "subject").is_null());
  EXPECT_EQ(text_at(entries.at(3), "guid"), text_at(run, "guid")) << "the first step has the guid of the run";
  EXPECT_TRUE(at(entries.at(1), "to").is_null())
      << "a step that was skipped before it was rendered has no text";
}

TEST_F(Messages, AMessageHasItsTextAndTheConditionsWithTheirValues) {
  const std::string flow =
      workflow({hook("first"), mail(), hook("last")}, {{"conditions", {{"totalValue", {{"gte", 10}}}}}});
  tenant.create_order({{"orderNumber", "M-2"}});
  tenant.run_with_status(flow, "succeeded");
  const json::array entries = list("workflowId=" + flow);
  const Response got = tenant.http.get("/api/messages/" + text_at(entries.at(1), "guid"));
  ASSERT_EQ(got.status, 200) << got.text;
  EXPECT_EQ(text_at(got.data(), "request.subject"), "About M-2");
  EXPECT_EQ(text_at(got.data(), "request.body"), "Dear Ada Lovelace");
  EXPECT_EQ(text_at(got.data(), "conditions.0.path"), "totalValue");
  EXPECT_EQ(at(got.data(), "conditions.0.actual"), json::value(39.98));
  EXPECT_EQ(at(got.data(), "conditions.0.holds"), true);
  for (const auto& [name, value] : entries.at(1).as_object()) EXPECT_EQ(at(got.data(), name), value) << name;
  const Response last = tenant.http.get("/api/messages/" + text_at(entries.at(0), "guid"));
  EXPECT_EQ(text_at(last.data(), "request.url"), url("last"));
  EXPECT_EQ(tenant.http.get("/api/messages/00000000-0000-7000-8000-000000000000").status, 404);
}

TEST_F(Messages, AWholeAddressFindsItsMailsAndCopiesWithoutRegardToCase) {
  const std::string direct = mail_workflow("Ada.Whole@example.com, other@example.com");
  const std::string copied = tenant.webhook(
      "", "order_created",
      {{"action",
        mail("{{customer.email}}", {{"cc", "ada.whole@EXAMPLE.com"}, {"bcc", "hidden@example.com"}})}});
  tenant.create_order();
  tenant.run_with_status(direct, "succeeded");
  tenant.run_with_status(copied, "succeeded");
  std::vector<std::string> workflows;
  for (const json::value& each : list("address=ADA.WHOLE@example.com"))
    workflows.push_back(text_at(each, "workflow.guid"));
  EXPECT_THAT(workflows, UnorderedElementsAre(direct, copied));
  EXPECT_EQ(list("address=hidden@example.com").size(), 1U);
  EXPECT_EQ(list("address=%C2%A0hidden@%E2%80%8Bexample.com%20").size(), 1U) << "pasted with blanks";
  EXPECT_EQ(text_at(list("address=other@example.com").at(0), "to"),
            "Ada.Whole@example.com, other@example.com");
  EXPECT_THAT(list("address=whole@example.com"), IsEmpty());
  EXPECT_THAT(list("address=ada.whole@example.co"), IsEmpty());
  EXPECT_EQ(tenant.sql.number("select count(*) from mail_addresses where address::text like '%example%'"), 0);
}

TEST_F(Messages, AnAddressFindsTheMailsOfStepsAlone) {
  const std::string flow =
      workflow({hook("first"), mail("stepped@example.com"), wait("PT0.1S"), mail("later@example.com")});
  tenant.create_order();
  tenant.run_with_status(flow, "succeeded");
  EXPECT_THAT(shown("address=stepped@example.com"), ElementsAre("2 send_email sent"));
  EXPECT_THAT(shown("address=later@example.com"), ElementsAre("4 send_email sent"));
}

TEST_F(Messages, AnAddressFindsThePushMessagesToTheUserOnly) {
  const std::string email = tenant.id.substr(0, 8) + ".push@example.com";
  const std::string to = user(email);
  const std::string own = tenant.webhook(
      "", "order_created", {{"action", {{"type", "send_push"}, {"recipient", to}, {"title", "New"}}}});
  const std::string all =
      tenant.webhook("", "order_created", {{"action", {{"type", "send_push"}, {"title", "All"}}}});
  const std::string stepped =
      workflow({hook("a"), {{"type", "send_push"}, {"recipient", to}, {"title", "Step"}}});
  tenant.create_order();
  tenant.run_with_status(own, "skipped");
  tenant.run_with_status(all, "skipped");
  tenant.run_with_status(stepped, "succeeded");
  tenant.settle();
  const json::array found = list("address=" + email);
  ASSERT_EQ(found.size(), 2U);
  for (const json::value& each : found) {
    EXPECT_EQ(text_at(each, "type"), "send_push");
    EXPECT_EQ(text_at(each, "to"), to);
    EXPECT_EQ(text_at(each, "code"), "NO_SUBSCRIPTION");
    EXPECT_THAT(text_at(each, "subject"), testing::AnyOf("New", "Step"));
  }
  EXPECT_EQ(text_at(list("workflowId=" + all).at(0), "to"), "all");
}

TEST_F(Messages, ACustomerFindsTheMessagesAboutItsOrdersAndShipments) {
  const std::string flow = tenant.webhook(url(), "order_created");
  const std::string on_shipment =
      tenant.webhook(url("shipment"), "shipment_created", {{"entityType", "Shipment"}});
  const std::string order = tenant.create_order();
  tenant.create_order({{"customer", {{"name", "Other"}, {"email", "other@example.com"}}}});
  const std::string shipment = tenant.insert_shipment(order);
  wait_for(2);
  wait_for(1, "shipment");
  tenant.settle();
  const std::string customer = text_at(tenant.http.get("/api/v1/Orders/" + order).data(), "customer.guid");
  std::vector<std::string> records;
  for (const json::value& each : list("customerId=" + customer)) records.push_back(text_at(each, "entityId"));
  EXPECT_THAT(records, UnorderedElementsAre(order, shipment));
  EXPECT_THAT(list("customerId=00000000-0000-4000-8000-000000000000"), IsEmpty());
  EXPECT_EQ(list("workflowId=" + flow).size(), 2U);
}

TEST_F(Messages, WaitingAndSkippedOnesHaveTheirCode) {
  const std::string delayed = mail_workflow("later@example.com", {{"delay", "PT2H"}});
  receiver.answer(tenant.path("busy"), {.status = 503, .headers = {{"Retry-After", "3600"}}});
  const std::string retried = tenant.webhook(url("busy"), "order_created");
  const std::string limited =
      tenant.webhook(url("limited"), "order_created",
                     {{"limit", {{"by", "customer.email"}, {"count", 1}, {"per", "PT1H"}}}});
  tenant.create_order();
  tenant.create_order();
  tenant.settle();
  EXPECT_THAT(shown("workflowId=" + delayed), ElementsAre("1 send_email waiting", "1 send_email waiting"));
  EXPECT_TRUE(eventually([&] {
    return shown("workflowId=" + retried) ==
           std::vector<std::string>{"1 webhook waiting HTTP_503", "1 webhook waiting HTTP_503"};
  })) << testing::PrintToString(shown("workflowId=" + retried));
  EXPECT_TRUE(eventually([&] {
    std::vector<std::string> lines = shown("workflowId=" + limited);
    std::ranges::sort(lines);
    return lines == std::vector<std::string>{"1 webhook sent", "1 webhook skipped LIMITED"};
  })) << testing::PrintToString(shown("workflowId=" + limited));
  const Response off =
      tenant.http.put("/api/business/default-configuration", {{"notifications", {{"emailEnabled", false}}}});
  ASSERT_EQ(off.status, 200);
  const std::string muted = mail_workflow("muted@example.com");
  tenant.create_order();
  tenant.run_with_status(muted, "skipped");
  EXPECT_THAT(shown("address=muted@example.com"), ElementsAre("1 send_email skipped NOTIFICATIONS_OFF"));
}

TEST_F(Messages, StepsOfAWayNotTakenAreLeftOut) {
  const std::string flow = workflow({{{"type", "choose"},
                                      {"when", {{"notes", "yes"}}},
                                      {"then", {hook("then")}},
                                      {"otherwise", {mail("otherwise@example.com")}}}});
  tenant.create_order({{"notes", "no"}});
  tenant.run_with_status(flow, "succeeded");
  EXPECT_THAT(shown("workflowId=" + flow), ElementsAre("3 send_email sent"));
  const json::array found = list("address=otherwise@example.com");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(text_at(found.at(0), "to"), "otherwise@example.com");
}

TEST_F(Messages, AReplayIsAFurtherMessageWithoutTheStepsThatItTookOver) {
  const std::string once = mail_workflow("again@example.com");
  receiver.answer(tenant.path("second"), {.status = 410});
  const std::string flow = workflow({mail("first@example.com"), hook("second")});
  tenant.create_order();
  replay(tenant.run_with_status(once, "succeeded"));
  EXPECT_THAT(shown("address=again@example.com"), ElementsAre("1 send_email sent", "1 send_email sent"));
  receiver.answer(tenant.path("second"), {.status = 200});
  const json::object dead = tenant.run_with_status(flow, "dead");
  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + flow).status, 200);
  replay(dead);
  EXPECT_THAT(shown("workflowId=" + flow),
              ElementsAre("2 webhook sent", "2 webhook dead GONE", "1 send_email sent"));
  EXPECT_THAT(shown("address=first@example.com"), ElementsAre("1 send_email sent"));
  ASSERT_EQ(tenant.http.post("/api/workflows/replay", {{"workflowId", once}}).status, 200);
  EXPECT_TRUE(eventually([&] { return shown("address=again@example.com").size() == 3; }));
}

TEST_F(Messages, AWorkflowThatWasRenamedOrDeletedKeepsItsName) {
  const std::string flow = mail_workflow("named@example.com", {{"name", "First name"}});
  tenant.create_order();
  tenant.run_with_status(flow, "succeeded");
  tenant.configure({{"guid", flow},
                    {"name", "Second name"},
                    {"entityType", "Order"},
                    {"triggerId", trigger_guid("order_created")},
                    {"action", mail("named@example.com")}});
  tenant.create_order();
  EXPECT_TRUE(eventually([&] { return list("address=named@example.com").size() == 2; }));
  ASSERT_EQ(tenant.http.del("/api/workflows/configured/" + flow).status, 200);
  std::vector<std::string> names;
  for (const json::value& each : list("workflowId=" + flow))
    names.push_back(text_at(each, "workflow.name") + ' ' +
                    std::to_string(at(each, "workflow.version").as_int64()));
  EXPECT_THAT(names, ElementsAre("Second name 2", "First name 1"));
}

TEST_F(Messages, AnAddressFindsMailsOfAWorkerThatStartedAfterTheWorkflowWasMade) {
  const TestDatabase database;
  const std::string flow = [&] {
    Waybill first(database.url());
    Tenant early(first, "early");
    const std::string made = early.webhook("", "order_created", {{"action", mail()}});
    EXPECT_EQ(first.stop(), 0);
    return made;
  }();
  Waybill second(database.url());
  Tenant late(second, "early");
  late.create_order();
  late.run_with_status(flow, "succeeded");
  EXPECT_EQ(late.http.get("/api/messages?address=ada@example.com").data().as_array().size(), 1U);
}

TEST_F(Messages, ExactlyOneSelectionIsRequired) {
  const Response none = tenant.http.get("/api/messages");
  EXPECT_EQ(none.status, 400);
  EXPECT_EQ(none.details().count("address"), 1U) << none.text;
  const Response both = tenant.http.get("/api/messages?address=a@example.com&entityId=" + tenant.id);
  EXPECT_EQ(both.status, 400);
  EXPECT_EQ(both.details().count("entityId"), 1U) << both.text;
  const Response reversed =
      tenant.http.get("/api/messages?entityId=" + tenant.id + "&from=2026-02-01&to=2026-01-01");
  EXPECT_EQ(reversed.status, 400);
  EXPECT_EQ(reversed.details().count("from"), 1U) << reversed.text;
}

TEST_F(Messages, FromAndToSelectByTheTimeOfTheMessage) {
  const std::string flow = tenant.webhook(url(), "order_created");
  tenant.create_order();
  tenant.run_with_status(flow, "succeeded");
  const std::string at_time = text_at(list("workflowId=" + flow).at(0), "at");
  EXPECT_EQ(list("workflowId=" + flow + "&from=" + at_time + "&to=" + at_time).size(), 1U);
  EXPECT_THAT(list("workflowId=" + flow + "&to=2020-01-01"), IsEmpty());
  EXPECT_THAT(list("workflowId=" + flow + "&from=2100-01-01"), IsEmpty());
}

TEST_F(Messages, NothingIsNotedForWebhooks) {
  const std::string flow = workflow({hook("a"), hook("b")});
  const std::string single = tenant.webhook(url(), "order_created");
  tenant.create_order();
  tenant.run_with_status(flow, "succeeded");
  replay(tenant.run_with_status(single, "succeeded"));
  EXPECT_EQ(noted_addresses(), 0);
}

TEST_F(Messages, AListCoversTheNewestFiveHundredRuns) {
  const std::string flow = tenant.webhook(url(), "order_created");
  tenant.sql.exec(
      "insert into runs (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, "
      "trigger_code, action, status, attempts, created_at, finished_at, origin, destination, request, tries) "
      "select '" +
      tenant.id + "', g, '" + flow +
      "', 1, n, 0, gen_random_uuid(), 'order_created', 'webhook', 'succeeded', 1, now(), now(), g, '', "
      "'{\"url\": \"http://x/\"}', '[]' from generate_series(1, 501) n, lateral (select timed_guid(now()) "
      "as g where n > 0) t");
  tenant.sql.exec(
      "insert into run_counts select business_id, unit, date_trunc(unit, created_at, 'UTC'), workflow_id, "
      "status, "
      "count(*) from runs, unnest(array['day', 'hour']) unit where business_id = '" +
      tenant.id + "' group by business_id, unit, 3, workflow_id, status");
  const Response page = tenant.http.get("/api/messages?workflowId=" + flow + "&PageSize=100&Page=5");
  EXPECT_EQ(at(page.body, "totalCount"), 500) << page.text.substr(0, 300);
  EXPECT_EQ(page.data().as_array().size(), 100U);
  EXPECT_THAT(list("workflowId=" + flow + "&Page=6&PageSize=100"), IsEmpty());
}

}  // namespace
}  // namespace waybill::tests
