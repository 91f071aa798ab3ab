#include "api/records/merged_columns.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "api/records/columns.hpp"
#include "api/records/own_data.hpp"
#include "base/check.hpp"
#include "base/clock.hpp"

namespace waybill::api {
namespace {

using domain::EntityType;
using domain::FieldType;

std::vector<MergedColumn> find_merged(const domain::RecordType& type) {
  std::vector<MergedColumn> columns;
  for (const domain::Field& field : type.fields) {
    const auto* const column = field.column();
    if (column == nullptr || column->given != domain::Given::merged) continue;
    columns.push_back({.path = field.path,
                       .member = field.path.substr(0, field.path.find('.')),
                       .name = column->name,
                       .type = field.type});
  }
  return columns;
}

/// True if the text of a value is JSON, false if it is the text of a JSON string.
bool is_json(FieldType type) {
  return type == FieldType::decimal || type == FieldType::array || type == FieldType::object;
}

std::string sql_time(const json::value& text) {
  return format_sql_timestamp(parse_timestamp(text.get_string()).value());
}

/// The text of a value of a checked body, as PostgreSQL prints it; nullopt for null.
std::optional<std::string> text_of(const json::value& value, FieldType type) {
  if (value.is_null()) return std::nullopt;
  if (type == FieldType::timestamp) return sql_time(value);
  return is_json(type) ? to_json(value) : std::string(value.get_string());
}

}  // namespace

std::span<const MergedColumn> merged_columns(EntityType type) {
  static const auto all = [] {
    std::array<std::vector<MergedColumn>, domain::entity_type_count> lists;
    for (const auto& each : domain::record_types())
      lists.at(static_cast<std::size_t>(each.type)) = find_merged(each);
    return lists;
  }();
  return all.at(static_cast<std::size_t>(type));
}

json::object record_changes(EntityType type, const json::object& body) {
  json::object changes;
  for (const MergedColumn& column : merged_columns(type)) {
    const auto* const value = given_at(body, column.path);
    if (value == nullptr) continue;
    if (column.path == domain::tags_path) {
      changes.emplace(column.name, tags_value(*value));
    } else if (column.type == FieldType::timestamp && !value->is_null()) {
      changes.emplace(column.name, sql_time(*value));
    } else {
      changes.emplace(column.name, *value);
    }
  }
  return changes;
}

ColumnValues::ColumnValues(EntityType type) : columns_(merged_columns(type)), values_(columns_.size()) {}

ColumnValues::ColumnValues(EntityType type, const storage::Rows& rows) : ColumnValues(type) {
  require(std::cmp_equal(rows.columns(), columns_.size()), "a row has the merged columns");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (const auto value = rows.find(0, static_cast<int>(i))) values_[i] = *value;
  }
}

void ColumnValues::merge(const json::object& body, FieldErrors& errors, Finder find) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto& column = columns_[i];
    const auto* const value = find(body, column.path);
    if (value == nullptr) continue;
    if (column.path == domain::metadata_path) {
      values_[i] = merged_metadata(values_[i], *value, errors);
    } else if (column.path == domain::tags_path) {
      values_[i] = text_of(tags_value(*value), column.type);
    } else {
      values_[i] = text_of(*value, column.type);
    }
  }
}

void ColumnValues::merge(const json::object& body, FieldErrors& errors) { merge(body, errors, given_at); }

void ColumnValues::take(const storage::Rows& rows) {
  for (int place = 0; place < rows.columns(); ++place) {
    const auto column = std::ranges::find(columns_, rows.name(place), &MergedColumn::name);
    if (column == columns_.end()) continue;
    const auto value = rows.find(0, place);
    values_[static_cast<std::size_t>(column - columns_.begin())] =
        value ? std::optional(std::string(*value)) : std::nullopt;
  }
}

const std::optional<std::string>& ColumnValues::at(std::string_view path) const {
  return values_[index_of(path)];
}

void ColumnValues::set(std::string_view path, std::optional<std::string> text) {
  values_[index_of(path)] = std::move(text);
}

void ColumnValues::clear(std::string_view path) { values_[index_of(path)].reset(); }

std::size_t ColumnValues::index_of(std::string_view path) const {
  const auto column = std::ranges::find(columns_, path, &MergedColumn::path);
  require(column != columns_.end(), "the table has the column");
  return static_cast<std::size_t>(column - columns_.begin());
}

void ColumnValues::add_to(EntryText& entry) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (is_json(columns_[i].type)) {
      entry.json(columns_[i].name, values_[i]);
    } else {
      entry.text(columns_[i].name, values_[i]);
    }
  }
}

}  // namespace waybill::api
