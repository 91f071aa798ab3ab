// Definitions with a digest: their members, where they are shown, and their trials.
#include <set>

#include "tests/workflows/timing/digests_fixture.hpp"

namespace waybill::tests {
namespace {

class DigestDefinitions : public DigestTest {
 protected:
  std::set<std::string> refused(const json::object& digest, const json::object& more = {}) {
    std::set<std::string> fields;
    const json::value problems = details(definition(digest, more));
    for (const auto& [field, message] : problems.as_object()) fields.insert(std::string(field));
    return fields;
  }
  json::value posted(const char* path, const json::object& body) {
    const Response response = tenant.http.post(path, body);
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data();
  }

  const json::object hourly_{{"every", "PT1H"}};
};

using Fields = std::set<std::string>;

TEST_F(DigestDefinitions, AreRefusedWithWrongMembers) {
  EXPECT_EQ(refused({}), Fields{"digest"});
  EXPECT_EQ(refused({{"every", "PT1H"}, {"quiet", "PT1H"}}), Fields{"digest"});
  EXPECT_EQ(refused({{"every", "PT1H"}, {"atMost", "P1D"}}), Fields{"digest.atMost"});
  EXPECT_EQ(refused({{"every", "PT1H"}, {"by", "nmae"}}), Fields{"digest.by"});
  EXPECT_EQ(refused({{"every", "PT0S"}, {"max", 1001}}), (Fields{"digest.every", "digest.max"}));
  EXPECT_EQ(refused({{"every", "P60D"}}), Fields{"digest.every"}) << "longer than events are kept";
  EXPECT_EQ(refused({{"quiet", "PT1H"}, {"atMost", "P60D"}}), Fields{"digest.atMost"});
}

TEST_F(DigestDefinitions, AreRefusedBesideWhatTheirRunsCannotHave) {
  EXPECT_EQ(refused(hourly_, {{"delay", "PT1H"}}), Fields{"delay"});
  EXPECT_EQ(refused(hourly_, {{"ordered", true}}), Fields{"ordered"});
  EXPECT_EQ(refused(hourly_, {{"limit", {{"by", "currency"}, {"count", 1}, {"per", "P1D"}}}}),
            Fields{"limit"});
  EXPECT_EQ(
      refused(hourly_, {{"triggers", nullptr}, {"timer", {{"field", "createdAt"}, {"offset", "PT1H"}}}}),
      Fields{"timer"});
  EXPECT_EQ(refused(hourly_, {{"triggers", nullptr}, {"schedule", {{"cron", "0 8 * * *"}}}}),
            Fields{"schedule"});
  EXPECT_EQ(refused(hourly_, {{"action", {{"type", "update_status"}, {"status", "ready"}}}}),
            Fields{"action.type"});
  EXPECT_EQ(refused(hourly_, {{"steps", {{{"type", "update_record"}, {"set", {{"notes", "x"}}}}}}}),
            Fields{"steps[0].type"});
  const json::object shipped{{"triggers", {"order_shipped"}}};
  EXPECT_EQ(refused(hourly_, {{"cancelOn", shipped}}), Fields{"cancelOn"});
  EXPECT_EQ(refused(hourly_, {{"steps",
                               {{{"type", "wait"}, {"for", shipped}, {"atMost", "P1D"}},
                                {{"type", "webhook"}, {"recipient", url()}}}}}),
            Fields{"steps[0].for"});
  EXPECT_EQ(
      refused(hourly_,
              {{"steps", {{{"type", "webhook"}, {"recipient", url()}, {"when", {{"status", "pending"}}}}}}}),
      Fields{"steps[0].when.status"});
}

TEST_F(DigestDefinitions, CannotBeGivenToAWorkflowWhoseRunsNeedTheRecord) {
  const std::string workflow = tenant.update_status("order_created", "", "ready");
  const json::value problems = details({{"guid", workflow}, {"digest", hourly_}});
  EXPECT_TRUE(problems.as_object().contains("action.type")) << to_json(problems);
  const std::string delayed = tenant.webhook(url(), "order_created", {{"delay", "PT1H"}});
  EXPECT_TRUE(details({{"guid", delayed}, {"digest", hourly_}}).as_object().contains("delay"));
  const std::string digest = collecting(hourly_);
  EXPECT_TRUE(details({{"guid", digest}, {"ordered", true}}).as_object().contains("ordered"));
}

TEST_F(DigestDefinitions, AQuietTimeBeyondTheLongestIsWarnedAbout) {
  const auto warnings = [&](const json::object& digest) {
    const json::object configured = tenant.configure(definition(digest));
    return configured.contains("warnings") ? configured.at("warnings").as_array().size() : 0;
  };
  EXPECT_EQ(warnings({{"quiet", "PT2H"}, {"atMost", "PT1H"}}), 1U);
  EXPECT_EQ(warnings({{"quiet", "P2D"}}), 1U) << "atMost is a day without one";
  EXPECT_EQ(warnings({{"quiet", "PT1H"}, {"atMost", "PT1H"}}), 0U);
  EXPECT_EQ(warnings({{"every", "P2D"}}), 0U);
}

TEST_F(DigestDefinitions, AreShownAndKeptByAChange) {
  const std::string guid =
      collecting({{"quiet", "PT10M"}, {"by", "customer.email"}}, {{"rate", {{"perSecond", 5}}}});
  const json::value shown{
      {"by", "customer.email"}, {"every", nullptr}, {"quiet", "PT10M"}, {"atMost", "P1D"}, {"max", 100}};
  const json::object workflow = tenant.workflow(guid);
  EXPECT_EQ(at(workflow, "digest"), shown);
  EXPECT_EQ(at(workflow, "triggers"), (json::value{"order_created"}));
  EXPECT_EQ(at(workflow, "trigger"), json::value("order_created"));
  EXPECT_TRUE(at(workflow, "problem").is_null());
  const Response list = tenant.http.get("/api/workflows/Order/configured");
  bool is_listed = false;
  for (const json::value& each : list.data().as_array())
    is_listed = is_listed || (text_at(each, "guid") == guid && at(each, "digest") == shown);
  EXPECT_TRUE(is_listed);
  tenant.configure({{"guid", guid}, {"name", "another name"}});
  EXPECT_EQ(at(tenant.workflow(guid), "digest"), shown);
  EXPECT_EQ(tenant.http.post("/api/workflows/configure", tenant.workflow(guid)).status, 200) << "sent back";
  EXPECT_EQ(at(tenant.workflow(guid), "version"), json::value(2));
}

TEST_F(DigestDefinitions, AreInVersionsAndRestored) {
  const std::string guid = collecting(hourly_);
  tenant.configure({{"guid", guid}, {"digest", nullptr}});
  EXPECT_TRUE(at(tenant.workflow(guid), "digest").is_null());
  const Response versions = tenant.http.get("/api/workflows/configured/" + guid + "/versions");
  EXPECT_TRUE(at(at(versions.data().as_array().at(0), "definition"), "digest").is_null());
  EXPECT_EQ(at(at(versions.data().as_array().at(1), "definition"), "digest.every"), json::value("PT1H"));
  ASSERT_EQ(
      tenant.http.post("/api/workflows/configured/" + guid + "/versions/1/restore", json::object{}).status,
      200);
  EXPECT_EQ(at(tenant.workflow(guid), "digest.every"), json::value("PT1H"));
}

TEST_F(DigestDefinitions, AreTestedWithAListOfTheRecord) {
  const std::string order = tenant.create_order({{"notes", "a"}});
  const json::value tested =
      posted("/api/workflows/test",
             {{"definition", definition({{"every", "PT1H"}, {"by", "notes"}})}, {"entityId", order}});
  const json::value body = json::parse(text_at(tested, "wouldSend.body"));
  EXPECT_EQ(at(body, "type"), "digest");
  EXPECT_EQ(at(body, "data.count"), json::value(1));
  EXPECT_EQ(at(body, "data.by"), json::value("a"));
  EXPECT_EQ(orders_of(body), std::vector<std::string>{order});
  const json::value event = at(at(body, "data.items").as_array().at(0), "event");
  EXPECT_EQ(at(event, "type"), "order_created");
  EXPECT_EQ(std::to_string(at(event, "id").to_number<std::int64_t>()),
            tenant.sql.value("select max(id) from events where entity_id = $1", {order}));
}

TEST_F(DigestDefinitions, SendATestForOneRecord) {
  const std::string workflow = collecting(hourly_);
  const std::string order = tenant.create_order();
  tenant.settle();
  posted(("/api/workflows/configured/" + workflow + "/send-test").c_str(), {{"entityId", order}});
  const json::value body = wait_for(1).at(0).json_body();
  EXPECT_EQ(at(body, "type"), "digest");
  EXPECT_EQ(at(body, "test"), json::value(true));
  EXPECT_EQ(orders_of(body), std::vector<std::string>{order});
  EXPECT_EQ(open(), 1);
}

TEST_F(DigestDefinitions, AreBacktestedByTheirRuns) {
  for (const char* const notes : {"a", "b", "a", "a", "a"}) tenant.create_order({{"notes", notes}});
  tenant.settle();
  const auto matches = [&](const json::object& digest) {
    return at(posted("/api/workflows/backtest", {{"definition", definition(digest)}}), "matches");
  };
  EXPECT_EQ(matches({{"every", "P1D"}}), json::value(1));
  EXPECT_EQ(matches({{"every", "P1D"}, {"by", "notes"}}), json::value(2));
  EXPECT_EQ(matches({{"every", "P1D"}, {"by", "notes"}, {"max", 2}}), json::value(3));
  EXPECT_EQ(matches({{"every", "P1D"}, {"max", 1}}), json::value(5));
  const json::object configured = tenant.configure(definition({{"every", "P1D"}, {"max", 2}}));
  EXPECT_EQ(at(configured, "firedLast7Days"), json::value(3));
}

}  // namespace
}  // namespace waybill::tests
