#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "domain/records/row.hpp"

// The tables of the records' columns. A row says all about its column: statements and schemas are made from
// it.
namespace waybill::domain {
namespace {

using enum FieldType;
using namespace rows;

constexpr std::string_view recipient_text = "recipient_text";
constexpr std::string_view reference_text = "reference_text";

constexpr rows::Row own_reference(Personal personal) {
  return text("externalReference", "external_reference", personal, Form::code)
      .merged()
      .listed()
      .settable()
      .described("The record's name in another system.");
}
constexpr rows::Row own_tags(Personal personal) {
  rows::Row row = column(tags_path, "tags", array).merged().listed();
  row.column().personal = personal;
  return row;
}
constexpr rows::Row own_metadata(Personal personal) {
  rows::Row row = column(metadata_path, "metadata", object).merged().listed();
  row.column().personal = personal;
  return row;
}

using enum Personal;

constexpr auto order_fields = std::to_array<Field>({
    column("guid", "guid", uuid).required().listed(),
    text("orderNumber", "order_number", no, Form::code).required().decided().listed().searched(),
    text("status", "status", no).required().decided().listed().role(ColumnRole::status),
    column("customer.guid", "customer_id", uuid).decided().listed(),
    column("items", "items", array)
        .sql_type("json")
        .personal(if_named)
        .required()
        .decided()
        .listed()
        .not_filtered(),
    text("deliveryAddress.street", "delivery_street", yes).merged().imported().listed().searched(),
    text("deliveryAddress.city", "delivery_city", no).merged().imported().listed().searched(),
    text("deliveryAddress.state", "delivery_state", no).merged().imported().listed(),
    text("deliveryAddress.postalCode", "delivery_postal_code", yes).merged().imported().listed().searched(),
    text("deliveryAddress.country", "delivery_country", no).merged().imported(),
    text("deliveryAddress.name", "delivery_name", yes)
        .merged()
        .imported()
        .listed()
        .searched(recipient_text)
        .described("Who receives the order, if not the customer. A shipment of an order with a name or "
                   "company here takes its recipient from this object alone."),
    text("deliveryAddress.company", "delivery_company", yes)
        .merged()
        .imported()
        .listed()
        .searched(recipient_text),
    text("deliveryAddress.phone", "delivery_phone", yes)
        .merged()
        .imported()
        .listed()
        .searched(recipient_text),
    text("deliveryAddress.email", "delivery_email", yes, Form::email)
        .merged()
        .imported()
        .listed()
        .searched(recipient_text),
    column("carrier.guid", "carrier_id", uuid).decided().listed().settable("carrierId"),
    text("serviceLevel", "service_level", no).decided().settable(),
    text("shippingMethod", "shipping_method", if_named)
        .merged()
        .imported()
        .listed()
        .described("The name that the checkout shows.")
        .example(R"("Express delivery")"),
    column("shippingCost", "shipping_cost", decimal, Form::money)
        .merged()
        .described("In the currency of the order.")
        .example("4.9"),
    column("totalValue", "total_value", decimal).required(),
    text("currency", "currency", no).required().decided().described("An ISO 4217 code."),
    column("collectionDate", "collection_date", timestamp).merged().listed().settable(),
    text("timeWindow.start", "collection_start", no).decided().not_filtered(),
    text("timeWindow.end", "collection_end", no).decided().not_filtered(),
    text("notes", "notes", yes, Form::text).merged().imported().settable().searched(),
    own_reference(if_named).searched(reference_text),
    own_tags(if_named),
    own_metadata(if_named),
    text("source.type", "source_type", no).required().listed().shown_by("source_kind"),
    column("source.integration.guid", "integration_id", uuid).listed(),
    text("source.externalId", "external_id", no).listed().described("The order's id in the store."),
    text("source.url", "source_url", no, Form::web_address)
        .imported()
        .listed()
        .described("The order in the store's administration."),
    timestamp_of("statusChangedAt", "status_changed_at")
        .listed()
        .described("The time of the last change of the status; null if it is not known."),
    timestamp_of("createdAt", "created_at").required().listed(),
    timestamp_of("updatedAt", "updated_at").required(),
    relative("customer.name", "customers", "name", "customer_id", true),
    relative("customer.email", "customers", "email", "customer_id", true),
    relative("customer.phone", "customers", "phone", "customer_id"),
    relative("carrier.name", "carriers", "name", "carrier_id"),
    relative("source.integration.name", "integrations", "store_name", "integration_id"),
    relative("source.integration.provider", "integrations", "provider", "integration_id"),
    {.path = "shipments", .type = array, .kind = RelatedList{}},
});

constexpr auto shipment_fields = std::to_array<Field>({
    column("guid", "guid", uuid).required().listed(),
    text("trackingNumber", "tracking_number", no).required().listed().searched(),
    text("status", "status", no).required().decided().listed().role(ColumnRole::status),
    column("orderId", "order_id", uuid),
    column("customer.guid", "customer_id", uuid).decided().listed(),
    text("sender.name", "sender_name", if_named).merged().listed().searched(),
    text("sender.company", "sender_company", if_named).merged(),
    text("sender.address.street", "sender_street", if_named).merged(),
    text("sender.address.city", "sender_city", no).merged(),
    text("sender.address.state", "sender_state", no).merged(),
    text("sender.address.postalCode", "sender_postal_code", if_named).merged(),
    text("sender.address.country", "sender_country", no).merged(),
    text("sender.phone", "sender_phone", if_named).merged(),
    text("recipient.name", "recipient_name", yes).merged().listed().searched(),
    text("recipient.company", "recipient_company", yes).merged(),
    text("recipient.address.street", "recipient_street", yes).merged().searched(),
    text("recipient.address.city", "recipient_city", no).merged().searched(),
    text("recipient.address.state", "recipient_state", no).merged(),
    text("recipient.address.postalCode", "recipient_postal_code", yes).merged(),
    text("recipient.address.country", "recipient_country", no).merged(),
    text("recipient.phone", "recipient_phone", yes).merged(),
    text("recipient.email", "recipient_email", yes, Form::email).merged(),
    column("packages", "packages", array).required().decided().listed().not_filtered(),
    column("customs", "customs", object)
        .merged()
        .personal()
        .not_filtered()
        .described("The data for customs. Items that are not given are those of the order when rates are "
                   "asked for or a label is bought."),
    column("isReturn", "is_return", boolean)
        .required()
        .decided()
        .shown_by("sent_back")
        .described("True: the parcel travels from the recipient to the sender. Fixed when the shipment is "
                   "created. Default: false."),
    column("carrier.guid", "carrier_id", uuid).decided().listed(),
    text("serviceLevel", "service_level", no).decided().listed().described("A code of the carrier."),
    text("instructions", "instructions", yes, Form::text).merged().listed().settable(),
    text("carrierTrackingNumber", "carrier_tracking_number", no, Form::tracking_number)
        .merged()
        .not_empty()
        .listed()
        .settable()
        .described("Writable until the shipment is final."),
    text("carrierTrackingUrl", "carrier_tracking_url", yes, Form::web_address)
        .merged()
        .not_empty()
        .listed()
        .settable()
        .completed()
        .described("The carrier's page for the parcel. Unless given, it is made from the carrier's "
                   "trackingUrlPattern."),
    text("labelStatus", "label_status", no)
        .listed()
        .example(R"("bought")")
        .described("The status of the carrier's label: buying, bought, refused, unknown, voiding or voided. "
                   "Null if none was requested."),
    column("shippingPrice", "shipping_price", decimal, Form::money)
        .listed()
        .example("7.9")
        .described("The price that the carrier charged for the label. Null while none is bought."),
    text("currency", "currency", no).listed().example(R"("EUR")").described("The currency of shippingPrice."),
    own_reference(if_named),
    own_tags(if_named),
    own_metadata(if_named),
    column("collectionDate", "collection_date", timestamp).merged().settable(),
    column("estimatedDelivery", "estimated_delivery", timestamp)
        .settable("deliveryDate")
        .described("Unless set: the date that the carrier announced, otherwise 5 days (2 for express, 0 for "
                   "sameday) after the collection date or the creation."),
    timestamp_of("deliveredAt", "delivered_at"),
    timestamp_of("statusChangedAt", "status_changed_at")
        .listed()
        .described("The time of the last move, as reported. Null for a shipment that an earlier version made "
                   "and that has not moved since."),
    timestamp_of("lastTraceAt", "last_trace_at")
        .listed()
        .described("The time of the newest scan, as reported."),
    column("dispatchId", "dispatch_id", uuid).role(ColumnRole::dispatch).not_filtered().not_answered(),
    timestamp_of("createdAt", "created_at").required().listed(),
    timestamp_of("updatedAt", "updated_at").required(),
    relative("customer.name", "customers", "name", "customer_id", true),
    relative("customer.email", "customers", "email", "customer_id", true),
    relative("customer.phone", "customers", "phone", "customer_id"),
    relative("carrier.name", "carriers", "name", "carrier_id"),
    of_event("trace.status", string),
    of_event("trace.description", string),
    of_event("trace.location", string),
    of_event("trace.timestamp", timestamp),
    of_event("trace.externalId", string),
});

constexpr auto customer_fields = std::to_array<Field>({
    column("guid", "guid", uuid).required().listed(),
    text("name", "name", yes).required().not_empty().merged().imported().listed().settable().searched(),
    text("email", "email", yes, Form::email).merged().imported().listed().settable().searched(),
    text("phone", "phone", yes).merged().imported().listed().settable().searched(),
    text("company", "company", yes).merged().imported().listed().settable().searched(),
    text("address.street", "street", yes).merged().listed().searched(),
    text("address.city", "city", yes).merged().listed().searched(),
    text("address.state", "state", yes).merged().listed(),
    text("address.postalCode", "postal_code", yes).merged().listed().searched(),
    text("address.country", "country", yes).merged().listed(),
    own_reference(yes).searched(reference_text),
    own_tags(yes),
    own_metadata(yes),
    column("contacts", "contacts", array).required().personal().not_filtered(),
    column("references", "reference_list", array).required().personal().not_filtered(),
    timestamp_of("createdAt", "created_at").required().not_answered(),
    timestamp_of("updatedAt", "updated_at").required().not_answered(),
});

constexpr auto product_fields = std::to_array<Field>({
    column("guid", "guid", uuid).required().listed(),
    text("name", "name", no)
        .example(R"("Desk lamp")")
        .required()
        .not_empty()
        .merged()
        .imported()
        .listed()
        .settable()
        .searched(),
    text("sku", "sku", no, Form::code)
        .not_empty()
        .merged()
        .imported()
        .listed()
        .searched()
        .described("Unique among products and variants. Required unless SKUs are generated."),
    text("description", "description", no, Form::text)
        .example(R"("A lamp for desks, 8 W")")
        .merged()
        .imported()
        .listed()
        .settable()
        .searched(),
    column("price", "price", decimal, Form::money).merged().imported().listed().settable(),
    column("cost", "cost", decimal, Form::money).merged().listed().settable(),
    column("weight", "weight", decimal, Form::measure).merged().imported().listed(),
    column("dimensions.length", "length", decimal, Form::measure).merged().imported().listed(),
    column("dimensions.width", "width", decimal, Form::measure).merged().imported().listed(),
    column("dimensions.height", "height", decimal, Form::measure).merged().imported().listed(),
    text("hsCode", "hs_code", no, Form::hs_code)
        .merged()
        .imported()
        .listed()
        .described("The number in the customs tariff: 6 to 10 digits. Dots and blanks are removed."),
    text("originCountry", "origin_country", no, Form::country)
        .merged()
        .imported()
        .listed()
        .described("The country of origin, as ISO 3166-1 alpha-2; requests may also name it."),
    column("customsValue", "customs_value", decimal, Form::money)
        .merged()
        .listed()
        .described("The value of one for customs, in the currency of the business. Default: its price in the "
                   "order."),
    text("barcode", "barcode", no).example(R"("4006381333931")").merged().imported().listed().searched(),
    own_reference(no).searched(reference_text),
    own_tags(no),
    own_metadata(no),
    column("variants", "variants", array).required().not_filtered(),
    timestamp_of("createdAt", "created_at").required(),
    timestamp_of("updatedAt", "updated_at").required().not_answered(),
    {.path = "variantCount", .type = integer, .is_filtered = true, .kind = Computed{"variant_count"}},
});

constexpr auto objects_of_orders = std::to_array<std::string_view>({"source"});
constexpr auto objects_of_shipments = std::to_array<std::string_view>({"sender", "recipient"});

// The last purchase of a shipment's label.
constexpr auto aliases_of_shipments = std::to_array<Alias>({{"purchase.status", "labelStatus"},
                                                            {"purchase.price", "shippingPrice"},
                                                            {"purchase.currency", "currency"}});

constexpr auto internal_columns = std::to_array<std::string_view>({"business_id", "deleted_at"});
constexpr auto internal_columns_of_shipments = std::to_array<std::string_view>(
    {"business_id", "deleted_at", "last_trace_id", "order_items", "order_pieces", "announced_delivery"});

constexpr auto types = std::to_array<RecordType>({
    {EntityType::order, "Order", "order", "orders", order_fields, objects_of_orders, internal_columns, {}},
    {EntityType::shipment, "Shipment", "shipment", "shipments", shipment_fields, objects_of_shipments,
     internal_columns_of_shipments, aliases_of_shipments},
    {EntityType::customer, "Customer", "customer", "customers", customer_fields, {}, internal_columns, {}},
    {EntityType::product, "Product", "product", "products", product_fields, {}, internal_columns, {}},
});

static_assert(order_fields.size() <= FieldSet{}.size() && shipment_fields.size() <= FieldSet{}.size());

}  // namespace

const Field* RecordType::find(std::string_view path) const {
  const auto alias = std::ranges::find(aliases, path, &Alias::path);
  const auto found = std::ranges::find(fields, alias == aliases.end() ? path : alias->field, &Field::path);
  return found == fields.end() ? nullptr : &*found;
}

const RecordType& record_type(EntityType type) { return types.at(static_cast<std::size_t>(type)); }

std::span<const RecordType> record_types() { return types; }

std::optional<EntityType> parse_entity_type(std::string_view name) {
  const auto found = std::ranges::find_if(
      types, [&](const RecordType& type) { return equal_ignoring_case(type.name, name); });
  if (found == types.end()) return std::nullopt;
  return found->type;
}

}  // namespace waybill::domain
