#include "worker/purchases/gateway_facts.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/blanks.hpp"
#include "connectors/label_format.hpp"

namespace waybill::worker {
namespace {

std::string_view format_name(connectors::LabelFormat format) {
  switch (format) {
    case connectors::LabelFormat::zpl:
      return "zpl";
    case connectors::LabelFormat::png:
      return "png";
    case connectors::LabelFormat::pdf:
      break;
  }
  return "pdf";
}

std::optional<storage::LabelBytes> file_in(connectors::BoughtLabel& label) {
  return label.label ? file_of(*std::move(label.label)) : std::nullopt;
}

/// The numbers without blanks, as the API stores and looks for them.
std::vector<std::string> numbers_of(const std::vector<std::string>& given) {
  std::vector<std::string> numbers;
  for (const std::string& each : given) {
    if (auto number = without_blanks(each); !number.empty()) numbers.push_back(std::move(number));
  }
  return numbers;
}

domain::BoughtFacts bought_facts(connectors::BoughtLabel& label, bool has_label) {
  return {.gateway_id = std::move(label.gateway_id),
          .tracking_numbers = numbers_of(label.tracking_numbers),
          .tracking_url = std::move(label.tracking_url),
          .service_code = std::move(label.service_code),
          .service_name = std::move(label.service_name),
          .price = {std::move(label.price), std::move(label.currency)},
          .estimated_delivery = label.estimated_delivery,
          .has_label = has_label};
}

}  // namespace

domain::PurchaseMessage message_of(connectors::CarrierMessage message) {
  return {std::move(message.code), std::move(message.text)};
}

std::optional<storage::LabelBytes> file_of(connectors::LabelFile file) {
  if (file.bytes.size() > storage::largest_label || connectors::label_format_of(file.bytes) != file.format)
    return std::nullopt;
  return storage::LabelBytes{std::string(format_name(file.format)), std::move(file.bytes)};
}

AnswerWithFile answer_of(connectors::PurchaseAnswer answer) {
  if (auto* const label = std::get_if<connectors::BoughtLabel>(&answer)) {
    auto file = file_in(*label);
    return {bought_facts(*label, file.has_value()), std::move(file)};
  }
  if (auto* const refused = std::get_if<connectors::RefusedPurchase>(&answer))
    return {domain::RefusedFacts{message_of(std::move(refused->message))}, std::nullopt};
  auto& unknown = std::get<connectors::UnknownPurchase>(answer);
  return {domain::UnknownFacts{message_of(std::move(unknown.message))}, std::nullopt};
}

FoundWithFile found_of(connectors::FoundPurchase found) {
  if (auto* const label = std::get_if<connectors::BoughtLabel>(&found)) {
    auto file = file_in(*label);
    return {bought_facts(*label, file.has_value()), std::move(file)};
  }
  if (auto* const voided = std::get_if<connectors::VoidedLabel>(&found))
    return {domain::VoidedFacts{bought_facts(voided->label, false), voided->is_pending}, std::nullopt};
  if (auto* const draft = std::get_if<connectors::StillDraft>(&found))
    return {domain::DraftFound{std::move(draft->gateway_id)}, std::nullopt};
  return {domain::NothingFound{}, std::nullopt};
}

domain::FailedCall failure_of(const connectors::GatewayError& error) {
  using enum connectors::GatewayError::Problem;
  const bool may_pass = error.problem() == unreachable || error.problem() == busy;
  return {.message = message_of(error.message()), .is_final = !may_pass, .retry_after = error.retry_after()};
}

VoidFacts void_of(connectors::VoidResult result) {
  const auto kind = [&] {
    switch (result.answer) {
      case connectors::VoidAnswer::voided:
        return domain::VoidAnswerKind::voided;
      case connectors::VoidAnswer::pending:
        return domain::VoidAnswerKind::pending;
      case connectors::VoidAnswer::refused:
        return domain::VoidAnswerKind::refused;
      case connectors::VoidAnswer::unknown:
        break;
    }
    return domain::VoidAnswerKind::unknown;
  };
  return {kind(), message_of(std::move(result.message))};
}

std::string level_of(const connectors::ConnectedCarrier& carrier, std::string_view service_code,
                     const std::string& wanted) {
  if (carrier.service_code_of(wanted) == service_code) return wanted;
  return carrier.level_of(service_code).value_or("");
}

void note_sold(storage::StoredPurchase& purchase, const connectors::ConnectedCarrier& carrier) {
  using enum domain::PurchaseStatus;
  const domain::Purchase& facts = purchase.facts;
  const bool is_paid = facts.status == bought || facts.status == voiding;
  if (is_paid && facts.service_code != facts.quote.service_code)
    purchase.service_level = level_of(carrier, facts.service_code, purchase.service_level);
}

std::string usual_format(const connectors::ConnectedCarrier& carrier) {
  if (!carrier.label_format.empty()) return carrier.label_format;
  const auto formats = carrier.connector->formats();
  return std::string(format_name(formats.empty() ? connectors::LabelFormat::pdf : formats.front()));
}

connectors::LabelFormat label_format(std::string_view format) {
  if (format == "zpl") return connectors::LabelFormat::zpl;
  return format == "png" ? connectors::LabelFormat::png : connectors::LabelFormat::pdf;
}

}  // namespace waybill::worker
