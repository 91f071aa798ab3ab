#include "connectors/karrio/answers.hpp"

#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "connectors/karrio/exact_json.hpp"
#include "connectors/tracking_number.hpp"

namespace waybill::connectors::karrio {
namespace {

const GatewayAccount account{
    .api_url = "https://karrio.example", .api_key = "key_x", .account_number = "ups-main"};

std::string encoded(std::string_view bytes) {
  return base64({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

RatesAnswer rates(std::string_view body) { return read_rates(*exact_json(body), account); }

std::optional<FoundPurchase> shipment(std::string_view body) { return read_shipment(*exact_json(body)); }

std::string written(std::string_view time) {
  const auto read = read_time(time);
  if (!read) return "none";
  const auto* const known = read->known == TimeKnown::exact   ? ""
                            : read->known == TimeKnown::local ? " local"
                                                              : " day";
  return format_timestamp(read->at) + known;
}

TEST(KarrioRates, HaveExactPrices) {
  const auto read = rates(R"({"rates":[{"id":"rat_1","carrier_id":"ups-main","carrier_name":"ups",
      "service":"ups_standard","total_charge":12.50,"currency":"eur","transit_days":2,
      "estimated_delivery":"2026-07-03","extra_charges":[{"name":"Fuel","amount":1.10,"currency":"EUR"},
      {"name":"Discount","amount":-0.5},{"name":"?","amount":null}],"meta":{"service_name":"UPS STANDARD"}},
      {"id":"rat_2","service":"x","total_charge":0.30000000000000004,"currency":"EUR"}],"messages":[]})");
  ASSERT_EQ(read.rates.size(), 2);
  const auto& rate = read.rates[0];
  EXPECT_EQ(rate.id, "rat_1");
  EXPECT_EQ(rate.service_code, "ups_standard");
  EXPECT_EQ(rate.service_name, "UPS STANDARD");
  EXPECT_EQ(rate.price, "12.50");
  EXPECT_EQ(rate.currency, "EUR");
  EXPECT_EQ(rate.transit_days, 2);
  EXPECT_EQ(rate.estimated_delivery, parse_timestamp("2026-07-03T00:00:00Z"));
  ASSERT_EQ(rate.charges.size(), 2);
  EXPECT_EQ(rate.charges[0].amount, "1.10");
  EXPECT_EQ(rate.charges[1].amount, "-0.5");
  EXPECT_EQ(read.rates[1].price, "0.30000000000000004");
  EXPECT_EQ(read.rates[1].service_name, "x");
  EXPECT_TRUE(read.messages.empty());
}

TEST(KarrioShipment, APriceOrCurrencyThatCannotBeReadIsLeftOut) {
  const auto charged = [](const std::string& price, const std::string& currency) {
    const auto found = shipment(
        R"({"id":"shp_1","status":"purchased","tracking_number":"1Z","selected_rate":{"total_charge":)" +
        price + R"(,"currency":)" + currency + "}}");
    const auto& label = std::get<BoughtLabel>(found.value());
    return label.price + "|" + label.currency;
  };
  for (const char* const currency : {"null", R"("")", R"("XX")", "5"})
    EXPECT_EQ(charged("9.35", currency), "9.35|");
  for (const char* const price : {"null", R"("12,5")", "-1"}) EXPECT_EQ(charged(price, R"("USD")"), "|USD");
}

TEST(KarrioRates, LeaveOutOtherConnectionsAndReportUnreadableOnes) {
  const auto read =
      rates(R"({"rates":[{"id":"r","carrier_id":"other","service":"s","total_charge":1,"currency":"EUR"},
      {"id":"r","service":"s","total_charge":-1,"currency":"EUR"},{"id":"r","service":"s","total_charge":1,
      "currency":"euro"},{"id":null,"service":"s","total_charge":1,"currency":"EUR"},7,null,[]],
      "messages":[{"code":"1","message":"Slow"}]})");
  EXPECT_TRUE(read.rates.empty());
  ASSERT_EQ(read.messages.size(), 2);
  EXPECT_EQ(read.messages[0].text, "Slow");
  EXPECT_EQ(read.messages[1].code, "unreadable");
}

TEST(KarrioRates, AreRefusedIfTheyAreTooManyToKnowTheBestOne) {
  const auto body = [](std::size_t count, std::string_view currency = "EUR") {
    std::string list;
    for (std::size_t i = 0; i < count; ++i)
      list += (i == 0 ? "" : ",") + std::string(R"({"id":"r","service":"s","total_charge":1,"currency":")") +
              std::string(currency) + "\"}";
    return R"({"rates":[)" + list + "]}";
  };
  EXPECT_EQ(rates(body(most_rates)).rates.size(), most_rates);
  for (const std::string_view currency : {"EUR", "euro"}) {
    try {
      rates(body(most_rates + 1, currency));
      ADD_FAILURE() << "not refused";
    } catch (const GatewayError& error) {
      EXPECT_EQ(error.problem(), GatewayError::Problem::refused);
      EXPECT_EQ(error.message().code, "too_many_rates");
    }
  }
}

TEST(KarrioRates, HaveFiftyMessages) {
  std::string list;
  for (int i = 0; i < 100; ++i) list += std::string(i == 0 ? "" : ",") + R"({"code":"1","message":"Slow"})";
  EXPECT_EQ(rates(R"({"rates":[],"messages":[)" + list + "]}").messages.size(), most_rate_messages);
}

TEST(KarrioRates, AreEmptyForOddJson) {
  for (const auto* const body :
       {"{}", "[]", "null", "1e999", R"({"rates":{},"messages":7})", R"({"rates":null})"}) {
    EXPECT_TRUE(rates(body).rates.empty()) << body;
  }
}

TEST(KarrioShipment, IsBoughtWithPriceNumberAndLabel) {
  const auto found = shipment(R"({"id":"shp_1","status":"created","tracking_number":"1Z1","label_url":"/v1/x",
      "tracking_url":"/v1/trackers/ups/1Z1","selected_rate":{"id":"rat_9","service":"ups_standard",
      "estimated_delivery":"2026-07-03","total_charge":13.40,"currency":"EUR","meta":{"service_name":"UPS STANDARD"}},
      "meta":{"carrier_tracking_link":"https://ups.example/1Z1"},
      "shipping_documents":[{"category":"invoice","base64":"AAAA"},{"category":"label","format":"PDF","base64":")" +
                              encoded("%PDF-1.4 label") + R"("}]})");
  ASSERT_TRUE(found);
  const auto& label = std::get<BoughtLabel>(*found);
  EXPECT_EQ(label.gateway_id, "shp_1");
  EXPECT_EQ(label.tracking_numbers, std::vector<std::string>{"1Z1"});
  EXPECT_EQ(label.tracking_url, "https://ups.example/1Z1");
  EXPECT_EQ(label.service_code, "ups_standard");
  EXPECT_EQ(label.service_name, "UPS STANDARD");
  EXPECT_EQ(label.estimated_delivery, parse_timestamp("2026-07-03T00:00:00Z"));
  EXPECT_EQ(label.price, "13.40");
  EXPECT_EQ(label.currency, "EUR");
  ASSERT_TRUE(label.label);
  EXPECT_EQ(label.label->bytes, "%PDF-1.4 label");
}

TEST(KarrioShipment, HasANumberForEachParcel) {
  const auto numbers = [](std::string_view meta) {
    const auto found = shipment(R"({"id":"shp_1","status":"in_transit","tracking_number":"M","meta":)" +
                                std::string(meta) + "}");
    return std::get<BoughtLabel>(*found).tracking_numbers;
  };
  using Numbers = std::vector<std::string>;
  EXPECT_EQ(numbers(R"({"tracking_numbers":["M","B","B",null,""]})"), (Numbers{"M", "B"}));
  EXPECT_EQ(numbers(R"({"tracking_numbers":["A","B"]})"), (Numbers{"M", "A", "B"}));
  EXPECT_EQ(numbers(R"({"tracking_numbers":"A"})"), (Numbers{"M"}));
  EXPECT_EQ(numbers("null"), (Numbers{"M"}));
}

TEST(KarrioShipment, HasNoPartOfANumberThatIsTooLong) {
  const auto numbers = [](std::size_t length) {
    const auto found =
        shipment(R"({"id":"s","status":"created","tracking_number":"1Z","meta":{"tracking_numbers":[")" +
                 std::string(length, '7') + R"("]}})");
    return std::get<BoughtLabel>(*found).tracking_numbers;
  };
  EXPECT_EQ(numbers(longest_tracking_number).at(1).size(), longest_tracking_number);
  EXPECT_EQ(numbers(longest_tracking_number + 1), std::vector<std::string>{"1Z"});
}

TEST(KarrioShipment, IsADraftOrVoided) {
  EXPECT_EQ(std::get<StillDraft>(*shipment(R"({"id":"shp_1","status":"draft"})")).gateway_id, "shp_1");
  const auto voided = std::get<VoidedLabel>(*shipment(
      R"({"id":"shp_1","status":"cancelled","tracking_number":"1Z","selected_rate":{"total_charge":7.10,"currency":"EUR"}})"));
  EXPECT_EQ(voided.label.gateway_id, "shp_1");
  EXPECT_EQ(voided.label.tracking_numbers, std::vector<std::string>{"1Z"});
  EXPECT_EQ(voided.label.price, "7.10");
  EXPECT_FALSE(voided.is_pending);
  const auto draft = std::get<VoidedLabel>(*shipment(R"({"id":"shp_1","status":"cancelled"})"));
  EXPECT_TRUE(draft.label.tracking_numbers.empty()) << "it is not known to have been bought";
}

TEST(KarrioShipment, CannotBeReadWithoutIdStatusOrNumber) {
  for (const auto* const body :
       {"{}", "[]", R"({"id":"shp_1"})", R"({"status":"draft"})", R"({"id":"shp_1","status":"created"})",
        R"({"id":"shp_1","status":{},"tracking_number":"1"})",
        R"({"id":["shp_1"],"status":"created","tracking_number":"1"})",
        R"({"id":"shp_1","status":"created","tracking_number":null})"})
    EXPECT_FALSE(shipment(body)) << body;
}

TEST(KarrioShipment, HasNoLinkThatIsNotAPage) {
  const auto link = [](std::string_view url) {
    const auto found =
        shipment(R"({"id":"s","status":"created","tracking_number":"1","meta":{"carrier_tracking_link":")" +
                 std::string(url) + R"("}})");
    return std::get<BoughtLabel>(*found).tracking_url;
  };
  EXPECT_EQ(link("javascript:alert(1)"), "");
  EXPECT_EQ(link("/v1/trackers/1"), "");
  EXPECT_EQ(link("https://x/<b>"), "");
  const std::string longest = "https://x/" + std::string(1990, 'y');
  EXPECT_EQ(link(longest), longest);
  EXPECT_EQ(link(longest + "y"), "") << "a part of it leads nowhere";
}

TEST(KarrioLabel, HasTheFormatOfItsBytes) {
  const auto format = [](std::string_view bytes, std::string_view reported) {
    return read_label(*exact_json(R"({"format":")" + std::string(reported) + R"(","base64":")" +
                                  encoded(bytes) + "\"}"))
        ->format;
  };
  EXPECT_EQ(format("\x89PNG\r\n\x1a\n....", "PDF"), LabelFormat::png);
  EXPECT_EQ(format("\n^XA^FO50", "PDF"), LabelFormat::zpl);
  EXPECT_EQ(format("%PDF-1", "PNG"), LabelFormat::pdf);
}

TEST(KarrioLabel, IsNotAnotherFile) {
  for (const auto* const reported : {"PDF", "ZPL", "PNG", ""}) {
    for (const auto* const bytes : {"odd", "<html>Service unavailable</html>", "<!-- ^XA -->", "GIF89a"}) {
      EXPECT_FALSE(read_label(
          *exact_json(R"({"format":")" + std::string(reported) + R"(","base64":")" + encoded(bytes) + "\"}")))
          << bytes;
    }
  }
}

TEST(KarrioShipment, IsBoughtWithoutItsLabelIfThatIsAnotherFile) {
  const auto file = [](std::string_view documents) {
    const auto found = shipment(R"({"id":"shp_1","status":"created","tracking_number":"1Z1",
        "shipping_documents":[)" +
                                std::string(documents) + "]}");
    return std::get<BoughtLabel>(*found).label;
  };
  const std::string page = R"({"category":"label","format":"PDF","base64":")" + encoded("<html>") + R"("})";
  EXPECT_FALSE(file(page));
  const auto second =
      file(page + R"(,{"category":"label","format":"PDF","base64":")" + encoded("%PDF-1.4") + R"("})");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->bytes, "%PDF-1.4");
}

TEST(KarrioLabel, HasAtMostTenMebibytes) {
  const auto read = [](std::size_t size) {
    return read_label(*exact_json(R"({"base64":")" +
                                  encoded(std::string("%PDF-").append(size, 'x').substr(0, size)) + "\"}"));
  };
  EXPECT_TRUE(read(largest_label));
  EXPECT_FALSE(read(largest_label + 1));
  EXPECT_FALSE(read(0));
  EXPECT_EQ(read_label(*exact_json(R"({"base64":"JVBE\nRi0="})"))->bytes, "%PDF-");
  for (const auto* const body : {"{}", "[]", R"({"base64":null})", R"({"base64":"?"})", R"({"base64":{}})"})
    EXPECT_FALSE(read_label(*exact_json(body))) << body;
}

TEST(KarrioConnections, HaveNameCarrierAndState) {
  const auto read = *read_connections(*exact_json(R"({"next":null,"results":[
      {"carrier_id":"a","carrier_name":"ups","active":true},{"carrier_id":"b","active":"true"},null]})"));
  ASSERT_EQ(read.size(), 3);
  EXPECT_EQ(read[0].carrier_name, "ups");
  EXPECT_TRUE(read[0].is_active);
  EXPECT_FALSE(read[1].is_active);
  EXPECT_FALSE(read_connections(*exact_json(R"({"results":{}})")));
  EXPECT_TRUE(has_next_page(*exact_json(R"({"next":"http://x"})")));
  EXPECT_FALSE(has_next_page(*exact_json(R"({"next":null})")));
}

TEST(KarrioTime, IsReadInAllForms) {
  EXPECT_EQ(written("2026-07-03T10:05:00+02:00"), "2026-07-03T08:05:00.000Z");
  EXPECT_EQ(written("2026-07-03 10:05:00.123456+00:00"), "2026-07-03T10:05:00.123Z");
  EXPECT_EQ(written("2026-07-03T10:05:00.000"), "2026-07-03T10:05:00.000Z local");
  EXPECT_EQ(written("2026-07-03 9:05"), "2026-07-03T09:05:00.000Z local");
  EXPECT_EQ(written("2026-07-03 09:05 PM"), "2026-07-03T21:05:00.000Z local");
  EXPECT_EQ(written("2026-07-03 16:28 PM"), "2026-07-03T16:28:00.000Z local");
  EXPECT_EQ(written("2026-07-03 12:05 am"), "2026-07-03T00:05:00.000Z local");
  EXPECT_EQ(written("2026-07-03"), "2026-07-03T00:00:00.000Z day");
  for (const auto* const odd : {"", "today", "2026-07-03 ", "2026-07-03 x", "2026-13-03 10:00",
                                "2026-07-03 25:00", "2026-07-03 :", "2026-07-03Tpm"})
    EXPECT_TRUE(written(odd) == "none" || std::string_view(odd) == "2026-07-03 ") << odd;
}

}  // namespace
}  // namespace waybill::connectors::karrio
