// The connector of Karrio with a real Karrio server, whose carrier is slow, loses answers and refuses.
#include "tests/carriers/karrio_server.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connectors/karrio/karrio.hpp"
#include "net/http/async_http.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/shared.hpp"

namespace waybill::connectors {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using tests::carrier_refusal;
using tests::Gate;
using tests::KarrioCarrier;
using tests::KarrioServer;
using tests::text_at;
using Call = KarrioCarrier::Call;
using Problem = GatewayError::Problem;

template <typename Value>
std::future<Value> begin(asio::io_context& io, asio::awaitable<Value> awaited) {
  return asio::co_spawn(io, std::move(awaited), asio::use_future);
}

// Outlives the client, whose thread may still be leaving `post` when the response arrives.
asio::io_context& loop() {
  static asio::io_context io;
  io.restart();
  return io;
}

template <typename Value>
Value await(asio::awaitable<Value> awaited) {
  auto& io = loop();
  auto future = begin(io, std::move(awaited));
  io.run();
  return future.get();
}

/// The problem with which an awaited call ends; nullopt if it succeeds.
template <typename Value>
std::optional<Problem> problem_of(asio::awaitable<Value> awaited) {
  try {
    await(std::move(awaited));
    return std::nullopt;
  } catch (const GatewayError& error) {
    return error.problem();
  }
}

template <typename... Alternatives>
std::string described(const std::variant<Alternatives...>& answer) {
  using Answer = std::variant<Alternatives...>;
  if constexpr (std::is_same_v<Answer, PurchaseAnswer>) {
    if (const auto* const refused = std::get_if<RefusedPurchase>(&answer))
      return "refused: " + refused->message.code + ": " + refused->message.text;
    if (const auto* const unknown = std::get_if<UnknownPurchase>(&answer))
      return "unknown: " + unknown->message.code + ": " + unknown->message.text;
    return "bought";
  } else {
    if (std::holds_alternative<StillDraft>(answer)) return "draft";
    return std::holds_alternative<NotThere>(answer) ? "not there" : "bought";
  }
}

class KarrioServerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!KarrioServer::installed()) {
      GTEST_SKIP() << "Karrio is not installed: tests/packages/karrio/install does it unless the registry of "
                      "Python packages is unreachable";
    }
    server_ = &tests::shared<KarrioServer>();
    carrier().stop_failing();
    connection_ = server().make_connection(name(), {.sends_once = true});
  }

  KarrioServer& server() { return *server_; }
  KarrioCarrier& carrier() { return server_->carrier(); }
  static std::string name() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }
  const std::string& connection() const { return connection_; }

  GatewayAccount account(bool test_mode = false) {
    return {.api_url = server().url(),
            .api_key = server().token(test_mode),
            .account_number = test_mode ? std::string(KarrioServer::carrier_id()) : name(),
            .test_mode = test_mode};
  }
  std::unique_ptr<Gateway> open(GatewayAccount account, Duration timeout = std::chrono::minutes(2)) {
    const auto send = [this, timeout](net::HttpRequest request) -> asio::awaitable<net::HttpResponse> {
      request.total_timeout = std::min(request.total_timeout, timeout);
      co_return co_await net::fetch(client_, std::move(request));
    };
    return karrio_gateway().open(std::move(account), send, system_clock());
  }
  std::unique_ptr<Gateway> open() { return open(account()); }

  Consignment consignment() {
    return {.reference = name() + "-" + std::to_string(++references_),
            .sender = {.name = "Ada Byron",
                       .company = "Quay",
                       .phone = "+49 228 123456",
                       .email = "ada@x.example",
                       .street = "Kai 1",
                       .city = "Bonn",
                       .state = "",
                       .postal_code = "53111",
                       .country = "DE"},
            .recipient = {.name = "Jörg Müller",
                          .company = "",
                          .phone = "+49 221 123456",
                          .email = "",
                          .street = "Weg 1",
                          .city = "Köln",
                          .state = "",
                          .postal_code = "50667",
                          .country = "DE"},
            .parcels = {{.weight = "2.5", .length = "30", .width = "20", .height = "10"}},
            .customs = std::nullopt};
  }

  struct Drafted {
    std::string id, rate, reference;
  };
  /// A draft and its first rate.
  Drafted draft(Gateway& gateway, const Consignment& consignment) {
    const auto made = await(gateway.draft(consignment));
    if (made.offers.rates.empty()) throw std::runtime_error("the draft has no rates");
    return {made.gateway_id, made.offers.rates.front().id, consignment.reference};
  }
  Drafted draft(Gateway& gateway) { return draft(gateway, consignment()); }
  static PurchaseAnswer buy(Gateway& gateway, const Drafted& draft, LabelFormat format = LabelFormat::pdf) {
    return await(gateway.buy(draft.id, draft.rate, draft.reference, format));
  }
  static std::string found(Gateway& gateway, const Drafted& draft) {
    return described(await(gateway.find(draft.id, draft.reference)));
  }
  BoughtLabel bought(Gateway& gateway, const Drafted& draft) {
    auto answer = buy(gateway, draft);
    if (!std::holds_alternative<BoughtLabel>(answer)) throw std::runtime_error(described(answer));
    return std::get<BoughtLabel>(std::move(answer));
  }

 private:
  KarrioServer* server_ = nullptr;
  std::string connection_;
  int references_ = 0;
  net::HttpClient client_{{.policy = {.allow_private = true}, .ca_file = {}}};
};

TEST_F(KarrioServerTest, ChecksTokenModeConnectionAndCarrier) {
  EXPECT_TRUE(await(open()->check(consignment())));
  EXPECT_TRUE(await(open(account(true))->check(consignment())));
  auto wrong = account();
  wrong.api_key = "key_00000000000000000000000000000000";
  EXPECT_EQ(problem_of(open(wrong)->check(consignment())), Problem::credentials);
  wrong = account();
  wrong.test_mode = true;
  EXPECT_EQ(problem_of(open(wrong)->check(consignment())), Problem::mode);
  wrong = account();
  wrong.account_number = "stranger";
  EXPECT_EQ(problem_of(open(wrong)->check(consignment())), Problem::account);
  wrong = account();
  wrong.api_url += "/nowhere";
  EXPECT_EQ(problem_of(open(wrong)->check(consignment())), Problem::unreachable);
  const auto second = server().make_connection(name());
  EXPECT_EQ(problem_of(open()->check(consignment())), Problem::account);
  server().set_active(second, false);
  EXPECT_TRUE(await(open()->check(consignment())));
  server().remove_connection(second);
}

TEST_F(KarrioServerTest, ChecksTheCredentialsThatTheServerHasForTheCarrier) {
  server().remove_connection(connection());
  server().make_connection(name(), {.key = "stranger", .sends_once = true});
  EXPECT_EQ(problem_of(open()->check(consignment())), Problem::carrier_credentials);
}

TEST_F(KarrioServerTest, TakesACarrierThatFailsAsBusy) {
  for (const auto& fault : {tests::failing_with(503), tests::failing_with(500), tests::dropped_call(),
                            tests::too_many_requests("7"), tests::cut_answer()}) {
    carrier().fail(Call::rates, fault);
    EXPECT_EQ(problem_of(open()->check(consignment())), Problem::busy);
    carrier().stop_failing();
  }
  carrier().set_offers(name(), {});
  EXPECT_FALSE(await(open()->check(consignment())));
}

TEST_F(KarrioServerTest, GivesRates) {
  carrier().set_offers(name(), {{.service = "testcarrier_express",
                                 .price = "21.07",
                                 .currency = "EUR",
                                 .days = 1,
                                 .name = "Express, before noon",
                                 .charges = {{"Base", "20.00"}, {"Fuel", "1.07"}}},
                                {.service = "testcarrier_standard", .price = "1234567.89", .days = 4}});
  const auto answer = await(open()->rates(consignment()));
  EXPECT_THAT(answer.messages, IsEmpty());
  ASSERT_THAT(answer.rates, SizeIs(2));
  const auto express = std::ranges::find(answer.rates, "testcarrier_express", &CarrierRate::service_code);
  ASSERT_NE(express, answer.rates.end());
  EXPECT_EQ(express->service_name, "EXPRESS, BEFORE NOON") << "Karrio shows names in capitals";
  EXPECT_EQ(express->price, "21.07");
  EXPECT_EQ(express->currency, "EUR");
  EXPECT_EQ(express->transit_days, 1);
  ASSERT_THAT(express->charges, SizeIs(2));
  EXPECT_EQ(express->charges[1].name, "Fuel");
  EXPECT_EQ(express->charges[1].amount, "1.07");
  const auto standard = std::ranges::find(answer.rates, "testcarrier_standard", &CarrierRate::service_code);
  ASSERT_NE(standard, answer.rates.end());
  EXPECT_EQ(standard->price, "1234567.89");
}

TEST_F(KarrioServerTest, BuysADraftInEachFormat) {
  for (const auto& [format, word] :
       {std::pair(LabelFormat::pdf, "PDF"), {LabelFormat::zpl, "ZPL"}, {LabelFormat::png, "PNG"}}) {
    const auto gateway = open();
    const auto made = draft(*gateway);
    EXPECT_EQ(found(*gateway, made), "draft");
    const auto answer = buy(*gateway, made, format);
    ASSERT_TRUE(std::holds_alternative<BoughtLabel>(answer)) << word << described(answer);
    const auto& label = std::get<BoughtLabel>(answer);
    const auto purchases = carrier().purchases(made.reference);
    ASSERT_THAT(purchases, SizeIs(1)) << word;
    EXPECT_EQ(label.gateway_id, made.id);
    EXPECT_EQ(label.tracking_numbers, purchases[0].numbers);
    EXPECT_EQ(label.tracking_url, "https://carrier.example/track/" + purchases[0].numbers[0]);
    EXPECT_EQ(label.price, purchases[0].price);
    EXPECT_EQ(label.currency, "EUR");
    EXPECT_EQ(label.service_code, purchases[0].service);
    EXPECT_EQ(label.service_name, "STANDARD");
    const auto file = KarrioCarrier::label_file(purchases[0].numbers[0], word);
    ASSERT_TRUE(label.label) << word;
    EXPECT_EQ(label.label->format, format);
    EXPECT_EQ(label.label->bytes, file) << word;
    const auto again = await(gateway->label(made.id, format));
    EXPECT_EQ(again.format, format);
    EXPECT_EQ(again.bytes, file) << word;
    EXPECT_EQ(found(*gateway, made), "bought");
  }
}

TEST_F(KarrioServerTest, BuysSeveralParcelsWithANumberEach) {
  const auto gateway = open();
  auto several = consignment();
  several.parcels.push_back({.weight = "0.25", .length = "", .width = "", .height = ""});
  const auto made = draft(*gateway, several);
  const auto answer = buy(*gateway, made, LabelFormat::zpl);
  ASSERT_TRUE(std::holds_alternative<BoughtLabel>(answer)) << described(answer);
  const auto& label = std::get<BoughtLabel>(answer);
  const auto purchases = carrier().purchases(made.reference);
  ASSERT_THAT(purchases, SizeIs(1));
  ASSERT_THAT(purchases[0].numbers, SizeIs(2));
  EXPECT_EQ(label.tracking_numbers, purchases[0].numbers);
  ASSERT_TRUE(label.label);
  for (const auto& number : purchases[0].numbers) EXPECT_THAT(label.label->bytes, HasSubstr(number));
}

TEST_F(KarrioServerTest, TellsThePriceThatIsCharged) {
  const auto gateway = open();
  const auto made = draft(*gateway);
  carrier().charge_next("6.41");
  EXPECT_EQ(bought(*gateway, made).price, "6.41");
  const auto again = await(gateway->find(made.id, made.reference));
  ASSERT_TRUE(std::holds_alternative<BoughtLabel>(again));
  EXPECT_EQ(std::get<BoughtLabel>(again).price, "6.41");
}

TEST_F(KarrioServerTest, BuysAbroadAndBack) {
  const auto gateway = open();
  auto abroad = consignment();
  abroad.recipient.country = "US";
  abroad.recipient.state = "NY";
  abroad.recipient.city = "New York";
  abroad.recipient.postal_code = "10001";
  abroad.customs = CustomsData{.contents = "merchandise",
                               .incoterm = "DDP",
                               .items = {{.description = "Shirt",
                                          .weight = "0.25",
                                          .value = "19.99",
                                          .currency = "EUR",
                                          .hs_code = "610910",
                                          .origin_country = "DE",
                                          .quantity = 2}}};
  bought(*gateway, draft(*gateway, abroad));
  auto back = consignment();
  back.is_return = true;
  const auto made = draft(*gateway, back);
  bought(*gateway, made);
  const auto purchases = carrier().purchases(made.reference);
  ASSERT_THAT(purchases, SizeIs(1));
  EXPECT_TRUE(purchases[0].is_return);
  const auto sent = carrier().received(Call::buy).back().json_body();
  EXPECT_EQ(text_at(sent, "shipper.city"), "Köln");
}

TEST_F(KarrioServerTest, FindsTheExactReference) {
  const auto gateway = open();
  const auto longer = draft(*gateway, [this] {
    auto other = consignment();
    other.reference += "-LONGER";
    return other;
  }());
  const std::string reference = longer.reference.substr(0, longer.reference.size() - 7);
  const auto find = [&](const std::string& id, const std::string& text) {
    return described(await(gateway->find(id, text)));
  };
  EXPECT_EQ(find("", reference), "not there");
  EXPECT_EQ(find("", longer.reference), "draft");
  bought(*gateway, longer);
  EXPECT_EQ(find("", longer.reference), "bought");
  EXPECT_EQ(find("shp_none", longer.reference), "not there");
}

TEST_F(KarrioServerTest, KnowsRefusalsOfTheCarrier) {
  const auto gateway = open();
  for (const auto* const code : {"address_invalid", "recipient.postal_code.required", "INSUFFICIENT_FUNDS",
                                 "service_not_supported", "weight_exceeds_limit"}) {
    const auto made = draft(*gateway);
    carrier().fail(Call::buy, carrier_refusal(422, code, "This cannot be sent."));
    const auto answer = buy(*gateway, made);
    ASSERT_TRUE(std::holds_alternative<RefusedPurchase>(answer)) << described(answer);
    EXPECT_EQ(std::get<RefusedPurchase>(answer).message.code, code);
    EXPECT_EQ(std::get<RefusedPurchase>(answer).message.text, "This cannot be sent.");
    EXPECT_EQ(found(*gateway, made), "draft");
    EXPECT_THAT(carrier().purchases(made.reference), IsEmpty());
  }
}

TEST_F(KarrioServerTest, KnowsItsOwnRefusals) {
  const auto gateway = open();
  const auto made = draft(*gateway);
  const auto before = carrier().count(Call::buy);
  const auto unknown_rate = buy(*gateway, {made.id, "rat_none", made.reference});
  EXPECT_TRUE(std::holds_alternative<RefusedPurchase>(unknown_rate)) << described(unknown_rate);
  const auto no_draft = buy(*gateway, {"shp_none", made.rate, made.reference});
  EXPECT_TRUE(std::holds_alternative<RefusedPurchase>(no_draft)) << described(no_draft);
  auto stranger = account();
  stranger.api_key = "key_00000000000000000000000000000000";
  const auto no_token = buy(*open(stranger), made);
  EXPECT_TRUE(std::holds_alternative<RefusedPurchase>(no_token)) << described(no_token);
  EXPECT_EQ(carrier().count(Call::buy), before);
}

TEST_F(KarrioServerTest, DoesNotTakeAFailingCarrierForARefusal) {
  server().remove_connection(connection());
  for (const bool keeps_status : {false, true}) {
    const auto made_connection =
        server().make_connection(name(), {.keeps_status = keeps_status, .sends_once = true});
    const auto gateway = open();
    for (const auto& fault :
         {tests::failing_with(500), tests::failing_with(502), tests::failing_with(503),
          tests::too_many_requests("7"), tests::firewall_page(200), tests::firewall_page(403),
          tests::dropped_call(), carrier_refusal(503, "service_unavailable", "Try again."),
          carrier_refusal(429, "rate_limit_exceeded", "Slow down."),
          carrier_refusal(500, "E-17", "Something went wrong.")}) {
      const auto made = draft(*gateway);
      carrier().fail(Call::buy, fault);
      const auto answer = buy(*gateway, made);
      EXPECT_TRUE(std::holds_alternative<UnknownPurchase>(answer)) << described(answer);
      EXPECT_EQ(found(*gateway, made), "draft");
      EXPECT_THAT(carrier().purchases(made.reference), IsEmpty());
      carrier().stop_failing();
    }
    server().remove_connection(made_connection);
  }
}

// Section 1.5 of the facts about carriers: cases in which a draft has a paid label.

TEST_F(KarrioServerTest, KeepsADraftIfTheCarriersAnswerIsLost) {
  const auto gateway = open();
  for (const auto& fault : {tests::lost_answer(), tests::cut_answer()}) {
    const auto made = draft(*gateway);
    carrier().fail(Call::buy, fault);
    const auto answer = buy(*gateway, made);
    EXPECT_TRUE(std::holds_alternative<UnknownPurchase>(answer)) << described(answer);
    EXPECT_EQ(found(*gateway, made), "draft");
    EXPECT_THAT(carrier().purchases(made.reference), SizeIs(1));
    bought(*gateway, made);
    EXPECT_THAT(carrier().purchases(made.reference), SizeIs(2)) << "nobody protects a purchase";
  }
}

TEST_F(KarrioServerTest, SendsEachFailedCallASecondTimeByItself) {
  server().remove_connection(connection());
  server().make_connection(name());
  const auto gateway = open();
  for (const auto& fault : {tests::lost_answer(), tests::cut_answer()}) {
    const auto made = draft(*gateway);
    carrier().fail(Call::buy, fault);
    const auto label = bought(*gateway, made);
    const auto purchases = carrier().purchases(made.reference);
    ASSERT_THAT(purchases, SizeIs(2)) << "one of them is in no record of Karrio";
    EXPECT_EQ(label.tracking_numbers, purchases[1].numbers);
  }
  const auto made = draft(*gateway);
  const auto before = carrier().count(Call::buy);
  carrier().fail(Call::buy, carrier_refusal(422, "address_invalid", "This cannot be sent."), 2);
  EXPECT_TRUE(std::holds_alternative<RefusedPurchase>(buy(*gateway, made)));
  EXPECT_EQ(carrier().count(Call::buy), before + 2);
  bought(*gateway, made);
  carrier().fail(Call::cancel, tests::lost_answer());
  const auto answer = server().request("POST", "/v1/shipments/" + made.id + "/cancel", json::object());
  EXPECT_EQ(answer.status, 424);
  EXPECT_EQ(text_at(answer.body, "messages.0.code"), "already_voided") << answer.text;
  EXPECT_THAT(carrier().voids(made.reference), SizeIs(1));
  EXPECT_EQ(found(*gateway, made), "bought");
}

TEST_F(KarrioServerTest, FinishesAPurchaseWhoseCallerGaveUp) {
  const auto patient = open();
  const auto made = draft(*patient);
  const auto gate = std::make_shared<Gate>();
  carrier().hold_next_purchase(gate);
  const auto answer = buy(*open(account(), std::chrono::seconds(1)), made);
  EXPECT_TRUE(std::holds_alternative<UnknownPurchase>(answer)) << described(answer);
  EXPECT_EQ(found(*patient, made), "draft");
  EXPECT_THAT(carrier().purchases(made.reference), IsEmpty());
  gate->open();
  EXPECT_TRUE(tests::eventually([&] { return found(*patient, made) == "bought"; }));
  EXPECT_THAT(carrier().purchases(made.reference), SizeIs(1));
}

TEST_F(KarrioServerTest, BuysTwiceIfTwoBuyAtOnce) {
  const auto first = open();
  const auto second = open();
  const auto made = draft(*first);
  const auto gate = std::make_shared<Gate>();
  carrier().fail(Call::buy, tests::slow_answer(gate), 2);
  const auto before = carrier().count(Call::buy);
  auto& io = loop();
  auto one = begin(io, first->buy(made.id, made.rate, made.reference, LabelFormat::pdf));
  auto other = begin(io, second->buy(made.id, made.rate, made.reference, LabelFormat::pdf));
  auto opened = std::async(std::launch::async, [&] {
    const bool both = carrier().wait_for_calls(Call::buy, before + 2);
    gate->open();
    return both;
  });
  io.run();
  EXPECT_TRUE(opened.get());
  EXPECT_EQ(described(one.get()), "bought");
  EXPECT_EQ(described(other.get()), "bought");
  EXPECT_THAT(carrier().purchases(made.reference), SizeIs(2));
}

TEST_F(KarrioServerTest, KeepsADraftIfItIsKilledWhileBuying) {
  const auto gateway = open();
  const auto made = draft(*gateway);
  const auto gate = std::make_shared<Gate>();
  carrier().fail(Call::buy, tests::slow_answer(gate));
  const auto before = carrier().count(Call::buy);
  auto& io = loop();
  auto answer = begin(io, gateway->buy(made.id, made.rate, made.reference, LabelFormat::pdf));
  auto killed = std::async(std::launch::async, [&] {
    const bool called = carrier().wait_for_calls(Call::buy, before + 1) &&
                        tests::eventually([&] { return !carrier().purchases(made.reference).empty(); });
    server().kill();
    return called;
  });
  io.run();
  EXPECT_TRUE(killed.get());
  const auto unknown = answer.get();
  EXPECT_TRUE(std::holds_alternative<UnknownPurchase>(unknown)) << described(unknown);
  EXPECT_EQ(problem_of(gateway->find(made.id, made.reference)), Problem::unreachable);
  gate->open();
  server().restart();
  EXPECT_EQ(found(*gateway, made), "draft");
  EXPECT_THAT(carrier().purchases(made.reference), SizeIs(1));
}

TEST_F(KarrioServerTest, DoesNotBuyABoughtShipmentAgain) {
  const auto gateway = open();
  const auto made = draft(*gateway);
  const auto first = bought(*gateway, made);
  const auto again = bought(*gateway, made);
  EXPECT_EQ(again.tracking_numbers, first.tracking_numbers);
  EXPECT_EQ(again.price, first.price);
  EXPECT_THAT(carrier().purchases(made.reference), SizeIs(1));
}

TEST_F(KarrioServerTest, Voids) {
  const auto gateway = open();
  const auto made = draft(*gateway);
  bought(*gateway, made);
  EXPECT_EQ(await(gateway->void_label(made.id, false)).answer, VoidAnswer::voided);
  EXPECT_EQ(await(gateway->void_label(made.id, false)).answer, VoidAnswer::voided);
  EXPECT_THAT(carrier().voids(made.reference), SizeIs(1));
  EXPECT_EQ(found(*gateway, made), "not there");
  EXPECT_EQ(await(gateway->void_label("shp_none", false)).answer, VoidAnswer::refused);
}

TEST_F(KarrioServerTest, DoesNotVoidAScannedParcel) {
  const auto gateway = open();
  const auto made = draft(*gateway);
  const auto label = bought(*gateway, made);
  carrier().add_scan(label.tracking_numbers[0], {.status = "in_transit", .description = "Departed"});
  const auto refused = await(gateway->void_label(made.id, false));
  EXPECT_EQ(refused.answer, VoidAnswer::refused) << refused.message.text;
  EXPECT_THAT(refused.message.text, HasSubstr("already been scanned"));
  EXPECT_EQ(found(*gateway, made), "bought");
}

TEST_F(KarrioServerTest, VoidsAgainIfTheAnswerIsLost) {
  const auto gateway = open();
  const auto made = draft(*gateway);
  bought(*gateway, made);
  carrier().fail(Call::cancel, tests::lost_answer());
  EXPECT_EQ(await(gateway->void_label(made.id, false)).answer, VoidAnswer::unknown);
  EXPECT_EQ(found(*gateway, made), "bought");
  const auto before_unknown = await(gateway->void_label(made.id, false));
  EXPECT_EQ(before_unknown.answer, VoidAnswer::refused) << before_unknown.message.text;
  EXPECT_EQ(await(gateway->void_label(made.id, true)).answer, VoidAnswer::voided);
  EXPECT_THAT(carrier().voids(made.reference), SizeIs(1));
  for (const auto& fault : {tests::failing_with(503), tests::dropped_call(), tests::too_many_requests("7")}) {
    carrier().fail(Call::cancel, fault);
    EXPECT_EQ(await(gateway->void_label(made.id, true)).answer, VoidAnswer::unknown);
    carrier().stop_failing();
  }
}

TEST_F(KarrioServerTest, TracksAParcel) {
  const auto gateway = open();
  const auto label = bought(*gateway, draft(*gateway));
  const auto& number = label.tracking_numbers[0];
  const auto statuses = [&] {
    std::vector<std::string> list;
    for (const auto& scan : await(gateway->track(number)).scans) list.push_back(scan.status);
    return list;
  };
  EXPECT_THAT(statuses(), IsEmpty());
  carrier().set_scans(number, {{.status = "picked_up",
                                .description = "Collected",
                                .code = "PU",
                                .location = "Bonn",
                                .date = "2026-05-04",
                                .time = "09:30 AM",
                                .timestamp = "2026-05-04T07:30:00.000Z"},
                               {.status = "in_transit",
                                .description = "Departed",
                                .location = "Bonn",
                                .date = "2026-05-04",
                                .time = "06:05 PM"},
                               {.status = "out_for_delivery",
                                .description = "On the van",
                                .location = "Köln",
                                .date = "2026-05-05",
                                .time = "08:00",
                                .timestamp = "2026-05-05T06:00:00.000Z"}});
  carrier().set_estimated_delivery(number, "2026-05-05");
  EXPECT_THAT(statuses(), ElementsAre("collected", "in_transit", "out_for_delivery"));
  const auto answer = await(gateway->track(number));
  EXPECT_EQ(format_timestamp(answer.scans[0].at), "2026-05-04T07:30:00.000Z");
  EXPECT_TRUE(answer.scans[0].has_zone);
  EXPECT_EQ(answer.scans[0].location, "Bonn");
  EXPECT_EQ(answer.scans[0].code, "PU");
  EXPECT_EQ(format_timestamp(answer.scans[1].at), "2026-05-04T18:05:00.000Z");
  EXPECT_FALSE(answer.scans[1].has_zone);
  ASSERT_TRUE(answer.estimated_delivery);
  EXPECT_EQ(format_timestamp(*answer.estimated_delivery), "2026-05-05T00:00:00.000Z");
  carrier().add_scan(number, {.status = "return_to_sender",
                              .description = "Refused",
                              .date = "2026-05-05",
                              .timestamp = "2026-05-05T09:00:00.000Z"});
  carrier().add_scan(number, {.status = "delivered",
                              .description = "Back",
                              .date = "2026-05-06",
                              .timestamp = "2026-05-06T09:00:00.000Z"});
  EXPECT_THAT(statuses(),
              ElementsAre("collected", "in_transit", "out_for_delivery", "exception", "returned"));
  const auto later = await(gateway->track(number));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(later.scans[i].external_id, answer.scans[i].external_id) << i;
}

TEST_F(KarrioServerTest, TracksAsFarAsTheCarrierAnswers) {
  const auto gateway = open();
  EXPECT_THAT(await(gateway->track("TC-unknown")).scans, IsEmpty());
  for (const auto& fault : {tests::failing_with(503), tests::dropped_call(), tests::too_many_requests("7")}) {
    carrier().fail(Call::track, fault);
    EXPECT_EQ(problem_of(gateway->track("TC-unknown")), Problem::busy);
    carrier().stop_failing();
  }
}

TEST_F(KarrioServerTest, FailsToTrackANumberOfWhichItsCarrierTellsNothing) {
  // Many of Karrio's carriers give neither a parcel nor a message for a number without scans.
  carrier().fail(Call::track, {.spoil = [](tests::Reply& reply) {
                   reply = tests::json_reply(200, json::object{{"nothing", true}});
                 }});
  const auto answer = server().request("POST", "/v1/proxy/tracking",
                                       {{"tracking_number", "TC-1"}, {"carrier_name", "testcarrier"}});
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.body,
            (json::object{{"errors", json::array{json::object{{"code", "failure"}, {"level", "warning"}}}}}));
}

TEST_F(KarrioServerTest, TracksThroughAnyConnectionUnlessTheQueryNamesOne) {
  const std::string number = "TC-" + name();
  carrier().add_scan(number, {.status = "in_transit", .description = "Departed"});
  const auto other = server().make_connection("other-" + name());
  const auto asked = [&](const std::string& query, const std::string& account) {
    server().post("/v1/proxy/tracking" + query,
                  {{"tracking_number", number}, {"carrier_name", "testcarrier"}, {"carrier_id", account}});
    return carrier().received(Call::track).back().header("x-account");
  };
  EXPECT_EQ(asked("", name()), asked("", "other-" + name())) << "the body's carrier_id is ignored";
  for (const auto& account : {name(), "other-" + name()})
    EXPECT_EQ(asked("?carrier_id=" + account, account), account);
  server().remove_connection(other);
}

TEST_F(KarrioServerTest, SendsWebhooksWithTheirSecret) {
  tests::Receiver receiver;
  const auto webhook = server().make_webhook(receiver.url("/hook"));
  const tests::AtExit remove([&] { server().remove_webhook(webhook); });
  const auto gateway = open();
  const auto label = bought(*gateway, draft(*gateway));
  const auto calls = receiver.wait_for("/hook", 1);
  ASSERT_THAT(calls, testing::Not(IsEmpty()));
  std::vector<std::string> numbers;
  for (const auto& call : calls) {
    const std::string sent = call.header("x-event-id");
    const InboundCall inbound{
        .body = call.body, .header = [&](std::string_view header) -> std::optional<std::string_view> {
          return header == "x-event-id" ? std::optional<std::string_view>(sent) : std::nullopt;
        }};
    EXPECT_EQ(karrio_gateway().read_call("whsec_other", inbound).kind, GatewayHint::Kind::bad_signature);
    const auto hint = karrio_gateway().read_call(webhook.secret, inbound);
    EXPECT_NE(hint.kind, GatewayHint::Kind::bad_signature);
    numbers.push_back(hint.tracking_number);
  }
  EXPECT_THAT(numbers, testing::Contains(label.tracking_numbers[0]));
}

}  // namespace
}  // namespace waybill::connectors
