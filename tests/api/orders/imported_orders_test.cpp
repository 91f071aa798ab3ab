#include <string>

#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

/// Orders with values that an import stores and a request could not choose.
class ImportedOrders : public ApiTest {
 protected:
  static std::string path_of(const std::string& guid) { return "/api/v1/Orders/" + guid; }
};

TEST_F(ImportedOrders, MayKeepACurrencyThatIsNotOfTheStandard) {
  const std::string order =
      tenant.insert_order({{"currency", "'IRT'"}, {"delivery_street", "'S 1'"}, {"delivery_city", "'C'"}});
  const json::object read = http.get(path_of(order)).data().as_object();
  const Response same = http.put(path_of(order), read);
  EXPECT_EQ(same.status, 200) << same.text;
  EXPECT_EQ(http.put(path_of(order), {{"notes", "kept"}, {"currency", "IRT"}}).status, 200);
  expect_invalid(http.put(path_of(order), {{"currency", "BTC"}}), {"currency"});
  expect_invalid(http.put(path_of(order), {{"currency", "BTC"}, {"timeWindow", nullptr}}), {"currency"});
  EXPECT_EQ(text_at(http.get(path_of(order)).data(), "currency"), "IRT");
  EXPECT_EQ(http.put(path_of(order), {{"currency", "EUR"}}).status, 200);
  expect_invalid(http.put(path_of(order), {{"currency", "IRT"}}), {"currency"});
}

TEST_F(ImportedOrders, MayStayWithoutItems) {
  const std::string empty =
      tenant.insert_order({{"items", "'[]'"}, {"delivery_street", "'S 1'"}, {"delivery_city", "'C'"}});
  const json::object read = http.get(path_of(empty)).data().as_object();
  EXPECT_EQ(read.at("items"), json::value(json::array()));
  const Response same = http.put(path_of(empty), read);
  EXPECT_EQ(same.status, 200) << same.text;
  const std::string full = tenant.create_order();
  expect_invalid(http.put(path_of(full), {{"items", json::array()}}), {"items"});
}

}  // namespace
}  // namespace waybill::tests
