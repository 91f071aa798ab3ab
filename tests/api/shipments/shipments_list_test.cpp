#include "tests/api/fixtures/shipments_fixture.hpp"

namespace waybill::tests {
namespace {

class ShipmentsListTest : public ShipmentsFixture {
 protected:
  /// Creates a shipment with the given time of creation.
  std::string create_at(std::string_view when, const json::object& fields = {}) {
    const auto guid = create(fields);
    update(guid, "created_at = '" + std::string(when) + "'");
    return guid;
  }
  Response list(std::string_view query) {
    return http.get(std::string(collection) + "?" + std::string(query));
  }
};

TEST_F(ShipmentsListTest, AnEntryOmitsFieldsOfASingleShipment) {
  const auto ada = customer("ada");
  const auto guid = create({{"customerId", ada},
                            {"carrierId", carrier("ups")},
                            {"recipient",
                             {{"name", "Ada"},
                              {"street", "Main St 1"},
                              {"city", "New York"},
                              {"state", "NY"},
                              {"postalCode", "10001"},
                              {"country", "US"}}}});
  const auto response = http.get(collection);
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(names_of(response.body),
            (Names{"data", "page", "pageSize", "totalCount", "totalPages", "success"}));
  const auto& entry = at(response.data(), "0");
  EXPECT_EQ(names_of(entry), (Names{"guid",
                                    "trackingNumber",
                                    "status",
                                    "customer",
                                    "sender",
                                    "recipient",
                                    "packages",
                                    "carrier",
                                    "serviceLevel",
                                    "instructions",
                                    "createdAt",
                                    "carrierTrackingNumber",
                                    "carrierTrackingUrl",
                                    "externalReference",
                                    "tags",
                                    "metadata",
                                    "statusChangedAt",
                                    "lastTraceAt",
                                    "labelStatus",
                                    "shippingPrice",
                                    "currency"}));
  EXPECT_EQ(text_at(entry, "guid"), guid);
  EXPECT_EQ(at(entry, "customer"), json::value({{"guid", ada}, {"name", "ada"}}));
  EXPECT_EQ(at(entry, "carrier"), json::value({{"guid", carrier("ups")}, {"name", "UPS"}}));
  EXPECT_EQ(at(entry, "recipient"),
            json::value({{"name", "Ada"}, {"address", "Main St 1, New York, NY 10001, US"}}));
  EXPECT_EQ(at(entry, "sender"), json::value({{"name", "Engines Ltd"}, {"address", "Rua 1, Lisbon"}}));
}

TEST_F(ShipmentsListTest, FromAndToAreTimesOrWholeDates) {
  const auto first = create_at("2026-01-09 23:59:59.999Z");
  const auto second = create_at("2026-01-10 00:00Z");
  const auto third = create_at("2026-01-10 23:59:59.999Z");
  const auto fourth = create_at("2026-01-11 00:00Z");
  struct Case {
    const char* query;
    std::vector<std::string> found;
  };
  for (const auto& [query, found] : std::vector<Case>{
           {"from=2026-01-10", {fourth, third, second}},
           {"to=2026-01-10", {third, second, first}},
           {"from=2026-01-10&to=2026-01-10", {third, second}},
           {"from=2026-01-10T23:59:59.999Z", {fourth, third}},
           {"from=2026-01-11&to=9999-12-31", {fourth}},
           {"to=2026-01-11T00:00:00Z", {fourth, third, second, first}},
           {"to=2026-01-10T23:59:59Z", {second, first}},
           {"from=2026-01-11T01:00:00%2B01:00", {fourth}},
           {"from=2026-01-12", {}},
           {"from=2026-01-11&to=2026-01-10", {}},
       }) {
    const auto response = list(query);
    EXPECT_EQ(texts(response, "guid"), found) << query << response.text;
    EXPECT_EQ(response.body.at("totalCount"), found.size()) << query;
  }
  expect_invalid(list("from=10.1.2026&to=2026-13-01"), {"from", "to"});
}

TEST_F(ShipmentsListTest, CustomerAndStatusFilterTheList) {
  const auto ada = customer("ada");
  const auto bob = customer("bob");
  const auto first = create_at("2026-01-01", {{"customerId", ada}});
  const auto second = create_at("2026-01-02", {{"customerId", ada}});
  const auto three = create_at("2026-01-03", {{"customerId", bob}});
  update(second, "status = 'delivered'");
  update(three, "status = 'delivered'");
  using Guids = std::vector<std::string>;
  EXPECT_EQ(texts(list("customerGuid=" + ada), "guid"), (Guids{second, first}));
  EXPECT_EQ(texts(list("status=delivered"), "guid"), (Guids{three, second}));
  EXPECT_EQ(texts(list("status=delivered&customerGuid=" + ada + "&from=2026-01-01&to=2026-01-31"), "guid"),
            (Guids{second}));
  EXPECT_EQ(texts(list("customerGuid=" + std::string(unknown_guid)), "guid"), Guids{});
  expect_invalid(list("customerGuid=x&status=lost"), {"customerGuid", "status"});
}

TEST_F(ShipmentsListTest, AFilterNarrowsTheListWithItsOtherParameters) {
  const auto cheap = create_at("2026-01-01"), dear = create_at("2026-01-02"),
             unknown = create_at("2026-01-03");
  update(cheap, "label_status = 'bought', shipping_price = 7.3, currency = 'EUR'");
  update(dear, "label_status = 'bought', shipping_price = 21.5, currency = 'EUR', status = 'in_transit'");
  update(unknown, "label_status = 'unknown'");
  using Guids = std::vector<std::string>;
  const auto found = [&](std::string_view filter, const std::string& more = "") {
    const auto response = list("%24filter=" + url_encode(filter) + more);
    EXPECT_EQ(response.body.at("totalCount"), response.data().as_array().size()) << response.text;
    return texts(response, "guid");
  };
  EXPECT_EQ(found("labelStatus eq 'bought'"), (Guids{dear, cheap}));
  EXPECT_EQ(found("shippingPrice gt 7.3"), (Guids{dear}));
  EXPECT_EQ(found("shippingPrice eq null"), (Guids{unknown}));
  EXPECT_EQ(found("labelStatus ne 'bought' or shippingPrice lt 10"), (Guids{unknown, cheap}));
  EXPECT_EQ(found("labelStatus eq 'bought'", "&status=created"), (Guids{cheap}));
  EXPECT_EQ(found("labelStatus eq 'bought'", "&from=2026-01-02&search=WB"), (Guids{dear}));
  EXPECT_EQ(found("status eq 'in_transit'"), (Guids{dear}));
  expect_invalid(list("%24filter=" + url_encode("labelState eq 'bought'")), {"$filter"});
  expect_invalid(list("%24filter=" + url_encode("shippingPrice eq 'x'")), {"$filter"});
}

TEST_F(ShipmentsListTest, PagesAreLimitedAndDoNotOverlap) {
  std::vector<std::string> newest_first;
  for (int day = 1; day <= 5; ++day)
    newest_first.insert(newest_first.begin(), create_at("2026-01-0" + std::to_string(day)));
  std::vector<std::string> seen;
  for (int page = 1; page <= 3; ++page) {
    const auto response = list("perPage=2&page=" + std::to_string(page));
    EXPECT_EQ(response.body.at("page"), page);
    EXPECT_EQ(response.body.at("pageSize"), 2);
    EXPECT_EQ(response.body.at("totalCount"), 5);
    EXPECT_EQ(response.body.at("totalPages"), 3);
    for (const auto& guid : texts(response, "guid")) seen.push_back(guid);
  }
  EXPECT_EQ(seen, newest_first);
  const auto filtered_past_the_end = list("perPage=1&page=25&status=created");
  EXPECT_EQ(filtered_past_the_end.status, 200) << filtered_past_the_end.text;
  EXPECT_TRUE(filtered_past_the_end.data().as_array().empty());
  EXPECT_EQ(filtered_past_the_end.body.at("totalCount"), 5);
  EXPECT_EQ(list("perPage=100").status, 200);
  expect_invalid(list("perPage=101"), {"perPage"});
  expect_invalid(list("perPage=0&page=0"), {"page", "perPage"});
  expect_invalid(list("page=x"), {"page"});
  EXPECT_EQ(http.get(collection).body.at("pageSize"), 50);
}

TEST_F(ShipmentsListTest, AShipmentInsertedBySqlIsListedAndShown) {
  const auto guid = tenant.sql.value(
      "insert into shipments (business_id, tracking_number, packages) values ($1, 'X', '[1, {\"weight\": "
      "\"x\"}]') "
      "returning guid",
      {tenant.id});
  EXPECT_EQ(texts(http.get(collection), "guid"), (std::vector<std::string>{guid}));
  EXPECT_EQ(text_at(get(guid), "trackingNumber"), "X");
  EXPECT_EQ(at(get(guid), "recipient"), json::value({{"name", nullptr},
                                                     {"company", nullptr},
                                                     {"address", nullptr},
                                                     {"phone", nullptr},
                                                     {"email", nullptr}}))
      << "as a workflow sees it";
  EXPECT_EQ(at(http.get(collection).data(), "0.sender"),
            json::value({{"name", nullptr}, {"address", nullptr}}));
  EXPECT_FALSE(at(get(guid), "estimatedDelivery").is_null()) << "it has an estimate like any other";
}

}  // namespace
}  // namespace waybill::tests
