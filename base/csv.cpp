#include "base/csv.hpp"

#include <algorithm>

#include "base/blanks.hpp"

namespace waybill {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool ends_plain_field(char c) { return c == ',' || c == '\n' || c == '\r' || c == '"'; }

}  // namespace

CsvReader::CsvReader(std::string_view text, std::size_t max_fields) : text_(text), fields_(max_fields) {
  if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
}

std::optional<CsvRecord> CsvReader::next() {
  while (at_ < text_.size() && take_line_end()) continue;
  if (at_ == text_.size()) return std::nullopt;
  CsvRecord record{.line = line_};
  do {
    std::string& field = field_at(record.field_count++);
    record.problem = read_field(field);
    record.is_empty = record.is_empty && record.problem.empty() && is_blank(field);
  } while (record.problem.empty() && take_comma());
  if (!record.problem.empty()) skip_line();
  take_line_end();
  record.fields = std::span(fields_).first(std::min(record.field_count, fields_.size()));
  return record;
}

std::string& CsvReader::field_at(std::size_t index) {
  return index < fields_.size() ? fields_[index] : beyond_;
}

bool CsvReader::at_line_end() const {
  return at_ == text_.size() || text_[at_] == '\n' || text_.substr(at_).starts_with("\r\n");
}

bool CsvReader::take_comma() {
  if (at_ == text_.size() || text_[at_] != ',') return false;
  ++at_;
  return true;
}

bool CsvReader::take_line_end() {
  if (at_ == text_.size() || !at_line_end()) return false;
  at_ += text_[at_] == '\r' ? 2 : 1;
  ++line_;
  return true;
}

void CsvReader::skip_spaces() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
}

std::string_view CsvReader::read_field(std::string& field) {
  field.clear();
  const auto begin = at_;
  skip_spaces();
  if (at_ < text_.size() && text_[at_] == '"') return read_quoted(field);
  while (at_ < text_.size() && !ends_plain_field(text_[at_])) ++at_;
  field.assign(text_, begin, at_ - begin);
  if (at_line_end() || text_[at_] == ',') return {};
  return text_[at_] == '"' ? "has a quote in an unquoted field" : "has a lone carriage return";
}

/// RFC 4180 section 2, rules 5 to 7: a quoted field may contain commas, line ends and doubled quotes.
std::string_view CsvReader::read_quoted(std::string& field) {
  for (bool open = true; open;) {
    const auto begin = ++at_;
    const auto quote = text_.find('"', begin);
    at_ = std::min(quote, text_.size());
    const auto part = text_.substr(begin, at_ - begin);
    line_ += static_cast<std::size_t>(std::ranges::count(part, '\n'));
    field += part;
    if (quote == std::string_view::npos) return "has an unclosed quote";
    ++at_;
    open = at_ < text_.size() && text_[at_] == '"';
    if (open) field += '"';
  }
  skip_spaces();
  if (at_line_end() || text_[at_] == ',') return {};
  return "has text after a closing quote";
}

void CsvReader::skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

}  // namespace waybill
