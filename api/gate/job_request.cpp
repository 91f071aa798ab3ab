#include "api/gate/job_request.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

#include "api/endpoint/job_contents.hpp"
#include "base/ascii.hpp"
#include "base/json.hpp"
#include "storage/sql/jobs.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t stored_depth = 40;  // that of a body, and of the members around it

/// Takes the next preference of a Prefer field off: up to a comma that is not quoted.
std::string_view take_preference(std::string_view& field) {
  bool is_quoted = false;
  std::size_t end = 0;
  for (; end < field.size(); ++end) {
    if (is_quoted && field[end] == '\\') {
      ++end;
    } else if (field[end] == '"') {
      is_quoted = !is_quoted;
    } else if (field[end] == ',' && !is_quoted) {
      break;
    }
  }
  const auto preference = field.substr(0, end);
  field.remove_prefix(std::min(end + 1, field.size()));
  return preference;
}

bool is_respond_async(std::string_view preference) {
  return equal_ignoring_case(trimmed(preference.substr(0, preference.find_first_of(";=")), " \t"),
                             "respond-async");
}

constexpr std::string_view caller_names[] = {"token", "user", "link"};

Caller read_caller(std::string_view name) {
  const auto* const found = std::ranges::find(caller_names, name);
  if (found == std::end(caller_names)) throw std::invalid_argument("a stored call has an unknown caller");
  return static_cast<Caller>(found - std::begin(caller_names));
}

json::object principal_json(const Principal& principal) {
  return {{"business", principal.business_id.to_string()},
          {"token", principal.token_id.to_string()},
          {"user", principal.user_id.to_string()},
          {"name", principal.name},
          {"role", role_names[static_cast<std::size_t>(principal.role)]},
          {"caller", caller_names[static_cast<std::size_t>(principal.caller)]}};
}

std::string text_of(const json::object& object, std::string_view name) {
  return std::string(object.at(name).as_string());
}

Guid guid_of(const json::value& text) {
  const auto guid = Guid::parse(text.as_string());
  if (!guid) throw std::invalid_argument("a stored call has a malformed guid");
  return *guid;
}

Principal read_principal(const json::object& object) {
  return {.business_id = guid_of(object.at("business")),
          .token_id = guid_of(object.at("token")),
          .user_id = guid_of(object.at("user")),
          .name = text_of(object, "name"),
          .role = parse_role(object.at("role").as_string()),
          .caller = read_caller(object.at("caller").as_string())};
}

/// The parameters, with the names of the endpoint's row, which live as long as the process.
std::vector<std::pair<std::string_view, std::string>> read_query(const json::array& list,
                                                                 const Endpoint& endpoint) {
  std::vector<std::pair<std::string_view, std::string>> query;
  for (const auto& entry : list) {
    const auto& object = entry.as_object();
    const auto row =
        std::ranges::find(endpoint.query, std::string_view(object.at("name").as_string()), &Parameter::name);
    if (row != endpoint.query.end()) query.emplace_back(row->name, text_of(object, "value"));
  }
  return query;
}

}  // namespace

bool prefers_job(std::string_view head) {
  while (!head.empty()) {
    const auto end = std::min(head.find('\n'), head.size());
    const auto line = head.substr(0, end);
    head.remove_prefix(std::min(end + 1, head.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !equal_ignoring_case(line.substr(0, colon), "prefer")) continue;
    for (auto field = trimmed(line.substr(colon + 1)); !field.empty();) {
      if (is_respond_async(take_preference(field))) return true;
    }
  }
  return false;
}

std::string stored_call(const Call& call) {
  json::array ids;
  for (const auto& id : call.ids) ids.push_back(json::value(id.to_string()));
  json::array query;
  for (const auto& [name, value] : call.query) query.push_back({{"name", name}, {"value", value}});
  std::string text = to_json(json::object{{"principal", principal_json(call.principal)},
                                          {"ids", std::move(ids)},
                                          {"query", std::move(query)},
                                          {"body", call.body},
                                          {"requestId", call.request_id},
                                          {"contentType", call.content_type},
                                          {"peer", call.peer},
                                          {"isAudited", call.is_audited},
                                          {"isBulk", call.is_bulk}});
  text += '\n';  // the JSON has none
  return text += call.raw_body;
}

Call read_stored_call(std::string_view text, const Endpoint& endpoint, std::string& peer) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos) throw std::invalid_argument("a stored call has no end");
  const auto parsed = parse_json(text.substr(0, end), stored_depth);
  const auto* const value = std::get_if<json::value>(&parsed);
  if (value == nullptr) throw std::invalid_argument("a stored call is not JSON");
  const auto& object = value->as_object();
  peer = text_of(object, "peer");
  Call call{.principal = read_principal(object.at("principal").as_object()),
            .query = read_query(object.at("query").as_array(), endpoint),
            .body = object.at("body"),
            .request_id = text_of(object, "requestId"),
            .raw_body = std::string(text.substr(end + 1)),
            .content_type = text_of(object, "contentType"),
            .peer = peer,
            .is_audited = object.at("isAudited").as_bool(),
            .is_bulk = object.at("isBulk").as_bool()};
  for (const auto& id : object.at("ids").as_array()) call.ids.push_back(guid_of(id));
  return call;
}

asio::awaitable<Answer> accept_job(const Endpoint& endpoint, Role least_role, const Call& call,
                                   Services& services) {
  const Guid job = Guid::timed_random(to_unix_ms(services.clock.now()));
  const auto transaction = co_await services.db.begin(call.cause());
  const auto accepted = co_await transaction->run(
      storage::sql::jobs::Accept{.business = call.business(),
                                 .guid = job,
                                 .kind = job_kind_names[static_cast<std::size_t>(*endpoint.job)],
                                 .operation = endpoint.operation_id,
                                 .role = role_names[static_cast<std::size_t>(least_role)],
                                 .most_open = most_open_jobs});
  if (accepted.empty()) {
    throw conflict("The business has " + std::to_string(most_open_jobs) +
                   " running jobs; wait until one has ended, or cancel one.");
  }
  co_await store_content(*transaction, services.secrets, call.business(), job, JobContent::call,
                         stored_call(call));
  co_await transaction->commit();
  const std::string guid = job.to_string();
  const std::string path = std::string(job_path) + guid;
  co_return Answer{.status = 202,
                   .data = to_json(json::object{{"jobId", guid}}),
                   .location = path,
                   .headers = "Location: " + path + "\r\n" + std::string(applied_preference)};
}

}  // namespace waybill::api
