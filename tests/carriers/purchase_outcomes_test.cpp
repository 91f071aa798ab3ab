// Bought labels: voiding, resolving, the file, what stays as it is until a void, lists, and erasure.
#include <string>
#include <vector>

#include "base/crypto.hpp"
#include "tests/carriers/purchases_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

class PurchaseOutcomes : public PurchaseCalls {
 protected:
  std::string bought_shipment() {
    const std::string parcel = shipment();
    requested(parcel);
    note_bought(parcel);
    return parcel;
  }
  Response void_label(const std::string& parcel) { return tenant.http.post(path_of(parcel, "/void")); }
  Response resolve(const std::string& parcel, const std::string& purchase, const json::object& body) {
    return tenant.http.post(path_of(parcel, "/purchases/" + purchase + "/resolve"), body);
  }
  static std::string base64_of(std::string_view text) {
    return base64(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
  }
};

TEST_F(PurchaseOutcomes, ABoughtLabelIsVoidedOnRequest) {
  const std::string parcel = bought_shipment();
  const std::string purchase = text_at(shown(parcel), "purchase.guid");
  const std::size_t before = audit_entries(purchase);
  const Response first = void_label(parcel);
  ASSERT_EQ(first.status, 202) << first.text;
  EXPECT_EQ(text_at(first.data(), "status"), "voiding");
  EXPECT_EQ(text_at(shown(parcel), "labelStatus"), "voiding");
  EXPECT_EQ(void_label(parcel).status, 202) << "again";
  EXPECT_EQ(audit_entries(purchase), before + 1) << "only the first changed something";
  note(parcel, "voided", ", voided_at = now()");
  EXPECT_EQ(void_label(parcel).status, 200);
  EXPECT_EQ(audit_entries(purchase), before + 1) << "what a worker notes is no change of a person";
}

TEST_F(PurchaseOutcomes, ARefusedVoidOfASecondLabelIsRepeatedByItsPurchase) {
  const std::string parcel = bought_shipment();
  const std::string own = text_at(shown(parcel), "purchase.guid");
  const std::string stray = tenant.sql.value(
      "insert into purchases (business_id, guid, shipment_id, attempt, stray_of, reference, shard, "
      "carrier_id, "
      "connector, status, gateway_id, bought_at, void_state, error_code) "
      "select business_id, gen_random_uuid(), shipment_id, attempt, guid, reference, shard, carrier_id, "
      "connector, "
      "'bought', 'shp_2', now(), 'refused', 'SCANNED' from purchases where guid = $1 returning guid",
      {own});
  const std::string path = path_of(parcel, "/void?purchaseId=" + stray);
  EXPECT_EQ(with_role("viewer").post(path).status, 403);
  EXPECT_EQ(tenant.http.post(path_of(shipment(), "/void?purchaseId=" + stray)).status, 404)
      << "of another shipment";
  EXPECT_TRUE(tenant.http.post(path_of(parcel, "/void?purchaseId=x")).details().contains("purchaseId"));
  const std::size_t before = audit_entries(stray);
  const Response again = with_role("operator").post(path);
  ASSERT_EQ(again.status, 202) << again.text;
  EXPECT_EQ(text_at(again.data(), "guid"), stray);
  EXPECT_EQ(text_at(again.data(), "status"), "voiding");
  EXPECT_EQ(audit_entries(stray), before + 1);
  EXPECT_EQ(text_at(shown(parcel), "labelStatus"), "bought") << "the shipment keeps its own label";
  tenant.sql.rows("update purchases set status = 'bought', void_state = 'refused' where guid = $1", {stray});
  const Response voided = resolve(parcel, stray, {{"outcome", "not_bought"}});
  ASSERT_EQ(voided.status, 200) << voided.text;
  EXPECT_EQ(text_at(voided.data(), "status"), "voided") << "a person voided it at the carrier";
  EXPECT_EQ(audit_entries(stray), before + 2);
  EXPECT_EQ(text_at(shown(parcel), "labelStatus"), "bought");
  EXPECT_EQ(resolve(parcel, own, {{"outcome", "not_bought"}}).status, 409) << "no void of it was refused";
}

TEST_F(PurchaseOutcomes, ALabelThatTurnsUpForADeletedShipmentIsListedAndVoidedAgain) {
  const std::string parcel = shipment(), purchase = requested(parcel);
  note(parcel, "refused");
  ASSERT_EQ(tenant.http.del(path_of(parcel, "")).status, 200);
  const std::string stray = tenant.sql.value(
      "insert into purchases (business_id, guid, shipment_id, attempt, stray_of, reference, shard, "
      "carrier_id, connector, status, gateway_id, bought_at, void_state) "
      "select business_id, gen_random_uuid(), shipment_id, attempt, guid, reference, shard, carrier_id, "
      "connector, 'bought', 'shp_2', now(), 'refused' from purchases where guid = $1 returning guid",
      {purchase});
  const Response list = tenant.http.get(path_of(parcel, "/purchases"));
  ASSERT_EQ(list.data().as_array().size(), 2U) << list.text;
  EXPECT_EQ(void_label(parcel).status, 404) << "the deleted shipment has no label of its own";
  const Response again = tenant.http.post(path_of(parcel, "/void?purchaseId=" + stray));
  ASSERT_EQ(again.status, 202) << again.text;
  EXPECT_EQ(text_at(again.data(), "status"), "voiding");
  Tenant other(world.waybill, tenant.name + " other");
  EXPECT_EQ(other.http.post(path_of(parcel, "/void?purchaseId=" + stray)).status, 404);
  EXPECT_EQ(other.http.get(path_of(parcel, "/purchases")).status, 404);
}

TEST_F(PurchaseOutcomes, WithoutABoughtLabelThereIsNothingToVoid) {
  const std::string parcel = shipment();
  EXPECT_EQ(void_label(tenant.id).status, 404);
  EXPECT_EQ(void_label(parcel).status, 409);
  requested(parcel);
  for (const char* const status : {"buying", "unknown", "refused"}) {
    if (std::string(status) == "buying")
      note(parcel, "buying", ", gateway_id = 'shp_1', buy_begun_at = now()");
    if (std::string(status) == "unknown") note_unknown(parcel);
    if (std::string(status) == "refused") note(parcel, "refused");
    const Response refusal = void_label(parcel);
    EXPECT_EQ(refusal.status, 409) << refusal.text;
    EXPECT_EQ(text_at(refusal.body, "error.details.status"), status);
  }
}

TEST_F(PurchaseOutcomes, ARequestedPurchaseIsWithdrawnOnceAndFreesTheShipment) {
  const std::string parcel = shipment(), purchase = requested(parcel);
  EXPECT_EQ(with_role("viewer").post(path_of(parcel, "/void")).status, 403);
  const std::size_t before = audit_entries(purchase);
  const Response withdrawn = with_role("operator").post(path_of(parcel, "/void"));
  ASSERT_EQ(withdrawn.status, 200) << withdrawn.text;
  EXPECT_EQ(text_at(withdrawn.data(), "guid"), purchase);
  EXPECT_EQ(text_at(withdrawn.data(), "status"), "refused");
  EXPECT_EQ(text_at(withdrawn.data(), "error.code"), "WITHDRAWN");
  EXPECT_EQ(text_at(shown(parcel), "labelStatus"), "refused");
  EXPECT_EQ(void_label(parcel).status, 200) << "again";
  EXPECT_EQ(audit_entries(purchase), before + 1);
  EXPECT_EQ(tenant.sql.number("select count(*) from alerts where business_id = $1", {tenant.id}), 0)
      << "nobody is told of a decision of a person";
  EXPECT_EQ(stored(purchase, "claim_at > now() + interval '50 minutes'"), "t")
      << "a label of lost facts may still turn up";
  EXPECT_EQ(tenant.http.put(path_of(parcel, ""), {{"packages", {{{"weight", 3}}}}}).status, 200);
  EXPECT_NE(requested(parcel), purchase);
}

TEST_F(PurchaseOutcomes, APurchaseWithoutACarrierIsWithdrawnForGood) {
  const std::string parcel = shipment(), purchase = requested(parcel, {{"choose", "cheapest"}});
  ASSERT_EQ(stored(purchase, "connector"), "");
  ASSERT_EQ(void_label(parcel).status, 200);
  EXPECT_EQ(stored(purchase, "claim_at is null and next_at is null"), "t") << "no gateway can be asked";
  EXPECT_EQ(tenant.http.del(path_of(parcel, "")).status, 200);
}

TEST_F(PurchaseOutcomes, ALabelIsVoidedOnlyInTheModeOfItsPurchase) {
  const std::string parcel = bought_shipment();
  const std::string purchase = text_at(shown(parcel), "purchase.guid");
  tenant.sql.rows("update purchases set test_mode = true where guid = $1", {purchase});
  const Response refused = void_label(parcel);
  EXPECT_EQ(refused.status, 409) << refused.text;
  EXPECT_EQ(text_at(refused.body, "error.details.testMode"), "must be true");
  EXPECT_EQ(stored(purchase, "status || (voiding_since is null)::text"), "boughttrue") << "nothing is stored";
  EXPECT_EQ(text_at(shown(parcel), "labelStatus"), "bought");
  tenant.sql.rows("update carrier_configurations set test_mode = true where business_id = $1", {tenant.id});
  EXPECT_EQ(void_label(parcel).status, 202);
}

TEST_F(PurchaseOutcomes, AnAdminResolvesAnUnknownPurchaseAsBought) {
  const std::string parcel = shipment(), purchase = requested(parcel);
  note_unknown(parcel);
  const std::size_t before = audit_entries(purchase);
  EXPECT_EQ(resolve(parcel, purchase, {{"outcome", "bought"}}).details().size(), 1U)
      << "the number is missing";
  const Response done = resolve(parcel, purchase,
                                {{"outcome", "bought"},
                                 {"carrierTrackingNumber", "1Z 999"},
                                 {"label", base64_of("\x89PNG\r\n\x1a\n label")}});
  ASSERT_EQ(done.status, 200) << done.text;
  EXPECT_EQ(text_at(done.data(), "status"), "bought");
  EXPECT_EQ(text_at(done.data(), "resolution"), "bought");
  EXPECT_TRUE(at(done.data(), "error").is_null()) << "the lost answer is no longer its state";
  EXPECT_EQ(at(done.data(), "carrierTrackingNumbers"), json::array{"1Z999"});
  EXPECT_THAT(done.text, HasSubstr(R"("price":7.3334)")) << "that of the quote";
  EXPECT_EQ(text_at(shown(parcel), "carrierTrackingNumber"), "1Z999");
  EXPECT_EQ(text_at(shown(parcel), "labelStatus"), "bought");
  EXPECT_EQ(audit_entries(purchase), before + 1);
  EXPECT_EQ(label(parcel).header("Content-Type"), "image/png");
  EXPECT_EQ(stored(purchase, "claim_at <= now()"), "t") << "the gateway is asked";
  const Response unknown_there = void_label(parcel);
  EXPECT_EQ(unknown_there.status, 409) << unknown_there.text;
  ASSERT_EQ(resolve(parcel, purchase, {{"outcome", "not_bought"}}).status, 200) << "voided at the carrier";
  EXPECT_EQ(text_at(shown(parcel), "labelStatus"), "voided");
  EXPECT_TRUE(at(shown(parcel), "carrierTrackingNumber").is_null());
}

TEST_F(PurchaseOutcomes, OneThatWasNotBoughtFreesTheShipment) {
  const std::string parcel = shipment(), purchase = requested(parcel);
  note_unknown(parcel);
  ASSERT_EQ(resolve(parcel, purchase, {{"outcome", "not_bought"}}).status, 200);
  EXPECT_EQ(text_at(shown(parcel), "labelStatus"), "refused");
  EXPECT_NE(requested(parcel), purchase);
  const Response again = resolve(parcel, purchase, {{"outcome", "not_bought"}});
  EXPECT_EQ(again.status, 409) << again.text;
}

TEST_F(PurchaseOutcomes, ResolvingChecksTheCallerAndTheLabel) {
  const std::string parcel = shipment(), purchase = requested(parcel);
  const json::object not_bought{{"outcome", "not_bought"}};
  EXPECT_EQ(resolve(parcel, purchase, not_bought).status, 409) << "it is requested";
  note_unknown(parcel);
  EXPECT_EQ(
      with_role("operator").post(path_of(parcel, "/purchases/" + purchase + "/resolve"), not_bought).status,
      403);
  EXPECT_EQ(resolve(shipment(), purchase, not_bought).status, 404) << "of another shipment";
  const auto refused = [&](const json::object& body) {
    const Response response = resolve(parcel, purchase, body);
    EXPECT_EQ(response.status, 400) << response.text;
    return response.details().empty() ? std::string() : std::string(response.details().begin()->key());
  };
  EXPECT_EQ(refused({{"outcome", "lost"}}), "outcome");
  EXPECT_EQ(refused({{"outcome", "not_bought"}, {"carrierTrackingNumber", "1Z"}}), "carrierTrackingNumber");
  for (const std::string& text :
       {std::string("not base64"), base64_of("<html>"), std::string(1'000'004, 'A')})
    EXPECT_EQ(refused({{"outcome", "bought"}, {"carrierTrackingNumber", "1Z"}, {"label", text}}), "label");
}

TEST_F(PurchaseOutcomes, TheLabelIsTheCarriersOrNone) {
  const std::string parcel = shipment();
  EXPECT_EQ(label(parcel).status, 409) << "the carrier can sell one, and none was requested";
  EXPECT_EQ(label(parcel, "?kind=waybill").status, 200);
  requested(parcel);
  const Response open = label(parcel);
  EXPECT_EQ(open.status, 409) << open.text;
  EXPECT_EQ(text_at(open.body, "error.details.status"), "requested");
  note_bought(parcel);
  for (const char* const query : {"", "?kind=carrier", "?format=pdf"}) {
    const Response got = label(parcel, query);
    EXPECT_EQ(got.text, "%PDF-1.4 label") << query;
    EXPECT_EQ(got.header("Content-Type"), "application/pdf");
  }
  const Response other = label(parcel, "?format=zpl");
  EXPECT_EQ(other.status, 409) << other.text;
  EXPECT_EQ(text_at(other.body, "error.details.format"), "is pdf");
  EXPECT_NE(label(parcel, "?kind=waybill").text, "%PDF-1.4 label");
  EXPECT_EQ(label(parcel, "?kind=waybill&format=png").status, 409);
  EXPECT_EQ(label(parcel, "?format=gif").status, 400);
  void_label(parcel);
  EXPECT_EQ(label(parcel).status, 409) << "it is not to be printed any more";
  connect(carrier, "manual");
  const std::string own = shipment();
  EXPECT_EQ(label(own).status, 200);
  EXPECT_EQ(label(own, "?kind=carrier").status, 409);
}

TEST_F(PurchaseOutcomes, WhatTheLabelShowsStaysUntilItIsVoided) {
  const std::string parcel = bought_shipment(), path = path_of(parcel, "");
  const std::vector<std::pair<json::object, std::string>> changes{
      {{{"carrierTrackingNumber", "X"}}, "carrierTrackingNumber"},
      {{{"carrierTrackingUrl", "https://x.example"}}, "carrierTrackingUrl"},
      {{{"carrierId", nullptr}}, "carrier"},
      {{{"serviceLevel", "standard"}}, "serviceLevel"},
      {{{"sender", {{"street", "S"}}}}, "sender.address.street"},
      {{{"recipient", {{"phone", "1"}}}}, "recipient.phone"},
      {{{"packages", {{{"weight", 3}}}}}, "packages"}};
  for (const auto& [change, field] : changes) {
    const Response refusal = tenant.http.put(path, change);
    EXPECT_EQ(refusal.status, 409) << refusal.text;
    EXPECT_TRUE(refusal.details().contains(field)) << refusal.text;
    EXPECT_THAT(refusal.text, HasSubstr("void"));
  }
  EXPECT_EQ(tenant.http.put(path, {{"instructions", "ring"}}).status, 200);
  EXPECT_EQ(tenant.http.put(path, shown(parcel)).status, 200) << "sent back as it is";
  const std::string all = "/api/v1/shipments";
  EXPECT_EQ(tenant.http.patch(all, {{"shipmentId", parcel}, {"carrierTrackingNumber", "X"}}).status, 409);
  EXPECT_EQ(
      tenant.http.patch(all, {{"shipmentId", parcel}, {"collectionDate", "2026-11-21T09:00:00Z"}}).status,
      200);
  EXPECT_EQ(tenant.http.del(path).status, 409);
  const std::string other = shipment();
  const Response both = tenant.http.post(all + "/delete", json::array{{{"guid", other}}, {{"guid", parcel}}});
  EXPECT_EQ(both.status, 409) << both.text;
  EXPECT_TRUE(both.details().contains("[1].guid")) << both.text;
  EXPECT_EQ(tenant.http.get(path_of(other, "")).status, 200) << "all or none";
  note(parcel, "voided", ", voided_at = now()");
  EXPECT_EQ(tenant.http.put(path, {{"recipient", {{"phone", "1"}}}}).status, 200);
  EXPECT_EQ(tenant.http.del(path).status, 200);
}

TEST_F(PurchaseOutcomes, AShipmentWhoseLabelIsBeingBoughtStays) {
  const std::string parcel = shipment();
  requested(parcel);
  EXPECT_EQ(tenant.http.del(path_of(parcel, "")).status, 409);
  EXPECT_EQ(tenant.http.put(path_of(parcel, ""), {{"packages", {{{"weight", 3}}}}}).status, 409);
  note(parcel, "refused");
  EXPECT_EQ(tenant.http.del(path_of(parcel, "")).status, 200);
}

TEST_F(PurchaseOutcomes, ANumberOfAFurtherParcelIsFoundInEitherCase) {
  const std::string parcel = bought_shipment();
  tenant.sql.rows("update purchases set tracking_numbers = '{1Z1,ab2,CD3}' where shipment_id = $1", {parcel});
  for (const std::string number : {"ab2", "AB2", "cd3"}) {
    const json::value found = tenant.http.get("/api/v1/shipments?trackingNumber=" + number).data();
    ASSERT_EQ(found.as_array().size(), 1U) << number;
    EXPECT_EQ(text_at(found, "0.guid"), parcel);
    const json::array scans{
        json::object{{"trackingNumber", number}, {"status", "in_transit"}, {"description", "x"}}};
    EXPECT_THAT(tenant.http.post("/api/v1/traces", scans).text, HasSubstr("\"moved\":")) << number;
  }
}

TEST_F(PurchaseOutcomes, AllAttemptsAreListedNewestFirst) {
  const std::string parcel = shipment(), first = requested(parcel);
  note(parcel, "refused");
  const std::string second = requested(parcel);
  const json::value list = tenant.http.get(path_of(parcel, "/purchases")).data();
  ASSERT_EQ(list.as_array().size(), 2U);
  EXPECT_EQ(text_at(list, "0.guid"), second);
  EXPECT_EQ(text_at(list, "1.guid"), first);
  EXPECT_EQ(at(list, "1.attempt"), 1);
  EXPECT_EQ(tenant.http.get(path_of(tenant.id, "/purchases")).status, 404);
}

TEST_F(PurchaseOutcomes, TheListHasSumsByCurrency) {
  bought_shipment();
  const std::string voided = bought_shipment(), test = bought_shipment();
  note(voided, "voided", ", voided_at = now()");
  tenant.sql.rows("update purchases set test_mode = true where shipment_id = $1", {test});
  requested(shipment());
  const Response all = tenant.http.get("/api/v1/purchases?PageSize=1");
  ASSERT_EQ(all.status, 200) << all.text;
  EXPECT_EQ(all.data().as_array().size(), 1U);
  EXPECT_EQ(at(all.body, "totalCount"), 4);
  EXPECT_THAT(all.text,
              HasSubstr(R"("sums":[{"currency":"EUR","purchases":2,"paid":7.3334,"returned":7.3334},)"
                        R"({"currency":null,"purchases":2,"paid":0,"returned":0}])"));
  const auto total = [&](const std::string& query) {
    return at(tenant.http.get("/api/v1/purchases?" + query).body, "totalCount");
  };
  EXPECT_EQ(total("status=bought"), 2);
  EXPECT_EQ(total("carrierId=" + carrier), 4);
  EXPECT_EQ(total("carrierId=" + carrier + "&status=voided&from=2020-01-01"), 1);
  EXPECT_EQ(total("to=2020-01-01"), 0);
  EXPECT_EQ(tenant.http.get("/api/v1/purchases?status=lost").status, 400);
  EXPECT_EQ(tenant.http.get("/api/v1/purchases?from=2026-01-02&to=2026-01-01").status, 400);
  Tenant other(world.waybill, tenant.name + " other");
  EXPECT_EQ(at(other.http.get("/api/v1/purchases").body, "totalCount"), 0);
  EXPECT_EQ(other.http.get(path_of(test, "/purchases")).status, 404);
}

TEST_F(PurchaseOutcomes, ErasingAPersonClearsFilesAndLinksButNotWhatWasPaid) {
  const std::string parcel = bought_shipment();
  const std::string customer = tenant.sql.value(
      "insert into customers (business_id, name, email) values ($1, 'Ada', 'ada@example.com') returning guid",
      {tenant.id});
  tenant.sql.rows("update shipments set customer_id = $2 where guid = $1", {parcel, customer});
  const Response erased = tenant.http.post("/api/v1/Customers/" + customer + "/erase");
  ASSERT_EQ(erased.status, 200) << erased.text;
  const json::value purchase = at(shown(parcel), "purchase");
  EXPECT_EQ(text_at(purchase, "status"), "bought");
  EXPECT_TRUE(at(purchase, "price").is_number());
  EXPECT_EQ(at(purchase, "carrierTrackingNumbers"), json::array{"1Z1"});
  EXPECT_TRUE(at(purchase, "carrierTrackingUrl").is_null());
  EXPECT_EQ(at(purchase, "hasLabel"), false);
  EXPECT_EQ(tenant.sql.number("select count(*) from purchase_labels where shipment_id = $1", {parcel}), 0);
  EXPECT_EQ(label(parcel).status, 409);
}

}  // namespace
}  // namespace waybill::tests
