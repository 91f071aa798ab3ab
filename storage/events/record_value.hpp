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

/// Reads a composite value in the binary form of PostgreSQL's record_send: the number of columns, then type,
/// length and value of each column, in network byte order. Returns each column as PostgreSQL prints it with
/// UTC and ISO dates, times always with six decimals. A reused object allocates hardly any memory.
class RecordValue {
 public:
  RecordValue() = default;
  RecordValue(const RecordValue&) = delete;
  RecordValue& operator=(const RecordValue&) = delete;

  /// Returns false if `bytes` is not in the form of record_send. `like` is another record of the same table,
  /// parsed before, or null: the text of a column that has the same value there is not printed again. The
  /// views then also point into `like`, and its bytes must still exist.
  bool parse(std::string_view bytes, const RecordValue* like = nullptr);

  /// The columns of the last parsed value. nullopt is null or a value of an unsupported type; supported types
  /// are text, varchar, json, jsonb, uuid, timestamptz, numeric, the integers and boolean. The views point
  /// into the parsed bytes and into this object, and are valid while the bytes exist and until the next
  /// `parse`.
  std::span<const std::optional<std::string_view>> fields() const { return fields_; }

 private:
  /// A column as it was sent.
  struct Sent {
    std::uint32_t type = 0;
    std::string_view value;
    bool operator==(const Sent&) const = default;
  };
  bool read(std::uint32_t type, std::string_view value);
  std::string_view keep(std::string_view text);

  std::vector<std::optional<std::string_view>> fields_;
  std::vector<Sent> sent_;  // for each field; empty for null
  std::array<std::byte, 2048> initial_buffer_;
  std::pmr::monotonic_buffer_resource printed_{initial_buffer_.data(), initial_buffer_.size()};
};

/// Maps the fields of one record type to the columns of its table.
class ColumnMap {
 public:
  /// `columns` are in the order of the table's composite value: by attnum, without dropped columns. Throws
  /// std::invalid_argument if a field's column is missing.
  ColumnMap(const domain::RecordType& type, std::span<const std::string> columns);

  std::size_t column_count() const { return column_count_; }

  /// Fills `row` from `fields`, which has one entry for each column. The views are copied.
  void fill(std::span<const std::optional<std::string_view>> fields, domain::Row& row) const;

 private:
  static constexpr std::uint16_t no_column = UINT16_MAX;

  std::size_t column_count_;
  std::vector<std::uint16_t> positions_;  // by field
};

}  // namespace waybill::storage
