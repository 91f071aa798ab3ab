#include "connectors/woocommerce/oauth1.hpp"
#include "tests/connectors/woocommerce_fixture.hpp"

namespace waybill::tests {
namespace {

using connectors::StoreProblem;
using connectors::StoreTracking;

const Time shipped = *parse_timestamp("2026-07-01T23:30:00Z");

class WooCommerceTracking : public WooCommerceStore {
 protected:
  void start_with_order(const Options& options, const json::object& fields = {}) {
    start(options);
    order_ = store_->add_order(fields);
  }

  StoreTracking parcel(std::string number = "WB123") const {
    return {.order_id = std::to_string(order_),
            .tracking_number = std::move(number),
            .carrier_name = "DHL Express",
            .carrier_code = "dhl_express",
            .tracking_url = "https://dhl.example/WB123",
            .shipped_at = shipped};
  }

  /// The same parcel before its carrier's number is known.
  StoreTracking ours() const {
    auto tracking = parcel("WB0000000017");
    tracking.carrier_name = tracking.carrier_code = "";
    tracking.tracking_url = "https://parcels.example/track/0123";
    return tracking;
  }

  std::string status() const { return text_at(store_->order(order_), "status"); }

  /// The number of places in the store that show this number, by any method.
  std::size_t count_of(std::string_view number) const {
    std::size_t count = 0;
    for (const auto& list :
         {store_->trackings(order_), store_->fulfillments(order_), store_->notes(order_)}) {
      for (const auto& entry : list) count += to_json(entry).find(number) != std::string::npos ? 1 : 0;
    }
    return count;
  }

  static std::vector<Options> tracking_methods() {
    return {{.shipment_tracking = true}, {.advanced_tracking = true}, {.fulfillments = true}, {}};
  }

  std::int64_t order_ = 0;
};

TEST_F(WooCommerceTracking, TheShipmentTrackingPluginIsUsedIfInstalled) {
  start_with_order({.shipment_tracking = true, .advanced_tracking = true, .fulfillments = true});
  EXPECT_TRUE(send(parcel()));
  ASSERT_EQ(store_->trackings(order_).size(), 1U);
  const auto tracking = store_->trackings(order_)[0];
  EXPECT_EQ(text_at(tracking, "tracking_number"), "WB123");
  EXPECT_EQ(text_at(tracking, "tracking_provider"), "DHL Express");
  EXPECT_EQ(text_at(tracking, "tracking_link"), "https://dhl.example/WB123");
  EXPECT_EQ(text_at(tracking, "date_shipped"), "2026-07-01");
  EXPECT_EQ(store_->count("POST", "wc-shipment-tracking/v3"), 1U);
  EXPECT_TRUE(store_->fulfillments(order_).empty());
  EXPECT_EQ(status(), "completed");
}

TEST_F(WooCommerceTracking, AdvancedShipmentTrackingIsTheSecondChoice) {
  start_with_order({.advanced_tracking = true, .fulfillments = true});
  EXPECT_TRUE(send(parcel()));
  EXPECT_EQ(store_->trackings(order_).size(), 1U);
  EXPECT_EQ(store_->count("POST", "wc-ast/v3"), 1U);
  EXPECT_TRUE(store_->fulfillments(order_).empty());
}

TEST_F(WooCommerceTracking, FulfillmentsOfTheCoreAreTheThirdChoice) {
  start_with_order({.fulfillments = true});
  EXPECT_TRUE(send(parcel()));
  ASSERT_EQ(store_->fulfillments(order_).size(), 1U);
  const json::object made = store_->fulfillments(order_)[0];
  EXPECT_EQ(at(made, "status"), "fulfilled");
  EXPECT_EQ(at(made, "is_fulfilled"), true);
  const std::string meta = to_json(at(made, "meta_data"));
  for (const auto* const part :
       {R"({"key":"_tracking_number","value":"WB123"})", R"({"key":"_shipment_provider","value":"dhl"})",
        R"({"key":"_tracking_url","value":"https://dhl.example/WB123"})", R"("qty":2)"}) {
    EXPECT_NE(meta.find(part), std::string::npos) << part << " in " << meta;
  }
  EXPECT_TRUE(store_->notes(order_).empty());
}

TEST_F(WooCommerceTracking, ANoteToTheBuyerIsTheLastChoice) {
  start_with_order({});
  EXPECT_TRUE(send(parcel()));
  ASSERT_EQ(store_->notes(order_).size(), 1U);
  const json::object note = store_->notes(order_)[0];
  EXPECT_NE(text_at(note, "note").find("WB123"), std::string::npos);
  EXPECT_NE(text_at(note, "note").find("https://dhl.example/WB123"), std::string::npos);
  EXPECT_EQ(at(note, "customer_note"), true);
  EXPECT_EQ(status(), "completed");
  EXPECT_NE(
      to_json(at(store_->order(order_), "meta_data")).find(R"("key":"_tracking_number","value":"WB123")"),
      std::string::npos);
}

TEST_F(WooCommerceTracking, TheMethodThatWorkedIsRemembered) {
  start_with_order({.fulfillments = true});
  send(parcel());
  store_->forget_calls();
  send(parcel("WB124"));
  EXPECT_EQ(store_->count("GET", "shipment-trackings"), 0U);
}

TEST_F(WooCommerceTracking, SendingTwiceShowsTheNumberOnce) {
  for (const auto& options : tracking_methods()) {
    start_with_order(options);
    EXPECT_TRUE(send(parcel()));
    EXPECT_FALSE(send(parcel()));
    reopen();
    EXPECT_FALSE(send(parcel()));
    EXPECT_EQ(count_of("WB123"), 1U);
  }
}

TEST_F(WooCommerceTracking, AfterALostResponseTheRetryFindsTheNumber) {
  for (const auto& options : tracking_methods()) {
    for (const auto* const method : {"POST", "PUT"}) {
      start_with_order(options);
      Fault lost = lost_answer();
      lost.method = method;
      store_->fail(lost);
      EXPECT_EQ(problem_of([&] { send(parcel()); }), StoreProblem::busy);
      send(parcel());
      EXPECT_EQ(count_of("WB123"), 1U) << method;
      EXPECT_EQ(status(), "completed");
      EXPECT_FALSE(send(parcel()));
    }
  }
}

TEST_F(WooCommerceTracking, ARetryCompletesWhatFailedBeforeTheLastCall) {
  for (const auto& options : tracking_methods()) {
    start_with_order(options);
    Fault failing = failing_with(503);
    failing.method = "PUT";
    store_->fail(failing);
    EXPECT_EQ(problem_of([&] { send(parcel()); }), StoreProblem::failing);
    EXPECT_EQ(status(), "processing");
    send(parcel());
    EXPECT_EQ(status(), "completed");
    EXPECT_EQ(count_of("WB123"), 1U);
  }
}

TEST_F(WooCommerceTracking, ASecondParcelIsAddedToTheFirst) {
  for (const auto& options : tracking_methods()) {
    start_with_order(options);
    EXPECT_TRUE(send(parcel("WB123")));
    EXPECT_TRUE(send(parcel("WB12")));
    EXPECT_FALSE(send(parcel("WB123")));
    EXPECT_FALSE(send(parcel("WB12")));
    const auto parts =
        store_->trackings(order_).size() + store_->fulfillments(order_).size() + store_->notes(order_).size();
    EXPECT_EQ(parts, 2U);
  }
}

TEST_F(WooCommerceTracking, ANumberOfOursHasOurLinkAndNoCarrier) {
  for (const auto& options : tracking_methods()) {
    start_with_order(options);
    EXPECT_TRUE(send(ours()));
    EXPECT_EQ(count_of("WB0000000017"), 1U);
    EXPECT_EQ(count_of("https://parcels.example/track/0123"), 1U);
    EXPECT_EQ(count_of("DHL"), 0U);
    EXPECT_EQ(count_of("dhl"), 0U);
  }
}

TEST_F(WooCommerceTracking, ACarriersNumberThatIsKnownLaterReplacesOurs) {
  for (const auto& options : tracking_methods()) {
    start_with_order(options);
    send(ours());
    auto later = parcel();
    later.earlier_numbers = {"WB0000000017"};
    EXPECT_TRUE(send(later));
    EXPECT_FALSE(send(later));
    EXPECT_EQ(count_of("WB123"), 1U);
    const bool is_note = !options.shipment_tracking && !options.advanced_tracking && !options.fulfillments;
    EXPECT_EQ(count_of("WB0000000017"), is_note ? 1U : 0U) << "the buyer has read the note";
    EXPECT_EQ(store_->trackings(order_).size() + store_->fulfillments(order_).size(), is_note ? 0U : 1U);
    const std::string meta = to_json(at(store_->order(order_), "meta_data"));
    EXPECT_EQ(meta.find("WB0000000017"), std::string::npos) << meta;
  }
}

TEST_F(WooCommerceTracking, AShipmentMayReturnToAnEarlierNumber) {
  const auto sent = [&](std::string number, std::string earlier) {
    auto tracking = parcel(std::move(number));
    tracking.earlier_numbers = {std::move(earlier)};
    return send(tracking);
  };
  for (const auto& options : tracking_methods()) {
    start_with_order(options);
    EXPECT_TRUE(sent("AAA", "WB1"));
    EXPECT_TRUE(sent("BBB", "AAA"));
    EXPECT_TRUE(sent("AAA", "BBB"));
    EXPECT_FALSE(sent("AAA", "BBB")) << "the store shows it";
    if (const auto notes = store_->notes(order_); !notes.empty()) {
      ASSERT_EQ(notes.size(), 3U);
      EXPECT_NE(text_at(notes.back(), "note").find("AAA"), std::string::npos);
    } else {
      EXPECT_EQ(count_of("AAA"), 1U);
      EXPECT_EQ(count_of("BBB"), 0U);
    }
  }
}

/// A parcel whose number changes twice and becomes the first one again, while the answer to a request with
/// `method` is lost.
class ReturningNumber : public WooCommerceTracking {
 protected:
  void expect_one_note(const char* method) {
    start_with_order({});
    auto first = parcel("AAA");
    auto second = parcel("BBB");
    first.earlier_numbers = {"BBB"};
    second.earlier_numbers = {"AAA"};
    send(first);
    send(second);
    Fault lost = lost_answer();
    lost.method = method;
    store_->fail(lost);
    EXPECT_EQ(problem_of([&] { send(first); }), StoreProblem::busy);
    send(first);
    EXPECT_EQ(store_->notes(order_).size(), 3U);
    // The number changes again although the meta data has not followed the last note.
    lost.method = "POST";
    store_->fail(lost);
    EXPECT_EQ(problem_of([&] { send(second); }), StoreProblem::busy);
    EXPECT_TRUE(send(first)) << "the buyer was told BBB last";
    EXPECT_EQ(store_->notes(order_).size(), 5U);
  }
};

TEST_F(ReturningNumber, IsNotedOnceIfTheAnswerToTheNoteIsLost) { expect_one_note("POST"); }

TEST_F(ReturningNumber, IsNotedOnceIfTheAnswerToTheMetaDataIsLost) { expect_one_note("PUT"); }

TEST_F(WooCommerceTracking, AChangedFulfillmentKeepsItsOtherData) {
  start_with_order({.fulfillments = true});
  send(ours());
  auto later = parcel();
  later.earlier_numbers = {"WB0000000017"};
  send(later);
  const std::string meta = to_json(at(store_->fulfillments(order_).at(0), "meta_data"));
  for (const auto* const part : {R"("_items")", R"("qty":2)", R"({"key":"_tracking_number","value":"WB123"})",
                                 R"({"key":"_shipment_provider","value":"dhl"})",
                                 R"({"key":"_tracking_url","value":"https://dhl.example/WB123"})"}) {
    EXPECT_NE(meta.find(part), std::string::npos) << part << " in " << meta;
  }
  EXPECT_EQ(meta.find("_provider_name"), std::string::npos) << meta;
}

TEST_F(WooCommerceTracking, AReplacementIsCompletedAfterALostResponse) {
  for (const auto& options : tracking_methods()) {
    start_with_order(options);
    send(ours());
    Fault lost = lost_answer();
    lost.method = options.fulfillments ? "PUT" : "POST";
    store_->fail(lost);
    auto later = parcel();
    later.earlier_numbers = {"WB0000000017"};
    EXPECT_EQ(problem_of([&] { send(later); }), StoreProblem::busy);
    send(later);
    EXPECT_EQ(count_of("WB123"), 1U);
    EXPECT_LE(store_->trackings(order_).size() + store_->fulfillments(order_).size(), 1U);
    EXPECT_FALSE(send(later));
  }
}

TEST_F(WooCommerceTracking, ANewLinkOfASentNumberIsShown) {
  for (const auto& options : tracking_methods()) {
    start_with_order(options);
    send(parcel());
    auto later = parcel();
    later.tracking_url = "https://dhl.example/new";
    EXPECT_FALSE(send(later)) << "a link that the merchant entered stays";
    later.has_new_url = true;
    EXPECT_TRUE(send(later));
    EXPECT_EQ(count_of("https://dhl.example/new"), 1U);
    EXPECT_LE(store_->trackings(order_).size() + store_->fulfillments(order_).size(), 1U);
  }
}

TEST_F(WooCommerceTracking, ItemsOfAnEarlierParcelAreNotFulfilledAgain) {
  start_with_order({.fulfillments = true});
  // The merchant fulfilled one of the two pieces manually.
  const std::string path = "/wp-json/wc/v3/orders/" + std::to_string(order_) + "/fulfillments";
  const std::string query = connectors::oauth1::signed_query(
      "POST", store_->url() + path, {}, {store_->key(), store_->secret()}, system_clock().now(), "by hand");
  Http http("127.0.0.1", std::stoi(store_->url().substr(store_->url().rfind(':') + 1)));
  const json::array items = {{{"item_id", order_ * 10}, {"qty", 1}}};
  const json::array meta_data = {{{"key", "_items"}, {"value", items}}};
  ASSERT_EQ(http.post(path + "?" + query, {{"status", "fulfilled"}, {"meta_data", meta_data}}).status, 201);
  EXPECT_TRUE(send(parcel()));
  ASSERT_EQ(store_->fulfillments(order_).size(), 2U);
  const std::string sent = to_json(store_->fulfillments(order_)[1]);
  EXPECT_NE(sent.find(R"("qty":1)"), std::string::npos) << sent;
}

TEST_F(WooCommerceTracking, QuantitiesMayBeTextsAndListsMayHaveIndices) {
  const json::object line{
      {"id", 71}, {"name", "Mug"}, {"product_id", 5}, {"quantity", "3"}, {"total", "30.00"}};
  for (const json::value& lines : {json::value(json::array{line}), json::value(json::object{{"2", line}})}) {
    start_with_order({.fulfillments = true}, {{"line_items", lines}});
    EXPECT_TRUE(send(parcel()));
    ASSERT_EQ(store_->fulfillments(order_).size(), 1U);
    const std::string sent = to_json(store_->fulfillments(order_)[0]);
    EXPECT_NE(sent.find(R"({"item_id":71,"qty":3})"), std::string::npos) << sent;
  }
}

// A parcel with some of the order's items

class WooCommerceParts : public WooCommerceTracking {
 protected:
  static json::object line(std::int64_t id, std::string_view name, int quantity) {
    return {{"id", id},
            {"name", name},
            {"product_id", 5},
            {"sku", name},
            {"quantity", quantity},
            {"total", "10.00"},
            {"price", 10},
            {"meta_data", json::array()}};
  }

  /// An order of 3 mugs and 1 plate.
  void start_with_parts(const Options& options) {
    start_with_order(options, {{"line_items", json::array{line(71, "Mug", 3), line(72, "Plate", 1)}}});
  }

  /// The parcel with one of the items. The last one leaves nothing: the other item is sent.
  StoreTracking part(std::string number, std::string_view name, bool is_last,
                     std::int64_t quantity = 3) const {
    auto tracking = parcel(std::move(number));
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

  /// The parcel of all items of the order when it was made.
  StoreTracking whole(std::string number, std::int64_t mugs, std::int64_t plates) const {
    auto tracking = part(std::move(number), "Mug", false, mugs);
    tracking.is_part = false;
    tracking.items[1].quantity = tracking.items[1].in_parcel = plates;
    if (plates == 0) tracking.items.pop_back();
    return tracking;
  }

  std::string items_of_fulfillment(std::size_t index) const {
    const json::value meta_data = at(store_->fulfillments(order_).at(index), "meta_data");
    for (const auto& entry : meta_data.as_array()) {
      if (entry.at("key") == "_items") return to_json(entry.at("value"));
    }
    return "none";
  }
};

TEST_F(WooCommerceParts, AnOrderIsCompletedWithItsLastParcel) {
  for (const auto& options : tracking_methods()) {
    start_with_parts(options);
    EXPECT_TRUE(send(part("PA1", "Mug", false)));
    EXPECT_EQ(status(), "processing");
    EXPECT_FALSE(send(part("PA1", "Mug", false)));
    EXPECT_EQ(status(), "processing");
    EXPECT_TRUE(send(part("PA2", "Plate", true)));
    EXPECT_EQ(status(), "completed");
    EXPECT_EQ(count_of("PA1"), 1U);
    EXPECT_EQ(count_of("PA2"), 1U);
  }
}

TEST_F(WooCommerceParts, AFulfillmentHasOnlyTheItemsOfTheParcel) {
  start_with_parts({.fulfillments = true});
  send(part("WB1", "Mug", false));
  EXPECT_EQ(items_of_fulfillment(0), R"([{"item_id":71,"qty":3}])");
  send(part("WB2", "Plate", true));
  EXPECT_EQ(items_of_fulfillment(1), R"([{"item_id":72,"qty":1}])");
}

TEST_F(WooCommerceParts, AFulfillmentHasOnlyThePiecesOfTheParcel) {
  start_with_parts({.fulfillments = true});
  send(part("WB1", "Mug", false, 2));
  EXPECT_EQ(items_of_fulfillment(0), R"([{"item_id":71,"qty":2}])");
}

TEST_F(WooCommerceParts, AnOrderWithAllItemsInFulfillmentsIsComplete) {
  start_with_parts({.fulfillments = true});
  send(part("WB1", "Mug", false));
  EXPECT_EQ(status(), "processing");
  send(part("WB2", "Plate", false));
  EXPECT_EQ(status(), "completed") << "waybill does not know what the merchant sent without it";
}

TEST_F(WooCommerceParts, WhatTheStoreAddsAfterAParcelWasMadeIsNotInIt) {
  for (const auto& options : tracking_methods()) {
    start_with_parts(options);
    EXPECT_TRUE(send(whole("WB1", 3, 0)));
    EXPECT_FALSE(send(whole("WB1", 3, 0)));
    EXPECT_EQ(count_of("WB1"), 1U);
    EXPECT_EQ(status(), "processing") << "the plate is still to be sent";
    if (options.fulfillments) EXPECT_EQ(items_of_fulfillment(0), R"([{"item_id":71,"qty":3}])");
    store_->change_order(order_, {{"line_items", json::array{line(71, "Mug", 3)}}});
    EXPECT_TRUE(send(whole("WB2", 3, 0)));
    EXPECT_EQ(status(), "completed");
  }
}

TEST_F(WooCommerceParts, MorePiecesThanAParcelWasMadeWithAreNotInIt) {
  for (const auto& options : tracking_methods()) {
    start_with_parts(options);
    EXPECT_TRUE(send(whole("WB1", 2, 1)));
    EXPECT_EQ(status(), "processing") << "a mug is still to be sent";
    if (options.fulfillments)
      EXPECT_EQ(items_of_fulfillment(0), R"([{"item_id":71,"qty":2},{"item_id":72,"qty":1}])");
  }
}

TEST_F(WooCommerceParts, AWholeOrderWhoseItemsAreOthersHereIsCompleted) {
  for (const auto& options : tracking_methods()) {
    start_with_parts(options);
    auto strange = whole("WB1", 3, 1);
    for (auto& item : strange.items) {
      item.guid = Guid::random();
      item.sku = "other";
    }
    EXPECT_TRUE(send(strange));
    EXPECT_EQ(status(), "completed");
    if (options.fulfillments)
      EXPECT_EQ(items_of_fulfillment(0), R"([{"item_id":71,"qty":3},{"item_id":72,"qty":1}])");
  }
}

TEST_F(WooCommerceParts, WhatWasPaidBackIsInNoParcel) {
  for (const auto& options : tracking_methods()) {
    start_with_parts(options);
    store_->refund_lines(order_, {{71, 1}});
    EXPECT_TRUE(send(whole("WB1", 2, 1)));
    EXPECT_EQ(status(), "completed");
    if (options.fulfillments)
      EXPECT_EQ(items_of_fulfillment(0), R"([{"item_id":71,"qty":2},{"item_id":72,"qty":1}])");
    start_with_parts(options);
    store_->refund_lines(order_, {{71, 3}});
    EXPECT_TRUE(send(parcel("WB1")));
    EXPECT_EQ(status(), "completed");
    if (options.fulfillments) EXPECT_EQ(items_of_fulfillment(0), R"([{"item_id":72,"qty":1}])");
  }
}

TEST_F(WooCommerceParts, OfTwoEqualLinesTheOneThatWasPaidBackIsInNoParcel) {
  start_with_order(
      {.fulfillments = true},
      {{"line_items", json::array{line(71, "Mug", 1), line(72, "Mug", 1), line(73, "Plate", 1)}}});
  store_->refund_lines(order_, {{71, 1}});
  EXPECT_TRUE(send(part("WB1", "Mug", false, 1)));
  EXPECT_EQ(items_of_fulfillment(0), R"([{"item_id":72,"qty":1}])");
  EXPECT_TRUE(send(part("WB2", "Plate", true, 1)));
  EXPECT_EQ(items_of_fulfillment(1), R"([{"item_id":73,"qty":1}])");
  EXPECT_EQ(status(), "completed");
}

TEST_F(WooCommerceParts, AnOrderOfWhichNothingIsLeftAfterRefundsIsSentAsOrdered) {
  start_with_parts({.fulfillments = true});
  store_->refund_lines(order_, {{71, 3}, {72, 1}});
  EXPECT_TRUE(send(parcel("WB1")));
  EXPECT_EQ(items_of_fulfillment(0), R"([{"item_id":71,"qty":3},{"item_id":72,"qty":1}])");
}

TEST_F(WooCommerceParts, RefundsThatCannotBeReadAreReadAgainLater) {
  start_with_parts({.fulfillments = true});
  store_->refund_lines(order_, {{71, 1}});
  Fault failing = failing_with(503);
  failing.path_part = "/refunds";
  store_->fail(failing, 10);
  EXPECT_EQ(problem_of([&] { send(whole("WB1", 2, 1)); }), StoreProblem::failing);
  EXPECT_TRUE(store_->fulfillments(order_).empty());
  store_->stop_failing();
  EXPECT_TRUE(send(whole("WB1", 2, 1)));
}

TEST_F(WooCommerceParts, AParcelOfThingsThatTheOrderDoesNotHaveIsANote) {
  start_with_parts({.fulfillments = true});
  auto strange = part("WB1", "Mug", false);
  for (auto& item : strange.items) {
    item.guid = Guid::random();
    item.sku = "other";
  }
  EXPECT_TRUE(send(strange));
  EXPECT_TRUE(store_->fulfillments(order_).empty());
  EXPECT_EQ(store_->notes(order_).size(), 1U);
  EXPECT_EQ(status(), "processing");
  EXPECT_FALSE(send(strange));
}

TEST_F(WooCommerceTracking, AFulfillmentHasTheStoresKeyOfTheCarrier) {
  start_with_order({.fulfillments = true});
  auto tracking = parcel();
  tracking.carrier_name = "Royal Mail";
  tracking.carrier_code = "royal_mail";
  send(tracking);
  const std::string made = to_json(store_->fulfillments(order_)[0]);
  EXPECT_NE(made.find(R"("_shipment_provider","value":"royal-mail")"), std::string::npos) << made;
  EXPECT_EQ(made.find("_provider_name"), std::string::npos) << made;
}

TEST_F(WooCommerceTracking, ACarrierThatTheStoreDoesNotHaveKeepsItsName) {
  struct Carrier {
    std::string name, code;
  };
  for (const auto& [name, code] : {Carrier{"Aramex", "aramex"},                // built in
                                   Carrier{"Harbour Bikes", "harbour_bikes"},  // of the business
                                   Carrier{"DHL Express", ""}}) {
    start_with_order({.fulfillments = true});
    auto tracking = parcel();
    tracking.carrier_name = name;
    tracking.carrier_code = code;
    send(tracking);
    const std::string made = to_json(store_->fulfillments(order_)[0]);
    EXPECT_NE(made.find(R"("_shipment_provider","value":"other")"), std::string::npos) << made;
    EXPECT_NE(made.find(R"("_provider_name","value":")" + name + "\""), std::string::npos) << made;
  }
}

TEST_F(WooCommerceTracking, ACancelledOrUnknownOrderIsPermanentlyRefused) {
  for (const auto& options : tracking_methods()) {
    for (const auto* const over : {"cancelled", "refunded", "trash"}) {
      start_with_order(options, {{"status", over}});
      EXPECT_EQ(problem_of([&] { send(parcel()); }), StoreProblem::refused) << over;
      EXPECT_NE(message_.find(over), std::string::npos) << message_;
      EXPECT_EQ(count_of("WB123"), 0U);
    }
    start_with_order(options);
    store_->delete_order(order_);
    EXPECT_EQ(problem_of([&] { send(parcel()); }), StoreProblem::refused);
    for (const auto* const none : {"", "x", "7/../8"}) {
      auto tracking = parcel();
      tracking.order_id = none;
      EXPECT_EQ(problem_of([&] { send(tracking); }), StoreProblem::refused) << none;
    }
  }
}

TEST_F(WooCommerceTracking, AFulfillmentWithoutItemsIsPermanentlyRefused) {
  start_with_order({.fulfillments = true}, {{"line_items", json::array()}});
  EXPECT_EQ(problem_of([&] { send(parcel()); }), StoreProblem::refused);
  EXPECT_NE(message_.find("at least one item"), std::string::npos) << message_;
}

TEST_F(WooCommerceTracking, AReadOnlyKeyIsReported) {
  for (const auto& options : tracking_methods()) {
    start_with_order(options);
    store_->set_rights(WooCommerceSimulator::Rights::read);
    EXPECT_EQ(problem_of([&] { send(parcel()); }), StoreProblem::credentials);
    EXPECT_NE(message_.find("Read/Write"), std::string::npos) << message_;
    EXPECT_EQ(status(), "processing");
  }
}

TEST_F(WooCommerceTracking, ACustomStatusOfAPluginIsNotChanged) {
  for (const auto& options : tracking_methods()) {
    start_with_order(options, {{"status", "picking"}});
    EXPECT_TRUE(send(parcel()));
    EXPECT_EQ(status(), "picking");
  }
}

TEST_F(WooCommerceTracking, AfterANumberTheOrderIsReadAsShipped) {
  start_with_order({});
  send(parcel());
  const auto page = client_.run(connection_->order(std::to_string(order_)));
  ASSERT_EQ(page.records.size(), 1U);
  EXPECT_EQ(page.records[0].status, "shipped");
}

}  // namespace
}  // namespace waybill::tests
