#include "worker/purchases/gateway_facts.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using connectors::GatewayError;
using connectors::LabelFile;
using connectors::LabelFormat;
using domain::PurchaseMessage;

connectors::BoughtLabel label(std::optional<LabelFile> file) {
  return {.gateway_id = "shp_1",
          .tracking_numbers = {"1Z", "2Z"},
          .tracking_url = "https://ups.example/1Z",
          .service_code = "ups_ground",
          .service_name = "Ground",
          .price = "7.30",
          .currency = "EUR",
          .label = std::move(file),
          .estimated_delivery = Time() + std::chrono::days(1)};
}

TEST(GatewayFacts, ABoughtLabelKeepsEachPartAndItsBytes) {
  const auto answer = answer_of(label(LabelFile{LabelFormat::zpl, "^XA"}));
  const auto& facts = std::get<domain::BoughtFacts>(answer.facts);
  EXPECT_EQ(facts.gateway_id, "shp_1");
  EXPECT_EQ(facts.tracking_numbers.size(), 2U);
  EXPECT_EQ(facts.tracking_url, "https://ups.example/1Z");
  EXPECT_EQ(facts.service_code, "ups_ground");
  EXPECT_EQ(facts.service_name, "Ground");
  EXPECT_EQ(facts.price, (domain::Money{"7.30", "EUR"}));
  EXPECT_EQ(facts.estimated_delivery, Time() + std::chrono::days(1));
  EXPECT_TRUE(facts.has_label);
  ASSERT_TRUE(answer.file);
  EXPECT_EQ(answer.file->format, "zpl");
  EXPECT_EQ(answer.file->bytes, "^XA");
}

TEST(GatewayFacts, NumbersHaveNoBlanks) {
  auto spaced = label({});
  spaced.tracking_numbers = {"RR 123 456\u00A0789 DE", " ", "2Z"};
  const auto answer = answer_of(std::move(spaced));
  EXPECT_EQ(std::get<domain::BoughtFacts>(answer.facts).tracking_numbers,
            (std::vector<std::string>{"RR123456789DE", "2Z"}));
}

TEST(GatewayFacts, ALabelThatIsMissingEmptyTooLargeOrAnotherFileIsNotStored) {
  std::string largest = "%PDF-";
  largest.resize(storage::largest_label, 'x');
  EXPECT_TRUE(std::get<domain::BoughtFacts>(answer_of(label(LabelFile{{}, largest})).facts).has_label);
  for (const auto& file : {std::optional<LabelFile>(), std::optional(LabelFile()),
                           std::optional(LabelFile{LabelFormat::pdf, largest + "x"}),
                           std::optional(LabelFile{LabelFormat::pdf, "<html>"}),
                           std::optional(LabelFile{LabelFormat::zpl, "%PDF-1.4"})}) {
    const auto answer = answer_of(label(file));
    EXPECT_FALSE(std::get<domain::BoughtFacts>(answer.facts).has_label);
    EXPECT_FALSE(answer.file);
    const auto found = found_of(label(file));
    EXPECT_FALSE(std::get<domain::BoughtFacts>(found.facts).has_label);
    EXPECT_FALSE(found.file);
  }
}

TEST(GatewayFacts, TheThreeOutcomesStayApart) {
  const auto refused = answer_of(connectors::RefusedPurchase{{"address", "The address is wrong."}});
  EXPECT_EQ(std::get<domain::RefusedFacts>(refused.facts).message,
            (PurchaseMessage{"address", "The address is wrong."}));
  const auto unknown = answer_of(connectors::UnknownPurchase{{"503", "Busy."}});
  EXPECT_EQ(std::get<domain::UnknownFacts>(unknown.facts).message, (PurchaseMessage{"503", "Busy."}));
  const auto voided =
      std::get<domain::VoidedFacts>(found_of(connectors::VoidedLabel{{.gateway_id = "shp_2"}, true}).facts);
  EXPECT_EQ(voided.label.gateway_id, "shp_2");
  EXPECT_TRUE(voided.is_pending);
  EXPECT_EQ(std::get<domain::DraftFound>(found_of(connectors::StillDraft{"shp_1"}).facts).gateway_id,
            "shp_1");
  EXPECT_TRUE(std::holds_alternative<domain::NothingFound>(found_of(connectors::NotThere{}).facts));
}

TEST(GatewayFacts, OnlyAnUnreachableOrBusyGatewayIsAskedAgain) {
  using enum GatewayError::Problem;
  for (const auto problem : {credentials, carrier_credentials, mode, account, refused})
    EXPECT_TRUE(failure_of(GatewayError(problem, {"code", "text"})).is_final);
  EXPECT_FALSE(failure_of(GatewayError(unreachable, {})).is_final);
  const auto busy_for = failure_of(GatewayError(busy, {"429", "Slow down."}, std::chrono::seconds(7)));
  EXPECT_FALSE(busy_for.is_final);
  EXPECT_EQ(busy_for.retry_after, std::chrono::seconds(7));
  EXPECT_EQ(busy_for.message, (PurchaseMessage{"429", "Slow down."}));
}

TEST(GatewayFacts, AVoidHasTheSameFourAnswers) {
  using connectors::VoidAnswer;
  using domain::VoidAnswerKind;
  EXPECT_EQ(void_of({VoidAnswer::voided, {}}).answer, VoidAnswerKind::voided);
  EXPECT_EQ(void_of({VoidAnswer::pending, {}}).answer, VoidAnswerKind::pending);
  EXPECT_EQ(void_of({VoidAnswer::unknown, {}}).answer, VoidAnswerKind::unknown);
  const auto refused = void_of({VoidAnswer::refused, {"late", "Too late."}});
  EXPECT_EQ(refused.answer, VoidAnswerKind::refused);
  EXPECT_EQ(refused.message, (PurchaseMessage{"late", "Too late."}));
}

TEST(GatewayFacts, FormatsHaveTheirNames) {
  for (const auto& [format, bytes] :
       {std::pair("pdf", "%PDF-1.4"), std::pair("zpl", "^XA"), std::pair("png", "\x89PNG\r\n\x1a\n")})
    EXPECT_EQ(file_of(LabelFile{label_format(format), bytes})->format, format);
}

}  // namespace
}  // namespace waybill::worker
