#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "api/accounts/account_fields.hpp"
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/push/vapid_key.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "base/ascii.hpp"
#include "domain/time/time_zone.hpp"
#include "domain/time/working_days.hpp"
#include "domain/values/currency.hpp"
#include "net/destination/destination.hpp"
#include "storage/sql/business_defaults.sql.hpp"
#include "storage/sql/businesses.sql.hpp"
#include "storage/sql/carriers.sql.hpp"
#include "storage/sql/users.sql.hpp"

namespace waybill::api {
namespace {

constexpr Property settings_properties[] = {
    {.name = "timezone",
     .kind = Kind::string,
     .nullable = false,
     .description = "A zone of the IANA database."},
    {.name = "currency", .kind = Kind::string, .nullable = false, .description = "An ISO 4217 code."},
};
constexpr Schema settings_schema{"BusinessSettingsUpdate", settings_properties};

constexpr std::size_t longest_logo_url = 2'000;
constexpr Property branding_properties[] = {
    {.name = "logoUrl",
     .kind = Kind::string,
     .max_length = longest_logo_url,
     .description = "An https URL of an image, shown on tracking pages."},
    {.name = "color", .kind = Kind::string, .description = "The color of tracking pages, such as #1a73e8."},
    {.name = "senderName",
     .kind = Kind::string,
     .description = "The name of the sender of workflows' mails."},
    {.name = "replyTo",
     .kind = Kind::email,
     .max_length = longest_email,
     .description = "The address for replies to workflows' mails."},
};
constexpr Schema branding_schema{"Branding", branding_properties};

constexpr Property calendar_properties[] = {
    {.name = "workdays",
     .kind = Kind::array,
     .nullable = false,
     .max_length = domain::weekday_names.size(),
     .min_length = 1,
     .items = Kind::one_of,
     .values = domain::weekday_names,
     .description = "The days of the week on which the business works. Monday to Friday if none are set."},
    {.name = "holidays",
     .kind = Kind::array,
     .nullable = false,
     .max_length = domain::most_holidays,
     .items = Kind::date,
     .description = "The dates on which it does not work."},
};
constexpr Schema calendar_schema{"BusinessCalendar", calendar_properties};

constexpr auto business_properties(bool create) {
  return std::to_array<Property>({
      {.name = "guid",
       .kind = Kind::uuid,
       .read_only = create,
       .description = create ? "" : "The guid of the business."},
      {.name = "name", .kind = Kind::string, .required = create, .nullable = false, .min_length = 1},
      {.name = "email",
       .kind = Kind::email,
       .required = create,
       .nullable = !create,  // one made by the command line has none
       .max_length = longest_email},
      {.name = "phone", .kind = Kind::string},
      {.name = "address", .kind = Kind::object, .schema = &address_schema},
      {.name = "settings", .kind = Kind::object, .nullable = false, .schema = &settings_schema},
      {.name = "branding", .kind = Kind::object, .schema = &branding_schema},
      {.name = "calendar", .kind = Kind::object, .nullable = false, .schema = &calendar_schema},
  });
}
constexpr auto create_properties = business_properties(true);
constexpr auto update_properties = business_properties(false);
constexpr Schema create_schema{"BusinessCreate", create_properties};
constexpr Schema update_schema{"BusinessUpdate", update_properties};

constexpr Property settings_answer_properties[] = {
    {.name = "timezone",
     .kind = Kind::string,
     .nullable = false,
     .description = "A zone of the IANA database."},
    {.name = "currency", .kind = Kind::string, .nullable = false, .description = "An ISO 4217 code."},
};
constexpr Schema settings_answer_schema{"BusinessSettings", settings_answer_properties};
constexpr Property answer_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "email", .kind = Kind::email},
    {.name = "phone", .kind = Kind::string},
    {.name = "address", .kind = Kind::object, .schema = &address_schema},
    {.name = "settings", .kind = Kind::object, .nullable = false, .schema = &settings_answer_schema},
    {.name = "branding",
     .kind = Kind::object,
     .schema = &branding_schema,
     .description = "Null if nothing is set."},
    {.name = "calendar", .kind = Kind::object, .nullable = false, .schema = &calendar_schema},
};
constexpr Schema business_schema{"Business", answer_properties};

constexpr Property summary_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
};
constexpr Schema summary_schema{"BusinessSummary", summary_properties};

constexpr Parameter soft_check_parameters[] = {
    {.name = "emailAddress", .kind = Kind::email, .required = true, .max_length = longest_email},
};

constexpr std::string_view units[] = {"cm", "in", "m"};
constexpr Property dimensions_properties[] = {
    {.name = "length", .kind = Kind::number, .nullable = false, .minimum = 0, .maximum = 1e9},
    {.name = "width", .kind = Kind::number, .nullable = false, .minimum = 0, .maximum = 1e9},
    {.name = "height", .kind = Kind::number, .nullable = false, .minimum = 0, .maximum = 1e9},
    {.name = "unit", .kind = Kind::one_of, .nullable = false, .values = units},
};
constexpr Schema dimensions_schema{"DefaultDimensions", dimensions_properties};
constexpr Property notifications_properties[] = {
    {.name = "emailEnabled", .kind = Kind::boolean, .nullable = false},
    {.name = "pushEnabled", .kind = Kind::boolean, .nullable = false},
};
constexpr Schema notifications_schema{"Notifications", notifications_properties};
constexpr auto defaults_properties_of(bool update) {
  return std::to_array<Property>({
      {.name = "defaultCarrier", .kind = Kind::uuid, .description = "The guid of a carrier."},
      {.name = "defaultServiceLevel",
       .kind = Kind::string,
       .nullable = update,
       .description = update ? "standard, express, sameday or a code of a carrier; null: there is no default."
                             : "standard, express, sameday or a code of a carrier; standard if none is set, "
                               "which is only shown and has no effect."},
      {.name = "defaultDimensions",
       .kind = Kind::object,
       .nullable = update,
       .schema = &dimensions_schema,
       .description = update ? "Null: there is no default."
                             : "30 x 20 x 10 cm if none are set, which are only shown and have no effect."},
      {.name = "notifications", .kind = Kind::object, .nullable = false, .schema = &notifications_schema},
  });
}
constexpr auto defaults_properties = defaults_properties_of(false);
constexpr auto defaults_update_properties = defaults_properties_of(true);
constexpr Schema defaults_schema{"DefaultConfiguration", defaults_properties};
constexpr Schema defaults_update_schema{"DefaultConfigurationUpdate", defaults_update_properties};

struct Column {
  std::string_view path;
  std::string_view column;
};
constexpr auto columns = std::to_array<Column>({
    {"name", "name"},
    {"email", "email"},
    {"phone", "phone"},
    {"address.street", "street"},
    {"address.city", "city"},
    {"address.state", "state"},
    {"address.postalCode", "postal_code"},
    {"address.country", "country"},
    {"settings.timezone", "timezone"},
    {"settings.currency", "currency"},
    {"branding.logoUrl", "logo_url"},
    {"branding.color", "brand_color"},
    {"branding.senderName", "sender_name"},
    {"branding.replyTo", "reply_to"},
    {"calendar.workdays", "workdays"},
    {"calendar.holidays", "holidays"},
});
constexpr auto default_columns = std::to_array<Column>({
    {"defaultCarrier", "carrier_id"},
    {"defaultServiceLevel", "service_level"},
    {"defaultDimensions.length", "length"},
    {"defaultDimensions.width", "width"},
    {"defaultDimensions.height", "height"},
    {"defaultDimensions.unit", "unit"},
    {"notifications.emailEnabled", "email_enabled"},
    {"notifications.pushEnabled", "push_enabled"},
});

bool is_color(std::string_view text) {
  return text.size() == 7 && text.front() == '#' &&
         std::ranges::all_of(text.substr(1), [](char c) { return hex_value(c) >= 0; });
}

/// True for an https URL that a page can hold in an attribute and its host in a header.
bool is_logo_url(std::string_view text) {
  const auto is_allowed = [](char c) {
    return c > ' ' && c <= '~' && std::string_view("\"'<>\\`{}|^;,").find(c) == std::string_view::npos;
  };
  const auto destination = net::parse_destination(text);
  return text.starts_with("https://") && std::ranges::all_of(text, is_allowed) && destination &&
         destination->host.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-:") ==
             std::string_view::npos &&
         !net::check_url(text, {.allow_private = true});
}

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

void check_branding(const json::object& body, FieldErrors& errors) {
  if (const auto url = text_at(body, "branding.logoUrl"); url && !is_logo_url(*url))
    errors.push_back(
        {"branding.logoUrl", "must be an https URL in ASCII, such as https://example.com/logo.png"});
  if (const auto color = text_at(body, "branding.color"); color && !is_color(*color))
    errors.push_back({"branding.color", "must be a color such as #1a73e8"});
  check_not_blank(body, "branding.senderName", errors);
  if (const auto name = text_at(body, "branding.senderName"); name && std::ranges::any_of(*name, is_control))
    errors.push_back({"branding.senderName", "must not have control characters"});
}

/// The entries of a list of the calendar; null if the body has no such list.
const json::array* calendar_list(const json::object& body, const char* path) {
  const json::value* const list = find_path(body, path);
  return list == nullptr ? nullptr : list->if_array();
}

void check_unique(const json::object& body, const char* path, FieldErrors& errors) {
  const json::array* const list = calendar_list(body, path);
  for (std::size_t i = 1; list != nullptr && i < list->size(); ++i) {
    const auto* const same = std::find(list->begin(), list->begin() + i, (*list)[i]);
    if (same != list->begin() + i)
      errors.push_back({std::string(path) + '[' + std::to_string(i) + ']', "is given twice"});
  }
}

void check_business(const json::object& body, FieldErrors& errors) {
  check_not_blank(body, "name", errors);
  const auto zone = text_at(body, "settings.timezone");
  if (zone && !domain::is_time_zone(*zone)) {
    errors.push_back({"settings.timezone", "must be an IANA zone such as Europe/Lisbon"});
  }
  const auto currency = text_at(body, "settings.currency");
  if (currency && !domain::is_currency(*currency)) {
    errors.push_back({"settings.currency", "must be a code of ISO 4217 such as EUR"});
  }
  check_branding(body, errors);
  check_unique(body, "calendar.workdays", errors);
  check_unique(body, "calendar.holidays", errors);
}

/// Returns the columns that the body names, with their new values; a null object clears all its columns.
json::object changes_of(const json::object& body, std::span<const Column> table) {
  json::object changes;
  for (const auto& [path, column] : table) {
    const auto* const member = body.if_contains(path.substr(0, path.find('.')));
    if (member == nullptr) continue;
    const auto* const value = find_path(body, path);
    if (value != nullptr) {
      changes.emplace(column, *value);
    } else if (member->is_null()) {
      changes.emplace(column, nullptr);
    }
  }
  return changes;
}

/// The color as it is stored, in lower case.
std::optional<std::string> brand_color(const json::object& body) {
  const auto color = text_at(body, "branding.color");
  return color ? std::optional(ascii_lower(*color)) : std::nullopt;
}

/// The working days in the order of the week, as they are stored.
std::optional<json::array> ordered_workdays(const json::object& body) {
  const json::array* const given = calendar_list(body, "calendar.workdays");
  if (given == nullptr) return std::nullopt;
  json::array days;
  for (const std::string_view day : domain::weekday_names) {
    if (std::ranges::find(*given, json::value(day)) != given->end()) days.emplace_back(day);
  }
  return days;
}

/// The holidays in the order of time, as they are stored.
std::optional<json::array> ordered_holidays(const json::object& body) {
  const json::array* const given = calendar_list(body, "calendar.holidays");
  if (given == nullptr) return std::nullopt;
  std::vector<std::string> dates;
  for (const json::value& date : *given) dates.emplace_back(date.as_string());
  std::ranges::sort(dates);
  return json::array(dates.begin(), dates.end());
}

std::optional<std::string> text_of(const std::optional<json::array>& list) {
  return list ? std::optional(to_json(*list)) : std::nullopt;
}

asio::awaitable<Answer> get_business(Call& call, Services& services) {
  const auto found = co_await services.db.read(sql::businesses::Get{.business = call.business()});
  if (found.empty()) throw not_found("business");
  co_return Answer::of(json_object(found.all()));
}

/// A token belongs to one business permanently: only a user without a business can create one.
void require_no_business(const Principal& principal) {
  if (principal.business_id.is_nil() && principal.is_user()) return;
  if (principal.role < Role::admin) {
    throw Failure(ErrorCode::forbidden, "The token's role does not allow this.");
  }
  throw conflict("The token already belongs to a business.");
}

asio::awaitable<Answer> create_business(Call& call, Services& services) {
  require_no_business(call.principal);
  const auto& body = call.object();
  const auto user = call.principal.user_id;
  const auto business = Guid::random();
  const auto keys = SealedVapidKey::make(services.secrets, business);

  const auto transaction = co_await services.db.begin(call.cause());
  const auto locked = co_await transaction->run(storage::sql::users::Lock{.user = user});
  if (locked.empty() || locked.front().business_id) throw conflict("The user already belongs to a business.");
  const auto rows =
      co_await transaction->run(sql::businesses::Open{.guid = business,
                                                      .name = text_at(body, "name").value(),
                                                      .email = text_at(body, "email").value(),
                                                      .phone = text_at(body, "phone"),
                                                      .street = text_at(body, "address.street"),
                                                      .city = text_at(body, "address.city"),
                                                      .state = text_at(body, "address.state"),
                                                      .postal_code = text_at(body, "address.postalCode"),
                                                      .country = text_at(body, "address.country"),
                                                      .time_zone = text_at(body, "settings.timezone"),
                                                      .currency = text_at(body, "settings.currency"),
                                                      .logo_url = text_at(body, "branding.logoUrl"),
                                                      .brand_color = brand_color(body),
                                                      .sender_name = text_at(body, "branding.senderName"),
                                                      .reply_to = text_at(body, "branding.replyTo"),
                                                      .owner = user,
                                                      .public_key = keys.public_key,
                                                      .private_key = keys.private_key,
                                                      .workdays = text_of(ordered_workdays(body)),
                                                      .holidays = text_of(ordered_holidays(body))});
  co_await transaction->commit();
  services.tokens_changed();
  co_return Answer::created(json_object(rows), "/api/business/my-business");
}

asio::awaitable<Answer> change_business(Call& call, Services& services) {
  const auto& body = call.object();
  const auto guid = guid_at(body, "guid");
  if (guid && *guid != call.business()) throw not_found("business");
  const auto* const email = body.if_contains("email");
  if (email != nullptr && email->is_null()) {
    const auto rows = co_await services.db.read(sql::businesses::Get{.business = call.business()});
    const auto current = rows.find();
    if (current && current->email) throw invalid("email", "must not be null");
  }
  auto changes = changes_of(body, columns);
  if (const auto color = brand_color(body)) changes["brand_color"] = *color;
  if (auto days = ordered_workdays(body)) changes["workdays"] = *std::move(days);
  if (auto dates = ordered_holidays(body)) changes["holidays"] = *std::move(dates);
  const auto rows = co_await services.db.write(
      sql::businesses::Change{.business = call.business(), .changes = to_json(changes)}, call.cause());
  if (rows.empty()) throw not_found("business");
  co_return Answer::none();
}

asio::awaitable<Answer> soft_check(Call& call, Services& services) {
  const auto address = call.parameter("emailAddress").value_or("");
  const auto rows = co_await services.db.read(sql::businesses::SoftCheck{.email = address});
  co_return Answer::of(rows.front().is_known ? "true" : "false");
}

asio::awaitable<Answer> get_defaults(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::business_defaults::Get{.business = call.business()});
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> change_defaults(Call& call, Services& services) {
  const auto& body = call.object();
  const auto carrier = guid_at(body, "defaultCarrier");
  const auto transaction = co_await services.db.begin(call.cause());
  if (carrier) {
    co_await transaction->run(sql::carriers::Hold{.business = call.business(), .carrier = *carrier});
  }
  const auto references = co_await transaction->run(
      sql::business_defaults::References{.business = call.business(),
                                         .carrier = carrier,
                                         .service_level = text_at(body, "defaultServiceLevel")});
  const auto known = references.front();
  if (!known.is_carrier) throw not_found("carrier");
  if (!known.is_level) {
    throw invalid("defaultServiceLevel",
                  "must be standard, express, sameday or the code of a carrier's service level");
  }
  const auto changes = changes_of(body, default_columns);
  co_await transaction->run(sql::business_defaults::Begin{.business = call.business()});
  co_await transaction->run(
      sql::business_defaults::Change{.business = call.business(),
                                     .changes = to_json(changes),
                                     .is_whole = changes.size() == default_columns.size()});
  co_await transaction->commit();
  co_return co_await get_defaults(call, services);
}

constexpr Endpoint business_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/business/my-business",
     .permission = Permission::read,
     .handler = get_business,
     .operation_id = "getBusiness",
     .summary = "Returns the business of the token",
     .description = "Also tells the plan and the settings.",
     .tag = "Business",
     .answer = &business_schema},
    {.method = Method::post,
     .path = "/api/business",
     .permission = Permission::signed_in,
     .handler = create_business,
     .operation_id = "createBusiness",
     .summary = "Creates a business",
     .description = "The user of the token becomes its owner and must not have a business yet.",
     .tag = "Business",
     .body = &create_schema,
     .body_check = check_business,
     .body_kind = BodyKind::object,
     .answer = &summary_schema,
     .status = 201,
     .is_audited = true},
    {.method = Method::put,
     .path = "/api/business",
     .permission = Permission::administer,
     .handler = change_business,
     .operation_id = "updateBusiness",
     .summary = "Updates the business",
     .description = "Fields that are left out keep their values.",
     .tag = "Business",
     .body = &update_schema,
     .body_check = check_business,
     .body_kind = BodyKind::object},
    {.method = Method::get,
     .path = "/api/business/soft-check",
     .permission = Permission::signed_in,
     .handler = soft_check,
     .operation_id = "businessExists",
     .summary = "Returns whether a business uses an e-mail address",
     .description = "True if the address is that of a business or of one of its users.",
     .tag = "Business",
     .query = soft_check_parameters,
     .answer_kind = Kind::boolean,
     .bare = true},
    {.method = Method::get,
     .path = "/api/business/default-configuration",
     .permission = Permission::read,
     .handler = get_defaults,
     .operation_id = "getDefaultConfiguration",
     .summary = "Returns the defaults of new orders and shipments",
     .description =
         "A service level and dimensions that are not set are shown as standard and 30 x 20 x 10 cm, "
         "and have no effect.",
     .tag = "Business",
     .answer = &defaults_schema},
    {.method = Method::put,
     .path = "/api/business/default-configuration",
     .permission = Permission::administer,
     .handler = change_defaults,
     .operation_id = "updateDefaultConfiguration",
     .summary = "Updates the defaults of new orders and shipments",
     .description = "Fields that are left out keep their values. A body with all that GET shows changes only "
                    "the values that differ from it. A value that is sent alone is set, whatever GET shows.",
     .tag = "Business",
     .body = &defaults_update_schema,
     .body_kind = BodyKind::object,
     .answer = &defaults_schema},
};

}  // namespace

std::span<const Endpoint> business_endpoints() { return business_endpoint_table; }

}  // namespace waybill::api
