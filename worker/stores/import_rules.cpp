#include "worker/stores/import_rules.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/crypto.hpp"
#include "base/number.hpp"
#include "base/utf8.hpp"
#include "connectors/store_items.hpp"
#include "connectors/store_text.hpp"
#include "domain/places/countries.hpp"
#include "domain/records/state_machines.hpp"
#include "domain/values/hs_code.hpp"
#include "domain/values/limits.hpp"
#include "domain/workflows/retry.hpp"

namespace waybill::worker {
namespace {

using connectors::StoreOrder;
using connectors::StoreProduct;
using Text = std::optional<std::string>;

using domain::longest_string;
using domain::longest_text;

constexpr std::size_t whole_digits = 12;  // digits of amounts: below 10^12
constexpr std::int64_t most_pieces = 1'000'000'000;

void cut(std::string& text, std::size_t characters) {
  text.resize(connectors::cut_text(text, characters).size());
}
void cut(Text& text, std::size_t characters) {
  if (text) cut(*text, characters);
}

/// The words in lower case: runs of letters and digits.
std::set<std::string> words_of(std::string_view name) {
  std::set<std::string> words;
  std::string word;
  for (const char c : folded_utf8(name) + ' ') {
    if (is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80) {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, {}));
    }
  }
  return words;
}

/// Stores also offer codes that are not of ISO 4217, such as BTC and IRT.
bool is_currency(std::string_view text) { return text.size() == 3 && std::ranges::all_of(text, is_upper); }

bool is_shown(Time time) {
  using namespace std::chrono;
  return time >= sys_days(year(1) / 1 / 1) && time < sys_days(year(9999) / 12 / 31);
}

std::string digest_of(const json::object& canonical) { return hex(sha256(to_json(canonical))); }

/// The entries as texts, sorted, so that their order in the store makes no difference.
template <typename Entries, typename ToJson>
json::array sorted(const Entries& entries, ToJson to_json_of) {
  std::vector<std::string> texts;
  texts.reserve(entries.size());
  for (const auto& entry : entries) texts.push_back(to_json(to_json_of(entry)));
  std::ranges::sort(texts);
  json::array list;
  for (auto& text : texts) list.emplace_back(std::move(text));
  return list;
}

/// The fields that imports have always had.
json::object first_fields(const StoreOrder& order) {
  const auto& to = order.delivery;
  return {{"number", order.number},
          {"customer",
           {value_of(order.customer_name), value_of(order.customer_email), value_of(order.customer_phone)}},
          {"delivery",
           {value_of(to.street), value_of(to.city), value_of(to.state), value_of(to.postal_code),
            value_of(to.country)}},
          {"items", sorted(order.items,
                           [](const auto& item) {
                             return json::array{item.description, value_of(item.sku), item.quantity,
                                                value_of(item.price)};
                           })},
          {"total", order.total},
          {"currency", order.currency},
          {"notes", value_of(order.notes)}};
}

json::object second_fields(const StoreOrder& order) {
  auto fields = first_fields(order);
  const auto& to = order.recipient;
  fields["company"] = value_of(order.customer_company);
  fields["recipient"] = {value_of(to.name), value_of(to.company), value_of(to.phone), value_of(to.email)};
  fields["shipping"] = {value_of(order.shipping_method), value_of(order.shipping_cost)};
  return fields;
}

Text country_code(std::string_view text) {
  const auto* const country = domain::country_of(text);
  return country == nullptr ? Text() : Text(country->code);
}

/// A value that a product and its variants have for customs.
struct CustomsValue {
  std::string_view name;   // "HS code"
  std::string_view fault;  // of a value without a normal form
  Text StoreProduct::* of_product;
  Text connectors::StoreVariant::* of_variant;
  Text (*normal)(std::string_view text);
};

/// The value that the product and its variants agree on. Adds remarks about what is left out; of several
/// faulty values, the first is named.
Text agreed(const StoreProduct& product, const CustomsValue& value, std::vector<std::string>& remarks) {
  std::set<std::string> given, normal;
  const auto add = [&](const Text& text) {
    if (text) given.insert(*text);
  };
  add(product.*value.of_product);
  for (const auto& variant : product.variants) add(variant.*value.of_variant);
  std::string faulty;
  for (const std::string& text : given) {
    if (auto known = value.normal(text)) {
      normal.insert(*std::move(known));
    } else if (faulty.empty()) {
      faulty = text;
    }
  }
  if (!faulty.empty())
    remarks.push_back("its " + std::string(value.name) + " " + faulty + " is left out, because it " +
                      std::string(value.fault) + ".");
  if (normal.size() > 1)
    remarks.push_back("its " + std::string(value.name) + " is left out, because its variants differ in it.");
  return normal.size() == 1 ? Text(*normal.begin()) : std::nullopt;
}

/// A text of a store within a sentence.
std::string quoted(std::string text) {
  constexpr std::size_t longest = 60;
  const auto whole = text.size();
  cut(text, longest);
  return text.size() < whole ? text + "…" : text;
}

constexpr std::string_view not_an_amount = " is left out, because it is not an amount from 0 to 10^12.";
constexpr std::string_view not_a_measure = " is left out, because it is not a number from 0 to 10^9.";

/// The sum of the items, with prices as they are stored: with two decimals.
double total_of(const StoreOrder& order) {
  double total = 0;
  for (const auto& item : order.items) {
    constexpr double cents = 100;
    const double price = item.price ? parse_number<double>(*item.price).value_or(0) : 0;
    if (item.quantity > 0) total += static_cast<double>(item.quantity) * std::round(price * cents) / cents;
  }
  return total;
}

}  // namespace

json::value value_of(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value();
}

bool is_amount(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  if (!all_digits(whole)) return false;
  if (whole.size() - std::min(whole.find_first_not_of('0'), whole.size()) > whole_digits) return false;
  return point == std::string_view::npos || all_digits(text.substr(point + 1));
}

bool is_measure(std::string_view text) {
  constexpr double largest = 1e9;
  return is_amount(text) && parse_number<double>(text).value_or(0) <= largest;
}

bool is_store_status(std::string_view status) {
  return status != "draft" && domain::order_states().has_state(status);
}

std::optional<std::string> order_problem(const StoreOrder& order, bool is_new) {
  if (order.number.empty()) return "It has no number.";
  if (!is_store_status(order.status)) return "Its status is unknown: " + order.status;
  if (order.total.starts_with('-')) return "Its total is negative.";
  if (!is_amount(order.total)) return "Its total is not an amount below 10^12.";
  if (!is_currency(order.currency)) return "Its currency is not an ISO 4217 code.";
  if (!is_shown(order.created_at)) return "Its creation time is missing or out of range.";
  for (const auto& item : order.items) {
    if (item.quantity < 1) continue;
    if (!item.price || !is_amount(*item.price))
      return "The price of " + quoted(item.description) + " is not an amount from 0 to 10^12.";
    if (item.quantity > most_pieces) return "The quantity of " + quoted(item.description) + " is above 10^9.";
  }
  if (std::ranges::count_if(order.items, [](const auto& item) { return item.quantity > 0; }) >
      static_cast<std::ptrdiff_t>(domain::most_items))
    return "It has more than " + std::to_string(domain::most_items) + " items.";
  if (total_of(order) >= domain::items_total_limit) return "The sum of its items is not below 10^12.";
  if (is_new && order.status == "cancelled") return std::nullopt;
  if (std::ranges::none_of(order.items, [](const auto& item) { return item.quantity > 0; }))
    return "It has no items.";
  if (!order.delivery.street || !order.delivery.city)
    return "It has no delivery address with street and city.";
  return std::nullopt;
}

void make_acceptable(StoreOrder& order) {
  auto& to = order.delivery;
  if (const auto city = domain::city_of_state(to.country.value_or("")); !to.city && !city.empty())
    to.city = city;
  cut(order.number, longest_string);
  for (auto* const text :
       {&order.customer_name, &order.customer_company, &order.customer_phone, &order.recipient.name,
        &order.recipient.company, &order.recipient.phone, &order.delivery.street, &order.delivery.city,
        &order.delivery.state, &order.delivery.postal_code, &order.delivery.country, &order.shipping_method})
    cut(*text, longest_string);
  cut(order.notes, longest_text);
  for (auto& item : order.items) connectors::limit_texts(item);
  for (auto* const email : {&order.customer_email, &order.recipient.email}) {
    if (*email) *email = connectors::clean_email(**email);
  }
}

void make_acceptable(StoreProduct& product) {
  cut(product.name, longest_string);
  cut(product.sku, longest_string);
  cut(product.barcode, longest_string);
  cut(product.description, longest_text);
  cut(product.hs_code, longest_string);
  cut(product.origin_country, longest_string);
  for (auto& variant : product.variants) {
    cut(variant.name, longest_string);
    cut(variant.sku, longest_string);
    cut(variant.hs_code, longest_string);
    cut(variant.origin_country, longest_string);
  }
}

void set_price(StoreProduct& product) {
  if (product.price) return;
  std::optional<double> lowest;
  for (const auto& variant : product.variants) {
    if (!variant.price || !is_amount(*variant.price)) continue;
    const double price = parse_number<double>(*variant.price).value_or(0);
    if (lowest && price >= *lowest) continue;
    lowest = price;
    product.price = variant.price;
  }
}

std::string digest_of(const StoreOrder& order) {
  auto canonical = second_fields(order);
  canonical["details"] = sorted(order.items, [](const auto& item) {
    return json::array{item.description, value_of(item.sku), item.quantity, value_of(item.details)};
  });
  return "2:" + digest_of(canonical);
}

std::string second_digest_of(const StoreOrder& order) { return digest_of(second_fields(order)); }

std::string first_digest_of(const StoreOrder& order) { return digest_of(first_fields(order)); }

Guid buyer_guid(const Guid& order, const StoreOrder& imported) {
  return Guid::from_name(order, "buyer\n" + to_json(json::array{value_of(imported.customer_name),
                                                                value_of(imported.customer_company),
                                                                value_of(imported.customer_phone)}));
}

bool is_buyer(const StoreOrder& order, const connectors::StorePerson& customer) {
  return customer.name == order.customer_name && customer.company == order.customer_company &&
         customer.phone == order.customer_phone;
}

bool are_two_persons(std::string_view name, std::string_view other) {
  const auto words = words_of(name);
  const auto others = words_of(other);
  return !words.empty() && !others.empty() &&
         std::ranges::none_of(words, [&](const auto& word) { return others.contains(word); });
}

std::string digest_of(const StoreProduct& product) {
  json::object fields{
      {"name", product.name},
      {"texts", {value_of(product.sku), value_of(product.description), value_of(product.barcode)}},
      {"price", value_of(product.price)},
      {"measures",
       {value_of(product.weight), value_of(product.length), value_of(product.width),
        value_of(product.height)}},
      {"variants", sorted(product.variants, [](const auto& variant) {
         return json::array{variant.name, value_of(variant.sku), value_of(variant.price),
                            value_of(variant.weight)};
       })}};
  auto customs = sorted(product.variants, [](const auto& variant) {
    return json::array{variant.name, value_of(variant.sku), value_of(variant.hs_code),
                       value_of(variant.origin_country)};
  });
  customs.emplace_back(json::array{value_of(product.hs_code), value_of(product.origin_country)});
  // Without these values the digest is that of earlier versions, which did not import them.
  const auto has_customs = [](const auto& of) { return of.hs_code || of.origin_country; };
  if (has_customs(product) || std::ranges::any_of(product.variants, has_customs))
    fields["customs"] = std::move(customs);
  const auto has_lengths = [](const auto& variant) {
    return variant.length || variant.width || variant.height;
  };
  if (std::ranges::any_of(product.variants, has_lengths))
    fields["dimensions"] = sorted(product.variants, [](const auto& variant) {
      return json::array{variant.name, value_of(variant.sku), value_of(variant.length),
                         value_of(variant.width), value_of(variant.height)};
    });
  return digest_of(fields);
}

ProductCustoms customs_of(const StoreProduct& product) {
  ProductCustoms customs;
  customs.hs_code = agreed(product,
                           {"HS code", "does not have 6 to 10 digits", &StoreProduct::hs_code,
                            &connectors::StoreVariant::hs_code, domain::hs_code},
                           customs.remarks);
  customs.origin_country =
      agreed(product,
             {"country of origin", "is not a known country", &StoreProduct::origin_country,
              &connectors::StoreVariant::origin_country, country_code},
             customs.remarks);
  return customs;
}

std::vector<std::string> unreadable_values(const StoreProduct& product) {
  std::vector<std::string> remarks;
  bool has_bad_price = false, has_bad_measure = false;
  const auto check_price = [&](const Text& price, const std::string& of_variant) {
    if (has_bad_price || !price || is_amount(*price)) return;
    has_bad_price = true;
    remarks.push_back("its price " + quoted(*price) + of_variant + std::string(not_an_amount));
  };
  const auto check_measure = [&](const char* name, const Text& measure, const std::string& of_variant) {
    if (has_bad_measure || !measure || is_measure(*measure)) return;
    has_bad_measure = true;
    remarks.push_back("its " + std::string(name) + " " + quoted(*measure) + of_variant +
                      std::string(not_a_measure));
  };
  const auto check_measures = [&](const auto& measured, const std::string& of_variant) {
    check_measure("weight", measured.weight, of_variant);
    check_measure("length", measured.length, of_variant);
    check_measure("width", measured.width, of_variant);
    check_measure("height", measured.height, of_variant);
  };
  check_price(product.price, "");
  check_measures(product, "");
  for (const auto& variant : product.variants) {
    const std::string of_variant = " of the variant " + variant.name;
    check_price(variant.price, of_variant);
    check_measures(variant, of_variant);
  }
  return remarks;
}

Text unreadable_cost(const StoreOrder& order) {
  if (!order.shipping_cost || is_amount(*order.shipping_cost)) return std::nullopt;
  return "Its shipping cost " + quoted(*order.shipping_cost) + std::string(not_an_amount);
}

json::array items_of(const StoreOrder& order, const Guid& guid) {
  const auto guids = connectors::item_guids(guid, order.items);
  json::array items;
  for (std::size_t i = 0; i < guids.size(); ++i) {
    const auto& item = order.items[i];
    if (guids[i].is_nil()) continue;  // an item that was removed from the order
    items.emplace_back(json::object{{"guid", guids[i].to_string()},
                                    {"description", connectors::description_of(item)},
                                    {"sku", value_of(item.sku)},
                                    {"quantity", item.quantity},
                                    {"price", value_of(item.price)},
                                    {"dimensions", nullptr}});
  }
  return items;
}

std::vector<ServiceRule> service_rules(std::string_view mapping) {
  std::vector<ServiceRule> rules;
  boost::system::error_code malformed;
  const auto parsed = json::parse(mapping, malformed);
  if (malformed || !parsed.is_array()) return rules;
  for (const auto& entry : parsed.get_array()) {
    const auto* const object = entry.if_object();
    const auto text = [&](std::string_view name) -> Text {
      const auto* const value = object == nullptr ? nullptr : object->if_contains(name);
      return value != nullptr && value->is_string() ? Text(value->get_string()) : std::nullopt;
    };
    const auto method = text("method");
    if (!method || !is_utf8(*method)) continue;
    ServiceRule rule{.method = folded_utf8(*method),
                     .carrier = Guid::parse(text("carrierId").value_or("")),
                     .level = text("serviceLevel")};
    rule.is_prefix = rule.method.ends_with('*');
    if (rule.is_prefix) rule.method.pop_back();
    rules.push_back(std::move(rule));
  }
  return rules;
}

const ServiceRule* find_service(const std::vector<ServiceRule>& rules, const Text& method) {
  if (!method) return nullptr;
  const std::string name = folded_utf8(*method);
  const auto found = std::ranges::find_if(rules, [&](const ServiceRule& rule) {
    return rule.is_prefix ? name.starts_with(rule.method) : name == rule.method;
  });
  return found == rules.end() ? nullptr : &*found;
}

bool is_closed(std::string_view status) {
  return status == "shipped" || status == "delivered" || status == "cancelled";
}

std::optional<std::string> reused_id(const connectors::StoreOrder& order, std::string_view number_here,
                                     Time created_here) {
  // Longer than the error of a store that mixes up time zones.
  constexpr auto tolerance = std::chrono::days(2);
  if (std::chrono::abs(order.created_at - created_here) < tolerance) return std::nullopt;
  constexpr std::size_t date = 10;
  return "It is not imported: it has the id of the order " + std::string(number_here) + " of " +
         format_timestamp(created_here).substr(0, date) +
         ", which is closed here, and the store created it on " +
         format_timestamp(order.created_at).substr(0, date) + ".";
}

StatusVerdict decide_status(std::string_view here, std::optional<std::string_view> before,
                            std::string_view now) {
  if (now == here || now == before) return {};
  if (here == "cancelled")
    return {.contradiction = "It is cancelled here, and " + std::string(now) + " in the store."};
  if (domain::store_order_states().allows(here, now)) return {.move = now};
  if (now == "cancelled")
    return {.contradiction = "It was cancelled in the store, and is " + std::string(here) + " here."};
  return {};
}

std::optional<Time> import_start(const ImportProgress& progress) {
  if (!progress.reached) return std::nullopt;
  const bool is_settled = progress.advanced_at && progress.pass_began_at &&
                          *progress.pass_began_at >= *progress.advanced_at + visible_after;
  return *progress.reached - (is_settled ? same_second : visible_after);
}

ImportProgress believable(ImportProgress progress) {
  if (progress.reached && progress.advanced_at)
    progress.reached = std::min(*progress.reached, *progress.advanced_at);
  return progress;
}

std::optional<Time> reached_before_setback(const ImportProgress& progress, Time store_time, Time now) {
  const auto start = import_start(progress);
  if (!start) return std::nullopt;
  // All changes before the later of the two have been read, whatever the store's clock showed then.
  const auto last = std::max(progress.advanced_at, progress.pass_began_at);
  const Time then = store_time - (last ? std::max(now - *last, Duration::zero()) : Duration::zero());
  return then < *start ? std::optional(then) : std::nullopt;
}

Time order_import_start(const ImportProgress& progress, Time since) {
  return import_start(progress).value_or(since - same_second);
}

Duration pause_after(int failures, std::optional<Duration> retry_after, double spread) {
  using std::chrono::minutes;
  constexpr int doublings = 5;
  constexpr double part = 0.2;
  const Duration pause =
      std::min<Duration>(minutes(1) * (1 << std::clamp(failures - 1, 0, doublings)), minutes(30));
  const Duration varied = pause + Duration(std::llround(static_cast<double>(pause.count()) * part * spread));
  return std::max(varied, std::min(retry_after.value_or(Duration::zero()), domain::longest_retry_after));
}

}  // namespace waybill::worker
