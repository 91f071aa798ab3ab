#include "api/endpoint/openapi.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "api/endpoint/entity_tag.hpp"
#include "api/endpoint/list_cursor.hpp"
#include "api/endpoint/openapi_examples.hpp"
#include "api/endpoint/openapi_schema.hpp"
#include "api/endpoint/openapi_webhooks.hpp"
#include "api/endpoint/router.hpp"
#include "api/endpoint/selected.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/version.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view json_type = "application/json";

struct ErrorResponse {
  ErrorCode code;
  std::string_view name;
  std::string_view description;
};

constexpr ErrorResponse error_responses[] = {
    {ErrorCode::validation_error, "BadRequest", "The request is not valid; details name each bad field."},
    {ErrorCode::unauthorized, "Unauthorized", "The token is missing, unknown, revoked or expired."},
    {ErrorCode::forbidden, "Forbidden", "The token's role or the business's plan does not allow this."},
    {ErrorCode::not_found, "NotFound", "There is no such record in this business."},
    {ErrorCode::conflict, "Conflict", "The state of the record, or another record, does not allow this."},
    {ErrorCode::payload_too_large, "PayloadTooLarge",
     "The body or the answer exceeds the limit of this path."},
    {ErrorCode::unsupported_media_type, "UnsupportedMediaType",
     "This path does not accept the Content-Type."},
    {ErrorCode::rate_limited, "RateLimited", "The token has no requests left in this minute."},
    {ErrorCode::internal_error, "InternalError",
     "An unexpected error; the message has the id of the request."},
    {ErrorCode::unavailable, "Unavailable",
     "The service cannot reach its database; the request can be sent again."},
};

json::object ref(std::string_view kind, std::string_view name) {
  return {{"$ref", "#/components/" + std::string(kind) + "/" + std::string(name)}};
}

json::object media(json::value schema, std::string_view type = json_type, json::value example = nullptr) {
  json::object content{{"schema", std::move(schema)}};
  if (!example.is_null()) content["example"] = std::move(example);
  return {{std::string(type), std::move(content)}};
}

/// The path as OpenAPI writes it: {name:text} is {name}.
std::string template_path(std::string_view path) {
  std::string text(path);
  for (auto colon = text.find(":text}"); colon != std::string::npos; colon = text.find(":text}")) {
    text.erase(colon, std::string_view(":text").size());
  }
  return text;
}

/// A GET that changes something is also an operation with POST, whose id has a suffix.
std::string operation_id(const Endpoint& endpoint, RequestMethod method) {
  if (endpoint.operation_id.empty()) {
    throw std::logic_error(std::string(endpoint.path) + " has no operation id");
  }
  std::string id(endpoint.operation_id);
  if (method != to_request_method(endpoint.method)) id += "ByPost";
  return id;
}

std::string_view permission_text(Permission permission) {
  switch (permission) {
    case Permission::everyone:
      return "everyone";
    case Permission::signed_in:
      return "signed_in";
    case Permission::read:
      return "viewer";
    case Permission::operate:
      return "operator";
    case Permission::administer:
      return "admin";
  }
  return {};
}

json::object query_parameter(const Parameter& parameter) {
  json::object row{{"name", parameter.name}, {"in", "query"}};
  if (parameter.required) row["required"] = true;
  if (!parameter.description.empty()) row["description"] = parameter.description;
  row["schema"] = parameter_schema(parameter);
  return row;
}

bool takes(const Endpoint& endpoint, std::string_view parameter) {
  return std::ranges::find(endpoint.query, parameter, &Parameter::name) != endpoint.query.end();
}

json::array parameters_of(const Endpoint& endpoint, RequestMethod method) {
  json::array parameters;
  for (std::string_view path = endpoint.path; path.find('{') != std::string_view::npos;) {
    path.remove_prefix(path.find('{') + 1);
    const auto segment = path.substr(0, path.find('}'));
    const auto name = segment.substr(0, segment.find(':'));
    json::object schema{{"type", "string"}};
    if (name.size() == segment.size()) schema["format"] = "uuid";
    parameters.push_back({{"name", name}, {"in", "path"}, {"required", true}, {"schema", std::move(schema)}});
  }
  for (const auto& parameter : endpoint.query) parameters.push_back(query_parameter(parameter));
  if (takes_select(endpoint) && method == RequestMethod::get)
    parameters.push_back(ref("parameters", "Select"));
  if (endpoint.paginated || endpoint.from_standby) parameters.push_back(ref("parameters", "CommitPosition"));
  if (has_entity_tag(endpoint)) parameters.push_back(ref("parameters", "IfNoneMatch"));
  if (method == RequestMethod::post && endpoint.permission != Permission::everyone &&
      endpoint.media_type.empty()) {
    parameters.push_back(ref("parameters", "IdempotencyKey"));
  }
  if (endpoint.job) parameters.push_back(ref("parameters", "Prefer"));
  return parameters;
}

json::object request_body_of(const Endpoint& endpoint, const ComponentSchemas& schemas) {
  json::value schema = endpoint.body ? json::value(schemas.reference(*endpoint.body, Direction::request))
                                     : json::object{{"type", "object"}};
  if (endpoint.body_kind == BodyKind::array || endpoint.body_kind == BodyKind::one_or_array) {
    json::object array{
        {"type", "array"}, {"minItems", 1}, {"maxItems", default_array_length}, {"items", schema}};
    schema = endpoint.body_kind == BodyKind::array
                 ? json::value(std::move(array))
                 : json::object{{"oneOf", {std::move(schema), std::move(array)}}};
  } else if (endpoint.body_kind == BodyKind::multipart) {
    schema = {{"type", "object"},
              {"required", {"file"}},
              {"properties", {{"file", {{"type", "string"}, {"format", "binary"}}}}}};
    return {{"required", true}, {"content", media(std::move(schema), "multipart/form-data")}};
  } else if (endpoint.body_kind == BodyKind::raw) {
    return {{"required", true}, {"content", media(json::object(), "*/*")}};
  }
  // A change without a body changes nothing, so clients send one.
  const bool may_be_empty =
      endpoint.body_kind == BodyKind::object && endpoint.method == Method::post && !endpoint.needs_body &&
      (!endpoint.body || std::ranges::none_of(endpoint.body->properties, &Property::required));
  json::value example;
  if (endpoint.body) example = example_request(*endpoint.body);
  if (endpoint.body && endpoint.body_kind == BodyKind::array) example = json::array{std::move(example)};
  return {{"required", !may_be_empty}, {"content", media(std::move(schema), json_type, std::move(example))}};
}

/// The schema of `data`; empty for an answer without data.
json::object data_schema(const Endpoint& endpoint, const ComponentSchemas& schemas) {
  json::object data;
  if (endpoint.answer) data = schemas.reference(*endpoint.answer, Direction::answer);
  if (endpoint.answer_kind) data = kind_schema(*endpoint.answer_kind);
  if (!endpoint.answer_is_array && !endpoint.paginated) return data;
  json::object list = kind_schema(Kind::array);
  if (data.empty()) list["maxItems"] = 0;
  list["items"] = std::move(data);
  return list;
}

json::value answer_schema(const Endpoint& endpoint, const ComponentSchemas& schemas) {
  json::object data = data_schema(endpoint, schemas);
  if (endpoint.bare) return data;
  json::array required;
  json::object properties;
  if (!data.empty()) {
    required.push_back("data");
    properties["data"] = std::move(data);
  }
  if (endpoint.paginated) {
    const bool has_cursors = takes(endpoint, after_parameter.name);
    for (const std::string_view name : {"page", "pageSize", "totalCount", "totalPages"}) {
      if (!has_cursors || name == "pageSize") required.push_back(json::value(name));
      properties[name] = json::object{{"type", "integer"}};
    }
    if (has_cursors) {
      properties["nextCursor"] = json::object{{"type", json::array{"string", "null"}}};
      properties["hasMore"] = json::object{{"type", "boolean"}};
    }
    if (takes(endpoint, "since")) properties["newer"] = json::object{{"type", "integer"}};
  }
  if (endpoint.sums) {
    required.push_back("sums");
    properties["sums"] =
        json::object{{"type", "array"}, {"items", schemas.reference(*endpoint.sums, Direction::answer)}};
  }
  required.push_back("success");
  properties["success"] = json::object{{"const", true}};
  return {{"type", "object"}, {"required", std::move(required)}, {"properties", std::move(properties)}};
}

json::value answer_example(const Endpoint& endpoint) {
  const bool is_empty_list = endpoint.answer_is_array && !endpoint.answer;
  if (endpoint.bare || (!endpoint.answer && !is_empty_list)) return nullptr;
  json::value data = is_empty_list ? json::value(json::array()) : example_answer(*endpoint.answer);
  if (endpoint.answer && (endpoint.answer_is_array || endpoint.paginated))
    data = json::array{std::move(data)};
  json::object example{{"data", std::move(data)}};
  if (endpoint.paginated) {
    example["page"] = 1;
    example["pageSize"] = 50;
    example["totalCount"] = 1;
    example["totalPages"] = 1;
  }
  if (endpoint.sums) example["sums"] = json::array{example_answer(*endpoint.sums)};
  example["success"] = true;
  return example;
}

json::object success_content(const Endpoint& endpoint, const ComponentSchemas& schemas) {
  if (endpoint.media_type.empty())
    return media(answer_schema(endpoint, schemas), json_type, answer_example(endpoint));
  const json::object binary{{"type", "string"}, {"format", "binary"}};
  json::object content = media(binary, endpoint.media_type);
  for (const std::string_view type : endpoint.other_media_types)
    content[type] = json::object{{"schema", binary}};
  return content;
}

json::object responses_of(const Endpoint& endpoint, RequestMethod method, const ComponentSchemas& schemas) {
  const bool has_token = endpoint.permission != Permission::everyone;
  const bool has_body = endpoint.body_kind != BodyKind::none;
  const bool only_reads = endpoint.method == Method::get && !endpoint.changes;
  const bool has_input =
      has_body || !endpoint.query.empty() || endpoint.path.find('{') != std::string_view::npos;
  json::object headers{{"X-Request-Id", ref("headers", "RequestId")}};
  if (has_token) {
    for (const std::string_view name : {"Limit", "Remaining", "Reset"}) {
      headers["X-RateLimit-" + std::string(name)] = ref("headers", "RateLimit" + std::string(name));
    }
  }
  const int status = method == RequestMethod::get ? 200 : endpoint.status;
  if (status == 201) headers["Location"] = ref("headers", "Location");
  if (has_token && !only_reads && !endpoint.from_standby)
    headers["X-Commit-Position"] = ref("headers", "CommitPosition");
  json::object responses;
  if (has_entity_tag(endpoint) && method == RequestMethod::get) {
    headers["ETag"] = ref("headers", "ETag");
    responses["304"] = json::object{{"description", "If-None-Match names the answer"}, {"headers", headers}};
  }
  if (endpoint.may_change) {
    auto plain = headers;
    plain.erase("Location");
    responses["200"] = json::object{{"description", endpoint.status == 202 ? "Final already" : "Changed"},
                                    {"headers", std::move(plain)},
                                    {"content", success_content(endpoint, schemas)}};
  }
  responses[std::to_string(status)] = json::object{{"description", status == 201 ? "Created" : "Success"},
                                                   {"headers", std::move(headers)},
                                                   {"content", success_content(endpoint, schemas)}};
  if (endpoint.job) responses["202"] = ref("responses", "JobAccepted");
  for (const auto& error : error_responses) {
    const auto applies = [&] {
      switch (error.code) {
        case ErrorCode::validation_error:
          return true;  // any request can be malformed
        case ErrorCode::unauthorized:
        case ErrorCode::forbidden:
        case ErrorCode::rate_limited:
          return has_token;
        case ErrorCode::not_found:
          return has_token && has_input;
        case ErrorCode::conflict:
          return has_token && !only_reads;
        case ErrorCode::payload_too_large:
        case ErrorCode::unsupported_media_type:
          return has_body;
        default:
          return true;
      }
    };
    const bool is_named = std::ranges::find(endpoint.errors, error.code) != endpoint.errors.end();
    if (!is_named && !applies()) continue;
    json::value& response = responses[std::to_string(http_status(error.code))];
    const bool is_page = endpoint.media_type.starts_with("text/html");
    if (is_page && (error.code == ErrorCode::not_found || error.code == ErrorCode::rate_limited)) {
      // People open such a page in a browser, so the answer is a page here, too.
      const bool is_missing = error.code == ErrorCode::not_found;
      response = {{"description", is_missing ? "There is no such page." : "Too many pages were requested."},
                  {"content", media(json::object{{"type", "string"}}, endpoint.media_type)}};
    } else {
      response = ref("responses", error.name);
    }
  }
  return responses;
}

json::object operation_of(const Endpoint& endpoint, RequestMethod method, const ComponentSchemas& schemas) {
  json::object operation{{"operationId", operation_id(endpoint, method)}, {"summary", endpoint.summary}};
  if (!endpoint.description.empty()) operation["description"] = endpoint.description;
  operation["tags"] = json::array{json::value(endpoint.tag)};
  operation["x-permission"] = permission_text(endpoint.permission);
  if (endpoint.permission == Permission::everyone) operation["security"] = json::array();
  if (auto parameters = parameters_of(endpoint, method); !parameters.empty()) {
    operation["parameters"] = std::move(parameters);
  }
  if (endpoint.body_kind != BodyKind::none) operation["requestBody"] = request_body_of(endpoint, schemas);
  operation["responses"] = responses_of(endpoint, method, schemas);
  return operation;
}

json::object paths_of(std::span<const Endpoint> endpoints, const ComponentSchemas& schemas) {
  std::map<std::string, std::map<RequestMethod, const Endpoint*>> sorted;
  for (const auto& endpoint : endpoints) {
    if (endpoint.tag.empty()) continue;
    auto& methods = sorted[template_path(endpoint.path)];
    methods[to_request_method(endpoint.method)] = &endpoint;
    if (endpoint.changes) methods[RequestMethod::post] = &endpoint;
  }
  json::object paths;
  std::set<std::string> ids;
  for (const auto& [path, methods] : sorted) {
    json::object item;
    for (const auto& [method, endpoint] : methods) {
      std::string name(method_name(method));
      std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(c | 0x20); });
      auto operation = operation_of(*endpoint, method, schemas);
      const std::string id(operation.at("operationId").as_string());
      if (!ids.insert(id).second) throw std::logic_error("two operations are named " + id);
      item[name] = std::move(operation);
    }
    paths[path] = std::move(item);
  }
  return paths;
}

struct Tag {
  std::string_view name;
  std::string_view description;
};

/// The tags in the order of the reference page.
constexpr Tag tags[] = {
    {"Orders", "Orders of customers, from the draft to the shipment."},
    {"Shipments", "Parcels, their labels and the traces that carriers and drivers report."},
    {"Customers", "Customers with their contacts and references, and uploads of many customers at once."},
    {"Products", "The product catalogue with its variants."},
    {"Dimension presets", "Named package sizes that can be applied to the items of orders."},
    {"Carriers", "The built-in catalogue of carriers, and carriers of the business."},
    {"Drivers", "The drivers of the business."},
    {"Dispatches", "Groups of shipments that one driver delivers with one vehicle, and their routes."},
    {"Vehicles", "Vehicles, where they are, and where they have been."},
    {"Tracking", "Tracking devices in vehicles, and the positions that they report."},
    {"Business", "The business, its default configuration, API tokens and users."},
    {"Users", "User accounts: registration, login and passwords."},
    {"Integrations", "Connected stores, and browsers that receive push messages."},
    {"Workflows", "Automations: a trigger, conditions and an action."},
    {"Templates", "Texts of mails, push messages and webhooks."},
    {"Runs", "Executions of workflows with all attempts, and replays."},
    {"Jobs", "Long calls that were answered at once, with their progress and results."},
    {"Search", "A search in all records, and the numbers of the day."},
    {"System", "Health, the OpenAPI document, and its reference page."},
};

json::array tags_of(std::span<const Endpoint> endpoints) {
  json::array list;
  for (const Tag& tag : tags) {
    if (std::ranges::find(endpoints, tag.name, &Endpoint::tag) == endpoints.end()) continue;
    list.push_back({{"name", tag.name}, {"description", tag.description}});
  }
  return list;
}

json::object error_schema() {
  json::array codes;
  for (int code = 0; code <= static_cast<int>(ErrorCode::unavailable); ++code) {
    codes.push_back(json::value(code_text(static_cast<ErrorCode>(code))));
  }
  json::object error{{"type", "object"},
                     {"required", {"code", "message"}},
                     {"properties",
                      {{"code", {{"type", "string"}, {"enum", std::move(codes)}}},
                       {"message", {{"type", "string"}}},
                       {"details", {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}}}}}};
  return {{"type", "object"},
          {"required", {"success", "error"}},
          {"properties", {{"success", {{"const", false}}}, {"error", std::move(error)}}}};
}

json::object error_example(const ErrorResponse& error) {
  json::object body{{"code", code_text(error.code)}, {"message", error.description}};
  if (error.code == ErrorCode::validation_error) {
    body["details"] = {{"deliveryAddress.city", "is required"}, {"items[0].quantity", "must be at least 1"}};
  }
  return {{"success", false}, {"error", std::move(body)}};
}

json::object header(std::string_view description, std::string_view type) {
  return {{"description", description}, {"schema", json::object{{"type", type}}}};
}

/// The answer to a call that a job performs.
json::object job_accepted() {
  const json::object guid{{"type", "string"}, {"format", "uuid"}};
  const json::object data{{"type", "object"}, {"required", {"jobId"}}, {"properties", {{"jobId", guid}}}};
  json::object schema{{"type", "object"},
                      {"required", {"data", "success"}},
                      {"properties", {{"data", data}, {"success", {{"const", true}}}}}};
  return {{"description", "A job performs the call"},
          {"headers",
           {{"X-Request-Id", ref("headers", "RequestId")},
            {"Location", header("Path of the job", "string")},
            {"Preference-Applied", header("respond-async", "string")}}},
          {"content", media(std::move(schema), json_type, nullptr)}};
}

json::object components_of(const ComponentSchemas& component_schemas) {
  json::object schemas = component_schemas.all();
  schemas["Error"] = error_schema();
  json::object responses;
  for (const auto& error : error_responses) {
    responses[error.name] =
        json::object{{"description", error.description},
                     {"content", media(ref("schemas", "Error"), json_type, error_example(error))}};
  }
  responses["JobAccepted"] = job_accepted();
  json::object prefer{{"name", "Prefer"},
                      {"in", "header"},
                      {"description",
                       "With respond-async, the answer is 202 at once, and a job performs the call. See GET "
                       "/api/jobs/{guid}."},
                      {"schema", {{"type", "string"}, {"enum", {"respond-async"}}}}};
  json::object idempotency_key{{"name", "Idempotency-Key"},
                               {"in", "header"},
                               {"description",
                                "A request with the same key, token (in cookie sessions: user) and body "
                                "within 24 hours gets the first successful answer again."},
                               {"schema", {{"type", "string"}, {"maxLength", 255}}}};
  json::object commit_position{
      {"name", "X-Commit-Position"},
      {"in", "header"},
      {"description",
       "The value of an earlier response: the answer shows at least the state after that write."},
      {"schema", {{"type", "string"}}}};
  json::object if_none_match{
      {"name", "If-None-Match"},
      {"in", "header"},
      {"description", "The ETag of an earlier answer: an equal one is 304, without a body."},
      {"schema", {{"type", "string"}}}};
  const json::object cookie{{"type", "apiKey"},
                            {"in", "cookie"},
                            {"name", "__Host-waybill"},
                            {"description",
                             "The session cookie of the console; `waybill_PORT` if the service's URL is a "
                             "loopback address. It counts only "
                             "without the header Authorization, and with `X-Waybill-Console: 1` and "
                             "`Sec-Fetch-Site: same-origin`. Each answer names its person and business in "
                             "`X-Waybill-Session`; a call that sends this name back is 401 once the cookie "
                             "is that of another person or business."}};
  return {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}, {"cookie", cookie}}},
          {"parameters",
           {{"IdempotencyKey", std::move(idempotency_key)},
            {"CommitPosition", std::move(commit_position)},
            {"Select", query_parameter(select_parameter)},
            {"IfNoneMatch", std::move(if_none_match)},
            {"Prefer", std::move(prefer)}}},
          {"headers",
           {{"RequestId", header("The id of the request: the caller's, or a generated one", "string")},
            {"RateLimitLimit", header("Requests that the token can make in a minute", "integer")},
            {"RateLimitRemaining", header("Requests left in this minute", "integer")},
            {"RateLimitReset", header("Unix seconds at which the minute ends", "integer")},
            {"Location", header("Path of the created record", "string")},
            {"ETag", header("The entity tag of the answer, for If-None-Match", "string")},
            {"CommitPosition",
             header("The state after this write, for a request to any API process", "string")}}},
          {"responses", std::move(responses)},
          {"schemas", std::move(schemas)}};
}

void print(std::string& out, const json::value& value, int depth) {
  const auto new_line = [&](int indent) {
    out.append("\n").append(static_cast<std::size_t>(indent) * 2, ' ');
  };
  if (const auto* const object = value.if_object(); object && !object->empty()) {
    out += '{';
    for (bool first = true; const auto& [key, member] : *object) {
      if (!std::exchange(first, false)) out += ',';
      new_line(depth + 1);
      append_json_string(out, key);
      out += ": ";
      print(out, member, depth + 1);
    }
    new_line(depth);
    out += '}';
  } else if (const auto* const array = value.if_array(); array && !array->empty()) {
    out += '[';
    for (bool first = true; const auto& element : *array) {
      if (!std::exchange(first, false)) out += ',';
      new_line(depth + 1);
      print(out, element, depth + 1);
    }
    new_line(depth);
    out += ']';
  } else {
    out += value.is_number() ? decimal_text(value).value_or("null") : json::serialize(value);
  }
}

json::object document_of(std::span<const Endpoint> endpoints) {
  const ComponentSchemas schemas(endpoints);
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "waybill"},
            {"version", version_of_program()},
            {"description",
             "Delivery operations, and workflows that run when a record changes. Every JSON answer is an "
             "envelope: "
             "`success`, and `data` or `error`. A property without a value is null; properties that can be "
             "missing "
             "are not listed under `required`."},
            {"license", {{"name", "Proprietary"}, {"identifier", "LicenseRef-Proprietary"}}}}},
          {"servers", {{{"url", "/"}}}},
          {"security", {json::object{{"token", json::array()}}, json::object{{"cookie", json::array()}}}},
          {"tags", tags_of(endpoints)},
          {"paths", paths_of(endpoints, schemas)},
          {"components", components_of(schemas)}};
}

std::string printed(const json::object& document) {
  std::string text;
  print(text, document, 0);
  return text += '\n';
}

/// Adds the requests that the service sends, with their schemas.
void add_webhooks(json::object& document) {
  document["webhooks"] = webhooks();
  json::object& schemas = document.at("components").at("schemas").as_object();
  std::map<std::string, json::value> sorted;
  for (auto& [name, schema] : schemas) sorted[name] = std::move(schema);
  for (auto& [name, schema] : webhook_schemas()) {
    if (!sorted.emplace(name, schema).second)
      throw std::logic_error("two schemas are named " + std::string(name));
  }
  schemas.clear();
  for (auto& [name, schema] : sorted) schemas[name] = std::move(schema);
}

}  // namespace

std::string openapi_document(std::span<const Endpoint> endpoints) { return printed(document_of(endpoints)); }

std::string openapi_document() {
  json::object document = document_of(all_endpoints());
  add_webhooks(document);
  return printed(document);
}

}  // namespace waybill::api
