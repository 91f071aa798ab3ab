// Purchases that are read from a standby (--read-database-url).
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/purchase_world.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/standby.hpp"
#include "tests/harness/standby_metrics.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

constexpr std::string_view list = "/api/v1/purchases";

class PurchaseReads : public testing::Test {
 protected:
  struct Servers : PrimaryAndStandby {
    Servers() { migrate_with_binary(url()); }
  };

  Waybill::Options options_of(std::string command) const {
    Waybill::Options options;
    options.command = std::move(command);
    options.arguments = {"--carrier-gateway", gateway.url()};
    return options;
  }
  Waybill::Options reader() const {
    Waybill::Options options = options_of("api");
    for (const std::string& more : {std::string("--read-database-url"), servers.standby_url(),
                                    std::string("--metrics-listen"), std::string("127.0.0.1:0")})
      options.arguments.push_back(more);
    return options;
  }
  Waybill::Options performer() const {
    Waybill::Options options = options_of("worker");
    options.secret_key_file = api.secret_key_file();
    return options;
  }

  Response purchases(std::string_view query = "") {
    Response response = buyer.tenant.http.get(std::string(list) + std::string(query));
    EXPECT_EQ(response.status, 200) << response.text;
    return response;
  }
  std::int64_t total(std::string_view query = "") {
    return at(purchases(query).body, "totalCount").to_number<std::int64_t>();
  }
  bool lists_on_standby() {
    return eventually([&] {
      const double before = metrics.reads("standby");
      purchases();
      return metrics.reads("standby") > before;
    });
  }

  Servers servers;
  EasyPostGateway gateway;
  Waybill api{servers.url(), reader()};
  Waybill worker{servers.url(), performer()};
  StandbyMetrics metrics{api};
  Buyer buyer{api, gateway, "reader"};
};

TEST_F(PurchaseReads, ListsAndSumsOfTheStandbyAreThoseOfThePrimary) {
  for (int i = 0; i < 3; ++i) buyer.bought(buyer.shipment());
  servers.catch_up();
  ASSERT_TRUE(lists_on_standby());
  const double before = metrics.reads("standby");
  const Response page = purchases("?PageSize=2&status=bought");
  EXPECT_GT(metrics.reads("standby"), before) << "the page and the sums";
  EXPECT_EQ(page.data().as_array().size(), 2U);
  EXPECT_EQ(at(page.body, "totalCount"), 3);
  EXPECT_THAT(page.text, HasSubstr(R"("sums":[{"currency":"EUR","purchases":3,"paid":22.02,)"));
  EXPECT_EQ(metrics.passes("refused"), 0) << "a statement does not work on a standby";
  EXPECT_EQ(metrics.passes("failed"), 0);
}

TEST_F(PurchaseReads, ATokenSeesItsPurchaseAndItsLabelWhileReplayIsPaused) {
  buyer.bought(buyer.shipment());
  servers.catch_up();
  ASSERT_TRUE(lists_on_standby());
  servers.pause_replay();
  for (std::int64_t count = 2; count <= 6; ++count) {
    const std::string shipment = buyer.shipment();
    const std::string purchase = buyer.request(shipment);
    const Response shown = purchases("?PageSize=100");
    EXPECT_EQ(at(shown.body, "totalCount"), count) << "the token's own write";
    EXPECT_EQ(shown.data().as_array().size(), static_cast<std::size_t>(count));
    EXPECT_THAT(shown.text, HasSubstr(purchase));
    // The worker, which is another writer, has bought it as soon as a single record says so.
    buyer.with_status(shipment, purchase, "bought");
    ASSERT_TRUE(eventually([&] { return buyer.label(shipment).status == 200; }));
    EXPECT_EQ(buyer.label_status(shipment), "bought");
    EXPECT_EQ(buyer.label(shipment).text,
              PurchaseGateway::file(gateway.labels(purchase).at(0).numbers.at(0), "pdf"));
    EXPECT_EQ(buyer.void_label(shipment).status, 202);
    EXPECT_EQ(total("?status=voiding") + total("?status=voided"), count - 1) << "also after a void";
  }
  servers.resume_replay();
  EXPECT_TRUE(lists_on_standby());
  EXPECT_EQ(total(), 6);
}

}  // namespace
}  // namespace waybill::tests
