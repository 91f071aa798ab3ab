#include "api/endpoint/selected.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

constexpr Property selected_address_properties[] = {{.name = "street", .kind = Kind::string},
                                                    {.name = "city", .kind = Kind::string}};
constexpr Schema address_schema{"Address", selected_address_properties};
constexpr Property customer_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string},
    {.name = "address", .kind = Kind::object, .schema = &address_schema}};
constexpr Schema customer_schema{"Customer", customer_properties};
constexpr Property selected_item_properties[] = {{.name = "sku", .kind = Kind::string},
                                                 {.name = "price", .kind = Kind::money}};
constexpr Schema item_schema{"Item", selected_item_properties};
constexpr Property order_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "customer", .kind = Kind::object, .schema = &customer_schema},
    {.name = "items", .kind = Kind::array, .schema = &item_schema},
    {.name = "metadata", .kind = Kind::any},
    {.name = "previous", .kind = Kind::any},
    {.name = "notes", .kind = Kind::text}};
constexpr Schema order_schema{"Order", order_properties};

constexpr std::string_view order =
    R"({"guid":"g","customer":{"guid":"c","name":"A \"}, B","address":{"street":"S","city":null}},)"
    R"("items":[{"sku":"x","price":1.5}, {"sku":"y","price":2}],"metadata":{"notes":"no"},"notes":null})";

std::string selected(std::string_view names, std::string_view data = order) {
  FieldErrors errors;
  const auto fields = parse_select(names, order_schema, errors);
  if (!errors.empty()) return errors.front().field + " " + errors.front().message;
  return reduced(data, fields);
}

TEST(Selected, AnAnswerHasTheSelectedFieldsOnlyInTheOrderOfTheRecord) {
  EXPECT_EQ(selected("guid"), R"({"guid":"g"})");
  EXPECT_EQ(selected("notes, guid,notes"), R"({"guid":"g","notes":null})");
  EXPECT_EQ(selected("metadata"), R"({"metadata":{"notes":"no"}})");
}

TEST(Selected, APartOfAnObjectIsNamedByASlashAndBringsNoOther) {
  EXPECT_EQ(selected("customer/name"), R"({"customer":{"name":"A \"}, B"}})");
  EXPECT_EQ(selected("customer/address/city,customer/guid"),
            R"({"customer":{"guid":"c","address":{"city":null}}})");
  EXPECT_EQ(selected("customer/name,guid", R"({"guid":"g","customer":null})"),
            R"({"guid":"g","customer":null})");
}

TEST(Selected, APartOfAListIsThatOfEachEntry) {
  EXPECT_EQ(selected("items/sku"), R"({"items":[{"sku":"x"},{"sku":"y"}]})");
  EXPECT_EQ(selected("items/sku", R"({"items":[]})"), R"({"items":[]})");
  EXPECT_EQ(selected("guid", R"([{"guid":"a","notes":"x"},{"guid":"b"}, {}])"),
            R"([{"guid":"a"},{"guid":"b"},{}])");
  EXPECT_EQ(selected("guid", "[]"), "[]");
}

TEST(Selected, AFieldSelectedAsAWholeAndByPartsIsWhole) {
  const std::string whole = selected("items");
  EXPECT_EQ(selected("items/sku,items"), whole);
  EXPECT_EQ(selected("items,items/sku"), whole);
  EXPECT_EQ(selected("customer/address,customer/address/city"),
            R"({"customer":{"address":{"street":"S","city":null}}})");
}

TEST(Selected, AValueOfAnyKindIsReducedToThePartsThatItHas) {
  const std::string_view event =
      R"({"guid":"g","previous":{"name":"A","customer":{"name":"B","guid":"c"},"items":[{"sku":"x","price":1}]}})";
  EXPECT_EQ(selected("previous/name", event), R"({"previous":{"name":"A"}})");
  EXPECT_EQ(selected("previous/customer/guid, previous/items/sku,previous/other", event),
            R"({"previous":{"customer":{"guid":"c"},"items":[{"sku":"x"}]}})");
  EXPECT_EQ(selected("previous/name", R"({"previous":"a text"})"), R"({"previous":"a text"})");
  EXPECT_EQ(selected("previous/name,previous", R"({"previous":{"x":1}})"), R"({"previous":{"x":1}})");
  for (const std::string name : {"previous/", "previous//name", "previous/name/"})
    EXPECT_EQ(selected(name, event), "$select names a field that the record does not have: " + name);
}

TEST(Selected, AnUnknownFieldIsAnErrorThatNamesIt) {
  for (const std::string name : {"colour", "customer/colour", "guid/x", "metadata/notes", "Guid",
                                 "customer.name", "*", "customer/", "/guid"}) {
    EXPECT_EQ(selected("guid," + name), "$select names a field that the record does not have: " + name);
  }
  for (const std::string_view names : {",", "guid,", ",guid", "guid,,notes", " "})
    EXPECT_EQ(selected(names), "$select must be names of fields, separated by commas") << names;
}

TEST(Selected, TheFieldsOfACallAreTheNamesBeforeTheFirstSlash) {
  Call call;
  EXPECT_TRUE(selected_fields(call).empty());
  call.query.emplace_back("$select", "customer/name, guid,customer/address/city");
  EXPECT_EQ(selected_fields(call), (std::vector<std::string_view>{"customer", "guid"}));
}

TEST(Selected, OnlyAGetOfRecordsThatChangesNothingTakesASelection) {
  Endpoint endpoint{.method = Method::get, .path = "/x", .permission = Permission::read, .handler = nullptr};
  EXPECT_FALSE(takes_select(endpoint));
  endpoint.answer = &order_schema;
  EXPECT_TRUE(takes_select(endpoint));
  endpoint.changes = true;
  EXPECT_FALSE(takes_select(endpoint));
  endpoint.changes = false;
  endpoint.method = Method::post;
  EXPECT_FALSE(takes_select(endpoint));
}

}  // namespace
}  // namespace waybill::api
