// Texts of the steps of replays.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/workflows/actions/steps_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;

class ReplayedSteps : public StepsTest {
 protected:
  void answer_next(std::string_view name, const json::value& answer) {
    receiver.answer_next(tenant.path(name), Reply::with_status(200, {}, to_json(answer)));
  }
  void fail_next(std::string_view name) {
    receiver.answer_next(tenant.path(name), Reply::with_status(500, {{"webhook-delivery", "abort-message"}}));
  }
  std::vector<std::string> bodies(std::string_view name, std::size_t count) {
    std::vector<std::string> all;
    for (const auto& request : wait_for(count, name)) all.push_back(request.body);
    return all;
  }
  /// "TO SUBJECT" of the mails to an address, as the list shows them, each after it is compared with its
  /// text.
  std::vector<std::string> mails_to(const std::string& address) {
    std::vector<std::string> mails;
    const Response listed = tenant.http.get("/api/messages?address=" + address);
    for (const json::value& mail : listed.data().as_array()) {
      const Response text = tenant.http.get("/api/messages/" + text_at(mail, "guid"));
      EXPECT_EQ(text_at(text.data(), "request.subject"), text_at(mail, "subject")) << text.text;
      mails.push_back(text_at(mail, "to") + ' ' + text_at(mail, "subject"));
    }
    return mails;
  }
};

TEST_F(ReplayedSteps, SendTheTextsOfTheRunThatIsReplayed) {
  answer_next("ask", {{"mail", "agent1@example.com"}, {"price", 1}});
  answer_next("ask", {{"mail", "agent2@example.com"}, {"price", 2}});
  const std::string flow =
      workflow({hook("ask", {{"name", "ask"}, {"answer", {{"mail", "string"}, {"price", "number"}}}}),
                {{"type", "send_email"},
                 {"recipient", "{{steps.ask.answer.mail}}"},
                 {"subject", "Price {{steps.ask.answer.price}}"},
                 {"body", "Yes"}},
                hook("told", {{"template", R"({"price": {{steps.ask.answer.price}}})"}}),
                hook("end")});
  tenant.create_order();
  const json::object first = tenant.run_with_status(flow, "succeeded");
  const json::object second = replay(first, {{"fromStep", 1}});
  EXPECT_THAT(mails_to("agent1@example.com"), ElementsAre("agent1@example.com Price 1"))
      << "a replay leaves the messages of the first run as they were sent";
  EXPECT_THAT(mails_to("agent2@example.com"), ElementsAre("agent2@example.com Price 2"));
  const json::object third = replay(first, {{"fromStep", 2}});
  EXPECT_EQ(at(third, "steps.0.answer.price"), 1);
  const json::object fourth = replay(second, {{"fromStep", 2}});
  replay(third, {{"fromStep", 3}});
  replay(fourth, {{"fromStep", 3}});
  EXPECT_THAT(bodies("told", 6), ElementsAre(R"({"price": 1})", R"({"price": 2})", R"({"price": 1})",
                                             R"({"price": 2})", R"({"price": 1})", R"({"price": 2})"));
  EXPECT_THAT(mails_to("agent1@example.com"),
              ElementsAre("agent1@example.com Price 1", "agent1@example.com Price 1"));
  EXPECT_THAT(mails_to("agent2@example.com"),
              ElementsAre("agent2@example.com Price 2", "agent2@example.com Price 2"));
}

TEST_F(ReplayedSteps, AreNotThoseOfTheFirstRunAfterAReplayThatAskedAnewAndFailed) {
  answer_next("ask", {{"n", 1}});
  answer_next("ask", {{"n", 2}});
  const std::string flow =
      workflow({hook("ask", {{"name", "ask"}, {"answer", {{"n", "number"}}}}), hook("between"),
                hook("told", {{"template", R"({"n": {{steps.ask.answer.n}}})"}}),
                hook("other", {{"template", R"({"notes": "{{notes}}"})"}})});
  const std::string order = tenant.insert_order({{"notes", "'x'"}});
  const json::object first = tenant.run_with_status(flow, "succeeded");
  tenant.update_orders("notes = 'y' where guid = '" + order + "'");
  fail_next("between");
  const json::object second = replay(first, {{"fromStep", 1}});
  EXPECT_EQ(text_at(second, "status"), "dead");
  EXPECT_EQ(text_at(replay(second), "status"), "succeeded");
  EXPECT_THAT(bodies("told", 2), ElementsAre(R"({"n": 1})", R"({"n": 2})"));
  EXPECT_THAT(bodies("other", 2), ElementsAre(R"({"notes": "x"})", R"({"notes": "x"})"))
      << "a step that uses no repeated one sends what it has sent";
}

TEST_F(ReplayedSteps, AreRenderedAnewWithTheStatusAndTheValuesOfARepeatedStep) {
  answer_next("ask", {{"n", 1}});
  fail_next("ask");
  const std::string flow = workflow(
      {hook("ask", {{"name", "ask"}, {"answer", {{"n", "number"}}}, {"onFailure", "continue"}}),
       {{"type", "create_shipment"}, {"name", "parcel"}},
       hook("told", {{"template", R"({"ask": "{{steps.ask.status}} {{steps.ask.answer.n}}"})"}}),
       hook("parcel",
            {{"when", {{"steps.parcel.status", {{"in", {"succeeded", "skipped"}}}}}},
             {"template", R"({"parcel": "{{steps.parcel.status}} {{steps.parcel.trackingNumber}}"})"}})});
  tenant.create_order();
  const json::object first = tenant.run_with_status(flow, "succeeded");
  const std::string number = text_at(first, "steps.1.trackingNumber");
  const json::object again = replay(first, {{"fromStep", 1}});
  EXPECT_THAT(steps_of(again), ElementsAre("1 webhook dead ABORTED", "2 create_shipment skipped EXISTS",
                                           "3 webhook succeeded", "4 webhook succeeded"));
  EXPECT_THAT(bodies("told", 2), ElementsAre(R"({"ask": "succeeded 1"})", R"({"ask": "dead "})"));
  EXPECT_THAT(bodies("parcel", 2),
              ElementsAre(R"({"parcel": "succeeded )" + number + R"("})", R"({"parcel": "skipped "})"));
}

TEST_F(ReplayedSteps, KnowWhetherTheEventOfARepeatedWaitCameInTime) {
  const auto gate = std::make_shared<Gate>();
  receiver.answer_next(tenant.path("first"), Reply::after(gate));
  const std::string flow = workflow(
      {hook("first"),
       {{"type", "wait"}, {"name", "w"}, {"for", {{"triggers", {"order_updated"}}}}, {"atMost", "PT1S"}},
       {{"type", "choose"},
        {"when", {{"steps.w.timedOut", true}}},
        {"then", {hook("late")}},
        {"otherwise", {hook("intime")}}},
       hook("told", {{"template", R"({"late": {{steps.w.timedOut}}})"}})});
  const std::string order = tenant.create_order();
  wait_for(1, "first");
  tenant.put_order(order, {{"notes", "comes before the wait"}});
  tenant.settle();
  gate->open();
  const json::object first = tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(at(first, "steps.1.timedOut"), false);
  const json::object again = replay(first, {{"fromStep", 2}});
  EXPECT_EQ(at(again, "steps.1.timedOut"), true);
  EXPECT_THAT(bodies("told", 2), ElementsAre(R"({"late": false})", R"({"late": true})"));
  EXPECT_EQ(receiver.count(tenant.path("late")), 1U);
  EXPECT_EQ(receiver.count(tenant.path("intime")), 1U);
}

TEST_F(ReplayedSteps, OfTheOtherWayOfAChoiceAreItsOwn) {
  const std::string flow = workflow(
      {{{"type", "choose"}, {"when", {{"notes", "x"}}}, {"then", {hook("a")}}, {"otherwise", {hook("b")}}}});
  const std::string order = tenant.insert_order({{"notes", "'x'"}});
  const json::object first = tenant.run_with_status(flow, "succeeded");
  tenant.update_orders("notes = 'y' where guid = '" + order + "'");
  EXPECT_THAT(steps_of(replay(first, {{"fromStep", 1}})),
              ElementsAre("1 choose succeeded", "2 webhook skipped NOT_CHOSEN", "3 webhook succeeded"));
  EXPECT_EQ(wait_for(1, "b").size(), 1U);
  EXPECT_EQ(receiver.count(tenant.path("a")), 1U);
}

TEST_F(ReplayedSteps, OfAnErasedPersonAreExportedAndErasedWithTheirRun) {
  const std::string customer =
      text_at(tenant.http.post("/api/v1/Customers", {{"name", "Quux"}, {"email", "quux@example.com"}}).body,
              "data.guid");
  answer_next("ask", {{"n", 1}});
  answer_next("ask", {{"n", 2}});
  const std::string flow = workflow(
      {hook("ask", {{"name", "ask"}, {"answer", {{"n", "number"}}}}),
       hook("told", {{"template", R"({"to": "{{customer.name}} {{steps.ask.answer.n}}"})"}}), hook("end")});
  tenant.create_order({{"customerId", customer}, {"customer", nullptr}});
  replay(tenant.run_with_status(flow, "succeeded"), {{"fromStep", 1}});
  const std::string exported = tenant.http.get("/api/v1/Customers/" + customer + "/export").text;
  EXPECT_THAT(exported, testing::HasSubstr("Quux 1"));
  EXPECT_THAT(exported, testing::HasSubstr("Quux 2"));
  const std::string texts = "select count(*) from run_step_texts where business_id = $1";
  EXPECT_EQ(tenant.sql.number(texts, {tenant.id}), 4);
  ASSERT_EQ(tenant.http.post("/api/v1/Customers/" + customer + "/erase").status, 200);
  EXPECT_EQ(tenant.sql.number(texts, {tenant.id}), 0);
}

}  // namespace
}  // namespace waybill::tests
