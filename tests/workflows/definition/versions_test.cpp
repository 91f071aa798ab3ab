#include <future>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

/// The text with each number between angle brackets in one of its forms.
std::string with_numbers(std::string_view text, std::mt19937_64& random) {
  std::string written;
  for (auto open = text.find('<'); open != std::string_view::npos; open = text.find('<')) {
    const auto close = text.find('>', open);
    const std::string number(text.substr(open + 1, close - open - 1));
    const bool is_whole = number.find('.') == std::string::npos;
    const std::string forms[] = {number, number + (is_whole ? ".0" : "00"), number + "e0",
                                 number == "0" ? "-0.0" : number + "E+00"};
    written.append(text.substr(0, open)).append(forms[random() % std::size(forms)]);
    text.remove_prefix(close + 1);
  }
  return written.append(text);
}

class Versions : public WorkflowTest {
 protected:
  json::array versions() {
    return tenant.http.get("/api/workflows/configured/" + workflow + "/versions").data().as_array();
  }
  json::value present() { return tenant.http.get("/api/workflows/configured/" + workflow).data(); }
  Response restore(std::string_view version) {
    return tenant.http.post("/api/workflows/configured/" + workflow + "/versions/" + std::string(version) +
                            "/restore");
  }

  const std::string workflow = tenant.webhook(
      url(), "order_created",
      {{"name", "first"}, {"conditions", {{"totalValue", {{"gte", 100.5}}}}}, {"delay", "PT2H"}});
};

TEST_F(Versions, AreListedWithTheirAuthorsAndRestored) {
  ASSERT_EQ(tenant.http
                .post("/api/workflows/configure",
                      {{"guid", workflow}, {"name", "second"}, {"conditions", nullptr}, {"delay", nullptr}})
                .status,
            200);
  const auto listed = versions();
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].at("version"), 2);
  EXPECT_EQ(text_at(listed[0], "by.type"), "token");
  EXPECT_EQ(text_at(listed[1], "definition.name"), "first");
  EXPECT_EQ(text_at(listed[1], "definition.entityType"), "Order");
  EXPECT_EQ(text_at(listed[1], "definition.triggerId"), trigger_guid("order_created"));

  const auto restored = restore("1");
  EXPECT_EQ(restored.status, 200) << restored.text;
  EXPECT_EQ(at(restored.data(), "version"), 3);
  EXPECT_EQ(text_at(present(), "name"), "first");
  EXPECT_EQ(text_at(present(), "delay"), "PT2H");
  EXPECT_EQ(at(present(), "conditions.totalValue.gte"), 100.5);
  EXPECT_EQ(versions().size(), 3U);
  EXPECT_EQ(at(restore("3").data(), "version"), 3) << "it is the present one";
}

TEST_F(Versions, AreRestoredWithTheValuesOfTheirHeaders) {
  const auto change = [&](const json::object& headers, std::string_view hook) {
    tenant.configure({{"guid", workflow},
                      {"conditions", nullptr},
                      {"delay", nullptr},
                      {"action", {{"type", "webhook"}, {"recipient", url(hook)}, {"headers", headers}}}});
  };
  const auto value = [&] {
    return text_at(tenant.http.get("/api/workflows/configured/" + workflow + "/headers").data(),
                   "headers.X-Key");
  };
  change({{"X-Key", "old"}}, "hook");
  change({{"X-Key", "new"}}, "hook");
  change({}, "hook");
  tenant.configure({{"guid", workflow},
                    {"action",
                     {{"type", "webhook"},
                      {"recipient", "http://127.0.0.1:1/elsewhere"},
                      {"headers", {{"X-Key", "of another host"}}}}}});
  ASSERT_EQ(versions().size(), 5U);
  const Response restored = restore("2");
  EXPECT_EQ(restored.status, 200) << restored.text;
  EXPECT_EQ(at(restored.data(), "version"), 6);
  EXPECT_EQ(text_at(restored.data(), "action.headers.X-Key"), "********");
  EXPECT_EQ(value(), "old");
  tenant.insert_order();
  EXPECT_EQ(wait_for(1).at(0).header("x-key"), "old");
  EXPECT_EQ(restore("3").status, 200);
  EXPECT_EQ(value(), "new");
  const Response listed = tenant.http.get("/api/workflows/configured/" + workflow + "/versions");
  EXPECT_EQ(listed.text.find("sealed"), std::string::npos);

  tenant.sql.rows("update workflow_versions set sealed_credentials = null where workflow_id = $1",
                  {workflow});
  EXPECT_EQ(restore("2").status, 200) << "the value of today";
  EXPECT_EQ(value(), "new");
  change({}, "hook");
  EXPECT_TRUE(restore("2").details().contains("action.headers.X-Key"));
}

TEST_F(Versions, AnUnchangedConfigureMakesNone) {
  const auto state = [&] {
    return tenant.sql.value(
               "select epoch || ' ' || version || ' ' || updated_at from workflows where guid = $1",
               {workflow}) +
           ' ' +
           tenant.sql.value("select count(*) from workflow_switches where workflow_id = $1", {workflow});
  };
  const std::string before = state();
  json::object same = present().as_object();
  const auto answer = tenant.http.post("/api/workflows/configure", same);
  EXPECT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(at(answer.data(), "version"), 1);
  EXPECT_EQ(state(), before);
  EXPECT_EQ(versions().size(), 1U);
  ASSERT_EQ(tenant.http.post("/api/workflows/configure", {{"guid", workflow}, {"ordered", true}}).status,
            200);
  EXPECT_EQ(versions().size(), 2U);
}

TEST_F(Versions, NumbersInAnotherFormMakeNone) {
  constexpr std::string_view definition = R"({
    "name": "w", "entityType": "Order", "triggers": ["order_created"],
    "conditions": {"all": [{"totalValue": {"in": [<1>, <2>, <0.5>]}}, {"metadata.rank": <3>},
                           {"totalValue": {"gte": <0>}}]},
    "cancelOn": {"triggers": ["order_updated"], "conditions": {"totalValue": {"gte": <500>}}},
    "steps": [
      {"type": "update_record",
       "set": {"metadata": {"whole": <1>, "zero": <0>, "part": <2.5>, "none": null}}},
      {"type": "choose", "when": {"totalValue": {"gt": <100>}},
       "then": [{"type": "stop", "when": {"totalValue": {"lte": <20>}}}]},
      {"type": "wait", "atMost": "P1D",
       "for": {"triggers": ["order_updated"], "conditions": {"totalValue": {"lt": <7>}}}}]})";
  std::mt19937_64 random(8);  // NOLINT: repeatable
  const auto configure = [&](std::string_view text, const std::string& guid) {
    auto body = with_numbers(text, random);
    if (!guid.empty()) body.insert(1, R"("guid": ")" + guid + R"(",)");
    return tenant.http.request_text("POST", "/api/workflows/configure", body);
  };
  const auto made = configure(definition, "");
  ASSERT_EQ(made.status, 201) << made.text;
  const std::string guid = text_at(made.data(), "guid");
  for (int i = 0; i < 8; ++i) {
    const auto same = configure(definition, guid);
    ASSERT_EQ(same.status, 200) << same.text;
    EXPECT_EQ(at(same.data(), "version"), 1);
  }
  const auto version = [&](std::string_view text) { return at(configure(text, guid).data(), "version"); };
  EXPECT_EQ(version(R"({"conditions": {"totalValue": {"gte": <1>}}})"), 2);
  EXPECT_EQ(version(R"({"conditions": {"totalValue": {"gte": 1.01}}})"), 3);
  EXPECT_EQ(version(R"({"conditions": {"totalValue": {"gte": 1.01}, "notes": null}})"), 4);
  tenant.sql.exec("update workflows set conditions = '{\"totalValue\": {\"gte\": 1.0}}' where guid = '" +
                  guid + "'");
  const auto written = tenant.http.get("/api/workflows/configured/" + guid).data();
  EXPECT_EQ(version(R"({"conditions": {"totalValue": {"gte": <1>}}})"), at(written, "version"))
      << "SQL wrote 1.0";
}

TEST_F(Versions, ADigestCollectsOnWhenItsWorkflowIsWrittenWithOtherNumbers) {
  json::object definition{{"name", "w"},
                          {"entityType", "Order"},
                          {"triggers", {"order_created"}},
                          {"conditions", {{"totalValue", {{"gte", 1}}}}},
                          {"digest", {{"every", "PT1H"}}},
                          {"action", {{"type", "webhook"}, {"recipient", url("digest")}}}};
  const std::string guid = text_at(tenant.configure(definition), "guid");
  tenant.insert_order({{"total_value", "100"}});
  const auto collecting = [&] {
    return tenant.sql.value(
        "select count(*) from digests where workflow_id = $1 and due_at > now() + interval '50 minutes'",
        {guid});
  };
  ASSERT_TRUE(eventually([&] { return collecting() == "1"; }));
  definition["guid"] = guid;
  definition["conditions"] = {{"totalValue", {{"gte", 1.0}}}};
  EXPECT_EQ(at(tenant.configure(definition), "version"), 1);
  tenant.settle();
  EXPECT_EQ(collecting(), "1");
}

TEST_F(Versions, AChangeThatIsBasedOnAnotherVersionIsRefused) {
  const auto change = [&](const json::value& version, std::string_view name) {
    return tenant.http.post("/api/workflows/configure",
                            {{"guid", workflow}, {"ifVersion", version}, {"name", name}});
  };
  EXPECT_EQ(change(1, "second").status, 200);
  const Response late = change(1, "third");
  EXPECT_EQ(late.status, 409) << late.text;
  EXPECT_EQ(late.details(), (json::object{{"version", "2"}}));
  EXPECT_EQ(text_at(present(), "name"), "second");
  EXPECT_EQ(change(3, "third").status, 409) << "a version that does not exist yet";
  EXPECT_EQ(change(nullptr, "third").status, 200) << "null is any version";
  EXPECT_EQ(change(3, "third").status, 200) << "also for a change that changes nothing";
  EXPECT_EQ(versions().size(), 3U);
}

TEST_F(Versions, OfTwoChangesOfTheSameVersionOneIsRefused) {
  const auto change = [&](std::string_view name) {
    Http http = tenant.http.with_token(tenant.http.token());
    return http.post("/api/workflows/configure", {{"guid", workflow}, {"ifVersion", 1}, {"name", name}})
        .status;
  };
  auto other = std::async(std::launch::async, change, "of one person");
  const int status = change("of another person");
  EXPECT_EQ((std::multiset<int>{status, other.get()}), (std::multiset<int>{200, 409}));
  EXPECT_EQ(versions().size(), 2U);
}

TEST_F(Versions, TheVersionThatAChangeIsBasedOnIsChecked) {
  const auto refused = [&](json::object body, const char* problem) {
    const Response answer = tenant.http.post("/api/workflows/configure", body);
    EXPECT_EQ(answer.status, 400) << answer.text;
    EXPECT_EQ(text_at(json::value(answer.details()), "ifVersion"), problem);
  };
  refused({{"guid", workflow}, {"ifVersion", 0}}, "must be at least 1");
  refused({{"guid", workflow}, {"ifVersion", "1"}}, "must be an integer");
  json::object copy = present().as_object();
  copy.erase("guid");
  copy["ifVersion"] = 1;
  refused(std::move(copy), "needs guid");
}

TEST_F(Versions, TheSameSecretAndTheSameHeadersInAnotherOrderMakeNone) {
  const auto configure = [&](const json::object& headers, std::string_view secret) {
    return at(
        tenant.http
            .post("/api/workflows/configure",
                  {{"guid", workflow},
                   {"action",
                    {{"type", "webhook"}, {"recipient", url()}, {"headers", headers}, {"secret", secret}}}})
            .data(),
        "version");
  };
  constexpr std::string_view secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
  EXPECT_EQ(configure({{"X-A", "1"}, {"X-B", "2"}}, secret), 2);
  EXPECT_EQ(configure({{"X-A", "1"}, {"X-B", "2"}}, secret), 2);
  EXPECT_EQ(configure({{"X-B", "2"}, {"X-A", "1"}}, secret), 2);
  EXPECT_EQ(tenant.sql.number("select count(*) from workflow_secrets where workflow_id = $1", {workflow}), 1)
      << "the given one";
  EXPECT_EQ(configure({{"X-B", "1"}, {"X-A", "2"}}, secret), 3);
  EXPECT_EQ(configure({{"X-B", "1"}, {"X-A", "2"}}, "whsec_OTg3NjU0MzIxMDk4NzY1NDMyMTA5ODc2NTQzMjEwOTg="), 4);
}

TEST_F(Versions, UnknownOnesAreRefused) {
  EXPECT_EQ(restore("2").status, 404);
  EXPECT_TRUE(restore("x").details().contains("version"));
  Tenant other(world.waybill, test_name() + "-other");
  EXPECT_EQ(other.http.get("/api/workflows/configured/" + workflow + "/versions").status, 404);
  EXPECT_EQ(other.http.post("/api/workflows/configured/" + workflow + "/versions/1/restore").status, 404);
  const std::string managed = tenant.managed("shipped");
  EXPECT_EQ(tenant.http.post("/api/workflows/configured/" + managed + "/versions/1/restore").status, 403);
}

}  // namespace
}  // namespace waybill::tests
