// The numbers of labels of carriers that also number the whole shipment, as many behind Karrio do.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/carriers/purchases.hpp"
#include "storage/session/session.hpp"
#include "storage/sql/tracking_pulls.sql.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

namespace pulls = storage::sql::tracking_pulls;
using testing::ElementsAre;

class LabelNumbers : public testing::Test {
 protected:
  LabelNumbers() {
    sql.rows("insert into businesses (guid, name) values ($1, 'Ada')", {business.to_string()});
    sql.rows(
        "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, connector) "
        "values ($1, $2, 'a', false, 'karrio')",
        {business.to_string(), carrier.to_string()});
  }

  /// Buys the label of a new shipment.
  void buy(const std::string& packages, std::vector<std::string> numbers) {
    shipment = Guid::random();
    sql.rows(
        "insert into shipments (business_id, guid, tracking_number, carrier_id, packages) "
        "values ($1, $2, $3, $4, $5::jsonb)",
        {business.to_string(), shipment.to_string(), shipment.to_string(), carrier.to_string(), packages});
    const domain::BoughtFacts label{.gateway_id = "shp_1",
                                    .tracking_numbers = std::move(numbers),
                                    .tracking_url = "",
                                    .service_code = "ground",
                                    .service_name = "Ground",
                                    .price = {"7.90", "EUR"}};
    storage::Work work(session);
    const auto requested = storage::request_purchase(
        session,
        {.business_id = business, .shipment_id = shipment, .carrier_id = carrier, .connector = "karrio"});
    storage::change_purchase(session, {.key = requested.value().purchase.key,
                                       .make = [&](storage::StoredPurchase& bought, Time now) {
                                         return domain::looked_up(bought.facts, label, now);
                                       }});
    work.commit();
  }
  std::string of_shipment() {
    return sql.value("select carrier_tracking_number from shipments where guid = $1", {shipment.to_string()});
  }
  std::vector<std::string> of_packages() {
    return sql.column(
        "select k.package ->> 'carrierTrackingNumber' from shipments r "
        "cross join jsonb_array_elements(r.packages) with ordinality k (package, place) "
        "where r.guid = $1 order by k.place",
        {shipment.to_string()});
  }
  std::vector<std::string> swept() {
    session.run(pulls::Sweep{.business = business,
                             .connector = "karrio",
                             .longest_silence = "60 days",
                             .pause_underway = "2 hours",
                             .pause_unscanned = "6 hours"});
    return sql.column("select number from tracking_pulls order by number");
  }
  /// The numbers by which the gateway is asked, of all that are due.
  std::vector<std::string> taken() {
    sql.exec("update tracking_pulls set due_at = now() - interval '1 second'");
    std::vector<std::string> numbers;
    const auto rows = session.run(pulls::Take{.business = business, .connector = "karrio", .limit = 10});
    for (const auto& row : rows) {
      if (row.status) numbers.emplace_back(row.number);
    }
    return numbers;
  }

  const Guid business = Guid::random();
  TestDatabase database;
  Session sql{database.url()};
  storage::Session session{database.url(), "test"};
  const Guid carrier = Guid::parse(sql.value("select guid from carriers where code = 'ups' and "
                                             "business_id = catalogue_business()"))
                           .value();
  Guid shipment;
};

TEST_F(LabelNumbers, OfParcelsAreThoseOfThePackages) {
  const std::string one = R"([{"weight": 1}])", two = R"([{"weight": 1}, {"weight": 2}])";
  buy(two, {"M", "A", "B"});
  EXPECT_EQ(of_shipment(), "M");
  EXPECT_THAT(of_packages(), ElementsAre("A", "B"));
  buy(two, {"A", "B"});
  EXPECT_EQ(of_shipment(), "A");
  EXPECT_THAT(of_packages(), ElementsAre("A", "B"));
  buy(two, {"M"});
  EXPECT_THAT(of_packages(), ElementsAre("M", ""));
  buy(one, {"M", "A"});
  EXPECT_THAT(of_packages(), ElementsAre("M"));
}

TEST_F(LabelNumbers, AreAllAskedForWhileTheLabelIsPaid) {
  buy(R"([{"weight": 1}])", {"M", "A"});
  sql.rows(
      "insert into purchases (business_id, guid, shipment_id, attempt, stray_of, reference, shard, status, "
      "bought_at, tracking_numbers) select business_id, gen_random_uuid(), shipment_id, attempt, guid, "
      "reference, shard, 'bought', now(), '{S}' from purchases where shipment_id = $1",
      {shipment.to_string()});
  std::vector<std::string> asked;
  for (const auto& row : session.run(pulls::Numbers{.business = business, .shipment = shipment}))
    asked.emplace_back(row.number);
  EXPECT_THAT(asked, ElementsAre("M", "A"));
  EXPECT_THAT(swept(), ElementsAre("A", "M")) << "a second label is only voided";
  EXPECT_THAT(taken(), testing::UnorderedElementsAre("A", "M"));
  sql.exec("update purchases set status = 'voided'");
  EXPECT_THAT(taken(), ElementsAre("M")) << "the shipment has it still";
}

}  // namespace
}  // namespace waybill::tests
