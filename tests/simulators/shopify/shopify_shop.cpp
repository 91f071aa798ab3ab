#include "tests/simulators/shopify/shopify_shop.hpp"

#include <algorithm>

#include "base/crypto.hpp"
#include "base/number.hpp"

namespace waybill::tests {
namespace {

std::string encoded(std::string_view text) {
  return base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

json::object user_error(std::string_view field, std::string_view message) {
  return {{"fulfillment", nullptr},
          {"userErrors", json::array{json::object{{"field", json::array{field}}, {"message", message}}}}};
}

const json::object* object_in(const json::object& object, std::string_view field) {
  const auto* const found = object.if_contains(field);
  return found == nullptr ? nullptr : found->if_object();
}

std::string text_of(const json::object& object, std::string_view field) {
  const auto* const found = object.if_contains(field);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

// The URL that the shop makes of a number without one, if it knows the company (shopify.dev,
// FulfillmentTrackingInput).
json::value linked_url(const json::value& company, const json::value& number) {
  if (company != "DHL Express" && company != "UPS") return nullptr;
  return json::value("https://carrier.example/" + std::string(company.as_string()) + "/" +
                     std::string(number.as_string()));
}

// Takes the requested lines of a fulfillment order, all if none is requested. Returns false if it has fewer.
bool take_lines(json::object& fulfillment_order, const json::object& requested) {
  const auto* const named = requested.if_contains("fulfillmentOrderLineItems");
  auto* const lines = fulfillment_order.if_contains("lineItems");
  if (lines == nullptr) return named == nullptr;
  for (auto& line : lines->as_array()) {
    auto& remaining = line.as_object().at("remainingQuantity").as_int64();
    if (named == nullptr) remaining = 0;
  }
  if (named == nullptr) return true;
  for (const auto& wanted : named->as_array()) {
    const auto& all = lines->as_array();
    const auto line =
        std::ranges::find_if(all, [&](const json::value& each) { return each.at("id") == wanted.at("id"); });
    if (line == all.end()) return false;
    auto& remaining = lines->as_array()[line - all.begin()].as_object().at("remainingQuantity").as_int64();
    remaining -= wanted.at("quantity").to_number<std::int64_t>();
    if (remaining < 0) return false;
  }
  return true;
}

bool has_lines_left(const json::object& fulfillment_order) {
  const auto* const lines = fulfillment_order.if_contains("lineItems");
  return lines != nullptr && std::ranges::any_of(lines->as_array(), [](const json::value& line) {
           return line.at("remainingQuantity").as_int64() > 0;
         });
}

// The trackingInfo entries of a FulfillmentTrackingInput, or an error message if it is invalid.
std::variant<json::array, std::string> tracking_of(const json::object& input) {
  const bool single = input.contains("number");
  const bool many = input.contains("numbers");
  if (single && many) return "You should not provide both number and numbers";
  if (input.contains("url") && !single) return "url requires number";
  if (input.contains("urls") && !many) return "urls requires numbers";
  json::array numbers = many ? input.at("numbers").as_array() : json::array();
  json::array urls = input.contains("urls") ? input.at("urls").as_array() : json::array();
  if (single) numbers = {input.at("number")};
  if (input.contains("url")) urls = {input.at("url")};
  json::array tracking;
  const json::value company = input.contains("company") ? input.at("company") : json::value();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    tracking.push_back(json::object{{"number", numbers[i]},
                                    {"url", i < urls.size() ? urls[i] : linked_url(company, numbers[i])},
                                    {"company", company}});
  }
  return tracking;
}

}  // namespace

std::string shopify_time(Time time) { return format_timestamp(time).substr(0, 19) + "Z"; }

std::string test_gid(std::string_view kind, std::int64_t id) {
  return "gid://shopify/" + std::string(kind) + "/" + std::to_string(id);
}

std::int64_t gid_number(std::string_view gid) {
  return parse_number<std::int64_t>(gid.substr(gid.rfind('/') + 1)).value_or(0);
}

void ShopifyTable::put(std::int64_t id, json::object record, Time changed_at) {
  erase(id);
  record["updatedAt"] = shopify_time(changed_at);
  rows_.insert_or_assign(id, Row{std::move(record), changed_at});
  by_change_.emplace(changed_at, id);
}

void ShopifyTable::erase(std::int64_t id) {
  const auto row = rows_.find(id);
  if (row == rows_.end()) return;
  by_change_.erase({row->second.changed_at, id});
  rows_.erase(row);
}

json::object* ShopifyTable::find(std::int64_t id) {
  const auto row = rows_.find(id);
  return row == rows_.end() ? nullptr : &row->second.record;
}

GraphqlPage ShopifyTable::page(std::size_t first, std::optional<Time> since, const json::value* after,
                               Cursors cursors) const {
  auto row = since ? by_change_.lower_bound({*since, 0}) : by_change_.begin();
  std::size_t position = 0;
  if (after != nullptr && after->is_string()) {
    const auto bytes = base64_decode(std::string_view(after->get_string()));
    boost::system::error_code failed;
    const auto cursor =
        json::parse(bytes ? std::string(bytes->begin(), bytes->end()) : std::string(), failed);
    if (failed || !cursor.is_object()) throw GraphqlError("Invalid cursor for current pagination sort.");
    if (cursors == Cursors::position) {
      position = cursor.at("position").to_number<std::size_t>() + 1;
      for (std::size_t i = 0; i < position && row != by_change_.end(); ++i) ++row;
    } else {
      const Key last{*parse_timestamp(cursor.at("last_value").as_string()), cursor.at("last_id").as_int64()};
      const auto behind = by_change_.upper_bound(last);
      if (!since || last >= Key{*since, 0}) row = behind;
    }
  }
  GraphqlPage page;
  for (; row != by_change_.end() && page.nodes.size() < first; ++row, ++position) {
    page.nodes.push_back(&rows_.at(row->second).record);
    const json::object cursor =
        cursors == Cursors::position
            ? json::object{{"position", position}}
            : json::object{{"last_id", row->second}, {"last_value", shopify_time(row->first)}};
    page.cursors.push_back(encoded(json::serialize(cursor)));
  }
  page.more = row != by_change_.end();
  return page;
}

Time ShopifyShop::tick() {
  if (!is_frozen_) now_ += std::chrono::seconds(1);
  return now_;
}

json::object ShopifyShop::money(std::string_view amount, std::string_view currency) {
  return {{"shopMoney", {{"amount", amount}, {"currencyCode", currency}}}};
}

json::object ShopifyShop::line_item(std::string_view title, std::int64_t quantity, std::string_view price) {
  return {
      {"title", title},       {"variantTitle", nullptr},     {"sku", nullptr},
      {"quantity", quantity}, {"currentQuantity", quantity}, {"originalUnitPriceSet", money(price, "EUR")}};
}

json::object ShopifyShop::variant(std::string_view title, std::string_view sku, std::string_view price,
                                  double weight, std::string_view unit) {
  return {{"title", title},
          {"sku", sku.empty() ? json::value() : json::value(sku)},
          {"barcode", nullptr},
          {"price", price},
          {"inventoryItem", {{"measurement", {{"weight", {{"unit", unit}, {"value", weight}}}}}}}};
}

json::object ShopifyShop::fulfillment_order(std::int64_t id, std::int64_t location, std::string_view status) {
  return {{"id", test_gid("FulfillmentOrder", id)},
          {"status", status},
          {"fulfillments", json::array()},
          {"assignedLocation",
           {{"name", "Location " + std::to_string(location)},
            {"location", {{"id", test_gid("Location", location)}}}}}};
}

json::object ShopifyShop::fulfillment_line(std::int64_t id, std::string_view line_item,
                                           std::int64_t quantity) {
  return {{"id", test_gid("FulfillmentOrderLineItem", id)},
          {"totalQuantity", quantity},
          {"remainingQuantity", quantity},
          {"lineItem", {{"id", line_item}}}};
}

json::value ShopifyShop::find_fulfillment_order(std::string_view gid) {
  const GraphqlPage all = orders.page(orders.size(), std::nullopt, nullptr, ShopifyTable::Cursors::key);
  for (const auto* const order : all.nodes) {
    for (const auto& part : order->at("fulfillmentOrders").as_array()) {
      if (text_of(part.as_object(), "id") == gid) return part;
    }
  }
  return nullptr;
}

std::int64_t ShopifyShop::add_order(const json::object& fields) {
  const std::int64_t id = ++next_id_;
  const Time now = tick();
  json::object order{
      {"id", test_gid("Order", id)},
      {"name", "#" + std::to_string(next_number_++)},
      {"test", false},
      {"note", nullptr},
      {"createdAt", shopify_time(now)},
      {"cancelledAt", nullptr},
      {"displayFinancialStatus", "PAID"},
      {"displayFulfillmentStatus", "UNFULFILLED"},
      {"email", "anna@example.com"},
      {"phone", nullptr},
      {"currentTotalPriceSet", money("24.90", "EUR")},
      {"customer",
       {{"firstName", "Anna"},
        {"lastName", "Müller"},
        {"defaultEmailAddress", {{"emailAddress", "anna@example.com"}}},
        {"defaultPhoneNumber", nullptr}}},
      {"shippingAddress",
       {{"name", "Anna Müller"},
        {"company", nullptr},
        {"address1", "Lindenstraße 1"},
        {"address2", nullptr},
        {"city", "Berlin"},
        {"province", "Berlin"},
        {"provinceCode", "BE"},
        {"zip", "10969"},
        {"countryCodeV2", "DE"},
        {"phone", "+49 30 1234567"}}},
      {"billingAddress", {{"name", "Anna Müller"}, {"company", nullptr}, {"phone", nullptr}}},
      {"shippingLine", {{"title", "Standard"}, {"discountedPriceSet", money("4.90", "EUR")}}},
      {"fulfillments", json::array()},
      {"fulfillmentOrders", json::array{fulfillment_order(++next_id_, 1)}},
      {"lineItems", json::array{line_item("Tea", 2, "12.45")}},
  };
  for (const auto& [name, value] : fields) order[name] = value;
  orders.put(id, std::move(order), now);
  return id;
}

void ShopifyShop::touch(ShopifyTable& table, std::int64_t id, const json::object& fields) {
  json::object record = *table.find(id);
  for (const auto& [name, value] : fields) record[name] = value;
  table.put(id, std::move(record), tick());
}

void ShopifyShop::change_order(std::int64_t id, const json::object& fields) { touch(orders, id, fields); }

std::int64_t ShopifyShop::add_product(const json::object& fields) {
  const std::int64_t id = ++next_id_;
  json::object product{{"id", test_gid("Product", id)},
                       {"title", "Tea"},
                       {"description", "Green, from Uji"},
                       {"hasOnlyDefaultVariant", true},
                       {"variants", json::array{variant("Default Title", "TEA-1", "12.45", 250, "GRAMS")}}};
  for (const auto& [name, value] : fields) product[name] = value;
  products.put(id, std::move(product), tick());
  return id;
}

void ShopifyShop::change_product(std::int64_t id, const json::object& fields) { touch(products, id, fields); }

json::object ShopifyShop::fulfillment_create(const json::object& arguments) {
  const auto& input = arguments.at("fulfillment").as_object();
  const auto* const info = object_in(input, "trackingInfo");
  const auto tracking = tracking_of(info != nullptr ? *info : json::object());
  if (const auto* const wrong = std::get_if<std::string>(&tracking))
    return user_error("trackingInfo", *wrong);
  std::map<std::string, const json::object*> requested;
  for (const auto& line : input.at("lineItemsByFulfillmentOrder").as_array()) {
    requested.emplace(text_of(line.as_object(), "fulfillmentOrderId"), &line.as_object());
  }
  const GraphqlPage all = orders.page(orders.size(), std::nullopt, nullptr, ShopifyTable::Cursors::key);
  for (const auto* const order : all.nodes) {
    json::array parts = order->at("fulfillmentOrders").as_array();
    std::set<std::string> locations;
    json::value location;
    std::size_t found = 0;
    for (auto& part : parts) {
      auto& fulfillment_order = part.as_object();
      const auto wanted = requested.find(text_of(fulfillment_order, "id"));
      if (wanted == requested.end()) continue;
      const std::string status = text_of(fulfillment_order, "status");
      if (status != "OPEN" && status != "IN_PROGRESS") {
        return user_error("fulfillment", "Fulfillment order " +
                                             std::to_string(gid_number(text_of(fulfillment_order, "id"))) +
                                             " has an unfulfillable status= " + status + ".");
      }
      ++found;
      if (!take_lines(fulfillment_order, *wanted->second))
        return user_error("fulfillment", "Invalid fulfillment order line item quantity requested.");
      fulfillment_order["status"] = has_lines_left(fulfillment_order) ? "IN_PROGRESS" : "CLOSED";
      fulfillment_order.at("fulfillments")
          .as_array()
          .push_back(json::object{{"id", test_gid("Fulfillment", next_id_ + 1)}});
      location = fulfillment_order.at("assignedLocation").at("location");
      locations.insert(text_of(location.as_object(), "id"));
    }
    if (found == 0) continue;
    if (found < requested.size())
      return user_error("fulfillment", "All fulfillment orders must belong to the same order.");
    if (locations.size() > 1)
      return user_error("fulfillment", "All fulfillment orders must be at one location.");
    json::object made{{"id", test_gid("Fulfillment", ++next_id_)},
                      {"status", "SUCCESS"},
                      {"displayStatus", "FULFILLED"},
                      {"location", location},
                      {"trackingInfo", std::get<json::array>(tracking)}};
    json::array fulfillments = order->at("fulfillments").as_array();
    fulfillments.push_back(made);
    const bool is_whole = std::ranges::none_of(parts, [](const json::value& part) {
      const std::string status = text_of(part.as_object(), "status");
      return status == "OPEN" || status == "IN_PROGRESS";
    });
    const auto* const notify = input.if_contains("notifyCustomer");
    if (notify != nullptr && notify->is_bool() && notify->get_bool()) ++notifications;
    change_order(gid_number(text_of(*order, "id")),
                 {{"fulfillmentOrders", std::move(parts)},
                  {"fulfillments", std::move(fulfillments)},
                  {"displayFulfillmentStatus", is_whole ? "FULFILLED" : "PARTIALLY_FULFILLED"}});
    return {{"fulfillment", std::move(made)}, {"userErrors", json::array()}};
  }
  return user_error("fulfillment", "Fulfillment order does not exist.");
}

json::object ShopifyShop::tracking_update(const json::object& arguments) {
  const auto tracking = tracking_of(arguments.at("trackingInfoInput").as_object());
  if (const auto* const wrong = std::get_if<std::string>(&tracking))
    return user_error("trackingInfo", *wrong);
  const std::string id = text_of(arguments, "fulfillmentId");
  const GraphqlPage all = orders.page(orders.size(), std::nullopt, nullptr, ShopifyTable::Cursors::key);
  for (const auto* const order : all.nodes) {
    json::array fulfillments = order->at("fulfillments").as_array();
    for (auto& fulfillment : fulfillments) {
      if (text_of(fulfillment.as_object(), "id") != id) continue;
      fulfillment.as_object()["trackingInfo"] = std::get<json::array>(tracking);
      json::object made = fulfillment.as_object();
      if (arguments.contains("notifyCustomer") && arguments.at("notifyCustomer").as_bool()) ++notifications;
      change_order(gid_number(text_of(*order, "id")), {{"fulfillments", std::move(fulfillments)}});
      return {{"fulfillment", std::move(made)}, {"userErrors", json::array()}};
    }
  }
  return user_error("fulfillmentId", "Fulfillment does not exist.");
}

}  // namespace waybill::tests
