#include <map>
#include <set>

#include "tests/connectors/shopify_fixture.hpp"

namespace waybill::tests {
namespace {

using connectors::StoreTracking;

class ShopifyTracking : public ShopifyStoreTest {
 protected:
  StoreTracking parcel(std::int64_t order, std::string number = "00340434161094042557") {
    return {.order_id = std::to_string(order),
            .tracking_number = std::move(number),
            .carrier_name = "DHL Express",
            .carrier_code = "dhl_express",
            .tracking_url = "https://track.example/1",
            .shipped_at = {}};
  }
  /// The same parcel before its carrier's number is known.
  StoreTracking ours(std::int64_t order) {
    auto tracking = parcel(order, "WB0000000017");
    tracking.carrier_name = tracking.carrier_code = "";
    tracking.tracking_url = "https://parcels.example/track/0123";
    return tracking;
  }
  bool send(const StoreTracking& tracking) { return store.wait(store->send_tracking(tracking)); }
  const json::array& fulfillments(const json::object& order) { return order.at("fulfillments").as_array(); }
};

TEST_F(ShopifyTracking, FulfilsTheOrderWithTheTrackingNumber) {
  const auto id = shop.add_order();
  EXPECT_TRUE(send(parcel(id)));
  const auto order = shop.order(id);
  EXPECT_EQ(order.at("displayFulfillmentStatus"), "FULFILLED");
  ASSERT_EQ(fulfillments(order).size(), 1U);
  const auto& info = fulfillments(order)[0].at("trackingInfo").at(0);
  EXPECT_EQ(info.at("number"), "00340434161094042557");
  EXPECT_EQ(info.at("company"), "DHL Express");
  EXPECT_EQ(info.at("url"), "https://track.example/1");
  EXPECT_EQ(shop.notifications(), 1U);
  EXPECT_EQ(store.wait(store->order(std::to_string(id))).records.at(0).status, "shipped");
}

// A parcel with some of the order's items

class ShopifyParts : public ShopifyTracking {
 protected:
  /// An order of 3 mugs, 1 plate and 2 cups. The cups are at another location.
  std::int64_t add_parts() {
    json::array lines;
    for (const auto& [name, quantity] : {std::pair("Mug", 3), std::pair("Plate", 1), std::pair("Cup", 2)}) {
      auto line = ShopifyShop::line_item(name, quantity);
      line["id"] = gid_of(name);
      line["sku"] = name;
      lines.push_back(std::move(line));
    }
    auto first = ShopifyShop::fulfillment_order(1, 1);
    first["lineItems"] = json::array{ShopifyShop::fulfillment_line(11, gid_of("Mug"), 3),
                                     ShopifyShop::fulfillment_line(12, gid_of("Plate"), 1)};
    auto second = ShopifyShop::fulfillment_order(2, 2);
    second["lineItems"] = json::array{ShopifyShop::fulfillment_line(21, gid_of("Cup"), 2)};
    return shop.add_order({{"lineItems", std::move(lines)},
                           {"fulfillmentOrders", json::array{std::move(first), std::move(second)}}});
  }

  static std::string gid_of(std::string_view name) {
    return test_gid("LineItem", static_cast<std::int64_t>(name.front()));
  }

  /// The parcel with the named items.
  StoreTracking part(std::int64_t order, std::string number, const std::set<std::string>& names,
                     std::int64_t quantity = 9) {
    auto tracking = parcel(order, std::move(number));
    tracking.order = Guid::random();
    tracking.is_part = true;
    for (const auto* const name : {"Mug", "Plate", "Cup"}) {
      tracking.items.push_back(
          {.guid = Guid::from_name(tracking.order, std::string(name) + "\n" + name + "\n1"),
           .description = name,
           .sku = name,
           .quantity = quantity,
           .in_parcel = names.contains(name) ? quantity : 0});
    }
    return tracking;
  }

  /// The quantities of mugs, plates and cups that are left: "3, 1, 2".
  std::string left(std::int64_t order) {
    std::string all;
    const auto found = shop.order(order);
    for (const auto& part : found.at("fulfillmentOrders").as_array()) {
      for (const auto& line : part.at("lineItems").as_array())
        all += (all.empty() ? "" : ", ") + std::to_string(line.at("remainingQuantity").as_int64());
    }
    return all;
  }
};

TEST_F(ShopifyParts, OnlyTheItemsOfTheParcelAreFulfilled) {
  const auto id = add_parts();
  EXPECT_TRUE(send(part(id, "FIRST", {"Mug"})));
  EXPECT_EQ(left(id), "0, 1, 2");
  EXPECT_EQ(shop.order(id).at("displayFulfillmentStatus"), "PARTIALLY_FULFILLED");
  EXPECT_FALSE(send(part(id, "FIRST", {"Mug"})));
  EXPECT_TRUE(send(part(id, "SECOND", {"Plate", "Cup"})));
  EXPECT_EQ(left(id), "0, 0, 0");
  EXPECT_EQ(fulfillments(shop.order(id)).size(), 3U) << "the second is at two locations";
  EXPECT_FALSE(send(part(id, "SECOND", {"Plate", "Cup"})));
}

TEST_F(ShopifyParts, OnlyThePiecesOfTheParcelAreFulfilled) {
  const auto id = add_parts();
  EXPECT_TRUE(send(part(id, "FIRST", {"Mug", "Cup"}, 1)));
  EXPECT_EQ(left(id), "2, 1, 1");
}

TEST_F(ShopifyParts, AParcelOfAllItemsFulfilsTheRest) {
  const auto id = add_parts();
  send(part(id, "FIRST", {"Mug"}));
  EXPECT_TRUE(send(parcel(id, "SECOND")));
  EXPECT_EQ(left(id), "0, 0, 0");
}

TEST_F(ShopifyParts, WhatTheStoreAddsAfterAParcelWasMadeIsNotFulfilled) {
  const auto id = add_parts();
  auto mugs = part(id, "FIRST", {"Mug"}, 2);  // the store raises the quantity to 3 later
  mugs.is_part = false;
  mugs.items.resize(1);  // and adds a plate and cups
  EXPECT_TRUE(send(mugs));
  EXPECT_EQ(left(id), "1, 1, 2");
  EXPECT_EQ(shop.order(id).at("displayFulfillmentStatus"), "PARTIALLY_FULFILLED");
  EXPECT_FALSE(send(mugs));
  EXPECT_EQ(left(id), "1, 1, 2");
}

TEST_F(ShopifyParts, AWholeOrderWhoseItemsAreOthersHereIsFulfilled) {
  const auto id = add_parts();
  auto strange = part(id, "FIRST", {"Mug", "Plate", "Cup"});
  strange.is_part = false;
  for (auto& item : strange.items) {
    item.guid = Guid::random();
    item.sku = "other";
  }
  EXPECT_TRUE(send(strange));
  EXPECT_EQ(left(id), "0, 0, 0");
}

TEST_F(ShopifyParts, ALostAnswerFulfilsNothingElse) {
  const auto id = add_parts();
  shop.fail_after(4, Fault::cut);  // after the deliveries, the order's lines and those of both locations
  const auto mugs = part(id, "FIRST", {"Mug"});
  EXPECT_EQ(store.error(store->send_tracking(mugs)).problem(), Problem::busy);
  send(mugs);
  EXPECT_EQ(left(id), "0, 1, 2");
  EXPECT_EQ(fulfillments(shop.order(id)).size(), 1U);
}

TEST_F(ShopifyParts, ItemsThatTheOrderDoesNotHaveFulfilNothing) {
  const auto id = add_parts();
  auto strange = part(id, "FIRST", {"Mug"});
  for (auto& item : strange.items) {
    item.guid = Guid::random();
    item.sku = "other";
  }
  const auto error = store.error(store->send_tracking(strange));
  EXPECT_EQ(error.problem(), Problem::refused);
  EXPECT_EQ(std::string(error.what()), "The order has none of the shipment's items to fulfil in the store.");
  EXPECT_EQ(left(id), "3, 1, 2");
}

TEST_F(ShopifyTracking, OmitsUnknownCarrierDetails) {
  const auto id = shop.add_order();
  auto bare = parcel(id);
  bare.carrier_code = bare.carrier_name = bare.tracking_url = "";
  EXPECT_TRUE(send(bare));
  const auto info = fulfillments(shop.order(id)).at(0).at("trackingInfo").at(0);
  EXPECT_TRUE(info.at("company").is_null());
  EXPECT_TRUE(info.at("url").is_null());
}

TEST_F(ShopifyTracking, ASecondPushChangesNothing) {
  const auto id = shop.add_order();
  EXPECT_TRUE(send(parcel(id)));
  const auto before = shop.order(id);
  EXPECT_FALSE(send(parcel(id)));
  EXPECT_EQ(shop.order(id), before);
  EXPECT_EQ(shop.notifications(), 1U);
}

TEST_F(ShopifyTracking, ALostResponseDuplicatesNothing) {
  const auto id = shop.add_order();
  shop.fail_after(1, Fault::cut);  // after the order is read
  EXPECT_EQ(store.error(store->send_tracking(parcel(id))).problem(), Problem::busy);
  EXPECT_FALSE(send(parcel(id)));
  EXPECT_EQ(fulfillments(shop.order(id)).size(), 1U);
  EXPECT_EQ(shop.notifications(), 1U);
}

// The client repeats a request that got no response on a reused connection; the store refuses the repetition.
TEST_F(ShopifyTracking, AConnectionLostAfterThePushDuplicatesNothing) {
  const auto id = shop.add_order();
  shop.fail_after(1, Fault::lost);
  try {
    EXPECT_FALSE(send(parcel(id)));
  } catch (const connectors::StoreError& error) {
    EXPECT_EQ(error.problem(), Problem::busy);
  }
  EXPECT_FALSE(send(parcel(id)));
  EXPECT_EQ(fulfillments(shop.order(id)).size(), 1U);
  EXPECT_EQ(shop.notifications(), 1U);
}

TEST_F(ShopifyTracking, FulfilsOncePerLocation) {
  const auto id = shop.add_order(
      {{"fulfillmentOrders",
        json::array{ShopifyShop::fulfillment_order(1, 1), ShopifyShop::fulfillment_order(2, 2, "IN_PROGRESS"),
                    ShopifyShop::fulfillment_order(3, 1), ShopifyShop::fulfillment_order(4, 3, "CLOSED")}}});
  EXPECT_TRUE(send(parcel(id)));
  const auto order = shop.order(id);
  EXPECT_EQ(fulfillments(order).size(), 2U);
  EXPECT_EQ(order.at("displayFulfillmentStatus"), "FULFILLED");
  EXPECT_EQ(shop.performed("WaybillFulfil"), 2U);
  EXPECT_FALSE(send(parcel(id)));
  EXPECT_EQ(shop.performed("WaybillFulfil"), 2U);
}

TEST_F(ShopifyTracking, ContinuesAtTheInterruptedLocation) {
  const auto id = shop.add_order({{"fulfillmentOrders", json::array{ShopifyShop::fulfillment_order(1, 1),
                                                                    ShopifyShop::fulfillment_order(2, 2)}}});
  shop.fail_after(2, Fault::server_error);  // after the order is read and fulfilled at the first location
  EXPECT_EQ(store.error(store->send_tracking(parcel(id))).problem(), Problem::failing);
  ASSERT_EQ(fulfillments(shop.order(id)).size(), 1U);
  EXPECT_TRUE(send(parcel(id)));
  EXPECT_EQ(fulfillments(shop.order(id)).size(), 2U);
  EXPECT_FALSE(send(parcel(id)));
}

TEST_F(ShopifyTracking, OpenItemsAreLeftToAnotherParcelOnceTheNumberIsShown) {
  const auto id = shop.add_order();
  EXPECT_TRUE(send(parcel(id)));
  auto parts = shop.order(id).at("fulfillmentOrders").as_array();
  parts.push_back(ShopifyShop::fulfillment_order(9, 1));
  shop.change_order(id, {{"fulfillmentOrders", parts}});
  EXPECT_FALSE(send(parcel(id)));
  EXPECT_EQ(fulfillments(shop.order(id)).size(), 1U);
}

// Shopify may have merged or replaced the fulfillment orders of a fulfillment.
TEST_F(ShopifyTracking, AKnownNumberIsNotPushedAgainWhenItsLocationIsUnknown) {
  const auto id = shop.add_order();
  EXPECT_TRUE(send(parcel(id)));
  shop.change_order(id, {{"fulfillmentOrders", json::array{ShopifyShop::fulfillment_order(9, 2)}}});
  EXPECT_FALSE(send(parcel(id)));
}

TEST_F(ShopifyTracking, ReadsManyFulfillmentOrders) {
  json::array parts;
  for (int i = 0; i < 130; ++i)
    parts.push_back(ShopifyShop::fulfillment_order(i + 1, 1, i < 129 ? "CLOSED" : "OPEN"));
  shop.without_limits();
  const auto id = shop.add_order({{"fulfillmentOrders", parts}});
  EXPECT_TRUE(send(parcel(id)));
  EXPECT_EQ(fulfillments(shop.order(id)).size(), 1U);
}

TEST_F(ShopifyTracking, AddsASecondParcelToAFulfilledOrder) {
  const auto id = shop.add_order();
  EXPECT_TRUE(send(parcel(id, "FIRST")));
  auto second = parcel(id, "SECOND");
  second.tracking_url = "";
  EXPECT_TRUE(send(second));
  auto third = parcel(id, "THIRD");
  third.tracking_url = "https://track.example/3";
  EXPECT_TRUE(send(third));
  const auto order = shop.order(id);
  ASSERT_EQ(fulfillments(order).size(), 1U);
  std::map<std::string, json::value> urls;
  for (const auto& info : fulfillments(order)[0].at("trackingInfo").as_array()) {
    urls[std::string(info.at("number").as_string())] = info.at("url");
    EXPECT_EQ(info.at("company"), "DHL Express");
  }
  EXPECT_EQ(urls,
            (std::map<std::string, json::value>{{"FIRST", "https://track.example/1"},
                                                {"SECOND", "https://carrier.example/DHL Express/SECOND"},
                                                {"THIRD", "https://track.example/3"}}));
  for (const auto* const number : {"FIRST", "SECOND", "THIRD"}) EXPECT_FALSE(send(parcel(id, number)));
}

// Without a company and with a URL the shop makes no link of its own.
TEST_F(ShopifyTracking, ANumberOfOursHasOurLinkAndNoCompany) {
  const auto id = shop.add_order();
  EXPECT_TRUE(send(ours(id)));
  const auto info = fulfillments(shop.order(id)).at(0).at("trackingInfo").at(0);
  EXPECT_EQ(info.at("number"), "WB0000000017");
  EXPECT_EQ(info.at("url"), "https://parcels.example/track/0123");
  EXPECT_TRUE(info.at("company").is_null());
}

TEST_F(ShopifyTracking, ACarriersNumberThatIsKnownLaterReplacesOurs) {
  const auto id = shop.add_order();
  send(ours(id));
  auto later = parcel(id);
  later.earlier_numbers = {"WB0000000017"};
  EXPECT_TRUE(send(later));
  const auto order = shop.order(id);
  ASSERT_EQ(fulfillments(order).size(), 1U);
  ASSERT_EQ(fulfillments(order)[0].at("trackingInfo").as_array().size(), 1U);
  const auto& info = fulfillments(order)[0].at("trackingInfo").at(0);
  EXPECT_EQ(text_at(info, "number"), later.tracking_number);
  EXPECT_EQ(text_at(info, "url"), later.tracking_url);
  EXPECT_EQ(info.at("company"), "DHL Express");
  EXPECT_FALSE(send(later));
  EXPECT_EQ(shop.notifications(), 2U) << "the buyer gets the new number";
}

TEST_F(ShopifyTracking, AShipmentMayReturnToAnEarlierNumber) {
  const auto id = shop.add_order();
  const auto sent = [&](const std::string& number, const std::string& earlier) {
    auto tracking = parcel(id, number);
    tracking.earlier_numbers = {earlier};
    return send(tracking);
  };
  EXPECT_TRUE(sent("AAA", "BBB"));
  EXPECT_TRUE(sent("BBB", "AAA"));
  EXPECT_TRUE(sent("AAA", "BBB"));
  EXPECT_FALSE(sent("AAA", "BBB")) << "the store shows it";
  const auto made = fulfillments(shop.order(id));
  ASSERT_EQ(made.size(), 1U);
  ASSERT_EQ(made[0].at("trackingInfo").as_array().size(), 1U);
  EXPECT_EQ(text_at(made[0], "trackingInfo.0.number"), "AAA");
  EXPECT_EQ(shop.notifications(), 3U);
}

TEST_F(ShopifyTracking, AReplacedNumberLeavesThoseOfOtherParcels) {
  const auto id = shop.add_order();
  send(ours(id));
  send(parcel(id, "SECOND"));
  auto later = parcel(id, "THIRD");
  later.earlier_numbers = {"WB0000000017"};
  EXPECT_TRUE(send(later));
  std::set<std::string> numbers;
  const auto made = fulfillments(shop.order(id));
  ASSERT_EQ(made.size(), 1U);
  for (const auto& info : made[0].at("trackingInfo").as_array())
    numbers.emplace(info.at("number").as_string());
  EXPECT_EQ(numbers, (std::set<std::string>{"SECOND", "THIRD"}));
}

TEST_F(ShopifyTracking, AnInterruptedPushGoesOnUnderTheNewNumber) {
  const auto id = shop.add_order({{"fulfillmentOrders", json::array{ShopifyShop::fulfillment_order(1, 1),
                                                                    ShopifyShop::fulfillment_order(2, 2)}}});
  shop.fail_after(2, Fault::server_error);  // after the order is read and fulfilled at the first location
  EXPECT_EQ(store.error(store->send_tracking(ours(id))).problem(), Problem::failing);
  auto later = parcel(id);
  later.earlier_numbers = {"WB0000000017"};
  EXPECT_TRUE(send(later));
  const auto made = fulfillments(shop.order(id));
  ASSERT_EQ(made.size(), 2U);
  for (const auto& each : made) EXPECT_EQ(text_at(each, "trackingInfo.0.number"), later.tracking_number);
}

TEST_F(ShopifyTracking, ANewLinkOfAPushedNumberIsShown) {
  const auto id = shop.add_order();
  send(parcel(id));
  auto later = parcel(id);
  later.tracking_url = "https://track.example/2";
  EXPECT_FALSE(send(later)) << "the shop's own link stays";
  later.has_new_url = true;
  EXPECT_TRUE(send(later));
  EXPECT_EQ(fulfillments(shop.order(id)).at(0).at("trackingInfo").at(0).at("url"), "https://track.example/2");
  EXPECT_FALSE(send(later));
}

TEST_F(ShopifyTracking, AddsTheNumberToAFulfilmentOfTheMerchantWithoutOne) {
  const auto fulfillment = [](std::int64_t id, std::string_view status, json::array tracking) {
    return json::object{{"id", test_gid("Fulfillment", id)},
                        {"status", status},
                        {"displayStatus", "FULFILLED"},
                        {"location", {{"id", test_gid("Location", 1)}}},
                        {"trackingInfo", std::move(tracking)}};
  };
  const json::array tracked{json::object{{"number", "OTHER"}, {"url", nullptr}, {"company", "UPS"}}};
  const json::array own_tracking{
      json::object{{"number", "00340434161094042557"}, {"url", nullptr}, {"company", "DHL Express"}}};
  const auto id = shop.add_order(
      {{"displayFulfillmentStatus", "FULFILLED"},
       {"fulfillmentOrders", json::array{ShopifyShop::fulfillment_order(1, 1, "CLOSED")}},
       {"fulfillments", json::array{fulfillment(7, "CANCELLED", own_tracking), fulfillment(8, "SUCCESS", {}),
                                    fulfillment(9, "SUCCESS", tracked)}}});
  EXPECT_TRUE(send(parcel(id)));
  const auto made = fulfillments(shop.order(id));
  EXPECT_EQ(made.at(1).at("trackingInfo").at(0).at("number"), "00340434161094042557");
  EXPECT_EQ(made.at(2).at("trackingInfo").as_array(), tracked);
}

TEST_F(ShopifyTracking, IsPermanentlyRefusedWithoutAnythingToFulfil) {
  const auto cancelled = shop.add_order({{"cancelledAt", "2026-07-01T11:00:00Z"}});
  const auto held =
      shop.add_order({{"fulfillmentOrders", json::array{ShopifyShop::fulfillment_order(1, 1, "ON_HOLD")}}});
  const auto empty = shop.add_order({{"fulfillmentOrders", json::array()}});
  const auto error_message = [&](std::int64_t id) {
    const auto error = store.error(store->send_tracking(parcel(id)));
    EXPECT_EQ(error.problem(), Problem::refused) << error.what();
    return std::string(error.what());
  };
  EXPECT_NE(error_message(cancelled).find("cancelled"), std::string::npos);
  EXPECT_NE(error_message(held).find("ON_HOLD"), std::string::npos);
  error_message(empty);
  error_message(1);  // no such order
  EXPECT_EQ(shop.performed("WaybillFulfil"), 0U);
}

TEST_F(ShopifyTracking, ReportsTheMessageOfTheStore) {
  const auto id = shop.add_order();
  shop.before_call("WaybillFulfil", [&] {
    shop.change_order(
        id, {{"fulfillmentOrders", json::array{ShopifyShop::fulfillment_order(1, 1, "CANCELLED")}}});
  });
  const auto error = store.error(store->send_tracking(parcel(id)));
  EXPECT_EQ(error.problem(), Problem::refused);
  EXPECT_NE(std::string(error.what()).find("does not exist"), std::string::npos) << error.what();
}

TEST_F(ShopifyTracking, TwoConcurrentPushesFulfilOnce) {
  const auto id = shop.add_order();
  shop.before_call("WaybillFulfil", [&] {
    shop.before_call({}, {});
    OpenStore other(connector(), credentials());
    EXPECT_TRUE(other.wait(other->send_tracking(parcel(id))));
  });
  EXPECT_FALSE(send(parcel(id)));
  EXPECT_EQ(fulfillments(shop.order(id)).size(), 1U);
}

TEST_F(ShopifyTracking, ReportsTheMissingScope) {
  const auto id = shop.add_order();
  shop.set_scopes({"read_orders", "read_products"});
  EXPECT_EQ(store.error(store->send_tracking(parcel(id))).problem(), Problem::credentials);
  shop.set_scopes({"read_orders", "read_products", "read_merchant_managed_fulfillment_orders"});
  const auto error = store.error(store->send_tracking(parcel(id)));
  EXPECT_EQ(error.problem(), Problem::credentials);
  EXPECT_NE(std::string(error.what()).find("write_merchant_managed_fulfillment_orders"), std::string::npos);
}

TEST_F(ShopifyTracking, AThrottledPushIsPushedOnce) {
  const auto id = shop.add_order();
  shop.fail_after(1, Fault::throttled);
  EXPECT_TRUE(send(parcel(id)));
  EXPECT_EQ(fulfillments(shop.order(id)).size(), 1U);
}

}  // namespace
}  // namespace waybill::tests
