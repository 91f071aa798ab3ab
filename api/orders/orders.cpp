#include <string>
#include <utility>

#include "api/endpoint/list_cursor.hpp"
#include "api/endpoint/paging.hpp"
#include "api/orders/order_body.hpp"
#include "api/orders/order_handlers.hpp"
#include "api/records/answer_columns.hpp"
#include "api/records/fields.hpp"
#include "api/records/history.hpp"
#include "api/records/list.hpp"
#include "api/records/row_json.hpp"
#include "api/records/unchangeable_order.hpp"
#include "domain/records/state_machines.hpp"
#include "storage/changes/status_change.hpp"
#include "storage/sql/orders.sql.hpp"

namespace waybill::api {

asio::awaitable<std::string> read_order(Services& services, Guid business, Guid order) {
  const auto rows = co_await services.db.read(sql::orders::Get{.business = business, .order = order},
                                              storage::Format::binary);
  if (rows.empty()) throw not_found("order");
  co_return json_object(rows);
}

namespace {

const Property move_properties[] = {
    {.name = "status", .kind = Kind::one_of, .required = true, .values = domain::order_states().states},
    {.name = "notes", .kind = Kind::text, .description = "Kept in the history."},
};
const Schema move_schema{"OrderStatusChange", move_properties};

const Property moved_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::order_states().states},
};
constexpr Schema moved_schema{"OrderStatus", moved_properties};

constexpr Property named_properties[] = {{.name = "guid", .kind = Kind::uuid, .required = true}};
constexpr Schema named_schema{"OrderGuid", named_properties};

constexpr Property assign_carrier_properties[] = {
    {.name = "orderIds", .kind = Kind::array, .required = true, .items = Kind::uuid},
    {.name = "carrierId", .kind = Kind::uuid, .required = true},
    {.name = "serviceLevel",
     .kind = Kind::string,
     .description = "A code of the carrier. Default: the service level of the order, if the carrier has it."},
};
constexpr Schema assign_carrier_schema{"CarrierAssignment", assign_carrier_properties};

constexpr Property assign_date_properties[] = {
    {.name = "collectionDate", .kind = Kind::timestamp, .required = true},
    {.name = "timeWindow",
     .kind = Kind::object,
     .schema = &time_window_schema,
     .description = "Default: the present window."},
};
constexpr Schema assign_date_schema{"CollectionDateAssignment", assign_date_properties};

constexpr Property assigned_date_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "collectionDate", .kind = Kind::timestamp, .nullable = false},
};
constexpr Schema assigned_date_schema{"CollectionDate", assigned_date_properties};

constexpr Parameter list_order_parameters[] = {page_parameter,   page_size_parameter, order_by_parameter,
                                               filter_parameter, search_parameter,    after_parameter,
                                               count_parameter};

asio::awaitable<Answer> list_orders(Call& call, Services& services) {
  return list_records(call, services, domain::record_type(domain::EntityType::order),
                      sql::orders::List::statement);
}

asio::awaitable<Answer> get_order(Call& call, Services& services) {
  const auto rows = co_await read_selected(call, services.db,
                                           sql::orders::Get{.business = call.business(), .order = call.id()},
                                           storage::Format::binary);
  if (rows.empty()) throw not_found("order");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> move_order(Call& call, Services& services) {
  using Kind = storage::ChangeResult::Kind;
  const auto to = text_at(call.object(), "status").value_or("");
  const auto note = text_at(call.object(), "notes").value_or("");
  const auto moved = co_await storage::change_status(
      services.db, call.business(),
      {.entity_type = domain::EntityType::order, .records = {call.id()}, .status = to, .waits = true},
      call.cause(note));
  if (moved.kind == Kind::not_found) throw not_found("order");
  if (moved.kind == Kind::forbidden) throw invalid("status", moved.error);
  co_return Answer::of(R"({"guid":")" + call.id().to_string() + R"(","status":")" + to + R"("})");
}

asio::awaitable<Answer> delete_orders(Call& call, Services& services) {
  std::vector<Guid> orders;
  for (const auto& entry : call.body.get_array())
    orders.push_back(guid_at(entry.get_object(), "guid").value());
  const auto removed = co_await services.db.write(
      sql::orders::Remove{.business = call.business(), .orders = orders}, call.cause());
  if (!removed.front().all_exist) throw not_found("order");
  co_return Answer::of("[]");
}

/// `locked` is the status of an order that can no longer be changed.
void require_changeable(std::optional<std::string_view> locked) {
  if (locked) throw unchangeable_order(*locked);
}

asio::awaitable<Answer> assign_carrier(Call& call, Services& services) {
  const auto& body = call.object();
  const auto level = text_at(body, "serviceLevel");
  std::vector<Guid> orders;
  for (const auto& entry : body.at("orderIds").get_array()) {
    orders.push_back(Guid::parse(entry.get_string()).value());
  }
  const auto rows =
      co_await services.db.write(sql::orders::AssignCarrier{.business = call.business(),
                                                            .orders = orders,
                                                            .carrier = guid_at(body, "carrierId").value(),
                                                            .service_level = level},
                                 call.cause());
  const auto assigned = rows.front();
  if (!assigned.levels) throw not_found("carrier");
  if (!assigned.all_exist) throw not_found("order");
  require_changeable(assigned.locked);
  if (level && !assigned.offers_level.value()) {
    throw invalid("serviceLevel",
                  "must be one of the carrier's service levels: " + std::string(*assigned.levels));
  }
  co_return Answer::none();
}

asio::awaitable<Answer> assign_collection_date(Call& call, Services& services) {
  const auto& body = call.object();
  const auto date = parse_timestamp(text_at(body, "collectionDate").value_or("")).value();
  const auto rows = co_await services.db.write(
      sql::orders::AssignCollectionDate{.business = call.business(),
                                        .order = call.id(),
                                        .collection_date = date,
                                        .has_window = body.contains("timeWindow"),
                                        .window_start = text_at(body, "timeWindow.start"),
                                        .window_end = text_at(body, "timeWindow.end")},
      call.cause());
  const auto assigned = rows.find();
  if (!assigned) throw not_found("order");
  require_changeable(assigned->locked);
  co_return Answer::of(
      to_json({{"guid", call.id().to_string()}, {"collectionDate", format_timestamp(date)}}));
}

asio::awaitable<Answer> get_history(Call& call, Services& services) {
  co_return history_answer(
      co_await services.db.read(sql::orders::History{.business = call.business(), .order = call.id()}),
      "order");
}

const Endpoint order_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/v1/Orders",
     .permission = Permission::read,
     .handler = list_orders,
     .operation_id = "listOrders",
     .summary = "Lists orders, newest first",
     .description = "$filter, $orderby and $search select and sort; own data can be filtered by tags, "
                    "externalReference and metadata/KEY.",
     .tag = "Orders",
     .query = list_order_parameters,
     .answer = &order_entry_schema,
     .answer_is_array = true,
     .paginated = true,
     .errors = list_errors},
    {.method = Method::post,
     .path = "/api/v1/Orders",
     .permission = Permission::operate,
     .handler = create_order,
     .operation_id = "createOrder",
     .summary = "Creates an order",
     .description = "Needs items, a customer (by id or by name), and unless it is a draft a delivery address "
                    "with street and city. Without a number the order gets the next one.",
     .tag = "Orders",
     .body = &order_create_schema,
     .body_check = check_order_create,
     .body_kind = BodyKind::object,
     .answer = &order_schema,
     .status = 201},
    {.method = Method::post,
     .path = "/api/v1/Orders/bulk",
     .permission = Permission::operate,
     .handler = create_orders,
     .operation_id = "createOrders",
     .summary = "Creates up to 1 000 orders",
     .description =
         "Each entry has a result with the status and the error that a request for this order alone has. "
         "With atomic, one refused entry makes the whole call fail, and the details name the entry, such as "
         "orders[2].items. The orders are committed together. The call counts as one request.",
     .tag = "Orders",
     .body = &order_bulk_schema,
     .body_check = check_order_bulk,
     .body_kind = BodyKind::object,
     .answer = &order_bulk_result_schema,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/v1/Orders/{orderId}",
     .permission = Permission::read,
     .handler = get_order,
     .operation_id = "getOrder",
     .summary = "Returns an order",
     .description = "With customer, items, carrier and source. A deleted order is 404.",
     .tag = "Orders",
     .answer = &order_schema},
    {.method = Method::put,
     .path = "/api/v1/Orders/{orderId}",
     .permission = Permission::operate,
     .handler = update_order,
     .operation_id = "updateOrder",
     .summary = "Updates an order that is not shipped",
     .description = "Fields that are left out keep their values, and so do keys of the metadata.",
     .tag = "Orders",
     .body = &order_update_schema,
     .body_check = check_order_update,
     .body_kind = BodyKind::object,
     .shown_by = get_order,
     .answer = &order_schema},
    {.method = Method::patch,
     .path = "/api/v1/Orders/{orderId}/status",
     .permission = Permission::operate,
     .handler = move_order,
     .operation_id = "updateOrderStatus",
     .summary = "Moves an order to another status",
     .description = "A move that the state machine does not have is 400, with the allowed moves in details. "
                    "A move to the present status changes nothing.",
     .tag = "Orders",
     .body = &move_schema,
     .body_kind = BodyKind::object,
     .answer = &moved_schema},
    {.method = Method::get,
     .path = "/api/v1/Orders/{orderId}/history",
     .permission = Permission::read,
     .handler = get_history,
     .operation_id = "listOrderHistory",
     .summary = "Lists the status changes of an order, oldest first",
     .description = "The newest thousand changes, each with its author and notes.",
     .tag = "Orders",
     .answer = &order_history_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/v1/Orders/delete",
     .permission = Permission::operate,
     .handler = delete_orders,
     .operation_id = "deleteOrders",
     .summary = "Deletes orders, all or none",
     .description = "An unknown guid is 404, and nothing is deleted then.",
     .tag = "Orders",
     .body = &named_schema,
     .body_kind = BodyKind::array,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/v1/Orders/assign-carrier",
     .permission = Permission::operate,
     .handler = assign_carrier,
     .operation_id = "assignCarrier",
     .summary = "Assigns a carrier to orders, all or none",
     .description =
         "The service level must be one of the carrier's. 409 if one of the orders is shipped or delivered.",
     .tag = "Orders",
     .body = &assign_carrier_schema,
     .body_kind = BodyKind::object},
    {.method = Method::post,
     .path = "/api/v1/Orders/{orderId}/assign-collection-date",
     .permission = Permission::operate,
     .handler = assign_collection_date,
     .operation_id = "assignCollectionDate",
     .summary = "Sets the collection date of an order",
     .description = "Also sets or clears the time window of the collection. 409 once the order is shipped.",
     .tag = "Orders",
     .body = &assign_date_schema,
     .body_check = check_time_window,
     .body_kind = BodyKind::object,
     .answer = &assigned_date_schema},
};

}  // namespace

std::span<const Endpoint> order_endpoints() { return order_endpoint_table; }

}  // namespace waybill::api
