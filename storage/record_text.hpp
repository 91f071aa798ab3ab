#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/records/change.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::storage {

/// Reads a composite value as PostgreSQL prints it (`(1,"two, ""quoted""",,"")`; PostgreSQL manual,
/// section 8.16.6). Used again for the next value, it allocates nothing.
class RecordText {
 public:
  /// False when `text` is nothing that PostgreSQL prints.
  bool parse(std::string_view text);

  /// Of the last value that could be read; null is nullopt. The views point into its text and into this
  /// object: they live until the text is gone or `parse` is called again.
  std::span<const std::optional<std::string_view>> fields() const { return fields_; }

 private:
  std::vector<std::optional<std::string_view>> fields_;
  std::vector<char> unescaped_;
};

/// Where the fields of one record type stand among the columns of its table.
class ColumnMap {
 public:
  /// `columns` as the table's composite value prints them: by attnum, without dropped ones. Throws
  /// std::invalid_argument when a field's column is not among them.
  ColumnMap(const domain::RecordType& type, std::span<const std::string> columns);

  std::size_t column_count() const { return column_count_; }

  /// Fills `row` from as many fields as there are columns; the views are those of `fields`.
  void fill(std::span<const std::optional<std::string_view>> fields, domain::Row& row) const;

 private:
  static constexpr std::uint16_t no_column = UINT16_MAX;

  std::size_t column_count_;
  std::vector<std::uint16_t> positions_;  // by field
};

}  // namespace waybill::storage
