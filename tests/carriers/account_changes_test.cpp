// Carriers that are removed, deactivated or connected in another way while their labels are bought or voided.
#include <string>
#include <thread>

#include "storage/carriers/purchases.hpp"
#include "storage/session/session.hpp"
#include "tests/carriers/purchases_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

class AccountChanges : public PurchaseCalls {
 protected:
  std::string path() const { return "/api/carriers/" + carrier; }
  Response remove() { return tenant.http.del(path()); }
  bool is_configured() { return at(tenant.http.get(path()).data(), "isConfigured").as_bool(); }
  /// True once a session waits for another one's lock of a row.
  bool someone_waits() {
    return eventually([&] {
      return tenant.sql.number(
                 "select count(*) from pg_locks l join pg_stat_activity a using (pid) where not l.granted "
                 "and "
                 "a.datname = current_database()") > 0;
    });
  }
};

TEST_F(AccountChanges, AreRefusedWithTheOpenPurchases) {
  const std::string parcel = shipment(), purchase = requested(parcel);
  const auto is_refused = [&](const std::string& reason) {
    const Response removed = remove();
    EXPECT_EQ(removed.status, 409) << removed.text;
    const std::string named = text_at(removed.body, "error.details.purchases[0]");
    EXPECT_THAT(named, HasSubstr(purchase));
    EXPECT_THAT(named, HasSubstr(parcel));
    EXPECT_THAT(named, HasSubstr(reason));
    EXPECT_EQ(tenant.http.patch(path(), {{"isActive", false}}).status, 409) << reason;
    EXPECT_EQ(tenant.http.patch(path(), {{"connector", "manual"}}).status, 409) << reason;
    EXPECT_EQ(tenant.http.post("/api/carriers/configure", {{"carrierId", carrier}, {"accountNumber", "ca_1"}})
                  .status,
              409)
        << reason;
    EXPECT_TRUE(is_configured());
  };
  is_refused("is requested");
  note_unknown(parcel);
  is_refused("is unknown");
  note(parcel, "refused", ", resolution = 'not_bought'");
  tenant.sql.rows("update purchases set claim_at = now() + interval '1 hour' where guid = $1", {purchase});
  is_refused("still looked up");
  note(parcel, "bought", ", gateway_id = 'shp_1', bought_at = now()");
  tenant.sql.rows("update purchases set claim_at = now() + interval '1 hour' where guid = $1", {purchase});
  is_refused("waits for its label");
  note_bought(parcel);
  ASSERT_EQ(tenant.http.post(path_of(parcel, "/void")).status, 202);
  is_refused("is voiding");
}

TEST_F(AccountChanges, AreAllowedWhilePurchasesWaitForAnotherMode) {
  const std::string parcel = shipment(), purchase = requested(parcel);
  note(parcel, "voiding",
       ", gateway_id = 'shp_1', bought_at = now(), voiding_since = now(), void_begun_at = now(), "
       "void_state = 'unknown', lookups = 1");
  EXPECT_EQ(tenant.http.patch(path(), {{"isActive", false}}).status, 409) << "of the same mode";
  tenant.sql.rows("update purchases set test_mode = null where guid = $1", {purchase});
  EXPECT_EQ(tenant.http.patch(path(), {{"isActive", false}}).status, 409) << "of any mode";
  tenant.sql.rows("update purchases set test_mode = true where guid = $1", {purchase});
  EXPECT_EQ(tenant.http.patch(path(), {{"isActive", false}}).status, 200);
  EXPECT_EQ(remove().status, 200);
}

TEST_F(AccountChanges, NameTwentyPurchases) {
  for (int i = 0; i < 21; ++i) requested(shipment());
  EXPECT_EQ(remove().details().size(), 20U);
}

TEST_F(AccountChanges, DoNotConcernOtherCarriersAndOtherChanges) {
  const std::string fedex = builtin("fedex");
  connect(fedex, "easypost");
  requested(shipment());
  EXPECT_EQ(tenant.http.patch(path(), {{"trackingSync", false}}).status, 200);
  EXPECT_EQ(tenant.http.patch(path(), {{"defaultServiceLevel", "standard"}}).status, 200);
  EXPECT_EQ(tenant.http.del("/api/carriers/" + fedex).status, 200);
}

TEST_F(AccountChanges, AreAllowedWithBoughtLabelsWhoseVoidThenWaits) {
  const std::string parcel = shipment();
  requested(parcel);
  note_bought(parcel);
  ASSERT_EQ(remove().status, 200);
  EXPECT_EQ(label(parcel, "?kind=carrier").text, "%PDF-1.4 label") << "the label stays";
  EXPECT_EQ(tenant.http.post(path_of(parcel, "/void")).status, 202);
  EXPECT_EQ(buy(shipment()).status, 409) << "nothing is bought any more";
}

TEST_F(AccountChanges, WaitForAPurchaseThatBeginsAtTheSameMoment) {
  const std::string parcel = shipment();
  storage::Session session(world.database.url(), "test");
  storage::Work work(session);
  const auto made = storage::request_purchase(session, {.business_id = Guid::parse(tenant.id).value(),
                                                        .shipment_id = Guid::parse(parcel).value(),
                                                        .carrier_id = Guid::parse(carrier),
                                                        .connector = "easypost"});
  ASSERT_TRUE(made && made->is_new);
  Response removed;
  std::thread remover(
      [&, client = tenant.http.with_token(tenant.http.token())]() mutable { removed = client.del(path()); });
  EXPECT_TRUE(someone_waits());
  work.commit();
  remover.join();
  EXPECT_EQ(removed.status, 409) << removed.text;
  EXPECT_TRUE(is_configured());
}

TEST_F(AccountChanges, LetNoPurchaseBeginAtTheSameMoment) {
  const std::string parcel = shipment();
  Session remover = world.database.connect();
  remover.exec("begin");
  remover.rows("delete from carrier_configurations where business_id = $1 and carrier_id = $2",
               {tenant.id, carrier});
  Response bought;
  std::thread buyer([&, client = tenant.http.with_token(tenant.http.token())]() mutable {
    bought = client.post(path_of(parcel, "/label"), json::object());
  });
  EXPECT_TRUE(someone_waits());
  remover.exec("commit");
  buyer.join();
  EXPECT_EQ(bought.status, 503) << bought.text;
  EXPECT_EQ(purchases_of(parcel), 0);
  EXPECT_TRUE(at(shown(parcel), "labelStatus").is_null());
  EXPECT_EQ(buy(parcel).status, 409) << "the carrier is not configured";
}

}  // namespace
}  // namespace waybill::tests
