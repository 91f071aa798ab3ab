#include "connectors/easypost/answers.hpp"

#include <gtest/gtest.h>

#include "connectors/tracking_number.hpp"

namespace waybill::connectors::easypost {
namespace {

using Problem = GatewayError::Problem;

net::HttpResponse response(int status, std::string body) {
  net::HttpResponse made;
  made.status = status;
  made.body = std::move(body);
  return made;
}

Answer answer(int status, std::string body) {
  return read_answer(response(status, std::move(body)), "EZTKsecretkey");
}

Answer error(int status, const std::string& code) {
  return answer(status, R"({"error":{"code":")" + code + R"(","message":"no","errors":[]}})");
}

Answer failed(net::HttpFailure failure) {
  net::HttpResponse made;
  made.failure = failure;
  return read_answer(made, "EZTKsecretkey");
}

constexpr std::string_view bought = R"({"id":"shp_1","object":"Shipment","mode":"test","reference":"r",
  "tracking_code":"9400","selected_rate":{"id":"rate_1","delivery_date":"2026-07-03T00:00:00Z",
  "carrier":"USPS","service":"Priority","rate":"6.95",
  "currency":"USD"},"tracker":{"public_url":"https://track.easypost.com/x"},
  "postage_label":{"label_url":"https://files/l.png","label_file_type":"image/png","label_pdf_url":null}})";

bool is_refused(const Answer& given) {
  return std::holds_alternative<RefusedPurchase>(purchase_of(given, "shp_1"));
}
bool is_unknown(const Answer& given) {
  return std::holds_alternative<UnknownPurchase>(purchase_of(given, "shp_1"));
}

TEST(EasyPostPurchase, AnAnswerWithLabelAndNumberIsBought) {
  const auto outcome = purchase_of(answer(200, std::string(bought)), "shp_1");
  const auto* const label = std::get_if<BoughtLabel>(&outcome);
  ASSERT_NE(label, nullptr);
  EXPECT_EQ(label->tracking_numbers, std::vector<std::string>{"9400"});
  EXPECT_EQ(label->price, "6.95");
  EXPECT_EQ(label->currency, "USD");
  EXPECT_EQ(label->service_code, "Priority");
  EXPECT_EQ(label->service_name, "USPS Priority");
  EXPECT_EQ(label->estimated_delivery, parse_timestamp("2026-07-03T00:00:00Z"));
  EXPECT_EQ(label->tracking_url, "https://track.easypost.com/x");
  EXPECT_FALSE(label->label);
}

TEST(EasyPostPurchase, AnErrorOfEasyPostIsARefusal) {
  for (const int status : {400, 401, 402, 403, 404, 422}) {
    EXPECT_TRUE(is_refused(error(status, "SHIPMENT.POSTAGE.FAILURE"))) << status;
  }
}

TEST(EasyPostPurchase, CodesThatLeaveTheOutcomeOpenAreUnknown) {
  for (const auto* const code : {"SHIPMENT.PURCHASE.IN_PROGRESS", "SHIPMENT.POSTAGE.TIMED_OUT",
                                 "SHIPMENT.POSTAGE.NO_RESPONSE", "SHIPMENT.POSTAGE.EXISTS"}) {
    EXPECT_TRUE(is_unknown(error(422, code))) << code;
  }
  EXPECT_TRUE(was_bought_before(error(422, "SHIPMENT.POSTAGE.EXISTS")));
  EXPECT_FALSE(was_bought_before(error(422, "SHIPMENT.POSTAGE.FAILURE")));
}

TEST(EasyPostPurchase, AnythingElseIsUnknown) {
  for (const int status : {408, 409, 425, 500, 502, 503}) {
    EXPECT_TRUE(is_unknown(error(status, "SOME.CODE"))) << status;
  }
  for (const auto* const body :
       {"<html>", "", "{}", "[]", "null", R"({"error":"no"})", R"({"error":{}})",
        R"({"error":{"code":null}})", R"({"error":[1]})", R"({"error":{"code":"X")"}) {
    EXPECT_TRUE(is_unknown(answer(422, body))) << body;
    EXPECT_TRUE(is_unknown(answer(200, body))) << body;
    EXPECT_TRUE(is_unknown(answer(302, body))) << body;
  }
  for (const auto failure :
       {net::HttpFailure::timeout, net::HttpFailure::protocol, net::HttpFailure::connect}) {
    EXPECT_TRUE(is_unknown(failed(failure)));
  }
}

TEST(EasyPostPurchase, ARateLimitOfEasyPostItselfIsARefusal) {
  EXPECT_TRUE(is_refused(error(429, "RATE_LIMITED")));
  for (const auto* const body : {"", "{}", "<html>", R"({"error":{}})"})
    EXPECT_TRUE(is_unknown(answer(429, body))) << body << ": of whichever server";
  EXPECT_TRUE(is_unknown(error(429, "SHIPMENT.PURCHASE.IN_PROGRESS")));
  EXPECT_FALSE(error(429, "RATE_LIMITED").is_refusal()) << "a void is asked for again";
}

TEST(EasyPostPurchase, ASuccessWithoutLabelOrNumberOrOfAnotherShipmentIsUnknown) {
  EXPECT_TRUE(is_unknown(answer(200, R"({"id":"shp_1","tracking_code":"1","postage_label":null})")));
  EXPECT_TRUE(is_unknown(answer(200, R"({"id":"shp_1","tracking_code":null,"postage_label":{}})")));
  EXPECT_TRUE(is_unknown(answer(200, R"({"id":"shp_2","tracking_code":"1","postage_label":{}})")));
}

TEST(EasyPostPurchase, AnUnreadablePriceDoesNotLoseTheLabel) {
  const auto outcome = purchase_of(answer(200, R"({"id":"shp_1","tracking_code":"1","postage_label":{},
      "selected_rate":{"rate":1e999,"currency":7}})"),
                                   "shp_1");
  ASSERT_TRUE(std::holds_alternative<BoughtLabel>(outcome));
  EXPECT_EQ(std::get<BoughtLabel>(outcome).price, "");
}

TEST(EasyPostErrors, ProblemsAreToldApart) {
  EXPECT_EQ(error_of(error(401, "APIKEY.INACTIVE")).problem(), Problem::credentials);
  EXPECT_EQ(error_of(answer(401, "<html>")).problem(), Problem::credentials);
  EXPECT_EQ(error_of(error(403, "MODE.UNAUTHORIZED")).problem(), Problem::mode);
  EXPECT_EQ(error_of(error(422, "SHIPMENT.RATE.CARRIER_ACCOUNT_INVALID")).problem(), Problem::account);
  EXPECT_EQ(error_of(error(422, "ADDRESS.INVALID")).problem(), Problem::refused);
  EXPECT_EQ(error_of(error(404, "NOT_FOUND")).problem(), Problem::refused);
  EXPECT_EQ(draft_error(error(404, "NOT_FOUND")).problem(), Problem::account);
  EXPECT_EQ(error_of(error(422, "SHIPMENT.POSTAGE.TIMED_OUT")).problem(), Problem::busy);
  EXPECT_EQ(error_of(error(429, "RATE_LIMITED")).problem(), Problem::busy);
  EXPECT_EQ(error_of(answer(503, "")).problem(), Problem::busy);
  EXPECT_EQ(error_of(answer(200, "<html>")).problem(), Problem::busy);
  EXPECT_EQ(error_of(answer(404, "<html>")).problem(), Problem::unreachable);
  EXPECT_EQ(error_of(answer(301, "")).problem(), Problem::unreachable);
  EXPECT_EQ(error_of(failed(net::HttpFailure::dns)).problem(), Problem::unreachable);
  EXPECT_EQ(error_of(failed(net::HttpFailure::timeout)).problem(), Problem::busy);
}

TEST(EasyPostErrors, AFailureIsTheSentenceOfTheClient) {
  net::HttpResponse lost;
  lost.failure = net::HttpFailure::protocol;
  lost.error = "The connection was closed without an answer.";
  const auto message = message_of(read_answer(lost, "EZTKsecretkey"));
  EXPECT_EQ(message.code, "unreachable");
  EXPECT_EQ(message.text, "EasyPost cannot be reached: The connection was closed without an answer.");
}

TEST(EasyPostErrors, FieldErrorsNameTheCarrierAccount) {
  EXPECT_EQ(error_of(answer(422, R"({"error":{"code":"SHIPMENT.INVALID_PARAMS","message":"bad",
      "errors":[{"field":"carrier_accounts","message":"unknown"}]}})"))
                .problem(),
            Problem::account);
}

TEST(EasyPostErrors, TheWaitOfARateLimitIsKept) {
  auto made = response(429, R"({"error":{"code":"RATE_LIMITED","message":"slow"}})");
  made.headers = {{"retry-after", "7"}};
  EXPECT_EQ(error_of(read_answer(made, "")).retry_after(), Duration(std::chrono::seconds(7)));
}

TEST(EasyPostErrors, WordsOfAnyShapeAreRead) {
  const auto message = message_of(answer(422, R"({"error":{"code":"ADDRESS.VERIFY.FAILURE",
      "message":["Address","not found"],"errors":[{"field":"street1","message":"House number is missing"}, null, 3]}})"));
  EXPECT_EQ(message.code, "ADDRESS.VERIFY.FAILURE");
  EXPECT_EQ(message.text, "Address not found street1 House number is missing");
}

TEST(EasyPostErrors, NoKeyAndNoLinkIsInAMessage) {
  const auto message = message_of(answer(422, R"({"error":{"code":"X",
      "message":"Key EZTKsecretkey or xEZAKabcdefghijk is bad, see https://files.example/label.png?sig=1 now"}})"));
  EXPECT_EQ(message.text, "Key (key) or (key) is bad, see (link) now");
}

TEST(EasyPostErrors, MessagesAreBounded) {
  const auto message =
      message_of(answer(422, R"({"error":{"code":"X","message":")" + std::string(100'000, 'a') + R"("}})"));
  EXPECT_LE(message.text.size(), 300U);
}

TEST(EasyPostRates, AreReadInOrderWithExactPrices) {
  const auto given = answer(201, R"({"id":"shp_1","rates":[
      {"id":"rate_1","carrier":"USPS","service":"Priority","rate":"6.95","currency":"USD","delivery_days":2,
       "delivery_date":"2026-07-03T00:00:00Z","carrier_account_id":"ca_1"},
      {"id":"rate_2","carrier":"USPS","service":"First","rate":"123456789012345678.90","currency":"USD",
       "delivery_days":null,"est_delivery_days":"3","carrier_account_id":"ca_1"}],
      "messages":[{"carrier":"USPS","type":"rate_error","message":"too heavy","carrier_account_id":"ca_1"}]})");
  const auto offers = offers_in(*shipment_in(given), "ca_1");
  ASSERT_EQ(offers.answer.rates.size(), 2U);
  EXPECT_EQ(offers.answer.rates[0].id, "rate_1");
  EXPECT_EQ(offers.answer.rates[0].transit_days, 2);
  EXPECT_EQ(offers.answer.rates[0].estimated_delivery, parse_timestamp("2026-07-03T00:00:00Z"));
  EXPECT_EQ(offers.answer.rates[1].price, "123456789012345678.90");
  EXPECT_EQ(offers.answer.rates[1].transit_days, 3);
  ASSERT_EQ(offers.answer.messages.size(), 1U);
  EXPECT_EQ(offers.answer.messages[0].text, "USPS: too heavy");
  EXPECT_FALSE(offers.has_others);
}

TEST(EasyPostRates, HavePricesThatAreNumbersOfJson) {
  const auto price = [](const std::string& rate) {
    const auto given = answer(201, R"({"id":"shp_1","rates":[{"id":"rate_1","service":"A","currency":"USD",
        "carrier_account_id":"ca_1","rate":")" +
                                       rate + R"("}]})");
    return offers_in(*shipment_in(given), "ca_1").answer.rates.at(0).price;
  };
  EXPECT_EQ(price("007.34"), "7.34");
  EXPECT_EQ(price("00.50"), "0.50");
  EXPECT_EQ(price("000"), "0");
  EXPECT_EQ(price("10"), "10");
}

TEST(EasyPostRates, HaveTheirCurrencyInCapitals) {
  const auto given = answer(201, R"({"id":"shp_1","rates":[
      {"id":"r","service":"A","rate":"1","currency":"usd"},{"id":"s","service":"A","rate":"1","currency":"Eur"}]})");
  const auto rates = offers_in(*shipment_in(given), "ca_1").answer.rates;
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_EQ(rates[0].currency, "USD");
  EXPECT_EQ(rates[1].currency, "EUR");
}

TEST(EasyPostPurchase, APartOfANumberThatIsTooLongIsNoNumber) {
  const auto number = [](std::size_t length) {
    auto shipment = json::parse(bought).as_object();
    shipment["tracking_code"] = std::string(length, '7');
    const auto label = bought_in(shipment);
    return label ? label->tracking_numbers.front().size() : 0;
  };
  EXPECT_EQ(number(longest_tracking_number), longest_tracking_number);
  EXPECT_EQ(number(longest_tracking_number + 1), 0U);
}

TEST(EasyPostPurchase, ALinkThatIsTooLongIsLeftOut) {
  const auto link = [](std::size_t length) {
    auto shipment = json::parse(bought).as_object();
    std::string url = "https://track.easypost.com/";
    url.resize(length, 'x');
    shipment["tracker"].as_object()["public_url"] = url;
    return bought_in(shipment)->tracking_url.size();
  };
  EXPECT_EQ(link(2000), 2000U);
  EXPECT_EQ(link(2001), 0U);
}

TEST(EasyPostRates, OfOtherAccountsAreLeftOut) {
  const auto given = answer(201, R"({"id":"shp_1","rates":[
      {"id":"rate_1","service":"A","rate":"1","currency":"USD","carrier_account_id":"ca_2"}],
      "messages":[{"type":"rate_error","message":"x","carrier_account_id":"ca_3"}]})");
  const auto offers = offers_in(*shipment_in(given), "ca_1");
  EXPECT_TRUE(offers.answer.rates.empty());
  EXPECT_TRUE(offers.answer.messages.empty());
  EXPECT_TRUE(offers.has_others);
}

TEST(EasyPostRates, AreRefusedIfTheyAreTooManyToKnowTheBestOne) {
  const auto offers = [](std::size_t count) {
    json::array rates;
    for (std::size_t i = 0; i < count; ++i)
      rates.push_back({{"id", "r"}, {"service", "A"}, {"rate", "1"}, {"currency", "USD"}});
    return offers_in({{"id", "shp_1"}, {"rates", std::move(rates)}}, "ca_1").answer.rates.size();
  };
  EXPECT_EQ(offers(most_rates), most_rates);
  EXPECT_THROW(offers(most_rates + 1), GatewayError);
}

TEST(EasyPostRates, OddEntriesAreLeftOutWithAMessage) {
  const auto given = answer(201, R"({"id":"shp_1","rates":[null,1,[],{},
      {"id":"r","service":"A","rate":"free","currency":"USD"},
      {"id":"r","service":"A","rate":"-1","currency":"USD"},
      {"id":"r","service":"A","rate":"1","currency":"dollars"},
      {"id":"r","service":"A","rate":1234567890123456.7,"currency":"USD"},
      {"id":{},"service":"A","rate":"1","currency":"USD"},
      {"id":"good","service":"A","rate":5.5,"currency":"USD","delivery_days":1e300}],"messages":{"a":1}})");
  const auto offers = offers_in(*shipment_in(given), "ca_1");
  ASSERT_EQ(offers.answer.rates.size(), 1U);
  EXPECT_EQ(offers.answer.rates[0].id, "good");
  EXPECT_EQ(offers.answer.rates[0].price, "5.5");
  EXPECT_FALSE(offers.answer.rates[0].transit_days);
  ASSERT_EQ(offers.answer.messages.size(), 1U);
  EXPECT_EQ(offers.answer.messages[0].code, "unreadable");
  EXPECT_EQ(offers.answer.messages[0].text, "Rates without id, service, price or currency are left out: 9.");
}

TEST(EasyPostRates, ThatCannotBeReadAreNamedAfterTheMessagesOfTheCarrier) {
  const auto messages = [](const std::string& account) {
    const auto given = answer(201, R"({"id":"shp_1","rates":[
        {"id":"r","service":"A","rate":"12,5","currency":"USD","carrier_account_id":")" +
                                       account + R"("}],"messages":[{"type":"a","message":"Slow"}]})");
    return offers_in(*shipment_in(given), "ca_1").answer.messages;
  };
  ASSERT_EQ(messages("ca_1").size(), 2U);
  EXPECT_EQ(messages("ca_1")[0].text, "Slow");
  EXPECT_EQ(messages("ca_1")[1].code, "unreadable");
  EXPECT_EQ(messages("ca_2").size(), 1U) << "the rate is that of another account";
}

TEST(EasyPostPurchase, APriceOrCurrencyThatCannotBeReadIsLeftOut) {
  const auto charged = [](const json::value& price, const json::value& currency) {
    auto shipment = json::parse(bought).as_object();
    auto& rate = shipment["selected_rate"].as_object();
    rate["rate"] = price;
    rate["currency"] = currency;
    const auto label = bought_in(shipment);
    return label->price + "|" + label->currency;
  };
  for (const json::value& currency : {json::value(), json::value(""), json::value("XX"), json::value(5)})
    EXPECT_EQ(charged("9.35", currency), "9.35|");
  for (const json::value& price : {json::value(), json::value("12,5"), json::value(-1)})
    EXPECT_EQ(charged(price, "USD"), "|USD");
}

TEST(EasyPostRates, RefusedCarrierCredentialsAreRecognised) {
  EXPECT_TRUE(blames_credentials({.rates = {}, .messages = {{"rate_error", "UPS: Invalid Authentication"}}}));
  EXPECT_TRUE(blames_credentials({.rates = {}, .messages = {{"rate_error", "FedEx: Wrong password"}}}));
  EXPECT_FALSE(blames_credentials({.rates = {}, .messages = {{"rate_error", "UPS: Weight too large"}}}));
}

TEST(EasyPostRefund, StatusesAreToldApart) {
  const auto of = [](const std::string& status) {
    return refund_in(json::parse(R"({"refund_status":)" + status + "}").as_object()).answer;
  };
  EXPECT_EQ(of("\"submitted\""), VoidAnswer::pending);
  EXPECT_EQ(of("\"refunded\""), VoidAnswer::voided);
  EXPECT_EQ(of("\"rejected\""), VoidAnswer::refused);
  EXPECT_EQ(of("\"not_applicable\""), VoidAnswer::refused);
  EXPECT_EQ(of("null"), VoidAnswer::unknown);
  EXPECT_EQ(of("{}"), VoidAnswer::unknown);
}

TEST(EasyPostLabel, TheLinkIsThatOfTheFormat) {
  const auto shipment =
      json::parse(R"({"postage_label":{"label_url":"https://f/a.png","label_file_type":"image/png",
      "label_pdf_url":"https://f/a.pdf","label_zpl_url":"ftp://f/a.zpl"}})")
          .as_object();
  EXPECT_EQ(label_link(shipment, LabelFormat::png), "https://f/a.png");
  EXPECT_EQ(label_link(shipment, LabelFormat::pdf), "https://f/a.pdf");
  EXPECT_EQ(label_link(shipment, LabelFormat::zpl), "");
  const auto pdf =
      json::parse(R"({"postage_label":{"label_url":"https://f/a","label_file_type":"application/pdf"}})")
          .as_object();
  EXPECT_EQ(label_link(pdf, LabelFormat::pdf), "https://f/a");
  EXPECT_EQ(label_link(pdf, LabelFormat::png), "");
  EXPECT_EQ(label_link(json::parse(R"({"postage_label":[]})").as_object(), LabelFormat::pdf), "");
}

TEST(EasyPostLabel, ALinkThatIsTooLongIsNoLink) {
  const auto link = [](std::size_t length) {
    std::string url = "https://f/";
    url.resize(length, 'x');
    const json::object file{{"label_pdf_url", url}};
    return label_link(json::object{{"postage_label", file}}, LabelFormat::pdf).size();
  };
  EXPECT_EQ(link(4096), 4096U);
  EXPECT_EQ(link(4097), 0U);
}

}  // namespace
}  // namespace waybill::connectors::easypost
