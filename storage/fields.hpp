#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/number.hpp"
#include "storage/rows.hpp"

namespace waybill::storage {

/// One row of a result in text format, with typed columns. Reading a column as the wrong type throws
/// std::bad_optional_access or std::invalid_argument: the statement and its reader disagree.
class RowView {
 public:
  RowView(const Rows& rows, int row) : rows_(rows), row_(row) {}

  bool is_null(int column) const { return rows_.is_null(row_, column); }
  std::string_view view(int column) const { return rows_.get(row_, column); }
  std::string string(int column) const { return std::string(view(column)); }
  std::optional<std::string> maybe_string(int column) const {
    if (is_null(column)) return std::nullopt;
    return string(column);
  }
  /// Returns the nil guid for null.
  Guid guid(int column) const {
    if (is_null(column)) return {};
    return Guid::parse(view(column)).value();
  }
  Time time(int column) const { return parse_sql_timestamp(view(column)).value(); }
  bool boolean(int column) const { return view(column) == "t"; }
  template <typename Number = std::int64_t>
  Number number(int column) const {
    const std::string_view digits = view(column);
    const auto value = parse_number<Number>(digits);
    if (!value) throw std::invalid_argument("not a number: " + std::string(digits));
    return *value;
  }

 private:
  const Rows& rows_;
  int row_;
};

/// Calls `each` with a RowView of every row.
template <typename Each>
void for_each_row(const Rows& rows, Each each) {
  for (int row = 0; row < rows.size(); ++row) each(RowView(rows, row));
}

}  // namespace waybill::storage
