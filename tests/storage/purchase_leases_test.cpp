// The leases of workers on purchases.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/carriers/purchases.hpp"
#include "storage/session/session.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class PurchaseLeases : public testing::Test {
 protected:
  PurchaseLeases() {
    database.rows("insert into businesses (guid, name) values ($1, 'Ada')", {business.to_string()});
  }

  /// Requests the purchase of a new shipment.
  storage::PurchaseKey requested() {
    const Guid shipment = Guid::random();
    database.rows("insert into shipments (business_id, guid, tracking_number) values ($1, $2, $3)",
                  {business.to_string(), shipment.to_string(), shipment.to_string()});
    storage::Work work(session);
    const auto made = storage::request_purchase(
        session, {.business_id = business, .shipment_id = shipment, .connector = "karrio"});
    work.commit();
    return made.value().purchase.key;
  }

  std::vector<storage::ClaimedPurchase> claimed_by(const Guid& claimer) {
    const std::vector<Guid> businesses{business};
    const std::vector<std::string> connectors{"karrio"};
    return storage::claim_purchases(session, claimer, businesses, connectors);
  }
  std::vector<Guid> renewed_by(const Guid& holder, const std::vector<storage::PurchaseKey>& keys) {
    return storage::renew_purchases(session, holder, keys);
  }
  void expire_leases() {
    database.exec("update purchases set lease_until = now() - interval '1 second', claim_at = now()");
  }

  const Guid business = Guid::random(), worker = Guid::random(), other = Guid::random();
  TestDatabase database;
  storage::Session session{database.url(), "test"};
};

TEST_F(PurchaseLeases, AreHeldWhileTheyAreRenewed) {
  const storage::PurchaseKey key = requested();
  ASSERT_THAT(claimed_by(worker), SizeIs(1));
  EXPECT_THAT(claimed_by(other), IsEmpty());
  database.exec("update purchases set lease_until = now() + interval '1 second'");
  EXPECT_THAT(renewed_by(worker, {key}), ElementsAre(key.guid));
  EXPECT_THAT(renewed_by(other, {key}), IsEmpty()) << "another worker's lease";
  EXPECT_EQ(database.number("select count(*) from purchases where lease_until > now() + interval '2 minutes' "
                            "and claim_at = lease_until"),
            1);
}

TEST_F(PurchaseLeases, ThatHaveEndedAreNotRenewed) {
  const storage::PurchaseKey key = requested();
  ASSERT_THAT(claimed_by(worker), SizeIs(1));
  expire_leases();
  EXPECT_THAT(renewed_by(worker, {key}), IsEmpty());
  EXPECT_THAT(claimed_by(other), SizeIs(1));
  EXPECT_THAT(renewed_by(worker, {key}), IsEmpty());
  EXPECT_THAT(renewed_by(other, {key}), ElementsAre(key.guid));
}

TEST_F(PurchaseLeases, OfABusinessAreAtMostFour) {
  for (int i = 0; i < 6; ++i) requested();
  const auto first = claimed_by(worker);
  EXPECT_THAT(first, SizeIs(4));
  EXPECT_THAT(claimed_by(other), IsEmpty());
  const std::vector<storage::PurchaseKey> done{first[0].purchase.key};
  storage::release_purchases(session, worker, done);
  EXPECT_THAT(claimed_by(other), SizeIs(1));
}

}  // namespace
}  // namespace waybill::tests
