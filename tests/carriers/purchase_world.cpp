#include "tests/carriers/purchase_world.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

json::value require(const Response& response, std::string_view what) {
  if (response.status >= 200 && response.status < 300) return response.data();
  throw std::runtime_error(std::string(what) + ": " + std::to_string(response.status) + " " + response.text);
}

std::string path_of(const std::string& shipment) { return "/api/v1/shipments/" + shipment; }

}  // namespace

PurchaseWorld::PurchaseWorld(const std::vector<std::string>& more) {
  Waybill::Options options;
  options.arguments = {"--mail-dir", mails.path(), "--carrier-gateway", easypost.url()};
  if (KarrioServer::installed()) {
    karrio = std::make_unique<KarrioGateway>();
    options.arguments.insert(options.arguments.end(), {"--carrier-gateway", karrio->url()});
  }
  options.arguments.insert(options.arguments.end(), more.begin(), more.end());
  waybill = std::make_unique<Waybill>(database.url(), options);
}

std::string LabelClient::shipment(const json::object& fields) {
  json::object body{
      {"carrierId", carrier},
      {"serviceLevel", "standard"},
      {"sender", {{"name", "Quay"}, {"street", "Kai 1"}, {"city", "Bonn"}, {"postalCode", "53111"}}},
      {"recipient",
       {{"name", "Ada Lovelace"}, {"street", "Weg 1"}, {"city", "Köln"}, {"postalCode", "50667"}}},
      {"packages", {{{"length", 30}, {"width", 20}, {"height", 10}, {"weight", 1.5}}}}};
  for (const auto& [name, value] : fields) body[name] = value;
  const Response made = http().post("/api/v1/shipments", body);
  require(made, "make shipment");
  const std::string location = made.header("location");
  return location.substr(location.rfind('/') + 1);
}

Response LabelClient::buy(const std::string& shipment, json::object body) {
  const bool says_service =
      body.contains("rateId") || body.contains("serviceLevel") || body.contains("choose");
  if (!says_service) body["serviceLevel"] = "standard";
  return http().post(path_of(shipment) + "/label", body);
}

std::string LabelClient::request(const std::string& shipment, const json::object& body) {
  return text_at(require(buy(shipment, body), "buy"), "guid");
}

bool LabelClient::refuses_second(const std::string& shipment, const std::string& purchase) {
  constexpr int conflict = 409;
  const Response second = buy(shipment);
  const bool joins = text_at(second.data(), "guid") == purchase;
  return (second.status == conflict || joins) && purchases(shipment).size() == 1;
}

json::value LabelClient::purchase(const std::string& shipment, const std::string& guid) {
  for (auto& one : purchases(shipment)) {
    if (text_at(one, "guid") == guid) return std::move(one);
  }
  throw std::runtime_error("the shipment has no such purchase");
}

json::value LabelClient::with_status(const std::string& shipment, const std::string& purchase,
                                     std::string_view status, Deadline deadline) {
  json::value found;
  const bool is_found = eventually(
      [&] {
        found = this->purchase(shipment, purchase);
        return text_at(found, "status") == status;
      },
      deadline);
  if (is_found) return found;
  throw std::runtime_error("the purchase did not become " + std::string(status) + ": " +
                           json::serialize(found));
}

json::value LabelClient::bought(const std::string& shipment, const json::object& body) {
  const std::string purchase = request(shipment, body);
  json::value found = with_status(shipment, purchase, "bought");
  // A gateway may give the file later than the number.
  if (!eventually([&] { return label(shipment).status == 200; }))
    throw std::runtime_error("the label does not come");
  return found;
}

std::vector<json::value> LabelClient::purchases(const std::string& shipment) {
  const json::value list = require(http().get(path_of(shipment) + "/purchases"), "list purchases");
  return {list.as_array().begin(), list.as_array().end()};
}

Response LabelClient::void_label(const std::string& shipment) {
  return http().post(path_of(shipment) + "/void", json::object());
}

Response LabelClient::resolve(const std::string& shipment, const std::string& purchase,
                              const json::object& body) {
  return http().post(path_of(shipment) + "/purchases/" + purchase + "/resolve", body);
}

Response LabelClient::label(const std::string& shipment, std::string_view query) {
  return http().get(path_of(shipment) + "/label" + std::string(query));
}

json::value LabelClient::shown(const std::string& shipment) {
  return require(http().get(path_of(shipment)), "read shipment");
}

std::string LabelClient::label_status(const std::string& shipment) {
  return text_at(shown(shipment), "labelStatus");
}

Buyer::Buyer(const Waybill& waybill, PurchaseGateway& used, const std::string& name, bool test_mode)
    : gateway(used), tenant(waybill, name), account(gateway.new_account(name, test_mode)) {
  tenant.sql.rows(
      "update businesses set street = 'Kai 1', city = 'Bonn', postal_code = '53111', country = 'Germany' "
      "where guid = $1",
      {tenant.id});
  carrier =
      tenant.sql.value("select guid from carriers where code = 'ups' and business_id = catalogue_business()");
  json::object configuration = account.configure;
  configuration["carrierId"] = carrier;
  require(tenant.http.post("/api/carriers/configure", configuration), "configure");
}

bool Buyer::is_looked_up(const std::string& purchase) {
  return eventually(
      [&] {
        return tenant.sql.number("select count(*) from purchases where guid = $1 and lookups > 0",
                                 {purchase}) == 1;
      },
      std::chrono::seconds(30));
}

void Buyer::make_due(const std::string& purchase) {
  tenant.sql.rows(
      "update purchases set next_at = now(), claim_at = now() where guid = $1 and next_at is not null",
      {purchase});
}

void PurchaseTest::TearDown() {
  world().easypost.stop_failing();
  if (world().karrio) world().karrio->stop_failing();
}

std::string PurchaseTest::test_name() {
  std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ranges::replace(name, '/', '-');
  return name;
}

void EachGatewayTest::SetUp() {
  if (GetParam() == "karrio" && !world().karrio) GTEST_SKIP() << no_karrio;
  PurchaseGateway& gateway =
      GetParam() == "karrio" ? static_cast<PurchaseGateway&>(*world().karrio) : world().easypost;
  buyer_ = std::make_unique<Buyer>(*world().waybill, gateway, test_name());
}

Fault with_effect(Fault fault) {
  fault.reaches_store = true;
  return fault;
}

Fault without_effect(Fault fault) {
  fault.reaches_store = false;
  return fault;
}

Fault lost_after(std::shared_ptr<Gate> gate) {
  return {.spoil =
              [gate = std::move(gate)](Reply& reply) {
                reply.kind = Reply::Kind::close;
                reply.gate = gate;
              },
          .reaches_store = true};
}

std::string error_of(const json::value& purchase) { return text_at(purchase, "error.code"); }

}  // namespace waybill::tests
