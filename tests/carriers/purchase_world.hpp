#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/carriers/purchase_gateways.hpp"
#include "tests/harness/receiver.hpp"
#include "tests/harness/server.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {

/// A waybill, and the gateways that its operator has named.
struct PurchaseWorld {
  /// `more`: further arguments of waybill.
  explicit PurchaseWorld(const std::vector<std::string>& more = {});

  TestDatabase database;
  TempDirectory mails;
  EasyPostGateway easypost;
  std::unique_ptr<KarrioGateway> karrio;  // null if Karrio is not installed
  std::unique_ptr<Waybill> waybill;
};

/// A client that buys labels of one carrier. Its calls throw std::runtime_error with the response if it is
/// not the expected one.
class LabelClient {
 public:
  virtual ~LabelClient() = default;

  /// A shipment of the carrier from Bonn to Köln; `fields` replace or extend the usual ones. Returns its
  /// guid.
  std::string shipment(const json::object& fields = {});
  /// POST …/label. Without a service level, rate or choice the level is `standard`.
  Response buy(const std::string& shipment, json::object body = {});
  /// The guid of the purchase that the request has begun or joined.
  std::string request(const std::string& shipment, const json::object& body = {});
  /// A further request leads to no second purchase: it is refused, or joins the first.
  bool refuses_second(const std::string& shipment, const std::string& purchase);
  /// All purchases of a shipment.
  std::vector<json::value> purchases(const std::string& shipment);
  json::value purchase(const std::string& shipment, const std::string& guid);
  /// The purchase once it has this status; throws at the deadline.
  json::value with_status(const std::string& shipment, const std::string& purchase, std::string_view status,
                          Deadline deadline = default_deadline);
  /// Buys, and returns the bought purchase when its file is there.
  json::value bought(const std::string& shipment, const json::object& body = {});
  Response void_label(const std::string& shipment);
  Response resolve(const std::string& shipment, const std::string& purchase, const json::object& body);
  Response label(const std::string& shipment, std::string_view query = "");
  json::value shown(const std::string& shipment);
  std::string label_status(const std::string& shipment);

  std::string carrier;  // its guid in waybill

 protected:
  virtual Http& http() = 0;
};

/// A business with an address in Germany and one carrier, reached through `gateway`.
class Buyer : public LabelClient {
 public:
  /// `name` is that of a new business and of its connection.
  Buyer(const Waybill& waybill, PurchaseGateway& gateway, const std::string& name, bool test_mode = false);

  /// Waits for the first failed look-up of an unknown purchase.
  bool is_looked_up(const std::string& purchase);
  /// Makes the next step of a purchase due, as if the time had passed.
  void make_due(const std::string& purchase);

  PurchaseGateway& gateway;
  Tenant tenant;
  PurchaseGateway::Account account;

 protected:
  Http& http() override { return tenant.http; }
};

/// A client of any process of a Buyer's service, with its carrier.
class OtherClient : public LabelClient {
 public:
  OtherClient(Http http, std::string used_carrier) : http_(std::move(http)) {
    carrier = std::move(used_carrier);
  }

 protected:
  Http& http() override { return http_; }

 private:
  Http http_;
};

/// Tests with a business of their own. Those of a suite share a world, which ends with them, because its
/// programs have many connections to the cluster of all tests.
class PurchaseTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { shared_world = std::make_unique<PurchaseWorld>(); }
  static void TearDownTestSuite() { shared_world.reset(); }
  void TearDown() override;

  static PurchaseWorld& world() { return *shared_world; }
  static std::string test_name();

 private:
  static inline std::unique_ptr<PurchaseWorld> shared_world;
};

/// Tests of a single connector.
class PurchaseDetails : public PurchaseTest {};

/// Tests that run with each connector.
class EachGatewayTest : public PurchaseTest, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override;
  Buyer& buyer() { return *buyer_; }
  PurchaseGateway& gateway() { return buyer_->gateway; }

 private:
  std::unique_ptr<Buyer> buyer_;
};

/// A fault that spoils the answer of a call that has its effect.
Fault with_effect(Fault fault);
/// A fault of a call that has no effect.
Fault without_effect(Fault fault);
/// The call has its effect; once the gate opens, the connection ends without an answer.
Fault lost_after(std::shared_ptr<Gate> gate);

/// The error code of a purchase.
std::string error_of(const json::value& purchase);

}  // namespace waybill::tests
