#include "connectors/easypost/requests.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ranges>
#include <utility>

#include "base/ascii.hpp"
#include "base/joined_texts.hpp"
#include "base/json.hpp"
#include "base/number.hpp"
#include "base/utf8.hpp"

namespace waybill::connectors::easypost {
namespace {

constexpr std::size_t longest_decimal = 30;
constexpr double kilograms_per_ounce = 0.028349523125;
constexpr double centimetres_per_inch = 2.54;

// The text of a JSON object. Numbers are written as given: base/json.hpp would write 16.0 as 16.
class ObjectText {
 public:
  // Leaves out an empty value.
  ObjectText& text(std::string_view name, std::string_view value) {
    if (value.empty()) return *this;
    append_name(name);
    append_json_string(out_, to_text(value));
    return *this;
  }
  ObjectText& raw(std::string_view name, std::string_view value) {
    if (value.empty()) return *this;
    append_name(name);
    out_ += value;
    return *this;
  }
  std::string done() { return std::move(out_) + "}"; }

 private:
  void append_name(std::string_view name) {
    if (out_.size() > 1) out_ += ',';
    append_json_string(out_, name);
    out_ += ':';
  }
  std::string out_ = "{";
};

std::string wrapped(std::string_view name, std::string_view value) {
  return ObjectText().raw(name, value).done();
}

GatewayError unusable(std::string field, std::string sentence) {
  return {GatewayError::Problem::refused, {std::move(field), std::move(sentence)}};
}

bool is_decimal(std::string_view text) {
  const auto point = text.find('.');
  if (text.size() > longest_decimal) return false;
  if (point == std::string_view::npos) return all_digits(text);
  return all_digits(text.substr(0, point)) && all_digits(text.substr(point + 1));
}

std::optional<double> positive(std::string_view text) {
  const auto number = is_decimal(text) ? parse_number<double>(text) : std::nullopt;
  return number && *number > 0 ? number : std::nullopt;
}

std::optional<std::string> rounded(double value, int places, Rounding rounding) {
  constexpr double noise = 1e-6;  // of the last place: an exact pound stays 16.0 ounces
  const double scale = std::pow(10.0, places);
  const double scaled = value * scale;
  double units = rounding == Rounding::nearest ? std::round(scaled)
                 : rounding == Rounding::up    ? std::ceil(scaled - noise)
                                               : std::floor(scaled + noise);
  units = std::max(units, 1.0);
  constexpr double largest = 1e12;
  if (!(units <= largest)) return std::nullopt;
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), units / scale,
                                    std::chars_format::fixed, places);
  std::string text(buffer.data(), result.ptr);
  while (text.ends_with("0") && !text.ends_with(".0")) text.pop_back();
  return text;
}

std::string address(const Party& party) {
  // The second line of a street has a field of its own.
  const auto line_end = party.street.find('\n');
  std::string second = line_end == std::string::npos ? "" : party.street.substr(line_end + 1);
  std::ranges::replace(second, '\n', ' ');
  return ObjectText()
      .text("name", party.name)
      .text("company", party.company)
      .text("street1", trimmed(std::string_view(party.street).substr(0, line_end)))
      .text("street2", trimmed(second))
      .text("city", party.city)
      .text("state", party.state)
      .text("zip", party.postal_code)
      .text("country", party.country)
      .text("phone", party.phone)
      .text("email", party.email)
      .done();
}

std::string parcel_of(const Consignment& consignment) {
  if (consignment.parcels.size() != 1) {
    throw unusable("several_parcels", "EasyPost buys a label for exactly one parcel.");
  }
  const Parcel& parcel = consignment.parcels.front();
  // Carriers refuse contents that outweigh their parcel.
  const auto weight = ounces(parcel.weight, 1, 1, consignment.customs ? Rounding::up : Rounding::nearest);
  if (!weight) throw unusable("parcel.weight", "The parcel needs a weight above 0.");
  ObjectText text;
  const auto length = inches(parcel.length);
  const auto width = inches(parcel.width);
  const auto height = inches(parcel.height);
  if (length && width && height) text.raw("length", *length).raw("width", *width).raw("height", *height);
  return text.raw("weight", *weight).done();
}

std::string contents_type(std::string_view contents) {
  if (contents == "return_merchandise") return "returned_goods";
  constexpr std::array<std::string_view, 4> same = {"merchandise", "gift", "documents", "sample"};
  return std::string(std::ranges::find(same, contents) != same.end() ? contents : "other");
}

std::string customs_item(const CustomsItem& item) {
  return ObjectText()
      .text("description", item.description)
      .raw("quantity", std::to_string(item.quantity))
      .raw("weight", ounces(item.weight, item.quantity, 3, Rounding::down).value_or(""))
      .raw("value", times(item.value, item.quantity).value_or(""))
      .text("currency", item.currency)
      .text("hs_tariff_number", item.hs_code)
      .text("origin_country", item.origin_country)
      .done();
}

std::string explanation(const CustomsData& customs) {
  constexpr std::size_t limit = 255;
  std::string text;
  for (const CustomsItem& item : customs.items) text += (text.empty() ? "" : ", ") + item.description;
  text.resize(valid_utf8_prefix(std::string_view(text).substr(0, limit)));
  return text;
}

// True for less than 2 500 USD (15 CFR 30.37(a)). The whole shipment counts, not each tariff number.
bool is_of_low_value(const CustomsData& customs) {
  constexpr double limit = 2500;
  double total = 0;
  for (const CustomsItem& item : customs.items) {
    const auto value = positive(item.value);
    if (item.currency != "USD" || !value) return false;
    total += *value * static_cast<double>(item.quantity);
  }
  return total < limit;
}

// The exemption from the filing of an export from the United States; empty if none applies.
std::string_view export_exemption(const CustomsData& customs, const Party& from, const Party& to) {
  if (from.country != "US") return {};
  if (to.country == "CA") return "NOEEI 30.36";  // whatever the value (15 CFR 30.36)
  return is_of_low_value(customs) ? "NOEEI 30.37(a)" : "";
}

std::string customs_info(const Consignment& consignment) {
  const CustomsData& customs = *consignment.customs;
  const Party& from = consignment.is_return ? consignment.recipient : consignment.sender;
  const Party& to = consignment.is_return ? consignment.sender : consignment.recipient;
  const std::string items = joined_texts(customs.items | std::views::transform(customs_item), ",");
  const std::string type = contents_type(customs.contents);
  const std::string signer = from.name.empty() ? from.company : from.name;
  return ObjectText()
      .text("contents_type", type)
      .text("contents_explanation", type == "other" ? explanation(customs) : "")
      .raw("customs_certify", signer.empty() ? "" : "true")
      .text("customs_signer", signer)
      .text("eel_pfc", export_exemption(customs, from, to))
      .text("restriction_type", "none")
      .text("non_delivery_option", "return")
      .raw("customs_items", "[" + items + "]")
      .done();
}

}  // namespace

std::string shipment_body(const Consignment& consignment, std::string_view carrier_account) {
  const std::string parcel = parcel_of(consignment);
  // Other formats are converted from the first one.
  ObjectText options;
  options.text("label_format", "PNG");
  if (consignment.customs) options.text("incoterm", consignment.customs->incoterm);
  ObjectText shipment;
  // A return keeps both addresses: EasyPost exchanges them.
  shipment.text("reference", consignment.reference)
      .raw("from_address", address(consignment.sender))
      .raw("to_address", address(consignment.recipient))
      .raw("parcel", parcel)
      .raw("is_return", consignment.is_return ? "true" : "")
      .raw("customs_info", consignment.customs ? customs_info(consignment) : "")
      .raw("options", options.done())
      .raw("carrier_accounts", "[" + ObjectText().text("id", carrier_account).done() + "]");
  return wrapped("shipment", shipment.done());
}

std::string purchase_body(std::string_view rate_id) {
  return wrapped("rate", ObjectText().text("id", rate_id).done());
}

std::string tracker_body(std::string_view tracking_number) {
  return wrapped("tracker", ObjectText().text("tracking_code", tracking_number).done());
}

std::optional<std::string> ounces(std::string_view kilograms, std::int64_t pieces, int places,
                                  Rounding rounding) {
  const auto weight = positive(kilograms);
  if (!weight || pieces <= 0) return std::nullopt;
  return rounded(*weight * static_cast<double>(pieces) / kilograms_per_ounce, places, rounding);
}

std::optional<std::string> inches(std::string_view centimetres) {
  const auto length = positive(centimetres);
  return length ? rounded(*length / centimetres_per_inch, 1, Rounding::nearest) : std::nullopt;
}

std::optional<std::string> times(std::string_view amount, std::int64_t pieces) {
  constexpr std::int64_t most = 1'000'000'000;
  if (!is_decimal(amount) || pieces < 0 || pieces > most) return std::nullopt;
  std::string product(amount);
  std::int64_t carry = 0;
  for (auto digit = product.rbegin(); digit != product.rend(); ++digit) {
    if (*digit == '.') continue;
    carry += (*digit - '0') * pieces;
    *digit = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  if (carry > 0) product.insert(0, std::to_string(carry));
  // JSON allows no leading zero.
  while (product.size() > 1 && product[0] == '0' && product[1] != '.') product.erase(0, 1);
  return product;
}

}  // namespace waybill::connectors::easypost
