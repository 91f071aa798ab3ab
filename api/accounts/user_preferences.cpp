// Saved views of lists and settings of the console, which each user keeps.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "base/error.hpp"
#include "domain/time/time_zone.hpp"
#include "storage/sql/user_preferences.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t most_views = 50;
constexpr std::size_t longest_query = 2'000;
constexpr std::size_t longest_language = 35;  // RFC 5646 section 4.4.1
constexpr std::string_view themes[] = {"light", "dark", "system"};

constexpr Property view_properties[] = {
    {.name = "name", .kind = Kind::string, .required = true, .example = R"("Late parcels")"},
    {.name = "page",
     .kind = Kind::string,
     .required = true,
     .description = "The page of the console.",
     .example = R"("shipments")"},
    {.name = "query",
     .kind = Kind::text,
     .max_length = longest_query,
     .description = "The query of the page's URL. Default: null.",
     .example = R"("late=true&status=in_transit")"},
};
constexpr Schema view_schema{"SavedView", view_properties};

constexpr Property views_properties[] = {
    {.name = "views",
     .kind = Kind::array,
     .nullable = false,
     .max_length = most_views,
     .schema = &view_schema,
     .description = "All views, in the order of the user. Required; may be empty."},
};
constexpr Schema views_schema{"SavedViews", views_properties};

constexpr Property settings_properties[] = {
    {.name = "language",
     .kind = Kind::string,
     .max_length = longest_language,
     .description = "BCP 47. Null: that of the browser.",
     .example = R"("en")"},
    {.name = "zone",
     .kind = Kind::string,
     .description = "IANA. Null: that of the business.",
     .example = R"("Europe/Lisbon")"},
    {.name = "theme", .kind = Kind::one_of, .values = themes, .description = "Null: that of the browser."},
};
constexpr Schema settings_schema{"UserSettings", settings_properties};

/// A required array of the schema would not be allowed to be empty.
void check_views(const json::object& body, FieldErrors& errors) {
  if (!body.contains("views")) errors.push_back({"views", "is required"});
}

bool is_language(std::string_view text) {
  const auto is_part = [](std::string_view part) {
    return !part.empty() && part.size() <= 8 && std::ranges::all_of(part, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    });
  };
  for (;;) {
    const auto end = text.find('-');
    if (!is_part(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

void check_settings(const json::object& body, FieldErrors& errors) {
  const auto language = text_at(body, "language");
  if (language && language->size() <= longest_language && !is_language(*language))
    errors.push_back({"language", "must be a BCP 47 tag such as en or pt-BR"});
  const auto zone = text_at(body, "zone");
  if (zone && !domain::is_time_zone(*zone))
    errors.push_back({"zone", "must be an IANA zone such as Europe/Lisbon"});
}

void check_is_user(const Call& call) {
  if (call.principal.caller == Caller::api_token)
    throw Failure(ErrorCode::forbidden, "Views and settings belong to a user; an API token has none.");
  if (call.principal.caller == Caller::link) {
    throw Failure(ErrorCode::forbidden,
                  "Views and settings belong to a user; the session of a one-time link is nobody's.");
  }
}

Failure no_member() { return conflict("A user without a business cannot save views and settings."); }

/// The answer of a row with the views; none were saved without a row.
std::string views_answer(const storage::Rows& rows) {
  return rows.empty() ? R"({"views":[]})" : json_object(rows);
}

asio::awaitable<Answer> get_views(Call& call, Services& services) {
  check_is_user(call);
  co_return Answer::of(views_answer(co_await services.db.read(
      sql::user_preferences::GetViews{.business = call.business(), .user = call.principal.user_id})));
}

asio::awaitable<Answer> put_views(Call& call, Services& services) {
  check_is_user(call);
  json::array views;
  for (const json::value& view : call.object().at("views").as_array()) {
    json::object& shown = views.emplace_back(json::object()).as_object();
    for (const Property& property : view_properties) {
      const auto* const value = view.as_object().if_contains(property.name);
      shown[property.name] = value == nullptr ? json::value() : *value;
    }
  }
  const auto rows = co_await services.db.write(
      sql::user_preferences::PutViews{
          .business = call.business(), .user = call.principal.user_id, .views = to_json(views)},
      call.cause());
  if (rows.empty()) throw no_member();
  co_return Answer::of(views_answer(rows));
}

asio::awaitable<Answer> get_settings(Call& call, Services& services) {
  check_is_user(call);
  const auto rows = co_await services.db.read(
      sql::user_preferences::GetSettings{.business = call.business(), .user = call.principal.user_id});
  co_return Answer::of(rows.empty() ? R"({"language":null,"zone":null,"theme":null})" : json_object(rows));
}

asio::awaitable<Answer> put_settings(Call& call, Services& services) {
  check_is_user(call);
  const auto rows = co_await services.db.write(
      sql::user_preferences::PutSettings{
          .business = call.business(), .user = call.principal.user_id, .changes = to_json(call.object())},
      call.cause());
  if (rows.empty()) throw no_member();
  co_return Answer::of(json_object(rows));
}

constexpr ErrorCode put_errors[] = {ErrorCode::forbidden, ErrorCode::conflict};
constexpr ErrorCode get_errors[] = {ErrorCode::forbidden};

constexpr Endpoint preference_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/user/views",
     .permission = Permission::read,
     .handler = get_views,
     .operation_id = "getSavedViews",
     .summary = "Returns the saved views of the user",
     .description = "The views are those of the user in the business. An API token and the session of a "
                    "one-time link get 403.",
     .tag = "Users",
     .answer = &views_schema,
     .errors = get_errors},
    {.method = Method::put,
     .path = "/api/user/views",
     .permission = Permission::read,
     .handler = put_views,
     .operation_id = "replaceSavedViews",
     .summary = "Replaces the saved views of the user",
     .description = "At most 50. Every role may save views. The erasure of a person deletes the views that "
                    "name the person. "
                    "The removal of the user deletes all.",
     .tag = "Users",
     .body = &views_schema,
     .body_check = check_views,
     .body_kind = BodyKind::object,
     .answer = &views_schema,
     .errors = put_errors},
    {.method = Method::get,
     .path = "/api/user/settings",
     .permission = Permission::read,
     .handler = get_settings,
     .operation_id = "getUserSettings",
     .summary = "Returns the settings of the user",
     .description = "Language, time zone and theme of the console; null where the user has chosen none. An "
                    "API token and the session of a one-time link get 403.",
     .tag = "Users",
     .answer = &settings_schema,
     .errors = get_errors},
    {.method = Method::put,
     .path = "/api/user/settings",
     .permission = Permission::read,
     .handler = put_settings,
     .operation_id = "updateUserSettings",
     .summary = "Changes settings of the user",
     .description = "An absent setting keeps its value, and null unsets it. Every role may save settings. "
                    "The removal of the user deletes them.",
     .tag = "Users",
     .body = &settings_schema,
     .body_check = check_settings,
     .body_kind = BodyKind::object,
     .answer = &settings_schema,
     .errors = put_errors},
};

}  // namespace

std::span<const Endpoint> preference_endpoints() { return preference_endpoint_table; }

}  // namespace waybill::api
