#include "domain/filter/relative.hpp"

#include <algorithm>

namespace waybill::domain::odata {
namespace {

// The built-in carriers belong to the nil business and are visible to all businesses.
constexpr std::string_view shared_table = "carriers";
constexpr std::string_view catalogue_business = "catalogue_business()";

std::string of_business(std::string_view table, std::string_view business) {
  std::string text = "x.business_id = ";
  text += business;
  if (table != shared_table) return text;
  return "(" + text + " or x.business_id = " + std::string(catalogue_business) + ")";
}

// The value of the only column that relatives complete: a link, as the statements of lists and answers make
// it.
std::string completed_link(const std::string& link) {
  return "coalesce(" + link +
         ", (select tracking_url(x.tracking_url_pattern, r.carrier_tracking_number) from " +
         std::string(shared_table) + " x where " + of_business(shared_table, "r.business_id") +
         " and x.guid = r.carrier_id limit 1))";
}

}  // namespace

std::string relative_value(const Relative& relative) {
  const std::string table(relative.table);
  return "(select x." + std::string(relative.column) + " from " + table + " x where " +
         of_business(table, "r.business_id") + " and x.guid = r." + std::string(relative.key) +
         (table == shared_table ? " limit 1)" : ")");
}

std::string relative_meets(const Relative& relative, std::string_view predicate, std::string_view business,
                           bool semi_join) {
  const auto guids = "(select x.guid from " + std::string(relative.table) + " x where " +
                     of_business(relative.table, business) + " and " + std::string(predicate) + ")";
  return "r." + std::string(relative.key) + (semi_join ? " in " + guids : " = any(array" + guids + ")");
}

std::string value_of(const Field& field) {
  if (const auto* const column = field.column()) {
    const auto value = "r." + std::string(column->shown_by.empty() ? column->name : column->shown_by);
    return column->is_completed_by_relatives ? completed_link(value) : value;
  }
  if (const auto* const computed = field.computed()) return "r." + std::string(computed->function);
  return relative_value(*field.relative());
}

std::string_view search_text_with(std::string_view table, std::string_view column) {
  if (column.empty()) return {};
  const auto types = record_types();
  const auto type = std::ranges::find(types, table, &RecordType::table);
  if (type == types.end()) return {};
  const auto field =
      std::ranges::find_if(type->fields, [&](const Field& each) { return each.column_name() == column; });
  return field == type->fields.end() ? std::string_view() : field->column()->search_text;
}

}  // namespace waybill::domain::odata
