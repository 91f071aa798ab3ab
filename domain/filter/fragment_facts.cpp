#include "domain/filter/fragment_facts.hpp"

#include <algorithm>
#include <array>

#include "domain/filter/literal.hpp"

namespace waybill::domain::odata {
namespace {

bool is_own_beside_literal(const Expression& e) {
  const auto& field = e.args[0];
  const auto* const column = field.kind == Kind::field ? field.field->column() : nullptr;
  return column != nullptr && column->shown_by.empty() && !column->is_completed_by_relatives &&
         (column->search_text.empty() || has_own_index(field)) && is_literal(e.args[1]) &&
         e.args[1].kind != Kind::null;
}

bool bounds_creation(const Expression& e) {
  return e.kind == Kind::compare && e.comparator != Comparator::ne && is_own_beside_literal(e) &&
         e.args[0].field->column_name() == "created_at";
}

}  // namespace

bool has_own_index(const Expression& e) {
  constexpr auto indexed = std::to_array<std::string_view>(
      {"order_number", "delivery_city", "name", "email", "city", "sku", "external_reference"});
  if (e.kind != Kind::field) return false;
  const auto& field = *e.field;
  const auto column = field.relative() != nullptr ? field.relative()->column : field.column_name();
  return std::ranges::find(indexed, column) != indexed.end();
}

std::string_view sole_column(const Expression& e) {
  if (bounds_creation(e) || (e.kind == Kind::all && std::ranges::all_of(e.args, bounds_creation))) {
    return "created_at";
  }
  const bool is_equality =
      e.kind == Kind::compare && e.comparator == Comparator::eq && is_own_beside_literal(e);
  if (!is_equality || e.args[0].field->type == FieldType::array || is_metadata(*e.args[0].field)) return {};
  return e.args[0].field->column_name();
}

bool is_of_status(const Expression& e) {
  if (e.kind == Kind::field) return e.field->has_role(ColumnRole::status);
  const auto varies = [](const Expression& part) { return !is_literal(part); };
  return std::ranges::any_of(e.args, varies) && std::ranges::all_of(e.args, [&](const Expression& part) {
           return !varies(part) || is_of_status(part);
         });
}

std::optional<Expression> complement_of(const Expression& e) {
  if (e.kind == Kind::negation) return e.args[0];
  if (e.kind != Kind::compare || e.comparator != Comparator::ne) return std::nullopt;
  auto equality = e;
  equality.comparator = Comparator::eq;
  return equality;
}

bool is_own_data(const Expression& e) {
  constexpr auto columns = std::to_array<std::string_view>({"tags", "metadata", "external_reference"});
  return e.kind == Kind::field && std::ranges::find(columns, e.field->column_name()) != columns.end();
}

bool has_own_data(const Expression& e) {
  if (e.kind == Kind::field) return is_own_data(e);
  return std::ranges::any_of(e.args, has_own_data);
}

}  // namespace waybill::domain::odata
