#include "tests/simulators/woocommerce/woocommerce_state.hpp"

#include <algorithm>

#include "base/number.hpp"

namespace waybill::tests {
namespace {

// Removes and returns the part of a route up to the next slash.
std::string_view take_part(std::string_view& route) {
  const auto end = std::min(route.find('/'), route.size());
  const auto part = route.substr(0, end);
  route.remove_prefix(std::min(end + 1, route.size()));
  return part;
}

Time whole_seconds(Time at) { return std::chrono::floor<std::chrono::seconds>(at); }

std::string http_date(Time at) {
  static constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::string text = woo_time(at);
  return std::string(days.at(std::chrono::weekday(day).c_encoding())) + ", " + text.substr(8, 2) + ' ' +
         months.at(static_cast<unsigned>(date.month()) - 1) + ' ' + text.substr(0, 4) + ' ' +
         text.substr(11) + " GMT";
}

Reply no_route() {
  return woo_error(404, "rest_no_route", "No route was found matching the URL and request method.");
}

Reply no_order(int status = 404) {
  return woo_error(status, "woocommerce_rest_shop_order_invalid_id", "Invalid ID.");
}

json::array as_array(const std::vector<json::object>& objects) {
  json::array array;
  for (const json::object& object : objects) array.emplace_back(object);
  return array;
}

}  // namespace

Reply woo_error(int status, std::string_view code, std::string_view message) {
  return json_reply(status, {{"code", code}, {"message", message}, {"data", {{"status", status}}}});
}

Time WooCommerceState::now() const { return whole_seconds(set_now.value_or(system_clock().now())); }

std::int64_t WooCommerceState::add_order(const json::object& fields, std::optional<Time> modified) {
  Record record;
  record.id = next_id++;
  record.modified = whole_seconds(modified.value_or(now()));
  record.created = record.modified - std::chrono::hours(1);
  record.fields = plausible_order(record.id);
  merge(record.fields, fields);
  record.status = text_at(record.fields, "status");
  return orders.emplace(record.id, std::move(record)).first->first;
}

std::int64_t WooCommerceState::add_product(const json::object& fields, std::optional<Time> modified) {
  Record record;
  record.id = next_id++;
  record.modified = whole_seconds(modified.value_or(now()));
  record.created = record.modified - std::chrono::hours(1);
  record.fields = plausible_product(record.id);
  merge(record.fields, fields);
  return products.emplace(record.id, std::move(record)).first->first;
}

std::int64_t WooCommerceState::add_variation(std::int64_t product, const json::object& fields) {
  Record& parent = products.at(product);
  Record record;
  record.id = next_id++;
  record.modified = record.created = now();
  record.fields = plausible_variation(record.id, parent.fields);
  merge(record.fields, fields);
  parent.fields["type"] = "variable";
  parent.fields["variations"].as_array().emplace_back(record.id);
  parent.cached_json.clear();
  return parent.variations.emplace(record.id, std::move(record)).first->first;
}

void WooCommerceState::change(Record& record, const json::object& fields, std::optional<Time> modified) {
  merge(record.fields, fields);
  record.status = text_at(record.fields, "status");
  record.modified = whole_seconds(modified.value_or(now()));
  record.cached_json.clear();
}

json::object WooCommerceState::to_response(const Record& record) const {
  json::object result = record.fields;
  const auto put = [&](std::string_view name, Time at) {
    if (!result.contains(name)) result[name] = woo_time(at + berlin_offset(at));
    const std::string gmt = std::string(name) + "_gmt";
    if (!result.contains(gmt)) result[gmt] = woo_time(at);
  };
  put("date_created", record.created);
  put("date_modified", record.modified);
  return result;
}

const std::string& WooCommerceState::text_of(Record& record, const std::string& fields) const {
  if (!record.cached_json.empty() && record.cached_fields == fields) return record.cached_json;
  json::object all = to_response(record);
  if (!fields.empty()) {
    const std::string wanted = "," + fields + ",";
    json::object some;
    for (const auto& [name, value] : all) {
      if (wanted.find("," + std::string(name) + ",") != std::string::npos) some[name] = value;
    }
    all = std::move(some);
  }
  record.cached_json = to_json(all);
  record.cached_fields = fields;
  return record.cached_json;
}

bool WooCommerceState::fails(const Record& record, const std::string& fields) {
  const bool is_whole = fields.empty() || fields.find("line_items") != std::string::npos ||
                        fields.find("description") != std::string::npos;
  return record.is_broken && is_whole;
}

Reply critical_error() {
  return woo_error(500, "internal_server_error", "<p>There has been a critical error on this website.</p>");
}

WooCommerceState::ParsedRequest WooCommerceState::parse(const Received& request) const {
  ParsedRequest parsed{.method = request.method,
                       .route = {},
                       .parameters = query_parameters(request.target),
                       .request = &request,
                       .body = request.json_body()};
  std::string_view path = std::string_view(request.target).substr(0, request.target.find('?'));
  if (!path.starts_with(options.path)) return parsed;
  path.remove_prefix(options.path.size());
  constexpr std::string_view prefix = "/wp-json/";
  std::string_view route;
  if (const auto plain = parsed.parameters.find("rest_route"); plain != parsed.parameters.end()) {
    if (path == "/" || path == "/index.php") route = plain->second;
  } else if (path.starts_with(prefix) && !options.plain_permalinks) {
    route = path.substr(prefix.size());
  }
  while (route.starts_with('/')) route.remove_prefix(1);
  while (route.ends_with('/')) route.remove_suffix(1);
  parsed.route = route;
  return parsed;
}

Reply WooCommerceState::handle(const Received& request) {
  const auto fault = faults.take(request.method, request.target);
  Reply reply;
  std::function<void(std::size_t)> act;
  std::size_t page = 0;
  if (!fault || fault->reaches_store) {
    const Lock lock(mutex);
    ParsedRequest parsed = parse(request);
    reply = answer(parsed);
    reply.headers.emplace_back("Date", http_date(now()));
    calls.push_back({parsed.method, parsed.route, parsed.parameters, request.body, reply.status});
    if (parsed.listed) {
      act = after_page;
      page = ++pages;
    }
  } else {
    const Lock lock(mutex);
    const ParsedRequest parsed = parse(request);
    calls.push_back({parsed.method, parsed.route, parsed.parameters, request.body, 0});
  }
  if (act) act(page);
  if (fault) fault->spoil(reply);
  return reply;
}

Reply WooCommerceState::answer(ParsedRequest& parsed) {
  if (parsed.route.empty()) {
    return Reply::with_status(404, {{"Content-Type", "text/html; charset=UTF-8"}},
                              "<!DOCTYPE html><html><body>Page not found</body></html>");
  }
  const bool is_known_api = parsed.route.starts_with("wc/") || parsed.route.starts_with("wc-");
  bool known = false;
  if (is_known_api) {
    if (auto error = authenticate(parsed, known)) return std::move(*error);
  }
  Reply reply = dispatch(parsed);
  if (known || reply.status == 404) return reply;
  parsed.listed = false;
  return parsed.method == "GET"
             ? woo_error(401, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.")
             : woo_error(401, "woocommerce_rest_cannot_create",
                         "Sorry, you are not allowed to create resources.");
}

Reply WooCommerceState::dispatch(ParsedRequest& parsed) {
  std::string_view rest = parsed.route;
  const auto part = take_part(rest);
  if ((part == "wc-shipment-tracking" && options.shipment_tracking) ||
      (part == "wc-ast" && options.advanced_tracking)) {
    return take_part(rest) == "v3" ? order_trackings(parsed, rest, part) : no_route();
  }
  if (part != "wc" || take_part(rest) != "v3") return no_route();
  const auto resource = take_part(rest);
  if (resource == "orders") return order_routes(parsed, rest);
  if (resource == "products") return product_routes(parsed, rest);
  if (resource == "settings" && rest == "products" && parsed.method == "GET") return settings();
  return no_route();
}

Reply WooCommerceState::order_routes(ParsedRequest& parsed, std::string_view rest) {
  if (rest.empty()) {
    if (parsed.method == "GET") return list(parsed, orders, true);
    if (parsed.method != "POST") return no_route();
    if (!parsed.body.is_object()) return woo_error(400, "rest_invalid_json", "Invalid JSON body passed.");
    const std::int64_t id = add_order(parsed.body.as_object(), std::nullopt);
    return json_reply(201, to_response(orders.at(id)),
                      {{"Location", home + "/wp-json/wc/v3/orders/" + std::to_string(id)}});
  }
  if (rest == "batch") return parsed.method == "POST" ? batch(parsed) : no_route();
  const auto id = parse_number<std::int64_t>(take_part(rest));
  if (!id) return no_route();
  const auto found = orders.find(*id);
  const bool fulfilling = rest == "fulfillments" || rest.starts_with("fulfillments/");
  if (fulfilling && !options.fulfillments) return no_route();
  if (found == orders.end()) {
    if (fulfilling) return woo_error(404, "woocommerce_rest_order_invalid_id", "Invalid order ID.");
    if (rest == "notes") return woo_error(404, "woocommerce_rest_order_invalid_id", "Invalid order ID.");
    return no_order(parsed.method == "GET" || parsed.method == "DELETE" ? 404 : 400);
  }
  return one_order(parsed, found->second, rest);
}

Reply WooCommerceState::one_order(const ParsedRequest& parsed, Record& record, std::string_view rest) {
  if (rest == "notes") return order_notes(parsed, record);
  if (rest == "refunds" && parsed.method == "GET") return json_reply(200, as_array(record.refunds));
  if (rest == "fulfillments" || rest.starts_with("fulfillments/")) {
    return order_fulfillments(parsed, record, rest.substr(std::min(rest.find('/') + 1, rest.size())));
  }
  if (!rest.empty()) return no_route();
  const auto fields = parsed.parameters.find("_fields");
  if (parsed.method == "GET") {
    if (fails(record, fields == parsed.parameters.end() ? "" : fields->second)) return critical_error();
    return Reply::with_status(200, {{"Content-Type", "application/json; charset=UTF-8"}},
                              text_of(record, fields == parsed.parameters.end() ? "" : fields->second));
  }
  if (parsed.method == "DELETE") {
    const auto force = parsed.parameters.find("force");
    const json::object before = to_response(record);
    if (force != parsed.parameters.end() && force->second == "true") {
      orders.erase(record.id);
    } else if (record.fields.at("status") == "trash") {
      return woo_error(410, "woocommerce_rest_already_trashed", "The order has already been deleted.");
    } else {
      change(record, {{"status", "trash"}}, std::nullopt);
    }
    return json_reply(200, before);
  }
  if (!parsed.body.is_object()) return woo_error(400, "rest_invalid_json", "Invalid JSON body passed.");
  json::object changes = parsed.body.as_object();
  if (auto* const meta = changes.if_contains("meta_data")) {
    json::array& own = record.fields["meta_data"].as_array();
    for (const json::value& entry : meta->as_array()) {
      const auto same = std::ranges::find_if(
          own, [&](const json::value& value) { return value.at("key") == entry.at("key"); });
      if (same != own.end()) {
        same->as_object()["value"] = entry.at("value");
      } else {
        own.push_back({{"id", next_id++}, {"key", entry.at("key")}, {"value", entry.at("value")}});
      }
    }
    changes.erase("meta_data");
  }
  change(record, changes, std::nullopt);
  return json_reply(200, to_response(record));
}

Reply WooCommerceState::order_notes(const ParsedRequest& parsed, Record& record) {
  if (parsed.method == "GET") return json_reply(200, as_array(record.notes));
  if (parsed.method != "POST") return no_route();
  const auto* const note = parsed.body.is_object() ? parsed.body.as_object().if_contains("note") : nullptr;
  if (note == nullptr || !note->is_string()) {
    return woo_error(400, "rest_missing_callback_param", "Missing parameter(s): note");
  }
  const auto* const customer = parsed.body.as_object().if_contains("customer_note");
  json::object made = {{"id", next_id++},
                       {"author", "woocommerce"},
                       {"date_created_gmt", woo_time(now())},
                       {"note", *note},
                       {"customer_note", customer != nullptr && *customer == true}};
  record.notes.push_back(made);
  return json_reply(201, made);
}

// A change replaces the meta data: keys that it leaves out are removed (OrderFulfillmentsRestController).
Reply WooCommerceState::order_fulfillments(const ParsedRequest& parsed, Record& record,
                                           std::string_view rest) {
  if (rest == "fulfillments") rest = {};
  if (parsed.method == "GET" && rest.empty()) return json_reply(200, as_array(record.fulfillments));
  if (!parsed.body.is_object()) return no_route();
  if (parsed.method == "PUT") {
    for (json::object& fulfillment : record.fulfillments) {
      if (std::to_string(fulfillment.at("id").to_number<std::int64_t>()) != rest) continue;
      for (const auto& [name, value] : parsed.body.as_object()) fulfillment[name] = value;
      return json_reply(200, fulfillment);
    }
    return woo_error(404, "woocommerce_rest_fulfillment_invalid_id", "Invalid fulfillment ID.");
  }
  if (parsed.method != "POST" || !rest.empty()) return no_route();
  json::object made = parsed.body.as_object();
  const auto& meta = made["meta_data"];
  const bool has_items =
      meta.is_array() && std::ranges::any_of(meta.as_array(), [](const json::value& entry) {
        return entry.at("key") == "_items" && !entry.at("value").as_array().empty();
      });
  if (!has_items) {
    return woo_error(400, "woocommerce_fulfillment_error",
                     "The fulfillment should contain at least one item.");
  }
  made["id"] = next_id++;
  made["entity_type"] = "WC_Order";
  made["entity_id"] = std::to_string(record.id);
  made["date_updated"] = format_timestamp(now());
  made["date_deleted"] = nullptr;
  record.fulfillments.push_back(made);
  return json_reply(201, made);
}

Reply WooCommerceState::order_trackings(const ParsedRequest& parsed, std::string_view rest,
                                        std::string_view own_route) {
  if (take_part(rest) != "orders") return no_route();
  const auto id = parse_number<std::int64_t>(take_part(rest));
  if (!id || take_part(rest) != "shipment-trackings") return no_route();
  const auto found = orders.find(*id);
  if (found == orders.end()) return woo_error(404, "woocommerce_rest_order_invalid_id", "Invalid order ID.");
  Record& record = found->second;
  if (parsed.method == "DELETE") {
    const auto gone = std::ranges::find_if(
        record.trackings, [&](const json::object& each) { return text_at(each, "tracking_id") == rest; });
    if (gone == record.trackings.end()) {
      return woo_error(404, "woocommerce_rest_order_shipment_tracking_invalid_id",
                       "Invalid shipment tracking ID.");
    }
    const json::object deleted = std::move(*gone);
    record.trackings.erase(gone);
    return json_reply(200, deleted);
  }
  if (!rest.empty()) return no_route();
  if (parsed.method == "GET") return json_reply(200, as_array(record.trackings));
  if (parsed.method != "POST") return no_route();
  const json::object body = parsed.body.is_object() ? parsed.body.as_object() : json::object();
  if (!body.contains("tracking_number")) {
    return woo_error(400, "rest_missing_callback_param", "Missing parameter(s): tracking_number");
  }
  json::object made = {{"tracking_id", std::to_string(next_id++)},
                       {"tracking_provider", text_at(body, "custom_tracking_provider")},
                       {"tracking_link", text_at(body, "custom_tracking_link")},
                       {"tracking_number", body.at("tracking_number")},
                       {"date_shipped", text_at(body, "date_shipped")}};
  record.trackings.push_back(made);
  const std::string place = home + "/wp-json/" + std::string(own_route) + "/v3/orders/" +
                            std::to_string(*id) + "/shipment-trackings/";
  return json_reply(201, made, {{"Location", place + text_at(made, "tracking_id")}});
}

Reply WooCommerceState::batch(const ParsedRequest& parsed) {
  json::object result;
  for (const char* const operation : {"create", "update", "delete"}) {
    const auto* const items =
        parsed.body.is_object() ? parsed.body.as_object().if_contains(operation) : nullptr;
    if (items == nullptr || !items->is_array() || items->as_array().empty()) continue;
    return woo_error(501, "simulator_has_no_batches", "The simulator takes empty batches alone.");
  }
  return json_reply(200, result);
}

Reply WooCommerceState::settings() const {
  const auto setting = [](std::string_view id, const std::string& value) {
    return json::object{{"id", id}, {"type", "select"}, {"value", value}, {"group_id", "products"}};
  };
  return json_reply(200, json::array{setting("woocommerce_weight_unit", options.weight_unit),
                                     setting("woocommerce_dimension_unit", options.dimension_unit)});
}

Reply WooCommerceState::product_routes(ParsedRequest& parsed, std::string_view rest) {
  if (parsed.method != "GET") return no_route();
  if (rest.empty()) return list(parsed, products, false);
  const auto id = parse_number<std::int64_t>(take_part(rest));
  if (!id) return no_route();
  const auto found = products.find(*id);
  if (found == products.end()) {
    return woo_error(404, "woocommerce_rest_product_invalid_id", "Invalid ID.");
  }
  if (rest == "variations") return list(parsed, found->second.variations, false);
  if (!rest.empty()) return no_route();
  return found->second.is_broken ? critical_error() : json_reply(200, to_response(found->second));
}

std::string parameter(const Parameters& parameters, const std::string& name, const std::string& otherwise) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? otherwise : found->second;
}

}  // namespace waybill::tests
