#include "connectors/karrio/requests.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "base/number.hpp"
#include "base/utf8.hpp"
#include "connectors/karrio/addresses.hpp"

namespace waybill::connectors::karrio {
namespace {

void put_text(json::object& object, std::string_view name, std::string_view text) {
  if (!text.empty()) object.emplace(name, text);
}

std::optional<double> number_in(std::string_view decimal) {
  const auto number = parse_number<double>(decimal);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// Decimals of up to 15 digits are written with the same value.
void put_number(json::object& object, std::string_view name, std::string_view decimal) {
  if (const auto number = number_in(decimal)) object.emplace(name, *number);
}

// The first `most` characters.
std::string_view shortened(std::string_view text, std::size_t most) {
  if (!is_utf8(text)) text = text.substr(0, valid_utf8_prefix(text));
  while (count_characters(text) > most) {
    text.remove_suffix(1);
    text = text.substr(0, valid_utf8_prefix(text));
  }
  return text;
}

json::object address_of(const Party& party) {
  json::object address;
  put_text(address, "person_name", party.name);
  put_text(address, "company_name", party.company);
  put_text(address, "phone_number", party.phone);
  put_text(address, "email", party.email);
  const auto street = street_lines(party.street);
  put_text(address, "address_line1", street.first);
  put_text(address, "address_line2", street.second);
  put_text(address, "city", party.city);
  put_text(address, "state_code", party.state);
  put_text(address, "postal_code", party.postal_code);
  put_text(address, "country_code", party.country);
  return address;
}

json::object parcel_of(const Parcel& parcel) {
  json::object body;
  put_number(body, "weight", parcel.weight);
  body.emplace("weight_unit", "KG");
  if (parcel.length.empty() || parcel.width.empty() || parcel.height.empty()) return body;
  put_number(body, "length", parcel.length);
  put_number(body, "width", parcel.width);
  put_number(body, "height", parcel.height);
  body.emplace("dimension_unit", "CM");
  return body;
}

json::object commodity_of(const CustomsItem& item) {
  // Karrio refuses longer texts.
  constexpr std::size_t longest_title = 35;
  constexpr std::size_t longest_description = 100;
  json::object commodity;
  put_text(commodity, "title", shortened(item.description, longest_title));
  put_text(commodity, "description", shortened(item.description, longest_description));
  commodity.emplace("quantity", item.quantity);
  put_number(commodity, "weight", item.weight);
  commodity.emplace("weight_unit", "KG");
  put_number(commodity, "value_amount", item.value);
  put_text(commodity, "value_currency", item.currency);
  put_text(commodity, "hs_code", item.hs_code);
  put_text(commodity, "origin_country", item.origin_country);
  return commodity;
}

// The sum of the items in hundredths; nullopt if a value is unknown or they have several currencies.
std::optional<double> declared_value(const std::vector<CustomsItem>& items) {
  constexpr double hundredths = 100;
  double sum = 0;
  for (const auto& item : items) {
    const auto value = number_in(item.value);
    if (!value || item.currency != items.front().currency) return std::nullopt;
    sum += *value * static_cast<double>(item.quantity);
  }
  return std::round(sum * hundredths) / hundredths;
}

json::object customs_of(const CustomsData& customs) {
  json::object body;
  json::array commodities;
  for (const auto& item : customs.items) commodities.push_back(commodity_of(item));
  body.emplace("commodities", std::move(commodities));
  put_text(body, "content_type", customs.contents);
  // Karrio 2026.1 refuses DPU.
  if (customs.incoterm != "DPU") put_text(body, "incoterm", customs.incoterm);
  json::object duty;
  duty.emplace("paid_by", customs.incoterm == "DDP" ? "sender" : "recipient");
  if (const auto value = declared_value(customs.items); value && !customs.items.empty()) {
    put_text(duty, "currency", customs.items.front().currency);
    duty.emplace("declared_value", *value);
  }
  body.emplace("duty", std::move(duty));
  return body;
}

}  // namespace

json::object rate_request(const Consignment& consignment, std::string_view carrier_id) {
  json::object body;
  body.emplace("shipper", address_of(consignment.sender));
  body.emplace("recipient", address_of(consignment.recipient));
  json::array parcels;
  for (const auto& parcel : consignment.parcels) parcels.push_back(parcel_of(parcel));
  body.emplace("parcels", std::move(parcels));
  body.emplace("carrier_ids", json::array{json::string(carrier_id)});
  if (consignment.customs) body.emplace("customs", customs_of(*consignment.customs));
  if (consignment.is_return) body.emplace("is_return", true);
  put_text(body, "reference", consignment.reference);
  return body;
}

json::object purchase_request(std::string_view rate_id, LabelFormat format) {
  return {{"selected_rate_id", rate_id}, {"label_type", label_type(format)}};
}

json::object tracking_request(std::string_view tracking_number, std::string_view carrier_name) {
  return {{"tracking_number", tracking_number}, {"carrier_name", carrier_name}};
}

std::string_view label_type(LabelFormat format) {
  switch (format) {
    case LabelFormat::zpl:
      return "ZPL";
    case LabelFormat::png:
      return "PNG";
    default:
      return "PDF";
  }
}

}  // namespace waybill::connectors::karrio
