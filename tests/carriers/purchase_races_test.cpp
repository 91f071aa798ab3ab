// Requests for a label that meet a change, a deletion or a cancellation at the same moment.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <latch>
#include <map>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/purchase_world.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr int rounds = 24;

class PurchaseRaces : public PurchaseTest {
 protected:
  using Request = std::function<Response(Http&)>;
  /// The order in which two requests get the lock of the shipment.
  enum class First { change, label, chance };
  struct Answers {
    Response change, label;
  };
  /// The values of a shipment, as it shows them or as the carrier has got them.
  struct Values {
    std::string street, service, account;
    bool is_heavy = false;

    bool operator==(const Values&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Values& values) {
      return out << values.street << ", " << values.service << ", " << values.account << ", "
                 << (values.is_heavy ? "heavy" : "light");
    }
  };

  PurchaseRaces() {
    second_account = gateway.new_account(test_name() + " 2", false);
    second_carrier = buyer.tenant.sql.value(
        "select guid from carriers where code = 'fedex' and business_id = catalogue_business()");
    json::object configuration = second_account.configure;
    configuration["carrierId"] = second_carrier;
    const Response configured = buyer.tenant.http.post("/api/carriers/configure", configuration);
    EXPECT_EQ(configured.status, 200) << configured.text;
  }

  static std::string path_of(const std::string& shipment, const std::string& more = "") {
    return "/api/v1/shipments/" + shipment + more;
  }
  static Request label_of(const std::string& shipment) {
    return [shipment](Http& http) { return http.post(path_of(shipment, "/label"), json::object()); };
  }
  /// A request in a thread of its own.
  std::future<Response> sent(const Request& request, std::latch* start = nullptr, int pause = 0) {
    return std::async(
        std::launch::async,
        [request, start, pause, http = buyer.tenant.http.with_token(buyer.tenant.http.token())]() mutable {
          http.get("/healthz");
          if (start != nullptr) start->arrive_and_wait();
          for (int i = 0; i < pause; ++i) http.get("/healthz");
          return request(http);
        });
  }
  bool waits_for_lock(std::int64_t requests) {
    return eventually([&] {
      return buyer.tenant.sql.number(
                 "select count(*) from pg_stat_activity where datname = current_database() and "
                 "wait_event_type = 'Lock'") == requests;
    });
  }
  /// Sends both requests at the same time.
  Answers race(const std::string& shipment, const Request& change, First first) {
    const Request label = label_of(shipment);
    if (first == First::chance) {
      std::latch start(2);
      auto changed = sent(change, &start, static_cast<int>(random() % 3));
      auto labelled = sent(label, &start, static_cast<int>(random() % 3));
      return {changed.get(), labelled.get()};
    }
    // Both wait for the lock, which they get in the order of their arrival.
    Session lock(world().database.url());
    lock.exec("begin; select from shipments where guid = '" + shipment + "' for update");
    auto one = sent(first == First::change ? change : label);
    EXPECT_TRUE(waits_for_lock(1));
    auto other = sent(first == First::change ? label : change);
    EXPECT_TRUE(waits_for_lock(2));
    lock.exec("commit");
    Response before = one.get(), after = other.get();
    if (first == First::change) return {std::move(before), std::move(after)};
    return {std::move(after), std::move(before)};
  }
  static std::vector<First> orders() {
    std::vector<First> all{First::change, First::label};
    all.resize(2 + rounds, First::chance);
    return all;
  }

  /// The values of the purchase's draft and label at the gateway.
  Values at_gateway(const json::value& purchase) {
    const json::value draft = gateway.easypost().shipment(text_at(purchase, "gatewayId"));
    Values values{.street = text_at(draft, "to_address.street1"),
                  .is_heavy = at(draft, "parcel.weight").to_number<double>() > 100};  // ounces
    for (const auto& entry : gateway.easypost().purchases(text_at(purchase, "guid"))) {
      values.service = entry.service;
      values.account = entry.carrier_account;
    }
    return values;
  }
  Values shown(const std::string& shipment) {
    const json::value now = buyer.shown(shipment);
    return {
        .street = text_at(now, "recipient.address.street"),
        .service = gateway.service_code(text_at(now, "serviceLevel")),
        .account = text_at(now, "carrier.guid") == second_carrier ? second_account.name : buyer.account.name,
        .is_heavy = at(now, "packages.0.weight").to_number<double>() > 2};
  }
  /// The label is that of the shipment, and has the new values if their change was accepted.
  void expect_whole_label(const std::string& shipment, const Answers& answers, const Values& changed) {
    ASSERT_EQ(answers.label.status, 202) << answers.label.text;
    const json::value purchase = buyer.with_status(shipment, text_at(answers.label.data(), "guid"), "bought");
    const Values old{.street = "Weg 1", .service = "Ground", .account = buyer.account.name};
    EXPECT_TRUE(answers.change.status == 200 || answers.change.status == 409) << answers.change.text;
    const Values wanted = answers.change.status == 200 ? changed : old;
    EXPECT_EQ(at_gateway(purchase), wanted) << answers.change.status;
    EXPECT_EQ(shown(shipment), wanted) << answers.change.status;
  }

  EasyPostGateway& gateway = world().easypost;
  Buyer buyer{*world().waybill, gateway, test_name()};
  PurchaseGateway::Account second_account;
  std::string second_carrier;
  std::minstd_rand random{4711};
};

TEST_F(PurchaseRaces, ALabelHasAllNewValuesOrTheChangeIsRefused) {
  const json::object everything{
      {"recipient", {{"street", "Ring 2"}}},
      {"packages", {{{"length", 30}, {"width", 20}, {"height", 10}, {"weight", 9}}}},
      {"carrierId", second_carrier},
      {"serviceLevel", "express"}};
  const Values changed{
      .street = "Ring 2", .service = "Express", .account = second_account.name, .is_heavy = true};
  std::map<int, int> statuses;
  for (const First first : orders()) {
    const std::string shipment = buyer.shipment();
    const auto put = [&](Http& http) { return http.put(path_of(shipment), everything); };
    const Answers answers = race(shipment, put, first);
    if (first == First::change) EXPECT_EQ(answers.change.status, 200) << answers.change.text;
    if (first == First::label) EXPECT_EQ(answers.change.status, 409) << answers.change.text;
    ++statuses[answers.change.status];
    expect_whole_label(shipment, answers, changed);
    if (HasFailure()) return;
  }
  EXPECT_THAT(statuses, SizeIs(2)) << "both have happened";
}

TEST_F(PurchaseRaces, ADeletedShipmentHasNoLabel) {
  for (const First first : orders()) {
    const std::string shipment = buyer.shipment();
    const Answers answers = race(shipment, [&](Http& http) { return http.del(path_of(shipment)); }, first);
    if (answers.change.status == 200) {
      EXPECT_EQ(answers.label.status, 404) << answers.label.text;
      EXPECT_EQ(buyer.tenant.sql.number("select count(*) from purchases where shipment_id = $1", {shipment}),
                0);
    } else {
      EXPECT_EQ(answers.change.status, 409) << answers.change.text;
      buyer.with_status(shipment, text_at(answers.label.data(), "guid"), "bought");
    }
    if (HasFailure()) return;
  }
}

TEST_F(PurchaseRaces, AShipmentIsCancelledOrHasALabel) {
  const json::object cancelled{{"status", "cancelled"}, {"description", "Not needed"}};
  for (const First first : orders()) {
    const std::string shipment = buyer.shipment();
    const Answers answers =
        race(shipment, [&](Http& http) { return http.post(path_of(shipment, "/traces"), cancelled); }, first);
    if (buyer.tenant.status_of(shipment) == "cancelled") {
      EXPECT_EQ(answers.label.status, 409) << answers.label.text;
      EXPECT_EQ(buyer.tenant.sql.number("select count(*) from purchases where shipment_id = $1", {shipment}),
                0);
    } else {
      EXPECT_EQ(buyer.tenant.status_of(shipment), "exception");
      ASSERT_EQ(answers.label.status, 202) << answers.label.text;
      buyer.with_status(shipment, text_at(answers.label.data(), "guid"), "bought");
    }
    if (HasFailure()) return;
  }
}

TEST_F(PurchaseRaces, EachLabelOfACancelledOrderIsCountedOnceForAnAlert) {
  ASSERT_EQ(buyer.tenant.http
                .put("/api/business/alerts", {{"webhook", {{"url", "http://127.0.0.1:9/alerts"}}},
                                              {"on", json::array{"label_of_cancelled_order"}}})
                .status,
            200);
  std::int64_t bought = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string order = buyer.tenant.create_order(), shipment = buyer.shipment();
    buyer.tenant.sql.rows("update shipments set order_id = $2 where guid = $1", {shipment, order});
    const json::object cancelled{{"status", "cancelled"}};
    const Answers answers = race(
        shipment,
        [&](Http& http) {
          // The cancellation meets a later moment of the purchase in each round.
          for (int i = 0; i < round; ++i) http.get("/healthz");
          return http.patch("/api/v1/Orders/" + order + "/status", cancelled);
        },
        First::chance);
    EXPECT_EQ(answers.change.status, 200) << answers.change.text;
    ASSERT_EQ(answers.label.status, 202) << answers.label.text;
    buyer.with_status(shipment, text_at(answers.label.data(), "guid"), "bought");
    ++bought;
  }
  EXPECT_EQ(
      buyer.tenant.sql.number(
          "select coalesce(sum(count), 0)::bigint from (select count from alerts where business_id = $1 and "
          "cause = 'label_of_cancelled_order' union all select count from alert_messages where business_id = "
          "$1 and cause = 'label_of_cancelled_order') c",
          {buyer.tenant.id}),
      bought);
}

}  // namespace
}  // namespace waybill::tests
