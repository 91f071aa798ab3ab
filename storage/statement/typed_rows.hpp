#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/clock.hpp"
#include "base/crypto.hpp"
#include "base/guid.hpp"
#include "base/number.hpp"
#include "storage/statement/binary.hpp"
#include "storage/statement/rows.hpp"
#include "storage/statement/typed_params.hpp"

// Reads the columns that the head of an SQL file declares.
namespace waybill::storage {

/// A null or malformed value in a column: the head of an SQL file and its statement disagree.
class WrongColumn : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Reads a value's text form. Types that are read as text (text, numeric, jsonb, date, …) are views.
template <typename T>
T read_text(std::string_view text) {
  const auto checked = [&]<typename V>(std::optional<V>&& value) -> V {
    if (!value) throw WrongColumn("not of the column's type: " + std::string(text));
    return *std::move(value);
  };
  if constexpr (std::same_as<T, std::string_view>) {
    return text;
  } else if constexpr (std::same_as<T, Guid>) {
    return checked(Guid::parse(text));
  } else if constexpr (std::same_as<T, Time>) {
    return checked(parse_sql_timestamp(text));
  } else if constexpr (std::same_as<T, bool>) {
    return text == "t";
  } else if constexpr (std::same_as<T, Bytes>) {
    return checked(unhex(text.substr(text.starts_with("\\x") ? 2 : 0)));
  } else {
    return checked(parse_number<T>(text));
  }
}

/// Reads a value's binary form. Text types are views of the bytes.
template <typename T>
T read_binary(std::string_view value) {
  if constexpr (std::same_as<T, std::string_view>) {
    return value;
  } else if constexpr (std::same_as<T, Guid>) {
    return binary_guid(value);
  } else if constexpr (std::same_as<T, Time>) {
    return binary_time(value);
  } else if constexpr (std::same_as<T, bool>) {
    return binary_number<std::int8_t>(value) != 0;
  } else if constexpr (std::same_as<T, Bytes>) {
    return Bytes(value.begin(), value.end());
  } else if constexpr (std::same_as<T, double>) {
    return std::bit_cast<double>(binary_number<std::int64_t>(value));
  } else {
    return binary_number<T>(value);
  }
}

/// One row of a result.
template <typename Source>
struct RowOf;

template <>
struct RowOf<Rows> {
  const Rows& rows;
  int row;

  bool is_null(int column) const { return rows.is_null(row, column); }
  std::string_view get(int column) const { return rows.get(row, column); }
  std::string name(int column) const { return std::string(rows.name(column)); }
  bool is_binary() const { return rows.is_binary(); }
};

template <typename T, typename Source>
T read_column(const RowOf<Source>& row, int column) {
  if constexpr (is_optional<T>) {
    if (row.is_null(column)) return std::nullopt;
    return read_column<typename T::value_type>(row, column);
  } else {
    if (row.is_null(column)) throw WrongColumn("null in the column " + row.name(column));
    return row.is_binary() ? read_binary<T>(row.get(column)) : read_text<T>(row.get(column));
  }
}

template <typename S>
concept HasRow = TypedStatement<S> && requires { typename S::Row; };

/// The result of a statement whose head declares columns. Texts in its rows are views into the result and are
/// valid as long as it or a copy exists. Reading a row throws WrongColumn if the head is wrong.
template <HasRow S, typename Source = Rows>
class TypedRows {
 public:
  using Row = typename S::Row;

  TypedRows() = default;
  // NOLINTNEXTLINE(performance-unnecessary-value-param): pqxx::result can only be copied
  explicit TypedRows(Source source) : source_(std::move(source)) {}

  int size() const { return static_cast<int>(source_.size()); }
  bool empty() const { return size() == 0; }
  Row operator[](int row) const { return Row(RowOf<Source>{source_, row}); }
  Row front() const { return (*this)[0]; }
  /// Returns the first row, nullopt if there is none.
  std::optional<Row> find() const {
    if (empty()) return std::nullopt;
    return front();
  }

  /// The result with all columns.
  const Source& all() const { return source_; }
  /// The columns behind those that the head declares.
  Source more() const { return source_.slice(0, size(), static_cast<int>(S::statement.columns.size())); }

  class Iterator {
   public:
    using difference_type = int;
    using value_type = Row;

    Iterator() = default;
    Iterator(const TypedRows* rows, int row) : rows_(rows), row_(row) {}
    Row operator*() const { return (*rows_)[row_]; }
    Iterator& operator++() {
      ++row_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++row_;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const TypedRows* rows_ = nullptr;
    int row_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  Source source_;
};

/// TypedRows if the statement's head declares columns, otherwise the rows as they are.
template <TypedStatement S, typename Source = Rows>
struct ResultType {
  using type = Source;
};
template <HasRow S, typename Source>
struct ResultType<S, Source> {
  using type = TypedRows<S, Source>;
};
template <TypedStatement S, typename Source = Rows>
using ResultOf = typename ResultType<S, Source>::type;

}  // namespace waybill::storage
