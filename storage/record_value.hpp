#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/records/change.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::storage {

/// Reads a composite value in the binary form that PostgreSQL's record_send gives it (the number of columns,
/// then of each its type, its length and its value, in network byte order), and gives each column as the text
/// that PostgreSQL prints for it under UTC and ISO dates, times always with six decimals. Used again for the
/// next value, it allocates next to nothing.
class RecordValue {
 public:
  RecordValue() = default;
  RecordValue(const RecordValue&) = delete;
  RecordValue& operator=(const RecordValue&) = delete;

  /// False when `bytes` is nothing that record_send gives.
  bool parse(std::string_view bytes);

  /// Of the last value that could be read. nullopt is null, or a value of a type that no field of a record
  /// has: text, varchar, json, jsonb, uuid, timestamptz, numeric, the integers and boolean are read. The
  /// views point into its bytes and into this object: they live until the bytes are gone or `parse` is called
  /// again.
  std::span<const std::optional<std::string_view>> fields() const { return fields_; }

 private:
  bool read(std::uint32_t type, std::string_view value);
  std::string_view keep(std::string_view text);

  std::vector<std::optional<std::string_view>> fields_;
  std::array<std::byte, 2048> first_room_;
  std::pmr::monotonic_buffer_resource printed_{first_room_.data(), first_room_.size()};
};

/// Where the fields of one record type stand among the columns of its table.
class ColumnMap {
 public:
  /// `columns` as the table's composite value has them: by attnum, without dropped ones. Throws
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
