// Carriers behind a real Karrio: a wrong configuration names its field, and nothing is saved.
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/purchase_world.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;
using CarrierCall = KarrioCarrier::Call;

class KarrioConfiguration : public PurchaseTest {
 protected:
  void SetUp() override {
    if (!world().karrio) GTEST_SKIP() << no_karrio;
    buyer = std::make_unique<Buyer>(*world().waybill, *world().karrio, test_name());
    before = saved();
  }
  KarrioServer& karrio() { return world().karrio->karrio(); }
  Response configure(const json::object& more) {
    json::object body = buyer->account.configure;
    body["carrierId"] = buyer->carrier;
    for (const auto& [name, value] : more) body[name] = value;
    return buyer->tenant.http.post("/api/carriers/configure", body);
  }
  std::string saved() {
    return buyer->tenant.sql.value(
        "select string_agg(c::text, '') from carrier_configurations c where business_id = $1",
        {buyer->tenant.id});
  }
  /// The only wrong field.
  std::string refused(const json::object& more) {
    const Response response = configure(more);
    EXPECT_EQ(response.status, 400) << response.text;
    EXPECT_EQ(response.error_code(), "CONFIGURATION_ERROR") << response.text;
    EXPECT_THAT(response.text, Not(HasSubstr(std::string(KarrioCarrier::key))));
    EXPECT_EQ(saved(), before);
    const json::object details = response.details();
    return details.size() == 1 ? std::string(details.begin()->key()) : response.text;
  }

  std::unique_ptr<Buyer> buyer;
  std::string before;
};

TEST_F(KarrioConfiguration, NamesAWrongTokenModeOrConnection) {
  EXPECT_EQ(refused({{"apiKey", "key_00000000000000000000000000000000"}}), "apiKey");
  EXPECT_EQ(refused({{"apiKey", karrio().token(true)}}), "testMode");
  EXPECT_EQ(refused({{"testMode", true}}), "testMode");
  EXPECT_EQ(refused({{"accountNumber", "stranger"}}), "accountNumber");
}

TEST_F(KarrioConfiguration, NeedsExactlyOneActiveConnectionOfTheName) {
  const std::string second = karrio().make_connection(buyer->account.name);
  EXPECT_EQ(refused({}), "accountNumber");
  karrio().set_active(second, false);
  EXPECT_EQ(configure({}).status, 200);
}

TEST_F(KarrioConfiguration, TellsThatTheCarrierRefusesKarriosCredentials) {
  karrio().make_connection("wrong-" + buyer->account.name, {.key = "stranger"});
  EXPECT_EQ(refused({{"accountNumber", "wrong-" + buyer->account.name}}), "apiKey");
}

TEST_F(KarrioConfiguration, IsNotJudgedByAFailure) {
  auto& carrier = karrio().carrier();
  for (const auto& fault : {failing_with(503), dropped_call(), cut_answer()}) {
    carrier.fail(CarrierCall::rates, fault, 100);
    const Response busy = configure({});
    carrier.stop_failing();
    EXPECT_EQ(busy.status, 503) << busy.text;
    EXPECT_EQ(saved(), before);
  }
  karrio().kill();
  const Response unreachable = configure({});
  karrio().restart();
  EXPECT_EQ(unreachable.status, 503) << "the front answers 502: " << unreachable.text;
  EXPECT_EQ(saved(), before);
}

}  // namespace
}  // namespace waybill::tests
