#include "connectors/easypost/easypost.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/crypto.hpp"

namespace waybill::connectors {
namespace {

using Problem = GatewayError::Problem;

class FixedClock final : public Clock {
 public:
  Time now() const override { return *parse_timestamp("2026-07-10T00:00:00Z"); }
};

net::HttpResponse response(int status, std::string body) {
  net::HttpResponse made;
  made.status = status;
  made.body = std::move(body);
  return made;
}

net::HttpResponse lost() {
  net::HttpResponse made;
  made.failure = net::HttpFailure::timeout;
  return made;
}

net::HttpResponse error(int status, const std::string& code) {
  return response(status, R"({"error":{"code":")" + code + R"(","message":"no"}})");
}

constexpr std::string_view draft_body = R"({"id":"shp_1","mode":"test","reference":"r","rates":[
  {"id":"rate_1","carrier":"USPS","service":"Priority","rate":"6.95","currency":"USD","carrier_account_id":"ca_1"}],
  "messages":[],"postage_label":null,"selected_rate":null,"tracking_code":null})";
constexpr std::string_view bought_body =
    R"({"id":"shp_1","mode":"test","reference":"r","tracking_code":"9400",
  "selected_rate":{"carrier":"USPS","service":"Priority","rate":"6.95","currency":"USD"},
  "postage_label":{"label_url":"https://files.example/l.png","label_file_type":"image/png",
                   "label_pdf_url":"https://files.example/l.pdf?sig=1"},"refund_status":null})";

std::string refund(const std::string& status) {
  return R"({"id":"shp_1","tracking_code":"9400","postage_label":{},"refund_status":")" + status + "\"}";
}

// A gateway whose answers are given beforehand; keeps the requests.
class EasyPostTest : public ::testing::Test {
 protected:
  GatewayAccount account{
      .api_url = "", .api_key = "EZTKsecretkey", .account_number = "ca_1", .test_mode = true};
  std::deque<net::HttpResponse> answers;
  std::vector<net::HttpRequest> requests;

  template <typename Result>
  Result run(std::function<asio::awaitable<Result>(Gateway&)> work) {
    const auto gateway = easypost_connector().open(
        account,
        [this](net::HttpRequest request) -> asio::awaitable<net::HttpResponse> {
          requests.push_back(std::move(request));
          if (answers.empty()) throw std::logic_error("an unexpected request");
          auto next = std::move(answers.front());
          answers.pop_front();
          co_return next;
        },
        clock_);
    asio::io_context context;
    std::optional<Result> result;
    std::exception_ptr thrown;
    asio::co_spawn(context, work(*gateway), [&](std::exception_ptr error, Result value) {
      thrown = error;
      result = std::move(value);
    });
    context.run();
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*result);
  }

  Problem problem_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const GatewayError& error) {
      EXPECT_EQ(std::string(error.what()).find("secretkey"), std::string::npos);
      EXPECT_EQ(std::string(error.what()).find("://"), std::string::npos);
      return error.problem();
    }
    throw std::logic_error("no problem");
  }

  static Consignment consignment() {
    Consignment made;
    made.reference = "r";
    made.parcels = {{.weight = "1"}};
    return made;
  }

  bool check() {
    return run<bool>([](Gateway& gateway) { return gateway.check(consignment()); });
  }
  Draft draft() {
    return run<Draft>([](Gateway& gateway) { return gateway.draft(consignment()); });
  }
  PurchaseAnswer buy() {
    return run<PurchaseAnswer>(
        [](Gateway& gateway) { return gateway.buy("shp_1", "rate_1", "r", LabelFormat::pdf); });
  }
  FoundPurchase find(std::string id, std::string reference) {
    return run<FoundPurchase>([&](Gateway& gateway) { return gateway.find(id, reference); });
  }
  LabelFile label(LabelFormat format) {
    return run<LabelFile>([=](Gateway& gateway) { return gateway.label("shp_1", format); });
  }
  VoidResult void_label(bool after_unknown) {
    return run<VoidResult>([=](Gateway& gateway) { return gateway.void_label("shp_1", after_unknown); });
  }

 private:
  FixedClock clock_;
};

std::string header(const net::HttpRequest& request, std::string_view name) {
  const auto found = std::ranges::find(request.headers, name, &std::pair<std::string, std::string>::first);
  return found == request.headers.end() ? "" : found->second;
}

TEST_F(EasyPostTest, ADraftIsMadeWithBasicAuthenticationAtTheUsualAddress) {
  answers = {response(201, std::string(draft_body))};
  const auto made = draft();
  EXPECT_EQ(made.gateway_id, "shp_1");
  ASSERT_EQ(made.offers.rates.size(), 1U);
  EXPECT_EQ(made.offers.rates[0].id, "rate_1");
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].url, "https://api.easypost.com/v2/shipments");
  EXPECT_EQ(header(requests[0], "Authorization"), "Basic RVpUS3NlY3JldGtleTo=");
  EXPECT_TRUE(requests[0].fresh_connection);
  EXPECT_EQ(requests[0].total_timeout, Duration(std::chrono::seconds(30)));
}

TEST_F(EasyPostTest, AnotherAddressIsUsedAsGiven) {
  account.api_url = "http://127.0.0.1:9000/v2";
  answers = {response(201, std::string(draft_body))};
  draft();
  EXPECT_EQ(requests[0].url, "http://127.0.0.1:9000/v2/shipments");
}

TEST_F(EasyPostTest, AKeyOfTheOtherModeIsRefusedBeforeAnyCall) {
  account.api_key = "EZAKlivelivelive";
  EXPECT_EQ(problem_of([&] { check(); }), Problem::mode);
  EXPECT_EQ(problem_of([&] { draft(); }), Problem::mode);
  EXPECT_TRUE(std::holds_alternative<RefusedPurchase>(buy()));
  EXPECT_EQ(void_label(false).answer, VoidAnswer::refused);
  account = {.api_url = "", .api_key = "EZTKtest", .account_number = "ca_1", .test_mode = false};
  EXPECT_EQ(problem_of([&] { check(); }), Problem::mode);
  EXPECT_TRUE(requests.empty());
}

TEST_F(EasyPostTest, AShipmentOfTheOtherModeIsNoDraft) {
  account.api_key = "keywithoutprefix";
  answers = {response(201, R"({"id":"shp_1","mode":"production","rates":[]})")};
  EXPECT_EQ(problem_of([&] { draft(); }), Problem::mode);
}

TEST_F(EasyPostTest, ATestKeyIsCheckedByRatesOfTheAccount) {
  answers = {response(201, std::string(draft_body))};
  EXPECT_TRUE(check());
  EXPECT_NE(requests[0].body.find(R"("carrier_accounts":[{"id":"ca_1"}])"), std::string::npos);
}

TEST_F(EasyPostTest, ALiveKeyMustHaveTheAccountExactly) {
  account.api_key = "EZAKlivelivelive";
  account.test_mode = false;
  answers = {response(200, R"([{"id":"ca_10"},{"id":"CA_1"},null,7])")};
  EXPECT_EQ(problem_of([&] { check(); }), Problem::account);
  answers = {response(200, R"([{"id":"ca_2"},{"id":"ca_1"}])"),
             response(201, R"({"id":"shp_1","mode":"production","rates":[],"messages":[]})")};
  EXPECT_FALSE(check());
  EXPECT_EQ(requests.back().url, "https://api.easypost.com/v2/shipments");
  answers = {response(200, "<html>")};
  EXPECT_EQ(problem_of([&] { check(); }), Problem::busy);
}

TEST_F(EasyPostTest, TheCarriersRefusalOfCredentialsIsItsOwnProblem) {
  answers = {response(201, R"({"id":"shp_1","mode":"test","rates":[],"messages":[
      {"carrier":"UPS","type":"rate_error","message":"Invalid Authentication Information","carrier_account_id":"ca_1"}]})")};
  EXPECT_EQ(problem_of([&] { check(); }), Problem::carrier_credentials);
  answers = {error(401, "APIKEY.INACTIVE")};
  EXPECT_EQ(problem_of([&] { check(); }), Problem::credentials);
  answers = {error(404, "NOT_FOUND")};
  EXPECT_EQ(problem_of([&] { check(); }), Problem::account);
  answers = {
      response(201, R"({"id":"shp_1","rates":[{"id":"x","carrier_account_id":"ca_9"}],"messages":[]})")};
  EXPECT_EQ(problem_of([&] { check(); }), Problem::account);
}

TEST_F(EasyPostTest, WithoutAnAccountNothingIsAsked) {
  account.account_number.clear();
  EXPECT_EQ(problem_of([&] { draft(); }), Problem::account);
  EXPECT_TRUE(requests.empty());
}

TEST_F(EasyPostTest, APurchaseIsOneRequest) {
  answers = {response(200, std::string(bought_body))};
  const auto outcome = buy();
  ASSERT_TRUE(std::holds_alternative<BoughtLabel>(outcome));
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].url, "https://api.easypost.com/v2/shipments/shp_1/buy");
  EXPECT_EQ(requests[0].body, R"({"rate":{"id":"rate_1"}})");
  EXPECT_TRUE(requests[0].fresh_connection);
  EXPECT_EQ(requests[0].total_timeout, Duration(std::chrono::seconds(90)));
}

TEST_F(EasyPostTest, APurchaseWithoutAnAnswerIsUnknownAndNotRepeated) {
  for (auto& answer : {lost(), response(500, ""), error(422, "SHIPMENT.PURCHASE.IN_PROGRESS")}) {
    requests.clear();
    answers = {answer};
    EXPECT_TRUE(std::holds_alternative<UnknownPurchase>(buy()));
    EXPECT_EQ(requests.size(), 1U);
  }
}

TEST_F(EasyPostTest, AnEarlierPurchaseIsFetched) {
  answers = {error(422, "SHIPMENT.POSTAGE.EXISTS"), response(200, std::string(bought_body))};
  EXPECT_TRUE(std::holds_alternative<BoughtLabel>(buy()));
  EXPECT_EQ(requests[1].method, "GET");
  EXPECT_EQ(requests[1].url, "https://api.easypost.com/v2/shipments/shp_1");
}

TEST_F(EasyPostTest, AnEarlierPurchaseThatCannotBeReadIsUnknown) {
  for (auto& answer :
       {lost(), error(404, "NOT_FOUND"), error(401, "X"), response(200, std::string(draft_body))}) {
    answers = {error(422, "SHIPMENT.POSTAGE.EXISTS"), answer};
    EXPECT_TRUE(std::holds_alternative<UnknownPurchase>(buy()));
  }
}

TEST_F(EasyPostTest, AShipmentIsFoundByItsId) {
  answers = {response(200, std::string(draft_body))};
  EXPECT_TRUE(std::holds_alternative<StillDraft>(find("shp_1", "r")));
  answers = {response(200, std::string(bought_body))};
  EXPECT_TRUE(std::holds_alternative<BoughtLabel>(find("shp_1", "r")));
  answers = {error(404, "NOT_FOUND")};
  EXPECT_TRUE(std::holds_alternative<NotThere>(find("shp_1", "r")));
}

TEST_F(EasyPostTest, ARefundedLabelIsNotBought) {
  const auto refunded = [](std::string_view status) {
    auto shipment = json::parse(bought_body).as_object();
    shipment["refund_status"] = status;
    return response(200, to_json(shipment));
  };
  for (const bool is_pending : {false, true}) {
    const auto* const status = is_pending ? "submitted" : "refunded";
    for (const auto* const id : {"shp_1", ""}) {
      answers = {refunded(status)};
      if (std::string_view(id).empty()) answers.push_back(response(200, R"({"shipments":[]})"));
      const auto voided = std::get<VoidedLabel>(find(id, "r"));
      EXPECT_EQ(voided.is_pending, is_pending);
      EXPECT_EQ(voided.label.gateway_id, "shp_1");
      EXPECT_FALSE(voided.label.tracking_numbers.at(0).empty());
    }
    answers = {error(422, "SHIPMENT.POSTAGE.EXISTS"), refunded(status)};
    EXPECT_TRUE(std::holds_alternative<UnknownPurchase>(buy())) << "it is looked up";
  }
  for (const auto* const status : {"rejected", "not_applicable"}) {
    answers = {refunded(status)};
    EXPECT_TRUE(std::holds_alternative<BoughtLabel>(find("shp_1", "r"))) << status;
  }
}

TEST_F(EasyPostTest, ARefundedShipmentDoesNotHideABoughtOneWithItsReference) {
  auto refunded = json::parse(bought_body).as_object();
  refunded["id"] = "shp_0";
  for (const auto* const status : {"submitted", "refunded"}) {
    refunded["refund_status"] = status;
    const std::string first = to_json(refunded);
    answers = {response(200, first),
               response(200, R"({"shipments":[)" + first + "," + std::string(bought_body) + "]}")};
    EXPECT_EQ(std::get<BoughtLabel>(find("", "r")).gateway_id, "shp_1") << status;
    answers = {response(200, first), response(200, R"({"shipments":[)" + first + "]}")};
    EXPECT_EQ(std::get<VoidedLabel>(find("", "r")).label.gateway_id, "shp_0") << status;
    answers = {response(200, first), lost()};
    EXPECT_EQ(problem_of([&] { find("", "r"); }), Problem::busy) << "a bought one may be there";
  }
}

TEST_F(EasyPostTest, ForeignAnswersProveNoAbsence) {
  answers = {response(404, "<html>")};
  EXPECT_EQ(problem_of([&] { find("shp_1", ""); }), Problem::unreachable);
  answers = {response(200, "{}")};
  EXPECT_EQ(problem_of([&] { find("shp_1", ""); }), Problem::busy);
  answers = {response(200, "{}")};
  EXPECT_EQ(problem_of([&] { find("", "r"); }), Problem::busy);
  answers = {response(200, R"({"id":"shp_1","tracking_code":null,"selected_rate":{"id":"rate_1"}})")};
  EXPECT_EQ(problem_of([&] { find("shp_1", ""); }), Problem::busy);
}

TEST_F(EasyPostTest, TheBoughtOneOfSeveralShipmentsWithAReferenceIsFound) {
  answers = {
      response(200, std::string(draft_body)),
      response(200,
               R"({"shipments":[{"id":"shp_0","reference":"rr","tracking_code":"1","postage_label":{}},)" +
                   std::string(bought_body) + "]}")};
  const auto outcome = find("", "r");
  ASSERT_TRUE(std::holds_alternative<BoughtLabel>(outcome));
  EXPECT_EQ(requests[0].url, "https://api.easypost.com/v2/shipments/r");
}

TEST_F(EasyPostTest, AReferenceIsComparedExactly) {
  answers = {response(200, R"({"id":"shp_5","reference":"R","tracking_code":"1","postage_label":{}})"),
             response(200, R"({"shipments":[]})")};
  EXPECT_TRUE(std::holds_alternative<NotThere>(find("", "r")));
}

TEST_F(EasyPostTest, ALabelIsLoadedWithoutCredentials) {
  answers = {response(200, std::string(bought_body)), response(200, "%PDF-1.4 label")};
  const auto file = label(LabelFormat::pdf);
  EXPECT_EQ(file.bytes, "%PDF-1.4 label");
  EXPECT_EQ(requests[0].url, "https://api.easypost.com/v2/shipments/shp_1/label?file_format=PDF");
  EXPECT_EQ(requests[1].url, "https://files.example/l.pdf?sig=1");
  EXPECT_EQ(header(requests[1], "Authorization"), "");
  EXPECT_TRUE(requests[1].guarded);
}

TEST_F(EasyPostTest, ALabelThatIsNotThereYetIsAskedForAgain) {
  for (auto& answer : {response(403, "<Error>"), lost(), response(200, "<html>"), response(200, ""),
                       response(200, "<html>%PDF-</html>")}) {
    answers = {response(200, std::string(bought_body)), answer};
    EXPECT_EQ(problem_of([&] { label(LabelFormat::pdf); }), Problem::busy);
  }
  answers = {response(200, std::string(draft_body))};
  EXPECT_EQ(problem_of([&] { label(LabelFormat::png); }), Problem::busy);
}

TEST_F(EasyPostTest, ALabelIsAtMostTenMebibytes) {
  std::string large = "%PDF-";
  large.resize(10UL * 1024 * 1024 + 1, ' ');
  answers = {response(200, std::string(bought_body)), response(200, std::move(large))};
  EXPECT_EQ(problem_of([&] { label(LabelFormat::pdf); }), Problem::refused);
}

TEST_F(EasyPostTest, ARefundIsPendingUntilItIsRefunded) {
  answers = {response(200, refund("submitted"))};
  EXPECT_EQ(void_label(false).answer, VoidAnswer::pending);
  EXPECT_EQ(requests[0].url, "https://api.easypost.com/v2/shipments/shp_1/refund");
  answers = {response(200, refund("refunded"))};
  EXPECT_EQ(void_label(true).answer, VoidAnswer::voided);
  EXPECT_EQ(requests.back().method, "GET");
}

TEST_F(EasyPostTest, AfterAnUnknownRefundTheShipmentIsAskedFirst) {
  answers = {response(200, std::string(bought_body)), response(200, refund("submitted"))};
  EXPECT_EQ(void_label(true).answer, VoidAnswer::pending);
  EXPECT_EQ(requests[0].method, "GET");
  EXPECT_EQ(requests[1].method, "POST");
  answers = {lost()};
  EXPECT_EQ(void_label(true).answer, VoidAnswer::unknown);
}

TEST_F(EasyPostTest, ARefusedRefundIsLookedUp) {
  answers = {error(422, "SHIPMENT.REFUND.UNAVAILABLE"), response(200, refund("refunded"))};
  EXPECT_EQ(void_label(false).answer, VoidAnswer::voided);
  answers = {error(422, "SHIPMENT.REFUND.UNAVAILABLE"), response(200, std::string(bought_body))};
  const auto result = void_label(false);
  EXPECT_EQ(result.answer, VoidAnswer::refused);
  EXPECT_EQ(result.message.code, "SHIPMENT.REFUND.UNAVAILABLE");
}

TEST_F(EasyPostTest, ARefundWithoutAnAnswerIsUnknown) {
  for (auto& answer :
       {lost(), response(502, "<html>"), error(429, "RATE_LIMITED"), error(422, "REFUND.NO_RESPONSE")}) {
    answers = {answer};
    EXPECT_EQ(void_label(false).answer, VoidAnswer::unknown);
  }
}

TEST_F(EasyPostTest, ATrackerIsMadeOnlyIfThereIsNone) {
  const auto track = [&] { return run<TrackAnswer>([](Gateway& gateway) { return gateway.track("9400"); }); };
  answers = {response(200, R"({"trackers":[{"id":"trk_1","tracking_code":"9400","shipment_id":"shp_1",
      "tracking_details":[{"status":"delivered","datetime":"2026-07-01T10:00:00Z"}]}]})")};
  EXPECT_EQ(track().scans.size(), 1U);
  EXPECT_EQ(requests.size(), 1U);
  answers = {response(200, R"({"trackers":[]})"),
             response(201, R"({"id":"trk_1","tracking_code":"9400","tracking_details":[]})")};
  EXPECT_TRUE(track().scans.empty());
  EXPECT_EQ(requests.back().body, R"({"tracker":{"tracking_code":"9400"}})");
  answers = {error(429, "RATE_LIMITED")};
  EXPECT_EQ(problem_of([&] { track(); }), Problem::busy);
}

TEST(EasyPostConnector, NamesNoFeatureThatItLacks) {
  const auto& connector = easypost_connector();
  EXPECT_EQ(connector.name(), "easypost");
  EXPECT_FALSE(connector.needs_url());
  EXPECT_EQ(std::ranges::count(connector.features(), "several_parcels"), 0);
  EXPECT_EQ(connector.formats().size(), 3U);
}

TEST(Gateways, RefuseByNameWhatTheirConnectorLacks) {
  const auto fields = [](const char* connector, const Consignment& consignment) {
    std::vector<std::string> names;
    for (const auto& error : unsupported_parts(*find_gateway(connector), consignment))
      names.push_back(error.field);
    return names;
  };
  Consignment consignment;
  consignment.parcels.resize(1);
  consignment.is_return = true;
  consignment.customs.emplace();
  EXPECT_TRUE(fields("easypost", consignment).empty());
  consignment.parcels.resize(2);
  EXPECT_EQ(fields("easypost", consignment), std::vector<std::string>{"packages"});
  EXPECT_TRUE(fields("karrio", consignment).empty());
  const auto repeated = [](const char* character, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += character;
    return text;
  };
  consignment.recipient.name = repeated("ß", 100);
  consignment.sender.city = repeated("c", 50);
  EXPECT_TRUE(fields("karrio", consignment).empty()) << "characters, not bytes";
  consignment.recipient.name += "s";
  consignment.sender.city += "c";
  consignment.sender.postal_code = repeated("1", 21);
  EXPECT_EQ(fields("karrio", consignment),
            (std::vector<std::string>{"sender.city", "sender.postalCode", "recipient.name"}));
  consignment.recipient = {.phone = "none"};
  consignment.sender = {.postal_code = "1", .country = "US"};
  EXPECT_EQ(fields("karrio", consignment),
            (std::vector<std::string>{"sender.postalCode", "recipient.phone"}));
}

}  // namespace
}  // namespace waybill::connectors
