// Requests for a label that a client repeats with their Idempotency-Key.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "tests/carriers/purchase_world.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::SizeIs;

constexpr std::string_view replayed = "idempotency-replayed";

/// An API and a worker, each of which can be killed.
class RepeatedRequests : public testing::Test {
 protected:
  RepeatedRequests() {
    std::ofstream(key_file) << hex(random_bytes(32)) << '\n';
    start_api();
    start_worker();
    buyer.emplace(*api, gateway, "repeats");
  }

  void start_api() { api = std::make_unique<Waybill>(database.url(), options_of("api")); }
  void start_worker() { worker = std::make_unique<Waybill>(database.url(), options_of("worker")); }
  Waybill::Options options_of(std::string command) {
    Waybill::Options options;
    options.command = std::move(command);
    options.arguments = {"--carrier-gateway", gateway.url()};
    options.secret_key_file = key_file;
    return options;
  }
  static void kill(Waybill& waybill) {
    waybill.process().kill(SIGKILL);
    waybill.process().wait_exit();
  }
  Response post(const std::string& shipment) {
    Http http = api->http(buyer->tenant.http.token());
    return http.post("/api/v1/shipments/" + shipment + "/label", {{"serviceLevel", "standard"}},
                     {{"Idempotency-Key", "label-of-" + shipment}});
  }
  /// The answer to the first request of a purchase whose buy call is answered when the gate opens.
  Response post_until(const std::shared_ptr<Gate>& gate, const std::string& shipment) {
    gateway.fail(PurchaseCall::buy, slow_answer(gate));
    return post(shipment);
  }
  /// Repeats the request until its first try is clear, which takes 10 s at most.
  Response repeated(const std::string& shipment) {
    Response response;
    EXPECT_TRUE(eventually(
        [&] {
          response = post(shipment);
          return response.status != 409 && response.status != 503;
        },
        20s));
    EXPECT_TRUE(response.status == 202 || response.status == 200) << response.text;
    return response;
  }
  std::int64_t purchases_of(const std::string& shipment) {
    return database.number("select count(*) from purchases where shipment_id = $1", {shipment});
  }
  /// The purchase is bought once, and each answer named it.
  void expect_one_label(const std::string& shipment, const std::string& purchase) {
    OtherClient client(api->http(buyer->tenant.http.token()), buyer->carrier);
    client.with_status(shipment, purchase, "bought", 60s);
    EXPECT_THAT(gateway.labels(purchase), SizeIs(1));
    EXPECT_EQ(gateway.labels().size(), 1U);
    EXPECT_EQ(purchases_of(shipment), 1);
    EXPECT_EQ(gateway.count(PurchaseCall::buy), 1U);
  }

  TempDirectory directory;
  const std::string key_file = directory / "key";
  TestDatabase database;
  EasyPostGateway gateway;
  std::unique_ptr<Waybill> api, worker;
  std::optional<Buyer> buyer;
};

TEST_F(RepeatedRequests, HaveTheFirstAnswerWhileTheLabelIsBoughtAndAfterwards) {
  const auto gate = std::make_shared<Gate>();
  const std::string shipment = buyer->shipment();
  const Response first = post_until(gate, shipment);
  ASSERT_EQ(first.status, 202) << first.text;
  const std::string purchase = text_at(first.data(), "guid");
  ASSERT_TRUE(gateway.wait_for_calls(PurchaseCall::buy, 1));
  const Response open = post(shipment);
  EXPECT_EQ(open.text, first.text);
  EXPECT_EQ(open.header(replayed), "true");
  gate->open();
  buyer->with_status(shipment, purchase, "bought");
  const Response later = post(shipment);
  EXPECT_EQ(later.status, 202) << "the answer of the first request";
  EXPECT_EQ(later.text, first.text);
  const Response now = buyer->buy(shipment);
  EXPECT_EQ(now.status, 200) << "the answer without a key";
  EXPECT_NE(now.text, first.text);
  kill(*api);
  start_api();
  const Response after = post(shipment);
  EXPECT_EQ(after.text, first.text);
  EXPECT_EQ(after.header(replayed), "true");
  expect_one_label(shipment, purchase);
}

TEST_F(RepeatedRequests, BuyNoSecondLabelOnceTheFirstIsVoided) {
  gateway.easypost().set_refund_answer("refunded");
  const std::string shipment = buyer->shipment();
  const Response first = post(shipment);
  ASSERT_EQ(first.status, 202) << first.text;
  const std::string purchase = text_at(first.data(), "guid");
  buyer->with_status(shipment, purchase, "bought");
  ASSERT_EQ(buyer->void_label(shipment).status, 202);
  buyer->with_status(shipment, purchase, "voided");
  const Response later = post(shipment);
  EXPECT_EQ(later.text, first.text);
  EXPECT_EQ(later.header(replayed), "true");
  EXPECT_EQ(purchases_of(shipment), 1);
  EXPECT_NE(buyer->request(shipment), purchase) << "without the key it is a new purchase";
}

TEST_F(RepeatedRequests, OfAnApiThatWasKilledBeforeItsCommitRequestOnePurchase) {
  const std::string shipment = buyer->shipment();
  Session lock(database.url());
  lock.exec("begin; select from shipments where guid = '" + shipment + "' for update");
  auto lost = std::async(std::launch::async, [&] { return post(shipment); });
  ASSERT_TRUE(eventually([&] {
    return database.number(
               "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type "
               "= "
               "'Lock'") == 1;
  }));
  kill(*api);
  EXPECT_EQ(lost.get().status, 0);
  lock.exec("commit");
  start_api();
  const Response answer = repeated(shipment);
  expect_one_label(shipment, text_at(answer.data(), "guid"));
}

TEST_F(RepeatedRequests, OfAnApiThatWasKilledAfterItsCommitNameThePurchase) {
  const std::string shipment = buyer->shipment();
  auto lost = std::async(std::launch::async, [&] { return post(shipment); });
  ASSERT_TRUE(eventually([&] { return purchases_of(shipment) == 1; }));
  kill(*api);
  lost.get();  // It may have come.
  start_api();
  const Response answer = repeated(shipment);
  EXPECT_EQ(text_at(answer.data(), "guid"),
            database.value("select guid from purchases where shipment_id = $1", {shipment}));
  expect_one_label(shipment, text_at(answer.data(), "guid"));
}

TEST_F(RepeatedRequests, JoinThePurchaseOfAWorkerThatWasKilled) {
  const auto gate = std::make_shared<Gate>();
  const std::string shipment = buyer->shipment();
  const Response first = post_until(gate, shipment);
  ASSERT_EQ(first.status, 202) << first.text;
  const std::string purchase = text_at(first.data(), "guid");
  ASSERT_TRUE(eventually([&] { return gateway.labels(purchase).size() == 1; }));
  kill(*worker);
  gate->open();
  EXPECT_EQ(post(shipment).text, first.text);
  start_worker();
  EXPECT_EQ(post(shipment).text, first.text);
  expect_one_label(shipment, purchase);
}

}  // namespace
}  // namespace waybill::tests
