#include "api/records/own_data_totals.hpp"

namespace waybill::api {
namespace {

/// A condition on the rows of this business and type in a table of own data.
std::string of_type(domain::EntityType type, const std::string& alias) {
  return alias + ".business_id = $1 and " + alias +
         ".entity_type = " + std::to_string(static_cast<int>(type));
}

/// The value, evaluated once.
std::string once(const std::string& value) { return "(select " + value + ")"; }

}  // namespace

std::string kept_total(domain::EntityType type, const std::string& value, const std::string& count) {
  const auto wanted = once(value);
  const auto pending = "(select coalesce(sum((" + wanted + " = any(c.added))::int - (" + wanted +
                       " = any(c.removed))::int), 0) from own_data_changes c where " + of_type(type, "c") +
                       ")";
  return "coalesce((select t.total + " + pending + " from own_data_totals t where " + of_type(type, "t") +
         " and t.value = " + wanted + "), " + count + ")";
}

std::string up_to_newest(domain::EntityType type, const std::string& value) {
  const auto changed = "(select max(c.created_at) from own_data_changes c where " + of_type(type, "c") +
                       " and " + once(value) + " = any(c.added))";
  return "r.created_at <= (select coalesce((select greatest(t.newest_at, " + changed +
         ") from own_data_totals t where " + of_type(type, "t") + " and t.value = " + once(value) +
         " and t.total is not null), 'infinity'))";
}

}  // namespace waybill::api
