#include "api/endpoint/unchanged_fields.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "api/endpoint/schema.hpp"
#include "base/exact_number.hpp"

namespace waybill::api {
namespace {

json::object object_of(std::string_view text) {
  return std::get<json::value>(parse_exact_json(text)).get_object();
}

/// The rest of a body whose fields were refused.
std::string left_of(std::string_view body, std::string_view shown, const std::vector<std::string>& refused,
                    std::string_view message = "is wrong") {
  auto given = object_of(body);
  FieldErrors errors;
  for (const auto& field : refused) errors.push_back({field, std::string(message)});
  const auto before = to_json(given);
  const bool removed = remove_unchanged(given, object_of(shown), errors);
  EXPECT_EQ(removed, to_json(given) != before) << body;
  return to_json(given);
}

TEST(UnchangedFields, ARefusedValueThatTheRecordShowsIsRemoved) {
  EXPECT_EQ(left_of(R"({"email":"nope","name":"A"})", R"({"email": "nope", "name": "B"})", {"email"}),
            R"({"name":"A"})");
  EXPECT_EQ(left_of(R"({"email":"nope"})", R"({"email": "other"})", {"email"}), R"({"email":"nope"})");
  EXPECT_EQ(left_of(R"({"email":"nope"})", R"({"email": "nope"})", {"name", "body"}), R"({"email":"nope"})")
      << "only what is refused";
  EXPECT_EQ(left_of(R"({"nmae":null})", R"({"name": "x"})", {"nmae"}), R"({"nmae":null})") << "unknown";
}

TEST(UnchangedFields, AMemberIsRemovedFromAnObjectThatHasOtherChanges) {
  EXPECT_EQ(
      left_of(R"({"a":{"street":"","city":"C"}})", R"({"a": {"street": "", "city": "B"}})", {"a.street"}),
      R"({"a":{"city":"C"}})");
  EXPECT_EQ(
      left_of(R"({"a":{"street":"","city":"B"}})", R"({"a": {"street": "", "city": "B"}})", {"a.street"}),
      "{}");
  EXPECT_EQ(left_of(R"({"metadata":{"a b":1,"c.d[0]":2,"e":3}})", R"({"metadata": {"a b": 1, "c.d[0]": 2}})",
                    {"metadata.a b", "metadata.c.d[0]"}),
            R"({"metadata":{"e":3}})");
}

TEST(UnchangedFields, AnObjectWithAnotherGuidIsAnotherOne) {
  const std::string shown = R"({"customer": {"guid": "1", "email": "x"}})";
  EXPECT_EQ(left_of(R"({"customer":{"name":"N","email":"x"}})", shown, {"customer.email"}),
            R"({"customer":{"name":"N","email":"x"}})");
  EXPECT_EQ(left_of(R"({"customer":{"guid":"1","name":"N","email":"x"}})", shown, {"customer.email"}),
            R"({"customer":{"guid":"1","name":"N"}})");
}

TEST(UnchangedFields, AListIsRemovedAsAWholeOrByItsEntriesWithGuids) {
  const std::string shown =
      R"({"items": [{"guid": "1", "quantity": 1.5, "price": 2}, {"guid": "2", "quantity": 0.5}]})";
  EXPECT_EQ(
      left_of(
          R"({"items":[{"guid":"1","price":2.0,"quantity":1.50,"sku":null},{"guid":"2","quantity":0.5}]})",
          shown, {"items[0].quantity", "items[1].quantity"}),
      "{}");
  EXPECT_EQ(left_of(R"({"items":[{"guid":"2","quantity":0.5},{"guid":"1","quantity":1.5,"price":3}]})", shown,
                    {"items[0].quantity", "items[1].quantity"}),
            R"({"items":[{"guid":"2"},{"guid":"1","price":3}]})")
      << "found by guid";
  const std::string other = R"({"items":[{"quantity":1.5,"price":2}]})";
  EXPECT_EQ(left_of(other, shown, {"items[0].quantity", "items[7].x", "items[x].y", "items[0]"}), other);
  const std::string packages = R"({"packages":[{"weight":-1,"length":2}]})";
  EXPECT_EQ(left_of(packages, R"({"packages": [{"weight": -1, "length": 1}]})", {"packages[0].weight"}),
            packages)
      << "a change replaces the packages";
  EXPECT_EQ(left_of(R"({"packages":[]})", R"({"packages": []})", {"packages"}), "{}");
}

TEST(UnchangedFields, AnEmptyListOrObjectIsRemovedOnlyWhereTheRecordShowsIt) {
  const std::string shown =
      R"({"email": null, "a": {"street": "s", "city": null}, "list": [], "object": {}})";
  for (const std::string body : {R"({"email":{}})", R"({"email":[]})", R"({"email":{"a":{}}})", R"({"a":[]})",
                                 R"({"list":{}})", R"({"object":[]})", R"({"list":null})"}) {
    const auto given = object_of(body);
    EXPECT_EQ(left_of(body, shown, {std::string(given.begin()->key())}), body);
  }
  EXPECT_EQ(left_of(R"({"list":[],"object":{}})", shown, {"list", "object"}), "{}");
  const std::string nested = R"({"a":{"street":"s","city":{}}})";
  EXPECT_EQ(left_of(nested, shown, {"a.city"}), nested);
}

TEST(UnchangedFields, AMemberThatNoSchemaKnowsIsRemovedOnlyIfTheRecordShowsIt) {
  const std::string shown = R"({"a": {"street": "s"}, "packages": [{"weight": 1, "old": 2}], "list": [{}]})";
  for (const auto& [body, field] : std::vector<std::pair<std::string, std::string>>{
           {R"({"a":{"strete":null}})", "a.strete"},
           {R"({"a":{"street":"s","x":{}}})", "a.x"},
           {R"({"a":{"street":"s","list[0":null}})", "a.list[0"},
           {R"({"packages":[{"weight":1,"old":2,"new":null}]})", "packages[0].new"},
           {R"({"list":[{"x[0":null}]})", "list[0].x[0"}})
    EXPECT_EQ(left_of(body, shown, {field}, unknown_field), body);
  EXPECT_EQ(left_of(R"({"packages":[{"weight":1,"old":2}]})", shown, {"packages[0].old"}, unknown_field),
            "{}");
  EXPECT_EQ(left_of(R"({"packages":[{"weight":1,"old":2,"length":null}]})", shown, {"packages[0].length"}),
            "{}")
      << "a known member that the record lacks is null";
}

TEST(UnchangedFields, CustomsAreReplacedAsAWhole) {
  const std::string body = R"({"customs":{"contents":"","incoterm":"DAP"}})";
  EXPECT_EQ(left_of(body, R"({"customs": {"contents": "", "incoterm": "DDP"}})", {"customs.contents"}), body);
  EXPECT_EQ(left_of(body, R"({"customs": {"contents": "", "incoterm": "DAP"}})", {"customs.contents"}), "{}");
}

}  // namespace
}  // namespace waybill::api
