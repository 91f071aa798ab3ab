#include "api/records/history.hpp"

#include <array>
#include <span>

#include "domain/records/state_machines.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view actor_types[] = {"user", "token", "workflow", "import", "sql"};

constexpr Property actor_properties[] = {
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = actor_types},
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string, .description = "For sql, the role of the database session."},
};

auto history_properties(std::span<const std::string_view> statuses) {
  return std::to_array<Property>({
      {.name = "from", .kind = Kind::one_of, .values = statuses, .description = "Null for a new record."},
      {.name = "to", .kind = Kind::one_of, .nullable = false, .values = statuses},
      {.name = "at", .kind = Kind::timestamp, .nullable = false},
      {.name = "by", .kind = Kind::object, .nullable = false, .schema = &actor_schema},
      {.name = "notes", .kind = Kind::text},
  });
}
const auto order_properties = history_properties(domain::order_states().states);
const auto shipment_properties = history_properties(domain::shipment_states().states);

}  // namespace

const Schema actor_schema{"Actor", actor_properties};
const Schema order_history_schema{"OrderHistoryEntry", order_properties};
const Schema shipment_history_schema{"ShipmentHistoryEntry", shipment_properties};

}  // namespace waybill::api
