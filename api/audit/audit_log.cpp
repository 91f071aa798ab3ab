#include <array>
#include <string>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/paging.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/row_json.hpp"
#include "api/records/time_range.hpp"
#include "api/workflows/definition/step_body.hpp"
#include "api/workflows/definition/workflow_body.hpp"
#include "base/json.hpp"
#include "storage/sql/audit_log.sql.hpp"

namespace waybill::api {
namespace {

constexpr Property actor_properties[] = {
    {.name = "type",
     .kind = Kind::string,
     .nullable = false,
     .description =
         "user, token, operator (the command line, or a one-time link), system (the service itself) or sql."},
    {.name = "guid", .kind = Kind::uuid, .description = "The guid of the user or the token."},
    {.name = "name", .kind = Kind::string, .description = "For sql, the role of the database."},
};
constexpr Schema actor_schema{"AuditActor", actor_properties};

constexpr std::string_view actions[] = {"created", "updated", "deleted", "erased", "exported", "read"};
constexpr Property entry_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "at", .kind = Kind::timestamp, .nullable = false},
    {.name = "actor", .kind = Kind::object, .nullable = false, .schema = &actor_schema},
    {.name = "action", .kind = Kind::one_of, .nullable = false, .values = actions},
    {.name = "entityType",
     .kind = Kind::string,
     .nullable = false,
     .description =
         "workflow, template, token, user, carrier, integration, business, product_settings, purchase: who "
         "bought, voided and resolved it; console_link: who made and used it; or customer: of a customer, "
         "only who "
         "erased or exported it."},
    {.name = "entityId", .kind = Kind::uuid, .nullable = false},
    {.name = "entityName", .kind = Kind::string},
    {.name = "changes",
     .kind = Kind::any,
     .nullable = false,
     .description =
         "{field: {from, to}} of the fields that changed. Secrets are stars, and texts longer than "
         "2000 characters are cut."},
    {.name = "requestId", .kind = Kind::string, .description = "The X-Request-Id of the request's answer."},
    {.name = "address", .kind = Kind::string, .description = "The network address of the client."},
};
constexpr Schema entry_schema{"AuditEntry", entry_properties};

constexpr Parameter parameters[] = {
    page_parameter,
    page_size_parameter,
    {.name = "from", .kind = Kind::date_or_timestamp, .description = "The earliest time."},
    {.name = "to",
     .kind = Kind::date_or_timestamp,
     .description = "The latest time; a date includes the day."},
    {.name = "entityId", .kind = Kind::uuid, .description = "The guid of the changed entity."},
    {.name = "actorId", .kind = Kind::uuid, .description = "The guid of the user or token."},
};

/// The conditions of a request. Absent ones are left out of the text, so that each combination has its own
/// plan.
class AuditQuery {
 public:
  explicit AuditQuery(const Call& call) {
    params_.add(call.business());
    const auto time = [&](std::string_view name, bool is_end) {
      const auto bound = parse_bound(call.parameter(name), is_end);
      return bound ? std::optional(format_sql_timestamp(*bound)) : std::nullopt;
    };
    narrow("at >= ", "::timestamptz", time("from", false));
    narrow("at < ", "::timestamptz", time("to", true));
    narrow("entity_id = ", "::uuid", call.parameter("entityId"));
    narrow("actor_id = ", "::uuid", call.parameter("actorId"));
  }

  /// The statement's text with the conditions, and `page` if it has a place for one.
  std::string text(const storage::Statement& statement, std::string_view page = {}) const {
    constexpr std::string_view filter_place = "/*filter*/", page_place = "/*page*/";
    std::string text(statement.text);
    text.replace(text.find(filter_place), filter_place.size(), conditions_);
    if (!page.empty()) text.replace(text.find(page_place), page_place.size(), page);
    return text;
  }
  const storage::Params& params() const { return params_; }

 private:
  template <typename Text>
  void narrow(std::string_view comparison, std::string_view type, const std::optional<Text>& value) {
    if (!value) return;
    params_.add(*value);
    conditions_.append(" and ")
        .append(comparison)
        .append("$")
        .append(std::to_string(params_.size()))
        .append(type);
  }

  storage::Params params_;
  std::string conditions_;
};

/// Replaces the changed fields of a workflow, which have their stored form, by the members that the API
/// shows.
json::object shown_workflow(json::object fields) {
  const bool has_triggers = fields.contains("trigger") && fields.at("trigger").is_string();
  if (has_triggers) show_triggers(fields);
  if (fields.contains("action")) show_action(fields);
  fields.erase("triggerId");
  // `trigger` says all about one trigger and nothing about several, a timer or a schedule.
  if (has_triggers) {
    const json::array& triggers = fields.at("triggers").get_array();
    const bool is_one = triggers.size() == 1 && triggers.front() != "*";
    const bool is_list = !is_one && !triggers.empty();
    if (!is_list) fields.erase("triggers");
    if (!is_one) fields.erase("trigger");
  }
  return fields;
}

void show_changes(json::object& entry) {
  if (entry.at("entityType") != "workflow" || !entry.at("changes").is_object()) return;
  constexpr std::array<std::string_view, 2> sides = {"from", "to"};
  json::object shown;
  for (const auto side : sides) {
    json::object fields;
    for (const auto& [name, change] : entry.at("changes").get_object()) fields[name] = change.at(side);
    for (auto& [name, value] : shown_workflow(std::move(fields))) {
      if (!shown.contains(name)) shown[name] = {{"from", nullptr}, {"to", nullptr}};
      shown[name].get_object()[side] = std::move(value);
    }
  }
  // Secrets and erased values have one text before and after. Other equal sides differ in the stored form
  // alone.
  const json::object& stored = entry.at("changes").get_object();
  json::object changes;
  for (auto& [name, change] : shown) {
    const bool was_equal = stored.contains(name) && stored.at(name).at("from") == stored.at(name).at("to");
    if (was_equal || change.at("from") != change.at("to")) changes[name] = std::move(change);
  }
  entry["changes"] = std::move(changes);
}

asio::awaitable<Answer> list_audit(Call& call, Services& services) {
  const Page page = page_of(call);
  const AuditQuery query(call);
  const storage::TypedRows<sql::audit_log::Count> count(
      co_await services.db.read_long(call.business(), sql::audit_log::Count::statement.name,
                                     query.text(sql::audit_log::Count::statement), query.params()));
  auto text = query.text(sql::audit_log::List::statement, "limit " + std::to_string(page.limit()) +
                                                              " offset " + std::to_string(page.offset()));
  const auto rows = co_await services.db.read_long(call.business(), sql::audit_log::List::statement.name,
                                                   std::move(text), query.params());
  json::value entries = json::parse(json_array(rows));
  for (json::value& entry : entries.as_array()) show_changes(entry.as_object());
  co_return page_answer(to_json(entries), page, count.front().total);
}

constexpr Endpoint audit_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/business/audit",
     .permission = Permission::read,
     .handler = list_audit,
     .operation_id = "listAuditLog",
     .summary = "Lists who changed workflows, templates, tokens, users, carriers, integrations and settings",
     .description =
         "Newest first. Also lists who erased or exported a customer, exported the business, or read "
         "the secret headers of a workflow. An entry is kept for 400 days.",
     .tag = "Business",
     .query = parameters,
     .answer = &entry_schema,
     .answer_is_array = true,
     .paginated = true},
};

}  // namespace

std::span<const Endpoint> audit_endpoints() { return audit_endpoint_table; }

}  // namespace waybill::api
