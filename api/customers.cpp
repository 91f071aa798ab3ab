#include <array>
#include <string>
#include <utility>

#include "api/fields.hpp"
#include "api/list.hpp"
#include "api/paging.hpp"
#include "api/params.hpp"
#include "api/route.hpp"
#include "api/row_json.hpp"
#include "api/services.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::customers;

constexpr std::size_t longest_email = 254;  // RFC 5321 section 4.5.3.1.3, without the angle brackets

constexpr Property contact_properties[] = {
    {.name = "guid", .kind = Kind::uuid},    {.name = "name", .kind = Kind::string},
    {.name = "email", .kind = Kind::string}, {.name = "phone", .kind = Kind::string},
    {.name = "role", .kind = Kind::string},
};
constexpr Schema contact_schema{"CustomerContact", contact_properties};

constexpr Property reference_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "type", .kind = Kind::string},
    {.name = "value", .kind = Kind::string},
};
constexpr Schema reference_schema{"CustomerReference", reference_properties};

/// Of requests; as an answer, whole. `create` asks for the name.
constexpr auto customer_properties(bool create) {
  return std::to_array<Property>({
      {.name = "guid", .kind = Kind::uuid, .read_only = true},
      {.name = "name", .kind = Kind::string, .required = create, .nullable = false, .min_length = 1},
      {.name = "email", .kind = Kind::email, .max_length = longest_email},
      {.name = "phone", .kind = Kind::string},
      {.name = "company", .kind = Kind::string},
      {.name = "address", .kind = Kind::object, .schema = &address_schema},
      {.name = "contacts", .kind = Kind::array, .read_only = true, .schema = &contact_schema},
      {.name = "references", .kind = Kind::array, .read_only = true, .schema = &reference_schema},
      {.name = "createdAt", .kind = Kind::timestamp, .read_only = true},
      {.name = "updatedAt", .kind = Kind::timestamp, .read_only = true},
  });
}
constexpr auto create_properties = customer_properties(true);
constexpr auto update_properties = customer_properties(false);
constexpr Schema create_schema{"CustomerCreate", create_properties};
constexpr Schema customer_schema{"Customer", update_properties};
constexpr Schema entry_schema{"CustomerEntry", std::span(update_properties).first(6)};

constexpr Property summary_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string},
    {.name = "email", .kind = Kind::email},
};
constexpr Schema summary_schema{"CustomerSummary", summary_properties};

struct Column {
  std::string_view path;
  std::string_view column;
};
constexpr auto columns = std::to_array<Column>({
    {"name", "name"},
    {"email", "email"},
    {"phone", "phone"},
    {"company", "company"},
    {"address.street", "street"},
    {"address.city", "city"},
    {"address.state", "state"},
    {"address.postalCode", "postal_code"},
    {"address.country", "country"},
});

void check_name(const json::object& body, FieldErrors& errors) {
  const auto name = text_at(body, "name");
  if (name && !name->empty() && is_blank(*name)) errors.push_back({"name", "must not be blank"});
}

asio::awaitable<Answer> list_customers(Call& call, Services& services) {
  return list_records(call, services, domain::record_type(domain::EntityType::customer), sql::list);
}

asio::awaitable<Answer> get_customer(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::get, key_params(call));
  if (rows.empty()) throw not_found("customer");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> create_customer(Call& call, Services& services) {
  auto params = business_params(call);
  for (const auto& [path, column] : columns) params.add(text_at(call.object(), path));
  const auto rows = co_await services.db.write(sql::create, std::move(params), call.cause());
  co_return Answer::created(json_object(rows), "/api/v1/Customers/" + std::string(rows.get(0, 0)));
}

/// The columns that the body names, with their new values.
json::object changes_of(const json::object& body) {
  json::object changes;
  for (const auto& [path, column] : columns) {
    const auto first = path.substr(0, path.find('.'));
    const auto* const member = body.if_contains(first);
    const bool is_named = member != nullptr && (member->is_null() || find_path(body, path) != nullptr);
    if (!is_named) continue;
    const auto text = text_at(body, path);
    changes.emplace(column, text ? json::value(*text) : json::value());
  }
  return changes;
}

asio::awaitable<Answer> update_customer(Call& call, Services& services) {
  auto params = key_params(call);
  params.add(to_json(changes_of(call.object())));
  const auto rows = co_await services.db.write(sql::update, std::move(params), call.cause());
  if (rows.empty()) throw not_found("customer");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> delete_customer(Call& call, Services& services) {
  const auto rows = co_await services.db.write(sql::remove, key_params(call), call.cause());
  if (rows.affected() == 0) throw not_found("customer");
  co_return Answer::none();
}

constexpr Route routes[] = {
    {.method = Method::get,
     .path = "/api/v1/Customers",
     .permission = Permission::read,
     .handler = list_customers,
     .summary = "A page of the customers, the newest first",
     .tag = "Customers",
     .query = list_parameters,
     .answer = &entry_schema,
     .answer_is_array = true,
     .paginated = true},
    {.method = Method::post,
     .path = "/api/v1/Customers",
     .permission = Permission::operate,
     .handler = create_customer,
     .summary = "Makes a customer",
     .tag = "Customers",
     .body = &create_schema,
     .body_kind = BodyKind::object,
     .answer = &summary_schema,
     .status = 201},
    {.method = Method::get,
     .path = "/api/v1/Customers/{customerId}",
     .permission = Permission::read,
     .handler = get_customer,
     .summary = "A customer",
     .tag = "Customers",
     .answer = &customer_schema},
    {.method = Method::put,
     .path = "/api/v1/Customers/{customerId}",
     .permission = Permission::operate,
     .handler = update_customer,
     .summary = "Changes a customer; what is left out stays",
     .tag = "Customers",
     .body = &customer_schema,
     .body_check = check_name,
     .body_kind = BodyKind::object,
     .answer = &summary_schema},
    {.method = Method::del,
     .path = "/api/v1/Customers/{customerId}",
     .permission = Permission::operate,
     .handler = delete_customer,
     .summary = "Deletes a customer, whose orders stay",
     .tag = "Customers"},
};

}  // namespace

std::span<const Route> customer_routes() { return routes; }

}  // namespace waybill::api
