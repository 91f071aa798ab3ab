#include "api/customers/customer_csv.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "api/customers/customer_body.hpp"
#include "api/endpoint/schema.hpp"
#include "api/records/own_data.hpp"
#include "base/ascii.hpp"
#include "base/blanks.hpp"
#include "base/utf8.hpp"
#include "domain/values/email.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t name_column = 0;
constexpr std::size_t email_column = 1;
constexpr std::size_t tags_column = 10;
static_assert(customer_csv_columns[tags_column] == "tags");
constexpr std::size_t reference_column = 9;
static_assert(customer_csv_columns[reference_column] == "externalReference");

std::size_t column_of(std::string_view title) {
  const auto matches = [&](std::string_view name) { return equal_ignoring_case(name, title); };
  return static_cast<std::size_t>(std::ranges::find_if(customer_csv_columns, matches) -
                                  customer_csv_columns.begin());
}

/// Returns the tags of a field, without the empty ones; of too many, those up to the first beyond the limit.
json::array tags_of(std::string_view text) {
  json::array tags;
  for (std::size_t begin = 0; begin <= text.size() && tags.size() <= most_tags;) {
    const auto end = std::min(text.find(';', begin), text.size());
    if (const auto tag = without_outer_blanks(text.substr(begin, end - begin)); !tag.empty())
      tags.emplace_back(tag);
    begin = end + 1;
  }
  return tags;
}

/// The address that people pasted into a field. A text that names none, or several, of which people decide,
/// stays as it is and is refused.
std::string email_of(std::string_view text) {
  const bool is_one = is_utf8(text) && !domain::has_several_emails(text);
  auto email = is_one ? domain::email_in(text) : std::nullopt;
  return email ? std::move(*email) : std::string(text);
}

std::optional<std::string> tags_problem(const json::array& tags) {
  if (tags.size() > most_tags) return "must have at most " + std::to_string(most_tags) + " entries";
  for (const auto& tag : tags) {
    if (auto problem = tag_problem(tag.get_string())) return problem;
  }
  return std::nullopt;
}

std::optional<std::string> value_problem(std::size_t column, std::string_view text) {
  if (text.size() > most_field_bytes)
    return "must have at most " + std::to_string(most_field_bytes) + " bytes";
  if (!is_utf8(text) || text.find('\0') != std::string_view::npos) return "must be UTF-8 without NUL";
  if (column == email_column) {
    const auto problem = text_problem(Kind::email, text);
    return problem ? std::optional(std::string(*problem)) : std::nullopt;
  }
  if (column == tags_column) return tags_problem(tags_of(text));
  if (count_characters(text) <= default_string_length) return std::nullopt;
  return "must have at most " + std::to_string(default_string_length) + " characters";
}

/// Names the forms in which spreadsheets save tables and which are not read; empty for any other header.
std::string form_problem(std::span<const std::string> header) {
  const std::string_view first = header.front();
  if (first.starts_with("\xff\xfe") || first.starts_with("\xfe\xff")) return "is in UTF-16; it must be UTF-8";
  if (header.size() > 1) return {};
  if (first.find(';') != std::string_view::npos) return "is separated by semicolons; it must be by commas";
  if (first.find('\t') != std::string_view::npos) return "is separated by tabs; it must be by commas";
  return {};
}

void append_sentence(std::string& text, std::string_view sentence) {
  if (!text.empty()) text += "; ";
  text += sentence;
}

}  // namespace

CustomerCsv::CustomerCsv(std::string_view file) : reader_(file, customer_csv_columns.size()) {
  read_header();
}

/// Returns the next record with a value.
std::optional<CsvRecord> CustomerCsv::next_record() {
  auto record = reader_.next();
  for (; record && record->is_empty; record = reader_.next()) {
    if (++empty_rows_ <= most_empty_rows) continue;
    problem_ = "has more than " + std::to_string(most_empty_rows) + " rows without a value";
    return std::nullopt;
  }
  return record;
}

void CustomerCsv::read_header() {
  const auto header = next_record();
  if (!header) {
    if (!problem_) problem_ = "is empty";
    return;
  }
  std::string problem = form_problem(header->fields);
  if (problem.empty()) problem = header->problem;
  std::vector<bool> is_present(customer_csv_columns.size());
  for (const std::string_view field : header->fields) {
    const auto title = without_outer_blanks(field);
    const auto column = column_of(title);
    if (!problem.empty()) break;
    if (column == customer_csv_columns.size()) {
      problem = "has an unknown column \"" + to_text(title.substr(0, default_string_length)) + '"';
    } else if (is_present[column]) {
      problem = "has the column " + std::string(title) + " twice";
    } else {
      is_present[column] = true;
      columns_.push_back(column);
    }
  }
  if (problem.empty() && header->field_count > columns_.size()) problem = "has too many columns";
  for (const auto column : {name_column, email_column}) {
    if (problem.empty() && !is_present[column])
      problem = "lacks the column " + std::string(customer_csv_columns.at(column));
  }
  if (!problem.empty()) errors_.push_back({header->line, "the header " + problem});
  if (!problem.empty()) columns_.clear();
}

std::optional<CustomerRow> CustomerCsv::next() {
  while (!columns_.empty() && !problem_ && errors_.size() < most_line_errors) {
    const auto record = next_record();
    if (!record) break;
    if (++rows_ > most_customer_rows) {
      problem_ = "has more than " + std::to_string(most_customer_rows) + " rows";
      return std::nullopt;
    }
    CustomerRow row{.line = record->line, .values = {}};
    auto problem = row_problem(*record, row);
    if (problem.empty()) return row;
    errors_.push_back({record->line, std::move(problem)});
  }
  if (!columns_.empty() && !problem_ && rows_ == 0) problem_ = "has no rows";
  return std::nullopt;
}

std::string CustomerCsv::row_problem(const CsvRecord& record, CustomerRow& row) const {
  if (!record.problem.empty()) return std::string(record.problem);
  if (record.field_count != columns_.size()) {
    return "has " + std::to_string(record.field_count) + " fields, but the header has " +
           std::to_string(columns_.size());
  }
  std::string problems;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto field = without_outer_blanks(record.fields[i]);
    const auto column = columns_[i];
    if (field.empty()) continue;
    std::string& text =
        row.values.at(column).emplace(column == email_column ? email_of(field) : std::string(field));
    if (const auto problem = value_problem(column, text)) {
      append_sentence(problems, std::string(customer_csv_columns.at(column)) + " " + *problem);
    } else if (column == tags_column) {
      if (const auto tags = distinct_tags(tags_of(text)); !tags.empty()) row.tags = to_json(tags);
    } else if (column == reference_column) {
      text = single_spaced(text);
    }
  }
  if (!row.values[name_column]) append_sentence(problems, "name is required");
  return problems;
}

}  // namespace waybill::api
