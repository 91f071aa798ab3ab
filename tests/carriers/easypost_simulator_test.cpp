#include "tests/carriers/easypost_simulator.hpp"

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "tests/harness/http.hpp"
#include "tests/harness/packages.hpp"

namespace waybill::tests {
namespace {

using Call = EasyPostSimulator::Call;
using Kind = EasyPostSimulator::Entry::Kind;

const json::object sender = {{"name", "Sender"},        {"street1", "417 Montgomery Street"},
                             {"city", "San Francisco"}, {"state", "CA"},
                             {"zip", "94104"},          {"country", "US"}};

std::string basic(const std::string& key) {
  const std::string pair = key + ":";
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(pair.data());
  return "Basic " + base64({bytes, pair.size()});
}

/// Calls with one key.
class Caller {
 public:
  Caller(const EasyPostSimulator& easypost, const std::string& key)
      : http_("127.0.0.1", std::stoi(easypost.url().substr(easypost.url().rfind(':') + 1))),
        headers_({{"Authorization", basic(key)}}) {}

  Response get(const std::string& path) { return http_.get("/v2" + path, headers_); }
  Response post(const std::string& path, const json::value& body = json::object{}) {
    return http_.post("/v2" + path, body, headers_);
  }
  Response draft(const std::string& reference, const json::array& accounts = {}) {
    return post("/shipments", json::object{{"shipment",
                                            {{"reference", reference},
                                             {"from_address", sender},
                                             {"to_address", sender},
                                             {"parcel", {{"weight", 15}}},
                                             {"carrier_accounts", accounts}}}});
  }
  Response buy(const json::value& draft, std::size_t rate = 0) {
    return post(
        "/shipments/" + text_at(draft, "id") + "/buy",
        json::object{{"rate", json::object{{"id", at(draft, "rates." + std::to_string(rate) + ".id")}}}});
  }

 private:
  Http http_;
  const Headers headers_;
};

/// The client of EasyPost, run by Node.
Finished official_client(std::vector<std::string> arguments, const std::string& input = {}) {
  arguments.insert(arguments.begin(), {"node", package_folder("easypost") / "client.js"});
  return run(std::move(arguments), {.standard_input = input});
}

constexpr int not_installed = 2;

TEST(EasyPostSimulatorTest, TheOfficialClientShips) {
  EasyPostSimulator easypost;
  const auto ended = official_client({"ship", easypost.url() + "/", easypost.user().test_key});
  if (ended.status == not_installed) GTEST_SKIP() << ended.standard_error;
  ASSERT_EQ(ended.status, 0) << ended.standard_error;
  const auto result = json::parse(ended.standard_output);
  EXPECT_EQ(at(result, "mode"), "test");
  EXPECT_EQ(at(result, "rates"), (json::array{"GroundAdvantage 5.93 USD", "Priority 8.12 USD"}));
  EXPECT_EQ(at(result, "weight"), 15);
  EXPECT_EQ(at(result, "price"), "5.93");
  EXPECT_EQ(at(result, "boughtAgain.statusCode"), 422);
  EXPECT_EQ(at(result, "boughtAgain.code"), "SHIPMENT.POSTAGE.EXISTS");
  EXPECT_EQ(at(result, "found"), true);
  EXPECT_EQ(at(result, "listed"), json::array{true});
  EXPECT_EQ(at(result, "hasMore"), false);
  EXPECT_EQ(at(result, "refundStatus"), "submitted");
  EXPECT_EQ(at(result, "sameTracker"), true);
  EXPECT_EQ(at(result, "trackerShipment"), true);
  EXPECT_EQ(at(result, "accounts.statusCode"), 403);
  EXPECT_EQ(at(result, "accounts.code"), "MODE.UNAUTHORIZED");
  const std::string code = text_at(result, "trackingCode");
  for (const auto& [name, format] : {std::pair("png", "PNG"), {"pdf", "PDF"}, {"zpl", "ZPL"}}) {
    const auto bytes = base64_decode(text_at(result, name)).value_or(Bytes());
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), EasyPostSimulator::label_file(code, format));
  }
  const auto journal = easypost.journal();
  ASSERT_EQ(journal.size(), 2U);
  EXPECT_EQ(journal[0].kind, Kind::bought);
  EXPECT_EQ(journal[0].reference, "order 7/ä?");
  EXPECT_EQ(journal[0].tracking_code, code);
  EXPECT_EQ(journal[0].price, "5.93");
  EXPECT_EQ(journal[0].carrier_account, easypost.carrier_account());
  EXPECT_EQ(journal[1].kind, Kind::refunded);
}

TEST(EasyPostSimulatorTest, TheOfficialClientListsCarrierAccountsWithALiveKey) {
  EasyPostSimulator easypost;
  const auto ended = official_client({"ship", easypost.url() + "/", easypost.user().live_key});
  if (ended.status == not_installed) GTEST_SKIP() << ended.standard_error;
  ASSERT_EQ(ended.status, 0) << ended.standard_error;
  const auto result = json::parse(ended.standard_output);
  EXPECT_EQ(at(result, "mode"), "production");
  EXPECT_EQ(at(result, "accounts"), json::array{easypost.carrier_account()});
}

TEST(EasyPostSimulatorTest, TheOfficialClientReportsAWrongKey) {
  EasyPostSimulator easypost;
  const auto ended = official_client({"ship", easypost.url() + "/", "EZTKstranger"});
  if (ended.status == not_installed) GTEST_SKIP() << ended.standard_error;
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.standard_error.find("401 UNAUTHORIZED"), std::string::npos) << ended.standard_error;
  EXPECT_TRUE(easypost.journal().empty());
}

TEST(EasyPostSimulatorTest, TheOfficialClientValidatesTheWebhook) {
  EasyPostSimulator easypost;
  Caller call(easypost, easypost.user().test_key);
  const std::string code = text_at(call.buy(call.draft("r").body).body, "tracking_code");
  easypost.add_scan(code, {.status = "delivered", .city = "Los Angeles"});
  const std::string secret = "sécret Ａ";
  const auto emitted = easypost.tracker_updated(code, secret);
  EXPECT_NE(emitted.body.find("\"weight\":15.0"), std::string::npos) << emitted.body;
  const auto validate = [&](const std::string& body) {
    json::object headers;
    for (const auto& [name, value] : emitted.headers) headers[name] = value;
    return official_client({"validate"},
                           to_json(json::object{{"secret", secret}, {"headers", headers}, {"body", body}}));
  };
  const auto valid = validate(emitted.body);
  if (valid.status == not_installed) GTEST_SKIP() << valid.standard_error;
  ASSERT_EQ(valid.status, 0) << valid.standard_error;
  EXPECT_EQ(
      json::parse(valid.standard_output),
      (json::object{{"description", "tracker.updated"}, {"trackingCode", code}, {"status", "delivered"}}));
  EXPECT_EQ(validate(emitted.body + " ").status, 1);
}

TEST(EasyPostSimulatorTest, AKeySeesItsUserAndModeOnly) {
  EasyPostSimulator easypost;
  const auto other = easypost.add_user();
  Caller test(easypost, easypost.user().test_key);
  const std::string id = text_at(test.draft("r").body, "id");
  EXPECT_EQ(test.get("/shipments/" + id).status, 200);
  EXPECT_EQ(Caller(easypost, easypost.user().live_key).get("/shipments/" + id).status, 404);
  const auto unseen = Caller(easypost, other.test_key).get("/shipments/" + id);
  EXPECT_EQ(unseen.status, 404);
  EXPECT_EQ(at(unseen.body, "error.code"), "NOT_FOUND");
  const auto foreign = Caller(easypost, other.test_key).draft("r", {easypost.carrier_account()});
  EXPECT_EQ(foreign.status, 422);
  EXPECT_EQ(at(foreign.body, "error.code"), "SHIPMENT.RATE.CARRIER_ACCOUNT_INVALID");
  easypost.revoke_key(easypost.user().test_key);
  EXPECT_EQ(at(test.get("/shipments/" + id).body, "error.code"), "UNAUTHORIZED");
}

TEST(EasyPostSimulatorTest, RatesAndMessagesAreThoseOfTheNamedAccounts) {
  EasyPostSimulator easypost;
  const auto second = easypost.add_carrier_account(easypost.user(), "UPS");
  easypost.set_messages(second, {{{"type", "rate_error"}, {"message", "Invalid Access License number"}}});
  Caller call(easypost, easypost.user().test_key);
  EXPECT_EQ(at(call.draft("all").body, "rates").as_array().size(), 4U);
  easypost.set_offers(second, {});
  const auto one = call.draft("one", {json::object{{"id", second}}});
  EXPECT_EQ(one.status, 201);
  EXPECT_TRUE(at(one.body, "rates").as_array().empty());
  EXPECT_EQ(text_at(one.body, "messages.0.carrier_account_id"), second);
  EXPECT_EQ(at(one.body, "messages.0.message"), "Invalid Access License number");
  EXPECT_EQ(call.post("/shipments", json::object{{"shipment", json::object{}}}).status, 422);
}

TEST(EasyPostSimulatorTest, ALostAnswerBuysAndARefusalDoesNot) {
  EasyPostSimulator easypost;
  Caller call(easypost, easypost.user().test_key);
  const auto draft = call.draft("r").body;
  for (const auto& fault :
       {easypost_busy("7"), easypost_refusal(401, "UNAUTHORIZED"), easypost_refusal(402, "PAYMENT_REQUIRED"),
        easypost_refusal(422, "ADDRESS.INVALID"), easypost_refusal(500, "INTERNAL_SERVER_ERROR"),
        failing_with(503)}) {
    easypost.fail(Call::buy, fault);
  }
  const auto busy = call.buy(draft);
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(busy.header("retry-after"), "7");
  EXPECT_EQ(call.buy(draft).status, 401);
  EXPECT_EQ(call.buy(draft).status, 402);
  EXPECT_EQ(at(call.buy(draft).body, "error.code"), "ADDRESS.INVALID");
  EXPECT_EQ(call.buy(draft).status, 500);
  const auto unavailable = call.buy(draft);
  EXPECT_EQ(unavailable.status, 503);
  EXPECT_TRUE(unavailable.text.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(easypost.journal().empty());
  easypost.fail(Call::buy, lost_answer());
  easypost.charge_next("6.50");
  EXPECT_EQ(call.buy(draft).status, 0);
  ASSERT_EQ(easypost.purchases("r").size(), 1U);
  EXPECT_EQ(easypost.purchases("r")[0].price, "6.50");
  EXPECT_EQ(at(call.buy(draft).body, "error.code"), "SHIPMENT.POSTAGE.EXISTS");
  EXPECT_EQ(easypost.purchases("r").size(), 1U);
  EXPECT_EQ(easypost.count(Call::buy), 8U);
}

TEST(EasyPostSimulatorTest, ARefusalCanComeAfterTheEffect) {
  EasyPostSimulator easypost;
  Caller call(easypost, easypost.user().test_key);
  const auto draft = call.draft("r").body;
  easypost.fail(Call::buy, easypost_refusal(422, "SHIPMENT.POSTAGE.TIMED_OUT", true));
  EXPECT_EQ(at(call.buy(draft).body, "error.code"), "SHIPMENT.POSTAGE.TIMED_OUT");
  EXPECT_EQ(easypost.purchases("r").size(), 1U);
}

TEST(EasyPostSimulatorTest, AHeldPurchaseIsInProgress) {
  EasyPostSimulator easypost;
  Caller call(easypost, easypost.user().test_key);
  const auto draft = call.draft("r").body;
  const auto gate = std::make_shared<Gate>();
  easypost.hold_next_purchase(gate);
  Response first;
  std::thread buyer([&] { first = Caller(easypost, easypost.user().test_key).buy(draft); });
  EXPECT_TRUE(easypost.wait_for_calls(Call::buy, 1));
  EXPECT_EQ(at(call.buy(draft).body, "error.code"), "SHIPMENT.PURCHASE.IN_PROGRESS");
  EXPECT_TRUE(at(call.get("/shipments/r").body, "postage_label").is_null());
  gate->open();
  buyer.join();
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(easypost.purchases("r").size(), 1U);
}

TEST(EasyPostSimulatorTest, ManyBuyersAtOnceBuyOneLabel) {
  EasyPostSimulator easypost;
  const auto draft = Caller(easypost, easypost.user().live_key).draft("r").body;
  std::vector<int> statuses(20);
  std::vector<std::thread> buyers;
  for (int& status : statuses) {
    buyers.emplace_back([&] { status = Caller(easypost, easypost.user().live_key).buy(draft).status; });
  }
  for (std::thread& buyer : buyers) buyer.join();
  EXPECT_EQ(std::ranges::count(statuses, 200), 1);
  EXPECT_EQ(std::ranges::count(statuses, 422), 19);
  EXPECT_EQ(easypost.journal().size(), 1U);
}

TEST(EasyPostSimulatorTest, AReferenceFindsTheOldestAndTheListThePurchases) {
  EasyPostSimulator easypost;
  Caller call(easypost, easypost.user().test_key);
  const auto first = call.draft("r").body;
  const auto second = call.draft("r").body;
  EXPECT_EQ(call.buy(second).status, 200);
  EXPECT_EQ(at(call.get("/shipments/r").body, "id"), at(first, "id"));
  EXPECT_EQ(easypost.shipments("r").size(), 2U);
  const auto bought = call.get("/shipments?purchased=true&page_size=100").body;
  EXPECT_EQ(at(bought, "shipments").as_array().size(), 1U);
  EXPECT_EQ(at(bought, "shipments.0.id"), at(second, "id"));
  const auto newest = call.get("/shipments?purchased=false&page_size=1").body;
  EXPECT_EQ(at(newest, "has_more"), true);
  const auto next = call.get("/shipments?purchased=false&before_id=" + text_at(second, "id")).body;
  EXPECT_EQ(at(next, "shipments.0.id"), at(first, "id"));
  EXPECT_EQ(at(next, "has_more"), false);
}

TEST(EasyPostSimulatorTest, ARefundNeedsALabelThatDidNotMove) {
  EasyPostSimulator easypost;
  Caller call(easypost, easypost.user().test_key);
  const auto draft = call.draft("r").body;
  const std::string path = "/shipments/" + text_at(draft, "id");
  EXPECT_EQ(at(call.post(path + "/refund").body, "error.code"), "SHIPMENT.REFUND.UNAVAILABLE");
  ASSERT_FALSE(text_at(call.buy(draft).body, "tracking_code").empty());
  easypost.set_refund_answer("rejected");
  EXPECT_EQ(at(call.post(path + "/refund").body, "refund_status"), "rejected");
  EXPECT_EQ(easypost.journal().size(), 1U);
  easypost.set_refund_answer("submitted");
  EXPECT_EQ(at(call.post(path + "/refund").body, "refund_status"), "submitted");
  EXPECT_EQ(easypost.journal().size(), 2U);
  EXPECT_EQ(call.post(path + "/refund").status, 422);
  easypost.set_refund_status(text_at(draft, "id"), "refunded");
  EXPECT_EQ(at(call.get(path).body, "refund_status"), "refunded");

  const auto moved = call.buy(call.draft("moved").body).body;
  easypost.add_scan(text_at(moved, "tracking_code"), {.status = "in_transit"});
  EXPECT_EQ(call.post("/shipments/" + text_at(moved, "id") + "/refund").status, 422);
}

TEST(EasyPostSimulatorTest, ALabelIsConvertedFromPngOnlyOnceBought) {
  EasyPostSimulator easypost;
  Caller call(easypost, easypost.user().test_key);
  const auto draft = call.draft("r").body;
  const std::string path = "/shipments/" + text_at(draft, "id") + "/label?file_format=";
  EXPECT_EQ(at(call.get(path + "PDF").body, "error.code"), "SHIPMENT.POSTAGE.REQUIRED");
  EXPECT_EQ(at(call.buy(draft).body, "postage_label.label_pdf_url"), nullptr);
  EXPECT_EQ(at(call.get(path + "TIFF").body, "error.code"), "SHIPMENT.POSTAGE.INVALID_FORMAT");
  EXPECT_TRUE(text_at(call.get(path + "PDF").body, "postage_label.label_pdf_url").ends_with(".pdf"));
}

TEST(EasyPostSimulatorTest, ScansAreShownByEveryTrackerOfTheNumber) {
  EasyPostSimulator easypost;
  Caller call(easypost, easypost.user().test_key);
  const auto made =
      call.post("/trackers", json::object{{"tracker", json::object{{"tracking_code", "9400"}}}});
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(at(made.body, "status"), "unknown");
  easypost.add_scan("9400", {.status = "in_transit", .datetime = "2026-07-01T10:00:00Z"});
  easypost.set_estimated_delivery("9400", "2026-07-05T00:00:00Z");
  const auto again =
      call.post("/trackers", json::object{{"tracker", json::object{{"tracking_code", "9400"}}}});
  EXPECT_EQ(at(again.body, "id"), at(made.body, "id"));
  const auto listed = call.get("/trackers?tracking_code=9400").body;
  EXPECT_EQ(at(listed, "trackers.0.status"), "in_transit");
  EXPECT_EQ(at(listed, "trackers.0.tracking_details.0.datetime"), "2026-07-01T10:00:00Z");
  EXPECT_EQ(at(listed, "trackers.0.est_delivery_date"), "2026-07-05T00:00:00Z");
  EXPECT_TRUE(at(call.get("/trackers?tracking_code=9401").body, "trackers").as_array().empty());
  EXPECT_EQ(call.get("/trackers/" + text_at(made.body, "id")).status, 200);
}

}  // namespace
}  // namespace waybill::tests
