#include "domain/conditions/conditions.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "base/exact_number.hpp"
#include "base/guid.hpp"

namespace waybill::domain {
namespace {

json::value read(std::string_view text) {
  auto parsed = parse_json(text, 64);
  if (const auto* error = std::get_if<JsonError>(&parsed)) {
    ADD_FAILURE() << text << ": " << error->message;
    return nullptr;
  }
  return std::get<json::value>(std::move(parsed));
}

struct Record {
  EntityType type;
  json::value entity;
  json::value previous = json::object();
  bool created = false;

  Subject subject() const { return {entity.get_object(), previous.get_object(), created}; }
};

Record order() {
  return {EntityType::order, read(R"({
    "guid": "deadbeef-1111-2222-3333-444444444444", "orderNumber": "ORD-000042", "status": "ready",
    "customer": {"guid": "11111111-1111-1111-1111-111111111111", "name": "Anna Ähre", "email": "anna@example.org"},
    "items": [
      {"sku": "A-1", "quantity": 2, "price": 19.99, "dimensions": {"length": 10, "weight": 0.5}},
      {"sku": "B-2", "quantity": 5, "price": 3, "dimensions": null},
      {"sku": null, "quantity": 1, "price": 0}],
    "deliveryAddress": {"street": "Weg 1", "city": "Köln", "state": null, "postalCode": "50667", "country": "DE"},
    "carrier": null, "serviceLevel": null, "totalValue": 139.97, "currency": "EUR",
    "collectionDate": "2026-11-20T05:45:12.345Z", "timeWindow": null, "notes": "50% off",
    "shipments": [{"guid": "22222222-1111-1111-1111-111111111111", "trackingNumber": "WB1", "status": "delivered",
                   "labelStatus": "bought"},
                  {"trackingNumber": "WB2", "status": "created"}],
    "createdAt": "2026-11-01T00:00:00.000Z", "updatedAt": "2026-11-02T00:00:00.000Z"})")};
}

Record changed_order() {
  auto record = order();
  record.previous = read(R"({"status": "processing", "totalValue": 100, "deliveryAddress": {"city": "Bonn"},
    "carrier": {"guid": "33333333-1111-1111-1111-111111111111"}, "notes": null,
    "items": [{"sku": "A-1", "quantity": 2}, {"sku": "OLD", "quantity": 5}, {"sku": null, "quantity": 1}]})");
  return record;
}

Record created_order() {
  auto record = order();
  record.created = true;
  return record;
}

Conditions parsed(const json::value& definition, EntityType type = EntityType::order) {
  auto result = Conditions::parse(definition, record_type(type));
  if (const auto* errors = std::get_if<FieldErrors>(&result)) {
    for (const auto& error : *errors)
      ADD_FAILURE() << definition << ": " << error.field << ": " << error.message;
    return {};
  }
  return std::get<Conditions>(std::move(result));
}

Conditions parsed(const char* text) { return parsed(read(text)); }

void expect_all(const Record& record, bool expected, const std::vector<std::string>& conditions) {
  for (const auto& text : conditions)
    EXPECT_EQ(parsed(read(text), record.type).evaluate(record.subject()), expected) << text;
}

// The same for one field and its condition.
void expect_field(const Record& record, std::string_view path, bool expected,
                  const std::vector<json::value>& operands) {
  for (const auto& operand : operands) {
    const json::value definition = json::object{{path, operand}};
    EXPECT_EQ(parsed(definition, record.type).evaluate(record.subject()), expected) << definition;
  }
}

void expect_holds(const Record& record, const std::vector<std::string>& conditions) {
  expect_all(record, true, conditions);
}

void expect_fails(const Record& record, const std::vector<std::string>& conditions) {
  expect_all(record, false, conditions);
}

TEST(Conditions, OneElementMeetsAllOperatorsOfItsPath) {
  expect_all(
      order(), true,
      {R"({"items.quantity": {"gt": 1, "lt": 5}})", R"({"items.sku": {"startsWith": "A", "endsWith": "1"}})",
       R"({"items.quantity": {"gte": 5}, "items.price": {"gt": 10}})"});
  expect_all(
      order(), false,
      {R"({"items.quantity": {"gt": 2, "lt": 5}})", R"({"items.sku": {"startsWith": "A", "endsWith": "2"}})",
       R"({"items.sku": {"eq": "A-1", "ne": "A-1"}})"});
  const auto results = parsed(R"({"items.quantity": {"gt": 2, "lt": 5}})").explain(order().subject());
  ASSERT_EQ(results.size(), 2U);
  EXPECT_FALSE(results[0].holds || results[1].holds);
}

TEST(Conditions, NoConditionsAlwaysHold) {
  expect_holds(order(), {"{}", "null"});
  EXPECT_TRUE(Conditions().evaluate(order().subject()));
  EXPECT_TRUE(Conditions().explain(order().subject()).empty());
}

TEST(Conditions, PlainValueMeansEquality) {
  expect_holds(order(), {R"({"status": "ready"})", R"({"carrier": null})", R"({"totalValue": 139.97})"});
  expect_fails(order(), {R"({"status": "shipped"})", R"({"customer": null})", R"({"totalValue": 139.98})"});
}

TEST(Conditions, StringsCompareLiterallyAndWithCase) {
  expect_holds(order(), {
                            R"({"deliveryAddress.city": {"eq": "Köln"}})",
                            R"({"deliveryAddress.city": {"ne": "köln"}})",
                            R"({"deliveryAddress.city": {"in": ["Bonn", "Köln"]}})",
                            R"({"deliveryAddress.city": {"nin": ["Bonn", null]}})",
                            R"({"orderNumber": {"gt": "ORD-000041", "lte": "ORD-000042"}})",
                            R"({"notes": {"contains": "0% o", "startsWith": "50%", "endsWith": "off"}})",
                            R"({"notes": {"contains": ""}})",
                        });
  expect_fails(order(), {
                            R"({"deliveryAddress.city": "köln"})",
                            R"({"deliveryAddress.city": {"in": ["Bonn"]}})",
                            R"({"deliveryAddress.city": {"nin": ["Bonn", "Köln"]}})",
                            R"({"notes": {"contains": "OFF"}})",
                            R"({"notes": {"contains": "5_%"}})",
                            R"({"notes": {"startsWith": "off"}})",
                            R"({"notes": {"endsWith": "50%"}})",
                            R"({"orderNumber": {"lt": "ORD-000042"}})",
                        });
}

TEST(Conditions, NumbersCompareByValue) {
  auto record = order();
  record.entity.get_object()["totalValue"] = 100;
  for (const json::value& hundred : std::vector<json::value>{100, 100U, 100.0, read("1e2")}) {
    const auto with = [&](std::string_view op) { return json::object{{op, hundred}}; };
    const json::array list{5, hundred, -1};
    expect_field(record, "totalValue", true,
                 {hundred, with("eq"), with("gte"), with("lte"), json::object{{"in", list}}});
    expect_field(record, "totalValue", false,
                 {with("ne"), with("gt"), with("lt"), json::object{{"nin", list}}});
  }
  record.entity.get_object()["totalValue"] = 9007199254740993;
  expect_holds(record,
               {R"({"totalValue": {"gt": 9007199254740992.0}})", R"({"totalValue": 9007199254740993})"});
  expect_holds(order(), {R"({"totalValue": {"gte": 100, "lt": 500}})", R"({"totalValue": {"gt": -1}})"});
  expect_fails(order(), {R"({"totalValue": {"gte": 100, "lt": 139}})"});
}

TEST(Conditions, TimestampsCompareAsInstants) {
  expect_holds(order(), {
                            R"({"collectionDate": "2026-11-20T07:45:12.345+02:00"})",
                            R"({"collectionDate": {"in": ["2026-11-20T05:45:12.345Z"]}})",
                            R"({"collectionDate": {"gt": "2026-11-20", "lt": "2026-11-21"}})",
                            R"({"collectionDate": {"lte": "2026-11-20T00:45:12.345-05:00"}})",
                        });
  expect_fails(order(), {R"({"collectionDate": {"gt": "2026-11-20T06:45:12.345+01:00"}})"});
}

TEST(Conditions, UuidsCompareWithoutCase) {
  expect_holds(order(), {
                            R"({"guid": "DEADBEEF-1111-2222-3333-444444444444"})",
                            R"({"guid": {"in": ["DEADBEEF-1111-2222-3333-444444444444"]}})",
                        });
  expect_fails(order(), {R"({"guid": {"ne": "DEADBEEF-1111-2222-3333-444444444444"}})"});
}

TEST(Conditions, MissingValuesAreNull) {
  const auto nil = Guid().to_string();
  for (const std::string path : {"serviceLevel", "carrier.guid", "deliveryAddress.state"}) {
    expect_field(order(), path, true,
                 {nullptr, read(R"({"eq": null})"), read(R"({"exists": false})"), read(R"({"in": [null]})"),
                  json::object{{"ne", nil}}, json::object{{"nin", json::array{nil}}}});
    expect_field(order(), path, false,
                 {json::value(nil), read(R"({"ne": null})"), read(R"({"exists": true})"),
                  json::object{{"in", json::array{nil}}}, json::object{{"nin", json::array{nil, nullptr}}}});
  }
  expect_fails(order(), {R"({"serviceLevel": {"contains": ""}})", R"({"serviceLevel": {"lt": "x"}})",
                         R"({"serviceLevel": {"gte": ""}})"});
}

TEST(Conditions, ObjectsAndListsExist) {
  expect_holds(order(), {R"({"customer": {"exists": true}})", R"({"items": {"exists": true}})",
                         R"({"timeWindow": {"exists": false}})", R"({"deliveryAddress": {"ne": null}})"});
  expect_fails(order(), {R"({"carrier": {"exists": true}})", R"({"items": null})"});
}

TEST(Conditions, AnEmptyListIsNull) {
  auto record = order();
  record.entity.get_object()["shipments"] = json::array();
  expect_holds(record, {R"({"shipments": {"exists": false}})", R"({"shipments": null})"});
  expect_fails(record, {R"({"shipments": {"exists": true}})", R"({"shipments.status": {"ne": "created"}})",
                        R"({"shipments.status": {"exists": false}})"});
}

TEST(Conditions, APathIntoAListHoldsIfAnyElementDoes) {
  expect_holds(order(), {
                            R"({"items.sku": "B-2"})",
                            R"({"items.sku": null})",
                            R"({"items.sku": {"ne": "B-2"}})",
                            R"({"items.sku": {"nin": ["A-1", "B-2"]}})",
                            R"({"items.sku": {"exists": true}})",
                            R"({"items.sku": {"exists": false}})",
                            R"({"items.sku": {"startsWith": "A"}})",
                            R"({"items.quantity": {"gte": 5}})",
                            R"({"items.dimensions.length": 10})",
                            R"({"items.dimensions": {"exists": false}})",
                            R"({"shipments.status": "delivered"})",
                            R"({"shipments.labelStatus": "bought"})",
                            R"({"shipments.labelStatus": null})",
                            R"({"shipments.trackingNumber": {"endsWith": "2"}})",
                        });
  expect_fails(order(), {
                            R"({"items.sku": "b-2"})",
                            R"({"items.quantity": {"gt": 5}})",
                            R"({"items.quantity": {"exists": false}})",
                            R"({"shipments.status": "exception"})",
                        });
}

TEST(Conditions, EachListHasItsElementFields) {
  const Record shipment{EntityType::shipment, read(R"({"packages": [{"weight": 3}, {"weight": 12.5}]})")};
  expect_holds(shipment, {R"({"packages.weight": {"gt": 10}})"});
  const Record customer{EntityType::customer, read(R"({"contacts": [{"email": "a@b.c", "role": "buyer"}],
                                                       "references": [{"type": "vat", "value": "DE1"}]})")};
  expect_holds(customer, {R"({"contacts.email": {"endsWith": "@b.c"}, "references.type": "vat"})"});
  const Record product{
      EntityType::product,
      read(R"({"variants": [{"sku": "V", "priceDifference": -2, "dimensions": {"width": 3}}]})")};
  expect_holds(
      product,
      {R"({"variants.sku": "V", "variants.priceDifference": {"lt": 0}, "variants.dimensions.width": 3})"});
}

TEST(Conditions, AllKeysOfAnObjectMustHold) {
  expect_holds(order(),
               {R"({"status": "ready", "totalValue": {"gt": 1}, "any": [{"status": "draft"}, {}]})"});
  expect_fails(order(), {R"({"status": "ready", "totalValue": {"gt": 1000}})",
                         R"({"status": "ready", "not": {"status": "ready"}})"});
}

TEST(Conditions, AllAnyAndNotCombine) {
  const std::string yes = R"({"status": "ready"})";
  const std::string no = R"({"status": "draft"})";
  expect_holds(order(), {"{\"all\": [" + yes + "," + yes + "]}", "{\"any\": [" + no + "," + yes + "]}",
                         "{\"not\": " + no + "}", "{\"not\": {\"all\": [" + yes + "," + no + "]}}",
                         "{\"any\": [{\"not\": {\"not\": " + yes + "}}]}",
                         R"({"not": {"serviceLevel": {"contains": "x"}}})"});
  expect_fails(order(), {"{\"all\": [" + yes + "," + no + "]}", "{\"any\": [" + no + "," + no + "]}",
                         "{\"not\": " + yes + "}", "{\"not\": {}}"});
}

TEST(Conditions, PreviousIsTheValueBeforeTheChange) {
  expect_holds(changed_order(), {
                                    R"({"previous.status": "processing", "status": "ready"})",
                                    R"({"previous.totalValue": {"lt": 139.97}})",
                                    R"({"previous.deliveryAddress.city": "Bonn"})",
                                    R"({"previous.deliveryAddress.postalCode": "50667"})",
                                    R"({"previous.orderNumber": "ORD-000042"})",
                                    R"({"previous.notes": null})",
                                    R"({"previous.carrier.guid": {"exists": true}})",
                                    R"({"previous.carrier": {"exists": true}, "carrier": {"exists": false}})",
                                    R"({"previous.items.sku": "OLD"})",
                                    R"({"previous.timeWindow": null})",
                                });
  expect_fails(changed_order(), {R"({"previous.status": "ready"})", R"({"previous.items.sku": "B-2"})",
                                 R"({"previous.deliveryAddress": null})"});
}

TEST(Conditions, AnObjectThatWasNullHadNullParts) {
  auto record = order();
  record.previous = read(R"({"deliveryAddress": null})");
  expect_holds(record, {R"({"previous.deliveryAddress.city": null})", R"({"previous.deliveryAddress": null})",
                        R"({"deliveryAddress.city": {"changed": true, "from": null, "to": "Köln"}})",
                        R"({"deliveryAddress.state": {"changed": false}})",
                        R"({"deliveryAddress": {"changed": true}})"});
}

TEST(Conditions, PreviousOfACreatedRecordIsNull) {
  for (const std::string path : {"status", "totalValue", "deliveryAddress", "items", "items.sku"})
    expect_field(created_order(), "previous." + path, true, {nullptr});
  expect_fails(created_order(), {R"({"previous.status": "ready"})", R"({"previous.items.sku": "A-1"})"});
}

TEST(Conditions, ChangedFromAndToTestTheChange) {
  expect_holds(changed_order(), {
                                    R"({"status": {"changed": true, "from": "processing", "to": "ready"}})",
                                    R"({"orderNumber": {"changed": false}})",
                                    R"({"totalValue": {"from": 100.0, "to": 139.97}})",
                                    R"({"notes": {"from": null}})",
                                    R"({"carrier.guid": {"to": null}})",
                                    R"({"deliveryAddress": {"changed": true}})",
                                    R"({"deliveryAddress.street": {"changed": false}})",
                                    R"({"customer": {"changed": false}})",
                                    R"({"carrier": {"changed": true}})",
                                    R"({"items": {"changed": true}})",
                                    R"({"items.sku": {"changed": true, "from": "OLD", "to": "B-2"}})",
                                    R"({"items.quantity": {"changed": false}})",
                                    R"({"items.dimensions": {"changed": true}})",
                                });
  expect_fails(changed_order(), {
                                    R"({"status": {"from": "draft"}})",
                                    R"({"status": {"to": "processing"}})",
                                    R"({"orderNumber": {"to": "ORD-000042"}})",
                                    R"({"orderNumber": {"from": "ORD-000042"}})",
                                    R"({"serviceLevel": {"from": null}})",
                                    R"({"items.quantity": {"to": 5}})",
                                });
}

TEST(Conditions, NonNullFieldsOfACreatedRecordHaveChanged) {
  expect_holds(created_order(),
               {
                   R"({"status": {"changed": true, "from": null, "to": "ready"}})",
                   R"({"serviceLevel": {"changed": false}})",
                   R"({"deliveryAddress": {"changed": true}, "carrier": {"changed": false}})",
                   R"({"items": {"changed": true}, "items.sku": {"changed": true, "to": "B-2"}})",
               });
  expect_fails(created_order(),
               {R"({"status": {"from": "ready"}})", R"({"serviceLevel": {"to": null}})",
                R"({"serviceLevel": {"from": null}})", R"({"serviceLevel": {"changed": true}})"});
}

TEST(Conditions, ValuesOfAnotherKindMatchNothing) {
  auto record = order();
  record.entity =
      read(R"({"status": 5, "totalValue": "x", "customer": 7, "items": {"sku": "A"}, "createdAt": "?"})");
  expect_fails(record, {R"({"status": "ready"})", R"({"status": {"contains": ""}})",
                        R"({"totalValue": {"gt": 0}})", R"({"customer.name": {"exists": true}})",
                        R"({"items.sku": "A"})", R"({"createdAt": {"lt": "2030-01-01"}})"});
}

TEST(Conditions, APurchaseIsASecondPathOfTheLabel) {
  const Record bought{EntityType::shipment, read(R"({"labelStatus": "bought", "shippingPrice": 21.5,
      "currency": "EUR", "purchase": {"status": "bought", "price": 21.5, "currency": "EUR"}})"),
                      read(R"({"labelStatus": "buying", "shippingPrice": null, "currency": null,
      "purchase": {"status": "buying", "price": null, "currency": null}})")};
  expect_holds(bought, {R"({"purchase.price": {"gt": 20}, "purchase.currency": "EUR"})",
                        R"({"purchase.status": {"from": "buying", "to": "bought"}})",
                        R"({"purchase": {"exists": true, "changed": true}, "previous.purchase.price": null})",
                        R"({"shippingPrice": {"changed": true}, "labelStatus": {"in": ["bought"]}})"});
  expect_fails(bought, {R"({"purchase.price": {"lte": 21}})", R"({"previous.purchase.status": "bought"})"});
}

TEST(Conditions, ExplainReturnsEachComparisonInTheOrderWritten) {
  const auto conditions = parsed(R"({"status": "draft", "any": [{"totalValue": {"gte": 100, "lt": 50}},
    {"items.sku": "B-2"}], "not": {"previous.status": "processing"}, "notes": {"changed": true},
    "totalValue": {"from": 1}, "previous.carrier": {"exists": true}, "serviceLevel": null})");
  const auto record = changed_order();
  const auto results = conditions.explain(record.subject());
  struct Expected {
    std::string_view path, op, expected, actual;
    bool holds;
  };
  const std::vector<Expected> expected{
      {"status", "eq", R"("draft")", R"("ready")", false},
      {"totalValue", "gte", "100", "139.97", true},
      {"totalValue", "lt", "50", "139.97", false},
      {"items.sku", "eq", R"("B-2")", R"(["A-1", "B-2", null])", true},
      {"previous.status", "eq", R"("processing")", R"("processing")", true},
      {"notes", "changed", "true", "true", true},
      {"totalValue", "from", "1", "100", false},
      {"previous.carrier", "exists", "true", R"({"guid": "33333333-1111-1111-1111-111111111111"})", true},
      {"serviceLevel", "eq", "null", "null", true},
  };
  ASSERT_EQ(results.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(results[i].path, expected[i].path) << i;
    EXPECT_EQ(results[i].op, expected[i].op) << i;
    EXPECT_EQ(results[i].expected, read(expected[i].expected)) << i;
    EXPECT_EQ(results[i].actual, read(expected[i].actual)) << i;
    EXPECT_EQ(results[i].holds, expected[i].holds) << i;
  }
  EXPECT_FALSE(conditions.evaluate(record.subject()));
}

TEST(Conditions, KnowWhetherTheyReadRelatives) {
  for (const auto* text : {R"({"customer.name": "x"})", R"({"shipments": {"exists": true}})",
                           R"({"any": [{"status": "ready"}, {"not": {"shipments.status": "created"}}]})"})
    EXPECT_TRUE(parsed(text).reads_relatives()) << text;
  for (const auto* text : {"{}", R"({"customer.guid": null})", R"({"customer": {"exists": true}})",
                           R"({"items.sku": "x"})", R"({"previous.items.sku": "x"})"})
    EXPECT_FALSE(parsed(text).reads_relatives()) << text;
}

TEST(Conditions, CopiesBehaveTheSame) {
  const auto record = order();
  auto conditions = parsed(R"({"status": "ready"})");
  const auto copy =
      conditions;  // NOLINT(performance-unnecessary-copy-initialization): the copy is what is tested
  conditions = Conditions();
  EXPECT_TRUE(copy.evaluate(record.subject()));
  EXPECT_EQ(copy.explain(record.subject()).size(), 1U);
}

// The order with own data, before and after a change of both.
Record order_with_own_data() {
  auto record = order();
  record.entity.as_object()["tags"] = {"vip", "Fragile goods"};
  record.entity.as_object()["metadata"] =
      read(R"({"erp.id": "A-7", "weight-kg": 12.5, "gift": true, "n": 1})");
  record.previous = read(R"({"tags": ["new"], "metadata": {"n": 2, "erp.id": null, "gone": "x"}})");
  return record;
}

TEST(Conditions, MetadataComparesValuesOfAnyType) {
  const Record record = order_with_own_data();
  expect_all(record, true,
             {R"({"metadata.erp.id": "A-7"})", R"({"metadata.erp.id": {"startsWith": "A-"}})",
              R"({"metadata.weight-kg": {"gte": 12.5, "lt": 13}})", R"({"metadata.gift": true})",
              R"({"metadata.n": 1.0})", R"({"metadata.n": {"in": ["1", 1]}})",
              R"({"metadata.n": {"ne": "1"}})", R"({"metadata.absent": null})",
              R"({"metadata.absent": {"exists": false}})", R"({"metadata": {"exists": true}})"});
  expect_all(record, false,
             {R"({"metadata.n": "1"})", R"({"metadata.n": {"gt": "0"}})", R"({"metadata.gift": "true"})",
              R"({"metadata.erp": {"exists": true}})", R"({"metadata.n": {"contains": "1"}})",
              R"({"metadata.absent": {"gt": 0}})"});
}

TEST(Conditions, NumbersWithMoreDigitsThanADoubleCompareAsDoubles) {
  auto record = order();
  record.entity.as_object()["metadata"] = std::get<json::value>(
      parse_exact_json(R"({"id": 12345678901234567890123, "share": 0.12345678901234567891, "huge": 1e400})"));
  expect_holds(
      record,
      {R"({"metadata.id": 12345678901234567890123})", R"({"metadata.id": {"gt": 12345678901234560000000}})",
       R"({"metadata.share": {"gt": 0.1, "lt": 0.2}})", R"({"metadata.huge": {"gt": 1e300}})",
       R"({"metadata.id": {"ne": "12345678901234567890123"}})"});
}

TEST(Conditions, EachKeyOfMetadataHasItsOwnHistory) {
  const Record record = order_with_own_data();
  expect_all(record, true,
             {R"({"metadata.n": {"changed": true, "from": 2, "to": 1}})", R"({"previous.metadata.n": 2})",
              R"({"metadata.erp.id": {"changed": true, "from": null}})",
              R"({"metadata.gone": {"changed": true, "to": null}})", R"({"previous.metadata.gone": "x"})",
              R"({"metadata.gift": {"changed": false}})", R"({"previous.metadata.gift": true})",
              R"({"metadata": {"changed": true}})"});
  auto first = order_with_own_data();
  first.previous = read(R"({"metadata": null})");
  expect_all(first, true,
             {R"({"metadata.n": {"changed": true}})", R"({"metadata.absent": {"changed": false}})",
              R"({"previous.metadata.n": null})", R"({"previous.metadata": {"exists": false}})"});
  auto removed = order_with_own_data();
  removed.entity.as_object()["metadata"] = nullptr;
  expect_all(removed, true,
             {R"({"metadata.n": {"changed": true, "from": 2, "to": null}})", R"({"metadata": null})"});
  auto created = order_with_own_data();
  created.created = true;
  expect_all(created, true,
             {R"({"metadata.n": {"changed": true}})", R"({"metadata.absent": {"changed": false}})",
              R"({"previous.metadata.n": null})"});
}

TEST(Conditions, ATagMeetsAComparison) {
  const Record record = order_with_own_data();
  expect_all(record, true,
             {R"({"tags": "vip"})", R"({"tags": {"contains": "goods"}})", R"({"tags": {"in": ["x", "vip"]}})",
              R"({"tags": {"startsWith": "Fra", "endsWith": "goods"}})", R"({"tags": {"ne": "vip"}})",
              R"({"tags": {"exists": true, "eq": "vip"}})", R"({"tags": {"ne": null}})",
              R"({"tags": {"changed": true, "from": "new", "to": "vip"}})", R"({"previous.tags": "new"})",
              R"({"not": {"tags": "new"}})"});
  expect_all(
      record, false,
      {R"({"tags": "VIP"})", R"({"tags": "vi"})", R"({"tags": {"startsWith": "vip", "endsWith": "goods"}})",
       R"({"tags": null})", R"({"tags": {"exists": false}})", R"({"previous.tags": "vip"})"});
  for (const json::value& none : {json::value(), json::value(json::array())}) {
    auto without = order_with_own_data();
    without.entity.as_object()["tags"] = none;
    expect_all(without, true,
               {R"({"tags": null})", R"({"tags": {"exists": false}})", R"({"not": {"tags": "vip"}})",
                R"({"tags": {"changed": true, "to": null}})"});
    expect_all(without, false,
               {R"({"tags": "vip"})", R"({"tags": {"ne": "vip"}})", R"({"tags": {"nin": ["a"]}})"});
  }
}

TEST(Conditions, ATraceIsThatOfTheEvent) {
  Record record{EntityType::shipment, read(R"({"status": "in_transit", "trace": {"status": "exception",
    "description": "Damaged", "location": "Oslo", "timestamp": "2026-11-20T05:45:12.345Z", "externalId": null}})")};
  expect_all(record, true,
             {R"({"trace.status": "exception"})", R"({"trace.timestamp": {"gt": "2026-11-20"}})",
              R"({"trace.externalId": null})", R"({"trace": {"exists": true}})"});
  record.entity.as_object().erase("trace");
  expect_all(record, true, {R"({"trace.status": null})", R"({"trace": {"exists": false}})"});
}

TEST(Conditions, ExplainShowsAllTagsAndTheValueOfAKey) {
  const Record record = order_with_own_data();
  const auto results = parsed(R"({"tags": "vip", "metadata.erp.id": {"ne": null}, "metadata.absent": 1})")
                           .explain(record.subject());
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(to_json(results[0].actual), R"(["vip","Fragile goods"])");
  EXPECT_EQ(results[1].actual, "A-7");
  EXPECT_EQ(results[1].path, "metadata.erp.id");
  EXPECT_TRUE(results[2].actual.is_null());
  EXPECT_TRUE(results[0].holds && results[1].holds && !results[2].holds);
}

/// An order of several items with long descriptions.
Record large_order(std::size_t items, std::size_t description) {
  json::array list;
  for (std::size_t i = 0; i < items; ++i) list.push_back({{"description", std::string(description, 'x')}});
  return {EntityType::order, json::object{{"status", "ready"}, {"items", std::move(list)}}};
}

/// A definition of comparisons of which none holds.
json::object many_comparisons(std::string_view path, std::string_view op, int count) {
  json::array any;
  for (int i = 0; i < count; ++i) {
    const std::string needle = "needle " + std::to_string(i);
    any.push_back({{path, {{op, op == "in" ? json::value(json::array{needle}) : json::value(needle)}}}});
  }
  return {{"any", std::move(any)}};
}

TEST(ConditionsWork, UsualConditionsOnALargeRecordAreJudged) {
  EXPECT_EQ(
      parsed(many_comparisons("items.description", "contains", 20)).judge(large_order(100, 9'000).subject()),
      Verdict::fail);
  EXPECT_EQ(parsed(many_comparisons("items.description", "eq", 500)).judge(large_order(1'000, 900).subject()),
            Verdict::fail);
}

TEST(ConditionsWork, TextsThatAreSearchedTooOftenAreTooMuchWork) {
  const Record record = large_order(1, 900'000);
  const json::object definition = many_comparisons("items.description", "contains", 1000);
  EXPECT_EQ(parsed(definition).judge(record.subject()), Verdict::too_much_work);
  EXPECT_FALSE(parsed(definition).evaluate(record.subject()));
  EXPECT_FALSE(parsed(json::object{{"not", definition}}).evaluate(record.subject())) << "nor the opposite";
}

TEST(ConditionsWork, ElementsThatAreComparedTooOftenAreTooMuchWork) {
  const Record record = large_order(20'000, 10);
  for (const char* const op : {"eq", "in", "startsWith"})
    EXPECT_EQ(parsed(many_comparisons("items.description", op, 1000)).judge(record.subject()),
              Verdict::too_much_work)
        << op;
  Record changed = record;
  changed.previous = json::object{{"items", record.entity.at("items")}};
  json::array any;
  for (int i = 0; i < 1000; ++i) any.push_back({{"items.sku", {{"changed", true}}}});
  EXPECT_EQ(parsed(json::object{{"any", any}}).judge(changed.subject()), Verdict::too_much_work);
  changed.created = true;
  EXPECT_EQ(parsed(json::object{{"any", any}}).judge(changed.subject()), Verdict::too_much_work);
}

TEST(ConditionsWork, ASearchTakesTimeInProportionToTheText) {
  // A part that nearly fits everywhere: the product of both sizes would be 10^10.
  const std::string part = std::string(5'000, 'x') + "y" + std::string(4'999, 'x');
  const auto conditions = parsed(json::object{{"items.description", {{"contains", part}}}});
  const Record record = large_order(1, 1'000'000);
  const auto since = std::chrono::steady_clock::now();
  EXPECT_EQ(conditions.judge(record.subject()), Verdict::fail);
  EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::milliseconds(500));
}

TEST(ConditionsWork, AnExplanationEndsEarlyToo) {
  const auto results = parsed(many_comparisons("items.description", "contains", 1000))
                           .explain(large_order(1, 900'000).subject());
  ASSERT_EQ(results.size(), 1000U);
  EXPECT_FALSE(results.front().actual.is_null());
  EXPECT_TRUE(results.back().actual.is_null());
  EXPECT_FALSE(results.back().holds);
}

TEST(ConditionsWork, AShareIsExceededByConditionsThatNeedTooMuch) {
  WorkBudget share(max_condition_work);
  const Record small = large_order(1, 10);
  const auto few = parsed(many_comparisons("items.description", "contains", 3));
  EXPECT_EQ(judge(few, small.subject(), share), Verdict::fail);
  EXPECT_FALSE(share.is_exceeded());
  EXPECT_LT(share.left(), max_condition_work);
  const auto many = parsed(many_comparisons("items.description", "contains", 1000));
  EXPECT_EQ(judge(many, large_order(1, 900'000).subject(), share), Verdict::too_much_work);
  EXPECT_TRUE(share.is_exceeded());
}

}  // namespace
}  // namespace waybill::domain
