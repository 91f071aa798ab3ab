// Rotation of the key that seals secrets, with open purchases and a rate in a client's hand.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
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

class PurchaseKeys : public testing::Test {
 protected:
  struct Made {
    std::string shipment, purchase;
  };

  std::string key(std::string_view name) const {
    const auto file = directory / name;
    std::ofstream(file) << hex(random_bytes(32)) << '\n';
    return file;
  }
  Waybill::Options with(std::string command, const std::string& keys) const {
    Waybill::Options options;
    options.command = std::move(command);
    options.secret_key_file = keys;
    options.arguments = {"--carrier-gateway", gateway.url()};
    return options;
  }
  bool encrypts_with_first_key(int processes) {
    return eventually(
        [&] {
          return database.number(
                     "select count(*) from processes where sealing_key = key_ids[1] "
                     "and process_lives(guid)") == processes;
        },
        30s);
  }
  static std::string first_rate(Http& http, const std::string& shipment) {
    const Response rates = http.post("/api/v1/shipments/" + shipment + "/rates", json::object());
    EXPECT_EQ(rates.status, 200) << rates.text;
    return text_at(rates.data(), "rates.0.rateId");
  }
  void make_due(const Made& made) {
    database.rows("update purchases set next_at = now(), claim_at = now() where guid = $1", {made.purchase});
  }
  std::string status(const Made& made) {
    return database.value("select status from purchases where guid = $1", {made.purchase});
  }
  /// Refuses the gateway's next call of this kind without an effect, and requests a purchase that meets it.
  Made request(LabelClient& client, PurchaseCall refused) {
    const std::size_t before = gateway.count(refused);
    gateway.fail(refused, without_effect(failing_with(503)));
    const std::string shipment = client.shipment();
    Made made{shipment, client.request(shipment)};
    EXPECT_TRUE(gateway.wait_for_calls(refused, before + 1));
    return made;
  }
  void expect_bought_once(LabelClient& client, const Made& made) {
    client.with_status(made.shipment, made.purchase, "bought", 60s);
    EXPECT_THAT(gateway.labels(made.purchase), SizeIs(1));
    EXPECT_TRUE(eventually([&] { return client.label(made.shipment).status == 200; }));
  }

  TempDirectory directory;
  TestDatabase database;
  EasyPostGateway gateway;
  const std::string old_key = key("old"), new_key = key("new");
  const std::string both_keys = new_key + "," + old_key;
};

TEST_F(PurchaseKeys, ARotationStopsNoPurchaseAndTheOldKeyGoesWithItsRates) {
  std::string token, carrier, old_rate, rated, unused_rate, left;
  PurchaseGateway::Account account;
  Made requested, unknown;
  {
    Waybill up(database.url(), with("up", old_key));
    Buyer buyer(up, gateway, "rotates");
    token = buyer.tenant.http.token();
    carrier = buyer.carrier;
    account = buyer.account;
    requested = request(buyer, PurchaseCall::draft);
    unknown = request(buyer, PurchaseCall::buy);
    ASSERT_TRUE(eventually([&] { return status(unknown) == "unknown"; }));
    rated = buyer.shipment();
    old_rate = first_rate(buyer.tenant.http, rated);
    left = buyer.shipment();
    unused_rate = first_rate(buyer.tenant.http, left);
    database.rows(
        "update purchases set next_at = now() + interval '1 hour', claim_at = now() + interval '1 hour'");
    EXPECT_EQ(up.stop(), 0);
  }
  std::string new_rate;
  {
    const Waybill api(database.url(), with("api", both_keys)),
        worker(database.url(), with("worker", both_keys));
    ASSERT_TRUE(encrypts_with_first_key(2));
    OtherClient client(api.http(token), carrier);
    // One purchase is bought before the rotation, with a gateway's key that the old key has sealed.
    make_due(requested);
    expect_bought_once(client, requested);
    const auto gate = std::make_shared<Gate>();
    gateway.fail(PurchaseCall::buy, slow_answer(gate));
    const Made during{client.shipment(), {}};
    const std::size_t before = gateway.labels().size();
    const std::string purchase = client.request(during.shipment);
    ASSERT_TRUE(eventually([&] { return gateway.labels().size() > before; }));
    const Finished rotated = run({waybill_binary(), "key", "rotate", "--wait", "1", "--database-url",
                                  database.url(), "--secret-key-file", both_keys});
    EXPECT_EQ(rotated.status, 0) << rotated.standard_output << rotated.standard_error;
    EXPECT_THAT(rotated.standard_output, testing::HasSubstr("only the key of " + new_key + " is needed now"));
    gate->open();
    expect_bought_once(client, {during.shipment, purchase});
    const Made by_rate{rated, client.request(rated, {{"rateId", old_rate}})};
    expect_bought_once(client, by_rate);
    Http http = api.http(token);
    new_rate = first_rate(http, left);
  }
  const Waybill up(database.url(), with("up", new_key));
  OtherClient client(up.http(token), carrier);
  const Response refused = client.buy(left, {{"rateId", unused_rate}});
  EXPECT_EQ(refused.status, 400) << refused.text;
  EXPECT_TRUE(refused.details().contains("rateId")) << refused.text;
  EXPECT_TRUE(client.purchases(left).empty());
  const Made by_rate{left, client.request(left, {{"rateId", new_rate}})};
  expect_bought_once(client, by_rate);
  // The gateway finds what was unknown under the old key.
  gateway.buy_by_hand(account, text_at(client.purchase(unknown.shipment, unknown.purchase), "gatewayId"));
  make_due(unknown);
  expect_bought_once(client, unknown);
}

}  // namespace
}  // namespace waybill::tests
