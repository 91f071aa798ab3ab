#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/conditions/conditions.hpp"

namespace waybill::domain {
namespace {

using testing::ElementsAre;

// "place: message" of each error.
std::vector<std::string> errors_of(const json::value& definition, EntityType type = EntityType::order,
                                   std::string_view prefix = "conditions") {
  const auto result = Conditions::parse(definition, record_type(type), prefix);
  std::vector<std::string> texts;
  if (const auto* failed = std::get_if<FieldErrors>(&result)) {
    for (const auto& error : *failed) texts.push_back(error.field + ": " + error.message);
  }
  return texts;
}

std::vector<std::string> errors(std::string_view text, EntityType type = EntityType::order) {
  auto parsed = parse_json(text, 100);
  EXPECT_TRUE(std::holds_alternative<json::value>(parsed)) << text;
  return errors_of(std::get<json::value>(parsed), type);
}

void expect_error(std::string_view text, const std::string& error, EntityType type = EntityType::order) {
  EXPECT_THAT(errors(text, type), ElementsAre("conditions." + error)) << text;
}

// `pattern` with each @ replaced by `word`, which an error's place and its cause share.
std::string with(std::string pattern, std::string_view word) {
  for (auto at = pattern.find('@'); at != std::string::npos; at = pattern.find('@', at + word.size()))
    pattern.replace(at, 1, word);
  return pattern;
}

void expect_errors(const std::vector<std::string_view>& words, const std::string& text,
                   const std::string& error) {
  for (const auto word : words) expect_error(with(text, word), with(error, word));
}

constexpr auto order_statuses = "draft, pending, processing, ready, shipped, delivered, cancelled";

TEST(ConditionsParser, UnknownFieldsAreRefused) {
  expect_error(R"({"totl": 1})", "totl: unknown field");
  expect_error(R"({"Status": "ready"})", "Status: unknown field");
  expect_error(R"({"": 1})", ": unknown field");
  expect_error(R"({"previous": {"exists": true}})", "previous: unknown field");
  expect_error(R"({"previous.": 1})", "previous.: unknown field");
  expect_error(R"({"previous.previous.status": "ready"})", "previous.previous.status: unknown field");
  expect_error(R"({"customer.": null})", "customer.: unknown field");
  expect_error(R"({"customer.company": null})", "customer.company: unknown field");
  expect_error(R"({"tags.x": "vip"})", "tags.x: unknown field");
  expect_error(R"({"trace.status": "delivered"})", "trace.status: unknown field");
  expect_error(R"({"trackingUrl": null})", "trackingUrl: unknown field", EntityType::shipment);
  expect_error(R"({"items.colour": null})", "items.colour: unknown field");
  expect_error(R"({"items.": null})", "items.: unknown field");
  expect_error(R"({"status.x": null})", "status.x: unknown field");
  expect_error(R"({"packages.weight": 1})", "packages.weight: unknown field");
  expect_error(R"({"dispatchId": null})", "dispatchId: unknown field", EntityType::shipment);
  EXPECT_THAT(errors(R"({"packages.weight": 1})", EntityType::shipment), ElementsAre());
}

TEST(ConditionsParser, UnknownOperatorsAreRefused) {
  const std::string known =
      "; known operators: eq, ne, gt, gte, lt, lte, in, nin, contains, startsWith, endsWith, exists, "
      "changed, from, "
      "to";
  expect_error(R"({"status": {"like": "x"}})", "status.like: unknown operator" + known);
  expect_error(R"({"status": {"EQ": "x"}})", "status.EQ: unknown operator" + known);
  expect_error(R"({"customer": {"email": "x"}})", "customer.email: unknown operator" + known);
  EXPECT_THAT(errors(R"({"status": {}})"),
              ElementsAre(testing::StartsWith("conditions.status: needs an operator")));
}

TEST(ConditionsParser, ValuesThatCanNeverMatchAreRefused) {
  expect_error(R"({"totalValue": "5"})", "totalValue: must be a number");
  expect_error(R"({"totalValue": {"gt": true}})", "totalValue.gt: must be a number");
  expect_error(R"({"items.quantity": "5"})", "items.quantity: must be a number");
  expect_error(R"({"orderNumber": 5})", "orderNumber: must be a string");
  expect_error(R"({"orderNumber": {"ne": false}})", "orderNumber.ne: must be a string");
  expect_error(R"({"orderNumber": {"eq": {"a": 1}}})", "orderNumber.eq: must be a string");
  expect_error(R"({"guid": "x"})", "guid: must be a uuid");
  expect_error(R"({"guid": 5})", "guid: must be a uuid");
  expect_error(R"({"createdAt": {"gt": "yesterday"}})", "createdAt.gt: must be a timestamp or a date");
  expect_error(R"({"createdAt": {"gt": "2026-02-30"}})", "createdAt.gt: must be a timestamp or a date");
  expect_error(R"({"createdAt": 1700000000})", "createdAt: must be a timestamp or a date");
  const std::string of_object = "an object or a list compares only with null; use one of its fields";
  expect_error(R"({"customer": "x"})", "customer: " + of_object);
  expect_error(R"({"items": {"in": [null, 1]}})", "items.in[1]: " + of_object);
  expect_error(R"({"items.dimensions": 1})", "items.dimensions: " + of_object);
}

TEST(ConditionsParser, StatusesMustBeOfTheEntitysSet) {
  const std::string message = std::string("must be one of ") + order_statuses;
  expect_error(R"({"status": "in_transit"})", "status: " + message);
  expect_error(R"({"status": {"in": ["ready", "Ready"]}})", "status.in[1]: " + message);
  expect_error(R"({"status": {"to": "done"}})", "status.to: " + message);
  expect_error(R"({"previous.status": "done"})", "previous.status: " + message);
  EXPECT_THAT(errors(R"({"shipments.status": "shipped"})"),
              ElementsAre(testing::StartsWith("conditions.shipments.status: must be one of created")));
  EXPECT_THAT(errors(R"({"status": null, "shipments.status": "in_transit"})"), ElementsAre());
  EXPECT_THAT(errors(R"({"status": {"contains": "tr"}})"), ElementsAre());
  EXPECT_THAT(errors(R"({"status": "in_transit"})", EntityType::shipment), ElementsAre());
}

TEST(ConditionsParser, OperatorsApplyToTheirTypesOnly) {
  const std::vector<std::string_view> orders{"gt", "gte", "lt", "lte"};
  expect_errors(orders, R"({"guid": {"@": "deadbeef-1111-2222-3333-444444444444"}})",
                "guid.@: applies only to numbers, timestamps and text");
  expect_errors(orders, R"({"items": {"@": 1}})", "items.@: applies only to numbers, timestamps and text");
  expect_errors(orders, R"({"totalValue": {"@": null}})",
                "totalValue.@: nothing is greater or less than null");
  const std::vector<std::string_view> texts{"contains", "startsWith", "endsWith"};
  expect_errors(texts, R"({"totalValue": {"@": "5"}})", "totalValue.@: applies only to text");
  expect_errors(texts, R"({"items": {"@": "5"}})", "items.@: applies only to text");
  expect_errors(texts, R"({"notes": {"@": 5}})", "notes.@: must be a string");
  expect_errors(texts, R"({"notes": {"@": null}})", "notes.@: must be a string");
  expect_errors({"exists", "changed"}, R"({"notes": {"@": 1}})", "notes.@: must be true or false");
}

TEST(ConditionsParser, OnlyInTakesLists) {
  expect_error(R"({"status": ["ready", "shipped"]})", "status: a list is not a value; use in");
  expect_error(R"({"status": {"eq": ["ready"]}})", "status.eq: a list is not a value; use in");
  expect_error(R"({"totalValue": {"in": [[1]]}})", "totalValue.in[0]: a list is not a value; use in");
  const std::string shape = "status.@: must be a list of 1 to 1000 values";
  expect_errors({"in", "nin"}, R"({"status": {"@": []}})", shape);
  expect_errors({"in", "nin"}, R"({"status": {"@": "ready"}})", shape);
}

TEST(ConditionsParser, OnlyRecordedOwnFieldsHaveAHistory) {
  const std::vector<std::string_view> relatives{"customer.name", "shipments", "shipments.status"};
  const std::string foreign = ": is not a field of the record itself, so its changes are unknown";
  expect_errors(relatives, R"({"@": {"changed": true}})", "@.changed" + foreign);
  expect_errors(relatives, R"({"@": {"from": null}})", "@.from" + foreign);
  expect_errors(relatives, R"({"previous.@": {"exists": true}})", "previous.@" + foreign);
  const std::vector<std::string_view> bookkeeping{"updatedAt", "createdAt"};
  expect_errors(bookkeeping, R"({"@": {"changed": true}})", "@.changed: its changes are not recorded");
  expect_errors(bookkeeping, R"({"previous.@": null})", "previous.@: its changes are not recorded");
  const std::string doubled = ": refers to the change already; leave out previous.";
  expect_errors({"from", "to"}, R"({"previous.status": {"@": null}})", "previous.status.@" + doubled);
  expect_error(R"({"previous.status": {"changed": true}})", "previous.status.changed" + doubled);
}

TEST(ConditionsParser, CombinatorsNeedTheirShape) {
  const std::string list = ": must be a list of at least one object of conditions";
  expect_error(R"({"all": []})", "all" + list);
  expect_error(R"({"any": {}})", "any" + list);
  expect_error(R"({"all": [{}, 5]})", "all[1]: must be an object of conditions");
  expect_error(R"({"not": [{}]})", "not: must be an object of conditions");
  EXPECT_THAT(errors("[]"), ElementsAre("conditions: must be an object of conditions"));
  EXPECT_THAT(errors("true"), ElementsAre("conditions: must be an object of conditions"));
}

TEST(ConditionsParser, AllErrorsAreReportedAtOnce) {
  EXPECT_THAT(errors(R"({"status": "x", "all": [{"status": "ready"}, {"totalValue": {"gte": "1", "lt": "2"}}],
                         "not": {"any": [{"nmae": 1}, {"items.sku": {"in": ["a", 1, 2]}}]}})"),
              ElementsAre(std::string("conditions.status: must be one of ") + order_statuses,
                          "conditions.all[1].totalValue.gte: must be a number",
                          "conditions.all[1].totalValue.lt: must be a number",
                          "conditions.not.any[0].nmae: unknown field",
                          "conditions.not.any[1].items.sku.in[1]: must be a string",
                          "conditions.not.any[1].items.sku.in[2]: must be a string"));
}

TEST(ConditionsParser, PlacesBeginWithThePrefix) {
  EXPECT_THAT(errors_of(json::object{{"nmae", 1}}, EntityType::order, "definition.conditions"),
              ElementsAre("definition.conditions.nmae: unknown field"));
}

json::value nested(int levels) {
  json::value definition = json::object();
  for (int i = 1; i < levels; ++i) definition = json::object{{"not", std::move(definition)}};
  return definition;
}

TEST(ConditionsParser, TakesAtMost32Levels) {
  EXPECT_THAT(errors_of(nested(32)), ElementsAre());
  EXPECT_THAT(errors_of(nested(33)), ElementsAre(testing::EndsWith(".not: nested deeper than 32 levels")));
}

json::value many_comparisons(std::size_t count) {
  json::array list;
  for (std::size_t i = 0; i < count; ++i) list.push_back({{"status", "ready"}});
  return json::object{{"all", std::move(list)}};
}

TEST(ConditionsParser, TakesAtMost1000Comparisons) {
  EXPECT_THAT(errors_of(many_comparisons(1000)), ElementsAre());
  EXPECT_THAT(errors_of(many_comparisons(5000)),
              ElementsAre("conditions.all[1000].status: more than 1000 comparisons"));
}

json::value long_list(std::size_t count, const json::value& entry) {
  return json::object{{"notes", json::object{{"in", json::array(count, entry)}}}};
}

TEST(ConditionsParser, TakesAtMost1000ValuesInAList) {
  EXPECT_THAT(errors_of(long_list(1000, "a")), ElementsAre());
  EXPECT_THAT(errors_of(long_list(1001, "a")),
              ElementsAre("conditions.notes.in: must be a list of 1 to 1000 values"));
}

TEST(ConditionsParser, TakesTextsOfAtMost10000Characters) {
  const std::string longest(10'000, 'x');
  for (const char* op : {"eq", "contains"}) {
    EXPECT_THAT(errors_of(json::object{{"notes", json::object{{op, longest}}}}), ElementsAre());
    EXPECT_THAT(errors_of(json::object{{"notes", json::object{{op, longest + "x"}}}}),
                ElementsAre("conditions.notes." + std::string(op) + ": must have at most 10000 characters"));
  }
  EXPECT_THAT(errors_of(long_list(1, json::value(longest + "x"))),
              ElementsAre("conditions.notes.in[0]: must have at most 10000 characters"));
}

TEST(ConditionsParser, ReportsAtMost1000Errors) {
  json::array list(3, long_list(900, 5));
  EXPECT_EQ(errors_of(json::object{{"all", std::move(list)}}).size(), 1000U);
}

TEST(ConditionsParser, KeysOfMetadataAreChecked) {
  const std::string problem = "is not a key of metadata: 1 to 40 characters A-Z a-z 0-9 _ . -";
  for (const std::string path : {"metadata.", "metadata.a b", "metadata.é", "previous.metadata.a/b"})
    expect_error(R"({")" + path + R"(": 1})", std::string(path).append(": ").append(problem));
  const std::string longest(40, 'k');
  EXPECT_THAT(errors(R"({"metadata.)" + longest + R"(": 1})"), ElementsAre());
  expect_error(R"({"metadata.)" + longest + R"(k": 1})", "metadata." + longest + "k: " + problem);
}

TEST(ConditionsParser, MetadataMayHaveAnyType) {
  for (const auto* const good : {
           R"({"metadata.a": "x"})",
           R"({"metadata.a": 1})",
           R"({"metadata.a": true})",
           R"({"metadata.a": null})",
           R"({"metadata.a-b.c_D9": {"in": ["x", 1, false, null]}})",
           R"({"metadata.a": {"gt": 1, "lt": "z"}})",
           R"({"metadata.a": {"contains": "x", "exists": true, "changed": true, "from": 1, "to": "x"}})",
           R"({"previous.metadata.a": 1})",
           R"({"metadata": {"exists": true, "changed": true}, "previous.metadata": null})",
       }) {
    for (const RecordType& type : record_types()) EXPECT_THAT(errors(good, type.type), ElementsAre()) << good;
  }
  expect_error(R"({"metadata.a": {"eq": {}}})",
               "metadata.a.eq: must be a string, a number, true, false or null");
  expect_error(R"({"metadata.a": [1]})", "metadata.a: a list is not a value; use in");
  expect_error(R"({"metadata.a": {"gt": true}})",
               "metadata.a.gt: applies only to numbers, timestamps and text");
  expect_error(R"({"metadata.a": {"gt": null}})", "metadata.a.gt: nothing is greater or less than null");
  expect_error(R"({"metadata.a": {"contains": 1}})", "metadata.a.contains: must be a string");
  expect_error(R"({"metadata": "x"})",
               "metadata: an object or a list compares only with null; use one of its fields");
}

TEST(ConditionsParser, TagsAreTexts) {
  for (const auto* const good : {
           R"({"tags": "vip"})",
           R"({"tags": null})",
           R"({"tags": {"ne": null, "in": ["a", "b"], "contains": "i", "startsWith": "v", "exists": true}})",
           R"({"tags": {"changed": true, "from": "a", "to": "b"}, "previous.tags": "a"})",
       }) {
    EXPECT_THAT(errors(good), ElementsAre()) << good;
  }
  expect_error(R"({"tags": 1})", "tags: must be a string");
  expect_error(R"({"tags": ["vip"]})", "tags: a list is not a value; use in");
  expect_error(R"({"tags": {"in": ["vip", null]}})", "tags.in[1]: no element is null; use exists");
  expect_error(R"({"tags": {"exists": "vip"}})", "tags.exists: must be true or false");
}

TEST(ConditionsParser, TracesHaveNoHistory) {
  EXPECT_THAT(errors(R"({"trace.status": "exception", "trace": {"exists": true}, "trace.location": "Oslo"})",
                     EntityType::shipment),
              ElementsAre());
  expect_error(R"({"trace.location": {"changed": true}})",
               "trace.location.changed: its changes are not recorded", EntityType::shipment);
}

}  // namespace
}  // namespace waybill::domain
