// Alerts about labels: purchases that move, by SQL as any program moves them, and orders that are cancelled.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

/// A label of a tenant's order, in a purchase that is being bought.
class Label {
 public:
  explicit Label(Tenant& tenant, bool has_order = true) : tenant_(tenant) {
    if (has_order) order = tenant.insert_order();
    shipment = tenant.insert_shipment(order);
    purchase = tenant.sql.value(
        "insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, carrier_id, "
        "connector, "
        "status, gateway_id, buy_begun_at, quote, quote_currency, error_text) "
        "select $1, g, $2, 1, g, shard_of($1::uuid), (select guid from carriers where code = 'ups' limit 1), "
        "'karrio', 'buying', 'shp_1', now(), 10.50, 'EUR', 'The address is unknown.' from gen_random_uuid() "
        "g "
        "returning guid",
        {tenant.id, shipment});
  }

  /// Changes the purchase, and the status of the shipment's label with it.
  void change(const std::string& set) {
    tenant_.sql.exec("begin; update purchases set " + set + " where guid = '" + purchase +
                     "'; update shipments s set label_status = p.status from purchases p where p.guid = '" +
                     purchase + "' and s.business_id = p.business_id and s.guid = p.shipment_id; commit");
  }
  void buy() { change("status = 'bought', bought_at = now(), price = 12.50, currency = 'EUR'"); }

  /// A second label that turned up. Returns its purchase.
  std::string add_stray() const {
    return tenant_.sql.value(
        "insert into purchases (business_id, guid, shipment_id, attempt, stray_of, reference, shard, "
        "carrier_id, "
        "connector, status, gateway_id, bought_at, price, currency, is_dearer) "
        "select business_id, gen_random_uuid(), shipment_id, attempt, guid, reference, shard, carrier_id, "
        "connector, "
        "'voiding', 'shp_2', now(), 12.50, 'EUR', true from purchases where guid = $1 returning guid",
        {purchase});
  }

  std::string order, shipment, purchase;

 private:
  Tenant& tenant_;
};

class LabelAlerts : public WorkflowTest {
 protected:
  void switch_on(json::object more = {}) {
    more["webhook"] = {{"url", url("alerts")}};
    ASSERT_EQ(tenant.http.put(alert_settings, more).status, 200);
  }
  /// The numbers of all failures by cause, those of messages included.
  std::map<std::string, std::string> counts() {
    std::map<std::string, std::string> counted;
    for (const auto& row : tenant.sql.rows(
             "select cause, sum(count)::bigint from (select cause, count from alerts where business_id = $1 "
             "union all select cause, count from alert_messages where business_id = $1 and channel = "
             "'webhook') c "
             "group by cause having sum(count) > 0",
             {tenant.id}))
      counted[row[0].value()] = row[1].value();
    return counted;
  }
  json::value alert() {
    const auto received = wait_for(1, "alerts");
    if (received.empty()) throw std::runtime_error("no alert");
    return at(received.front().json_body(), "data");
  }
};

TEST_F(LabelAlerts, AnUnknownPurchaseIsReportedWithItsFacts) {
  switch_on();
  Label label(tenant);
  label.change("status = 'unknown', unknown_since = now(), error_code = 'TIMED_OUT'");
  const json::value data = alert();
  EXPECT_EQ(text_at(data, "cause"), "label_unknown");
  EXPECT_EQ(at(data, "count"), 1);
  EXPECT_EQ(text_at(data, "carrier.name"), "UPS");
  EXPECT_EQ(text_at(data, "purchase.guid"), label.purchase);
  EXPECT_EQ(text_at(data, "purchase.shipmentId"), label.shipment);
  EXPECT_EQ(text_at(data, "purchase.orderId"), label.order);
  EXPECT_EQ(text_at(data, "purchase.status"), "unknown");
  EXPECT_EQ(text_at(data, "purchase.code"), "TIMED_OUT");
  EXPECT_EQ(at(data, "purchase.quote"), 10.5);
  EXPECT_TRUE(at(data, "replay").is_null());
}

TEST_F(LabelAlerts, RefusedPurchasesOfACarrierAreOneMessageAndOneSummary) {
  switch_on();
  std::vector<std::unique_ptr<Label>> labels;
  for (int i = 0; i < 5; ++i) labels.push_back(std::make_unique<Label>(tenant, false));
  labels[0]->change("status = 'refused'");
  EXPECT_EQ(at(alert(), "count"), 1);
  for (int i = 1; i < 5; ++i) labels[static_cast<std::size_t>(i)]->change("status = 'refused'");
  tenant.sql.rows("update alerts set due_at = now() where business_id = $1", {tenant.id});
  const auto received = wait_for(2, "alerts");
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(at(at(received[1].json_body(), "data"), "count"), 4);
}

TEST_F(LabelAlerts, AreCountedInTheTransactionThatMovesThePurchase) {
  switch_on({{"on", json::array{"label_failed", "label_dearer", "label_of_cancelled_order"}}});
  Label label(tenant);
  tenant.sql.exec("begin; update purchases set status = 'refused' where guid = '" + label.purchase + "'");
  EXPECT_EQ(tenant.sql.value("select a.xmin = p.xmin from alerts a, purchases p where p.guid = $1 and "
                             "a.business_id = p.business_id and a.run_id = p.guid",
                             {label.purchase}),
            "t");
  tenant.sql.exec("rollback");
  EXPECT_THAT(counts(), IsEmpty());
}

TEST_F(LabelAlerts, ThePriceLimitOfARequestAndTheDecisionOfAPersonAreNoRefusals) {
  switch_on({{"on", json::array{"label_failed"}}});
  Label(tenant).change("status = 'refused', error_code = 'TOO_EXPENSIVE'");
  Label(tenant).change("status = 'refused', error_code = 'OTHER_CURRENCY'");
  Label(tenant).change("status = 'refused', resolution = 'not_bought'");
  Label(tenant).buy();
  EXPECT_THAT(counts(), IsEmpty());
}

TEST_F(LabelAlerts, AVoidIsUnknownAtItsFirstAnswerNotWhenItBegins) {
  Label label(tenant);
  label.buy();
  label.change("status = 'voiding', voiding_since = now()");
  label.change("void_begun_at = now(), void_state = 'unknown'");
  EXPECT_THAT(counts(), IsEmpty());
  label.change("lookups = 1");
  label.change("lookups = 2");
  EXPECT_THAT(counts(), ElementsAre(Pair("label_unknown", "1")));
}

TEST_F(LabelAlerts, ALabelThatIsDearerThanItsQuoteIsReportedOnce) {
  switch_on();
  Label label(tenant);
  label.change("status = 'bought', bought_at = now(), price = 12.50, currency = 'EUR', is_dearer = true");
  label.change("has_label = true");
  const json::value data = alert();
  EXPECT_EQ(text_at(data, "cause"), "label_dearer");
  EXPECT_EQ(at(data, "purchase.price"), 12.5);
  EXPECT_EQ(tenant.sql.number("select count from alerts where business_id = $1", {tenant.id}), 0);
}

TEST_F(LabelAlerts, ASecondLabelIsReportedWhenItTurnsUpAndWhenItIsNotVoided) {
  Label label(tenant);
  label.buy();
  const std::string stray = label.add_stray();
  EXPECT_THAT(counts(), ElementsAre(Pair("label_doubled", "1"))) << "not as a dear one, too";
  tenant.sql.rows("update purchases set status = 'bought', void_state = 'refused' where guid = $1", {stray});
  EXPECT_THAT(counts(), ElementsAre(Pair("label_doubled", "2")));
}

TEST_F(LabelAlerts, ACancelledOrderIsReportedWhileItsLabelIsBought) {
  switch_on({{"on", json::array{"label_of_cancelled_order"}}});
  Label label(tenant);
  label.buy();
  const std::string other = tenant.insert_order();
  tenant.move_order(other, "cancelled");
  EXPECT_THAT(counts(), IsEmpty()) << "an order without a label";
  tenant.move_order(label.order, "cancelled");
  const json::value data = alert();
  EXPECT_EQ(text_at(data, "cause"), "label_of_cancelled_order");
  EXPECT_EQ(text_at(data, "purchase.orderId"), label.order);
}

TEST_F(LabelAlerts, ALabelThatIsBoughtAfterItsOrderWasCancelledIsReported) {
  switch_on({{"on", json::array{"label_of_cancelled_order"}}});
  Label label(tenant);
  label.change("attempts = 1");
  tenant.move_order(label.order, "cancelled");
  EXPECT_THAT(counts(), IsEmpty()) << "nothing is paid yet";
  label.buy();
  EXPECT_EQ(text_at(alert(), "purchase.guid"), label.purchase);
}

TEST_F(LabelAlerts, ACancellationWaitsForALabelThatIsBoughtAtTheSameTime) {
  switch_on({{"on", json::array{"label_of_cancelled_order"}}});
  Label label(tenant);
  label.change("attempts = 1");
  Session buyer = world.database.connect();
  buyer.exec("begin; update shipments set label_status = 'bought' where guid = '" + label.shipment +
             "'; update purchases set status = 'bought', bought_at = now() where guid = '" + label.purchase +
             "'");
  Session canceller = world.database.connect();
  canceller.exec("set lock_timeout = '100ms'");
  EXPECT_THROW(canceller.exec("update orders set status = 'cancelled' where guid = '" + label.order + "'"),
               std::runtime_error);
  buyer.exec("commit");
  canceller.exec("update orders set status = 'cancelled' where guid = '" + label.order + "'");
  EXPECT_EQ(text_at(alert(), "purchase.guid"), label.purchase);
}

TEST_F(LabelAlerts, WithoutSettingsOnlyWhatMayBePaidTwiceIsCounted) {
  Label(tenant).change("status = 'refused'");
  Label(tenant).change("status = 'bought', bought_at = now(), is_dearer = true");
  Label(tenant).change("status = 'unknown', unknown_since = now()");
  Label doubled(tenant);
  doubled.buy();
  doubled.add_stray();
  EXPECT_THAT(counts(), ElementsAre(Pair("label_doubled", "1"), Pair("label_unknown", "1")));
}

/// A worker that writes mails to a folder.
class LabelMails : public testing::Test {
 protected:
  std::vector<std::string> mails() const {
    std::vector<std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
      if (entry.path().extension() != ".eml") continue;
      std::ifstream file(entry.path());
      texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return texts;
  }
  void add_user(const std::string& email, const std::string& role, bool is_verified = true) {
    tenant.sql.rows(
        "insert into users (email, business_id, role, password_hash, verified_at) "
        "values ($1, $2, $3, 'x', case when $4::boolean then now() end)",
        {email, tenant.id, role, is_verified ? "true" : "false"});
  }

  TempDirectory directory;
  TestDatabase database;
  Waybill waybill{database.url(), {.arguments = {"--mail-dir", directory.path()}}};
  Tenant tenant{waybill, "Shop"};
};

TEST_F(LabelMails, AnUnknownPurchaseIsMailedToOwnersAndAdminsWithoutSettings) {
  add_user("owner@shop.example", "owner");
  add_user("admin@shop.example", "admin");
  add_user("operator@shop.example", "operator");
  add_user("unverified@shop.example", "admin", false);
  Label label(tenant);
  label.change("status = 'unknown', unknown_since = now()");
  ASSERT_TRUE(eventually([&] { return mails().size() == 1; }));
  EXPECT_THAT(mails().front(), AllOf(HasSubstr("\r\nTo: admin@shop.example,\r\n owner@shop.example\r\n"),
                                     HasSubstr("has no answer"), HasSubstr("/purchases/"),
                                     Not(HasSubstr("operator@")), Not(HasSubstr("unverified@"))));
}

TEST_F(LabelMails, AnAlertOfWhichNobodyCouldBeToldIsMailedAsSoonAsSomebodyCanBe) {
  Label label(tenant);
  label.change("status = 'unknown', unknown_since = now()");
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from alerts where business_id = $1 and told_at is null and due_at > now()",
               {tenant.id}) == 1;
  })) << "the worker has looked at it";
  EXPECT_EQ(tenant.sql.number(
                "select count(*) from alerts where business_id = $1 and due_at > now() + interval '1 minute'",
                {tenant.id}),
            0)
      << "it began no window";
  ASSERT_EQ(tenant.http.put(alert_settings, {{"emails", json::array{"ops@shop.example"}}}).status, 200);
  ASSERT_TRUE(eventually([&] { return mails().size() == 1; }));
  EXPECT_THAT(mails().front(), HasSubstr("ops@shop.example"));
  EXPECT_EQ(tenant.sql.number("select count(*) from alerts where business_id = $1 and count = 0 and due_at > "
                              "now() + interval '50 minutes'",
                              {tenant.id}),
            1)
      << "its window begins with the message";
}

TEST_F(LabelMails, OwnersGetASecondLabelAlsoIfTheSettingsLeaveItOut) {
  add_user("owner@shop.example", "owner");
  ASSERT_EQ(
      tenant.http
          .put(alert_settings, {{"emails", json::array{"ops@shop.example"}}, {"on", json::array{"run_dead"}}})
          .status,
      200);
  Label label(tenant);
  label.buy();
  label.add_stray();
  ASSERT_TRUE(eventually([&] { return mails().size() == 1; }));
  EXPECT_THAT(mails().front(), AllOf(HasSubstr("\r\nTo: owner@shop.example\r\n"), Not(HasSubstr("ops@"))));
}

TEST_F(LabelMails, AnAddressOfTheSettingsThatIsAnOwnersGetsOneMail) {
  add_user("owner@shop.example", "owner");
  ASSERT_EQ(
      tenant.http.put(alert_settings, {{"emails", json::array{"Owner@shop.example", "ops@shop.example"}}})
          .status,
      200);
  Label label(tenant);
  label.change("status = 'unknown', unknown_since = now()");
  ASSERT_TRUE(eventually([&] { return mails().size() == 1; }));
  const std::string mail = mails().front();
  EXPECT_THAT(mail, HasSubstr("ops@shop.example"));
  EXPECT_EQ(mail.find("wner@shop.example"), mail.rfind("wner@shop.example")) << mail;
}

}  // namespace
}  // namespace waybill::tests
