// Requests of purchases: what they store, what they refuse, and that a shipment has one at a time.
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/carriers/purchases_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

class PurchaseRequests : public PurchaseCalls {
 protected:
  json::value wanted(const std::string& purchase) { return json::parse(stored(purchase, "wanted")); }
  std::string fields(const Response& response) {
    EXPECT_EQ(response.status, 400) << response.text;
    std::string names;
    for (const auto& [name, message] : response.details()) names += std::string(name) + " ";
    return names;
  }
};

TEST_F(PurchaseRequests, AreStoredBeforeAnyGatewayHearsOfThem) {
  const std::string parcel = shipment();
  const Response response =
      buy(parcel, {{"serviceLevel", "standard"}, {"maxPrice", 12.5}, {"format", "zpl"}});
  ASSERT_EQ(response.status, 202) << response.text;
  const json::value& purchase = response.data();
  EXPECT_EQ(text_at(purchase, "status"), "requested");
  EXPECT_EQ(text_at(purchase, "shipmentId"), parcel);
  EXPECT_EQ(text_at(purchase, "connector"), "easypost");
  EXPECT_EQ(text_at(purchase, "carrier.guid"), carrier);
  EXPECT_EQ(text_at(purchase, "serviceLevel"), "standard");
  EXPECT_EQ(text_at(purchase, "format"), "zpl");
  EXPECT_EQ(at(purchase, "testMode"), false);
  EXPECT_EQ(at(purchase, "hasLabel"), false);
  EXPECT_EQ(at(purchase, "carrierTrackingNumbers"), json::array());
  EXPECT_TRUE(at(purchase, "error").is_null());
  EXPECT_THAT(response.text, HasSubstr(R"("maxPrice":12.5,"maxPriceCurrency":"EUR")"));
  EXPECT_EQ(wanted(text_at(purchase, "guid")), (json::object{{"serviceLevel", "standard"}}));
  EXPECT_EQ(at(shown(parcel), "purchase.guid"), at(purchase, "guid"));
  EXPECT_EQ(text_at(shown(parcel), "labelStatus"), "buying");
}

TEST_F(PurchaseRequests, TakeTheLevelOfTheShipmentThenOfItsCarrierThenStandard) {
  const auto level = [&](const std::string& parcel) { return stored(requested(parcel), "service_level"); };
  EXPECT_EQ(level(shipment(carrier, "standard")), "standard");
  EXPECT_EQ(level(shipment()), "express") << "the default of the carrier";
  EXPECT_EQ(level(shipment("")), "standard");
}

TEST_F(PurchaseRequests, WithoutACarrierLeaveTheChoiceToTheWorker) {
  const std::string free = requested(shipment(""));
  EXPECT_EQ(stored(free, "connector || coalesce(carrier_id::text, '')"), "");
  const std::string cheapest = requested(
      shipment(), {{"choose", "cheapest"}, {"serviceCodes", {"Ground"}}, {"carrierIds", {carrier}}});
  EXPECT_EQ(stored(cheapest, "connector || coalesce(carrier_id::text, '')"), "");
  EXPECT_EQ(wanted(cheapest), (json::object{{"choose", "cheapest"},
                                            {"serviceCodes", {"Ground"}},
                                            {"carrierIds", {carrier}},
                                            {"usualFormat", true}}));
  const std::string zpl = requested(shipment(), {{"choose", "cheapest"}, {"format", "zpl"}});
  EXPECT_EQ(stored(zpl, "format"), "zpl");
  EXPECT_EQ(wanted(zpl), (json::object{{"choose", "cheapest"}}));
}

TEST_F(PurchaseRequests, AreRefusedByTheNameOfTheField) {
  const std::string parcel = shipment();
  EXPECT_EQ(fields(buy(parcel, {{"serviceLevel", "express"}, {"choose", "fastest"}})), "choose ");
  EXPECT_EQ(fields(buy(parcel, {{"rateId", "made-up"}})), "rateId ");
  EXPECT_EQ(fields(buy(parcel, {{"choose", "dearest"}})), "choose ");
  EXPECT_EQ(fields(buy(parcel, {{"serviceLevel", "sameday"}})), "serviceLevel ") << "has no code";
  EXPECT_EQ(fields(buy(parcel, {{"format", "gif"}})), "format ");
  EXPECT_EQ(fields(buy(parcel, {{"maxPrice", -1}})), "maxPrice ");
  EXPECT_EQ(fields(buy(parcel, {{"carrierIds", json::array()}})), "carrierIds ");
  EXPECT_EQ(fields(buy(parcel, {{"choose", "cheapest"}, {"serviceCodes", {"Ground", "", " "}}})),
            "serviceCodes[1] serviceCodes[2] ");
  EXPECT_EQ(fields(buy(parcel, {{"colour", "red"}})), "colour ");
  EXPECT_EQ(buy(parcel, {{"carrierIds", {"00000000-0000-4000-8000-00000000dead"}}}).status, 404);
  EXPECT_EQ(buy(tenant.id).status, 404);
  EXPECT_EQ(purchases_of(parcel), 0);
  EXPECT_TRUE(at(shown(parcel), "labelStatus").is_null());
  EXPECT_TRUE(at(shown(parcel), "purchase").is_null());
}

TEST_F(PurchaseRequests, NeedWhatCarriersNeed) {
  const std::string parcel = shipment();
  tenant.sql.rows(
      "update shipments set recipient_country = 'Atlantis', recipient_city = null, packages = '[{\"length\": "
      "2}]' "
      "where guid = $1",
      {parcel});
  const Response refusal = buy(parcel);
  EXPECT_EQ(refusal.status, 400) << refusal.text;
  for (const char* const field : {"recipient.country", "recipient.city", "packages[0].weight"})
    EXPECT_TRUE(refusal.details().contains(field)) << refusal.text;
  EXPECT_EQ(purchases_of(parcel), 0) << "nothing is stored";
}

TEST_F(PurchaseRequests, OfAManualCarrierAre409WithItsConnector) {
  connect(carrier, "manual");
  for (const json::object& body : {json::object(), json::object{{"choose", "cheapest"}}}) {
    const Response none = buy(shipment(), body);
    EXPECT_EQ(none.status, 409) << none.text;
    EXPECT_THAT(none.text, HasSubstr("manual"));
  }
  connect(builtin("fedex"), "easypost");
  const Response own = buy(shipment());
  EXPECT_EQ(own.status, 409) << "the shipment's carrier is manual: " << own.text;
  EXPECT_THAT(own.text, HasSubstr("manual"));
  EXPECT_EQ(buy(shipment(), {{"choose", "cheapest"}}).status, 202);
}

TEST_F(PurchaseRequests, OfAFinalShipmentAre409) {
  for (const char* const status : {"delivered", "returned", "cancelled"}) {
    const std::string parcel = shipment();
    tenant.sql.rows("update shipments set status = $2 where guid = $1", {parcel, status});
    const Response refusal = buy(parcel);
    EXPECT_EQ(refusal.status, 409) << refusal.text;
    EXPECT_THAT(refusal.text, HasSubstr(status));
    EXPECT_EQ(purchases_of(parcel), 0);
  }
}

TEST_F(PurchaseRequests, JoinTheOneThatIsOpenOrBought) {
  const std::string parcel = shipment(), first = requested(parcel);
  EXPECT_EQ(requested(parcel, {{"choose", "fastest"}}), first);
  note_unknown(parcel);
  EXPECT_EQ(requested(parcel), first);
  note_bought(parcel);
  const Response bought = buy(parcel, {{"serviceLevel", "express"}});
  EXPECT_EQ(bought.status, 200) << bought.text;
  EXPECT_EQ(text_at(bought.data(), "guid"), first);
  EXPECT_THAT(bought.text, HasSubstr(R"("price":7.3334,"currency":"EUR")"));
  note(parcel, "voiding");
  const Response leaving = buy(parcel);
  EXPECT_EQ(leaving.status, 409) << leaving.text;
  note(parcel, "voided", ", voided_at = now()");
  EXPECT_NE(requested(parcel), first) << "the shipment is free again";
  EXPECT_EQ(purchases_of(parcel), 2);
}

TEST_F(PurchaseRequests, OfFiftyCallersAtOnceAreOnePurchase) {
  constexpr int callers = 50;
  const std::string parcel = shipment();
  std::vector<Response> answers(callers);
  std::vector<std::thread> threads;
  threads.reserve(callers);
  for (int i = 0; i < callers; ++i) {
    threads.emplace_back([&, i, client = tenant.http.with_token(tenant.http.token())]() mutable {
      answers[static_cast<std::size_t>(i)] = client.post(
          path_of(parcel, "/label"), i % 2 == 0 ? json::object() : json::object{{"choose", "fastest"}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> guids;
  for (const Response& answer : answers) {
    EXPECT_EQ(answer.status, 202) << answer.text;
    guids.insert(text_at(answer.data(), "guid"));
  }
  EXPECT_EQ(guids.size(), 1U);
  EXPECT_EQ(purchases_of(parcel), 1);
}

TEST_F(PurchaseRequests, WithAnIdempotencyKeyAreAnsweredAgain) {
  const std::string parcel = shipment();
  const Headers key{{"Idempotency-Key", "label-" + parcel}};
  const Response first = tenant.http.post(path_of(parcel, "/label"), json::object(), key);
  ASSERT_EQ(first.status, 202) << first.text;
  note_bought(parcel);
  const Response again = tenant.http.post(path_of(parcel, "/label"), json::object(), key);
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.text, first.text);
}

TEST_F(PurchaseRequests, NeedAnOperatorAndAreAudited) {
  const std::string parcel = shipment();
  Http viewer = with_role("viewer"), worker = with_role("operator");
  EXPECT_EQ(viewer.post(path_of(parcel, "/label"), json::object()).status, 403);
  EXPECT_EQ(viewer.post(path_of(parcel, "/void"), json::object()).status, 403);
  const Response bought = worker.post(path_of(parcel, "/label"), json::object());
  ASSERT_EQ(bought.status, 202) << bought.text;
  EXPECT_EQ(viewer.get(path_of(parcel, "/purchases")).status, 200);
  EXPECT_EQ(viewer.get("/api/v1/purchases").status, 200);
  const std::string purchase = text_at(bought.data(), "guid");
  const json::value entries = tenant.http.get("/api/business/audit?entityId=" + purchase).data();
  ASSERT_EQ(entries.as_array().size(), 1U);
  const json::value& entry = entries.as_array().front();
  EXPECT_EQ(text_at(entry, "entityType"), "purchase");
  EXPECT_EQ(text_at(entry, "action"), "created");
  EXPECT_EQ(text_at(entry, "actor.name"), "operator");
  EXPECT_EQ(text_at(entry, "changes.shipmentId.to"), parcel);
  EXPECT_TRUE(at(entry, "requestId").is_string());
  EXPECT_EQ(stored(purchase, "cause ? 'request'"), "f") << "events have the author alone";
}

TEST_F(PurchaseRequests, ComeWithTheShipmentOfAnOrder) {
  const std::string order = tenant.create_order();
  tenant.sql.rows(
      "update orders set carrier_id = $2, delivery_name = 'Ada', items = '[{\"dimensions\": {\"weight\": "
      "2}}]' "
      "where guid = $1",
      {order, carrier});
  const Response made = tenant.http.post("/api/v1/Orders/" + order + "/shipment", {{"generateLabel", true}});
  ASSERT_EQ(made.status, 201) << made.text;
  const std::string parcel = text_at(made.data(), "guid");
  EXPECT_EQ(text_at(shown(parcel), "purchase.status"), "requested");
  EXPECT_EQ(stored(text_at(shown(parcel), "purchase.guid"), "carrier_id"), carrier);
  EXPECT_EQ(audit_entries(text_at(shown(parcel), "purchase.guid")), 1U);
  EXPECT_EQ(tenant.entries_without_request(), std::vector<std::string>());
  const std::string light = tenant.create_order();
  tenant.sql.rows("update orders set carrier_id = $2, items = '[{\"dimensions\": null}]' where guid = $1",
                  {light, carrier});
  const Response refused =
      tenant.http.post("/api/v1/Orders/" + light + "/shipment", {{"generateLabel", true}});
  EXPECT_EQ(refused.status, 400) << refused.text;
  EXPECT_TRUE(refused.details().contains("packages[0].weight")) << refused.text;
  EXPECT_EQ(tenant.sql.number("select count(*) from shipments where order_id = $1", {light}), 0);
}

TEST_F(PurchaseRequests, ComeWithTheShipmentOfAnOrderThatNamesNoCarrier) {
  const auto ship = [&] {
    const std::string order = tenant.create_order();
    tenant.sql.rows(
        "update orders set carrier_id = null, service_level = null, delivery_name = 'Ada', "
        "items = '[{\"dimensions\": {\"weight\": 2}}]' where guid = $1",
        {order});
    return tenant.http.post("/api/v1/Orders/" + order + "/shipment", {{"generateLabel", true}});
  };
  const Response made = ship();
  ASSERT_EQ(made.status, 201) << made.text;
  const std::string parcel = text_at(made.data(), "guid");
  const std::string purchase = text_at(shown(parcel), "purchase.guid");
  EXPECT_EQ(stored(purchase, "connector || coalesce(carrier_id::text, '')"), "") << "the worker chooses";
  EXPECT_EQ(wanted(purchase), (json::object{{"serviceLevel", "standard"}, {"usualFormat", true}}));
  EXPECT_EQ(label(parcel).status, 409) << "waybill's own label is not the one that is being bought";
  tenant.sql.rows(
      "update carrier_configurations set service_codes = '{\"express\": \"E\"}' where business_id = $1",
      {tenant.id});
  EXPECT_EQ(fields(ship()), "serviceLevel ") << "no carrier has a code";
  connect(carrier, "manual");
  const Response own = ship();
  ASSERT_EQ(own.status, 201) << own.text;
  EXPECT_TRUE(at(shown(text_at(own.data(), "guid")), "purchase").is_null());
  EXPECT_EQ(label(text_at(own.data(), "guid")).status, 200);
}

TEST_F(PurchaseRequests, OfSeveralParcelsFromAConnectorOfOneAreRefusedByName) {
  const std::string parcel = shipment();
  tenant.sql.rows("update shipments set packages = '[{\"weight\": 2}, {\"weight\": 3}]' where guid = $1",
                  {parcel});
  for (const json::object& body : {json::object(), json::object{{"choose", "cheapest"}}})
    EXPECT_EQ(fields(buy(parcel, body)), "packages ");
  EXPECT_EQ(purchases_of(parcel), 0);
  connect(carrier, "karrio");
  EXPECT_EQ(buy(parcel).status, 202) << "which takes several";
}

}  // namespace
}  // namespace waybill::tests
