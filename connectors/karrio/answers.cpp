#include "connectors/karrio/answers.hpp"

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "base/crypto.hpp"
#include "base/number.hpp"
#include "connectors/karrio/exact_json.hpp"
#include "connectors/karrio/refusals.hpp"
#include "connectors/label_format.hpp"
#include "connectors/page_link.hpp"
#include "connectors/store_text.hpp"
#include "connectors/tracking_number.hpp"

namespace waybill::connectors::karrio {
namespace {

constexpr std::size_t longest_id = 200;

const json::value* at(const json::value& answer, std::string_view path) {
  const auto* const object = answer.if_object();
  return object == nullptr ? nullptr : find_path(*object, path);
}

std::string identifier_at(const json::value& answer, std::string_view path) {
  return clean_identifier(at(answer, path), longest_id).value_or("");
}

bool is_true(const json::value* value) { return value != nullptr && value->is_bool() && value->get_bool(); }

std::string currency_at(const json::value& answer, std::string_view path) {
  constexpr std::size_t length = 3;
  const auto code = ascii_upper(identifier_at(answer, path));
  return code.size() == length && std::ranges::all_of(code, is_upper) ? code : "";
}

std::string amount_at(const json::value& answer, std::string_view path) {
  return plain_decimal(identifier_at(answer, path));
}

std::string price_at(const json::value& answer, std::string_view path) {
  auto price = amount_at(answer, path);
  return price.starts_with('-') ? "" : price;
}

std::vector<Charge> charges_of(const json::value& rate) {
  std::vector<Charge> charges;
  const auto* const list = list_at(rate, "extra_charges");
  if (list == nullptr) return charges;
  for (const auto& entry : *list) {
    auto amount = amount_at(entry, "amount");
    if (!amount.empty()) charges.push_back({.name = text_at(entry, "name"), .amount = std::move(amount)});
  }
  return charges;
}

std::optional<int> transit_days_of(const json::value& rate) {
  constexpr int most = 366;
  const auto text = amount_at(rate, "transit_days");
  const auto days = parse_number<int>(std::string_view(text).substr(0, text.find('.')));
  return days && *days >= 0 && *days <= most ? days : std::nullopt;
}

std::optional<Time> time_at(const json::value& answer, std::string_view path) {
  const auto time = read_time(text_at(answer, path));
  return time ? std::optional(time->at) : std::nullopt;
}

// nullopt if the rate cannot be bought.
std::optional<CarrierRate> rate_of(const json::value& entry) {
  CarrierRate rate;
  rate.id = identifier_at(entry, "id");
  rate.service_code = identifier_at(entry, "service");
  rate.price = price_at(entry, "total_charge");
  rate.currency = currency_at(entry, "currency");
  if (rate.id.empty() || rate.service_code.empty() || rate.price.empty() || rate.currency.empty())
    return std::nullopt;
  rate.service_name = text_at(entry, "meta.service_name");
  if (rate.service_name.empty()) rate.service_name = rate.service_code;
  rate.charges = charges_of(entry);
  rate.transit_days = transit_days_of(entry);
  rate.estimated_delivery = time_at(entry, "estimated_delivery");
  return rate;
}

std::string number_of(const json::value* value) { return tracking_number_in(value).value_or(""); }

// One number for each parcel, in their order. A number of the whole shipment comes first.
std::vector<std::string> tracking_numbers_of(const json::value& shipment) {
  std::vector<std::string> numbers;
  const auto add = [&](std::string number, auto position) {
    if (!number.empty() && std::ranges::find(numbers, number) == numbers.end())
      numbers.insert(position(), std::move(number));
  };
  if (const auto* const list = list_at(shipment, "meta.tracking_numbers")) {
    for (const auto& entry : *list) {
      add(number_of(&entry), [&] { return numbers.end(); });
    }
  }
  add(number_of(at(shipment, "tracking_number")), [&] { return numbers.begin(); });
  return numbers;
}

std::string page_of(const json::value& shipment) {
  return page_link(at(shipment, "meta.carrier_tracking_link")).value_or("");
}

std::optional<LabelFile> label_in(const json::value& shipment) {
  const auto* const documents = list_at(shipment, "shipping_documents");
  if (documents == nullptr) return std::nullopt;
  for (const auto& document : *documents) {
    if (identifier_at(document, "category") != "label") continue;
    if (auto label = read_label(document)) return label;
  }
  return std::nullopt;
}

BoughtLabel bought_label(const json::value& shipment) {
  BoughtLabel label;
  label.gateway_id = identifier_at(shipment, "id");
  label.tracking_numbers = tracking_numbers_of(shipment);
  label.tracking_url = page_of(shipment);
  label.service_code = identifier_at(shipment, "selected_rate.service");
  if (label.service_code.empty()) label.service_code = identifier_at(shipment, "service");
  label.service_name = text_at(shipment, "selected_rate.meta.service_name");
  if (label.service_name.empty()) label.service_name = text_at(shipment, "meta.service_name");
  if (label.service_name.empty()) label.service_name = label.service_code;
  label.price = price_at(shipment, "selected_rate.total_charge");
  label.currency = currency_at(shipment, "selected_rate.currency");
  label.label = label_in(shipment);
  label.estimated_delivery = time_at(shipment, "selected_rate.estimated_delivery");
  return label;
}

// Completes a time of day such as "9:05", "09:05 AM" or "16:28 PM" to HH:MM or HH:MM:SS; empty if malformed.
std::string time_of_day(std::string_view text) {
  constexpr int noon = 12;
  constexpr int hours = 24;
  auto clock = ascii_lower(trimmed(text));
  const bool is_pm = clock.ends_with("pm");
  const bool is_am = clock.ends_with("am");
  if (is_pm || is_am) clock = trimmed(std::string_view(clock).substr(0, clock.size() - 2));
  const auto colon = clock.find(':');
  auto hour = parse_number<int>(std::string_view(clock).substr(0, colon));
  if (!hour || colon == std::string::npos || *hour < 0 || *hour >= hours) return {};
  if (is_pm && *hour < noon) *hour += noon;
  if (is_am && *hour == noon) *hour = 0;
  auto padded = std::to_string(*hour);
  if (padded.size() < 2) padded.insert(0, 1, '0');
  return padded + clock.substr(colon);
}

}  // namespace

std::string text_at(const json::value& answer, std::string_view path, std::size_t limit) {
  return clean_line(at(answer, path), limit).value_or("");
}

const json::array* list_at(const json::value& answer, std::string_view path) {
  const auto* const value = at(answer, path);
  return value == nullptr ? nullptr : value->if_array();
}

std::optional<std::vector<Connection>> read_connections(const json::value& answer) {
  const auto* const list = list_at(answer, "results");
  if (list == nullptr) return std::nullopt;
  std::vector<Connection> connections;
  for (const auto& entry : *list) {
    connections.push_back({.carrier_id = identifier_at(entry, "carrier_id"),
                           .carrier_name = identifier_at(entry, "carrier_name"),
                           .is_active = is_true(at(entry, "active"))});
  }
  return connections;
}

bool has_next_page(const json::value& answer) { return !identifier_at(answer, "next").empty(); }

RatesAnswer read_rates(const json::value& answer, const GatewayAccount& account) {
  RatesAnswer read;
  std::size_t unreadable = 0;
  if (const auto* const list = list_at(answer, "rates")) {
    for (const auto& entry : *list) {
      const auto carrier_id = identifier_at(entry, "carrier_id");
      if (!carrier_id.empty() && carrier_id != account.account_number) continue;
      if (read.rates.size() + unreadable >= most_rates) throw too_many_rates();
      if (auto rate = rate_of(entry)) {
        read.rates.push_back(std::move(*rate));
      } else {
        ++unreadable;
      }
    }
  }
  for (auto& complaint : complaints_in(answer, account, most_rate_messages))
    read.messages.push_back(std::move(complaint.message));
  note_unreadable(read, unreadable);
  return read;
}

std::optional<FoundPurchase> read_shipment(const json::value& shipment) {
  const auto id = identifier_at(shipment, "id");
  const auto status = identifier_at(shipment, "status");
  if (id.empty() || status.empty()) return std::nullopt;
  if (status == "draft") return StillDraft{id};
  if (status == "cancelled") return VoidedLabel{bought_label(shipment)};
  auto label = bought_label(shipment);
  if (label.tracking_numbers.empty()) return std::nullopt;
  return label;
}

std::optional<LabelFile> read_label(const json::value& document) {
  const auto* const value = at(document, "base64");
  const auto* const text = value == nullptr ? nullptr : value->if_string();
  if (text == nullptr) return std::nullopt;
  std::string encoded(*text);
  std::erase_if(encoded, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
  const auto bytes = base64_decode(encoded);
  if (!bytes || bytes->empty() || bytes->size() > largest_label) return std::nullopt;
  LabelFile file;
  file.bytes.assign(bytes->begin(), bytes->end());
  const auto format = label_format_of(file.bytes);
  if (!format) return std::nullopt;
  file.format = *format;
  return file;
}

std::optional<ScanTime> read_time(std::string_view text) {
  text = trimmed(text);
  if (const auto time = parse_timestamp(text)) return ScanTime{*time, TimeKnown::exact};
  if (const auto day = parse_date(text)) return ScanTime{*day, TimeKnown::day};
  constexpr std::size_t date_length = 10;
  if (text.size() <= date_length) return std::nullopt;
  const auto date = std::string(text.substr(0, date_length));
  const auto rest = text.substr(date_length + 1);
  if (const auto time = parse_timestamp(date + "T" + std::string(rest) + "Z"))
    return ScanTime{*time, TimeKnown::local};
  const auto clock = time_of_day(rest);
  if (const auto time = parse_timestamp(date + "T" + clock + "Z")) return ScanTime{*time, TimeKnown::local};
  return std::nullopt;
}

}  // namespace waybill::connectors::karrio
