#include "connectors/medusa/tracking.hpp"

#include <string>

#include <gtest/gtest.h>

#include "connectors/medusa/medusa.hpp"

namespace waybill::connectors {
namespace {

json::object line(const char* id, int quantity, int fulfilled, int shipped, bool requires_shipping = true) {
  return {{"id", id},
          {"quantity", quantity},
          {"requires_shipping", requires_shipping},
          {"detail", {{"fulfilled_quantity", fulfilled}, {"shipped_quantity", shipped}}}};
}

json::object part(const char* line_item, int quantity) {
  return {{"line_item_id", line_item}, {"quantity", quantity}};
}

json::object order(json::array items, json::array fulfillments = {}) {
  return {{"id", "order_1"},     {"status", "pending"},       {"canceled_at", nullptr},
          {"metadata", nullptr}, {"items", std::move(items)}, {"fulfillments", std::move(fulfillments)}};
}

const StoreTracking parcel = {.order_id = "order_1", .tracking_number = "WB1", .carrier_name = "DHL"};

TEST(MedusaTracking, FulfillsTheRemainingItemsThatNeedShipping) {
  const json::array items{line("a", 3, 1, 1), line("b", 1, 1, 1), line("gift card", 1, 0, 0, false)};
  const auto step = next_medusa_step(order(items), parcel);
  EXPECT_EQ(step.kind, MedusaStep::Kind::fulfill);
  EXPECT_EQ(step.path, "/admin/orders/order_1/fulfillments");
  EXPECT_EQ(to_json(step.body), R"({"items":[{"id":"a","quantity":2}]})");
}

TEST(MedusaTracking, FulfillsItemsWithoutShippingIfThereAreNoOthers) {
  const auto step = next_medusa_step(order({line("a", 3, 0, 0, false)}), parcel);
  EXPECT_EQ(to_json(step.body), R"({"items":[{"id":"a","quantity":3}]})");
}

TEST(MedusaTracking, CountsAKitByItsLineAndNotByItsParts) {
  const json::object kit = {{"id", "ful_1"}, {"items", json::array{part("a", 4), part("a", 8)}}};
  const auto step = next_medusa_step(order({line("a", 4, 2, 0)}, {kit}), parcel);
  EXPECT_EQ(step.kind, MedusaStep::Kind::ship);
  EXPECT_EQ(step.path, "/admin/orders/order_1/fulfillments/ful_1/shipments");
  EXPECT_EQ(to_json(step.body.at("items")), R"([{"id":"a","quantity":2}])");
  EXPECT_EQ(to_json(step.body.at("labels")),
            R"([{"tracking_number":"WB1","tracking_url":"","label_url":""}])");
}

TEST(MedusaTracking, DoesNotShipCanceledOrShippedFulfilments) {
  const json::object canceled = {{"id", "ful_1"}, {"canceled_at", "2026-11-20T10:00:00.000Z"}};
  const json::object shipped = {{"id", "ful_2"}, {"shipped_at", "2026-11-20T10:00:00.000Z"}};
  const auto step = next_medusa_step(order({line("a", 1, 1, 1)}, {canceled, shipped}), parcel);
  EXPECT_EQ(step.kind, MedusaStep::Kind::note);
  EXPECT_EQ(step.path, "/admin/orders/order_1");
}

TEST(MedusaTracking, IgnoresTheLabelOfACanceledFulfilment) {
  const json::object canceled = {{"id", "ful_1"},
                                 {"canceled_at", "2026-11-20T10:00:00.000Z"},
                                 {"labels", json::array{json::object{{"tracking_number", "WB1"}}}}};
  EXPECT_EQ(next_medusa_step(order({line("a", 1, 0, 0)}, {canceled}), parcel).kind,
            MedusaStep::Kind::fulfill);
}

TEST(MedusaTracking, RecognisesItsOwnNote) {
  auto shipped = order({line("a", 1, 1, 1)});
  const auto noted = next_medusa_step(shipped, parcel);
  ASSERT_EQ(noted.kind, MedusaStep::Kind::note);
  shipped["metadata"] = noted.body.at("metadata");
  EXPECT_EQ(next_medusa_step(shipped, parcel).kind, MedusaStep::Kind::none);
  auto other = parcel;
  other.tracking_number = "WB2";
  EXPECT_EQ(next_medusa_step(shipped, other).kind, MedusaStep::Kind::note);
}

json::object named(json::object line, const char* name) {
  line["product_title"] = name;
  line["variant_sku"] = name;
  return line;
}

/// The parcel with one of two items, mugs and plates. The last one leaves nothing: the other item is sent.
StoreTracking parcel_with(std::string_view name, bool is_last = false, std::int64_t quantity = 9) {
  auto tracking = parcel;
  tracking.order = Guid::random();
  tracking.is_part = true;
  for (const std::string each : {"Mug", "Plate"}) {
    tracking.items.push_back({.guid = Guid::from_name(tracking.order, each + "\n" + each + "\n1"),
                              .description = each,
                              .sku = each,
                              .quantity = quantity,
                              .in_parcel = each == name ? quantity : 0,
                              .sent = each != name && is_last ? quantity : 0});
  }
  return tracking;
}

json::array mugs_and_plates(int fulfilled_mugs = 0, int fulfilled_plates = 0) {
  return {named(line("a", 3, fulfilled_mugs, 0), "Mug"), named(line("b", 1, fulfilled_plates, 0), "Plate")};
}

TEST(MedusaTracking, FulfillsOnlyTheItemsOfTheParcel) {
  const auto step = next_medusa_step(order(mugs_and_plates()), parcel_with("Mug"));
  EXPECT_EQ(step.kind, MedusaStep::Kind::fulfill);
  EXPECT_EQ(to_json(step.body), R"({"items":[{"id":"a","quantity":3}]})");
  EXPECT_EQ(to_json(next_medusa_step(order(mugs_and_plates()), parcel_with("Mug", false, 2)).body),
            R"({"items":[{"id":"a","quantity":2}]})");
  EXPECT_EQ(to_json(next_medusa_step(order(mugs_and_plates(3)), parcel_with("Plate", true)).body),
            R"({"items":[{"id":"b","quantity":1}]})");
}

TEST(MedusaTracking, AQuantityThatIsNotWholeIsSentAsItIs) {
  auto items = mugs_and_plates();
  items[0].as_object()["quantity"] = 0.5;
  auto cloth = parcel_with("Mug", false, 1);
  cloth.items[0].guid = Guid::from_name(cloth.order, "Mug × 0.5\nMug\n1");
  EXPECT_EQ(to_json(next_medusa_step(order(items), cloth).body), R"({"items":[{"id":"a","quantity":0.5}]})");
  items[0].as_object()["detail"] = {{"fulfilled_quantity", 0.5}, {"shipped_quantity", 0}};
  auto half = part("a", 1);
  half["quantity"] = 0.5;
  const json::object made = {{"id", "ful_1"}, {"items", json::array{half}}};
  EXPECT_EQ(to_json(next_medusa_step(order(items, {made}), cloth).body.at("items")),
            R"([{"id":"a","quantity":0.5}])");
}

TEST(MedusaTracking, ShipsOnlyFulfilmentsOfTheItemsOfTheParcel) {
  const json::object mugs = {{"id", "ful_1"}, {"items", json::array{part("a", 3)}}};
  const json::object both = {{"id", "ful_2"}, {"items", json::array{part("a", 3), part("b", 1)}}};
  EXPECT_EQ(next_medusa_step(order(mugs_and_plates(3), {mugs}), parcel_with("Mug")).path,
            "/admin/orders/order_1/fulfillments/ful_1/shipments");
  EXPECT_EQ(next_medusa_step(order(mugs_and_plates(3), {mugs}), parcel_with("Plate", true)).kind,
            MedusaStep::Kind::fulfill)
      << "the mugs are in another parcel";
  EXPECT_EQ(next_medusa_step(order(mugs_and_plates(3, 1), {both}), parcel_with("Mug")).kind,
            MedusaStep::Kind::note)
      << "the plate is not sent yet";
  EXPECT_EQ(next_medusa_step(order(mugs_and_plates(3, 1), {both}), parcel_with("Plate", true)).kind,
            MedusaStep::Kind::ship);
}

TEST(MedusaTracking, WhatTheStoreAddsAfterAParcelWasMadeIsNotInIt) {
  auto tracking = parcel_with("Mug", false, 3);
  tracking.is_part = false;
  tracking.items.pop_back();  // the plate is added later
  const auto step = next_medusa_step(order(mugs_and_plates()), tracking);
  EXPECT_EQ(to_json(step.body), R"({"items":[{"id":"a","quantity":3}]})");
  tracking.items[0].in_parcel = 2;  // the store raises the quantity later
  EXPECT_EQ(to_json(next_medusa_step(order(mugs_and_plates()), tracking).body),
            R"({"items":[{"id":"a","quantity":2}]})");
  const json::object both = {{"id", "ful_1"}, {"items", json::array{part("a", 3), part("b", 1)}}};
  EXPECT_EQ(next_medusa_step(order(mugs_and_plates(3, 1), {both}), tracking).kind, MedusaStep::Kind::note)
      << "the merchant's fulfilment has the plate, which is still to be sent";
}

TEST(MedusaTracking, AWholeOrderWhoseItemsAreOthersHereIsFulfilled) {
  auto tracking = parcel_with("Mug");
  tracking.is_part = false;
  for (auto& item : tracking.items) {
    item.guid = Guid::random();
    item.sku = "other";
  }
  EXPECT_EQ(to_json(next_medusa_step(order(mugs_and_plates()), tracking).body),
            R"({"items":[{"id":"a","quantity":3},{"id":"b","quantity":1}]})");
}

TEST(MedusaTracking, AParcelOfThingsThatTheOrderDoesNotHaveIsANote) {
  auto strange = parcel_with("Mug");
  for (auto& item : strange.items) {
    item.guid = Guid::random();
    item.sku = "other";
  }
  EXPECT_EQ(next_medusa_step(order(mugs_and_plates()), strange).kind, MedusaStep::Kind::note);
}

// The server changes no label.
TEST(MedusaTracking, NotesANumberThatReplacesALabel) {
  const json::object shipped = {
      {"id", "ful_1"},
      {"shipped_at", "2026-11-20T10:00:00.000Z"},
      {"labels",
       json::array{json::object{{"tracking_number", "WB1"}, {"tracking_url", "https://p.example/1"}}}}};
  auto labelled = order({line("a", 1, 1, 1)}, {shipped});
  auto later = parcel;
  later.tracking_number = "1Z9";
  later.tracking_url = "https://ups.example/1Z9";
  later.earlier_numbers = {"WB1"};
  auto step = next_medusa_step(labelled, later);
  EXPECT_EQ(step.kind, MedusaStep::Kind::note);
  EXPECT_EQ(step.body.at("metadata").at("waybill_tracking_1Z9").at("tracking_url"),
            "https://ups.example/1Z9");
  labelled["metadata"] = step.body.at("metadata");
  EXPECT_EQ(next_medusa_step(labelled, later).kind, MedusaStep::Kind::none);

  auto corrected = later;
  corrected.tracking_number = "1Z8";
  corrected.earlier_numbers = {"1Z9", "WB1"};
  step = next_medusa_step(labelled, corrected);
  EXPECT_TRUE(step.body.at("metadata").as_object().contains("waybill_tracking_1Z8"));
  EXPECT_EQ(step.body.at("metadata").at("waybill_tracking_1Z9"), "") << "removes the key";
}

TEST(MedusaTracking, AParcelThatReturnsToTheNumberOfItsLabelHasNoNoteOfAnother) {
  const json::object shipped = {
      {"id", "ful_1"},
      {"shipped_at", "2026-11-20T10:00:00.000Z"},
      {"labels",
       json::array{json::object{{"tracking_number", "WB1"}, {"tracking_url", "https://p.example/1"}}}}};
  auto labelled = order({line("a", 1, 1, 1)}, {shipped});
  labelled["metadata"] = {{"waybill_tracking_1Z9", {{"tracking_number", "1Z9"}}},
                          {"waybill_tracking_WB2", {{"tracking_number", "WB2"}}}};
  auto returned = parcel;
  returned.earlier_numbers = {"1Z9"};
  const auto step = next_medusa_step(labelled, returned);
  EXPECT_EQ(to_json(step.body), R"({"metadata":{"waybill_tracking_1Z9":""}})") << "WB2 is another parcel";
  labelled["metadata"].as_object().erase("waybill_tracking_1Z9");
  EXPECT_EQ(next_medusa_step(labelled, returned).kind, MedusaStep::Kind::none);
}

TEST(MedusaTracking, AParcelThatReturnsToTheLinkOfItsLabelHasNoNoteOfAnother) {
  const json::object shipped = {
      {"id", "ful_1"},
      {"shipped_at", "2026-11-20T10:00:00.000Z"},
      {"labels",
       json::array{json::object{{"tracking_number", "WB1"}, {"tracking_url", "https://p.example/1"}}}}};
  auto labelled = order({line("a", 1, 1, 1)}, {shipped});
  labelled["metadata"] = {{"waybill_tracking_WB1", {{"tracking_url", "https://p.example/2"}}}};
  auto returned = parcel;
  returned.tracking_url = "https://p.example/1";
  returned.has_new_url = true;
  EXPECT_EQ(to_json(next_medusa_step(labelled, returned).body),
            R"({"metadata":{"waybill_tracking_WB1":""}})");
}

TEST(MedusaTracking, ANotedParcelDoesNotShipTheItemsOfAnother) {
  auto noted = order({line("a", 1, 0, 0)});
  noted["metadata"] = {{"waybill_tracking_WB1", {{"tracking_number", "WB1"}}}};
  auto later = parcel;
  later.tracking_number = "1Z9";
  later.earlier_numbers = {"WB1"};
  EXPECT_EQ(next_medusa_step(noted, later).kind, MedusaStep::Kind::note);
}

TEST(MedusaTracking, EscapesAnIdInItsPath) {
  auto odd = parcel;
  odd.order_id = "../stores";
  EXPECT_EQ(next_medusa_step(order({line("a", 1, 0, 0)}), odd).path,
            "/admin/orders/..%2Fstores/fulfillments");
}

TEST(MedusaTracking, RefusesOrdersThatCannotGetAParcel) {
  for (const auto* const status : {"canceled", "draft"}) {
    auto refusing = order({line("a", 1, 0, 0)});
    refusing["status"] = status;
    try {
      next_medusa_step(refusing, parcel);
      ADD_FAILURE() << status;
    } catch (const StoreError& error) {
      EXPECT_EQ(error.problem(), StoreProblem::refused);
    }
  }
}

TEST(MedusaConnectorTerms, EveryInboundCallIsRefused) {
  const auto& medusa = medusa_connector();
  EXPECT_EQ(medusa.terms().code, "medusa");
  EXPECT_TRUE(medusa.terms().api_secret.empty());
  const InboundCall call{.body = "{}", .header = [](std::string_view) { return std::string_view("sk_1"); }};
  EXPECT_EQ(medusa.verify({"sk_1", "", "https://m.example"}, call).kind, InboundVerdict::Kind::bad_signature);
  EXPECT_EQ(find_connector("medusa"), &medusa);
  EXPECT_EQ(medusa.normal_url("HTTPS://M.Example:443/"), "https://m.example");
}

}  // namespace
}  // namespace waybill::connectors
