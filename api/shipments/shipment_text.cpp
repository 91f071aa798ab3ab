#include "api/shipments/shipment_text.hpp"

#include "api/records/entry_text.hpp"

namespace waybill::api {
namespace {

/// Adds the values that a new and a changed shipment have.
EntryText& add_values(EntryText& entry, const ShipmentValues& values) {
  entry.guid("customer", values.customer)
      .guid("carrier", values.carrier)
      .text("service_level", values.service_level)
      .json("packages", values.packages);
  values.columns.add_to(entry);
  return entry;
}

}  // namespace

std::string shipment_text(const Guid& shipment, const std::string& tracking_number,
                          const std::optional<Guid>& order, const ShipmentValues& values) {
  EntryText entry;
  entry.guid("guid", shipment)
      .text("tracking_number", tracking_number)
      .guid("order", order)
      .json("order_items", values.order_items)
      .json("order_pieces", values.order_pieces);
  if (values.is_return) entry.json("is_return", "true");
  return add_values(entry, values).take();
}

std::string shipment_change_text(const Guid& shipment, std::string_view version,
                                 const ShipmentValues& values) {
  EntryText entry;
  entry.guid("guid", shipment).text("version", std::string(version));
  return add_values(entry, values).take();
}

}  // namespace waybill::api
