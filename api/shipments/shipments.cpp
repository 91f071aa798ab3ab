#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/endpoint/paging.hpp"
#include "api/endpoint/selected.hpp"
#include "api/records/answer_columns.hpp"
#include "api/records/fields.hpp"
#include "api/records/history.hpp"
#include "api/records/list.hpp"
#include "api/records/properties.hpp"
#include "api/records/row_json.hpp"
#include "api/scans/scans.hpp"
#include "api/shipments/label_file.hpp"
#include "api/shipments/label_lock.hpp"
#include "api/shipments/purchase_schemas.hpp"
#include "api/shipments/shipment_body.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "base/guid.hpp"
#include "domain/filter/filter.hpp"
#include "domain/records/state_machines.hpp"
#include "storage/sql/purchases.sql.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::shipments;

const Parameter list_query[] = {
    {.name = "from",
     .kind = Kind::date_or_timestamp,
     .description = "The earliest time of creation. A date begins at midnight UTC."},
    {.name = "to",
     .kind = Kind::date_or_timestamp,
     .description = "The latest time of creation. A date includes the whole day."},
    {.name = "customerGuid", .kind = Kind::uuid},
    {.name = "status",
     .kind = Kind::array,
     .values = domain::shipment_states().states,
     .description = "May be given several times: shipments with any of the statuses."},
    {.name = "late",
     .kind = Kind::boolean,
     .description =
         "True: shipments that have not arrived by their estimated delivery and are not returned or "
         "cancelled. An estimate that nobody set or announced lasts until the end of its day (UTC)."},
    {.name = "trackingNumber",
     .kind = Kind::string,
     .description = "Our number or the carrier's, without regard to case."},
    {.name = "search",
     .kind = Kind::string,
     .description = "Words, each of which must occur in a number, the recipient's name or company, or the "
                    "recipient's city."},
    {.name = "tag", .kind = Kind::string, .description = "A tag, without regard to case."},
    {.name = "externalReference", .kind = Kind::string},
    filter_parameter,
    lower_page_parameter,
    per_page_parameter,
};

constexpr std::string_view label_kinds[] = {"carrier", "waybill"};
const Parameter label_query[] = {
    {.name = "format",
     .kind = Kind::one_of,
     .values = label_formats(),
     .description = "The format that the caller can use. Default: any."},
    {.name = "kind", .kind = Kind::one_of, .values = label_kinds},
};
constexpr ErrorCode label_errors[] = {ErrorCode::conflict};
constexpr Property print_properties[] = {
    {.name = "shipmentIds",
     .kind = Kind::array,
     .required = true,
     .max_length = 100,
     .items = Kind::uuid,
     .description = "The shipments in the order of their labels, each once."},
};
constexpr Schema print_schema{"LabelPrint", print_properties};
constexpr ErrorCode print_errors[] = {ErrorCode::not_found, ErrorCode::conflict,
                                      ErrorCode::payload_too_large};

constexpr Property rates_properties[] = {
    {.name = "carrierIds",
     .kind = Kind::array,
     .max_length = 100,
     .min_length = 1,
     .items = Kind::uuid,
     .description = "The carriers to ask; default: all with a gateway."},
    {.name = "serviceLevel", .kind = Kind::string, .description = "Only rates of this level."},
};
constexpr Schema rates_schema{"ShipmentRatesRequest", rates_properties};
constexpr Property rate_carrier_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
};
constexpr Schema rate_carrier_schema{"RateCarrier", rate_carrier_properties};
constexpr Property charge_properties[] = {
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "amount", .kind = Kind::number, .nullable = false},
};
constexpr Schema charge_schema{"RateCharge", charge_properties};
constexpr Property rate_properties[] = {
    {.name = "rateId", .kind = Kind::string, .nullable = false},
    {.name = "carrier", .kind = Kind::object, .nullable = false, .schema = &rate_carrier_schema},
    {.name = "serviceCode", .kind = Kind::string, .nullable = false, .description = "The gateway's."},
    {.name = "serviceName", .kind = Kind::string, .nullable = false},
    {.name = "serviceLevel",
     .kind = Kind::string,
     .description = "By the carrier's serviceCodes; null if none has this code."},
    {.name = "price", .kind = Kind::number, .nullable = false},
    {.name = "currency", .kind = Kind::string, .nullable = false},
    {.name = "charges", .kind = Kind::array, .nullable = false, .schema = &charge_schema},
    {.name = "transitDays", .kind = Kind::integer},
    {.name = "estimatedDelivery", .kind = Kind::timestamp},
    {.name = "expiresAt", .kind = Kind::timestamp, .nullable = false},
};
constexpr Schema rate_schema{"ShipmentRate", rate_properties};
constexpr Property rate_message_properties[] = {
    {.name = "carrier", .kind = Kind::object, .nullable = false, .schema = &rate_carrier_schema},
    {.name = "code",
     .kind = Kind::string,
     .nullable = false,
     .description = "The carrier's or the gateway's."},
    {.name = "message", .kind = Kind::string, .nullable = false},
};
constexpr Schema rate_message_schema{"RateMessage", rate_message_properties};
constexpr Property rates_answer_properties[] = {
    {.name = "rates", .kind = Kind::array, .nullable = false, .schema = &rate_schema},
    {.name = "messages", .kind = Kind::array, .nullable = false, .schema = &rate_message_schema},
};
constexpr Schema rates_answer_schema{"ShipmentRates", rates_answer_properties};
constexpr Property tracked_properties[] = {
    {.name = "added", .kind = Kind::integer, .nullable = false, .description = "The number of new traces."},
    {.name = "moved", .kind = Kind::boolean, .nullable = false, .description = "True if the status changed."},
};
constexpr Schema tracked_schema{"ShipmentTracked", tracked_properties};

constexpr Property guid_properties[] = {{.name = "guid", .kind = Kind::uuid, .required = true}};
constexpr Schema guid_schema{"ShipmentGuid", guid_properties};

/// The property of a column, by its name in the API.
Property column_property(std::string_view name) {
  return property_of(*domain::record_type(domain::EntityType::shipment).find(name), name, Use::change);
}

const Property schedule_properties[] = {
    {.name = "shipmentId", .kind = Kind::uuid, .required = true},
    {.name = "collectionDate", .kind = Kind::timestamp},
    {.name = "deliveryDate",
     .kind = Kind::timestamp,
     .description = "The estimated delivery; null for the computed one."},
    column_property("carrierTrackingNumber"),
    column_property("carrierTrackingUrl"),
};
const Schema schedule_schema{"ShipmentSchedule", schedule_properties};

constexpr Property label_cost_properties[] = {
    {.name = "currency", .kind = Kind::string, .nullable = false},
    {.name = "labels", .kind = Kind::integer, .nullable = false},
    {.name = "paid", .kind = Kind::number, .nullable = false, .description = "The sum of their prices."},
};
constexpr Schema label_cost_schema{"LabelCost", label_cost_properties};

constexpr Property overview_properties[] = {
    {.name = "totalShipments", .kind = Kind::integer, .nullable = false},
    {.name = "inTransit",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Shipments that are collected, in_transit or out_for_delivery."},
    {.name = "delivered", .kind = Kind::integer, .nullable = false},
    {.name = "exceptions", .kind = Kind::integer, .nullable = false},
    {.name = "pending",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Shipments with the status created."},
    {.name = "onTimeRate",
     .kind = Kind::number,
     .nullable = false,
     .description = "The fraction of delivered shipments that were on time."},
    {.name = "labelCosts",
     .kind = Kind::array,
     .nullable = false,
     .schema = &label_cost_schema,
     .description = "The bought labels by currency, without voided ones and those of the test mode."},
};
constexpr Schema overview_schema{"ShipmentOverview", overview_properties};

constexpr Property recipient_properties[] = {
    {.name = "name", .kind = Kind::string},
    {.name = "city", .kind = Kind::string},
};
constexpr Schema recipient_schema{"UnassignedRecipient", recipient_properties};
const Property unassigned_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "trackingNumber", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::shipment_states().states},
    {.name = "recipient", .kind = Kind::object, .nullable = false, .schema = &recipient_schema},
};
constexpr Schema unassigned_schema{"UnassignedShipment", unassigned_properties};

const Property trace_properties[] = {
    {.name = "timestamp", .kind = Kind::timestamp, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::shipment_states().states},
    {.name = "description", .kind = Kind::text, .nullable = false},
    {.name = "location", .kind = Kind::string},
};
constexpr Schema trace_entry_schema{"ShipmentTrace", trace_properties};
constexpr Property reported_properties[] = {
    {.name = "moved",
     .kind = Kind::boolean,
     .nullable = false,
     .description = "True if the shipment has the status of the trace now."},
};
constexpr Schema reported_schema{"ShipmentTraceResult", reported_properties};

constexpr Property ship_properties[] = {
    {.name = "itemIds",
     .kind = Kind::array,
     .min_length = 1,
     .items = Kind::uuid,
     .description = "Items of the order. Default: all."},
    {.name = "generateLabel",
     .kind = Kind::boolean,
     .description = "Buys the label of the carrier if its connector can, or makes waybill's own."},
};
constexpr Schema ship_schema{"OrderShipmentCreate", ship_properties};
const Property shipped_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "trackingNumber", .kind = Kind::string, .nullable = false},
    {.name = "orderId", .kind = Kind::uuid, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::shipment_states().states},
};
constexpr Schema shipped_schema{"OrderShipmentMade", shipped_properties};

void check_schedule(const json::object& body, FieldErrors& errors) {
  const auto collection = parse_timestamp(text_at(body, "collectionDate").value_or(""));
  const auto delivery = parse_timestamp(text_at(body, "deliveryDate").value_or(""));
  if (collection && delivery && *delivery < *collection) {
    errors.push_back({"deliveryDate", "must not be before collectionDate"});
  }
  check_carrier_number(body, errors);
}

// The text that `search` reads.
constexpr domain::SearchText searched_texts[] = {{.indexed = "r.found_text"}};

/// Builds the selection of the list's own query parameters. `?` in a condition stands for the value.
class SelectionBuilder {
 public:
  static constexpr std::string_view created = "created_at";

  static constexpr std::string_view tags = "tags";
  static constexpr std::string_view reference = "external_reference";

  /// `column` is the one that the condition compares with the value, or that has it; empty if it is another
  /// condition.
  void narrow(std::string_view column, std::string_view condition, std::string value) {
    const bool is_sole =
        !selection_.is_narrowed() || (column == created && selection_.whole.sole_column == created);
    selection_.has_own_data = selection_.has_own_data || column == tags || column == reference;
    const auto number = "$" + std::to_string(first_list_param + selection_.params.size());
    selection_.whole = {};
    if (is_sole) {
      selection_.whole = {.sole_column = column, .is_of_status = column == "status"};
      if (column == tags) selection_.whole.own_value = domain::own_value_of_tag(number + "::text");
      if (column == reference) selection_.whole.own_value = domain::own_value_of_reference(number + "::text");
    }
    selection_.where += " and ";
    for (const char c : condition) {
      if (c == '?') {
        selection_.where += number;
      } else {
        selection_.where += c;
      }
    }
    selection_.params.push_back(std::move(value));
  }

  void narrow_to_statuses(const std::vector<std::string_view>& statuses) {
    if (statuses.empty()) return;
    if (statuses.size() == 1) return narrow("status", "r.status = ?", std::string(statuses.front()));
    const bool is_sole = !selection_.is_narrowed();
    std::string_view separator = " and r.status in (";
    for (const auto status : statuses) {
      selection_.where.append(separator).append("$");
      selection_.where += std::to_string(first_list_param + selection_.params.size());
      selection_.params.emplace_back(status);
      separator = ", ";
    }
    selection_.where += ")";
    selection_.whole = {.is_of_status = is_sole};
  }

  void narrow_to_late(bool is_late) {
    selection_.where += is_late ? " and is_late(r)" : " and is_late(r) is not true";
    selection_.whole = {};
  }

  void filter(std::string_view text) {
    const bool is_sole = !selection_.is_narrowed();
    const auto fragment =
        add(filter_parameter.name,
            domain::compile_filter(text, domain::record_type(domain::EntityType::shipment), next_param()));
    selection_.whole = is_sole ? whole_of(fragment) : Selection::Whole();
    selection_.has_own_data = selection_.has_own_data || fragment.has_own_data;
  }

  void search(std::string_view text) {
    add("search", domain::compile_words(text, searched_texts, next_param()));
    selection_.whole = {};
    selection_.is_searched = true;
  }

  Selection take() { return std::move(selection_); }

 private:
  int next_param() const { return first_list_param + static_cast<int>(selection_.params.size()); }

  /// Narrows the selection to a compiled condition. Throws Failure if the parameter of this name is wrong.
  domain::SqlFragment add(std::string_view name, domain::FilterResult compiled) {
    if (const auto* const error = std::get_if<domain::FilterError>(&compiled))
      throw invalid(std::string(name), error->message);
    auto& fragment = std::get<domain::SqlFragment>(compiled);
    selection_.where += " and " + fragment.text;
    for (auto& param : fragment.params) selection_.params.push_back(std::move(param));
    return std::move(fragment);
  }

  Selection selection_;
};

Selection selection_of(const Call& call) {
  SelectionBuilder builder;
  if (const auto from = call.parameter("from")) {
    const auto date = parse_date(*from);
    builder.narrow(SelectionBuilder::created, "r.created_at >= ?::timestamptz",
                   format_sql_timestamp(date ? *date : parse_timestamp(*from).value()));
  }
  if (const auto to = call.parameter("to")) {
    const auto date = parse_date(*to);
    builder.narrow(SelectionBuilder::created,
                   date ? "r.created_at < ?::timestamptz" : "r.created_at <= ?::timestamptz",
                   date ? format_sql_timestamp(*date + std::chrono::days(1))
                        : format_sql_timestamp(parse_timestamp(*to).value()));
  }
  // The guids are found first. With the conditions on the rows themselves, the planner could read the rows by
  // creation until it has a page.
  constexpr std::string_view with_number =
      "r.guid = any(array("
      "select s.guid from shipments s where s.business_id = $1 and lower(s.tracking_number) = lower(?::text) "
      "and s.deleted_at is null union "
      "select s.guid from shipments s where s.business_id = $1 and lower(s.carrier_tracking_number) = "
      "lower(?::text) and s.carrier_tracking_number is not null and s.deleted_at is null union "
      "select p.shipment_id from purchases p where p.business_id = $1 and p.status in ('bought', 'voiding') "
      "and p.tracking_numbers && array[?::text, upper(?::text)]))";
  // A subselect, for the reason in containment() of domain/filter/compiler.cpp.
  constexpr std::string_view with_tag = "lower_tags(r.tags) @> array[(select lower(?::text))]";
  struct Condition {
    std::string_view parameter, column, text;
    Kind kind = Kind::string;
  };
  constexpr Condition conditions[] = {
      {"customerGuid", "customer_id", "r.customer_id = ?::uuid"},
      {"trackingNumber", "", with_number, Kind::tracking_number},
      {"tag", SelectionBuilder::tags, with_tag},
      {"externalReference", SelectionBuilder::reference, "r.external_reference = ?"},
  };
  for (const auto& [name, column, text, kind] : conditions) {
    if (const auto value = call.parameter(name)) builder.narrow(column, text, stored_text(kind, *value));
  }
  std::vector<std::string_view> statuses;
  for (const auto& [name, value] : call.query) {
    if (name == "status" && std::ranges::find(statuses, value) == statuses.end()) statuses.push_back(value);
  }
  builder.narrow_to_statuses(statuses);
  if (const auto late = call.parameter("late")) builder.narrow_to_late(*late == "true");
  if (const auto text = call.parameter(filter_parameter.name)) builder.filter(*text);
  if (const auto text = call.parameter("search")) builder.search(*text);
  return builder.take();
}

asio::awaitable<Answer> list_shipments(Call& call, Services& services) {
  return list_selected(call, services, "shipments", sql::List::statement, selection_of(call));
}

/// Reads a shipment with the columns that the call selects.
asio::awaitable<storage::ResultOf<sql::Get>> read_shipment(const Call& call, Services& services) {
  static const AnswerColumns columns(sql::Get::statement.text);
  const sql::Get get{
      .business = call.business(), .shipment = call.id(), .public_url = services.settings.public_url};
  const auto fields = selected_fields(call);
  if (fields.empty()) co_return co_await services.db.read(get);
  auto text = columns.only(fields);
  storage::Params params = storage::Params().add(call.business()).add(call.id());
  // No other column has the last parameter, and PostgreSQL refuses a value for one that a statement lacks.
  if (std::ranges::find(fields, "trackingUrl") != fields.end()) params.add(services.settings.public_url);
  co_return co_await storage::typed_rows<sql::Get>(
      services.db.read_text(call.business(), sql::Get::statement.name, std::move(text), std::move(params)));
}

asio::awaitable<Answer> get_shipment(Call& call, Services& services) {
  const auto rows = co_await read_shipment(call, services);
  if (rows.empty()) throw not_found("shipment");
  std::string text = json_object(rows.more());
  const auto fields = selected_fields(call);
  if (!fields.empty() && std::ranges::find(fields, "purchase") == fields.end())
    co_return Answer::of(std::move(text));
  text.back() = ',';
  text += R"("purchase":)";
  if (rows.front().has_purchase) {
    text += json_object(co_await services.db.read(
        storage::sql::purchases::AnswerOfShipment{.business = call.business(), .shipment = call.id()}));
  } else {
    text += "null";
  }
  co_return Answer::of(text + '}');
}

/// The statuses by guid that prevent a deletion: of shipments that are underway, and of labels.
struct Obstacles {
  json::object underway, labelled;
};

json::object object_of(std::optional<std::string_view> text) {
  return text ? json::parse(*text).as_object() : json::object();
}

/// Deletes all shipments, or none and returns what prevents it.
asio::awaitable<Obstacles> remove(Call& call, Services& services, std::vector<Guid> guids) {
  const auto rows =
      co_await services.db.write(sql::Remove{.business = call.business(), .shipments = guids}, call.cause());
  const auto result = rows.front();
  if (!result.complete) throw not_found("shipment");
  co_return Obstacles{.underway = object_of(result.underway), .labelled = object_of(result.labelled)};
}

std::string underway_error(const json::value& status) {
  return "is " + std::string(status.as_string()) + "; a shipment on its way cannot be deleted";
}

asio::awaitable<Answer> delete_shipment(Call& call, Services& services) {
  const auto refused = co_await remove(call, services, std::vector{call.id()});
  if (!refused.underway.empty()) throw invalid("status", underway_error(refused.underway.begin()->value()));
  if (!refused.labelled.empty()) throw locked_by_label(refused.labelled.begin()->value().as_string());
  co_return Answer::none();
}

asio::awaitable<Answer> delete_shipments(Call& call, Services& services) {
  std::vector<Guid> guids;
  for (const auto& entry : call.body.get_array()) {
    guids.push_back(guid_at(entry.get_object(), "guid").value());
  }
  const auto refused = co_await remove(call, services, guids);
  FieldErrors underway, labelled;
  for (std::size_t i = 0; i < guids.size(); ++i) {
    const std::string guid = guids[i].to_string(), field = "[" + std::to_string(i) + "].guid";
    if (const auto* const status = refused.underway.if_contains(guid))
      underway.push_back({field, underway_error(*status)});
    if (const auto* const status = refused.labelled.if_contains(guid))
      labelled.push_back({field, locked_by_label(status->as_string()).message()});
  }
  if (!underway.empty()) throw invalid(std::move(underway));
  if (!labelled.empty())
    throw Failure(ErrorCode::conflict, "Carriers' labels of shipments are bought; void them first.",
                  std::move(labelled));
  co_return Answer::of("[]");
}

asio::awaitable<Answer> get_overview(Call& call, Services& services) {
  co_return Answer::of(json_object(co_await services.db.read(sql::Overview{.business = call.business()})));
}

asio::awaitable<Answer> list_unassigned(Call& call, Services& services) {
  co_return Answer::of(json_array(co_await services.db.read(sql::Unassigned{.business = call.business()})));
}

asio::awaitable<Answer> get_history(Call& call, Services& services) {
  co_return history_answer(
      co_await services.db.read(sql::History{.business = call.business(), .shipment = call.id()}),
      "shipment");
}

const Endpoint endpoints[] = {
    {.method = Method::get,
     .path = "/api/v1/shipments",
     .permission = Permission::read,
     .handler = list_shipments,
     .operation_id = "listShipments",
     .summary = "Lists shipments, newest first",
     .description =
         "Parameters select by status, lateness, customer, number, tag, reference and time of creation, and "
         "search texts.",
     .tag = "Shipments",
     .query = list_query,
     .answer = &shipment_entry_schema,
     .answer_is_array = true,
     .paginated = true,
     .errors = list_errors},
    {.method = Method::post,
     .path = "/api/v1/shipments",
     .permission = Permission::operate,
     .handler = create_shipment,
     .operation_id = "createShipment",
     .summary = "Creates a shipment",
     .description = "The Location header has the path of the shipment.",
     .tag = "Shipments",
     .body = &shipment_create_schema,
     .body_check = check_shipment_create,
     .body_kind = BodyKind::object,
     .status = 201},
    {.method = Method::patch,
     .path = "/api/v1/shipments",
     .permission = Permission::operate,
     .handler = schedule_shipment,
     .operation_id = "scheduleShipment",
     .summary = "Sets the dates of a shipment and the carrier's tracking number and link",
     .description = "Fields that are left out keep their values.",
     .tag = "Shipments",
     .body = &schedule_schema,
     .body_check = check_schedule,
     .body_kind = BodyKind::object,
     .answer = &guid_schema},
    {.method = Method::get,
     .path = "/api/v1/shipments/overview",
     .permission = Permission::read,
     .handler = get_overview,
     .operation_id = "getShipmentOverview",
     .summary = "Returns the numbers of shipments by status, and the cost of their labels",
     .description = "inTransit counts those that are collected, in transit or out for delivery; onTimeRate "
                    "is the share of deliveries on or before the estimated date; labelCosts are the prices "
                    "of bought labels by currency.",
     .tag = "Shipments",
     .answer = &overview_schema,
     .from_standby = true},
    {.method = Method::get,
     .path = "/api/v1/shipments/unassigned",
     .permission = Permission::read,
     .handler = list_unassigned,
     .operation_id = "listUnassignedShipments",
     .summary = "Lists up to 1 000 open shipments that are in no dispatch, oldest first",
     .description = "These can be put into a dispatch.",
     .tag = "Shipments",
     .answer = &unassigned_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/v1/shipments/delete",
     .permission = Permission::operate,
     .handler = delete_shipments,
     .operation_id = "deleteShipments",
     .summary = "Deletes shipments that are not underway, all or none",
     .description =
         "An unknown guid is 404, and nothing is deleted then. 409 names those whose carrier's label "
         "is bought or being bought.",
     .tag = "Shipments",
     .body = &guid_schema,
     .body_kind = BodyKind::array,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/v1/shipments/{shipmentId}",
     .permission = Permission::read,
     .handler = get_shipment,
     .operation_id = "getShipment",
     .summary = "Returns a shipment",
     .description = "With sender, recipient, packages and both tracking numbers. A deleted shipment is 404.",
     .tag = "Shipments",
     .answer = &shipment_schema},
    {.method = Method::put,
     .path = "/api/v1/shipments/{shipmentId}",
     .permission = Permission::operate,
     .handler = update_shipment,
     .operation_id = "updateShipment",
     .summary = "Updates a shipment",
     .description = "Fields that are left out keep their values.",
     .tag = "Shipments",
     .body = &shipment_update_schema,
     .body_check = check_shipment_update,
     .body_kind = BodyKind::object,
     .answer = &guid_schema},
    {.method = Method::del,
     .path = "/api/v1/shipments/{shipmentId}",
     .permission = Permission::operate,
     .handler = delete_shipment,
     .operation_id = "deleteShipment",
     .summary = "Deletes a shipment that is not underway",
     .description =
         "One that is on its way cannot be deleted (400), nor one whose carrier's label is bought or "
         "being bought (409): void it first.",
     .tag = "Shipments"},
    {.method = Method::get,
     .path = "/api/v1/shipments/{shipmentId}/traces",
     .permission = Permission::read,
     .handler = list_traces,
     .operation_id = "listShipmentTraces",
     .summary = "Lists the newest 1 000 traces of a shipment by time",
     .description = "What carriers, drivers and users have reported about the parcel.",
     .tag = "Shipments",
     .answer = &trace_entry_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/v1/shipments/{shipmentId}/traces",
     .permission = Permission::operate,
     .handler = report_trace,
     .operation_id = "addShipmentTrace",
     .summary = "Adds a trace to a shipment",
     .description = "The trace moves the shipment to its status if it is not older than the last move and "
                    "the move is allowed.",
     .tag = "Shipments",
     .body = &trace_schema,
     .body_kind = BodyKind::object,
     .answer = &reported_schema},
    {.method = Method::post,
     .path = "/api/v1/traces",
     .permission = Permission::operate,
     .handler = report_scans,
     .operation_id = "addTraces",
     .summary = "Adds up to 1 000 traces to any shipments",
     .description = "Each entry has a result: whether it moved its shipment, or its error. Entries with an "
                    "error are not stored; the others are.",
     .tag = "Shipments",
     .body = &scan_schema,
     .body_check = check_scan,
     .body_kind = BodyKind::array,
     .answer = &scan_result_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/v1/shipments/{shipmentId}/rates",
     .permission = Permission::operate,
     .handler = get_rates,
     .operation_id = "getShipmentRates",
     .summary = "Asks carriers for the prices of a shipment",
     .description =
         "All configured carriers with a gateway are asked at the same time, for up to 20 s, or "
         "those that are named. The rates are sorted by price, then by transit time; what a carrier "
         "does not answer is left out, with a message. Each rate is valid for an hour.",
     .tag = "Shipments",
     .body = &rates_schema,
     .body_kind = BodyKind::object,
     .answer = &rates_answer_schema},
    {.method = Method::post,
     .path = "/api/v1/shipments/{shipmentId}/track",
     .permission = Permission::operate,
     .handler = track_shipment,
     .operation_id = "trackShipment",
     .summary = "Asks the carrier for the scans of a shipment",
     .description = "The scans become traces. A scan that is known is not added again.",
     .tag = "Shipments",
     .answer = &tracked_schema},
    {.method = Method::get,
     .path = "/api/v1/shipments/{shipmentId}/label",
     .permission = Permission::read,
     .handler = get_label,
     .operation_id = "getShipmentLabel",
     .summary = "Returns the label of a shipment",
     .description = "The carrier's label as the carrier made it, if the shipment's carrier can sell labels, "
                    "else waybill's "
                    "own; kind names one of them. 409 with the status of the purchase while the carrier's is "
                    "not bought, and "
                    "with `format` if it was bought in another one; never waybill's own instead. A PNG is "
                    "image/png, ZPL is "
                    "application/zpl. Waybill's own is a PDF in A6, with a Code 128 and a QR code. 409 if "
                    "the number does not fit as a barcode, or if the "
                    "server has no font for a script of the texts, which the message names.",
     .tag = "Shipments",
     .query = label_query,
     .errors = label_errors,
     .media_type = "application/pdf",
     .other_media_types = other_label_types},
    {.method = Method::post,
     .path = "/api/v1/labels",
     .permission = Permission::operate,
     .handler = print_labels,
     .operation_id = "printLabels",
     .summary = "Returns the labels of up to 100 shipments as one PDF",
     .description =
         "In the order given. The label of a shipment is the one that was bought from its carrier (PDF or "
         "PNG), "
         "or waybill's own if the carrier has no gateway. 404 names unknown shipments and 409 those without "
         "a "
         "printable label, in details; then nothing is printed. 413 if all labels have more than 50 MiB. An "
         "Idempotency-Key has no effect.",
     .tag = "Shipments",
     .body = &print_schema,
     .body_kind = BodyKind::object,
     .errors = print_errors,
     .media_type = "application/pdf"},
    {.method = Method::get,
     .path = "/api/v1/shipments/{shipmentId}/history",
     .permission = Permission::read,
     .handler = get_history,
     .operation_id = "listShipmentHistory",
     .summary = "Lists the status changes of a shipment, oldest first",
     .description = "The newest thousand changes, each with its author and notes.",
     .tag = "Shipments",
     .answer = &shipment_history_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/v1/Orders/{orderId}/shipment",
     .permission = Permission::operate,
     .handler = ship_order,
     .operation_id = "createShipmentFromOrder",
     .summary = "Creates the shipment of an order",
     .description =
         "All items unless itemIds names some. 409 if the order has a live shipment, 400 for a "
         "cancelled order. generateLabel buys the label of a carrier that can sell one, with the answers of "
         "buyShipmentLabel, or makes waybill's own at once.",
     .tag = "Orders",
     .body = &ship_schema,
     .body_kind = BodyKind::object,
     .answer = &shipped_schema,
     .status = 201},
};

}  // namespace

std::span<const Endpoint> shipment_endpoints() { return endpoints; }

}  // namespace waybill::api
