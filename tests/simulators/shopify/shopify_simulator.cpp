#include "tests/simulators/shopify/shopify_simulator.hpp"

#include <algorithm>
#include <regex>
#include <utility>

namespace waybill::tests {
namespace {

const GraphqlSchema& schema() {
  static const GraphqlSchema schema(R"(
QueryRoot: shop:Shop currentAppInstallation:AppInstallation order:Order orders@Order fulfillmentOrder:FulfillmentOrder product:Product products@Product
MutationRoot: fulfillmentCreate:FulfillmentCreatePayload fulfillmentTrackingInfoUpdate:FulfillmentTrackingInfoUpdatePayload
Shop: id name
AppInstallation: accessScopes[AccessScope
AccessScope: handle
PageInfo: hasNextPage hasPreviousPage startCursor endCursor
Order: id name test note createdAt updatedAt cancelledAt displayFinancialStatus displayFulfillmentStatus email phone currentTotalPriceSet:MoneyBag shippingLine:ShippingLine customer:Customer shippingAddress:MailingAddress billingAddress:MailingAddress fulfillments[Fulfillment fulfillmentOrders@FulfillmentOrder lineItems@LineItem
MoneyBag: shopMoney:MoneyV2
MoneyV2: amount currencyCode
Customer: firstName lastName defaultEmailAddress:CustomerEmailAddress defaultPhoneNumber:CustomerPhoneNumber
CustomerEmailAddress: emailAddress
CustomerPhoneNumber: phoneNumber
MailingAddress: name company address1 address2 city province provinceCode zip countryCodeV2 phone
ShippingLine: title discountedPriceSet:MoneyBag
LineItem: id title variantTitle sku quantity currentQuantity customAttributes[Attribute originalUnitPriceSet:MoneyBag
Attribute: key value
Fulfillment: id status displayStatus location:Location trackingInfo[FulfillmentTrackingInfo
FulfillmentTrackingInfo: company number url
FulfillmentOrder: id status fulfillments@Fulfillment assignedLocation:FulfillmentOrderAssignedLocation lineItems@FulfillmentOrderLineItem
FulfillmentOrderLineItem: id totalQuantity remainingQuantity lineItem:LineItem
FulfillmentOrderAssignedLocation: name location:Location
Location: id
Product: id title description updatedAt hasOnlyDefaultVariant variants@ProductVariant
ProductVariant: id title sku barcode price inventoryItem:InventoryItem
InventoryItem: harmonizedSystemCode countryCodeOfOrigin measurement:InventoryItemMeasurement
InventoryItemMeasurement: weight:Weight
Weight: unit value
FulfillmentCreatePayload: fulfillment:Fulfillment userErrors[UserError
FulfillmentTrackingInfoUpdatePayload: fulfillment:Fulfillment userErrors[UserError
UserError: field message
)");
  return schema;
}

Reply json_reply(const json::object& body, int status = 200, Headers headers = {}) {
  headers.emplace_back("Content-Type", "application/json; charset=utf-8");
  return Reply::with_status(status, std::move(headers), json::serialize(body));
}

Reply page_reply(int status) {
  return Reply::with_status(status, {{"Content-Type", "text/html"}}, "<!DOCTYPE html><title>Shop</title>");
}

json::object error_answer(const json::object& error) { return {{"errors", json::array{error}}}; }

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

// The parameters of the token endpoint, which accepts forms and JSON.
std::map<std::string, std::string> parameters_of(const Received& request) {
  std::map<std::string, std::string> parameters;
  const auto body = request.json_body();
  if (body.is_object()) {
    for (const auto& [name, value] : body.get_object()) {
      if (value.is_string()) parameters[name] = value.get_string();
    }
    return parameters;
  }
  for (std::size_t start = 0; start < request.body.size();) {
    const auto end = std::min(request.body.size(), request.body.find('&', start));
    const std::string pair = request.body.substr(start, end - start);
    const auto equals = std::min(pair.size(), pair.find('='));
    parameters[decoded(pair.substr(0, equals))] =
        equals < pair.size() ? decoded(pair.substr(equals + 1)) : "";
    start = end + 1;
  }
  return parameters;
}

// The time in the filter `updated_at:>='…'`; without quotes the time of day is ignored (shopify.dev, "API
// search syntax").
std::optional<Time> since_of(const json::object& arguments) {
  const auto* const query = arguments.if_contains("query");
  if (query == nullptr || !query->is_string()) return std::nullopt;
  static const std::regex form(R"(updated_at:>=('?)([^' ]+)('?))");
  const std::string text(query->get_string());
  std::smatch parts;
  if (!std::regex_match(text, parts, form))
    throw GraphqlError("Invalid search field for this query: " + text);
  return parts[1].length() > 0 ? parse_timestamp(parts[2].str()) : parse_date(parts[2].str().substr(0, 10));
}

}  // namespace

ShopifySimulator::ShopifySimulator()
    : scopes_{"read_orders", "read_products", "read_customers", "write_merchant_managed_fulfillment_orders"},
      tokens_{std::string(fixed_token)},
      receiver_(std::make_unique<Receiver>()) {
  receiver_->on_request([this](const Received& request) { return answer(request); });
}

ShopifySimulator::~ShopifySimulator() {
  hold(nullptr);
  receiver_.reset();
}

std::string ShopifySimulator::url() const { return "http://127.0.0.1:" + std::to_string(receiver_->port()); }

Reply ShopifySimulator::answer(const Received& request) {
  Reply reply;
  std::shared_ptr<Gate> gate;
  {
    const std::lock_guard lock(mutex_);
    paths_.insert(request.target);
    gate = gate_;
  }
  static const std::regex api(R"(/admin/api/(\d{4}-\d{2}|unstable)/graphql\.json)");
  if (request.target == "/admin/oauth/access_token" && request.method == "POST") {
    reply = grant(request);
  } else if (std::regex_match(request.target, api) && request.method == "POST") {
    reply = graphql(request);
  } else {
    reply = json_reply({{"errors", "Not Found"}}, 404);
  }
  reply.gate = gate;
  return reply;
}

Reply ShopifySimulator::grant(const Received& request) {
  auto parameters = parameters_of(request);
  const std::lock_guard lock(mutex_);
  ++grants_;
  if (parameters["grant_type"] != "client_credentials") {
    return json_reply({{"error", "invalid_request"}, {"error_description", "Unsupported grant type"}}, 400);
  }
  if (parameters["client_id"] != client_id) {
    return json_reply(
        {{"error", "application_cannot_be_found"}, {"error_description", "No such application"}}, 400);
  }
  if (parameters["client_secret"] != client_secret) {
    return json_reply({{"error", "invalid_client"}, {"error_description", "The client secret is wrong"}},
                      400);
  }
  const std::string token = "shpat_" + std::to_string(grants_);
  tokens_.insert(token);
  std::string scope;
  for (const auto& granted : scopes_) scope += (scope.empty() ? "" : ",") + granted;
  return json_reply({{"access_token", token}, {"scope", scope}, {"expires_in", 86399}});
}

std::optional<Reply> ShopifySimulator::fault_before(Fault fault) {
  const json::object throttled{{"message", "Throttled"}, {"extensions", {{"code", "THROTTLED"}}}};
  switch (fault) {
    case Fault::server_error:
      return page_reply(500);
    case Fault::unavailable:
      return page_reply(503);
    case Fault::too_many:
      return json_reply({{"errors", "Exceeded 2 calls per second for api client."}}, 429,
                        {{"Retry-After", "2.0"}});
    case Fault::html:
      return page_reply(200);
    case Fault::unauthorized:
      return json_reply({{"errors", "[API] Invalid API key or access token"}}, 401);
    case Fault::forbidden:
      return json_reply({{"errors", "[API] This action requires merchant approval for read_orders scope."}},
                        403);
    case Fault::not_found:
      return json_reply({{"errors", "Not Found"}}, 404);
    case Fault::frozen:
      return json_reply({{"errors", "Payment Required"}}, 402);
    case Fault::redirect:
      return Reply::with_status(302, {{"Location", "http://localhost:1/elsewhere"}});
    case Fault::throttled: {
      auto body = error_answer(throttled);
      body["extensions"] = cost_of(100, nullptr);
      return json_reply(body);
    }
    case Fault::throttled_bare:
      return json_reply(error_answer(throttled));
    case Fault::internal_error:
      return json_reply(
          error_answer({{"message", "Internal error. Looks like something went wrong on our end."},
                        {"extensions", {{"code", "INTERNAL_SERVER_ERROR"}, {"requestId", "1b355a21"}}}}));
    case Fault::no_data:
      return json_reply({{"ok", true}});
    case Fault::cut:
    case Fault::lost:
      return std::nullopt;
  }
  return std::nullopt;
}

Reply ShopifySimulator::graphql(const Received& request) {
  std::optional<Fault> fault;
  {
    const std::lock_guard lock(mutex_);
    if (!faults_.empty()) {
      fault = faults_.front();
      faults_.pop_front();
      if (fault) {
        if (auto reply = fault_before(*fault)) return *reply;
      }
    }
    if (!tokens_.contains(request.header("x-shopify-access-token"))) {
      return json_reply(
          {{"errors", "[API] Invalid API key or access token (unrecognized login or wrong password)"}}, 401);
    }
  }
  const auto body = request.json_body();
  if (!request.header("content-type").starts_with("application/json") || !body.is_object() ||
      !body.get_object().contains("query")) {
    return json_reply({{"errors", {{"query", "Required parameter missing or invalid"}}}}, 400);
  }
  json::object whole;
  try {
    run_hooks(body.get_object());
    const std::lock_guard lock(mutex_);
    whole = execute(body.get_object());
  } catch (const GraphqlError& error) {
    whole = error_answer(error.entry());
  }
  Reply reply = json_reply(whole);
  if (fault == Fault::cut) reply.kind = Reply::Kind::cut;
  if (fault == Fault::lost) reply.kind = Reply::Kind::reset;
  return reply;
}

void ShopifySimulator::run_hooks(const json::object& call) {
  const std::string_view query = call.at("query").as_string();
  const bool is_page =
      query.find("orders(") != std::string_view::npos || query.find("products(") != std::string_view::npos;
  std::function<void(std::size_t)> page_hook;
  std::function<void()> call_hook;
  std::size_t page = 0;
  {
    const std::lock_guard lock(mutex_);
    if (is_page) {
      page = ++pages_;
      page_hook = page_hook_;
    }
    if (!hooked_call_.empty() && query.find(hooked_call_ + "(") != std::string_view::npos)
      call_hook = call_hook_;
  }
  if (page_hook) page_hook(page);
  if (call_hook) call_hook();
}

double ShopifySimulator::points() {
  const auto now = std::chrono::steady_clock::now();
  const double passed = std::chrono::duration<double>(now - available_at_).count();
  available_ = std::min(bucket_, available_ + passed * restored_);
  available_at_ = now;
  return available_;
}

json::object ShopifySimulator::cost_of(double requested, const json::value& actual) {
  return {
      {"cost",
       {{"requestedQueryCost", requested},
        {"actualQueryCost", actual},
        {"throttleStatus",
         {{"maximumAvailable", bucket_}, {"currentlyAvailable", points()}, {"restoreRate", restored_}}}}}};
}

json::object ShopifySimulator::execute(const json::object& call) {
  const auto* const given = call.if_contains("variables");
  const json::object variables =
      given != nullptr && given->is_object() ? given->get_object() : json::object();
  const auto operation = parse_graphql(call.at("query").as_string(), variables);
  const bool writes = operation.kind == "mutation";
  const double requested = schema().cost(operation.selection, writes ? "MutationRoot" : "QueryRoot");
  if (requested > max_query_cost_) {
    ++too_costly_;
    return error_answer(
        {{"message", "Query cost is " + std::to_string(static_cast<int>(requested)) +
                         ", which exceeds the single query max cost limit."},
         {"extensions", {{"code", "MAX_COST_EXCEEDED"}, {"cost", requested}, {"maxCost", max_query_cost_}}}});
  }
  if (points() < requested) {
    ++throttled_;
    auto refused = error_answer({{"message", "Throttled"}, {"extensions", {{"code", "THROTTLED"}}}});
    refused["extensions"] = cost_of(requested, nullptr);
    return refused;
  }
  ++performed_[operation.name];
  GraphqlProjection projection(schema(), denied_fields());
  json::object data;
  json::array errors;
  for (const auto& requested_field : operation.selection) {
    try {
      data[requested_field.key] = execute_field(requested_field, operation.kind, projection);
    } catch (const GraphqlError& error) {
      auto entry = error.entry();
      entry["path"] = json::array{requested_field.key};
      errors.push_back(std::move(entry));
      data[requested_field.key] = nullptr;
    }
  }
  for (auto& error : projection.errors()) {
    json::array path{operation.selection.front().key};
    for (const auto& step : error.as_object().at("path").as_array()) path.push_back(step);
    error.as_object()["path"] = std::move(path);
    errors.push_back(std::move(error));
  }
  available_ -= projection.cost();
  json::object whole{{"data", std::move(data)}, {"extensions", cost_of(requested, projection.cost())}};
  if (!errors.empty()) whole["errors"] = std::move(errors);
  return whole;
}

bool ShopifySimulator::has_scope(std::string_view right) const {
  return scopes_.contains("read_" + std::string(right)) || scopes_.contains("write_" + std::string(right));
}

std::map<std::string, std::string> ShopifySimulator::denied_fields() const {
  std::map<std::string, std::string> denied;
  if (!has_scope("customers")) denied["Order.customer"] = "`read_customers` access scope.";
  if (!has_scope("merchant_managed_fulfillment_orders") && !has_scope("assigned_fulfillment_orders")) {
    denied["Order.fulfillmentOrders"] = "`read_merchant_managed_fulfillment_orders` access scope.";
  }
  if (!has_scope("locations")) {
    for (const auto* const field : {"Fulfillment.location", "FulfillmentOrderAssignedLocation.location"}) {
      denied[field] = "`read_locations` access scope.";
    }
  }
  return denied;
}

json::value ShopifySimulator::execute_field(const GraphqlField& requested_field, const std::string& kind,
                                            GraphqlProjection& projection) {
  const auto& known = schema().field(kind == "mutation" ? "MutationRoot" : "QueryRoot", requested_field.name);
  const auto require = [&](bool allowed, const std::string& scope) {
    if (allowed) return;
    throw GraphqlError("Access denied for " + requested_field.name + " field. Required access: `" + scope +
                           "` access scope.",
                       {{"code", "ACCESS_DENIED"}, {"requiredAccess", "`" + scope + "` access scope."}});
  };
  if (kind == "mutation") {
    require(scopes_.contains("write_merchant_managed_fulfillment_orders") ||
                scopes_.contains("write_assigned_fulfillment_orders"),
            "write_merchant_managed_fulfillment_orders");
    return projection.take(requested_field, known,
                           requested_field.name == "fulfillmentCreate"
                               ? shop_.fulfillment_create(requested_field.arguments)
                               : shop_.tracking_update(requested_field.arguments));
  }
  if (requested_field.name == "shop") {
    return projection.take(requested_field, known,
                           json::object{{"id", "gid://shopify/Shop/1"}, {"name", "Tea & Co"}});
  }
  if (requested_field.name == "currentAppInstallation") {
    json::array scopes;
    for (const auto& scope : scopes_) scopes.push_back(json::object{{"handle", scope}});
    return projection.take(requested_field, known, json::object{{"accessScopes", std::move(scopes)}});
  }
  if (requested_field.name == "fulfillmentOrder") {
    require(has_scope("merchant_managed_fulfillment_orders"), "read_merchant_managed_fulfillment_orders");
    return projection.take(requested_field, known,
                           shop_.find_fulfillment_order(requested_field.arguments.at("id").as_string()));
  }
  const bool of_orders = requested_field.name.starts_with("order");
  require(has_scope(of_orders ? "orders" : "products"), of_orders ? "read_orders" : "read_products");
  ShopifyTable& table = of_orders ? shop_.orders : shop_.products;
  if (requested_field.name == "order" || requested_field.name == "product") {
    auto* const record = table.find(gid_number(requested_field.arguments.at("id").as_string()));
    return projection.take(requested_field, known, record == nullptr ? json::value() : json::value(*record));
  }
  if (!requested_field.arguments.contains("sortKey") ||
      requested_field.arguments.at("sortKey") != "UPDATED_AT") {
    throw GraphqlError("This simulator sorts by UPDATED_AT alone");
  }
  const auto page = table.page(graphql_first(requested_field), since_of(requested_field.arguments),
                               requested_field.arguments.if_contains("after"), cursors_);
  return projection.take_page(requested_field, known.type, page);
}

}  // namespace waybill::tests
