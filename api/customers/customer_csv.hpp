#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"
#include "base/error.hpp"

namespace waybill::api {

/// The columns of a CSV file of customers, in the order of CustomerRow::values.
inline constexpr auto customer_csv_columns =
    std::to_array<std::string_view>({"name", "email", "phone", "company", "street", "city", "state",
                                     "postalCode", "country", "externalReference", "tags"});
inline constexpr std::size_t most_customer_rows = 100'000;
inline constexpr std::size_t most_empty_rows = 1'000'000;
inline constexpr std::size_t most_field_bytes = 16'384;  // more than any value that a customer can have
inline constexpr std::size_t most_line_errors = 100;

/// A valid row.
struct CustomerRow {
  std::size_t line = 0;
  std::array<std::optional<std::string>, customer_csv_columns.size()> values;  // nullopt: empty
  std::optional<std::string> tags;  // the column of this name as a JSON array without repetitions
};

/// Reads customers from CSV: a header with `name`, `email` and any other of the columns, in any order and
/// case, then one row per customer. A row needs a name and must meet the rules of a customer in JSON. Tags
/// are separated by semicolons. Blanks around a field are removed, and what people pasted with an e-mail
/// address (domain::email_in); a row with several addresses is refused. Rows without a value are left out:
/// spreadsheets write them for rows that were cleared. The work is linear in the size of the file.
class CustomerCsv {
 public:
  struct LineError {
    std::size_t line;
    std::string message;
  };

  /// `file` must outlive the reader.
  explicit CustomerCsv(std::string_view file);

  /// Returns the next valid row; invalid rows become line errors. Returns nullopt at the end of the file,
  /// beyond a limit of rows or of errors, and for an invalid header.
  std::optional<CustomerRow> next();

  /// The error of the file as a whole; complete once `next` has returned nullopt.
  const std::optional<std::string>& problem() const { return problem_; }
  const std::vector<LineError>& line_errors() const { return errors_; }

 private:
  std::optional<CsvRecord> next_record();
  void read_header();
  std::string row_problem(const CsvRecord& record, CustomerRow& row) const;

  CsvReader reader_;
  std::vector<std::size_t> columns_;  // columns of the file, as indices of customer_csv_columns
  std::size_t rows_ = 0;
  std::size_t empty_rows_ = 0;
  std::optional<std::string> problem_;
  std::vector<LineError> errors_;
};

}  // namespace waybill::api
