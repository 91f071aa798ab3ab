#include "connectors/woocommerce/tracking.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "base/ascii.hpp"
#include "connectors/store_items.hpp"
#include "connectors/woocommerce/orders.hpp"
#include "connectors/woocommerce/sweep.hpp"

namespace waybill::connectors {

// The quantities of an order by the ids of its lines.
struct WooPart {
  std::map<std::string, double> wanted;  // what is left after the refunds
  std::map<std::string, double> own;     // what the parcel may have of it
  bool is_last = true;
};

namespace {

using woo::member;

constexpr std::string_view number_key = "_tracking_number";
constexpr const char* too_many_refunds = "The order has too many refunds.";
constexpr std::string_view other_provider = "other";  // the store shows the _provider_name

std::string text(const json::value* value) { return clean_text(value).value_or(""); }

std::string carrier_of(const StoreTracking& tracking) {
  if (!tracking.carrier_name.empty()) return tracking.carrier_name;
  return tracking.carrier_code.empty() ? "Other" : tracking.carrier_code;
}

// The value of a key in a record's `meta_data`; null if absent.
const json::value* meta(const json::value* record, std::string_view key) {
  for (const auto* const entry : elements_of(member(record, "meta_data"))) {
    if (text(member(entry, "key")) == key) return member(entry, "value");
  }
  return nullptr;
}

// True if the number is in the text, in which several parcels are separated by commas: "A1, A2".
bool has_number(std::string_view numbers, std::string_view number) {
  while (true) {
    const auto end = std::min(numbers.find(','), numbers.size());
    auto entry = numbers.substr(0, end);
    while (entry.starts_with(' ')) entry.remove_prefix(1);
    if (entry == number) return true;
    if (end == numbers.size()) return false;
    numbers.remove_prefix(end + 1);
  }
}

// True if the note contains the number, not as a part of a longer one.
bool mentions(std::string_view note, std::string_view number) {
  const auto inside = [&](std::size_t at) { return at < note.size() && is_alphanumeric(note[at]); };
  for (auto at = note.find(number); at != std::string_view::npos; at = note.find(number, at + 1)) {
    if (!inside(at + number.size()) && (at == 0 || !inside(at - 1))) return true;
  }
  return false;
}

bool is_of_parcel(std::string_view note, const StoreTracking& tracking) {
  return mentions(note, tracking.tracking_number) ||
         std::ranges::any_of(tracking.earlier_numbers,
                             [&](const std::string& number) { return mentions(note, number); });
}

// The newest note with a number of the parcel; empty if there is none.
std::string newest_note(const json::value& notes, const StoreTracking& tracking) {
  std::string newest;
  double newest_id = -1;
  for (const auto* const entry : elements_of(&notes)) {
    const auto id = number_of(member(entry, "id")).value_or(0);
    auto words = text(member(entry, "note"));
    if (id <= newest_id || !is_of_parcel(words, tracking)) continue;
    newest_id = id;
    newest = std::move(words);
  }
  return newest;
}

std::string number_of_parcel(const json::value& parcel) {
  const std::string own = text(member(&parcel, "tracking_number"));
  return own.empty() ? text(meta(&parcel, number_key)) : own;
}

std::string link_of_parcel(const json::value& parcel) {
  const std::string own = text(member(&parcel, "tracking_link"));
  return own.empty() ? text(meta(&parcel, "_tracking_url")) : own;
}

bool is_outdated(const json::value& parcel, const StoreTracking& tracking) {
  return tracking.replaces(number_of_parcel(parcel), link_of_parcel(parcel));
}

bool has_parcel(const json::array& parcels, const StoreTracking& tracking) {
  return std::ranges::any_of(parcels, [&](const json::value& parcel) {
    return number_of_parcel(parcel) == tracking.tracking_number && !is_outdated(parcel, tracking);
  });
}

// The numbers of other parcels in the text ("A1, A2"), and this parcel's.
std::string with_number(std::string_view numbers, const StoreTracking& tracking) {
  std::string kept;
  while (!numbers.empty()) {
    const auto end = std::min(numbers.find(','), numbers.size());
    auto entry = numbers.substr(0, end);
    while (entry.starts_with(' ')) entry.remove_prefix(1);
    if (!entry.empty() && !tracking.has_number(entry)) kept += std::string(entry) + ", ";
    numbers.remove_prefix(std::min(end + 1, numbers.size()));
  }
  return kept + tracking.tracking_number;
}

std::string date_of(Time at) {
  constexpr std::size_t date = 10;
  return format_timestamp(at).substr(0, date);
}

json::object tracking_body(const StoreTracking& tracking) {
  return {{"tracking_number", tracking.tracking_number},
          {"custom_tracking_provider", carrier_of(tracking)},
          {"custom_tracking_link", tracking.tracking_url},
          {"date_shipped", date_of(tracking.shipped_at)}};
}

using Quantities = std::map<std::string, double>;  // by the ids of lines

double quantity(const json::value* value) { return number_of(value).value_or(0); }

// The quantities that the parcels have.
Quantities sent_in(const json::array& parcels) {
  Quantities sent;
  for (const json::value& parcel : parcels) {
    for (const auto* const item : elements_of(meta(&parcel, "_items"))) {
      sent[text(member(item, "item_id"))] += quantity(member(item, "qty"));
    }
  }
  return sent;
}

// The part of the order that the parcel may have after these refunds.
WooPart part_after(woo::RefundedLines refunded, const json::value& order, const StoreTracking& tracking) {
  auto lines = woo::item_lines(order, refunded);
  if (lines.empty() && !refunded.empty()) {  // as in an import, which keeps the ordered ones
    refunded.clear();
    lines = woo::item_lines(order);
  }
  std::vector<StoreItem> items;
  items.reserve(lines.size());
  for (const auto& line : lines) items.push_back(line.item);
  const auto parcel = pieces_in_parcel(tracking, std::move(items));
  WooPart part{.wanted = {}, .own = {}, .is_last = parcel.is_last};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string id = text(member(lines[i].line, "id"));
    const double wanted = quantity(member(lines[i].line, "quantity")) - refunded[id];
    // A quantity with a fraction is one piece.
    const bool is_whole = parcel.pieces[i] >= lines[i].item.quantity;
    part.wanted[id] = wanted;
    part.own[id] = is_whole ? wanted : static_cast<double>(parcel.pieces[i]);
  }
  return part;
}

// The items of the parcel that no earlier parcel has; all items of the parcel if the earlier parcels have
// them all.
json::array items_left(const json::value& order, const json::array& parcels, WooPart part) {
  auto sent = sent_in(parcels);
  json::array left;
  json::array all;
  for (const auto* const line : elements_of(member(&order, "line_items"))) {
    const auto* const id = member(line, "id");
    if (id == nullptr) continue;
    const double own = part.own[text(id)];
    const double rest = std::min(own, part.wanted[text(id)] - sent[text(id)]);
    if (rest > 0) left.push_back({{"item_id", *id}, {"qty", rest}});
    if (own > 0) all.push_back({{"item_id", *id}, {"qty", own}});
  }
  return left.empty() ? all : left;
}

// True if the parcels have all that is wanted.
bool are_all_sent(const Quantities& wanted, const json::array& parcels) {
  auto sent = sent_in(parcels);
  return std::ranges::all_of(wanted, [&](const auto& line) { return line.second <= sent[line.first]; });
}

json::object fulfillment_body(const StoreTracking& tracking, json::array meta_data) {
  meta_data.push_back({{"key", number_key}, {"value", tracking.tracking_number}});
  meta_data.push_back({{"key", "_tracking_url"}, {"value", tracking.tracking_url}});
  const auto provider = woo_shipping_provider(tracking.carrier_code);
  meta_data.push_back({{"key", "_shipment_provider"}, {"value", provider}});
  if (provider == other_provider)
    meta_data.push_back({{"key", "_provider_name"}, {"value", carrier_of(tracking)}});
  return {{"status", "fulfilled"},
          {"is_fulfilled", true},
          {"notify_customer", true},
          {"meta_data", std::move(meta_data)}};
}

// The meta data of a parcel without its tracking. A change removes what it does not repeat.
json::array other_meta(const json::value& parcel) {
  static constexpr std::array<std::string_view, 4> tracking_keys{number_key, "_tracking_url",
                                                                 "_shipment_provider", "_provider_name"};
  json::array others;
  for (const auto* const entry : elements_of(member(&parcel, "meta_data"))) {
    const auto* const value = member(entry, "value");
    const std::string key = text(member(entry, "key"));
    if (value == nullptr || std::ranges::find(tracking_keys, key) != tracking_keys.end()) continue;
    others.push_back({{"key", key}, {"value", *value}});
  }
  return others;
}

std::string note_text(const StoreTracking& tracking) {
  std::string note =
      tracking.is_part ? "A part of your order has been shipped" : "Your order has been shipped";
  if (!tracking.carrier_name.empty()) note += " with " + tracking.carrier_name;
  note += ". Tracking number: " + tracking.tracking_number;
  if (!tracking.tracking_url.empty()) note += " (" + tracking.tracking_url + ")";
  return note;
}

// True for an order that a further parcel completes; statuses of plugins are left to the plugins.
bool is_open(std::string_view status) {
  return status == "pending" || status == "on-hold" || status == "processing";
}

void refuse_if_over(const std::string& status) {
  if (status == "cancelled" || status == "refunded" || status == "trash") {
    throw StoreError(StoreProblem::refused, "The order is " + status + " in the store.");
  }
}

}  // namespace

std::string_view woo_shipping_provider(std::string_view carrier_code) {
  struct Row {
    std::string_view code, provider;
  };
  // WooCommerce's src/Admin/Features/Fulfillments/ShippingProviders.php.
  constexpr auto rows = std::to_array<Row>({
      {"australia_post", "australia-post"},
      {"canada_post", "canada-post"},
      {"chronopost", "chronopost"},
      {"colissimo", "la-poste-colissimo"},
      {"dhl_express", "dhl"},
      {"dhl_parcel", "dhl"},
      {"dpd", "dpd"},
      {"evri", "evri-hermes"},
      {"fedex", "fedex"},
      {"gls", "gls"},
      {"postnl", "postnl"},
      {"royal_mail", "royal-mail"},
      {"ups", "ups"},
      {"usps", "usps"},
  });
  const auto* const row = std::ranges::find(rows, carrier_code, &Row::code);
  return row == rows.end() ? other_provider : row->provider;
}

asio::awaitable<std::optional<json::array>> WooTracking::parcels(Dialect dialect,
                                                                 const std::string& order_id) {
  if (dialect == Dialect::note) co_return json::array();
  std::string route = "wc/v3/orders/" + order_id + "/fulfillments";
  if (dialect == Dialect::shipment_tracking) {
    route = "wc-shipment-tracking/v3/orders/" + order_id + "/shipment-trackings";
  } else if (dialect == Dialect::advanced_tracking) {
    route = "wc-ast/v3/orders/" + order_id + "/shipment-trackings";
  }
  auto answer = co_await client_.call("GET", route);
  if (answer.lacks_endpoint()) co_return std::nullopt;
  if (!answer.is_success()) throw woo_refusal(answer, "GET");
  const auto* const list = answer.body.is_array() ? &answer.body : member(&answer.body, "fulfillments");
  json::array found;
  for (const auto* const parcel : elements_of(list)) found.push_back(*parcel);
  co_return found;
}

asio::awaitable<json::array> WooTracking::discover(const std::string& order_id) {
  static constexpr std::array others{Dialect::shipment_tracking, Dialect::advanced_tracking,
                                     Dialect::fulfillments};
  for (const Dialect dialect : others) {
    if (auto found = co_await parcels(dialect, order_id)) {
      dialect_ = dialect;
      co_return std::move(*found);
    }
  }
  dialect_ = Dialect::note;
  co_return json::array();
}

asio::awaitable<WooPart> WooTracking::part_of(const json::value& order, const StoreTracking& tracking) {
  constexpr std::size_t page_size = 20;
  woo::RefundedLines refunded;
  std::string unreadable;
  if (woo::has_refunds(order)) {
    const auto begin = [&] {
      refunded.clear();
      unreadable.clear();
    };
    const auto add = [&](const json::value& refund) {
      auto reason = woo::add_refund(refund, refunded);
      if (unreadable.empty()) unreadable = std::move(reason);
    };
    try {
      co_await read_woo_list(client_, "wc/v3/orders/" + tracking.order_id + "/refunds",
                             {{"_fields", std::string(woo::refund_fields)}}, PageSize(page_size), begin, add,
                             StoreError(StoreProblem::refused, too_many_refunds));
    } catch (const StoreError& error) {
      if (error.what() != std::string_view(too_many_refunds)) throw;
      unreadable = too_many_refunds;
    }
  }
  // The buyer gets the number in any case. Without the refunds it is not known if anything is left to send.
  if (!unreadable.empty()) refunded.clear();
  auto part = part_after(std::move(refunded), order, tracking);
  part.is_last = part.is_last && unreadable.empty();
  co_return part;
}

asio::awaitable<bool> WooTracking::send_note(const StoreTracking& tracking, const json::value& order,
                                             bool is_last) {
  const std::string known = text(meta(&order, number_key));
  const bool is_shown = has_number(known, tracking.tracking_number) && !tracking.has_new_url;
  if (is_shown && tracking.earlier_numbers.empty()) co_return false;
  const std::string route = "wc/v3/orders/" + tracking.order_id;
  const auto notes = co_await client_.expect("GET", route + "/notes");
  // The last number that the buyer was told counts: a shipment may return to an earlier one.
  const std::string told = newest_note(notes.body, tracking);
  const bool has_told_number = mentions(told, tracking.tracking_number);
  if (is_shown && (told.empty() || has_told_number)) co_return false;
  const std::string note = note_text(tracking);
  if (!has_told_number || (tracking.has_new_url && told.find(tracking.tracking_url) == std::string::npos)) {
    co_await client_.expect("POST", route + "/notes", {}, {{"note", note}, {"customer_note", true}});
  }
  json::object changes = {{"meta_data", {{{"key", number_key}, {"value", with_number(known, tracking)}}}}};
  if (is_last && is_open(text(member(&order, "status")))) changes["status"] = "completed";
  co_await client_.expect("PUT", route, {}, std::move(changes));
  co_return true;
}

asio::awaitable<bool> WooTracking::send_fulfillment(const StoreTracking& tracking, const json::value& order,
                                                    const WooPart& part, json::array& known) {
  if (has_parcel(known, tracking)) co_return false;
  const std::string route = "wc/v3/orders/" + tracking.order_id + "/fulfillments";
  const auto outdated =
      std::ranges::find_if(known, [&](const json::value& parcel) { return is_outdated(parcel, tracking); });
  if (outdated == known.end()) {
    json::array items = items_left(order, known, part);
    // A parcel of things that the store does not have.
    if (items.empty() && tracking.is_part) co_return co_await send_note(tracking, order, part.is_last);
    auto body = fulfillment_body(tracking, {json::object{{"key", "_items"}, {"value", std::move(items)}}});
    co_await client_.expect("POST", route, {}, body);
    known.push_back(std::move(body));
  } else {
    co_await client_.expect("PUT", route + "/" + text(member(&*outdated, "id")), {},
                            fulfillment_body(tracking, other_meta(*outdated)));
  }
  co_return true;
}

// The plugins can add and delete parcels, but not change them.
asio::awaitable<bool> WooTracking::send_plugin(const StoreTracking& tracking, const json::array& known) {
  const bool advanced = *dialect_ == Dialect::advanced_tracking;
  const std::string route = std::string(advanced ? "wc-ast/v3" : "wc-shipment-tracking/v3") + "/orders/" +
                            tracking.order_id + "/shipment-trackings";
  const bool had = has_parcel(known, tracking);
  if (!had) {
    json::object body = tracking_body(tracking);
    // This plugin requires a provider even with a custom one.
    if (advanced) body["tracking_provider"] = carrier_of(tracking);
    co_await client_.expect("POST", route, {}, std::move(body));
  }
  bool has_deleted = false;
  for (const json::value& parcel : known) {
    const std::string id = text(member(&parcel, "tracking_id"));
    if (id.empty() || !is_outdated(parcel, tracking)) continue;
    co_await client_.expect("DELETE", std::string(route).append("/").append(id));
    has_deleted = true;
  }
  co_return !had || has_deleted;
}

asio::awaitable<bool> WooTracking::send(StoreTracking tracking) {
  const bool is_id = all_digits(tracking.order_id);
  if (!is_id) throw StoreError(StoreProblem::refused, "The order's id is not valid in the store.");
  const std::string route = "wc/v3/orders/" + tracking.order_id;
  const auto order =
      co_await client_.call("GET", route, {{"_fields", "id,status,line_items,meta_data,refunds"}});
  if (order.response.status == 404 && !order.lacks_endpoint()) {
    throw StoreError(StoreProblem::refused, "The store has no such order any more.");
  }
  if (!order.is_success()) throw woo_refusal(order, "GET");
  const std::string status = text(member(&order.body, "status"));
  refuse_if_over(status);
  const auto part = co_await part_of(order.body, tracking);

  std::optional<json::array> known;
  if (dialect_) known = co_await parcels(*dialect_, tracking.order_id);
  if (!known) known = co_await discover(tracking.order_id);
  if (*dialect_ == Dialect::note) co_return co_await send_note(tracking, order.body, part.is_last);

  const bool is_new = *dialect_ == Dialect::fulfillments
                          ? co_await send_fulfillment(tracking, order.body, part, *known)
                          : co_await send_plugin(tracking, *known);
  const bool is_complete =
      part.is_last || (*dialect_ == Dialect::fulfillments && are_all_sent(part.wanted, *known));
  if (is_complete && is_open(status)) co_await client_.expect("PUT", route, {}, {{"status", "completed"}});
  co_return is_new;
}

}  // namespace waybill::connectors
