#include "api/shipments/shipment_text.hpp"

#include "api/records/entry_text.hpp"

namespace waybill::api {
namespace {

/// Adds the values that a new and a changed shipment have.
EntryText& add_values(EntryText& entry, const ShipmentValues& values) {
  return entry.guid("customer", values.customer)
      .guid("carrier", values.carrier)
      .text("service_level", values.service_level)
      .text("instructions", values.instructions)
      .time("collection_date", values.collection_date)
      .json("packages", values.packages)
      .text("sender_name", values.sender.name)
      .text("sender_company", values.sender.company)
      .text("sender_street", values.sender.street)
      .text("sender_city", values.sender.city)
      .text("sender_state", values.sender.state)
      .text("sender_postal_code", values.sender.postal_code)
      .text("sender_country", values.sender.country)
      .text("sender_phone", values.sender.phone)
      .text("recipient_name", values.recipient.name)
      .text("recipient_company", values.recipient.company)
      .text("recipient_street", values.recipient.street)
      .text("recipient_city", values.recipient.city)
      .text("recipient_state", values.recipient.state)
      .text("recipient_postal_code", values.recipient.postal_code)
      .text("recipient_country", values.recipient.country)
      .text("recipient_phone", values.recipient.phone)
      .text("recipient_email", values.recipient.email)
      .text("carrier_tracking_number", values.carrier_tracking_number)
      .text("carrier_tracking_url", values.carrier_tracking_url)
      .text("external_reference", values.own.external_reference)
      .json("tags", values.own.tags)
      .json("metadata", values.own.metadata);
}

}  // namespace

std::string shipment_text(const Guid& shipment, const std::string& tracking_number,
                          const std::optional<Guid>& order, const ShipmentValues& values) {
  EntryText entry;
  entry.guid("guid", shipment).text("tracking_number", tracking_number).guid("order", order);
  return add_values(entry, values).take();
}

std::string shipment_change_text(const Guid& shipment, std::string_view version,
                                 const ShipmentValues& values) {
  EntryText entry;
  entry.guid("guid", shipment).text("version", std::string(version));
  return add_values(entry, values).take();
}

}  // namespace waybill::api
