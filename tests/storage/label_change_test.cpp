// The changes that steps with labels make, against the database. SQL moves the purchases.
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "storage/carriers/purchases.hpp"
#include "storage/changes/record_change.hpp"
#include "storage/runs/watches.hpp"
#include "storage/session/session.hpp"
#include "storage/sql/queue.sql.hpp"
#include "storage/statement/binary.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

using domain::EntityType;
using Kind = storage::ChangeResult::Kind;

class LabelChanges : public testing::Test {
 protected:
  LabelChanges() {
    const std::string b = business.to_string();
    database.rows("insert into businesses (guid, name) values ($1, 'Ada')", {b});
    database.rows("insert into orders (business_id, guid, order_number) values ($1, $2, 'O-1')",
                  {b, order.to_string()});
    database.rows(
        "insert into carriers (business_id, guid, name, code, type) values ($1, $2, 'Harbour', "
        "'harbour', 'courier')",
        {b, carrier.to_string()});
    database.rows(
        "insert into shipments (business_id, guid, order_id, tracking_number, carrier_id, "
        "service_level) values ($1, $2, $3, 'S-1', $4, 'express')",
        {b, shipment.to_string(), order.to_string(), carrier.to_string()});
    database.rows(
        "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, "
        "entity_type, entity_id, trigger_code, action, status, due_at, created_at, origin, request) "
        "values ($1, $2, $3, 1, 1, 0, $4, 'order_created', 'buy_label', 'waiting', 'infinity', "
        "now(), $2, '{}')",
        {b, run.to_string(), workflow.to_string(), order.to_string()});
  }

  void connect() {
    database.rows(
        "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, "
        "connector, label_format) values ($1, $2, 'a', false, 'karrio', 'zpl')",
        {business.to_string(), carrier.to_string()});
  }

  storage::LabelStep step(EntityType type = EntityType::order) const {
    return {.entity_type = type,
            .record = type == EntityType::order ? order : shipment,
            .workflow = workflow,
            .run = run,
            .until = until,
            .cause = R"({"by": {"type": "workflow"}, "depth": 1})"};
  }

  /// Makes a change, and notes the purchase for which the run waits, as the recorder does.
  template <typename Change>
  storage::ChangeResult make(Change change) {
    storage::Work work(session);
    storage::ChangeResult result =
        make_change(session, business, {.change = std::move(change), .started_at = now});
    const std::vector<Guid> businesses{business}, workflows{workflow}, runs{run};
    const std::vector<std::optional<std::string>> purchases{
        result.awaited ? std::optional(result.awaited->to_string()) : std::nullopt};
    if (result.kind != Kind::locked)
      session.run_with_fresh_plan(
          storage::sql::queue::AwaitPurchases{.businesses = storage::binary_array(businesses),
                                              .workflows = storage::binary_array(workflows),
                                              .runs = storage::binary_array(runs),
                                              .purchases = purchases});
    work.commit();
    return result;
  }
  storage::ChangeResult buy(storage::LabelWish wish = {}, EntityType type = EntityType::order) {
    return make(storage::LabelPurchase{step(type), std::move(wish)});
  }
  storage::ChangeResult give_back() { return make(storage::LabelVoid{step()}); }

  /// Moves the purchase that is not over, and the shipment's label.
  void move(const std::string& status, const std::string& more = "") {
    database.exec("begin; update purchases set status = '" + status +
                  "', bought_at = coalesce(bought_at, now())" + more +
                  " where status not in ('refused', 'voided'); update shipments set label_status = '" +
                  status + "'; commit");
  }
  void bought() {
    move("bought", ", price = 7.90, currency = 'EUR', tracking_numbers = '{1Z9}', service_code = 'ground'");
  }
  /// The gateway has a voided label for the requested purchase, and the next attempt is requested.
  void pass_over() {
    database.exec(
        "begin; update purchases set status = 'voided', bought_at = now(), voided_at = now(); "
        "insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, carrier_id, "
        "connector, test_mode) select business_id, gen_random_uuid(), shipment_id, 2, gen_random_uuid(), "
        "shard, carrier_id, connector, test_mode from purchases; commit");
  }
  std::string next_attempt() { return database.value("select guid from purchases where attempt = 2"); }
  /// Wakes the runs that wait for the shipment's label; true if there is one.
  bool wakes() {
    const storage::WatchEnd end{
        .watch = {.record = {business, shipment}, .workflow_id = {}, .version = 0, .step = 0},
        .cancels = false,
        .event_id = 1,
        .causing_run = {},
        .moves_label = true};
    storage::wake_watching(session, {&end, 1});
    return database.number("select count(*) from run_queue where due_at < 'infinity'") == 1;
  }
  std::int64_t purchases() { return database.number("select count(*) from purchases"); }

  const Guid business = Guid::random(), order = Guid::random(), shipment = Guid::random(),
             carrier = Guid::random(), run = Guid::random(), workflow = Guid::random();
  const Time now = parse_timestamp("2026-11-28T08:00:00Z").value();
  Time until = now + std::chrono::days(30);
  TestDatabase database;
  storage::Session session{database.url(), "test"};
};

TEST_F(LabelChanges, NeedACarrierThatCanBuy) {
  EXPECT_STREQ(buy().code, "NO_CONNECTOR");
  EXPECT_STREQ(buy({.choose = "cheapest"}).code, "NO_CONNECTOR");
  connect();
  EXPECT_STREQ(buy({.choose = "cheapest", .carriers = {Guid::random()}}).code, "NO_CONNECTOR");
  EXPECT_EQ(purchases(), 0);
  EXPECT_EQ(buy({.choose = "cheapest", .carriers = {carrier}}).kind, Kind::waits);
}

TEST_F(LabelChanges, WaitForTheNextAttemptOfAPurchaseWhoseLabelWasVoidedBefore) {
  connect();
  EXPECT_EQ(buy().kind, Kind::waits);
  pass_over();
  const auto waiting = buy();
  EXPECT_EQ(waiting.kind, Kind::waits);
  EXPECT_EQ(waiting.awaited.value().to_string(), next_attempt());
  bought();
  EXPECT_EQ(buy().kind, Kind::made);
  EXPECT_EQ(purchases(), 2) << "nothing else is requested";
}

TEST_F(LabelChanges, VoidTheNextAttemptOfAPurchaseWhoseLabelWasVoidedBefore) {
  connect();
  EXPECT_EQ(buy().kind, Kind::waits);
  const auto first = give_back();
  EXPECT_EQ(first.kind, Kind::waits) << "it may still be bought";
  pass_over();
  const auto waiting = give_back();
  EXPECT_EQ(waiting.kind, Kind::waits);
  EXPECT_EQ(waiting.awaited.value().to_string(), next_attempt());
  bought();
  EXPECT_EQ(give_back().kind, Kind::waits);
  EXPECT_EQ(database.value("select status from purchases where attempt = 2"), "voiding");
  move("voided", ", voided_at = now()");
  EXPECT_EQ(give_back().kind, Kind::made);
}

class ResolvedLabels : public LabelChanges {
 protected:
  /// A purchase that a person has resolved as bought with this number.
  void resolve(const std::string& number) {
    connect();
    database.exec(R"(update shipments set packages = '[{"weight": 1}, {"weight": 2}]')");
    purchase = buy().awaited.value();
    move("unknown", ", gateway_id = 'g1', buy_begun_at = now(), unknown_since = now()");
    change([&](domain::Purchase& facts, Time at) {
      return domain::resolved(facts, domain::Resolution::bought, number, at);
    });
    EXPECT_EQ(number_of_shipment(), number);
  }
  void look_up(const domain::FoundFacts& found) {
    change([&](domain::Purchase& facts, Time at) { return domain::looked_up(facts, found, at); });
  }
  template <typename Make>
  void change(Make make) {
    storage::Work work(session);
    const auto changed = storage::change_purchase(
        session, {.key = {business, shipment, purchase},
                  .make = [&](storage::StoredPurchase& stored, Time at) { return make(stored.facts, at); }});
    EXPECT_TRUE(changed && changed->effect != domain::Effect::ignored);
    work.commit();
  }
  static domain::BoughtFacts label(std::vector<std::string> numbers) {
    return {.gateway_id = "g1",
            .tracking_numbers = std::move(numbers),
            .tracking_url = "https://carrier.test/1",
            .service_code = {},
            .service_name = {},
            .price = {}};
  }
  std::string number_of_shipment() {
    return database.value("select coalesce(carrier_tracking_number, '') from shipments");
  }
  std::string numbers_of_packages() {
    return database.value(
        "select concat_ws(',', packages -> 0 ->> 'carrierTrackingNumber', "
        "packages -> 1 ->> 'carrierTrackingNumber') from shipments");
  }

  Guid purchase;
};

TEST_F(ResolvedLabels, GiveTheShipmentTheLinkAndFurtherNumbersOfTheGatewayIfItConfirmsTheNumber) {
  resolve("1Z1");
  EXPECT_EQ(numbers_of_packages(), "1Z1");
  look_up(label({"1Z1", "1Z2"}));
  EXPECT_EQ(number_of_shipment(), "1Z1");
  EXPECT_EQ(numbers_of_packages(), "1Z1,1Z2");
  EXPECT_EQ(database.value("select carrier_tracking_url from shipments"), "https://carrier.test/1");
}

TEST_F(ResolvedLabels, LeaveNoNumberIfTheGatewayHasVoidedThemUnderAnother) {
  resolve("1ZGIVEN");
  look_up(domain::VoidedFacts{.label = label({"1Z1"})});
  EXPECT_EQ(database.value("select label_status from shipments"), "voided");
  EXPECT_EQ(number_of_shipment(), "");
  EXPECT_EQ(numbers_of_packages(), "");
}

TEST_F(ResolvedLabels, LeaveNoNumberIfTheGatewayVoidsThemUnderAnotherLater) {
  resolve("1ZGIVEN");
  look_up(domain::VoidedFacts{.label = label({"1Z1"}), .is_pending = true});
  EXPECT_EQ(number_of_shipment(), "1Z1") << "the refund may be rejected";
  change([](domain::Purchase& facts, Time at) {
    return domain::void_answered(facts, domain::VoidAnswerKind::voided, {}, at);
  });
  EXPECT_EQ(number_of_shipment(), "");
}

TEST_F(LabelChanges, OfAShipmentWithoutACarrierCompareAllThatCanBuy) {
  database.rows("update shipments set carrier_id = null, service_level = null", {});
  EXPECT_STREQ(buy().code, "NO_CONNECTOR");
  connect();
  EXPECT_EQ(buy().kind, Kind::waits);
  EXPECT_EQ(
      database.value("select connector || coalesce(carrier_id::text, '') || service_level from purchases"),
      "standard");
  EXPECT_EQ(database.value("select wanted ->> 'usualFormat' from purchases"), "true");
}

TEST_F(LabelChanges, TakeTheLevelOfTheShipmentThenOfItsCarrierThenStandard) {
  connect();
  const auto level_after = [&](const std::string& change) {
    database.exec(change);
    EXPECT_EQ(buy().kind, Kind::waits);
    const std::string level =
        database.value("select service_level from purchases where status = 'requested'");
    move("refused");
    EXPECT_STREQ(buy().code, "LABEL_REFUSED") << "the step ends";
    return level;
  };
  EXPECT_EQ(level_after("update carrier_configurations set default_service_level = 'sameday'"), "express");
  EXPECT_EQ(level_after("update shipments set service_level = null"), "sameday");
  EXPECT_EQ(level_after("update carrier_configurations set default_service_level = null, "
                        "service_codes = '{\"standard\": \"G\"}'"),
            "standard");
  EXPECT_EQ(level_after("update carrier_configurations set service_codes = null"), "") << "the cheapest";
}

TEST_F(LabelChanges, OfAShipmentWhoseCarrierCannotBuyAskNoOther) {
  connect();
  database.rows("update carrier_configurations set connector = 'manual'", {});
  database.rows(
      "insert into carriers (business_id, guid, name, code, type) values ($1, $2, 'Other', 'other', "
      "'courier')",
      {business.to_string(), workflow.to_string()});
  database.rows(
      "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, connector) "
      "values ($1, $2, 'b', false, 'karrio')",
      {business.to_string(), workflow.to_string()});
  EXPECT_STREQ(buy().code, "NO_CONNECTOR");
  EXPECT_EQ(buy({.choose = "cheapest"}).kind, Kind::waits);
}

TEST_F(LabelChanges, RequestOnePurchaseAndAwaitIt) {
  connect();
  const auto first = buy({.max_price = "20"});
  ASSERT_EQ(first.kind, Kind::waits);
  EXPECT_EQ(first.until, until);
  EXPECT_EQ(
      database.value("select format || max_price || max_currency || service_level || wanted from purchases"),
      "zpl20EURexpress{}");
  EXPECT_EQ(database.value("select label_status from shipments"), "buying");
  EXPECT_EQ(buy().awaited, first.awaited);
  bought();
  EXPECT_TRUE(wakes());
  const auto over = buy();
  ASSERT_EQ(over.kind, Kind::made);
  EXPECT_EQ(over.made.at("price"), 7.9);
  EXPECT_EQ(over.made.at("carrier"), "Harbour");
  EXPECT_EQ(over.made.at("carrierTrackingNumber"), "1Z9");
  EXPECT_EQ(database.number("select count(*) from run_queue where awaited_purchase is not null"), 0);
  EXPECT_EQ(buy({}, EntityType::shipment).kind, Kind::made) << "a final purchase is joined at once";
  EXPECT_EQ(purchases(), 1);
}

TEST_F(LabelChanges, AnEndedStepDoesNotTakeTheNextOnesPurchase) {
  connect();
  ASSERT_EQ(buy().kind, Kind::waits);
  move("refused", ", error_code = 'TOO_EXPENSIVE', error_text = 'Why.'");
  const auto refused = buy();
  EXPECT_EQ(refused.kind, Kind::skipped);
  EXPECT_STREQ(refused.code, "TOO_EXPENSIVE");
  EXPECT_STREQ(give_back().code, "NO_LABEL");
  EXPECT_EQ(buy().kind, Kind::waits);
  EXPECT_EQ(purchases(), 2);
}

TEST_F(LabelChanges, AVoidWaitsForItsPurchaseAndItsEnd) {
  connect();
  ASSERT_EQ(buy().kind, Kind::waits);
  ASSERT_EQ(give_back().kind, Kind::waits) << "not bought yet";
  bought();
  ASSERT_EQ(give_back().kind, Kind::waits);
  EXPECT_EQ(database.value("select label_status from shipments"), "voiding");
  move("bought", ", void_state = 'refused', error_code = 'E', error_text = 'Too late.'");
  const auto refused = give_back();
  EXPECT_STREQ(refused.code, "LABEL_REFUSED");
  EXPECT_EQ(refused.error, "E: Too late.");
  ASSERT_EQ(give_back().kind, Kind::waits) << "a further step asks again";
  move("voided", ", void_state = null");
  EXPECT_EQ(give_back().kind, Kind::made);
  EXPECT_EQ(give_back().kind, Kind::made) << "it is voided already";
}

TEST_F(LabelChanges, AWaitEndsWithItsTime) {
  connect();
  ASSERT_EQ(buy().kind, Kind::waits);
  until = now;
  const auto expired = buy();
  EXPECT_EQ(expired.kind, Kind::failed);
  EXPECT_STREQ(expired.code, "LABEL_UNKNOWN");
}

TEST_F(LabelChanges, WithoutALiveShipmentNothingIsBought) {
  connect();
  database.exec("update shipments set status = 'cancelled'");
  EXPECT_EQ(buy().kind, Kind::not_found);
  EXPECT_EQ(buy({}, EntityType::shipment).kind, Kind::closed);
  EXPECT_EQ(purchases(), 0);
}

TEST_F(LabelChanges, DoNotWaitForALockOfTheShipment) {
  connect();
  Session other = database.connect();
  other.exec("begin; update shipments set instructions = 'x'");
  EXPECT_EQ(buy().kind, Kind::locked);
  other.exec("rollback");
  EXPECT_EQ(buy().kind, Kind::waits);
}

TEST_F(LabelChanges, ABoughtLabelLocksItsShipment) {
  database.exec("update shipments set label_status = 'bought'");
  storage::FieldChange number{.entity_type = EntityType::shipment,
                              .record = shipment,
                              .changes = R"({"carrier_tracking_number": "other"})",
                              .cause = "{}"};
  EXPECT_EQ(make(number).kind, Kind::closed);
  number.changes = R"({"instructions": "ring"})";
  EXPECT_EQ(make(number).kind, Kind::made);
  storage::StatusChange cancels{
      .entity_type = EntityType::shipment, .records = {shipment}, .status = "cancelled", .cause = "{}"};
  EXPECT_EQ(make(cancels).kind, Kind::closed);
  database.exec("update shipments set label_status = 'voided'");
  EXPECT_EQ(make(cancels).kind, Kind::made);
}

TEST_F(LabelChanges, ANewShipmentsLabelIsRequestedIfTheCarrierCan) {
  const auto request = [&] {
    storage::Work work(session);
    const bool is_requested = storage::request_label(session, business, shipment, R"({"depth": 1})");
    work.commit();
    return is_requested;
  };
  EXPECT_FALSE(request());
  connect();
  EXPECT_TRUE(request());
  EXPECT_EQ(purchases(), 1);
}

}  // namespace
}  // namespace waybill::tests
