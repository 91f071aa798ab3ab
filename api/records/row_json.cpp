#include "api/records/row_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include "base/ascii.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "storage/statement/binary.hpp"
#include "storage/statement/type_oids.hpp"

namespace waybill::api {
namespace {

namespace type_oid = storage::type_oid;

// NaN and Infinity, which JSON does not have, become null.
void append_number(std::string& out, std::string_view text) {
  if (!is_digit(text.back())) {
    out += "null";
    return;
  }
  if (text.find('.') != std::string_view::npos && text.find('e') == std::string_view::npos) {
    text = text.substr(0, text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.remove_suffix(1);
  }
  out += text;
}

void append_time(std::string& out, std::optional<Time> time) {
  if (!time) {
    out += "null";  // infinity
    return;
  }
  const auto at = out.size();
  out.resize(at + timestamp_length + 2, '"');
  write_timestamp(out.data() + at + 1, *time);
}

/// Splits the names in the braces of "items{quantity,price}"; `text` begins after the opening brace.
std::vector<std::string_view> split_choice(std::string_view text) {
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(",}"), text.size());
    names.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

// The functions below read PostgreSQL's own JSON, which is well-formed.

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

void append_compact(std::string& out, std::string_view text) {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = json_string_end(text, at);
    } else if (is_space(text[at])) {
      out += text.substr(kept, at - kept);
      kept = ++at;
    } else {
      ++at;
    }
  }
  out += text.substr(kept);
}

/// Appends an array of objects, each reduced to the members with these names.
void append_chosen(std::string& out, std::string_view text, const std::vector<std::string_view>& names) {
  int depth = 0;
  const auto separate = [&] {
    if (out.back() != '[' && out.back() != '{') out += ',';
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '[' || c == '{') {
      if (c == '{') separate();
      ++depth;
      out += c;
      ++at;
    } else if (c == ']' || c == '}') {
      --depth;
      out += c;
      ++at;
    } else if (c == '"' && depth == 2) {
      const auto end = json_string_end(text, at);
      const auto name = text.substr(at + 1, end - at - 2);
      const auto value = text.find_first_not_of(" :", end);
      const auto after_value = json_value_end(text, value);
      if (std::ranges::find(names, name) != names.end()) {
        separate();
        out += text.substr(at, end - at);
        out += ':';
        append_compact(out, text.substr(value, after_value - value));
      }
      at = after_value;
    } else {
      ++at;
    }
  }
}

template <typename Number>
void append_digits(std::string& out, Number number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void append_guid(std::string& out, const Guid& guid) {
  constexpr std::size_t length = 36;
  const auto at = out.size();
  out.resize(at + length + 2, '"');
  guid.write_to(out.data() + at + 1);
}

void append_text(std::string& out, std::uint32_t type, std::string_view text) {
  switch (type) {
    case type_oid::boolean:
      out += text == "t" ? "true" : "false";
      return;
    case type_oid::int2:
    case type_oid::int4:
    case type_oid::int8:
      out += text;
      return;
    case type_oid::float8:
    case type_oid::numeric:
      return append_number(out, text);
    case type_oid::timestamptz:
      return append_time(out, parse_sql_timestamp(text));
    case type_oid::uuid:
      out += '"';
      out += text;
      out += '"';
      return;
    default:
      return append_json_string(out, text);
  }
}

void append_binary(std::string& out, std::uint32_t type, std::string_view value) {
  switch (type) {
    case type_oid::boolean:
      out += storage::binary_number<std::int8_t>(value) != 0 ? "true" : "false";
      return;
    case type_oid::int2:
      return append_digits(out, storage::binary_number<std::int16_t>(value));
    case type_oid::int4:
      return append_digits(out, storage::binary_number<std::int32_t>(value));
    case type_oid::int8:
      return append_digits(out, storage::binary_number<std::int64_t>(value));
    case type_oid::numeric:
      return append_number(out, storage::binary_numeric(value));
    case type_oid::timestamptz:
      return append_time(out, storage::find_binary_time(value));
    case type_oid::uuid:
      return append_guid(out, storage::binary_guid(value));
    case type_oid::text:
    case type_oid::varchar:
      return append_json_string(out, value);
    default:
      throw std::invalid_argument("cannot read the binary format of type " + std::to_string(type));
  }
}

}  // namespace

RowWriter::RowWriter(const storage::Rows& rows) : rows_(rows) {
  for (int column = 0; column < rows.columns(); ++column) place(members_, rows.name(column), column);
}

void RowWriter::place(std::vector<Member>& members, std::string_view path, int column) {
  const auto dot = path.find('.');
  auto name = path.substr(0, dot);
  const bool is_never_null = name.ends_with('!');
  if (is_never_null) name.remove_suffix(1);
  const auto choice = name.find('{');
  const auto chosen = choice == std::string_view::npos ? std::string_view() : name.substr(choice + 1);
  name = name.substr(0, choice);
  if (members.empty() || members.back().name != name) {
    auto& added = members.emplace_back();
    added.name = name;
    append_json_string(added.key, name);
    added.key += ':';
    added.first = column;
    added.is_never_null = is_never_null;
    added.chosen = split_choice(chosen);
  }
  auto& member = members.back();
  member.last = column + 1;
  if (dot != std::string_view::npos) place(member.members, path.substr(dot + 1), column);
}

void RowWriter::append(std::string& out, int row) const { append_members(out, members_, row); }

void RowWriter::append_members(std::string& out, const std::vector<Member>& members, int row) const {
  char separator = '{';
  for (const auto& member : members) {
    out += separator;
    separator = ',';
    out += member.key;
    if (is_null(member, row)) {
      out += "null";
    } else if (member.members.empty()) {
      append_value(out, row, member);
    } else {
      append_members(out, member.members, row);
    }
  }
  out += '}';
}

bool RowWriter::is_null(const Member& member, int row) const {
  if (member.is_never_null) return false;
  for (int column = member.first; column < member.last; ++column) {
    if (!rows_.is_null(row, column)) return false;
  }
  return true;
}

void RowWriter::append_value(std::string& out, int row, const Member& member) const {
  const auto value = rows_.get(row, member.first);
  const auto type = rows_.type(member.first);
  if (type == type_oid::json || type == type_oid::jsonb) {
    // Binary jsonb is a version byte followed by the text (jsonb_send).
    const auto text = value.substr(rows_.is_binary() && type == type_oid::jsonb ? 1 : 0);
    return member.chosen.empty() ? append_compact(out, text) : append_chosen(out, text, member.chosen);
  }
  rows_.is_binary() ? append_binary(out, type, value) : append_text(out, type, value);
}

std::string json_array(const storage::Rows& rows) {
  const RowWriter writer(rows);
  std::string out = "[";
  for (int row = 0; row < rows.size(); ++row) {
    if (row > 0) out += ',';
    writer.append(out, row);
  }
  out += ']';
  return out;
}

std::string json_object(const storage::Rows& rows, int row) {
  std::string out;
  RowWriter(rows).append(out, row);
  return out;
}

}  // namespace waybill::api
