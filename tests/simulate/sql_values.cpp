#include "tests/simulate/sql_values.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <libpq-fe.h>

#include "base/number.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::simulate {
namespace {

std::string_view take(std::string_view& bytes, std::size_t size) {
  if (bytes.size() < size) throw std::logic_error("a value is cut off");
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

template <typename Number>
Number take_number(std::string_view& bytes) {
  return storage::binary_number<Number>(take(bytes, sizeof(Number)));
}

/// Calls `read` with each element of an array in binary form; nullopt for null.
template <typename Read>
void for_elements(std::string_view bytes, Read read) {
  const auto dimensions = take_number<std::int32_t>(bytes);
  take(bytes, 2 * sizeof(std::int32_t));  // flags, type
  if (dimensions == 0) return;
  const auto count = take_number<std::int32_t>(bytes);
  take(bytes, sizeof(std::int32_t));  // lower bound
  for (std::int32_t i = 0; i < count; ++i) {
    const auto size = take_number<std::int32_t>(bytes);
    read(size < 0 ? std::nullopt : std::optional(take(bytes, static_cast<std::size_t>(size))));
  }
}

/// The elements of an array in binary form, each read by `read`. None is null.
template <typename Read>
auto binary_elements(std::string_view bytes, Read read) {
  std::vector<std::invoke_result_t<Read, std::string_view>> elements;
  for_elements(bytes, [&](const auto& element) { elements.push_back(read(element.value())); });
  return elements;
}

/// Takes a quoted element of an array literal from its opening quotation mark at `at` to the closing one.
std::string take_quoted(std::string_view text, std::size_t& at) {
  std::string element;
  for (std::size_t begin = ++at;; begin = at++) {
    while (text.at(at) != '"' && text[at] != '\\') ++at;
    element.append(text, begin, at - begin);
    if (text[at++] == '"') return element;
  }
}

/// The elements of an array literal.
std::vector<std::optional<std::string>> literal_elements(std::string_view text) {
  std::vector<std::optional<std::string>> elements;
  std::size_t at = 1;
  while (text.at(at) != '}') {
    std::string element;
    const bool quoted = text[at] == '"';
    if (quoted) {
      element = take_quoted(text, at);
    } else {
      while (text.at(at) != ',' && text[at] != '}') element += text[at++];
    }
    if (!quoted && element == "NULL")
      elements.emplace_back();
    else
      elements.emplace_back(std::move(element));
    if (text.at(at) == ',') ++at;
  }
  return elements;
}

std::int64_t read_number(std::string_view bytes, bool binary) {
  if (!binary) return parse_number<std::int64_t>(bytes).value();
  switch (bytes.size()) {
    case 2:
      return storage::binary_number<std::int16_t>(bytes);
    case 4:
      return storage::binary_number<std::int32_t>(bytes);
    default:
      return storage::binary_number<std::int64_t>(bytes);
  }
}

PGresult* as_result(void* result) { return static_cast<PGresult*>(result); }

}  // namespace

bool Arguments::is_binary(std::size_t number) const {
  return params_.formats() != nullptr && params_.formats()[number - 1] == 1;
}

std::string_view Arguments::text(std::size_t number) const {
  const char* const value = params_.value(number - 1);
  if (value == nullptr) throw std::logic_error("a parameter is null");
  if (is_binary(number)) return {value, static_cast<std::size_t>(params_.lengths()[number - 1])};
  return value;
}

std::int64_t Arguments::number(std::size_t number) const {
  return read_number(text(number), is_binary(number));
}

Guid Arguments::guid(std::size_t number) const { return Guid::parse(text(number)).value(); }

Duration Arguments::interval(std::size_t number) const { return parse_duration(text(number)).value(); }

std::vector<Guid> Arguments::guids(std::size_t number) const {
  if (is_binary(number)) return binary_elements(text(number), storage::binary_guid);
  std::vector<Guid> guids;
  for (const auto& element : texts(number)) guids.push_back(Guid::parse(*element).value());
  return guids;
}

std::vector<std::int64_t> Arguments::numbers(std::size_t number) const {
  if (is_binary(number))
    return binary_elements(text(number), [](std::string_view bytes) { return read_number(bytes, true); });
  std::vector<std::int64_t> numbers;
  for (const auto& element : texts(number)) numbers.push_back(read_number(*element, false));
  return numbers;
}

std::vector<Time> Arguments::times(std::size_t number) const {
  if (is_binary(number)) return binary_elements(text(number), storage::binary_time);
  std::vector<Time> times;
  for (const auto& element : texts(number)) times.push_back(parse_sql_timestamp(*element).value());
  return times;
}

std::vector<std::optional<std::string>> Arguments::texts(std::size_t number) const {
  if (!is_binary(number)) return literal_elements(text(number));
  std::vector<std::optional<std::string>> texts;
  for_elements(text(number), [&](const auto& element) { texts.emplace_back(element); });
  return texts;
}

std::vector<std::string> Arguments::strings(std::size_t number) const {
  std::vector<std::string> strings;
  for (auto& element : texts(number)) strings.push_back(std::move(element).value());
  return strings;
}

Result::Result(const storage::Statement& statement, storage::Format format, std::size_t more)
    : statement_(statement),
      binary_(format == storage::Format::binary),
      result_(PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK)) {
  std::vector<PGresAttDesc> columns(statement.columns.size() + more);
  for (PGresAttDesc& column : columns)
    column = {.name = nullptr,  // a copy for each column would cost more than its values
              .tableid = 0,
              .columnid = 0,
              .format = binary_ ? 1 : 0,
              .typid = 0,
              .typlen = -1,
              .atttypmod = -1};
  PQsetResultAttrs(as_result(result_), static_cast<int>(columns.size()), columns.data());
}

Result::~Result() {
  if (result_ != nullptr) PQclear(as_result(result_));
}

Result& Result::row() {
  check_row();
  ++row_;
  column_ = 0;
  return *this;
}

/// Ends the program if the last row lacks columns of the statement's head: the worker would take that for a
/// failure of the database, and the simulation would continue without what the statement does.
void Result::check_row() const {
  if (row_ < 0 || static_cast<std::size_t>(column_) >= statement_.columns.size()) return;
  std::fprintf(stderr, "the model answers %s with %d columns\n", std::string(statement_.name).c_str(),
               column_);
  std::abort();
}

/// The type of the next column.
std::string_view Result::type() const {
  const auto column = static_cast<std::size_t>(column_);
  return column < statement_.columns.size() ? statement_.columns[column].type : "";
}

Result& Result::bytes(std::string_view value) {
  // libpq copies the value.
  PQsetvalue(as_result(result_), row_, column_++, const_cast<char*>(value.data()),
             static_cast<int>(value.size()));
  return *this;
}

Result& Result::null() {
  PQsetvalue(as_result(result_), row_, column_++, nullptr, -1);
  return *this;
}

Result& Result::number(std::int64_t value) {
  if (!binary_) return bytes(std::to_string(value));
  std::string out;
  if (type() == "smallint")
    storage::append_binary(out, static_cast<std::int16_t>(value));
  else if (type() == "int" || type() == "integer" || type() == "xid")
    storage::append_binary(out, static_cast<std::int32_t>(value));
  else
    storage::append_binary(out, value);
  return bytes(out);
}

Result& Result::boolean(bool value) {
  if (!binary_) return bytes(value ? "t" : "f");
  return bytes(std::string_view(value ? "\1" : "\0", 1));
}

Result& Result::guid(const Guid& value) {
  if (!binary_) return bytes(value.to_string());
  return bytes({reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()});
}

Result& Result::time(Time value) {
  if (!binary_) return bytes(format_sql_timestamp(value));
  std::string out;
  storage::append_binary(out, static_cast<std::int64_t>((value - storage::binary_epoch).count()));
  return bytes(out);
}

storage::Rows Result::take() {
  check_row();
  void* const result = result_;
  result_ = nullptr;
  return storage::Rows(result);
}

std::vector<CopiedRow> read_copy(std::string_view rows) {
  constexpr std::size_t header_size = 19;
  take(rows, header_size);
  std::vector<CopiedRow> copied;
  for (auto count = take_number<std::int16_t>(rows); count >= 0; count = take_number<std::int16_t>(rows)) {
    CopiedRow& row = copied.emplace_back();
    for (std::int16_t i = 0; i < count; ++i) {
      const auto size = take_number<std::int32_t>(rows);
      row.push_back(size < 0 ? std::nullopt : std::optional(take(rows, static_cast<std::size_t>(size))));
    }
  }
  return copied;
}

std::vector<std::string> copied_columns(std::string_view target) {
  std::vector<std::string> columns;
  std::string name;
  for (const char c : target.substr(target.find('(') + 1)) {
    if (c == ' ') continue;
    if (c != ',' && c != ')') {
      name += c;
      continue;
    }
    columns.push_back(std::move(name));
    name.clear();
  }
  return columns;
}

}  // namespace waybill::simulate
