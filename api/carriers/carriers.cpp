#include <set>

#include "api/carriers/carrier_connection.hpp"
#include "api/carriers/carrier_handlers.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/scans/scans.hpp"
#include "domain/values/web_address.hpp"
#include "storage/sql/carriers.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view type_codes[] = {carrier_types[0].code, carrier_types[1].code,
                                           carrier_types[2].code};
static_assert(std::size(type_codes) == std::size(carrier_types));

constexpr Property service_level_properties[] = {
    {.name = "code", .kind = Kind::string, .required = true},
    {.name = "name", .kind = Kind::string, .required = true},
    {.name = "estimatedDays", .kind = Kind::string, .description = "Such as 1-3."},
};
constexpr Schema service_level_schema{"ServiceLevel", service_level_properties};

constexpr Property code_name_properties[] = {
    {.name = "code", .kind = Kind::string, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
};
constexpr Schema code_name_schema{"CodeAndName", code_name_properties};

constexpr Property connector_entry_properties[] = {
    {.name = "code", .kind = Kind::string, .nullable = false, .example = R"("easypost")"},
    {.name = "features",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::string,
     .description = "What a carrier that is configured with this connector can do.",
     .example = R"(["rates", "labels", "void", "tracking", "returns", "customs"])"},
    {.name = "labelFormats",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::string,
     .description = "The formats of labels that are bought through it.",
     .example = R"(["pdf", "zpl", "png"])"},
};
constexpr Schema connector_entry_schema{"CarrierConnector", connector_entry_properties};

constexpr Property lookup_properties[] = {
    {.name = "carrierTypes", .kind = Kind::array, .nullable = false, .schema = &code_name_schema},
    {.name = "serviceLevels", .kind = Kind::array, .nullable = false, .schema = &code_name_schema},
    {.name = "connectors", .kind = Kind::array, .nullable = false, .schema = &connector_entry_schema},
};
constexpr Schema lookup_schema{"CarrierLookups", lookup_properties};

/// The property of a change: a configured carrier always has a value.
constexpr Property never_null(Property property) {
  property.nullable = false;
  return property;
}

const Property configuration_properties[] = {
    {.name = "accountNumber", .kind = Kind::string, .nullable = false},
    {.name = "defaultServiceLevel", .kind = Kind::string},
    api_url_property,
    {.name = "testMode", .kind = Kind::boolean, .nullable = false},
    service_codes_property,
    label_format_property,
    never_null(tracking_sync_property),
};
const Schema configuration_schema{"CarrierConfigurationUpdate", configuration_properties};

constexpr Property configuration_answer_properties[] = {
    {.name = "accountNumber", .kind = Kind::string, .nullable = false},
    {.name = "defaultServiceLevel", .kind = Kind::string},
    {.name = "apiUrl", .kind = Kind::string},
    {.name = "testMode", .kind = Kind::boolean, .nullable = false},
    {.name = "serviceCodes", .kind = Kind::object},
    {.name = "labelFormat", .kind = Kind::string},
    {.name = "trackingSync", .kind = Kind::boolean, .nullable = false},
};
constexpr std::string_view connection_statuses[] = {"ok", "unchecked", "failing"};
constexpr Property connection_properties[] = {
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = connection_statuses},
    {.name = "checkedAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "error", .kind = Kind::string},
    {.name = "trackingBehind",
     .kind = Kind::integer,
     .description = "How late the pull of scans is that waits longest, in seconds; null if none is late."},
};
constexpr Schema connection_schema{"CarrierGatewayConnection", connection_properties};
constexpr Schema configuration_answer_schema{"CarrierConfiguration", configuration_answer_properties};

constexpr Property pattern_property{
    .name = "trackingUrlPattern",
    .kind = Kind::string,
    .max_length = domain::longest_web_address,
    .min_length = 1,
    .description =
        "The https address of the carrier's page for a parcel; {number} stands for its number. "
        "Built-in carriers have a fixed one, or null."};

constexpr Property carrier_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "code", .kind = Kind::string, .nullable = false},
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = type_codes},
    {.name = "isConfigured", .kind = Kind::boolean, .nullable = false},
    {.name = "isActive", .kind = Kind::boolean, .nullable = false},
    {.name = "serviceLevels", .kind = Kind::array, .nullable = false, .schema = &service_level_schema},
    {.name = "configuration", .kind = Kind::object, .schema = &configuration_answer_schema},
    {.name = "features",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::string,
     .description = "The services that the connector of this business performs."},
    pattern_property,
    {.name = "connector",
     .kind = Kind::string,
     .nullable = false,
     .optional = true,
     .description = "The connector of a configured carrier."},
    {.name = "connection",
     .kind = Kind::object,
     .nullable = false,
     .optional = true,
     .schema = &connection_schema,
     .description = "The state of the connection to a gateway: of its last check, or of failing calls."},
};
constexpr Schema carrier_schema{"Carrier", carrier_properties};
constexpr Schema entry_schema{"CarrierEntry", std::span(carrier_properties).first(6)};

constexpr Property configured_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "code", .kind = Kind::string, .nullable = false},
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = type_codes},
    {.name = "isConfigured", .kind = Kind::boolean, .nullable = false},
    {.name = "isActive", .kind = Kind::boolean, .nullable = false},
    {.name = "connector", .kind = Kind::string, .nullable = false},
    {.name = "accountNumber", .kind = Kind::string, .nullable = false},
    {.name = "serviceLevels", .kind = Kind::array, .nullable = false, .schema = &code_name_schema},
};
constexpr Schema configured_schema{"ConfiguredCarrier", configured_properties};

constexpr Property create_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .read_only = true},
    {.name = "name", .kind = Kind::string, .required = true},
    {.name = "code", .kind = Kind::string, .required = true, .max_length = 50},
    {.name = "type", .kind = Kind::one_of, .required = true, .values = type_codes},
    {.name = "serviceLevels",
     .kind = Kind::array,
     .nullable = false,
     .max_length = 50,
     .min_length = 1,
     .schema = &service_level_schema,
     .description = "Default: standard, express and sameday."},
    pattern_property,
    {.name = "isConfigured", .kind = Kind::boolean, .read_only = true},
    {.name = "isActive", .kind = Kind::boolean, .read_only = true},
    {.name = "configuration", .kind = Kind::object, .read_only = true},
    {.name = "features", .kind = Kind::array, .read_only = true, .items = Kind::string},
};
constexpr Schema create_schema{"CarrierCreate", create_properties};

const Property configure_properties[] = {
    {.name = "carrierId", .kind = Kind::uuid, .required = true},
    connector_property,
    api_url_property,
    service_codes_property,
    label_format_property,
    tracking_sync_property,
    {.name = "accountNumber", .kind = Kind::string},
    {.name = "apiKey", .kind = Kind::text, .description = "Stored encrypted and never returned."},
    {.name = "apiSecret", .kind = Kind::text, .description = "Stored encrypted and never returned."},
    {.name = "testMode", .kind = Kind::boolean},
    {.name = "defaultServiceLevel", .kind = Kind::string, .description = "A code of the carrier."},
};
const Schema configure_schema{"CarrierConfigure", configure_properties};

const Property update_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .read_only = true},
    {.name = "name", .kind = Kind::string, .read_only = true},
    {.name = "code", .kind = Kind::string, .read_only = true},
    {.name = "type", .kind = Kind::string, .read_only = true},
    {.name = "isConfigured", .kind = Kind::boolean, .read_only = true},
    {.name = "isActive", .kind = Kind::boolean, .nullable = false},
    {.name = "serviceLevels", .kind = Kind::array, .read_only = true, .items = Kind::any},
    {.name = "configuration", .kind = Kind::object, .schema = &configuration_schema},
    {.name = "features", .kind = Kind::array, .read_only = true, .items = Kind::string},
    {.name = "accountNumber", .kind = Kind::string, .nullable = false},
    {.name = "apiKey", .kind = Kind::text, .description = "Stored encrypted and never returned."},
    {.name = "apiSecret", .kind = Kind::text, .description = "Stored encrypted and never returned."},
    {.name = "testMode", .kind = Kind::boolean, .nullable = false},
    {.name = "defaultServiceLevel", .kind = Kind::string, .description = "A code of the carrier."},
    pattern_property,
    never_null(connector_property),
    api_url_property,
    service_codes_property,
    label_format_property,
    never_null(tracking_sync_property),
    {.name = "connection", .kind = Kind::object, .read_only = true},
};
const Schema update_schema{"CarrierUpdate", update_properties};

constexpr Property configured_answer_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "isConfigured", .kind = Kind::boolean, .nullable = false},
    {.name = "isActive", .kind = Kind::boolean, .nullable = false},
    {.name = "inboundSecret",
     .kind = Kind::string,
     .description =
         "Signs the carrier's calls of …/inbound. Shown once; null if the carrier already has one."},
};
constexpr Schema configured_answer_schema{"CarrierConfigured", configured_answer_properties};
constexpr Property rotated_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "inboundSecret", .kind = Kind::string, .nullable = false, .description = "Shown once."},
};
constexpr Schema rotated_schema{"CarrierInboundSecret", rotated_properties};
constexpr Property updated_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "isActive", .kind = Kind::boolean, .nullable = false},
};
constexpr Schema updated_schema{"CarrierUpdated", updated_properties};
constexpr Property guid_properties[] = {{.name = "guid", .kind = Kind::uuid, .nullable = false}};
constexpr Schema guid_schema{"CarrierGuid", guid_properties};

constexpr Property contact_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "email", .kind = Kind::email},
    {.name = "phone", .kind = Kind::string},
    {.name = "role", .kind = Kind::string},
    {.name = "carrierId", .kind = Kind::uuid, .nullable = false},
};
constexpr Schema contact_schema{"CarrierContact", contact_properties};
constexpr Schema contact_summary_schema{"CarrierContactSummary", std::span(contact_properties).first(3)};
constexpr Property contact_create_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .read_only = true},
    {.name = "carrierId", .kind = Kind::uuid, .required = true},
    {.name = "name", .kind = Kind::string, .required = true},
    {.name = "email", .kind = Kind::email, .max_length = 254},
    {.name = "phone", .kind = Kind::string},
    {.name = "role", .kind = Kind::string},
};
constexpr Schema contact_create_schema{"CarrierContactCreate", contact_create_properties};

/// Adds an error for a bad pattern and for each service level whose code is already used.
void check_create(const json::object& body, FieldErrors& errors) {
  check_tracking_pattern(body, errors);
  const auto* const levels = find_value(body, "serviceLevels");
  if (levels == nullptr || !levels->is_array()) return;
  std::set<std::string> codes;
  const auto& entries = levels->get_array();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto* const level = entries[i].if_object();
    const auto code = level == nullptr ? std::nullopt : text_at(*level, "code");
    if (code && !codes.insert(*code).second) {
      errors.push_back({"serviceLevels[" + std::to_string(i) + "].code", "is given twice"});
    }
  }
}

json::array code_names(std::span<const CodeName> entries) {
  json::array list;
  for (const auto& [code, name] : entries) list.push_back({{"code", code}, {"name", name}});
  return list;
}

/// Returns the service levels as they are stored, each with all its members.
std::string stored_levels(const json::object& body) {
  const auto* const requested = find_value(body, "serviceLevels");
  json::array levels = requested == nullptr ? code_names(service_levels) : requested->get_array();
  for (auto& level : levels) {
    auto& object = level.get_object();
    if (!object.contains("estimatedDays")) object.emplace("estimatedDays", nullptr);
  }
  return to_json(levels);
}

asio::awaitable<Answer> list_carriers(Call& call, Services& services) {
  co_return Answer::of(
      json_array(co_await services.db.read(sql::carriers::List{.business = call.business()})));
}

asio::awaitable<Answer> list_configured(Call& call, Services& services) {
  co_return Answer::of(
      json_array(co_await services.db.read(sql::carriers::Configured{.business = call.business()})));
}

asio::awaitable<Answer> get_lookups(Call&, Services&) {
  co_return Answer::of(to_json(json::object{{"carrierTypes", code_names(carrier_types)},
                                            {"serviceLevels", code_names(service_levels)},
                                            {"connectors", connector_entries()}}));
}

asio::awaitable<Answer> get_carrier(Call& call, Services& services) {
  const auto rows =
      co_await services.db.read(sql::carriers::Get{.business = call.business(), .carrier = call.id()});
  if (rows.empty()) throw not_found("carrier");
  json::object carrier = json::parse(json_object(rows)).as_object();
  show_connection(carrier);
  co_return Answer::of(to_json(carrier));
}

asio::awaitable<Answer> create_carrier(Call& call, Services& services) {
  const auto& body = call.object();
  const auto made = co_await services.db.write(
      sql::carriers::Create{.business = call.business(),
                            .name = text_at(body, "name").value(),
                            .code = text_at(body, "code").value(),
                            .type = text_at(body, "type").value(),
                            .service_levels = stored_levels(body),
                            .tracking_url_pattern = text_at(body, "trackingUrlPattern")},
      call.cause());
  if (made.empty()) throw conflict("A carrier with this code already exists, or there are 1000 carriers.");
  co_return Answer::created(json_object(made.all()), "/api/carriers/" + made.front().guid.to_string());
}

asio::awaitable<Answer> list_contacts(Call& call, Services& services) {
  co_return Answer::of(
      json_array(co_await services.db.read(sql::carriers::Contacts{.business = call.business()})));
}

asio::awaitable<Answer> get_contact(Call& call, Services& services) {
  const auto rows =
      co_await services.db.read(sql::carriers::Contact{.business = call.business(), .contact = call.id()});
  if (rows.empty()) throw not_found("contact");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> add_contact(Call& call, Services& services) {
  const auto& body = call.object();
  const auto added =
      co_await services.db.write(sql::carriers::AddContact{.business = call.business(),
                                                           .carrier = guid_at(body, "carrierId").value(),
                                                           .name = text_at(body, "name").value(),
                                                           .email = text_at(body, "email"),
                                                           .phone = text_at(body, "phone"),
                                                           .role = text_at(body, "role")},
                                 call.cause());
  if (added.empty()) throw not_found("carrier");
  co_return Answer::created(json_object(added.all()),
                            "/api/carriers/contacts/" + added.front().guid.to_string());
}

constexpr Parameter inbound_query[] = {
    {.name = "business",
     .kind = Kind::uuid,
     .description =
         "The guid of the business. Without it, the secrets of all businesses that use the carrier "
         "are tried, which takes longer."}};
constexpr ErrorCode inbound_errors[] = {ErrorCode::unauthorized, ErrorCode::forbidden, ErrorCode::not_found,
                                        ErrorCode::rate_limited};

constexpr Endpoint carrier_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/carriers",
     .permission = Permission::read,
     .handler = list_carriers,
     .operation_id = "listCarriers",
     .summary = "Lists all carriers",
     .description = "The built-in catalogue and the carriers of the business.",
     .tag = "Carriers",
     .answer = &entry_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/carriers",
     .permission = Permission::administer,
     .handler = create_carrier,
     .operation_id = "createCarrier",
     .summary = "Creates a carrier of the business",
     .description =
         "Only this business sees the carrier. Its code is unique among the carriers of the business.",
     .tag = "Carriers",
     .body = &create_schema,
     .body_check = check_create,
     .body_kind = BodyKind::object,
     .answer = &entry_schema,
     .status = 201},
    {.method = Method::get,
     .path = "/api/carriers/configured",
     .permission = Permission::read,
     .handler = list_configured,
     .operation_id = "listConfiguredCarriers",
     .summary = "Lists the carriers that the business has configured",
     .description = "Credentials are not shown.",
     .tag = "Carriers",
     .answer = &configured_schema,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/carriers/lookups",
     .permission = Permission::read,
     .handler = get_lookups,
     .operation_id = "getCarrierLookups",
     .summary = "Returns the carrier types, the usual service levels and the connectors",
     .description = "Types and levels are suggestions for carriers of the business.",
     .tag = "Carriers",
     .answer = &lookup_schema},
    {.method = Method::post,
     .path = "/api/carriers/configure",
     .permission = Permission::administer,
     .handler = configure_carrier,
     .operation_id = "configureCarrier",
     .summary = "Configures a carrier",
     .description = "Replaces an earlier configuration.",
     .tag = "Carriers",
     .body = &configure_schema,
     .body_check = check_service_codes,
     .body_kind = BodyKind::object,
     .answer = &configured_answer_schema},
    {.method = Method::get,
     .path = "/api/carriers/contacts",
     .permission = Permission::read,
     .handler = list_contacts,
     .operation_id = "listCarrierContacts",
     .summary = "Lists the contacts at carriers",
     .description = "Each with its carrier.",
     .tag = "Carriers",
     .answer = &contact_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/carriers/contacts",
     .permission = Permission::operate,
     .handler = add_contact,
     .operation_id = "createCarrierContact",
     .summary = "Creates a contact at a carrier",
     .description = "The carrier is a built-in one or one of the business.",
     .tag = "Carriers",
     .body = &contact_create_schema,
     .body_kind = BodyKind::object,
     .answer = &contact_summary_schema,
     .status = 201},
    {.method = Method::get,
     .path = "/api/carriers/contacts/{contactId}",
     .permission = Permission::read,
     .handler = get_contact,
     .operation_id = "getCarrierContact",
     .summary = "Returns a contact at a carrier",
     .description = "A contact of another business is 404.",
     .tag = "Carriers",
     .answer = &contact_schema},
    {.method = Method::get,
     .path = "/api/carriers/{carrierId}",
     .permission = Permission::read,
     .handler = get_carrier,
     .operation_id = "getCarrier",
     .summary = "Returns a carrier",
     .description =
         "A built-in carrier or one of the business, with its service levels and whether it is configured.",
     .tag = "Carriers",
     .answer = &carrier_schema},
    {.method = Method::patch,
     .path = "/api/carriers/{carrierId}",
     .permission = Permission::administer,
     .handler = update_carrier,
     .operation_id = "updateCarrier",
     .summary = "Updates the configuration of a carrier, or the pattern of a carrier of the business",
     .description = "Fields that are left out keep their values.",
     .tag = "Carriers",
     .body = &update_schema,
     .body_check = check_carrier_update,
     .body_kind = BodyKind::object,
     .answer = &updated_schema},
    {.method = Method::post,
     .path = "/api/carriers/{carrierId}/rotate-inbound-secret",
     .permission = Permission::administer,
     .handler = rotate_inbound_secret,
     .operation_id = "rotateCarrierInboundSecret",
     .summary = "Replaces the secret that signs the calls of a carrier",
     .description = "The former secret is refused from now on.",
     .tag = "Carriers",
     .answer = &rotated_schema},
    {.method = Method::post,
     .path = "/api/carriers/{guid}/inbound",
     .permission = Permission::everyone,
     .handler = receive_scans,
     .operation_id = "receiveCarrierScans",
     .summary = "Receives the scans of a carrier",
     .description =
         "`manual`: the body is that of POST /api/v1/traces, signed by Standard Webhooks with the "
         "inboundSecret. The timestamp may differ by 5 minutes. A repeated webhook-id is ignored. "
         "`easypost`: X-Hmac-Signature with the inboundSecret. `karrio`: X-Event-Id is the apiSecret. "
         "A gateway is asked for the scans of the number that its call names.",
     .tag = "Carriers",
     .body_kind = BodyKind::raw,
     .query = inbound_query,
     .answer = &scan_result_schema,
     .answer_is_array = true,
     .errors = inbound_errors},
    {.method = Method::del,
     .path = "/api/carriers/{carrierId}",
     .permission = Permission::administer,
     .handler = remove_carrier,
     .operation_id = "deleteCarrier",
     .summary = "Deletes a carrier of the business, or the configuration of a built-in carrier",
     .description = "A built-in carrier stays in the catalogue.",
     .tag = "Carriers",
     .answer = &guid_schema},
};

}  // namespace

std::span<const Endpoint> carrier_endpoints() { return carrier_endpoint_table; }

}  // namespace waybill::api
