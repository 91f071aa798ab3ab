#include "domain/records/change.hpp"

#include <map>
#include <stdexcept>

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

using Columns = std::map<std::string_view, std::optional<std::string_view>>;

constexpr std::string_view guid = "0190d2f8-0000-7000-8000-000000000001";
constexpr std::string_view other_guid = "0190d2f8-0000-7000-8000-000000000002";

Row row(const RecordType& type, const Columns& columns) {
  Row made(type.fields.size());
  for (const auto& [column, value] : columns) {
    const auto found = std::ranges::find(type.fields, column, &Field::column_name);
    if (found == type.fields.end()) throw std::logic_error("no column " + std::string(column));
    made[type.index_of(*found)] = value;
  }
  return made;
}

const RecordType& orders = record_type(EntityType::order);
const RecordType& shipments = record_type(EntityType::shipment);
const RecordType& products = record_type(EntityType::product);

const Columns order_columns{
    {"guid", guid},
    {"order_number", "ORD-000001"},
    {"status", "pending"},
    {"customer_id", other_guid},
    {"items", R"([{"sku": "A-1", "price": 19.99, "quantity": 2}])"},
    {"delivery_street", "Main St 1"},
    {"delivery_city", "Oslo"},
    {"total_value", "39.98"},
    {"currency", "EUR"},
    {"created_at", "2026-11-20 05:45:12.345678+00"},
    {"updated_at", "2026-11-20 05:45:12.345678+00"},
};

Columns with(Columns columns, const Columns& changes) {
  for (const auto& [column, value] : changes) columns[column] = value;
  return columns;
}

Change update(const RecordType& type, const Columns& before, const Columns& changes) {
  const Row old_row = row(type, before);
  const Row new_row = row(type, with(before, changes));
  return make_change(type, &old_row, &new_row);
}

FieldSet fields(const RecordType& type, std::initializer_list<std::string_view> paths) {
  FieldSet set;
  for (const auto path : paths) set.set(type.index_of(*type.find(path)));
  return set;
}

TEST(Change, AnEntityHasTheShapeOfTheApi) {
  const Row after = row(orders, order_columns);
  const Change change = make_change(orders, nullptr, &after);
  EXPECT_EQ(
      to_json(change.entity),
      R"({"guid":"0190d2f8-0000-7000-8000-000000000001","orderNumber":"ORD-000001","status":"pending",)"
      R"("customer":{"guid":"0190d2f8-0000-7000-8000-000000000002"},)"
      R"("items":[{"sku":"A-1","price":19.99,"quantity":2}],)"
      R"("deliveryAddress":{"street":"Main St 1","city":"Oslo","state":null,"postalCode":null,"country":null,)"
      R"("name":null,"company":null,"phone":null,"email":null},)"
      R"("carrier":null,"serviceLevel":null,"shippingMethod":null,"shippingCost":null,"totalValue":39.98,)"
      R"("currency":"EUR","collectionDate":null,"timeWindow":null,"notes":null,"externalReference":null,)"
      R"("tags":[],"metadata":null,)"
      R"("source":{"type":"api","integration":null,"externalId":null,"url":null},)"
      R"("statusChangedAt":null,"createdAt":"2026-11-20T05:45:12.345Z",)"
      R"("updatedAt":"2026-11-20T05:45:12.345Z","shipments":[]})");
}

TEST(Change, AnObjectWithoutValuesIsNullExceptSenderAndRecipient) {
  const Row after = row(shipments, {{"guid", guid}, {"recipient_city", "Oslo"}});
  const Change change = make_change(shipments, nullptr, &after);
  EXPECT_EQ(to_json(change.entity.at("sender")),
            R"({"name":null,"company":null,"address":null,"phone":null})");
  EXPECT_EQ(to_json(change.entity.at("recipient")),
            R"({"name":null,"company":null,)"
            R"("address":{"street":null,"city":"Oslo","state":null,"postalCode":null,"country":null},)"
            R"("phone":null,"email":null})");
  EXPECT_TRUE(change.entity.at("customer").is_null());
  EXPECT_TRUE(change.entity.at("carrier").is_null());
  EXPECT_EQ(to_json(change.entity.at("packages")), "[]");
  EXPECT_TRUE(change.entity.at("customs").is_null());

  const Row product = row(products, {{"guid", guid}});
  EXPECT_TRUE(make_change(products, nullptr, &product).entity.at("dimensions").is_null());
}

TEST(Change, AShipmentThatIsOlderThanReturnsIsNone) {
  const auto is_return = [](const std::optional<std::string_view>& stored) {
    const Row after = row(shipments, {{"guid", guid}, {"is_return", stored}});
    return to_json(make_change(shipments, nullptr, &after).entity.at("isReturn"));
  };
  EXPECT_EQ(is_return(std::nullopt), "false");
  EXPECT_EQ(is_return("f"), "false");
  EXPECT_EQ(is_return("t"), "true");
}

TEST(Change, AnOrderWithAnIntegrationIsAnImport) {
  const auto source = [](const Columns& columns) {
    const Row only = row(orders, with(order_columns, columns));
    return to_json(make_change(orders, nullptr, &only).entity.at("source"));
  };
  EXPECT_EQ(source({{"source_type", "sql"}}),
            R"({"type":"sql","integration":null,"externalId":null,"url":null})");
  EXPECT_EQ(source({{"source_type", "import"}}),
            R"({"type":"api","integration":null,"externalId":null,"url":null})");
  for (const std::optional<std::string_view> stored : {std::optional<std::string_view>("import"), {}}) {
    EXPECT_EQ(source({{"source_type", stored}, {"integration_id", other_guid}, {"external_id", "7"}}),
              R"({"type":"import","integration":{"guid":"0190d2f8-0000-7000-8000-000000000002"},)"
              R"("externalId":"7","url":null})");
  }
}

TEST(Change, OwnDataAreShownAsStored) {
  const Row only = row(orders, with(order_columns, {{"external_reference", "ERP-7"},
                                                    {"tags", R"(["Vip", "new"])"},
                                                    {"metadata", R"({"erp.id": 7, "gift": true})"}}));
  const auto entity = make_change(orders, nullptr, &only).entity;
  EXPECT_EQ(entity.at("externalReference"), "ERP-7");
  EXPECT_EQ(to_json(entity.at("tags")), R"(["Vip","new"])");
  EXPECT_EQ(to_json(entity.at("metadata")), R"({"erp.id":7,"gift":true})");
}

TEST(Change, EmptyListsAndObjectsAreShownAsSuch) {
  const Row empty = row(orders, with(order_columns, {{"items", "[]"}, {"tags", "[]"}, {"metadata", "{}"}}));
  json::monotonic_resource memory;
  const Change change = make_change(orders, nullptr, &empty, &memory);
  EXPECT_EQ(to_json(change.entity.at("items")), "[]");
  EXPECT_EQ(to_json(change.entity.at("tags")), "[]");
  EXPECT_EQ(to_json(change.entity.at("metadata")), "{}");
  const Row wrong = row(orders, with(order_columns, {{"metadata", "[]"}}));
  EXPECT_THROW(make_change(orders, nullptr, &wrong), std::invalid_argument);
}

TEST(Change, TheDispatchIsNotShown) {
  const Row after = row(shipments, {{"guid", guid}, {"dispatch_id", other_guid}});
  EXPECT_FALSE(make_change(shipments, nullptr, &after).entity.contains("dispatchId"));
}

TEST(Change, CreatedAndDeletedHaveNoPrevious) {
  const Row only = row(orders, order_columns);
  const Change created = make_change(orders, nullptr, &only);
  EXPECT_TRUE(created.created);
  EXPECT_FALSE(created.deleted);
  const Change deleted = make_change(orders, &only, nullptr);
  EXPECT_FALSE(deleted.created);
  EXPECT_TRUE(deleted.deleted);
  EXPECT_EQ(deleted.entity, created.entity) << "a deleted record's entity is its last state";
  for (const Change* change : {&created, &deleted}) {
    EXPECT_EQ(to_json(change->previous), "{}");
    EXPECT_TRUE(change->changed.none());
    EXPECT_FALSE(change->previous_status);
    EXPECT_EQ(change->type, EntityType::order);
  }
}

TEST(Change, PreviousHasTheOldValuesWithTheSameNesting) {
  struct Case {
    Columns changes;
    std::string_view previous;
    std::initializer_list<std::string_view> changed;
  };
  const Case cases[] = {
      {{}, "{}", {}},
      {{{"status", "shipped"}}, R"({"status":"pending"})", {"status"}},
      {{{"delivery_city", "Bergen"}}, R"({"deliveryAddress":{"city":"Oslo"}})", {"deliveryAddress.city"}},
      {{{"delivery_state", "B"}, {"delivery_city", {}}},
       R"({"deliveryAddress":{"city":"Oslo","state":null}})",
       {"deliveryAddress.city", "deliveryAddress.state"}},
      {{{"customer_id", {}}},
       R"({"customer":{"guid":"0190d2f8-0000-7000-8000-000000000002"}})",
       {"customer.guid"}},
      {{{"carrier_id", guid}}, R"({"carrier":null})", {"carrier.guid"}},
      {{{"collection_start", "09:00"}, {"collection_end", "12:00"}},
       R"({"timeWindow":null})",
       {"timeWindow.start", "timeWindow.end"}},
      {{{"items", "[]"}, {"total_value", "0"}},
       R"({"items":[{"sku":"A-1","price":19.99,"quantity":2}],"totalValue":39.98})",
       {"items", "totalValue"}},
      {{{"updated_at", "2026-11-21 00:00:00+00"}}, "{}", {"updatedAt"}},
      {{{"notes", "x"}, {"updated_at", "2026-11-21 00:00:00+00"}},
       R"({"notes":null})",
       {"notes", "updatedAt"}},
  };
  for (const auto& [changes, previous, changed] : cases) {
    const Change change = update(orders, order_columns, changes);
    EXPECT_EQ(to_json(change.previous), previous);
    EXPECT_EQ(change.changed, fields(orders, changed)) << previous;
    EXPECT_FALSE(change.created || change.deleted);
  }
}

TEST(Change, AnEqualValueInAnotherTextIsNoChange) {
  const Columns before{{"guid", guid},
                       {"weight", "1"},
                       {"length", "10.50"},
                       {"customs_value", "100"},
                       {"tags", {}},
                       {"metadata", R"({"a": 1, "b": "1.0"})"},
                       {"variants", R"([{"sku": "A\"1", "weight": 1.50}])"}};
  const Columns equal[] = {{{"weight", "1.000"}},
                           {{"length", "10.5"}},
                           {{"customs_value", "100.00"}},
                           {{"tags", "[]"}},
                           {{"metadata", R"({"a": 1.0, "b": "1.0"})"}},
                           {{"variants", R"([{"sku": "A\"1", "weight": 1.5}])"}}};
  for (const Columns& columns : equal) {
    const Change change = update(products, before, columns);
    EXPECT_TRUE(change.changed.none()) << columns.begin()->first;
    EXPECT_EQ(to_json(change.previous), "{}");
  }
  const Columns empty = with(before, {{"tags", "[]"}, {"metadata", "{}"}});
  EXPECT_TRUE(update(products, empty, {{"tags", {}}, {"metadata", {}}}).changed.none());

  const std::pair<Columns, std::string_view> changes[] = {
      {{{"weight", "10"}}, R"({"weight":1})"},
      {{{"weight", {}}}, R"({"weight":1})"},
      {{{"customs_value", "1"}}, R"({"customsValue":100})"},
      {{{"tags", R"(["a"])"}}, R"({"tags":[]})"},
      {{{"metadata", R"({"a": 1.0, "b": "1"})"}}, R"({"metadata":{"b":"1.0"}})"},
      {{{"metadata", R"({"a": 10, "b": "1.0"})"}}, R"({"metadata":{"a":1}})"}};
  for (const auto& [columns, previous] : changes)
    EXPECT_EQ(to_json(update(products, before, columns).previous), previous);
  EXPECT_TRUE(update(products, before, {{"variants", R"([{"sku": "A\"1", "weight": 1.51}])"}}).changed.any());
}

TEST(Change, PreviousOfNestedAddressesHasOnlyTheChangedPart) {
  const Columns before{{"guid", guid}, {"sender_name", "Ann"}, {"recipient_city", "Oslo"}};
  const Change change =
      update(shipments, before,
             {{"sender_street", "Main St 1"}, {"recipient_city", "Bergen"}, {"sender_name", "Bo"}});
  EXPECT_EQ(to_json(change.previous),
            R"({"sender":{"name":"Ann","address":null},"recipient":{"address":{"city":"Oslo"}}})");
}

TEST(Change, APurchaseIsASecondPathOfTheLabel) {
  const Columns before{{"guid", guid}, {"label_status", "buying"}};
  const Change change = update(shipments, before,
                               {{"label_status", "bought"}, {"shipping_price", "7.90"}, {"currency", "EUR"}});
  EXPECT_EQ(to_json(change.entity.at("purchase")), R"({"status":"bought","price":7.9,"currency":"EUR"})");
  EXPECT_EQ(to_json(change.previous), R"({"labelStatus":"buying","shippingPrice":null,"currency":null,)"
                                      R"("purchase":{"status":"buying","price":null,"currency":null}})");
  EXPECT_EQ(change.changed, fields(shipments, {"labelStatus", "shippingPrice", "currency"}));
  const Row none = row(shipments, {{"guid", guid}});
  EXPECT_TRUE(make_change(shipments, nullptr, &none).entity.at("purchase").is_null());
}

TEST(Change, TheOldStatusIsSetIfItChanged) {
  EXPECT_EQ(update(orders, order_columns, {{"status", "ready"}}).previous_status, "pending");
  EXPECT_FALSE(update(orders, order_columns, {{"notes", "x"}}).previous_status);
}

TEST(Change, OnlyANewDispatchCounts) {
  const Columns loose{{"guid", guid}};
  const Columns in_one{{"guid", guid}, {"dispatch_id", guid}};
  const Change put = update(shipments, loose, {{"dispatch_id", guid}});
  EXPECT_TRUE(put.dispatched);
  EXPECT_EQ(put.changed, fields(shipments, {"dispatchId"}));
  EXPECT_EQ(to_json(put.previous), "{}");
  EXPECT_TRUE(update(shipments, in_one, {{"dispatch_id", other_guid}}).dispatched);
  EXPECT_FALSE(update(shipments, in_one, {{"dispatch_id", {}}}).dispatched);
  EXPECT_FALSE(update(shipments, in_one, {{"instructions", "ring twice"}}).dispatched);
}

TEST(Change, AValueOfAnotherTypeIsRefusedAndNotRepeated) {
  for (const auto& [column, value] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{{"total_value", "NaN"},
                                                                            {"total_value", "secret"},
                                                                            {"total_value", "1 "},
                                                                            {"created_at", "infinity"},
                                                                            {"items", "{}"},
                                                                            {"items", "[1e99"},
                                                                            {"items", "secret"}}) {
    const Row bad = row(orders, with(order_columns, {{column, value}}));
    try {
      make_change(orders, nullptr, &bad);
      ADD_FAILURE() << column << " = " << value;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos);
    }
  }
  const Row too_short(3);
  EXPECT_THROW(make_change(orders, nullptr, &too_short), std::invalid_argument);
  EXPECT_THROW(make_change(orders, nullptr, nullptr), std::invalid_argument);
}

TEST(Change, LivesInTheGivenMemory) {
  json::monotonic_resource memory;
  const Row before = row(orders, order_columns);
  const Row after = row(orders, with(order_columns, {{"delivery_city", "Bergen"}}));
  const Change change = make_change(orders, &before, &after, &memory);
  for (const json::object* object : {&change.entity, &change.previous}) {
    EXPECT_EQ(object->storage().get(), &memory);
    EXPECT_EQ(object->at("deliveryAddress").storage().get(), &memory);
    EXPECT_EQ(object->at("deliveryAddress").at("city").storage().get(), &memory);
  }
  EXPECT_EQ(change.entity.at("items").at(0).storage().get(), &memory);
}

TEST(Change, EveryRecordTypeShowsEachOwnFieldAtItsPath) {
  for (const RecordType& type : record_types()) {
    Row full(type.fields.size());
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      switch (type.fields[i].type) {
        case FieldType::decimal:
        case FieldType::integer:
          full[i] = "1";
          break;
        case FieldType::timestamp:
          full[i] = "2026-11-20 05:45:12+00";
          break;
        case FieldType::array:
          full[i] = "[]";
          break;
        case FieldType::object:
          full[i] = "{}";
          break;
        case FieldType::boolean:
          full[i] = "t";
          break;
        default:
          full[i] = "x";
      }
    }
    const Change change = make_change(type, nullptr, &full);
    for (const Field& field : type.fields) {
      const bool shown = field.column() != nullptr && !field.has_role(ColumnRole::dispatch);
      const json::value* value = find_path(change.entity, field.path);
      if (shown) EXPECT_TRUE(value != nullptr && !value->is_null()) << type.name << " " << field.path;
    }
  }
}

TEST(Change, PreviousMetadataHasOnlyTheChangedKeys) {
  const auto previous = [](std::optional<std::string_view> before, std::optional<std::string_view> after) {
    const Row old_row = row(orders, with(order_columns, {{"metadata", before}}));
    const Row new_row = row(orders, with(order_columns, {{"metadata", after}}));
    return to_json(make_change(orders, &old_row, &new_row).previous);
  };
  EXPECT_EQ(previous(R"({"a": 1, "b": "x", "c": true})", R"({"a": 2, "b": "x", "d": 4})"),
            R"({"metadata":{"a":1,"c":true,"d":null}})");
  EXPECT_EQ(previous({}, R"({"a": 1})"), R"({"metadata":null})");
  EXPECT_EQ(previous(R"({"a": 1})", {}), R"({"metadata":{"a":1}})");
  EXPECT_EQ(previous(R"({"a": 1})", R"({"a": 1})"), "{}");
}

TEST(Change, AnErasureHasTheGuidAlone) {
  const Change change = make_erasure(EntityType::customer, guid);
  EXPECT_EQ(to_json(change.entity), R"({"guid":"0190d2f8-0000-7000-8000-000000000001"})");
  EXPECT_EQ(to_json(change.previous), "{}");
  EXPECT_TRUE(change.erased && !change.created && !change.deleted);
}

TEST(Change, ATraceIsAPartOfTheEntity) {
  const Row only = row(shipments, {{"guid", guid}});
  Change change = make_change(shipments, nullptr, &only);
  EXPECT_FALSE(change.traced || change.entity.contains("trace"));
  add_trace(change, {{"status", "in_transit"}});
  EXPECT_TRUE(change.traced);
  EXPECT_EQ(to_json(change.entity.at("trace")), R"({"status":"in_transit"})");
}

TEST(ChangeOfOwnData, NumbersKeepAllTheirDigits) {
  const std::string documents =
      R"({"id":12345678901234567890123,"share":0.12345678901234567891,"price":19.99})";
  const auto change =
      update(orders, with(order_columns, {{"metadata", R"({"id": 12345678901234567890124})"}}),
             {{"metadata", documents}});
  EXPECT_EQ(to_json(change.entity.at("metadata")), documents);
  EXPECT_EQ(to_json(change.previous.at("metadata")),
            R"({"id":12345678901234567890124,"share":null,"price":null})")
      << "numbers that are equal as doubles are two values";
}

}  // namespace
}  // namespace waybill::domain
