// No guid of another business is accepted by any endpoint, in its path, query or body.
#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/openapi_examples.hpp"
#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/api/fixtures/prepared_business.hpp"

namespace waybill::tests {
namespace {

using api::BodyKind;
using api::Endpoint;
using api::Kind;
using api::Method;
using api::Schema;

std::string_view method_of(const Endpoint& endpoint) {
  constexpr std::array<std::string_view, 5> names{"GET", "POST", "PUT", "PATCH", "DELETE"};
  return names[static_cast<std::size_t>(endpoint.method)];
}

std::string name_of(const Endpoint& endpoint) {
  return std::string(method_of(endpoint)) + " " + std::string(endpoint.path);
}

struct ParameterKind {
  std::string_view parameter;  // the end of its name, or an endpoint and the name: "/api/drivers guid"
  std::string_view kind;       // kind of PreparedBusiness; empty: common to all businesses
};

/// The kind of record that a guid names. The first match counts.
constexpr ParameterKind parameter_kinds[] = {
    {"/api/dispatch/remove-shipment shipmentId", "removable"},
    {"/api/v1/traces shipmentId", ""},  // an unknown shipment is an error of its entry (ScansTest)
    {"/api/workflows/configured/{guid}/rotate-secret guid", "webhook"},
    {"/api/carriers/contacts contactId", "carrierContact"},
    {"orderId", "order"},
    {"orderIds[]", "order"},
    {"itemId", "item"},
    {"itemIds[]", "item"},
    {"items[].guid", "item"},
    {"shipmentId", "shipment"},
    {"shipmentIds[]", "shipment"},
    {"customerId", "customer"},
    {"customerGuid", "customer"},
    {"customer.guid", "customer"},
    {"contactId", "contact"},
    {"referenceId", "reference"},
    {"productId", "product"},
    {"variantId", "variant"},
    {"presetId", "preset"},
    {"purchaseId", "purchase"},
    {"/api/integrations/provider/configure carrierId", ""},  // needs a store; PATCH has the same check
    {"carrierId", "carrier"},
    {"carrierIds[]", "carrier"},
    {"carrier.guid", "carrier"},
    {"defaultCarrier", "carrier"},
    {"driverId", "driver"},
    {"driver.guid", "driver"},
    {"currentDriverId", "driver"},
    {"currentDriver.guid", "driver"},
    {"vehicleId", "vehicle"},
    {"vehicle.guid", "vehicle"},
    {"assignedVehicle.guid", "vehicle"},
    {"dispatchId", "dispatch"},
    {"workflowId", "workflow"},
    {"entityId", "order"},
    {"actorId", "user"},
    {"triggerId", ""},
    {"providerId", ""},
    {"businessProviderId", "integration"},
    {"/api/integrations guid", "integration"},
    {"/api/v1/Orders/delete guid", "order"},
    {"/api/v1/shipments/delete guid", "shipment"},
    {"/api/v1/Customers/upload guid", "upload"},
    {"/api/v1/Customers/confirm-upload guid", "upload"},
    {"/api/v1/Products guid", "product"},
    {"/api/v1/dimension-presets guid", "preset"},
    {"/api/drivers guid", "driver"},
    {"/api/dispatch/in-shipment id", "packed"},
    {"/api/dispatch id", "dispatch"},
    {"/api/dispatch guid", "dispatch"},
    {"/api/route id", "dispatch"},
    {"/api/vehicle guid", "vehicle"},
    {"/api/vehicle/travel-history id", "vehicle"},
    {"/api/tracking/devices guid", "device"},
    {"/api/business/users guid", "user"},
    {"/api/business/tokens guid", "token"},
    {"/api/business guid", "business"},
    {"/api/workflows/configure guid", "workflow"},
    {"/api/workflows/templates guid", "template"},
    {"/api/workflows/runs guid", "run"},
    {"/api/workflows/runs since", ""},  // it selects nothing: only its time counts
    {"/api/messages guid", "run"},      // the message of a run's first step has its guid
    {"/api/jobs guid", "job"},
};

bool ends_with_part(std::string_view name, std::string_view part) {
  if (!name.ends_with(part)) return false;
  name.remove_suffix(part.size());
  return name.empty() || name.ends_with('.');
}

/// Throws for a guid that has no kind yet.
std::string_view kind_of(const Endpoint& endpoint, std::string_view parameter) {
  for (const auto& [name, kind] : parameter_kinds) {
    const auto space = name.find(' ');
    if (space == std::string_view::npos) {
      if (ends_with_part(parameter, name)) return kind;
    } else if (endpoint.path.starts_with(name.substr(0, space)) &&
               ends_with_part(parameter, name.substr(space + 1))) {
      return kind;
    }
  }
  throw std::runtime_error(name_of(endpoint) + ": what kind of record is " + std::string(parameter) + "?");
}

struct BaseBody {
  std::string_view endpoint;
  std::string_view body;
};

/// Values for fields with rules beyond `required`, or whose example does not exist in the test.
constexpr BaseBody base_bodies[] = {
    {"POST /api/v1/Orders",
     R"({"customerId": "$customer", "items": [{"description": "d", "quantity": 1, "price": 1}],
         "deliveryAddress": {"street": "s", "city": "c"}})"},
    {"PUT /api/v1/Orders/{orderId}", R"({"items": [{"guid": "$item", "quantity": 1}]})"},
    {"PATCH /api/v1/Orders/{orderId}/status", R"({"status": "processing"})"},
    {"POST /api/v1/shipments",
     R"({"sender": {"name": "n", "street": "s", "city": "c"}, "packages": [{"length": 1}],
         "recipient": {"name": "n", "street": "s", "city": "c"}})"},
    {"PATCH /api/v1/shipments", R"({"shipmentId": "$shipment", "deliveryDate": "2026-11-22T09:00:00Z"})"},
    {"POST /api/v1/shipments/{shipmentId}/traces", R"({"status": "collected", "description": "d"})"},
    {"PUT /api/v1/shipments/{shipmentId}", R"({"instructions": "ring"})"},
    {"POST /api/v1/Products", R"({"name": "n", "sku": "ISOLATED-1"})"},
    {"POST /api/v1/Products/{productId}/variants", R"({"name": "n", "sku": "ISOLATED-2"})"},
    {"POST /api/carriers/configure", R"({"carrierId": "$carrier", "accountNumber": "A-1"})"},
    {"PATCH /api/carriers/{carrierId}", R"({"isActive": true})"},
    {"POST /api/dispatch/remove-shipment", R"({"dispatchId": "$dispatch", "shipmentId": "$carried"})"},
    {"PATCH /api/integrations/{guid}",
     R"({"settings": {"serviceMapping": [{"method": "m", "carrierId": "$carrier"}]}})"},
    {"PATCH /api/dispatch/{id}/status", R"({"status": "ready"})"},
    {"PATCH /api/business/users/{guid}", R"({"role": "operator"})"},
    {"POST /api/workflows/configure",
     R"({"name": "W", "entityType": "Order", "triggerId": "$orderCreated",
         "action": {"type": "send_push", "title": "t", "body": "b"}})"},
    {"POST /api/workflows/test", R"({"workflowId": "$workflow", "entityId": "$order"})"},
    {"POST /api/workflows/backtest",
     R"({"workflowId": "$workflow", "from": "2026-11-19T00:00:00Z", "to": "2026-11-20T00:00:00Z"})"},
    {"POST /api/workflows/cancel", R"({"workflowId": "$workflow", "plan": true})"},
    {"POST /api/workflows/replay",
     R"({"workflowId": "$workflow", "from": "2026-11-19T00:00:00Z", "to": "2026-11-20T00:00:00Z"})"},
};

/// The position of a guid in a request.
struct Position {
  enum class Where { path, query, body };
  Where where;
  std::string name;  // "orderId", "customer.guid", "items[].productId", "[].guid"
  std::string kind;
};

void collect(const Endpoint& endpoint, const Schema& schema, const std::string& prefix,
             std::vector<Position>& found) {
  for (const auto& property : schema.properties) {
    if (property.read_only) continue;
    const auto name = prefix + std::string(property.name);
    const auto add = [&](const std::string& whole) {
      const auto kind = kind_of(endpoint, whole);
      if (!kind.empty()) found.push_back({Position::Where::body, whole, std::string(kind)});
    };
    if (property.kind == Kind::uuid) add(name);
    if (property.kind == Kind::array && property.items == Kind::uuid) add(name + "[]");
    if (property.schema && property.kind == Kind::object)
      collect(endpoint, *property.schema, name + ".", found);
    if (property.schema && property.kind == Kind::array)
      collect(endpoint, *property.schema, name + "[].", found);
  }
}

std::vector<Position> positions_of(const Endpoint& endpoint) {
  std::vector<Position> found;
  if (endpoint.permission == api::Permission::everyone)
    return found;  // the owner of that record does not matter here
  for (auto rest = endpoint.path; rest.find('{') != std::string_view::npos;) {
    rest.remove_prefix(rest.find('{') + 1);
    const auto name = rest.substr(0, rest.find('}'));
    if (name.ends_with(":text")) continue;
    found.push_back({Position::Where::path, std::string(name), std::string(kind_of(endpoint, name))});
  }
  for (const auto& parameter : endpoint.query) {
    if (parameter.kind != Kind::uuid) continue;
    const auto kind = kind_of(endpoint, parameter.name);
    if (!kind.empty())
      found.push_back({Position::Where::query, std::string(parameter.name), std::string(kind)});
  }
  if (endpoint.body)
    collect(endpoint, *endpoint.body, endpoint.body_kind == BodyKind::array ? "[]." : "", found);
  return found;
}

/// Sets a guid at the position `name`. For a list of records it is added as a further entry; all other
/// references are the caller's own.
void put(json::value& place, std::string_view name, std::string_view guid) {
  const auto descend = [&](json::value& next, std::size_t taken) {
    name.remove_prefix(taken);
    if (name.starts_with('.')) name.remove_prefix(1);
    put(next, name, guid);
  };
  if (name.empty()) {
    place = guid;
  } else if (name.starts_with("[]")) {
    if (!place.is_array()) place = json::array();
    auto& entries = place.get_array();
    const bool is_entry = name == "[]" || name == "[].guid";
    if (entries.empty()) {
      entries.emplace_back(nullptr);
    } else if (is_entry) {
      entries.push_back(entries.front());
    }
    descend(entries.back(), 2);
    if (entries.size() > 1 && entries.back() == entries.front()) entries.pop_back();
  } else {
    const auto end = std::min(name.find_first_of(".["), name.size());
    if (!place.is_object()) place = json::object();
    auto& object = place.get_object();
    // The same reference in its other spelling.
    if (name.substr(end) == ".guid") object.erase(std::string(name.substr(0, end)) + "Id");
    descend(object[name.substr(0, end)], end);
  }
}

/// A request of `endpoint` with references to the caller's own records, except for the one at `foreign`.
struct Request {
  std::string path;
  json::value body;
};

class IsolationTest : public ApiTest {
 protected:
  IsolationTest() {
    other_business().settle();
    tenant.settle();
  }

  /// The required fields of an object, with references to the caller's own records.
  json::object required_fields(const Endpoint& endpoint, const Schema& schema, const std::string& prefix) {
    const auto example = api::example_request(schema);
    json::object body;
    for (const auto& property : schema.properties) {
      if (!property.required || property.read_only) continue;
      const auto name = prefix + std::string(property.name);
      auto& value = body[property.name];
      if (property.kind == Kind::uuid) {
        value = own.guid(std::string(kind_of(endpoint, name)));
      } else if (property.kind == Kind::array && property.items == Kind::uuid) {
        value = json::array{json::value(own.guid(std::string(kind_of(endpoint, name + "[]"))))};
      } else if (property.schema && property.kind == Kind::array) {
        value = json::array{json::value(required_fields(endpoint, *property.schema, name + "[]."))};
      } else if (property.schema && property.kind == Kind::object) {
        value = required_fields(endpoint, *property.schema, name + ".");
      } else {
        value = example.at(property.name);
      }
    }
    return body;
  }

  json::value base_body(const Endpoint& endpoint) {
    const auto found_body = std::ranges::find(base_bodies, name_of(endpoint), &BaseBody::endpoint);
    if (found_body != std::end(base_bodies)) return json::parse(own.fill(found_body->body));
    if (!endpoint.body) return nullptr;
    json::value body =
        required_fields(endpoint, *endpoint.body, endpoint.body_kind == BodyKind::array ? "[]." : "");
    return endpoint.body_kind == BodyKind::array ? json::value(json::array{std::move(body)}) : body;
  }

  Request request_of(const Endpoint& endpoint, const Position& position, std::string_view guid) {
    Request request{.path = std::string(endpoint.path), .body = base_body(endpoint)};
    for (auto open = request.path.find('{'); open != std::string::npos; open = request.path.find('{')) {
      const auto close = request.path.find('}', open);
      const auto name = request.path.substr(open + 1, close - open - 1);
      std::string value = "Order";
      if (position.where == Position::Where::path && position.name == name) {
        value = guid;
      } else if (name == "orderId" && endpoint.path.ends_with("/shipment")) {
        value = unshipped;
      } else if (!name.ends_with(":text")) {
        value = own.guid(std::string(kind_of(endpoint, name)));
      }
      request.path.replace(open, close - open + 1, value);
    }
    char separator = '?';
    for (const auto& parameter : endpoint.query) {
      const bool is_position = position.where == Position::Where::query && parameter.name == position.name;
      if (!is_position && !(parameter.required && parameter.kind == Kind::uuid)) continue;
      request.path +=
          separator + std::string(parameter.name) + "=" +
          (is_position ? std::string(guid) : own.guid(std::string(kind_of(endpoint, parameter.name))));
      separator = '&';
    }
    if (position.where == Position::Where::body) put(request.body, position.name, guid);
    return request;
  }

  /// The rows of the two businesses by table. Columns that change without their requests are left out: the
  /// last use of a token, counts added up by the worker, and recorded past events.
  std::map<std::string, std::string> digests() {
    if (digest_sql_.empty()) {
      const auto tables = tenant.sql.column(
          "select c.oid::regclass::text from pg_class c join pg_attribute a on a.attrelid = c.oid "
          "where a.attname = 'business_id' and not a.attisdropped and c.relkind in ('r', 'p') "
          "and c.relname not in ('record_counts', 'status_counts', 'run_counts', 'pending_events', "
          "'workflow_firings', 'matched_events', 'workflow_watches', 'source_counts', 'source_watches', "
          "'own_data_changes', 'own_data_totals') "
          "and not c.relispartition and c.relnamespace = 'public'::regnamespace");
      EXPECT_GT(tables.size(), 30U);
      const auto of_both = " in ('" + tenant.id + "', '" + other_business().id + "')";
      const auto digest = [&](const std::string& table, const std::string& key) {
        return "select '" + table + "', md5(coalesce(string_agg(row, ' ' order by row), '')) from (select " +
               "(to_jsonb(t) - 'last_used')::text row from " + table + " t where " + key + of_both + ") r";
      };
      digest_sql_ = digest("businesses", "guid");
      for (const auto& table : tables) digest_sql_ += " union all " + digest(table, "business_id");
    }
    std::map<std::string, std::string> found;
    for (const auto& row : tenant.sql.rows(digest_sql_)) found[*row[0]] = *row[1];
    return found;
  }

  std::string item_of(std::string_view order) {
    return text_at(http.get("/api/v1/Orders/" + std::string(order)).data(), "items.0.guid");
  }

  static bool is_list_filter(const Endpoint& endpoint, const Position& position) {
    return position.where == Position::Where::query &&
           (endpoint.paginated || endpoint.path == "/api/workflows/upcoming");
  }

  /// Statistics return their slots even for an unknown guid.
  static bool is_statistics_filter(const Endpoint& endpoint, const Position& position) {
    return position.where == Position::Where::query && endpoint.path == "/api/workflows/stats";
  }

  PreparedBusiness own{tenant};
  PreparedBusiness foreign{other_business()};
  std::string unshipped = own.make("order");

 private:
  std::string digest_sql_;
};

TEST_F(IsolationTest, AGuidOfAnotherBusinessIs404AndChangesNothing) {
  int request_count = 0;
  auto before = digests();
  for (const auto& endpoint : api::all_endpoints()) {
    const auto positions = positions_of(endpoint);
    for (const auto& position : positions) {
      const auto request = request_of(endpoint, position, foreign.guid(position.kind));
      SCOPED_TRACE(name_of(endpoint) + " with another's " + position.name + ": " +
                   json::serialize(request.body));
      std::vector<std::string_view> methods{method_of(endpoint)};
      if (endpoint.changes) methods.push_back("POST");
      for (const auto method : methods) {
        ++request_count;
        const auto response = http.request(method, request.path, request.body);
        if (is_list_filter(endpoint, position)) {
          EXPECT_EQ(response.status, 200) << response.text;
          EXPECT_EQ(response.data(), json::array());
          if (endpoint.paginated) EXPECT_EQ(at(response.body, "totalCount"), 0);
        } else if (is_statistics_filter(endpoint, position)) {
          EXPECT_EQ(response.status, 200) << response.text;
          for (const json::value& slot : response.data().as_array()) {
            for (const char* const count : {"succeeded", "dead", "skipped", "open"})
              EXPECT_EQ(at(slot, count), 0) << json::serialize(slot);
          }
        } else {
          expect_refused(response, 404, "NOT_FOUND");
          EXPECT_TRUE(text_at(response.body, "error.message").starts_with("There is no ")) << response.text;
          EXPECT_EQ(response.text.find("such such"), std::string::npos) << response.text;
        }
      }
    }
    if (positions.empty()) continue;
    SCOPED_TRACE(name_of(endpoint));
    auto after = digests();
    for (const auto& [table, digest] : before) EXPECT_EQ(after.at(table), digest) << table;
    before = std::move(after);
  }
  EXPECT_GT(request_count, 100);
}

TEST_F(IsolationTest, TheSameRequestsFindTheRecordsOfTheCaller) {
  for (const auto& endpoint : api::all_endpoints()) {
    for (const auto& position : positions_of(endpoint)) {
      const bool is_deletion = endpoint.method == Method::del || endpoint.path.ends_with("/delete");
      // An erasure, which is one of these requests, deletes the files of jobs.
      const bool is_new = is_deletion || position.kind == "job";
      auto guid = is_new ? own.make(position.kind) : own.guid(position.kind);
      if (position.name == "itemIds[]") guid = item_of(unshipped);
      // Leaves out the parents in the path of a deletion: a new parent has no such part.
      if (is_deletion && position.where == Position::Where::path &&
          !endpoint.path.ends_with("{" + position.name + "}"))
        continue;
      auto request = request_of(endpoint, position, guid);
      if (is_deletion && endpoint.body_kind == BodyKind::array) request.body = json::array{{{"guid", guid}}};
      SCOPED_TRACE(name_of(endpoint) + " with the caller's own " + position.name + ": " +
                   json::serialize(request.body));
      const auto response = http.request(method_of(endpoint), request.path, request.body);
      EXPECT_NE(response.status, 404) << response.text;
      EXPECT_LT(response.status, 500) << response.text;
    }
  }
  EXPECT_EQ(tenant.entries_without_request(), std::vector<std::string>())
      << "an endpoint that writes an entry lacks is_audited";
}

TEST_F(IsolationTest, ListsContainOnlyTheRecordsOfTheCaller) {
  for (const auto& endpoint : api::all_endpoints()) {
    const bool is_list = endpoint.method == Method::get && (endpoint.paginated || endpoint.answer_is_array);
    if (!is_list || !positions_of(endpoint).empty()) continue;
    const auto path = request_of(endpoint, {}, {}).path;
    SCOPED_TRACE(path);
    std::string query;
    if (endpoint.paginated) query = "?PageSize=100";
    if (path == "/api/search") query = "?q=ada";
    if (path == "/api/messages") query += "&workflowId=" + own.guid("workflow");
    if (path == "/api/workflows/upcoming") query = "?workflowId=" + own.guid("workflow");
    const auto response = http.get(path + query);
    ASSERT_EQ(response.status, 200) << response.text;
    for (const auto* kind :
         {"carrierContact", "customer", "dispatch", "driver", "integration", "order", "preset", "product",
          "run", "shipment", "template", "token", "user", "vehicle", "workflow"})
      EXPECT_EQ(response.text.find(foreign.guid(kind)), std::string::npos) << kind;
  }
}

}  // namespace
}  // namespace waybill::tests
