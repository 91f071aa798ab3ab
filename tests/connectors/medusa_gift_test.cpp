// An order from a real store, through waybill, and back to the store.
#include <fstream>
#include <string>
#include <string_view>

#include "tests/connectors/connected_store.hpp"
#include "tests/connectors/medusa_fixture.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/process.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::connectors {
namespace {

using testing::HasSubstr;
using testing::Not;
using tests::eventually;
using tests::Tenant;

/// An order of Ada for Grace.
json::object gift() {
  return {{"billing_address",
           {{"first_name", "Ada"},
            {"last_name", "Lovelace"},
            {"company", "Engines"},
            {"address_1", "Platz 1"},
            {"city", "Bonn"},
            {"postal_code", "53111"},
            {"country_code", "de"},
            {"phone", "+49 228 1"}}},
          {"shipping_address",
           {{"first_name", "Grace"},
            {"last_name", "Hopper"},
            {"address_1", "Weg 2"},
            {"city", "Ulm"},
            {"postal_code", "89073"},
            {"country_code", "de"},
            {"phone", "+49 731 1"}}}};
}

/// A business that is connected to the store.
class Merchant {
 public:
  explicit Merchant(MedusaServer& server)
      : tenant_(tests::shared<tests::World>().waybill, "medusa_gift"), server_(server) {
    const json::object body{{"providerId", tests::provider_guid("medusa")},
                            {"credentials", {{"apiKey", server.key()}, {"storeUrl", server.url()}}},
                            {"settings", {{"autoImportOrders", false}, {"pushTracking", true}}}};
    const auto response = tenant_.http.post("/api/integrations/provider/configure", body);
    EXPECT_EQ(response.status, 201) << response.text;
    integration_ = text_at(response.body, "data.guid");
  }

  /// Imports the store's orders; returns the guid of the one with this id.
  std::string import(const std::string& external_id) {
    const auto run =
        text_at(tenant_.http.post("/api/integrations/" + integration_ + "/sync").body, "data.runId");
    EXPECT_TRUE(eventually(
        [&] {
          return tenant_.sql.value("select finished_at is not null from integration_runs where guid = $1",
                                   {run}) == "t";
        },
        std::chrono::seconds(60)));
    return tenant_.sql.value("select guid from orders where business_id = $1 and external_id = $2",
                             {tenant_.id, external_id});
  }

  /// Creates a shipment of the order through the API; returns its guid.
  std::string ship(const std::string& order) {
    const auto made = tenant_.http.post("/api/v1/Orders/" + order + "/shipment", json::object());
    EXPECT_EQ(made.status, 201) << made.text;
    return tenant_.sql.value("select guid from shipments where order_id = $1", {order});
  }

  /// The label that the store shows once the shipment is underway.
  json::value shown_label(const std::string& external_id, const std::string& shipment) {
    tenant_.move_shipment(shipment, "collected");
    json::value label;
    EXPECT_TRUE(eventually(
        [&] {
          const auto order = server_.read(external_id);
          const auto& fulfillments = at(order, "fulfillments").as_array();
          if (fulfillments.empty() || at(fulfillments[0], "labels").as_array().empty()) return false;
          label = at(fulfillments[0], "labels.0");
          return true;
        },
        std::chrono::seconds(60)));
    return label;
  }

  Tenant& tenant() { return tenant_; }
  const std::string& integration() const { return integration_; }

 private:
  Tenant tenant_;
  MedusaServer& server_;
  std::string integration_;
};

TEST_F(MedusaConnector, AGiftIsImportedLabelledAndShownWithItsNumberAndLink) {
  Merchant merchant(server());
  Tenant& tenant = merchant.tenant();
  const auto external_id = server().order(gift());
  const auto guid = merchant.import(external_id);
  const auto order = tenant.http.get("/api/v1/Orders/" + guid).data();
  EXPECT_EQ(text_at(order, "customer.name"), "Ada Lovelace");
  EXPECT_EQ(text_at(order, "deliveryAddress.name"), "Grace Hopper");
  EXPECT_EQ(text_at(order, "deliveryAddress.phone"), "+49 731 1");
  EXPECT_EQ(text_at(order, "deliveryAddress.city"), "Ulm");
  EXPECT_EQ(text_at(order, "source.type"), "import");
  EXPECT_EQ(text_at(order, "source.integration.guid"), merchant.integration());
  EXPECT_EQ(text_at(order, "source.externalId"), external_id);
  EXPECT_EQ(text_at(order, "source.url"), server().url() + "/app/orders/" + external_id);
  EXPECT_EQ(text_at(order, "shippingMethod"), "parcel");

  const auto shipment = merchant.ship(guid);
  const tests::TempDirectory directory;
  const auto file = (directory / "label.pdf").string();
  std::ofstream(file, std::ios::binary) << tenant.http.get("/api/v1/shipments/" + shipment + "/label").text;
  const auto label = tests::run({"pdftotext", "-layout", file, "-"}).standard_output;
  EXPECT_THAT(label, HasSubstr("Grace Hopper"));
  EXPECT_THAT(label, Not(HasSubstr("Ada")));

  tenant.sql.rows(
      "update shipments set carrier_tracking_number = '1Z999', carrier_tracking_url = "
      "'https://ups.example/1Z999' "
      "where guid = $1",
      {shipment});
  const auto shown = merchant.shown_label(external_id, shipment);
  EXPECT_EQ(text_at(shown, "tracking_number"), "1Z999");
  EXPECT_EQ(text_at(shown, "tracking_url"), "https://ups.example/1Z999");

  // With our number only, the store links the tracking page.
  const auto other = server().order(gift());
  const auto plain = merchant.ship(merchant.import(other));
  const auto ours = merchant.shown_label(other, plain);
  EXPECT_EQ(text_at(ours, "tracking_number"),
            tenant.sql.value("select tracking_number from shipments where guid = $1", {plain}));
  EXPECT_EQ(
      text_at(ours, "tracking_url"),
      "http://127.0.0.1:" + std::to_string(tests::shared<tests::World>().waybill.port()) + "/track/" +
          tenant.sql.value("select replace(token::text, '-', '') from tracking_tokens where shipment_id = $1",
                           {plain}));
}

}  // namespace
}  // namespace waybill::connectors
