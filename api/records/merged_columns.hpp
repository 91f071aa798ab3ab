#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/records/entry_text.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"
#include "storage/statement/rows.hpp"

// The columns of records that requests give and statements take over (domain::Given::merged). No code names
// them: the statements list them with `\columns … TABLE.merged`, in the same order.
namespace waybill::api {

struct MergedColumn {
  std::string_view path;    // in a body: "deliveryAddress.city"
  std::string_view member;  // the first name of the path
  std::string_view name;
  domain::FieldType type;
};

std::span<const MergedColumn> merged_columns(domain::EntityType type);

/// Returns the merged columns that a checked body names, with their new values, for statements that change
/// columns by name. The metadata is that of the body: the statement merges it with the SQL function
/// merged_changes.
json::object record_changes(domain::EntityType type, const json::object& body);

/// The values of a record's merged columns.
class ColumnValues {
 public:
  /// Finds the value of a path in a body: JSON null clears the column, nullptr leaves it as it is.
  using Finder = const json::value* (*)(const json::object& body, std::string_view path);

  /// All values are null.
  explicit ColumnValues(domain::EntityType type);
  /// Reads the first row of `rows`, which has the merged columns in text form.
  ColumnValues(domain::EntityType type, const storage::Rows& rows);

  /// Overwrites the values that a checked body names. Metadata is merged by key. Adds an error if the result
  /// has too many keys.
  void merge(const json::object& body, FieldErrors& errors, Finder find);
  void merge(const json::object& body, FieldErrors& errors);

  /// Overwrites the values of the columns that `rows` has, by their names, from its first row.
  void take(const storage::Rows& rows);

  /// The value of the column at a path, as PostgreSQL prints it.
  const std::optional<std::string>& at(std::string_view path) const;
  void set(std::string_view path, std::optional<std::string> text);
  void clear(std::string_view path);

  /// Adds the values to an entry of a statement that reads them with `\columns typed TABLE.merged`.
  void add_to(EntryText& entry) const;

 private:
  std::size_t index_of(std::string_view path) const;

  std::span<const MergedColumn> columns_;
  std::vector<std::optional<std::string>> values_;
};

}  // namespace waybill::api
