#include "storage/carriers/purchase_rows.hpp"

#include <algorithm>
#include <cstddef>

#include "base/utf8.hpp"

namespace waybill::storage {
namespace {

constexpr std::size_t longest_text = 2'000;  // bytes
constexpr std::size_t most_numbers = 1'000;

std::string storable(std::string_view text) {
  std::string out(text.substr(0, std::min(valid_utf8_prefix(text), longest_text)));
  out.resize(valid_utf8_prefix(out));
  std::erase(out, '\0');
  return out;
}

json::value json_text_or_null(std::string_view text) {
  const std::string out = storable(text);
  if (out.empty()) return nullptr;
  return json::value(out);
}

json::value time_or_null(const std::optional<Time>& time) {
  if (!time) return nullptr;
  return json::value(format_sql_timestamp(*time));
}

json::value amount_or_null(const domain::Money& money) {
  if (!domain::is_amount(money.amount)) return nullptr;
  return json::value(money.amount);
}

json::value void_text(domain::VoidState state) {
  switch (state) {
    case domain::VoidState::none:
      break;
    case domain::VoidState::unknown:
      return "unknown";
    case domain::VoidState::pending:
      return "pending";
    case domain::VoidState::refused:
      return "refused";
  }
  return nullptr;
}

json::value resolution_text(domain::Resolution resolution) {
  switch (resolution) {
    case domain::Resolution::none:
      break;
    case domain::Resolution::bought:
      return "bought";
    case domain::Resolution::not_bought:
      return "not_bought";
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> texts_of(std::string_view text) {
  std::vector<std::string> texts;
  const json::value parsed = json::parse(text);
  if (const auto* const list = parsed.if_array()) {
    for (const json::value& each : *list) {
      if (const auto* const entry = each.if_string()) texts.emplace_back(std::string_view(*entry));
    }
  }
  return texts;
}

domain::VoidState void_state_of(std::optional<std::string_view> text) {
  if (text == "unknown") return domain::VoidState::unknown;
  if (text == "pending") return domain::VoidState::pending;
  if (text == "refused") return domain::VoidState::refused;
  return domain::VoidState::none;
}

domain::Resolution resolution_of(std::optional<std::string_view> text) {
  if (text == "bought") return domain::Resolution::bought;
  if (text == "not_bought") return domain::Resolution::not_bought;
  return domain::Resolution::none;
}

std::string facts_json(const StoredPurchase& purchase) {
  const domain::Purchase& facts = purchase.facts;
  json::array numbers;
  for (const std::string& number : facts.tracking_numbers) {
    if (numbers.size() < most_numbers) numbers.emplace_back(storable(number));
  }
  json::object out;
  out["status"] = domain::text_of(facts.status);
  out["carrier_id"] = purchase.carrier_id ? json::value(purchase.carrier_id->to_string()) : nullptr;
  out["connector"] = storable(facts.connector);
  out["gateway_id"] = json_text_or_null(facts.gateway_id);
  out["rate_id"] = json_text_or_null(facts.quote.rate_id);
  out["service_level"] = json_text_or_null(purchase.service_level);
  out["format"] = json_text_or_null(purchase.format);
  out["service_code"] =
      json_text_or_null(facts.service_code.empty() ? facts.quote.service_code : facts.service_code);
  out["service_name"] =
      json_text_or_null(facts.service_name.empty() ? facts.quote.service_name : facts.service_name);
  out["estimated_delivery"] =
      time_or_null(facts.estimated_delivery ? facts.estimated_delivery : facts.quote.estimated_delivery);
  out["quote"] = amount_or_null(facts.quote.price);
  out["quote_currency"] = json_text_or_null(facts.quote.price.currency);
  out["price"] = amount_or_null(facts.price);
  out["currency"] = json_text_or_null(facts.price.currency);
  out["is_dearer"] = facts.is_dearer;
  out["test_mode"] = purchase.test_mode ? json::value(*purchase.test_mode) : nullptr;
  out["tracking_numbers"] = std::move(numbers);
  out["tracking_url"] = json_text_or_null(facts.tracking_url);
  out["has_label"] = facts.has_label;
  out["error_code"] = json_text_or_null(facts.error.code);
  out["error_text"] = json_text_or_null(facts.error.text);
  out["void_state"] = void_text(facts.void_state);
  out["resolution"] = resolution_text(facts.resolution);
  out["requested_at"] = time_or_null(facts.requested_at);
  out["looked_up_at"] = time_or_null(facts.looked_up_at);
  out["draft_begun_at"] = time_or_null(facts.draft_begun_at);
  out["buy_begun_at"] = time_or_null(facts.buy_begun_at);
  out["unknown_since"] = time_or_null(facts.unknown_since);
  out["resolved_at"] = time_or_null(facts.resolved_at);
  out["bought_at"] = time_or_null(facts.bought_at);
  out["voiding_since"] = time_or_null(facts.voiding_since);
  out["void_begun_at"] = time_or_null(facts.void_begun_at);
  out["voided_at"] = time_or_null(facts.voided_at);
  out["erased_at"] = time_or_null(facts.erased_at);
  out["attempts"] = facts.attempts;
  out["lookups"] = facts.lookups;
  out["next_at"] = time_or_null(facts.next_at);
  return to_json(out);
}

}  // namespace waybill::storage
