// Steps with names, answers and choices.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "tests/workflows/actions/steps_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

Reply answering(const json::value& answer) {
  return Reply::with_status(200, {{"Content-Type", "application/json"}}, to_json(answer));
}

json::object choose(const json::value& when, const json::array& then, const json::array& otherwise) {
  return {{"type", "choose"}, {"when", when}, {"then", then}, {"otherwise", otherwise}};
}

class Answers : public StepsTest {
 protected:
  /// A webhook with the name of its path that expects an answer.
  json::object asks(std::string_view name, const json::object& answer, const json::object& more = {}) {
    json::object step = hook(name, {{"name", name}, {"answer", answer}});
    for (const auto& [key, value] : more) step[key] = value;
    return step;
  }
  static const json::object& step_at(const json::object& run, std::size_t number) {
    return run.at("steps").as_array().at(number - 1).as_object();
  }
  json::object tested(const json::array& steps, const json::object& more = {}) {
    const std::string order = tenant.insert_order();
    json::object body{{"definition", definition(steps)}, {"entityId", order}};
    for (const auto& [key, value] : more) body[key] = value;
    const Response response = tenant.http.post("/api/workflows/test", body);
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data().as_object();
  }
};

TEST_F(Answers, DecideWhichWayARunTakes) {
  receiver.answer_next(tenant.path("stock"), answering({{"stock", {{"count", 3}}}, {"other", "x"}}));
  receiver.answer_next(tenant.path("stock"), answering({{"stock", {{"count", 2}}}}));
  const std::string flow =
      workflow({asks("stock", {{"stock.count", "number"}}),
                choose({{"steps.stock.answer.stock.count", {{"gte", 3}}}},
                       {hook("ship", {{"template", R"({"left": {{steps.stock.answer.stock.count}}})"}}),
                        sets(R"({"notes": "{{steps.stock.answer.stock.count}} left"})")},
                       {hook("hold")}),
                hook("after")},
               {{"ordered", true}});
  tenant.create_order();
  tenant.create_order();
  ASSERT_TRUE(eventually([&] { return tenant.runs("status=succeeded&workflowId=" + flow).size() == 2; }));
  std::vector<json::object> runs = tenant.runs("workflowId=" + flow + "&orderby=createdAt");
  for (json::object& run : runs) run = tenant.run(text_at(run, "guid"));
  const bool newest_first = text_at(step_at(runs[0], 2), "way") == "otherwise";
  const json::object shipped = runs[newest_first ? 1 : 0], held = runs[newest_first ? 0 : 1];
  EXPECT_THAT(steps_of(shipped), ElementsAre("1 webhook succeeded", "2 choose succeeded",
                                             "3 webhook succeeded", "4 update_record succeeded",
                                             "5 webhook skipped NOT_CHOSEN", "6 webhook succeeded"));
  EXPECT_THAT(
      steps_of(held),
      ElementsAre("1 webhook succeeded", "2 choose succeeded", "3 webhook skipped NOT_CHOSEN",
                  "4 update_record skipped NOT_CHOSEN", "5 webhook succeeded", "6 webhook succeeded"));
  EXPECT_EQ(step_at(shipped, 1).at("answer"), json::value({{"stock", {{"count", 3}}}}));
  EXPECT_EQ(text_at(step_at(shipped, 1), "name"), "stock");
  EXPECT_FALSE(step_at(shipped, 1).contains("usedBy"));
  EXPECT_EQ(wait_for(1, "ship").at(0).body, R"({"left": 3})");
  EXPECT_EQ(tenant.sql.value("select string_agg(notes, ',') from orders where business_id = $1", {tenant.id}),
            "3 left");
  EXPECT_EQ(wait_for(1, "ship").at(0).header("webhook-id"), "msg_" + text_at(shipped, "guid") + "_3");
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
}

TEST_F(Answers, StayExactAndReachUrlsTemplatesAndFields) {
  receiver.answer(tenant.path("ask"),
                  answering(json::parse(R"({"id": 9007199254740993, "price": 19.99, "path": "a b/c",
                                            "lines": [{"sku": "A\"1"}, {"sku": "B"}]})")));
  const std::string flow = workflow(
      {asks("ask", {{"id", "number"}, {"price", "number"}, {"path", "string"}, {"lines", "array"}}),
       {{"type", "webhook"},
        {"recipient", url("told") + "/{{steps.ask.answer.path}}?id={{steps.ask.answer.id}}"},
        {"headers", {{"X-Id", "{{steps.ask.answer.id}}"}}},
        {"template", R"({"price": {{steps.ask.answer.price}}, "second": "{{steps.ask.answer.lines.1.sku}}",)"
                     R"( "all": [{{#steps.ask.answer.lines}}"{{sku}}",{{/steps.ask.answer.lines}}null]})"}},
       sets(R"({"metadata": {"erpId": "{{steps.ask.answer.id}}"}})")});
  tenant.create_order();
  tenant.run_with_status(flow, "succeeded");
  const auto told = receiver.wait_for(tenant.path("told") + "/a%20b%2Fc", 1);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0].target, HasSubstr("?id=9007199254740993"));
  EXPECT_EQ(told[0].json_body(),
            json::parse(R"({"price": 19.99, "second": "B", "all": ["A\"1", "B", null]})"));
  EXPECT_EQ(told[0].header("x-id"), "{{steps.ask.answer.id}}") << "headers stay literal";
  EXPECT_EQ(tenant.sql.value("select metadata ->> 'erpId' from orders where business_id = $1", {tenant.id}),
            "9007199254740993");
}

TEST_F(Answers, KeepAllDigitsOfTheirNumbers) {
  receiver.answer(tenant.path("ask"),
                  Reply::with_status(200, {},
                                     R"({"v": 12345678901234.56789, "id": 34012345000000001812, )"
                                     R"("any": [1.00000000000000000001, {"pi": 3.14159265358979323846}], )"
                                     R"("double": 0.30000000000000004, "price": 19.99})"));
  const std::string flow = workflow(
      {asks("ask",
            {{"v", "number"}, {"id", "number"}, {"any", "any"}, {"double", "number"}, {"price", "number"}}),
       wait("PT0.1S"),
       hook("told", {{"when", {{"steps.ask.answer.v", {{"gt", 12345678901234.5}}}}},
                     {"template",
                      "{{steps.ask.answer.v}} {{steps.ask.answer.id}} {{steps.ask.answer.any.0}} "
                      "{{steps.ask.answer.any.1.pi}} {{steps.ask.answer.double}} {{steps.ask.answer.price}}"},
                     {"contentType", "text/plain"}})});
  tenant.create_order();
  EXPECT_EQ(wait_for(1, "told").at(0).body,
            "12345678901234.56789 34012345000000001812 1.00000000000000000001 3.14159265358979323846 "
            "0.30000000000000004 19.99");
  const json::object run = tenant.run_with_status(flow, "succeeded");
  EXPECT_THAT(tenant.http.get("/api/workflows/runs/" + text_at(run, "guid")).text,
              HasSubstr("12345678901234.56789"));
}

TEST_F(Answers, ThatAreNotAsDeclaredAreTriedThreeTimesAndOpenNoBreaker) {
  for (int i = 0; i < 2; ++i) receiver.answer_next(tenant.path("late"), answering({{"count", "many"}}));
  receiver.answer_next(tenant.path("late"), answering({{"count", 1}}));
  receiver.answer(tenant.path("never"), Reply::with_status(200, {}, "<html>"));
  const std::string late = workflow({asks("late", {{"count", "number"}}), hook("after")});
  const std::string never = workflow({asks("never", {{"count", "number"}}), hook("no")});
  tenant.create_order();
  const auto hurry = [&] {
    tenant.sql.rows("update run_queue set due_at = now() where business_id = $1 and status = 'retrying'",
                    {tenant.id});
    tenant.sql.exec("notify waybill_queue");
  };
  ASSERT_TRUE(eventually([&] {
    hurry();
    return tenant.runs("status=succeeded").size() == 1 && tenant.runs("status=dead").size() == 1;
  }));
  const json::object dead = tenant.run_with_status(never, "dead");
  EXPECT_EQ(at(dead, "code"), "INVALID_ANSWER");
  EXPECT_THAT(text_at(dead, "error"), HasSubstr("not JSON"));
  EXPECT_THAT(steps_of(dead), ElementsAre("1 webhook dead INVALID_ANSWER"));
  EXPECT_EQ(receiver.count(tenant.path("never")), 3U);
  EXPECT_EQ(receiver.count(tenant.path("late")), 3U);
  EXPECT_EQ(at(tenant.run_with_status(late, "succeeded"), "attempts"), 4);
  tenant.webhook(url("never"), "order_updated");
  tenant.update_orders("notes = 'x' where true");
  EXPECT_EQ(wait_for(4, "never").size(), 4U) << "the breaker of the destination is closed";
}

TEST_F(Answers, ThatAreTooLargeEndTheRunAtOnce) {
  receiver.answer(tenant.path("body"), answering({{"a", std::string(64UL * 1024, 'x')}}));
  receiver.answer(tenant.path("value"), answering({{"a", std::string(17UL * 1024, 'x')}}));
  receiver.answer(tenant.path("half"), answering({{"a", std::string(9UL * 1024, 'x')}}));
  const json::object a{{"a", "string"}};
  const std::string body = workflow({asks("body", a)}), value = workflow({asks("value", a)});
  json::object second = asks("half", a);
  second["name"] = "second";
  const std::string sum = workflow({asks("half", a), second});
  tenant.create_order();
  for (const std::string& flow : {body, value, sum}) {
    const json::object run = tenant.run_with_status(flow, "dead");
    EXPECT_EQ(at(run, "code"), "ANSWER_TOO_LARGE");
    EXPECT_EQ(at(run, "attempts"), flow == sum ? 2 : 1);
  }
}

TEST_F(Answers, AShipmentThatAStepMadeCanBeNamed) {
  const std::string flow =
      workflow({{{"type", "create_shipment"}, {"name", "parcel"}},
                hook("told", {{"when", {{"steps.parcel.status", "succeeded"}}},
                              {"template", R"({"n": "{{steps.parcel.trackingNumber}}"})"}})});
  tenant.create_order();
  const json::object run = tenant.run_with_status(flow, "succeeded");
  const std::string number =
      tenant.sql.value("select tracking_number from shipments where business_id = $1", {tenant.id});
  EXPECT_EQ(text_at(wait_for(1, "told").at(0).json_body(), "n"), number);
  EXPECT_EQ(text_at(step_at(run, 1), "trackingNumber"), number);
  EXPECT_EQ(text_at(step_at(run, 1), "shipmentId"),
            tenant.sql.value("select guid from shipments where business_id = $1", {tenant.id}));
}

TEST_F(Answers, AReplayKeepsThoseOfTheStepsThatItDoesNotRepeat) {
  receiver.answer_next(tenant.path("ask"), answering({{"n", 1}}));
  receiver.answer(tenant.path("ask"), answering({{"n", 2}}));
  receiver.answer_next(tenant.path("told"), Reply::with_status(500, {{"webhook-delivery", "abort-message"}}));
  const std::string flow = workflow({asks("ask", {{"n", "number"}}),
                                     hook("told", {{"template", R"({"n": {{steps.ask.answer.n}}})"}}),
                                     hook("last", {{"template", R"({"n": {{steps.ask.answer.n}}})"}})});
  tenant.create_order();
  const json::object dead = tenant.run_with_status(flow, "dead");
  const json::object replayed = replay(dead);
  EXPECT_EQ(text_at(replayed, "status"), "succeeded");
  EXPECT_EQ(receiver.count(tenant.path("ask")), 1U);
  EXPECT_EQ(wait_for(1, "last").at(0).body, R"({"n": 1})");
}

TEST_F(Answers, AReplayThatRepeatsAStepSendsItsNewAnswer) {
  receiver.answer_next(tenant.path("ask"), answering({{"n", 1}}));
  receiver.answer(tenant.path("ask"), answering({{"n", 2}}));
  const std::string flow = workflow({hook("first", {{"template", R"({"at": "{{event.id}} {{notes}}"})"}}),
                                     asks("ask", {{"n", "number"}}),
                                     hook("told", {{"template", R"({"n": {{steps.ask.answer.n}}})"}}),
                                     hook("other", {{"template", R"({"notes": "{{notes}}"})"}}),
                                     hook("last", {{"template", R"({"n": {{steps.ask.answer.n}}})"}})});
  const std::string order = tenant.insert_order({{"notes", "'x'"}});
  const json::object before = tenant.run_with_status(flow, "succeeded");
  tenant.update_orders("notes = 'y' where guid = '" + order + "'");
  const json::object again = replay(before, {{"fromStep", 2}});
  EXPECT_EQ(at(step_at(again, 2), "answer.n"), 2);
  const json::object third = replay(again, {{"fromStep", 3}});
  EXPECT_EQ(text_at(third, "status"), "succeeded");
  const auto bodies = [&](const std::string& name, std::size_t count) {
    std::vector<std::string> all;
    for (const auto& request : wait_for(count, name)) all.push_back(request.body);
    return all;
  };
  EXPECT_THAT(bodies("told", 3), ElementsAre(R"({"n": 1})", R"({"n": 2})", R"({"n": 2})"));
  EXPECT_THAT(bodies("last", 3), ElementsAre(R"({"n": 1})", R"({"n": 2})", R"({"n": 2})"));
  EXPECT_THAT(bodies("other", 3), Each(R"({"notes": "x"})")) << "uses no answer";
}

TEST_F(Answers, AReplayKeepsItsChoicesAndOneThatBeginsAtAChoiceMakesItAgain) {
  receiver.answer_next(tenant.path("a"), Reply::with_status(500, {{"webhook-delivery", "abort-message"}}));
  const std::string flow =
      workflow({choose({{"notes", "x"}}, {hook("a"), hook("b")}, {hook("c")}), hook("d")});
  const std::string order = tenant.insert_order({{"notes", "'x'"}});
  const json::object dead = tenant.run_with_status(flow, "dead");
  EXPECT_THAT(steps_of(dead),
              ElementsAre("1 choose succeeded", "2 webhook dead ABORTED", "4 webhook skipped NOT_CHOSEN"));
  tenant.update_orders("notes = 'y' where guid = '" + order + "'");
  const json::object kept = replay(dead);
  EXPECT_THAT(steps_of(kept), ElementsAre("1 choose succeeded", "2 webhook succeeded", "3 webhook succeeded",
                                          "4 webhook skipped NOT_CHOSEN", "5 webhook succeeded"));
  const json::object again = replay(dead, {{"fromStep", 1}});
  EXPECT_THAT(steps_of(again),
              ElementsAre("1 choose succeeded", "2 webhook skipped NOT_CHOSEN",
                          "3 webhook skipped NOT_CHOSEN", "4 webhook succeeded", "5 webhook succeeded"));
  const Response refused_step = tenant.http.post("/api/workflows/runs/" + text_at(kept, "guid") + "/replay",
                                                 json::object{{"fromStep", 4}});
  EXPECT_EQ(refused_step.status, 400);
  EXPECT_EQ(text_at(at(refused_step.body, "error.details"), "fromStep"),
            "is in a way that a choice of the run did not take");
}

TEST_F(Answers, AReplayCannotBeginInsideAChoiceThatTheRunHasNotMade) {
  receiver.answer_next(tenant.path("a"), Reply::with_status(500, {{"webhook-delivery", "abort-message"}}));
  const std::string flow =
      workflow({hook("a"), choose({{"notes", "x"}}, {hook("b")}, {hook("c")}), hook("d")});
  tenant.insert_order({{"notes", "'x'"}});
  const json::object dead = tenant.run_with_status(flow, "dead");
  for (const int step : {3, 4}) {
    const Response answer = tenant.http.post("/api/workflows/runs/" + text_at(dead, "guid") + "/replay",
                                             json::object{{"fromStep", step}});
    EXPECT_EQ(answer.status, 400) << step;
  }
  EXPECT_THAT(steps_of(replay(dead, {{"fromStep", 5}})),
              ElementsAre("1 webhook dead ABORTED", "5 webhook succeeded"));
  EXPECT_THAT(steps_of(replay(dead, {{"fromStep", 2}})),
              ElementsAre("1 webhook dead ABORTED", "2 choose succeeded", "3 webhook succeeded",
                          "4 webhook skipped NOT_CHOSEN", "5 webhook succeeded"));
}

TEST_F(Answers, AreListedAmongTheFieldsOfTheirWorkflow) {
  const std::string flow =
      workflow({asks("stock", {{"count", "number"}, {"lines", "array"}, {"any", "any?"}}),
                {{"type", "create_shipment"}, {"name", "parcel"}}});
  const json::value fields = tenant.http.get("/api/workflows/fields/Order?workflowId=" + flow).data();
  std::map<std::string, std::string> types;
  for (const json::value& field : fields.as_array()) {
    if (!text_at(field, "path").starts_with("steps.")) continue;
    types[text_at(field, "path")] = text_at(field, "type");
    for (const json::value& op : at(field, "operators").as_array()) {
      const bool is_flag = op == "exists", is_list = op == "in" || op == "nin";
      const json::value& sample = at(field, "example");
      const json::value operand = is_flag   ? json::value(true)
                                  : is_list ? json::value(json::array{sample})
                                            : sample;
      workflow({asks("stock", {{"count", "number"}, {"lines", "array"}, {"any", "any?"}}),
                {{"type", "create_shipment"}, {"name", "parcel"}},
                {{"type", "stop"}, {"when", {{text_at(field, "path"), {{op.as_string(), operand}}}}}}},
               {{"isActive", false}});
    }
  }
  EXPECT_EQ(types, (std::map<std::string, std::string>{{"steps.stock.status", "string"},
                                                       {"steps.stock.answer.count", "number"},
                                                       {"steps.stock.answer.lines", "object"},
                                                       {"steps.stock.answer.any", "any"},
                                                       {"steps.parcel.status", "string"},
                                                       {"steps.parcel.shipmentId", "uuid"},
                                                       {"steps.parcel.trackingNumber", "string"}}));
  EXPECT_EQ(tenant.http.get("/api/workflows/fields/Product?workflowId=" + flow).status, 400);
  EXPECT_EQ(tenant.http.get("/api/workflows/fields/Order?workflowId=" + tenant.id).status, 404);
}

TEST_F(Answers, AStopEndsTheRunInsideAChoice) {
  const std::string flow = workflow({choose({{"notes", "x"}}, {{{"type", "stop"}}}, {hook("a")}), hook("b")});
  tenant.insert_order({{"notes", "'x'"}});
  EXPECT_THAT(steps_of(tenant.run_with_status(flow, "succeeded")),
              ElementsAre("1 choose succeeded", "2 stop succeeded", "3 webhook skipped NOT_CHOSEN"));
}

TEST_F(Answers, AWaitThatIsNotPerformedHasTheSameValuesInARunAndInATest) {
  const json::array steps{
      choose(
          {{"notes", "never"}},
          {{{"type", "wait"}, {"name", "w"}, {"for", {{"triggers", {"order_shipped"}}}}, {"atMost", "PT1H"}}},
          {hook("other")}),
      {{"type", "wait"}, {"name", "u"}, {"until", "collectionDate"}},
      hook("told", {{"contentType", "text/plain"},
                    {"template", "{{steps.w.timedOut}}|{{steps.u.timedOut}}|{{steps.u.status}}"}}),
      hook("late", {{"when", {{"steps.w.timedOut", false}}}})};
  const std::string flow = workflow(steps);
  tenant.insert_order();
  const json::object run = tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(wait_for(1, "told").at(0).body, "||skipped");
  EXPECT_EQ(receiver.count(tenant.path("late")), 0U);
  for (const json::object& answers : {json::object{}, json::object{{"w", {{"timedOut", true}}}}}) {
    const json::object shown = tested(steps, {{"answers", answers}});
    const json::array& of_test = shown.at("steps").as_array();
    EXPECT_EQ(text_at(of_test.at(3), "code"), "NO_VALUE");
    EXPECT_EQ(text_at(of_test.at(4), "wouldSend.body"), "||skipped");
    EXPECT_EQ(at(of_test.at(5), "matches"), false);
  }
}

TEST_F(Answers, ATestTakesTheAnswersOfSteps) {
  const json::array steps{
      asks("stock", {{"lines.0.count", "number"}, {"eta", "timestamp?"}}),
      choose({{"steps.stock.answer.lines.0.count", {{"gte", 3}}}},
             {hook("ship", {{"template", R"({"n": {{steps.stock.answer.lines.0.count}}})"}})},
             {hook("hold")}),
      {{"type", "wait"}, {"until", "steps.stock.answer.eta"}}};
  const json::object answers{{"stock", {{"lines", {{{"count", 4}}}}, {"eta", "2027-01-02T03:04:05.000Z"}}}};
  const json::object shipped = tested(steps, {{"answers", answers}});
  const json::array& shown = shipped.at("steps").as_array();
  EXPECT_EQ(at(shown.at(1), "matches"), true);
  EXPECT_EQ(text_at(shown.at(2), "wouldSend.body"), R"({"n": 4})");
  EXPECT_EQ(text_at(shown.at(3), "code"), "NOT_CHOSEN");
  EXPECT_EQ(text_at(shown.at(4), "until"), "2027-01-02T03:04:05.000Z");
  const json::object by_path{{"stock", {{"lines.0.count", 2}}}};
  EXPECT_EQ(text_at(tested(steps, {{"answers", by_path}}).at("steps").as_array().at(2), "code"),
            "NOT_CHOSEN");
  for (const json::object& bad :
       {json::object{{"nobody", json::object()}}, json::object{{"stock", {{"lines", "none"}}}}}) {
    const Response refused_answer =
        tenant.http.post("/api/workflows/test", json::object{{"definition", definition(steps)},
                                                             {"entityId", tenant.insert_order()},
                                                             {"answers", bad}});
    EXPECT_EQ(refused_answer.status, 400);
    EXPECT_THAT(refused_answer.text, HasSubstr("answers." + std::string(bad.begin()->key())));
  }
}

TEST_F(Answers, ATestTakesNoAnswerThatARunCouldNotKeep) {
  const json::array steps{asks("stock", {{"note", "string"}, {"count.of", "number?"}}),
                          hook("x", {{"template", R"({"of": {{steps.stock.answer.count.of}}})"}})};
  const auto reply_to = [&](const json::object& answer) {
    return tenant.http.post("/api/workflows/test", json::object{{"definition", definition(steps)},
                                                                {"entityId", tenant.insert_order()},
                                                                {"answers", {{"stock", answer}}}});
  };
  const Response too_large = reply_to({{"note", std::string(16 * 1024, 'n')}});
  EXPECT_EQ(too_large.status, 400);
  EXPECT_EQ(at(too_large.body, "error.details").as_object().at("answers.stock"),
            "has declared values larger than 16 KiB");

  std::string hostile = "a";
  while (hostile.size() < 900'000) hostile += ".a";
  const Response left_out = reply_to({{"note", "n"}, {"count.of", 3}, {hostile, 1}, {"", 2}, {"..", 3}});
  ASSERT_EQ(left_out.status, 200) << "a member that no declared field names has no effect";
  EXPECT_EQ(text_at(left_out.data().at("steps").as_array().at(1), "wouldSend.body"), R"({"of": 3})");
}

TEST_F(Answers, TheDeepestAnswerIsReadByALaterStep) {
  const std::string lists = std::string(29, '[') + std::string(29, ']');
  receiver.answer_next(tenant.path("deep"), answering(json::object{{"x", json::parse(lists)}}));
  const std::string flow = workflow({asks("deep", {{"x", "any"}}), wait("PT0.1S"), hook("after")});
  tenant.create_order();
  ASSERT_EQ(wait_for(1, "after").size(), 1U);
  const std::string ended = " from all_runs where workflow_id = $1 and status = 'succeeded'";
  ASSERT_TRUE(eventually([&] { return tenant.sql.number("select count(*)" + ended, {flow}) == 1; }));
  const std::string run = tenant.sql.value("select guid" + ended, {flow});
  const Response shown =
      tenant.http.get("/api/workflows/runs/" + run);  // is too deep for the reader of this test
  EXPECT_EQ(shown.status, 200);
  EXPECT_THAT(shown.text, HasSubstr(lists));
}

TEST_F(Answers, StepsThatCouldNotBeReadAgainAreRefused) {
  const auto nested_in = [&](int levels) {  // of the list of steps
    json::object when{{"notes", "x"}};
    for (int level = 4; level <= levels; ++level) when = json::object{{"not", std::move(when)}};
    return json::array{hook("x", {{"when", std::move(when)}})};
  };
  const json::object flow = tenant.configure(definition(nested_in(30)));
  const std::string path = "/api/workflows/configured/" + text_at(flow, "guid");
  EXPECT_EQ(tenant.http.get(path).status, 200);
  EXPECT_EQ(tenant.http.get(path + "/versions").status, 200);
  EXPECT_EQ(text_at(refused(nested_in(31)), "steps"), "must not be nested deeper than 30");
}

TEST_F(Answers, UnknownNamesLaterStepsAndWrongTypesAreRefused) {
  const json::object stock = asks("stock", {{"count", "number"}, {"lines", "array"}, {"extra", "any"}});
  const auto error_of = [&](const json::object& step, std::string_view field) {
    const json::value details = refused({stock, step});
    const auto* const found = details.as_object().if_contains(field);
    return found == nullptr ? to_json(details) : std::string(found->as_string());
  };
  const auto when = [](std::string_view path, const json::value& value) {
    return json::object{{"type", "stop"}, {"when", {{path, value}}}};
  };
  const std::string unknown = "names no value of an earlier step";
  EXPECT_EQ(error_of(when("steps.other.status", "dead"), "steps[1].when.steps.other.status"), unknown);
  EXPECT_EQ(error_of(when("steps.stock.answer.none", 1), "steps[1].when.steps.stock.answer.none"), unknown);
  EXPECT_EQ(error_of(when("steps.stock.timedOut", true), "steps[1].when.steps.stock.timedOut"), unknown);
  EXPECT_EQ(error_of(when("steps.stock.answer.count", "3"), "steps[1].when.steps.stock.answer.count"),
            "must be a number");
  EXPECT_EQ(error_of(when("steps.stock.status", "ok"), "steps[1].when.steps.stock.status"),
            "must be one of succeeded, skipped, dead");
  EXPECT_THAT(error_of(when("steps.stock.answer.lines", json::object{{"eq", "x"}}),
                       "steps[1].when.steps.stock.answer.lines.eq"),
              HasSubstr("compares only with null"));
  EXPECT_THAT(error_of(when("steps.stock.answer.count", json::object{{"changed", true}}),
                       "steps[1].when.steps.stock.answer.count.changed"),
              HasSubstr("has no change"));
  EXPECT_EQ(error_of({{"type", "wait"}, {"until", "steps.stock.answer.count"}}, "steps[1].until"),
            "is not a timestamp");
  EXPECT_EQ(error_of({{"type", "wait"}, {"until", "steps.none.answer.x"}}, "steps[1].until"), unknown);
  EXPECT_EQ(error_of(hook("x", {{"template", "{\"a\": \"{{steps.stock.answer.b}}\"}"}}), "steps[1].template"),
            "steps.stock.answer.b " + unknown);
  EXPECT_EQ(error_of(hook("{{steps.stock}}"), "steps[1].recipient"), "steps.stock " + unknown);
  EXPECT_EQ(error_of(sets(R"({"metadata": {"a": "{{steps.none.status}}"}})"), "steps[1].set.metadata.a"),
            "steps.none.status " + unknown);
  EXPECT_THAT(to_json(refused({when("steps.stock.status", "dead"), stock})), HasSubstr(unknown));
  workflow({stock, hook("fine", {{"template", R"({"a": "{{steps.stock.answer.extra.deep.0.er}}"})"}}),
            when("steps.stock.answer.lines", json::object{{"exists", true}}),
            when("steps.stock.answer.extra", json::object{{"startsWith", "x"}})});
}

TEST_F(Answers, NamesAreUniqueAndBeginWithALetter) {
  for (const std::string bad : {"", "1a", "a-b", "a b", "\u00e4"}) {
    const json::value details = refused({hook("x", {{"name", bad}})});
    EXPECT_TRUE(details.as_object().contains("steps[0].name")) << bad;
  }
  EXPECT_TRUE(refused({hook("x", {{"name", std::string(41, 'a')}})}).as_object().contains("steps[0].name"));
  const json::value twice =
      refused({hook("x", {{"name", "a"}}), choose({{"notes", "x"}}, {hook("y", {{"name", "a"}})}, {})});
  EXPECT_EQ(twice.as_object().at("steps[1].then[0].name"), "is the name of an earlier step");
  workflow({hook("x", {{"name", std::string(40, 'a')}}), {{"type", "stop"}, {"name", "a"}}});
}

TEST_F(Answers, ChoicesAreNestedFourDeepWithFiftyStepsInAll) {
  const auto nested = [](int depth) {
    json::array steps{{{"type", "stop"}}};
    for (int i = 0; i < depth; ++i) steps = {choose({{"notes", "x"}}, steps, {})};
    return steps;
  };
  workflow(nested(4));
  EXPECT_THAT(to_json(refused(nested(5))), HasSubstr("steps[0].then[0].then[0].then[0].then[0]"));
  json::array many(25, choose({{"notes", "x"}}, {{{"type", "stop"}}}, {}));
  const std::string flow = workflow(many);
  EXPECT_EQ(tenant.workflow(flow).at("steps").as_array().size(), 25U);
  many.push_back({{"type", "stop"}});
  EXPECT_EQ(text_at(refused(many), "steps"), "must have 1 to 50 entries, with those of choices");
  EXPECT_TRUE(refused({{{"type", "choose"}, {"then", json::array()}}}).as_object().contains("steps[0].when"));
  EXPECT_TRUE(
      refused({{{"type", "choose"}, {"when", {{"notes", "x"}}}}}).as_object().contains("steps[0].then"));
}

TEST_F(Answers, WaitsAreSummedAlongTheLongestWay) {
  const auto days = [](int count) { return wait("P" + std::to_string(count) + "D"); };
  const json::object notes{{"notes", "x"}};
  workflow({choose(notes, {days(20)}, {days(25)}), days(4)});
  EXPECT_TRUE(
      refused({choose(notes, {days(20)}, {days(25)}), days(5)}).as_object().contains("steps[1].delay"));
  EXPECT_TRUE(refused({days(10), choose(notes, {}, {days(10), days(15)})})
                  .as_object()
                  .contains("steps[1].otherwise[1].delay"));
}

TEST_F(Answers, AnErasureClearsThemAndEndsRunsThatNeedThem) {
  receiver.answer(tenant.path("who"), answering({{"mail", "quux@example.com"}}));
  const json::object who = asks("who", {{"mail", "string"}});
  const json::object more{{"entityType", "Customer"}, {"triggerId", trigger_guid("customer_created")}};
  const json::object tell = hook("told", {{"template", R"({"to": "{{steps.who.answer.mail}}"})"}});
  const std::string needs = workflow({who, wait("PT1H"), tell}, more);
  const std::string chosen_away =
      workflow({who, choose({{"name", "Quux"}}, {wait("PT1H")}, {tell}), hook("end")}, more);
  const std::string done = workflow({who, tell}, more);
  const Response created =
      tenant.http.post("/api/v1/Customers", {{"name", "Quux"}, {"email", "q@example.com"}});
  ASSERT_EQ(created.status, 201) << created.text;
  const json::object told = tenant.run_with_status(done, "succeeded");
  tenant.run_with_status(needs, "waiting");
  EXPECT_THAT(tenant.http.get("/api/v1/Customers/" + text_at(created.data(), "guid") + "/export").text,
              HasSubstr("quux@example.com"))
      << "answers are part of an export";
  tenant.run_with_status(chosen_away, "waiting");
  ASSERT_EQ(tenant.http.post("/api/v1/Customers/" + text_at(created.data(), "guid") + "/erase").status, 200);
  const json::object ended = tenant.run_with_status(needs, "skipped");
  EXPECT_EQ(text_at(ended, "code"), "ERASED");
  EXPECT_TRUE(step_at(ended, 1).at("answer").is_null());
  EXPECT_EQ(step_at(ended, 1).at("erased"), true);
  EXPECT_EQ(text_at(tenant.run_with_status(chosen_away, "waiting"), "status"), "waiting")
      << "the step that uses the answer is not performed";
  EXPECT_EQ(tenant.sql.number("select count(*) from all_runs where business_id = $1 and steps like '%quux@%'",
                              {tenant.id}),
            0);
  const auto replay_of = [&](const json::object& run, int step) {
    return tenant.http
        .post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", json::object{{"fromStep", step}})
        .status;
  };
  EXPECT_EQ(replay_of(told, 2), 409);
  EXPECT_EQ(replay_of(ended, 3), 409);
  for (const bool plan : {true, false}) {
    const Response range =
        tenant.http.post("/api/workflows/replay", json::object{{"workflowId", needs}, {"plan", plan}});
    EXPECT_EQ(at(range.data(), "runs"), 0) << plan << range.text;
  }
  EXPECT_EQ(replay_of(told, 1), 201);
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
}

TEST_F(Answers, OneThatArrivesDuringAnErasureIsNeitherUsedNorKept) {
  const auto gate = std::make_shared<Gate>();
  for (const auto* const name : {"a", "b", "c"}) {
    Reply late = answering({{"id", "quux"}});
    late.gate = gate;
    receiver.answer_next(tenant.path(name), late);
  }
  const json::object id{{"id", "string"}};
  const std::string sets_it =
      workflow({asks("a", id), sets(R"({"notes": "{{steps.a.answer.id}}"})"), hook("after-a")});
  const std::string tells_it = workflow(
      {asks("b", id), hook("before-b"), hook("told", {{"template", R"({"id": "{{steps.b.answer.id}}"})"}})});
  const std::string ignores_it = workflow({asks("c", id), hook("after-c")});
  const Response created =
      tenant.http.post("/api/v1/Customers", {{"name", "Quux"}, {"email", "q@example.com"}});
  const std::string customer = text_at(created.data(), "guid");
  const std::string order = tenant.create_order({{"customerId", customer}, {"customer", nullptr}});
  for (const auto* const name : {"a", "b", "c"}) wait_for(1, name);
  std::jthread eraser([client = tenant.http.with_token(tenant.http.token()), customer]() mutable {
    EXPECT_EQ(client.post("/api/v1/Customers/" + customer + "/erase").status, 200);
  });
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from run_queue where business_id = $1 and erased",
                             {tenant.id}) == 3;
  }));
  gate->open();
  for (const std::string& flow : {sets_it, tells_it}) {
    const json::object run = tenant.run_with_status(flow, "skipped");
    EXPECT_EQ(text_at(run, "code"), "ERASED");
    EXPECT_TRUE(step_at(run, 1).at("answer").is_null());
    EXPECT_EQ(step_at(run, 1).at("erased"), true);
    EXPECT_EQ(tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay").status, 409);
  }
  tenant.run_with_status(ignores_it, "succeeded");
  eraser.join();
  EXPECT_TRUE(step_at(tenant.run_with_status(ignores_it, "succeeded"), 1).at("answer").is_null());
  EXPECT_EQ(tenant.sql.value("select coalesce(notes, '') from orders where guid = $1", {order}), "");
  EXPECT_EQ(receiver.count(tenant.path("told")), 0U);
  EXPECT_EQ(receiver.count(tenant.path("before-b")), 0U) << "the run ends at once";
  EXPECT_EQ(tenant.sql.number("select count(*) from all_runs where business_id = $1 and "
                              "concat(request, body, tries, steps) like '%quux%'",
                              {tenant.id}),
            0);
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
}

TEST_F(Answers, ARunForSeveralRecordsChoosesByCountAndAnswers) {
  receiver.answer(tenant.path("ask"), answering({{"go", true}}));
  tenant.insert_order();
  tenant.insert_order();
  const json::object scheduled{{"triggerId", nullptr},
                               {"schedule", {{"cron", "* * * * *"}}},
                               {"query", {{"filter", ""}}},
                               {"isActive", false}};
  const auto list = [&](const json::array& steps) { return definition(steps, scheduled); };
  json::object good =
      list({asks("ask", {{"go", "boolean"}}),
            choose({{"count", {{"gte", 2}}}, {"steps.ask.answer.go", true}},
                   {hook("many", {{"template", R"({"count": {{count}}})"}})}, {hook("few")})});
  good.erase("triggerId");
  const Response configured = tenant.http.post("/api/workflows/configure", good);
  EXPECT_EQ(configured.status, 201) << configured.text;
  json::object bad = list({{{"type", "stop"}, {"when", {{"status", "created"}}}}});
  bad.erase("triggerId");
  const Response refused_field = tenant.http.post("/api/workflows/configure", bad);
  EXPECT_EQ(refused_field.status, 400);
  EXPECT_THAT(refused_field.text, HasSubstr("steps[0].when.status"));
}

TEST_F(Answers, AWorkflowIsShownAsItWasGivenAndChangesOnlyWithItsDefinition) {
  const json::array steps{asks("stock", {{"count", "number"}}, {{"headers", {{"X-Key", "secret"}}}}),
                          choose({{"notes", "x"}}, {hook("a", {{"headers", {{"X-Key", "other"}}}})}, {})};
  const json::object configured = tenant.configure(definition(steps));
  const std::string flow = text_at(configured, "guid");
  EXPECT_TRUE(at(configured.at("steps").as_array().at(1).at("then").as_array().at(0), "secret").is_string());
  const json::object shown = tenant.workflow(flow);
  EXPECT_EQ(text_at(shown.at("steps").as_array().at(0), "headers.X-Key"), "********");
  EXPECT_EQ(text_at(shown.at("steps").as_array().at(1).at("then").as_array().at(0), "headers.X-Key"),
            "********");
  const json::object again = tenant.configure(definition(shown.at("steps").as_array(), {{"guid", flow}}));
  EXPECT_EQ(at(again, "version"), 1);
  const json::value listed = tenant.http.get("/api/workflows/Order/configured").data();
  EXPECT_EQ(text_at(listed.as_array().at(0), "action"), "steps");
  EXPECT_EQ(tenant.sql.value("select action ->> 'type' from workflows where guid = $1", {flow}), "steps:2")
      << "earlier binaries hold it as unreadable";
  const std::string plain = workflow({hook("a"), wait("PT1S")});
  EXPECT_EQ(tenant.sql.value("select action ->> 'type' from workflows where guid = $1", {plain}), "steps");
  tenant.create_order();
  wait_for(1, "stock");
  EXPECT_EQ(wait_for(1, "stock").at(0).header("x-key"), "secret");
}

}  // namespace
}  // namespace waybill::tests
