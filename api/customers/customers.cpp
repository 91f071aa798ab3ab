#include <string>

#include "api/customers/customer_body.hpp"
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/paging.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/answer_columns.hpp"
#include "api/records/fields.hpp"
#include "api/records/list.hpp"
#include "api/records/merged_columns.hpp"
#include "api/records/own_data.hpp"
#include "api/records/properties.hpp"
#include "api/records/row_json.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/records/state_machines.hpp"
#include "storage/sql/customers.sql.hpp"

namespace waybill::api {
namespace {

const Property own_properties[] = {
    {.name = "address", .kind = Kind::object, .schema = &address_schema},
    {.name = "contacts",
     .kind = Kind::array,
     .nullable = false,
     .read_only = true,
     .schema = &customer_contact_schema},
    {.name = "references",
     .kind = Kind::array,
     .nullable = false,
     .read_only = true,
     .schema = &customer_reference_schema},
};

constexpr auto type = domain::EntityType::customer;
const auto create_properties = record_properties(type, Use::create, own_properties);
const auto update_properties = record_properties(type, Use::change, own_properties);
const auto answer_properties = record_properties(type, Use::answer, own_properties);
const auto entry_properties = record_properties(type, Use::entry, std::span(own_properties).first(1));
const Schema create_schema{"CustomerCreate", create_properties};
const Schema update_schema{"CustomerUpdate", update_properties};
const Schema customer_schema{"Customer", answer_properties};
const Schema entry_schema{"CustomerEntry", entry_properties};

constexpr Property summary_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "email", .kind = Kind::email},
};
constexpr Schema summary_schema{"CustomerSummary", summary_properties};

const Property recent_shipment_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "trackingNumber", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::shipment_states().states},
    {.name = "deliveryDate",
     .kind = Kind::timestamp,
     .description = "The delivery time, or the estimated delivery."},
};
constexpr Schema recent_shipment_schema{"RecentShipment", recent_shipment_properties};

constexpr Property currency_value_properties[] = {
    {.name = "currency", .kind = Kind::string, .nullable = false},
    {.name = "orders", .kind = Kind::integer, .nullable = false},
    {.name = "value", .kind = Kind::number, .nullable = false},
};
constexpr Schema currency_value_schema{"CurrencyValue", currency_value_properties};

constexpr Property analytics_properties[] = {
    {.name = "totalOrders", .kind = Kind::integer, .nullable = false},
    {.name = "totalShipments", .kind = Kind::integer, .nullable = false},
    {.name = "totalValue",
     .kind = Kind::number,
     .nullable = false,
     .description = "The value of the orders in `currency`."},
    {.name = "averageOrderValue",
     .kind = Kind::number,
     .nullable = false,
     .description = "The average value of the orders in `currency`."},
    {.name = "currency",
     .kind = Kind::string,
     .nullable = false,
     .description = "The currency of most orders; of equally many, that of the business first."},
    {.name = "byCurrency",
     .kind = Kind::array,
     .nullable = false,
     .schema = &currency_value_schema,
     .description = "The orders of each currency, those of `currency` first."},
    {.name = "onTimeDeliveryRate",
     .kind = Kind::number,
     .nullable = false,
     .description = "The fraction of delivered shipments that were on time."},
};
constexpr Schema analytics_schema{"SalesAnalytics", analytics_properties};

void check_customer(const json::object& body, FieldErrors& errors) {
  check_not_blank(body, "name", errors);
  check_own_data(body, errors);
}

asio::awaitable<Answer> list_customers(Call& call, Services& services) {
  return list_records(call, services, domain::record_type(type), sql::customers::List::statement);
}

asio::awaitable<Answer> get_customer(Call& call, Services& services) {
  const auto rows = co_await read_selected(
      call, services.db, sql::customers::Get{.business = call.business(), .customer = call.id()});
  if (rows.empty()) throw not_found("customer");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> create_customer(Call& call, Services& services) {
  const auto customer = Guid::timed_random(to_unix_ms(services.clock.now()));
  auto values = record_changes(type, call.object());
  values.emplace("guid", customer.to_string());
  const auto created = co_await services.db.write<sql::customers::Create>(
      storage::SharedEntry{customer, to_json(values)}, call.cause());
  co_return Answer::created(json_object(created.all()), "/api/v1/Customers/" + customer.to_string());
}

asio::awaitable<Answer> update_customer(Call& call, Services& services) {
  const auto customer = call.id();
  const auto changes = to_json(record_changes(type, call.object()));
  const auto entry = R"({"customer":")" + customer.to_string() + R"(","changes":)" + changes + '}';
  const auto rows = co_await services.db.write(
      sql::customers::Update{.business = call.business(), .customer = customer, .changes = changes},
      storage::SharedEntry{customer, entry}, call.cause());
  if (rows.empty()) throw not_found("customer");
  if (!rows.front().has_room) throw too_much_metadata();
  co_return Answer::of(json_object(rows.more()));
}

asio::awaitable<Answer> delete_customer(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::customers::Remove{.business = call.business(), .customer = call.id()}, call.cause());
  if (rows.affected() == 0) throw not_found("customer");
  co_return Answer::none();
}

asio::awaitable<Answer> recent_shipments(Call& call, Services& services) {
  const auto rows = co_await services.db.read(
      sql::customers::RecentShipments{.business = call.business(), .customer = call.id()});
  if (rows.empty()) throw not_found("customer");
  co_return Answer::of(rows.front().has_shipments ? json_array(rows.more()) : "[]");
}

asio::awaitable<Answer> sales_analytics(Call& call, Services& services) {
  const auto rows = co_await services.db.read(
      sql::customers::SalesAnalytics{.business = call.business(), .customer = call.id()});
  if (rows.empty()) throw not_found("customer");
  co_return Answer::of(json_object(rows));
}

constexpr Endpoint customer_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/v1/Customers",
     .permission = Permission::read,
     .handler = list_customers,
     .operation_id = "listCustomers",
     .summary = "Lists customers, newest first",
     .description = "$filter, $orderby and $search select and sort; own data can be filtered by tags, "
                    "externalReference and metadata/KEY.",
     .tag = "Customers",
     .query = list_parameters,
     .answer = &entry_schema,
     .answer_is_array = true,
     .paginated = true,
     .errors = list_errors},
    {.method = Method::post,
     .path = "/api/v1/Customers",
     .permission = Permission::operate,
     .handler = create_customer,
     .operation_id = "createCustomer",
     .summary = "Creates a customer",
     .description = "The e-mail address is unique within the business without regard to case (409).",
     .tag = "Customers",
     .body = &create_schema,
     .body_check = check_own_data,
     .body_kind = BodyKind::object,
     .answer = &summary_schema,
     .status = 201},
    {.method = Method::get,
     .path = "/api/v1/Customers/{customerId}",
     .permission = Permission::read,
     .handler = get_customer,
     .operation_id = "getCustomer",
     .summary = "Returns a customer",
     .description = "With contacts and references. A deleted customer is 404.",
     .tag = "Customers",
     .answer = &customer_schema},
    {.method = Method::put,
     .path = "/api/v1/Customers/{customerId}",
     .permission = Permission::operate,
     .handler = update_customer,
     .operation_id = "updateCustomer",
     .summary = "Updates a customer",
     .description = "Fields that are left out keep their values, and so do keys of the metadata.",
     .tag = "Customers",
     .body = &update_schema,
     .body_check = check_customer,
     .body_kind = BodyKind::object,
     .shown_by = get_customer,
     .answer = &summary_schema},
    {.method = Method::del,
     .path = "/api/v1/Customers/{customerId}",
     .permission = Permission::operate,
     .handler = delete_customer,
     .operation_id = "deleteCustomer",
     .summary = "Deletes a customer",
     .description = "The orders of the customer stay.",
     .tag = "Customers"},
    {.method = Method::get,
     .path = "/api/v1/Customers/{customerId}/recent-shipments",
     .permission = Permission::read,
     .handler = recent_shipments,
     .operation_id = "listRecentShipments",
     .summary = "Lists the twenty newest shipments of a customer",
     .description = "Shipments of the customer and of the customer's orders.",
     .tag = "Customers",
     .answer = &recent_shipment_schema,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/v1/Customers/{customerId}/sales-analytics",
     .permission = Permission::read,
     .handler = sales_analytics,
     .operation_id = "getSalesAnalytics",
     .summary = "Returns the sales figures of a customer",
     .description = "Draft and cancelled orders are not counted.",
     .tag = "Customers",
     .answer = &analytics_schema,
     .from_standby = true},
};

}  // namespace

std::span<const Endpoint> customer_endpoints() { return customer_endpoint_table; }

}  // namespace waybill::api
