#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/guid.hpp"

namespace waybill::storage {

/// Rows in COPY's binary format (PostgreSQL documentation, COPY, "Binary Format"), for Session::copy. Every
/// row has the same number of values, each of exactly its column's type. The memory of the rows is kept for
/// the next ones of the same thread, up to 4 MiB. One thread.
class CopyRows {
 public:
  explicit CopyRows(std::int16_t columns) : columns_(columns) {}
  ~CopyRows();
  CopyRows(const CopyRows&) = delete;
  CopyRows& operator=(const CopyRows&) = delete;

  CopyRows& begin_row();
  /// Throws StatementError (54000) for a value too long for any column; the object is then unusable.
  CopyRows& text(std::string_view value);
  /// A bytea.
  CopyRows& bytes(std::string_view value) { return text(value); }
  CopyRows& guid(const Guid& value);
  CopyRows& smallint(std::int16_t value) { return number(value); }
  CopyRows& integer(std::int32_t value) { return number(value); }
  CopyRows& bigint(std::int64_t value) { return number(value); }
  CopyRows& boolean(bool value) { return number(static_cast<std::int8_t>(value)); }
  CopyRows& timestamp(Time value);
  CopyRows& null();
  CopyRows& maybe_text(const std::optional<std::string>& value) { return value ? text(*value) : null(); }
  CopyRows& maybe_guid(const std::optional<Guid>& value) { return value ? guid(*value) : null(); }

  bool empty() const { return is_taken_ || buffer_.empty(); }
  /// Returns all rows with the format's header and trailer, and empties the object. The view is valid until
  /// the next row or the end of the object.
  std::string_view take();

 private:
  template <std::integral Number>
  void append(Number value);
  template <std::integral Number>
  CopyRows& number(Number value);

  std::int16_t columns_;
  bool is_taken_ = false;  // the rows of the buffer were taken
  std::string buffer_;
};

}  // namespace waybill::storage
