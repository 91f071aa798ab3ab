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

}  // namespace

std::string relative_value(const Field& field) {
  if (field.role == FieldRole::computed) return "r." + std::string(field.relative_column);
  const std::string table(field.relative_table);
  return "(select x." + std::string(field.relative_column) + " from " + table + " x where " +
         of_business(table, "r.business_id") + " and x.guid = r." + std::string(field.relative_key) +
         (table == shared_table ? " limit 1)" : ")");
}

std::string relative_meets(const Field& field, std::string_view predicate, std::string_view business,
                           bool semi_join) {
  const auto guids = "(select x.guid from " + std::string(field.relative_table) + " x where " +
                     of_business(field.relative_table, business) + " and " + std::string(predicate) + ")";
  return "r." + std::string(field.relative_key) + (semi_join ? " in " + guids : " = any(array" + guids + ")");
}

std::string own_value(const Field& field) {
  return "r." + std::string(field.list_function.empty() ? field.column : field.list_function);
}

std::string_view search_text_with(std::string_view table, std::string_view column) {
  const auto types = record_types();
  const auto type = std::ranges::find(types, table, &RecordType::table);
  if (type == types.end()) return {};
  const auto field = std::ranges::find_if(
      type->fields, [&](const Field& each) { return each.searchable && each.column == column; });
  return field == type->fields.end() ? std::string_view() : field->search_text;
}

}  // namespace waybill::domain::odata
