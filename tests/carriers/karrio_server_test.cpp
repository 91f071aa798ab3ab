// The connector of Karrio with a real Karrio server: accounts, rates, look-ups, voids, scans and webhooks.
#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/carriers/karrio_server_fixture.hpp"

namespace waybill::connectors {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using tests::KarrioCarrier;
using Call = KarrioCarrier::Call;
using Problem = GatewayError::Problem;
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
  server().make_connection(name(), {.key = "stranger"});
  EXPECT_EQ(problem_of(open()->check(consignment())), Problem::carrier_credentials);
}

TEST_F(KarrioServerTest, TakesAMissingTokenOfTheCarrierAsRefusedCredentials) {
  server().remove_connection(connection());
  server().make_connection(name(), {.key = "no-token"});
  const auto gateway = open();
  EXPECT_EQ(problem_of(gateway->check(consignment())), Problem::carrier_credentials);
  EXPECT_EQ(problem_of(gateway->rates(consignment())), Problem::carrier_credentials);
  EXPECT_EQ(problem_of(gateway->draft(consignment())), Problem::carrier_credentials);
  EXPECT_EQ(problem_of(gateway->track("TC-1")), Problem::carrier_credentials);
}

TEST_F(KarrioServerTest, GivesTheCarrierTheLinesOfAStreet) {
  auto sent = consignment();
  sent.recipient.street = std::string(60, 'a') + "\n" + std::string(60, 'b') + "\nc";
  ASSERT_THAT(unsupported_parts(karrio_gateway(), sent), IsEmpty());
  await(open()->rates(sent));
  const auto received = carrier().received(Call::rates).back().json_body();
  EXPECT_EQ(tests::text_at(received, "recipient.address_line1"), std::string(60, 'a'));
  EXPECT_EQ(tests::text_at(received, "recipient.address_line2"), std::string(60, 'b') + ", c");
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

TEST_F(KarrioServerTest, Voids) {
  const auto gateway = open();
  const auto made = draft(*gateway);
  bought(*gateway, made);
  EXPECT_EQ(await(gateway->void_label(made.id, false)).answer, VoidAnswer::voided);
  EXPECT_EQ(await(gateway->void_label(made.id, false)).answer, VoidAnswer::voided);
  EXPECT_THAT(carrier().voids(made.reference), SizeIs(1));
  EXPECT_EQ(found(*gateway, made), "voided");
  const auto voided = std::get<VoidedLabel>(await(gateway->find("", made.reference)));
  EXPECT_THAT(voided.label.tracking_numbers, SizeIs(1)) << "that of the label";
  EXPECT_FALSE(voided.label.price.empty());
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
  for (const bool after_unknown : {false, true})
    EXPECT_EQ(await(gateway->void_label(made.id, after_unknown)).answer, VoidAnswer::voided)
        << "already voided";
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
