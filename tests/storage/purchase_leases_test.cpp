// The leases of workers on purchases.
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/carriers/purchases.hpp"
#include "storage/events/leases.hpp"
#include "storage/session/session.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
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

TEST_F(PurchaseLeases, OfALostWorkerEndWithItsSession) {
  const storage::PurchaseKey open = requested(), buying = requested(), bought = requested();
  std::optional<storage::ServerLeases> lost(std::in_place, database.url(), worker, "lost", 3s);
  storage::ServerLeases living(database.url(), other, "living", 3s);
  ASSERT_TRUE(lost->enter());
  ASSERT_TRUE(living.enter());
  ASSERT_THAT(claimed_by(worker), SizeIs(3));
  database.rows(
      "update purchases set status = 'buying', gateway_id = 'shp_1', buy_begun_at = now() where guid = $1",
      {buying.guid.to_string()});
  database.rows(
      "update purchases set status = 'bought', gateway_id = 'shp_2', bought_at = now(), next_at = null where "
      "guid = $1",
      {bought.guid.to_string()});
  living.free_lost(4s);
  EXPECT_THAT(renewed_by(worker, {open, buying}), SizeIs(2)) << "the worker lives";
  lost.reset();
  EXPECT_TRUE(eventually([&] {
    living.free_lost(4s);
    return database.number("select count(*) from purchases where lease_owner is not null") == 0;
  }));
  EXPECT_THAT(renewed_by(worker, {open, buying}), IsEmpty());
  EXPECT_THAT(claimed_by(other), SizeIs(2)) << "nothing is left to do for a bought one";
  EXPECT_EQ(database.value("select status from purchases where guid = $1", {buying.guid.to_string()}),
            "buying")
      << "only whoever claims it knows that no answer comes";
}

}  // namespace
}  // namespace waybill::tests
