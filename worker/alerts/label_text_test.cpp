#include "worker/alerts/label_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view carrier = "00000000-0000-4000-8000-000000000001";
constexpr std::string_view purchase = "00000000-0000-4000-8000-000000000002";
constexpr std::string_view shipment = "00000000-0000-4000-8000-000000000003";

Alert alert_of(std::string cause, std::string_view status, json::value void_state = nullptr) {
  Alert alert;
  alert.cause = std::move(cause);
  alert.subject_id = Guid::parse(carrier).value();
  alert.at = parse_timestamp("2026-11-20T05:45:12.345Z").value();
  alert.business_name = "Acme";
  alert.carrier_name = "DHL";
  alert.purchase = json::object{{"guid", purchase},
                                {"shipmentId", shipment},
                                {"trackingNumber", "WB1"},
                                {"orderNumber", "A-1"},
                                {"status", status},
                                {"voidState", std::move(void_state)},
                                {"serviceName", "Parcel"},
                                {"price", 12.5},
                                {"currency", "EUR"},
                                {"quote", 11},
                                {"quoteCurrency", "EUR"},
                                {"testMode", false},
                                {"code", "TIMED_OUT"},
                                {"error", "No answer came."},
                                {"requestedAt", "2026-11-20T05:44:00.000Z"}};
  return alert;
}

std::string mail_of(const Alert& alert) { return alert_mail(alert, "https://api.example").text; }

const std::string path = "https://api.example/api/v1/shipments/" + std::string(shipment);

TEST(LabelText, AnUnknownPurchaseIsResolvedByAPerson) {
  const Alert alert = alert_of("label_unknown", "unknown");
  EXPECT_EQ(alert_mail(alert, "").subject, "The purchase of a label has no answer (carrier \"DHL\")");
  EXPECT_THAT(mail_of(alert), HasSubstr("\n\nPOST " + path + "/purchases/" + std::string(purchase) +
                                        "/resolve\n{\"outcome\": \"bought\""));
  EXPECT_THAT(mail_of(alert), HasSubstr("https://api.example/docs"));
  EXPECT_THAT(mail_of(alert), HasSubstr("Owners and admins of Acme get this mail"));
  EXPECT_THAT(alert_mail(alert, "").text, HasSubstr("\nPOST /api/v1/shipments/"));
  EXPECT_THAT(mail_of(alert_of("label_unknown", "bought")), HasSubstr("Since then the label is bought."));
}

TEST(LabelText, AVoidWithoutAnAnswerIsNamedAsSuch) {
  const Alert alert = alert_of("label_unknown", "voiding", "unknown");
  EXPECT_EQ(label_headline(alert), "The void of a label has no answer (carrier \"DHL\")");
  EXPECT_THAT(mail_of(alert), HasSubstr("/resolve"));
  EXPECT_THAT(mail_of(alert_of("label_unknown", "voided")), HasSubstr("Since then the label is voided."));
}

TEST(LabelText, HasTheFactsOfTheLastPurchase) {
  const std::string text = mail_of(alert_of("label_failed", "refused"));
  EXPECT_THAT(text, HasSubstr("\nShipment: WB1\nOrder: A-1\nCarrier: DHL\nService: Parcel\nQuote: 11.00 EUR\n"
                              "Price: 12.50 EUR\nPurchase: " +
                              std::string(purchase) +
                              "\nRequested: 2026-11-20T05:44:00.000Z\nStatus: refused\nCode: TIMED_OUT\n"
                              "Message: No answer came.\n"));
  EXPECT_THAT(text, HasSubstr("POST " + path + "/label\n"));
  EXPECT_THAT(text, HasSubstr("This address is among those that Acme has chosen for alerts."));
  EXPECT_THAT(text, Not(HasSubstr("Mode:")));
}

TEST(LabelText, SeveralPurchasesAreOneMailThatNamesTheirList) {
  Alert alert = alert_of("label_failed", "refused");
  alert.count = 40;
  EXPECT_EQ(label_headline(alert), "40 purchases of labels were refused (carrier \"DHL\")");
  EXPECT_THAT(mail_of(alert), HasSubstr("GET https://api.example/api/v1/purchases?status=refused"));
  EXPECT_THAT(mail_of(alert), HasSubstr("The last of them:\nShipment: WB1"));
}

TEST(LabelText, ASecondLabelIsVoidedUnlessTheCarrierRefuses) {
  EXPECT_THAT(mail_of(alert_of("label_doubled", "voiding", "unknown")),
              HasSubstr("waybill voids the second one."));
  EXPECT_THAT(mail_of(alert_of("label_doubled", "voided")), HasSubstr("The second one is voided."));
  const std::string refused = mail_of(alert_of("label_doubled", "bought", "refused"));
  EXPECT_THAT(refused, HasSubstr("It has refused to void the second one."));
  EXPECT_THAT(refused, HasSubstr("GET " + path + "/purchases\n"));
}

TEST(LabelText, ADearLabelAndThatOfACancelledOrderCanBeVoided) {
  for (const char* const cause : {"label_dearer", "label_of_cancelled_order"}) {
    EXPECT_THAT(mail_of(alert_of(cause, "bought")), HasSubstr("POST " + path + "/void\n"));
    EXPECT_THAT(mail_of(alert_of(cause, "voided")), HasSubstr("Since then the label is voided."));
  }
}

TEST(LabelText, ALabelWithoutAPriceIsNotCalledDearer) {
  Alert alert = alert_of("label_dearer", "bought");
  EXPECT_EQ(label_headline(alert), "A label cost more than its quote (carrier \"DHL\")");
  alert.purchase.as_object()["price"] = nullptr;
  alert.purchase.as_object()["currency"] = nullptr;
  EXPECT_EQ(label_headline(alert), "The price of a label is unknown (carrier \"DHL\")");
  EXPECT_THAT(mail_of(alert), HasSubstr("\nQuote: 11.00 EUR\nPrice: unknown\n"));
  EXPECT_THAT(mail_of(alert), HasSubstr("POST " + path + "/void\n"));
  EXPECT_THAT(mail_of(alert), Not(HasSubstr("cost more")));
}

TEST(LabelText, ATestLabelIsNamedAsSuch) {
  Alert alert = alert_of("label_dearer", "bought");
  alert.purchase.as_object()["testMode"] = true;
  EXPECT_THAT(mail_of(alert), HasSubstr("\nMode: test"));
}

TEST(LabelText, APurchaseThatIsGoneHasNoFacts) {
  Alert alert = alert_of("label_unknown", "unknown");
  alert.purchase = nullptr;
  EXPECT_THAT(mail_of(alert), HasSubstr("The shipment has been deleted since."));
}

TEST(LabelText, AWebhookHasThePurchaseAndTheCarrier) {
  Alert alert = alert_of("label_unknown", "unknown");
  const auto parsed = std::get<json::value>(parse_json(alert_payload(alert, "")));
  const json::value& data = parsed.at("data");
  EXPECT_EQ(data.at("carrier"), json::value({{"guid", carrier}, {"name", "DHL"}}));
  EXPECT_EQ(data.at("purchase").at("guid"), json::value(purchase));
  EXPECT_TRUE(data.at("workflow").is_null());
  EXPECT_TRUE(data.at("run").is_null());
  EXPECT_TRUE(data.at("replay").is_null());
  alert.subject_id = Guid();
  const auto without = std::get<json::value>(parse_json(alert_payload(alert, "")));
  EXPECT_TRUE(without.at("data").at("carrier").is_null());
}

}  // namespace
}  // namespace waybill::worker
