#include "connectors/karrio/refusals.hpp"

#include <gtest/gtest.h>

#include "connectors/karrio/exact_json.hpp"

namespace waybill::connectors::karrio {
namespace {

using Problem = GatewayError::Problem;

const GatewayAccount refused_account{
    .api_url = "https://karrio.example", .api_key = "key_secret", .account_number = "a"};

net::HttpResponse response(int status) {
  net::HttpResponse made;
  made.status = status;
  return made;
}

std::string carrier_says(std::string_view code, std::string_view text = "no", std::string_view more = "") {
  return R"({"messages":[{"carrier_name":"ups","carrier_id":"a","code":")" + std::string(code) +
         R"(","message":")" + std::string(text) + "\"" + std::string(more) + "}]}";
}

bool is_refusal(int status, std::string_view body) {
  return proven_refusal(response(status), exact_json(body), refused_account).has_value();
}

Problem problem(int status, std::string_view body) {
  return error_of(response(status), exact_json(body), refused_account).problem();
}

constexpr std::string_view not_found =
    R"({"errors":[{"code":"not_found","message":"Shipment not found","level":"error"}]})";

TEST(KarrioRefusal, IsProvenByKarriosOwnErrorBeforeItAsksTheCarrier) {
  EXPECT_TRUE(is_refusal(400, R"({"errors":[{"code":"validation","message":"selected_rate_id: unknown"}]})"));
  EXPECT_TRUE(is_refusal(400, R"({"errors":[{"code":"validation","message":"recipient.city: missing"}]})"));
  EXPECT_TRUE(is_refusal(401, R"({"errors":[{"code":"invalid_token","message":"x"}]})"));
  EXPECT_TRUE(is_refusal(404, not_found));
}

TEST(KarrioRefusal, IsNotProvenByAnErrorInTheCarriersAnswer) {
  EXPECT_FALSE(is_refusal(400, R"({"errors":[{"code":"validation","message":"docs.label: too long"}]})"));
  EXPECT_FALSE(
      is_refusal(400, R"({"errors":[{"code":"validation","message":"selected_rate.currency: x"}]})"));
  EXPECT_FALSE(is_refusal(400, R"({"errors":[{"code":"validation","details":{"tracking_number":["x"]}}]})"));
}

TEST(KarrioRefusal, IsNotProvenByAnotherServerOrAnotherStatus) {
  for (const int status : {400, 401, 404}) {
    for (const auto* const body :
         {"<html>", "{}", "[]", R"({"errors":[]})", R"({"errors":["x"]})", R"({"detail":"x"})"})
      EXPECT_FALSE(is_refusal(status, body)) << status << body;
  }
  EXPECT_FALSE(is_refusal(404, R"({"errors":[{"code":"other"}]})"));
  for (const int status : {200, 301, 403, 408, 409, 429, 500, 502, 503})
    EXPECT_FALSE(is_refusal(status, not_found));
  auto failed = response(0);
  failed.failure = net::HttpFailure::timeout;
  EXPECT_FALSE(proven_refusal(failed, std::nullopt, refused_account));
}

TEST(KarrioRefusal, IsProvenByACarriersKnownCode) {
  for (const auto* const code : {"SHIPPING_SDK_FIELD_ERROR", "SHIPPING_SDK_NON_SUPPORTED_ERROR", "111210",
                                 "10401", "RECIPIENT.POSTALCODE.INVALID", "address_invalid",
                                 "INVALID_ADDRESS", "insufficient_funds", "PACKAGE.WEIGHT.LIMIT.EXCEEDED",
                                 "serviceTypeNotAllowed", "invalidServiceType", "service_not_supported"})
    EXPECT_TRUE(is_refusal(424, carrier_says(code))) << code;
}

TEST(KarrioRefusal, IsNotProvenByAnUnknownOrDoubtfulCode) {
  for (const auto* const code :
       {"SHIPPING_SDK_INTERNAL_ERROR", "SHIPPING_SDK_OTHER", "", "error", "999", "500", "503", "429",
        "120000", "SERVICE.UNAVAILABLE.ERROR", "INTERNAL.SERVER.ERROR", "RATE_LIMIT_EXCEEDED",
        "ACCOUNT.LIMIT.EXCEEDED", "SERVICE.INVALID.RESPONSE", "INVALID", "ADDRESS", "SHIPMENT.POSTAGE.EXISTS",
        "DUPLICATE.PACKAGE.INVALID"})
    EXPECT_FALSE(is_refusal(424, carrier_says(code))) << code;
  EXPECT_FALSE(is_refusal(424, R"({"messages":[{"carrier_name":"fedex","code":"10401","message":"x"}]})"))
      << "a number means something in the code list of its carrier alone";
}

TEST(KarrioRefusal, IsNotProvenIfTheCarrierFailed) {
  EXPECT_FALSE(is_refusal(424, carrier_says("address_invalid", "no", R"(,"details":{"status":503})")));
  EXPECT_FALSE(
      is_refusal(424, carrier_says("address_invalid", "no", R"(,"details":{"a":[{"statusCode":"429"}]})")));
  EXPECT_FALSE(is_refusal(424, carrier_says("address_invalid", "<html><body>502")));
  EXPECT_FALSE(is_refusal(424, carrier_says("address_invalid", "no", R"(,"details":"<!DOCTYPE html>")")));
  EXPECT_TRUE(is_refusal(424, carrier_says("address_invalid", "no", R"(,"details":{"status":422})")));
}

TEST(KarrioRefusal, NeedsKnownCodesInAllMessagesButNotes) {
  const auto messages = [](std::string_view second) {
    return R"({"messages":[{"code":"address_invalid","message":"x"},)" + std::string(second) + "]}";
  };
  EXPECT_TRUE(is_refusal(424, messages(R"({"code":"weight_missing","message":"x"})")));
  EXPECT_TRUE(is_refusal(424, messages(R"({"code":"note","message":"x","level":"warning"})")));
  EXPECT_FALSE(is_refusal(424, messages(R"({"code":"odd","message":"x"})")));
  EXPECT_FALSE(
      is_refusal(424, messages(R"({"code":"SHIPPING_SDK_INTERNAL_ERROR","message":"x","level":"info"})")));
  EXPECT_FALSE(is_refusal(424, R"({"messages":[{"code":"note","message":"x","level":"warning"}]})"));
}

TEST(KarrioError, OfACarrierWithoutATokenIsThatOfRefusedCredentialsButProvesNoRefusal) {
  const std::string code = "SHIPPING_SDK_INTERNAL_ERROR", text = "Token refresh function returned no token";
  EXPECT_EQ(problem(424, carrier_says(code, text)), Problem::carrier_credentials);
  EXPECT_EQ(problem(404, carrier_says(code, text)), Problem::carrier_credentials) << "of a call for scans";
  EXPECT_EQ(problem(424, carrier_says(code, text + ": timed out")), Problem::busy);
  EXPECT_EQ(problem(503, carrier_says(code, text)), Problem::busy);
  EXPECT_FALSE(is_refusal(424, carrier_says(code, text)));
  EXPECT_FALSE(is_refusal(424, R"({"messages":[{"code":"address_invalid","message":"x"},{"code":")" + code +
                                   R"(","message":")" + text + R"(","level":"warning"}]})"));
  EXPECT_EQ(void_result(response(424), exact_json(carrier_says(code, text)), refused_account).answer,
            VoidAnswer::unknown);
}

TEST(KarrioError, TellsRefusedCredentialsFromFailures) {
  EXPECT_EQ(problem(424, carrier_says("10401", "ClientId is Invalid")), Problem::carrier_credentials);
  EXPECT_EQ(problem(424, carrier_says("NOT.AUTHORIZED.ERROR", "x")), Problem::carrier_credentials);
  EXPECT_EQ(problem(424, carrier_says("1", "Authentication failed")), Problem::carrier_credentials);
  EXPECT_EQ(problem(424, carrier_says("1", "x", R"(,"details":{"status":401})")),
            Problem::carrier_credentials);
  EXPECT_EQ(problem(424, carrier_says("SHIPPING_SDK_INTERNAL_ERROR", "Token refresh: unauthorized")),
            Problem::busy);
  EXPECT_EQ(problem(424, carrier_says("1", "unauthorized", R"(,"details":{"status":503})")), Problem::busy);
  EXPECT_EQ(problem(424, carrier_says("address_invalid")), Problem::refused);
  EXPECT_EQ(problem(424, "{}"), Problem::busy);
}

TEST(KarrioError, FollowsFromTheStatus) {
  const std::string error = R"({"errors":[{"code":"x","message":"x"}]})";
  EXPECT_EQ(problem(401, error), Problem::credentials);
  EXPECT_EQ(problem(403, error), Problem::credentials);
  EXPECT_EQ(problem(400, error), Problem::refused);
  EXPECT_EQ(problem(429, error), Problem::busy);
  EXPECT_EQ(problem(502, "<html>"), Problem::busy);
  EXPECT_EQ(problem(401, "<html>"), Problem::unreachable);
  EXPECT_EQ(problem(404, "<html>"), Problem::unreachable);
  EXPECT_EQ(problem(302, ""), Problem::unreachable);
}

TEST(KarrioError, FollowsFromTheFailureOfTheCall) {
  const auto failed = [](net::HttpFailure failure) {
    auto made = response(0);
    made.failure = failure;
    return error_of(made, std::nullopt, refused_account).problem();
  };
  for (const auto failure : {net::HttpFailure::refused_destination, net::HttpFailure::dns,
                             net::HttpFailure::connect, net::HttpFailure::tls})
    EXPECT_EQ(failed(failure), Problem::unreachable);
  EXPECT_EQ(failed(net::HttpFailure::timeout), Problem::busy);
  EXPECT_EQ(failed(net::HttpFailure::protocol), Problem::busy);
}

TEST(KarrioError, HasTheWaitThatKarrioAsksFor) {
  auto throttled = response(429);
  throttled.headers = {{"retry-after", "7"}};
  EXPECT_EQ(error_of(throttled, std::nullopt, refused_account).retry_after(), std::chrono::seconds(7));
}

TEST(KarrioError, NeverHasTokensOrLinks) {
  const auto safe = safe_text(
      "token key_secret and key_0123456789abcdef0123 whsec_0123456789abcdef in "
      "'/v1/shipments/shp_1/label.pdf' or "
      "https://x.example/label?token=1 of api_key_invalid\nend",
      refused_account);
  EXPECT_EQ(safe, "token … and … … in … or … of api_key_invalid end");
  EXPECT_LE(safe_text(std::string(1000, 'x'), refused_account).size(), 300);
}

TEST(KarrioComplaints, AreEmptyForOddJson) {
  for (const auto* const body :
       {"{}", "[]", "1", R"({"errors":1,"messages":{}})", R"({"errors":[1,null,[]],"messages":["x"]})"})
    EXPECT_TRUE(complaints_in(*exact_json(body), refused_account).empty()) << body;
  const auto odd = complaints_in(
      *exact_json(R"({"errors":[{"code":[],"message":{"a":1},"details":5,"level":{}}]})"), refused_account);
  ASSERT_EQ(odd.size(), 1);
  EXPECT_EQ(odd[0].message.code, "");
  EXPECT_FALSE(odd[0].message.text.empty());
}

VoidAnswer voided(int status, std::string_view body) {
  return void_result(response(status), exact_json(body), refused_account).answer;
}

TEST(KarrioVoid, IsConfirmedByTheStatusAlone) {
  EXPECT_EQ(voided(200, R"({"id":"shp_1","status":"cancelled"})"), VoidAnswer::voided);
  EXPECT_EQ(voided(202, R"({"id":"shp_1","status":"cancelled"})"), VoidAnswer::voided);
  EXPECT_EQ(voided(200, R"({"id":"shp_1","status":"created"})"), VoidAnswer::unknown);
  EXPECT_EQ(voided(200, "<html>"), VoidAnswer::unknown);
}

TEST(KarrioVoid, IsRefusedForKnownReasons) {
  EXPECT_EQ(voided(409, R"({"errors":[{"code":"state_error","message":"x"}]})"), VoidAnswer::refused);
  EXPECT_EQ(voided(404, not_found), VoidAnswer::refused);
  EXPECT_EQ(voided(424, carrier_says("1", "The label cannot be voided")), VoidAnswer::refused);
  EXPECT_EQ(voided(424, carrier_says("SHIPPING_SDK_NON_SUPPORTED_ERROR")), VoidAnswer::refused);
}

TEST(KarrioVoid, IsUnknownOtherwise) {
  EXPECT_EQ(voided(424, carrier_says("SHIPPING_SDK_INTERNAL_ERROR", "cannot be voided")),
            VoidAnswer::unknown);
  EXPECT_EQ(voided(424, carrier_says("1", "odd")), VoidAnswer::unknown);
  EXPECT_EQ(voided(500, R"({"errors":[{"message":"x"}]})"), VoidAnswer::unknown);
  EXPECT_EQ(voided(409, "<html>"), VoidAnswer::unknown);
  EXPECT_EQ(voided(429, R"({"errors":[{"code":"throttled","message":"x"}]})"), VoidAnswer::unknown);
}

TEST(KarrioVoid, IsDoneIfTheLabelIsVoidAlready) {
  EXPECT_EQ(voided(424, carrier_says("1", "Shipment has already been voided")), VoidAnswer::voided);
  EXPECT_EQ(voided(424, carrier_says("ALREADY_VOIDED")), VoidAnswer::voided);
}

}  // namespace
}  // namespace waybill::connectors::karrio
