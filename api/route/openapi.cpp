#include "api/route/openapi.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "api/route/openapi_examples.hpp"
#include "api/route/openapi_schema.hpp"
#include "api/route/router.hpp"
#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/json.hpp"

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
    {ErrorCode::conflict, "Conflict", "The record's present state, or another record, stands against it."},
    {ErrorCode::payload_too_large, "PayloadTooLarge", "The body is larger than this path takes."},
    {ErrorCode::unsupported_media_type, "UnsupportedMediaType",
     "The Content-Type is not what this path takes."},
    {ErrorCode::rate_limited, "RateLimited", "The token's requests of this minute are used up."},
    {ErrorCode::internal_error, "InternalError", "Something went wrong; the message names the request."},
    {ErrorCode::unavailable, "Unavailable", "The service cannot reach its database; try again."},
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

/// "getApiV1OrdersByOrderId"
std::string operation_id(RequestMethod method, std::string_view path) {
  std::string id(method_name(method));
  std::ranges::transform(id, id.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  bool upper = true;
  for (const char c : path) {
    if (c == '{') id += "By";
    const bool is_letter = is_alphanumeric(c);
    if (is_letter) id += upper ? ascii_upper(c) : c;
    upper = !is_letter;
  }
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

json::array parameters_of(const Route& route, RequestMethod method) {
  json::array parameters;
  for (std::string_view path = route.path; path.find('{') != std::string_view::npos;) {
    path.remove_prefix(path.find('{') + 1);
    const auto segment = path.substr(0, path.find('}'));
    const auto name = segment.substr(0, segment.find(':'));
    json::object schema{{"type", "string"}};
    if (name.size() == segment.size()) schema["format"] = "uuid";
    parameters.push_back({{"name", name}, {"in", "path"}, {"required", true}, {"schema", std::move(schema)}});
  }
  for (const auto& parameter : route.query) {
    json::object row{{"name", parameter.name}, {"in", "query"}};
    if (parameter.required) row["required"] = true;
    if (!parameter.description.empty()) row["description"] = parameter.description;
    row["schema"] = parameter_schema(parameter);
    parameters.push_back(std::move(row));
  }
  if (method == RequestMethod::post && route.permission != Permission::everyone) {
    parameters.push_back(ref("parameters", "IdempotencyKey"));
  }
  return parameters;
}

json::object request_body_of(const Route& route) {
  json::value schema =
      route.body ? json::value(ref("schemas", route.body->name)) : json::object{{"type", "object"}};
  if (route.body_kind == BodyKind::array || route.body_kind == BodyKind::one_or_array) {
    json::object array{
        {"type", "array"}, {"minItems", 1}, {"maxItems", default_array_length}, {"items", schema}};
    schema = route.body_kind == BodyKind::array
                 ? json::value(std::move(array))
                 : json::object{{"oneOf", {std::move(schema), std::move(array)}}};
  } else if (route.body_kind == BodyKind::multipart) {
    schema = {{"type", "object"},
              {"required", {"file"}},
              {"properties", {{"file", {{"type", "string"}, {"format", "binary"}}}}}};
    return {{"required", true}, {"content", media(std::move(schema), "multipart/form-data")}};
  } else if (route.body_kind == BodyKind::raw) {
    return {{"required", true}, {"content", media(json::object(), "*/*")}};
  }
  const bool may_be_empty =
      route.body_kind == BodyKind::object &&
      (!route.body || std::ranges::none_of(route.body->properties, &Property::required));
  json::value example;
  if (route.body) example = example_request(*route.body);
  if (route.body && route.body_kind == BodyKind::array) example = json::array{std::move(example)};
  return {{"required", !may_be_empty}, {"content", media(std::move(schema), json_type, std::move(example))}};
}

json::value answer_schema(const Route& route) {
  json::value data = route.answer ? json::value(ref("schemas", route.answer->name)) : json::object();
  if (route.answer_is_guid) data = {{"type", "string"}, {"format", "uuid"}};
  if (route.answer_is_array || route.paginated) data = {{"type", "array"}, {"items", std::move(data)}};
  if (route.bare) return data;
  json::array required;
  json::object properties;
  if (route.answer || route.answer_is_array || route.answer_is_guid || route.paginated) {
    required.push_back("data");
    properties["data"] = std::move(data);
  }
  if (route.paginated) {
    for (const std::string_view name : {"page", "pageSize", "totalCount", "totalPages"}) {
      required.push_back(json::value(name));
      properties[name] = json::object{{"type", "integer"}};
    }
  }
  required.push_back("success");
  properties["success"] = json::object{{"const", true}};
  return {{"type", "object"}, {"required", std::move(required)}, {"properties", std::move(properties)}};
}

json::value answer_example(const Route& route) {
  if (!route.answer || route.bare) return nullptr;
  json::value data = example_answer(*route.answer);
  if (route.answer_is_array || route.paginated) data = json::array{std::move(data)};
  json::object example{{"data", std::move(data)}};
  if (route.paginated) {
    example["page"] = 1;
    example["pageSize"] = 50;
    example["totalCount"] = 1;
    example["totalPages"] = 1;
  }
  example["success"] = true;
  return example;
}

json::object success_content(const Route& route) {
  if (route.media_type.empty()) return media(answer_schema(route), json_type, answer_example(route));
  return media(json::object{{"type", "string"}, {"format", "binary"}}, route.media_type);
}

json::object responses_of(const Route& route, RequestMethod method) {
  const bool has_token = route.permission != Permission::everyone;
  const bool has_body = route.body_kind != BodyKind::none;
  const bool only_reads = route.method == Method::get && !route.changes;
  const bool has_input = has_body || !route.query.empty() || route.path.find('{') != std::string_view::npos;
  json::object headers{{"X-Request-Id", ref("headers", "RequestId")}};
  if (has_token) {
    for (const std::string_view name : {"Limit", "Remaining", "Reset"}) {
      headers["X-RateLimit-" + std::string(name)] = ref("headers", "RateLimit" + std::string(name));
    }
  }
  const int status = method == RequestMethod::get ? 200 : route.status;
  if (status == 201) headers["Location"] = ref("headers", "Location");
  json::object responses;
  if (route.may_change) {
    auto plain = headers;
    plain.erase("Location");
    responses["200"] = json::object{
        {"description", "Changed"}, {"headers", std::move(plain)}, {"content", success_content(route)}};
  }
  responses[std::to_string(status)] = json::object{
      {"description", "Success"}, {"headers", std::move(headers)}, {"content", success_content(route)}};
  for (const auto& error : error_responses) {
    const auto applies = [&] {
      switch (error.code) {
        case ErrorCode::validation_error:
          return true;  // a request can be malformed without any input of its own
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
    const bool is_named = std::ranges::find(route.errors, error.code) != route.errors.end();
    if (is_named || applies())
      responses[std::to_string(http_status(error.code))] = ref("responses", error.name);
  }
  return responses;
}

json::object operation_of(const Route& route, RequestMethod method) {
  json::object operation{{"operationId", operation_id(method, template_path(route.path))},
                         {"summary", route.summary},
                         {"tags", json::array{json::value(route.tag)}},
                         {"x-permission", permission_text(route.permission)}};
  if (route.permission == Permission::everyone) operation["security"] = json::array();
  if (auto parameters = parameters_of(route, method); !parameters.empty()) {
    operation["parameters"] = std::move(parameters);
  }
  if (route.body_kind != BodyKind::none) operation["requestBody"] = request_body_of(route);
  operation["responses"] = responses_of(route, method);
  return operation;
}

json::object paths_of(std::span<const Route> routes) {
  std::map<std::string, std::map<RequestMethod, const Route*>> sorted;
  for (const auto& route : routes) {
    if (route.tag.empty()) continue;
    auto& methods = sorted[template_path(route.path)];
    methods[to_request_method(route.method)] = &route;
    if (route.changes) methods[RequestMethod::post] = &route;
  }
  json::object paths;
  for (const auto& [path, methods] : sorted) {
    json::object item;
    for (const auto& [method, route] : methods) {
      std::string name(method_name(method));
      std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(c | 0x20); });
      item[name] = operation_of(*route, method);
    }
    paths[path] = std::move(item);
  }
  return paths;
}

struct Tag {
  std::string_view name;
  std::string_view description;
};

/// In the order in which the reference shows them.
constexpr Tag tags[] = {
    {"Orders", "What customers ordered: made, changed, moved on, and turned into shipments."},
    {"Shipments", "Parcels on their way, with what carriers and drivers report of them."},
    {"Customers", "Who orders, their contacts and references, and uploads of many at once."},
    {"Products", "What is sold, with its variants."},
    {"Dimension presets", "Sizes of packages that come up again and again."},
    {"Carriers", "Who delivers: a catalogue of real ones, and a business's own."},
    {"Drivers", "Who drives."},
    {"Dispatches", "Shipments that one driver takes out in one vehicle, and in which order."},
    {"Vehicles", "What is driven, where it is and where it has been."},
    {"Tracking", "Devices in vehicles and the positions they send."},
    {"Business", "The business itself, its defaults, tokens and users."},
    {"Users", "Accounts of people: registering, signing in and out."},
    {"Integrations", "Stores and push subscriptions."},
    {"Workflows", "What shall happen when a record changes."},
    {"Templates", "Texts of mails, pushes and webhooks."},
    {"Runs", "What workflows did, each try of it, and doing it again."},
    {"System", "Health, this document, and the page that shows it."},
};

json::array tags_of(std::span<const Route> routes) {
  json::array list;
  for (const Tag& tag : tags) {
    if (std::ranges::find(routes, tag.name, &Route::tag) == routes.end()) continue;
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

json::object components_of(std::span<const Route> routes) {
  json::object schemas = component_schemas(routes);
  schemas["Error"] = error_schema();
  json::object responses;
  for (const auto& error : error_responses) {
    responses[error.name] =
        json::object{{"description", error.description},
                     {"content", media(ref("schemas", "Error"), json_type, error_example(error))}};
  }
  json::object idempotency_key{
      {"name", "Idempotency-Key"},
      {"in", "header"},
      {"description", "The same key, token and body within 24 h get the first successful answer again."},
      {"schema", {{"type", "string"}, {"maxLength", 255}}}};
  return {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
          {"parameters", {{"IdempotencyKey", std::move(idempotency_key)}}},
          {"headers",
           {{"RequestId", header("The caller's id of the request, or one made for it", "string")},
            {"RateLimitLimit", header("Requests the token has in a minute", "integer")},
            {"RateLimitRemaining", header("Requests left in this minute", "integer")},
            {"RateLimitReset", header("Unix seconds at which the minute ends", "integer")},
            {"Location", header("Path of the created record", "string")}}},
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

}  // namespace

std::string openapi_document(std::span<const Route> routes) {
  const json::object document{
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "waybill"},
        {"version", "1.0.0"},
        {"description",
         "Delivery operations, and the workflows that start when a record changes. Every answer is an "
         "envelope: "
         "`success`, and `data` or `error`."},
        {"license", {{"name", "All rights reserved"}, {"identifier", "LicenseRef-waybill"}}}}},
      {"servers", {{{"url", "/"}}}},
      {"security", {{{"token", json::array()}}}},
      {"tags", tags_of(routes)},
      {"paths", paths_of(routes)},
      {"components", components_of(routes)}};
  std::string text;
  print(text, document, 0);
  return text += '\n';
}

std::string openapi_document() { return openapi_document(all_routes()); }

}  // namespace waybill::api
