#include "tests/workflows/tenant.hpp"

#include <atomic>
#include <sstream>
#include <stdexcept>

#include "base/guid.hpp"
#include "net/webhook_signature.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

json::object merged(json::object base, const json::object& more) {
  for (const auto& [key, value] : more) base[key] = value;
  return base;
}

void require(bool good, std::string_view what, const Response& response) {
  if (!good) {
    throw std::runtime_error(std::string(what) + ": " + std::to_string(response.status) + " " +
                             response.text);
  }
}

}  // namespace

Tenant::Tenant(const Waybill& api, std::string_view business)
    : http(api.business(business)), sql(api.database_url()), name(business) {
  id = sql.value("select guid from businesses where name = $1", {name});
}

std::string Tenant::create_order(const json::object& fields) {
  const json::object order =
      merged({{"customer", {{"name", "Ada Lovelace"}, {"email", "ada@example.com"}}},
              {"items", {{{"description", "Lamp"}, {"quantity", 2}, {"price", 19.99}}}},
              {"deliveryAddress", {{"street", "Rua Augusta 1"}, {"city", "Lisbon"}}}},
             fields);
  const Response response = http.post("/api/v1/Orders", order);
  require(response.status == 201, "create order", response);
  return text_at(response.body, "data.guid");
}

std::string Tenant::insert_order(const std::map<std::string, std::string>& columns) {
  std::string names = "business_id";
  std::string values = "'" + id + "'";
  if (!columns.contains("order_number")) {
    names += ", order_number";
    values += ", 'SQL-' || gen_random_uuid()";
  }
  for (const auto& [column, value] : columns) {
    names += ", " + column;
    values += ", " + value;
  }
  return sql.value("insert into orders (" + names + ") values (" + values + ") returning guid");
}

std::string Tenant::insert_shipment(std::string_view order, std::string_view status) {
  return sql.value(
      "insert into shipments (business_id, tracking_number, order_id, status) "
      "values ($1, 'SQL-' || gen_random_uuid(), $2, $3) returning guid",
      {id, order.empty() ? std::nullopt : std::optional(std::string(order)), std::string(status)});
}

void Tenant::move_shipment(std::string_view shipment, std::string_view status) {
  sql.exec("update shipments set status = '" + std::string(status) + "' where guid = '" +
           std::string(shipment) + "'");
}

std::string Tenant::status_of(std::string_view record) {
  return sql.value(
      "select status from orders where guid = $1 union all select status from shipments where guid = $1",
      {std::string(record)});
}

std::vector<std::string> Tenant::history_of_order(std::string_view order) {
  const Response response = http.get("/api/v1/Orders/" + std::string(order) + "/history");
  require(response.status == 200, "read history", response);
  std::vector<std::string> result;
  for (const json::value& entry : response.data().as_array()) {
    const std::string from = at(entry, "from").is_null() ? "" : text_at(entry, "from");
    result.push_back(from + " > " + text_at(entry, "to") + " by " + text_at(entry, "by.type"));
  }
  return result;
}

void Tenant::put_order(std::string_view order, const json::object& fields) {
  const Response response = http.put("/api/v1/Orders/" + std::string(order), fields);
  require(response.status == 200, "change order", response);
}

void Tenant::move_order(std::string_view order, std::string_view status) {
  const Response response =
      http.patch("/api/v1/Orders/" + std::string(order) + "/status", {{"status", status}});
  require(response.status == 200, "move order", response);
}

void Tenant::update_orders(std::string_view set_and_where) {
  sql.exec("update orders set " + std::string(set_and_where) + " and business_id = '" + id + "'");
}

json::object Tenant::configure(const json::object& definition) {
  const Response response = http.post("/api/workflows/configure", definition);
  require(response.status == (definition.contains("guid") ? 200 : 201), "configure workflow", response);
  return response.data().as_object();
}

std::string Tenant::webhook(std::string_view url, std::string_view trigger, const json::object& more) {
  std::string entity(trigger.substr(0, trigger.find('_')));
  entity[0] = static_cast<char>(entity[0] - 'a' + 'A');
  return text_at(configure(merged({{"name", std::string("on ") + std::string(trigger)},
                                   {"entityType", entity},
                                   {"triggerId", trigger_guid(trigger)},
                                   {"action", {{"type", "webhook"}, {"recipient", url}}}},
                                  more)),
                 "guid");
}

std::string Tenant::update_status(std::string_view trigger, std::string_view recipient,
                                  std::string_view status, const json::object& more) {
  return webhook(
      "", trigger,
      merged({{"action", {{"type", "update_status"}, {"recipient", recipient}, {"status", status}}}}, more));
}

std::string Tenant::managed(std::string_view status) {
  return sql.value(
      "select guid from workflows where business_id = $1 and is_managed and action ->> 'recipient' = 'order' "
      "and action ->> 'status' = $2",
      {id, std::string(status)});
}

json::object Tenant::workflow(std::string_view guid) {
  const Response response = http.get("/api/workflows/configured/" + std::string(guid));
  require(response.status == 200, "read workflow", response);
  return response.data().as_object();
}

std::vector<json::object> Tenant::runs(std::string_view query) {
  const Response response = http.get("/api/workflows/runs?PageSize=100&" + std::string(query));
  require(response.status == 200, "list runs", response);
  std::vector<json::object> result;
  for (const json::value& run : response.data().as_array()) result.push_back(run.as_object());
  return result;
}

json::object Tenant::run(std::string_view guid) {
  const Response response = http.get("/api/workflows/runs/" + std::string(guid));
  require(response.status == 200, "read run", response);
  return response.data().as_object();
}

json::object Tenant::run_with_status(std::string_view workflow, std::string_view status, Deadline deadline) {
  std::vector<json::object> found;
  const bool is_found = eventually(
      [&] {
        found = runs("workflowId=" + std::string(workflow));
        return found.size() == 1 && text_at(found[0], "status") == status;
      },
      deadline);
  if (!is_found) {
    throw std::runtime_error("no run became " + std::string(status) + ", but " +
                             (found.empty() ? "none is listed" : json::serialize(found[0])));
  }
  return run(text_at(found[0], "guid"));
}

void Tenant::settle(Deadline deadline) {
  const bool settled = eventually(
      [&] { return sql.number("select count(*) from pending_events where business_id = $1", {id}) == 0; },
      deadline);
  if (!settled) throw std::runtime_error("events are still not matched");
}

std::string trigger_guid(std::string_view code) {
  return Guid::from_name(namespace_url, "waybill:trigger:" + std::string(code)).to_string();
}

Finished verify_with_npm(std::string_view secret, const Received& request) {
  json::object headers;
  for (const auto* name : {"webhook-id", "webhook-timestamp", "webhook-signature"})
    headers[name] = request.header(name);
  const json::object input{{"secret", secret}, {"headers", headers}, {"body", request.body}};
  const std::filesystem::path script =
      std::filesystem::path(__FILE__).parent_path().parent_path() / "node" / "verify_webhook.js";
  return tests::run({"node", script}, {.standard_input = json::serialize(input)});
}

std::vector<std::string> signatures(const Received& request) {
  std::istringstream header(request.header("webhook-signature"));
  std::vector<std::string> result;
  for (std::string value; header >> value;) result.push_back(value);
  return result;
}

std::string expected_signature(std::string_view secret, const Received& request) {
  const auto parsed = net::WebhookSecret::parse(secret);
  if (!parsed) throw std::runtime_error("no secret: " + std::string(secret));
  return net::webhook_signature({&*parsed, 1}, request.header("webhook-id"),
                                std::stoll(request.header("webhook-timestamp")), request.body);
}

}  // namespace waybill::tests
