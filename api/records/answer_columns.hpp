#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/endpoint/selected.hpp"
#include "storage/database/database.hpp"

namespace waybill::api {

/// The columns of an answer in a statement, which stand between `/*fields*/` and `/*end*/`. A column is named
/// like a column of RowWriter (api/records/row_json.hpp); its field is the name before the first dot.
class AnswerColumns {
 public:
  /// `statement` must outlive this object.
  explicit AnswerColumns(std::string_view statement);

  /// Returns the statement with the columns of these fields only; others are neither read nor computed. Names
  /// without a column count for nothing. The first column is kept if no other is.
  std::string only(std::span<const std::string_view> fields) const;

 private:
  struct Column {
    std::string_view text, field;
  };
  std::string_view before_, after_;
  std::vector<Column> columns_;
};

/// Reads one record by its key, as `Database::read` does, but only the columns of the call's `$select`. The
/// whole members of the record are read: `reduced` (api/endpoint/selected.hpp) leaves out their other parts.
template <storage::TypedStatement S>
asio::awaitable<storage::Rows> read_selected(const Call& call, storage::Database& db, const S& statement,
                                             storage::Format format = storage::Format::text) {
  const auto fields = selected_fields(call);
  if (fields.empty()) co_return co_await db.read(statement, format);
  static const AnswerColumns columns(S::statement.text);
  storage::Read read{.statement = {.name = S::statement.name, .text = {}},
                     .text = columns.only(fields),
                     .params = statement.params(),
                     .format = format,
                     .business = call.business()};
  std::string merged;
  if constexpr (requires { typename S::Merged; }) {
    static const AnswerColumns merged_columns(S::Merged::statement.text);
    merged = merged_columns.only(fields);
    read.merged = {.name = S::Merged::statement.name, .text = merged};
  }
  co_return co_await db.run_read(std::move(read));
}

}  // namespace waybill::api
