#include "connectors/karrio/karrio.hpp"

#include <chrono>
#include <exception>
#include <map>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/json.hpp"

namespace waybill::connectors {
namespace {

using Problem = GatewayError::Problem;
using std::chrono::seconds;

// Karrio as a script: answers the requests in order and keeps them.
class Script {
 public:
  Script& answer(int status, std::string body, std::string mode = "False") {
    net::HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    response.headers = {{"x-test-mode", std::move(mode)}};
    answers_.push_back(std::move(response));
    return *this;
  }
  Script& fail(net::HttpFailure failure) {
    net::HttpResponse response;
    response.failure = failure;
    response.error = "it failed";
    answers_.push_back(std::move(response));
    return *this;
  }

  std::unique_ptr<Gateway> open() {
    return karrio_gateway().open(
        {.api_url = "https://karrio.example/api",
         .api_key = "key_secret",
         .account_number = "ups-main",
         .test_mode = false},
        [this](net::HttpRequest request) -> asio::awaitable<net::HttpResponse> {
          requests.push_back(std::move(request));
          if (requests.size() > answers_.size()) throw std::logic_error("no answer left");
          co_return answers_[requests.size() - 1];
        },
        system_clock());
  }

  std::string header(std::size_t request, std::string_view name) const {
    for (const auto& [key, value] : requests.at(request).headers) {
      if (key == name) return value;
    }
    return "";
  }

  std::vector<net::HttpRequest> requests;

 private:
  std::vector<net::HttpResponse> answers_;
};

template <typename Result>
Result run(asio::awaitable<Result> task) {
  asio::io_context context;
  std::optional<Result> result;
  std::exception_ptr error;
  asio::co_spawn(context, std::move(task), [&](std::exception_ptr thrown, Result value) {
    error = thrown;
    if (!thrown) result = std::move(value);
  });
  context.run();
  if (error) std::rethrow_exception(error);
  return std::move(*result);
}

template <typename Result>
std::optional<Problem> problem(asio::awaitable<Result> task, std::string* text = nullptr) {
  try {
    run(std::move(task));
  } catch (const GatewayError& error) {
    if (text != nullptr) *text = error.what();
    return error.problem();
  }
  return std::nullopt;
}

Consignment consignment(std::string reference = "") {
  Consignment made;
  made.reference = std::move(reference);
  made.parcels = {{.weight = "1"}};
  return made;
}

constexpr auto connections = R"({"count":2,"next":null,"results":[
    {"carrier_id":"ups-main","carrier_name":"ups","active":true},
    {"carrier_id":"ups-main","carrier_name":"ups","active":false},
    {"carrier_id":"UPS-MAIN","carrier_name":"ups","active":true}]})";
constexpr auto one_rate =
    R"({"rates":[{"id":"rat_1","service":"s","total_charge":5.00,"currency":"EUR"}],"messages":[]})";
constexpr auto bought = R"({"id":"shp_1","status":"created","reference":"guid","tracking_number":"1Z",
    "selected_rate":{"total_charge":5.10,"currency":"EUR","service":"s"}})";
constexpr auto still_draft = R"({"id":"shp_1","status":"draft","reference":"guid"})";
constexpr auto lost =
    R"({"messages":[{"carrier_name":"ups","code":"SHIPPING_SDK_INTERNAL_ERROR","message":"x"}]})";
constexpr auto no_token = R"({"messages":[{"carrier_name":"fedex","code":"SHIPPING_SDK_INTERNAL_ERROR",
    "message":"Token refresh function returned no token"}]})";
constexpr auto not_found = R"({"errors":[{"code":"not_found","message":"not found"}]})";
constexpr auto state_error = R"({"errors":[{"code":"state_error","message":"The shipment is created"}]})";

PurchaseAnswer buy(Script& script) {
  return run(script.open()->buy("shp_1", "rat_1", "guid", LabelFormat::pdf));
}

TEST(KarrioCheck, AcceptsOneActiveConnectionWithRates) {
  Script script;
  script.answer(200, connections).answer(200, one_rate);
  EXPECT_TRUE(run(script.open()->check(consignment())));
  ASSERT_EQ(script.requests.size(), 2);
  EXPECT_EQ(script.requests[0].url, "https://karrio.example/api/v1/connections?limit=100&offset=0");
  EXPECT_EQ(script.header(0, "Authorization"), "Token key_secret");
  EXPECT_EQ(script.requests[1].url, "https://karrio.example/api/v1/proxy/rates");
  EXPECT_EQ(script.requests[1].total_timeout, seconds(20));
  EXPECT_EQ(script.requests[1].connect_timeout, seconds(5));
  EXPECT_EQ(script.requests[1].read_limit, 4UL * 1024 * 1024);
}

TEST(KarrioCheck, ReadsAllPagesOfConnections) {
  Script script;
  script
      .answer(200, R"({"next":"http://evil.example/?offset=1","results":[{"carrier_id":"a","active":true}]})")
      .answer(200, connections)
      .answer(200, one_rate);
  EXPECT_TRUE(run(script.open()->check(consignment())));
  EXPECT_EQ(script.requests[1].url, "https://karrio.example/api/v1/connections?limit=100&offset=1");
}

TEST(KarrioCheck, RefusesAnUnknownOrAmbiguousConnection) {
  Script none;
  none.answer(200, R"({"results":[{"carrier_id":"ups-main","carrier_name":"ups","active":false}]})");
  EXPECT_EQ(problem(none.open()->check(consignment())), Problem::account);
  Script two;
  two.answer(200, R"({"results":[{"carrier_id":"ups-main","carrier_name":"ups","active":true},
                                 {"carrier_id":"ups-main","carrier_name":"fedex","active":true}]})");
  EXPECT_EQ(problem(two.open()->check(consignment())), Problem::account);
}

TEST(KarrioCheck, TellsTokenModeAndCarrierApart) {
  Script token;
  token.answer(401, R"({"errors":[{"code":"invalid_token","message":"x"}]})", "True");
  EXPECT_EQ(problem(token.open()->check(consignment())), Problem::credentials);
  Script mode;
  mode.answer(200, R"({"results":[]})", "True");
  EXPECT_EQ(problem(mode.open()->check(consignment())), Problem::mode);
  Script carrier;
  carrier.answer(200, connections)
      .answer(424, R"({"messages":[{"carrier_name":"ups","code":"10401","message":"ClientId is Invalid"}]})");
  EXPECT_EQ(problem(carrier.open()->check(consignment())), Problem::carrier_credentials);
  Script partial;
  partial.answer(200, connections)
      .answer(207, R"({"rates":[],"messages":[{"carrier_name":"ups","code":"1","message":"Unauthorized"}]})");
  EXPECT_EQ(problem(partial.open()->check(consignment())), Problem::carrier_credentials);
  Script dead;
  dead.answer(200, connections).answer(424, lost);
  EXPECT_EQ(problem(dead.open()->check(consignment())), Problem::busy);
  Script away;
  away.fail(net::HttpFailure::connect);
  EXPECT_EQ(problem(away.open()->check(consignment())), Problem::unreachable);
}

TEST(KarrioCalls, TakeAMissingTokenOfTheCarrierAsRefusedCredentials) {
  for (const int status : {207, 424}) {
    Script checked;
    checked.answer(200, connections).answer(status, no_token);
    EXPECT_EQ(problem(checked.open()->check(consignment())), Problem::carrier_credentials) << status;
  }
  Script rates;
  rates.answer(424, no_token);
  EXPECT_EQ(problem(rates.open()->rates(consignment())), Problem::carrier_credentials);
  Script drafted;
  drafted.answer(424, no_token);
  EXPECT_EQ(problem(drafted.open()->draft(consignment("guid"))), Problem::carrier_credentials);
  Script purchase;
  purchase.answer(424, no_token);
  EXPECT_TRUE(std::holds_alternative<UnknownPurchase>(buy(purchase)));
}

TEST(KarrioCheck, LeavesTheConnectionUncheckedIfNothingComesBack) {
  Script script;
  script.answer(200, connections).answer(200, R"({"rates":[],"messages":[]})");
  EXPECT_FALSE(run(script.open()->check(consignment())));
}

TEST(KarrioDraft, IsMadeOnceWithTheReferenceAndWithoutService) {
  Script script;
  script.answer(201,
                R"({"id":"shp_1","status":"draft","rates":[{"id":"rat_1","service":"s","total_charge":5.00,
                         "currency":"EUR"}],"messages":[]})");
  const auto draft = run(script.open()->draft(consignment("guid")));
  EXPECT_EQ(draft.gateway_id, "shp_1");
  EXPECT_EQ(draft.offers.rates.at(0).price, "5.00");
  EXPECT_EQ(script.requests.at(0).url, "https://karrio.example/api/v1/shipments");
  EXPECT_EQ(script.header(0, "X-Request-ID"), "guid");
  EXPECT_TRUE(script.requests[0].fresh_connection);
  EXPECT_EQ(script.requests[0].total_timeout, seconds(30));
  const auto body = json::parse(script.requests[0].body).as_object();
  EXPECT_EQ(body.at("reference"), "guid");
  EXPECT_EQ(body.at("carrier_ids"), json::parse(R"(["ups-main"])"));
  EXPECT_FALSE(body.contains("service"));
}

TEST(KarrioDraft, FailsWithoutAConnectionOrAnId) {
  Script none;
  none.answer(
      404, R"({"errors":[{"code":"not_found","message":"No active carrier connection found to process"}]})");
  EXPECT_EQ(problem(none.open()->draft(consignment("guid"))), Problem::account);
  Script odd;
  odd.answer(201, R"({"id":null})");
  EXPECT_EQ(problem(odd.open()->draft(consignment("guid"))), Problem::busy);
  Script cut;
  cut.answer(201, R"({"id":"shp_1")");
  EXPECT_EQ(problem(cut.open()->draft(consignment("guid"))), Problem::busy);
}

TEST(KarrioPurchase, IsBoughtWithThePriceOfItsAnswer) {
  Script script;
  script.answer(200, bought);
  const auto label = std::get<BoughtLabel>(buy(script));
  EXPECT_EQ(label.price, "5.10");
  EXPECT_EQ(label.tracking_numbers, std::vector<std::string>{"1Z"});
  ASSERT_EQ(script.requests.size(), 1);
  EXPECT_EQ(script.requests[0].url, "https://karrio.example/api/v1/shipments/shp_1/purchase");
  EXPECT_EQ(script.requests[0].body, R"({"selected_rate_id":"rat_1","label_type":"PDF"})");
  EXPECT_EQ(script.header(0, "X-Request-ID"), "guid");
  EXPECT_TRUE(script.requests[0].fresh_connection);
  EXPECT_EQ(script.requests[0].total_timeout, seconds(90));
}

TEST(KarrioPurchase, IsReadAgainAfterConflictOrUnreadableSuccess) {
  for (const auto& [status, body] :
       {std::pair(409, state_error), std::pair(200, "<html>"), std::pair(200, "{\"id\":"),
        std::pair(200, R"({"id":"shp_2","status":"created","tracking_number":"2Z"})")}) {
    Script script;
    script.answer(status, body).answer(200, bought);
    EXPECT_EQ(std::get<BoughtLabel>(buy(script)).gateway_id, "shp_1") << body;
    ASSERT_EQ(script.requests.size(), 2);
    EXPECT_EQ(script.requests[1].method, "GET");
    EXPECT_EQ(script.requests[1].url, "https://karrio.example/api/v1/shipments/shp_1");
  }
}

TEST(KarrioPurchase, IsUnknownAfterConflictThatCannotBeConfirmed) {
  Script draft;
  draft.answer(409, state_error).answer(200, still_draft);
  EXPECT_TRUE(std::holds_alternative<UnknownPurchase>(buy(draft)));
  Script away;
  away.answer(409, state_error).fail(net::HttpFailure::timeout);
  EXPECT_TRUE(std::holds_alternative<UnknownPurchase>(buy(away)));
  Script gone;
  gone.answer(409, state_error).answer(404, not_found);
  EXPECT_TRUE(std::holds_alternative<UnknownPurchase>(buy(gone)));
}

TEST(KarrioPurchase, IsRefusedOnlyByProof) {
  Script carrier;
  carrier.answer(424, R"({"messages":[{"code":"address_invalid","message":"No such street"}]})");
  EXPECT_EQ(std::get<RefusedPurchase>(buy(carrier)).message.text, "No such street");
  Script gone;
  gone.answer(404, not_found);
  EXPECT_TRUE(std::holds_alternative<RefusedPurchase>(buy(gone)));
}

TEST(KarrioPurchase, IsUnknownOtherwiseAndNeverRepeated) {
  for (const auto& [status, body] :
       {std::pair(424, lost), std::pair(500, "{}"), std::pair(502, "<html>"), std::pair(404, "<html>"),
        std::pair(429, R"({"errors":[{"code":"throttled"}]})"), std::pair(302, ""), std::pair(424, "")}) {
    Script script;
    script.answer(status, body);
    EXPECT_TRUE(std::holds_alternative<UnknownPurchase>(buy(script))) << status;
    EXPECT_EQ(script.requests.size(), 1);
  }
  for (const auto failure :
       {net::HttpFailure::timeout, net::HttpFailure::protocol, net::HttpFailure::connect}) {
    Script script;
    script.fail(failure);
    EXPECT_TRUE(std::holds_alternative<UnknownPurchase>(buy(script)));
    EXPECT_EQ(script.requests.size(), 1);
  }
}

TEST(KarrioFind, KnowsTheStatesOfAShipment) {
  Script label;
  label.answer(200, bought);
  EXPECT_TRUE(std::holds_alternative<BoughtLabel>(run(label.open()->find("shp_1", "guid"))));
  EXPECT_FALSE(label.requests.at(0).fresh_connection);
  Script draft;
  draft.answer(200, still_draft);
  EXPECT_TRUE(std::holds_alternative<StillDraft>(run(draft.open()->find("shp_1", ""))));
  Script gone;
  gone.answer(404, not_found);
  EXPECT_TRUE(std::holds_alternative<NotThere>(run(gone.open()->find("shp_1", ""))));
}

TEST(KarrioFind, DoesNotTakeOtherAnswersForAbsence) {
  Script mode;
  mode.answer(404, not_found, "True");
  EXPECT_EQ(problem(mode.open()->find("shp_1", "")), Problem::mode);
  Script page;
  page.answer(404, "<html>");
  EXPECT_EQ(problem(page.open()->find("shp_1", "")), Problem::unreachable);
  Script odd;
  odd.answer(200, R"({"results":{}})");
  EXPECT_EQ(problem(odd.open()->find("", "guid")), Problem::busy);
  Script numberless;
  numberless.answer(200, R"({"id":"shp_1","status":"created"})");
  EXPECT_EQ(problem(numberless.open()->find("shp_1", "")), Problem::busy);
}

TEST(KarrioFind, ComparesReferencesExactlyOnAllPages) {
  const std::string other = R"({"id":"shp_9","status":"created","tracking_number":"9","reference":"GUID"})";
  const std::string longer =
      R"({"id":"shp_8","status":"created","tracking_number":"8","reference":"guid-2"})";
  Script script;
  script.answer(200, R"({"next":"/x","results":[)" + other + "," + still_draft + "]}")
      .answer(200, R"({"next":null,"results":[)" + longer + "," + bought + "]}");
  EXPECT_EQ(std::get<BoughtLabel>(run(script.open()->find("", "guid"))).tracking_numbers.at(0), "1Z");
  EXPECT_EQ(script.requests[0].url,
            "https://karrio.example/api/v1/shipments?reference=guid&limit=10&offset=0");
  EXPECT_EQ(script.requests[1].url,
            "https://karrio.example/api/v1/shipments?reference=guid&limit=10&offset=2");
  Script draft;
  draft.answer(200, R"({"next":null,"results":[)" + other + "," + still_draft + "]}");
  EXPECT_TRUE(std::holds_alternative<StillDraft>(run(draft.open()->find("", "guid"))));
  Script none;
  none.answer(200, R"({"next":null,"results":[)" + other + "," + longer + ",7]}");
  EXPECT_TRUE(std::holds_alternative<NotThere>(run(none.open()->find("", "guid"))));
}

TEST(KarrioFind, TellsMostOfSeveralShipmentsWithAReference) {
  const std::string draft = R"({"id":"shp_1","status":"draft","reference":"guid"})";
  const std::string cancelled = R"({"id":"shp_2","status":"cancelled","reference":"guid"})";
  const std::string voided =
      R"({"id":"shp_3","status":"cancelled","tracking_number":"3","reference":"guid"})";
  const std::string label = R"({"id":"shp_4","status":"created","tracking_number":"4","reference":"guid"})";
  const auto found = [](const std::string& rows) {
    Script script;
    script.answer(200, R"({"next":null,"results":[)" + rows + "]}");
    return run(script.open()->find("", "guid"));
  };
  EXPECT_EQ(std::get<BoughtLabel>(found(voided + "," + draft + "," + label)).gateway_id, "shp_4");
  for (const auto& rows : {cancelled + "," + draft + "," + voided, voided + "," + draft + "," + cancelled})
    EXPECT_EQ(std::get<VoidedLabel>(found(rows)).label.gateway_id, "shp_3");
  EXPECT_TRUE(std::holds_alternative<StillDraft>(found(cancelled + "," + draft)));
  EXPECT_EQ(std::get<VoidedLabel>(found(cancelled)).label.gateway_id, "shp_2");
}

TEST(KarrioFind, EndsAListThatNeverEnds) {
  Script script;
  for (int i = 0; i < 60; ++i) script.answer(200, R"({"next":"/x","results":[{"reference":"other"}]})");
  EXPECT_EQ(problem(script.open()->find("", "guid")), Problem::refused);
}

TEST(KarrioLabelCall, ReturnsTheBytes) {
  Script script;
  script.answer(201, R"({"format":"PDF","base64":"JVBERi0="})");
  EXPECT_EQ(run(script.open()->label("shp_1", LabelFormat::pdf)).bytes, "%PDF-");
  EXPECT_EQ(script.requests.at(0).url, "https://karrio.example/api/v1/shipments/shp_1/documents/label");
  EXPECT_EQ(script.requests[0].total_timeout, seconds(30));
  for (const auto* const file : {"null", R"("PGh0bWw+")"}) {
    Script none;
    none.answer(200, R"({"format":"PDF","base64":)" + std::string(file) + "}");
    EXPECT_EQ(problem(none.open()->label("shp_1", LabelFormat::pdf)), Problem::refused) << file;
  }
}

TEST(KarrioLabelCall, IsRefusedIfTheLabelIsTooLarge) {
  Script script;
  script.answer(200, R"({"base64":")" + std::string(15UL * 1024 * 1024, 'A'));
  EXPECT_EQ(problem(script.open()->label("shp_1", LabelFormat::pdf)), Problem::refused);
}

TEST(KarrioVoidCall, IsSentOnceAndNeverThrows) {
  Script script;
  script.answer(200, R"({"id":"shp_1","status":"cancelled"})");
  EXPECT_EQ(run(script.open()->void_label("shp_1", false)).answer, VoidAnswer::voided);
  EXPECT_EQ(script.requests.at(0).url, "https://karrio.example/api/v1/shipments/shp_1/cancel");
  EXPECT_TRUE(script.requests[0].fresh_connection);
  EXPECT_EQ(script.requests[0].total_timeout, seconds(60));
  Script away;
  away.fail(net::HttpFailure::timeout);
  EXPECT_EQ(run(away.open()->void_label("shp_1", false)).answer, VoidAnswer::unknown);
}

TEST(KarrioTrack, AsksTheCarrierOfTheConnection) {
  Script script;
  script.answer(200, connections)
      .answer(200, R"({"tracking":{"events":[{"date":"2026-07-01","status":"in_transit"}]}})")
      .answer(200, R"({"tracking":{"events":[]}})");
  const auto gateway = script.open();
  EXPECT_EQ(run(gateway->track("1Z")).scans.at(0).status, "in_transit");
  EXPECT_EQ(script.requests[1].url, "https://karrio.example/api/v1/proxy/tracking?carrier_id=ups-main");
  EXPECT_EQ(json::parse(script.requests[1].body).at("carrier_name"), "ups");
  EXPECT_TRUE(run(gateway->track("1Z")).scans.empty());
  EXPECT_EQ(script.requests.size(), 3) << "the carrier of the connection is known";
}

TEST(KarrioTrack, IsEmptyForANumberThatTheCarrierDoesNotKnow) {
  const auto track = [](int status, std::string body) {
    Script script;
    script.answer(200, connections).answer(status, std::move(body));
    return problem(script.open()->track("1Z"));
  };
  EXPECT_EQ(track(404, R"({"messages":[{"code":"151018","message":"Invalid tracking number"}]})"),
            std::nullopt);
  EXPECT_EQ(track(404, R"({"errors":[{"code":"failure","level":"warning"}]})"), std::nullopt);
  EXPECT_EQ(track(404, R"({"errors":[{"code":"failure","message":"Not here"}]})"), Problem::refused);
  EXPECT_EQ(track(404, lost), Problem::busy);
  EXPECT_EQ(track(404, R"({"messages":[{"code":"SHIPPING_SDK_NON_SUPPORTED_ERROR","message":"x"}]})"),
            Problem::refused);
  EXPECT_EQ(track(404, R"({"messages":[{"code":"1","message":"Unauthorized"}]})"),
            Problem::carrier_credentials);
  EXPECT_EQ(track(404, "<html>"), Problem::unreachable);
  EXPECT_EQ(track(503, ""), Problem::busy);
}

TEST(KarrioErrors, NeverHaveTheToken) {
  Script script;
  script.answer(400,
                R"({"errors":[{"code":"x","message":"bad Token key_secret at https://karrio.example/v1"}]})");
  std::string text;
  EXPECT_EQ(problem(script.open()->rates(consignment()), &text), Problem::refused);
  EXPECT_EQ(text, "bad Token … at …");
}

GatewayHint hint(std::string_view secret, std::optional<std::string_view> sent, std::string_view body) {
  const InboundCall call{.body = body, .header = [sent](std::string_view name) {
                           return name == "x-event-id" ? sent : std::nullopt;
                         }};
  return karrio_gateway().read_call(secret, call);
}

TEST(KarrioWebhook, IsAHintOfANumberIfItHasTheSecret) {
  constexpr auto body = R"({"event":"tracker_updated","data":{"tracking_number":"1Z","status":"delivered"}})";
  const auto known = hint("whsec_1", "whsec_1", body);
  EXPECT_EQ(known.kind, GatewayHint::Kind::hint);
  EXPECT_EQ(known.tracking_number, "1Z");
  EXPECT_EQ(known.delivery_id, std::nullopt);
  for (const auto& sent : {std::optional<std::string_view>("whsec_2"), std::optional<std::string_view>(""),
                           std::optional<std::string_view>()})
    EXPECT_EQ(hint("whsec_1", sent, body).kind, GatewayHint::Kind::bad_signature);
  EXPECT_EQ(hint("", "", body).kind, GatewayHint::Kind::bad_signature);
}

TEST(KarrioWebhook, WithoutANumberIsAPing) {
  for (const auto* const body : {"", "x", "[]", "{}", R"({"data":7})", R"({"data":{"tracking_number":null}})",
                                 R"({"data":{"tracking_number":{}}})"})
    EXPECT_EQ(hint("whsec_1", "whsec_1", body).kind, GatewayHint::Kind::ping) << body;
}

TEST(KarrioConnector, NamesItself) {
  EXPECT_EQ(karrio_gateway().name(), "karrio");
  EXPECT_TRUE(karrio_gateway().needs_url());
  EXPECT_EQ(karrio_gateway().formats().front(), LabelFormat::pdf);
}

}  // namespace
}  // namespace waybill::connectors
