#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/statement/params.hpp"
#include "storage/statement/rows.hpp"
#include "storage/statement/statement.hpp"

namespace waybill::simulate {

/// The parameters of a statement, as the model of the database reads them. Numbers are those of the
/// statement's text, from 1.
class Arguments {
 public:
  explicit Arguments(const storage::Params& params) : params_(params) {}

  bool is_null(std::size_t number) const { return params_.value(number - 1) == nullptr; }
  std::string_view text(std::size_t number) const;
  std::int64_t number(std::size_t number) const;
  bool boolean(std::size_t number) const { return text(number) == "t"; }
  Guid guid(std::size_t number) const;
  Duration interval(std::size_t number) const;
  std::vector<Guid> guids(std::size_t number) const;
  std::vector<std::int64_t> numbers(std::size_t number) const;  // of bigint[], smallint[] and int[]
  std::vector<Time> times(std::size_t number) const;
  std::vector<std::optional<std::string>> texts(std::size_t number) const;
  std::vector<std::string> strings(std::size_t number) const;  // of an array without nulls

 private:
  bool is_binary(std::size_t number) const;

  const storage::Params& params_;
};

/// Makes the rows of a result in the format that a session asks for.
class Result {
 public:
  /// The columns are those of the statement's head, then `more` ones, of which each row sets the bytes.
  Result(const storage::Statement& statement, storage::Format format, std::size_t more = 0);
  ~Result();
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;

  Result& row();
  Result& text(std::optional<std::string_view> value) { return value ? bytes(*value) : null(); }
  Result& number(std::int64_t value);
  Result& boolean(bool value);
  Result& guid(const Guid& value);
  Result& guid(const std::optional<Guid>& value) { return value ? guid(*value) : null(); }
  Result& time(Time value);
  Result& bytes(std::string_view value);
  Result& null();

  storage::Rows take();

 private:
  void check_row() const;
  std::string_view type() const;

  const storage::Statement& statement_;
  const bool binary_;
  void* result_;  // a PGresult
  int row_ = -1;
  int column_ = 0;
};

/// The rows of COPY's binary format.
using CopiedRow = std::vector<std::optional<std::string_view>>;
std::vector<CopiedRow> read_copy(std::string_view rows);

/// The names of the columns of `table (a, b, …)`.
std::vector<std::string> copied_columns(std::string_view target);

}  // namespace waybill::simulate
