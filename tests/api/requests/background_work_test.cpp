// Businesses that keep the threads of the API busy keep nobody else from them.
#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "net/http/webhook_signature.hpp"
#include "tests/api/fixtures/shipments_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

/// Clients of a business that print packing slips of many items all the time, more at a time than may wait.
class Printing {
 public:
  explicit Printing(Tenant& tenant) {
    json::array items;
    for (int i = 0; i < 100; ++i) {
      items.push_back(
          {{"sku", "S" + std::to_string(i)}, {"description", "Lamp"}, {"quantity", 1}, {"price", 1}});
    }
    const json::object body{
        {"orderIds", json::array{json::value(tenant.create_order({{"items", std::move(items)}}))}}};
    for (int i = 0; i < 34; ++i) {
      clients_.emplace_back([this, body, http = tenant.http.with_token(tenant.http.token())](
                                const std::stop_token& stop) mutable {
        try {
          while (!stop.stop_requested()) {
            if (http.post("/api/v1/packing-slips", body).status != 503) continue;
            ++refused_;
            return;  // the others keep the queue full
          }
        } catch (const std::runtime_error&) {  // the test has ended the server
        }
      });
    }
  }
  ~Printing() { stop(); }
  Printing(const Printing&) = delete;
  Printing& operator=(const Printing&) = delete;

  int refused() const { return refused_; }
  void stop() {
    for (auto& client : clients_) client.request_stop();
  }

 private:
  std::atomic<int> refused_ = 0;
  std::vector<std::jthread> clients_;
};

class BackgroundWork : public testing::Test {
 protected:
  /// The path of the preview of a new template.
  static std::string preview_of(Tenant& tenant) {
    const Response made = tenant.http.post("/api/workflows/templates", {{"code", "thanks"},
                                                                        {"name", "Thanks"},
                                                                        {"type", "send_email"},
                                                                        {"entityType", "Order"},
                                                                        {"subject", "{{orderNumber}}"},
                                                                        {"body", "Thank you"}});
    return "/api/workflows/templates/" + text_at(made.data(), "guid") + "/preview";
  }

  TestDatabase database;
  Waybill waybill{database.url()};
  Tenant loud{waybill, "loud"};
  Tenant louder{waybill, "louder"};
  Tenant quiet{waybill, "quiet"};
};

TEST_F(BackgroundWork, BusinessesThatFillTheQueueLeaveLabelsPreviewsAndScansToOthers) {
  const std::string ups =
      quiet.sql.value("select guid from carriers where code = 'ups' and business_id = catalogue_business()");
  const std::string secret = text_at(
      quiet.http.post("/api/carriers/configure", {{"carrierId", ups}, {"accountNumber", "A-1"}}).data(),
      "inboundSecret");
  const std::string shipment =
      quiet.http
          .post("/api/v1/shipments", shipment_body({{"carrierId", ups}, {"carrierTrackingNumber", "1Z1"}}))
          .header("Location");
  const std::string order = quiet.create_order();
  const std::string preview = preview_of(quiet);
  const json::object scan{{"trackingNumber", "1Z1"}, {"status", "collected"}, {"description", "seen"}};
  const std::string scans = "[" + json::serialize(scan) + "]";
  const auto sent = to_unix_seconds(system_clock().now());
  const auto key = net::WebhookSecret::parse(secret).value();
  const Headers signature{
      {"Content-Type", "application/json"},
      {"webhook-id", "d-1"},
      {"webhook-timestamp", std::to_string(sent)},
      {"webhook-signature", net::webhook_signature(std::span(&key, 1), "d-1", sent, scans)}};

  Http carrier = waybill.http();
  for (Http* const client : {&quiet.http, &carrier}) client->set_deadline(std::chrono::minutes(1));
  Printing first(loud);
  Printing second(louder);
  ASSERT_TRUE(eventually([&] { return first.refused() > 0 && second.refused() > 0; }))
      << "both hold as much as a business may";
  const Response label = quiet.http.get(shipment + "/label");
  EXPECT_EQ(label.status, 200) << label.text.substr(0, 300);
  const Response previewed = quiet.http.post(preview, {{"entityId", order}});
  EXPECT_EQ(previewed.status, 200) << previewed.text;
  const Response scanned =
      carrier.request_text("POST", "/api/carriers/" + ups + "/inbound", scans, signature);
  EXPECT_EQ(scanned.status, 200) << scanned.text;

  first.stop();
  second.stop();
  waybill.process().kill(SIGKILL);  // nobody wants what still waits
}

TEST_F(BackgroundWork, WhatIsDrawnTakesNoPlaceOfPreviews) {
  const std::string order = loud.create_order();
  const std::string preview = preview_of(loud);
  Printing printing(loud);
  ASSERT_TRUE(eventually([&] { return printing.refused() > 0; })) << "no more sheets may wait";
  for (int i = 0; i < 20; ++i) {
    const Response previewed = loud.http.post(preview, {{"entityId", order}});
    ASSERT_EQ(previewed.status, 200) << previewed.text;
  }
  printing.stop();
  waybill.process().kill(SIGKILL);  // nobody wants what still waits
}

}  // namespace
}  // namespace waybill::tests
