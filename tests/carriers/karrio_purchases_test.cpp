// The connector of Karrio with a real Karrio server: purchases.
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/karrio_server_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::connectors {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using tests::carrier_refusal;
using tests::Gate;
using tests::KarrioCarrier;
using tests::text_at;
using Call = KarrioCarrier::Call;
using Problem = GatewayError::Problem;
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
    const auto made_connection = server().make_connection(name(), {.keeps_status = keeps_status});
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

TEST_F(KarrioServerTest, AsItComesSendsEachFailedCallASecondTimeByItself) {
  KarrioServer as_it_comes(KarrioServer::CarrierCalls::repeated);
  auto& other = as_it_comes.carrier();
  const auto gateway = open(account_of(as_it_comes));
  for (const auto& fault : {tests::lost_answer(), tests::cut_answer()}) {
    const auto made = draft(*gateway);
    other.fail(Call::buy, fault);
    const auto label = bought(*gateway, made);
    const auto purchases = other.purchases(made.reference);
    ASSERT_THAT(purchases, SizeIs(2)) << "one of them is in no record of Karrio";
    EXPECT_EQ(label.tracking_numbers, purchases[1].numbers);
  }
  const auto made = draft(*gateway);
  const auto before = other.count(Call::buy);
  other.fail(Call::buy, carrier_refusal(422, "address_invalid", "This cannot be sent."), 2);
  EXPECT_TRUE(std::holds_alternative<RefusedPurchase>(buy(*gateway, made)));
  EXPECT_EQ(other.count(Call::buy), before + 2);
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
  auto one = begun(io, first->buy(made.id, made.rate, made.reference, LabelFormat::pdf));
  auto other = begun(io, second->buy(made.id, made.rate, made.reference, LabelFormat::pdf));
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
  auto answer = begun(io, gateway->buy(made.id, made.rate, made.reference, LabelFormat::pdf));
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

}  // namespace
}  // namespace waybill::connectors
