#include "api/jobs/job_error.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/json.hpp"

namespace waybill::api {
namespace {

bool is_line(std::string_view field) {
  constexpr std::string_view line = "line ";
  return field.starts_with(line) && all_digits(field.substr(line.size()));
}

/// True for a name that the endpoint, not the caller, has chosen.
bool is_declared(std::string_view field, const Endpoint* endpoint) {
  if (field == "file" || field == "body" || is_line(field)) return true;
  if (endpoint == nullptr) return false;
  if (std::ranges::find(endpoint->query, field, &Parameter::name) != endpoint->query.end()) return true;
  return endpoint->body != nullptr && std::ranges::find(endpoint->body->properties, field, &Property::name) !=
                                          endpoint->body->properties.end();
}

}  // namespace

std::string job_error(std::string_view error_body, const Endpoint* endpoint) {
  const json::value body = json::parse(error_body);
  const json::object& error = body.at("error").as_object();
  json::object kept{{"code", error.at("code")}, {"message", error.at("message")}, {"details", nullptr}};
  if (const json::value* const details = error.if_contains("details")) {
    json::object named;
    for (const auto& [field, message] : details->as_object()) {
      if (!is_declared(field, endpoint)) continue;
      const bool quotes = message.as_string().find('"') != json::string::npos;
      named.emplace(field, quotes ? json::value("is not valid") : message);
    }
    if (!named.empty()) kept["details"] = std::move(named);
  }
  return to_json(kept);
}

std::string interrupted_job_error() {
  return to_json(json::object{{"code", "INTERRUPTED"},
                              {"message", "The process that performed the job ended; repeat the call."},
                              {"details", nullptr}});
}

}  // namespace waybill::api
