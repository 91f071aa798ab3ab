#include "base/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <forward_list>
#include <functional>
#include <limits>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>

#include "base/changed_number.hpp"
#include "base/exact_number.hpp"
#include "base/utf8.hpp"

namespace waybill {
namespace {

// The keys of the objects that are still open, to find duplicates: Boost.JSON silently keeps only the last of
// them. A key is a view into the document, or into a copy if the document writes it with escapes.
class OpenKeys {
 public:
  explicit OpenKeys(std::string_view document) : document_(document) { keys_.reserve(32); }

  void append_part(std::string_view part) { pending_ += part; }

  void end_key(std::string_view last_part) {
    const bool is_in_document = std::less_equal<>{}(document_.data(), last_part.data()) &&
                                std::less<>{}(last_part.data(), document_.data() + document_.size());
    if (pending_.empty() && is_in_document) {
      keys_.push_back(last_part);
      return;
    }
    pending_ += last_part;
    keys_.emplace_back(copies_.emplace_front(std::move(pending_)));
    pending_.clear();
  }

  // Removes the last `count` keys, those of one object. Returns a duplicate among them, if any.
  std::optional<std::string_view> end_object(std::size_t count) {
    const auto keys = std::span(keys_).last(count);
    const auto duplicate = count <= 12 ? duplicate_in_few(keys) : duplicate_in_many(keys);
    keys_.resize(keys_.size() - count);
    return duplicate;
  }

 private:
  static std::optional<std::string_view> duplicate_in_few(std::span<const std::string_view> keys) {
    for (std::size_t i = 1; i < keys.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (keys[i] == keys[j]) return keys[i];
      }
    }
    return std::nullopt;
  }

  // Sorts, because comparing all pairs of many keys would take quadratic time.
  static std::optional<std::string_view> duplicate_in_many(std::span<std::string_view> keys) {
    std::ranges::sort(keys);
    const auto found = std::ranges::adjacent_find(keys);
    if (found == keys.end()) return std::nullopt;
    return *found;
  }

  std::string_view document_;
  std::vector<std::string_view> keys_;
  std::string pending_;                    // the parts read so far of a key
  std::forward_list<std::string> copies_;  // at stable addresses
};

/// The first byte of the string that stands for a number kept by its characters. No text of UTF-8 has it.
constexpr char exact_mark = '\xff';

enum class Numbers : std::uint8_t { rounded, exact };

// Builds the value from the events of Boost.JSON's parser and checks the rules that the parser lacks.
class StrictHandler {
 public:
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  StrictHandler(std::string_view document, json::storage_ptr memory, BadValues bad_values, Numbers numbers)
      : stack_({}, buffer_.data(), buffer_.size()),
        keys_(document),
        bad_values_(bad_values),
        numbers_(numbers) {
    stack_.reset(std::move(memory));
  }
  json::value release() { return stack_.release(); }
  std::string take_message() { return std::move(message_); }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return true; }
  bool on_object_end(std::size_t count, json::error_code& error) {
    if (const auto duplicate = keys_.end_object(count)) {
      constexpr std::size_t shown = 100;
      const auto begin = duplicate->substr(0, shown);
      std::string literal;
      append_json_string(literal, begin.substr(0, valid_utf8_prefix(begin)));
      return refuse("duplicate key " + literal, error);
    }
    stack_.push_object(count);
    return true;
  }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_array_end(std::size_t count, json::error_code&) {
    stack_.push_array(count);
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code& error) {
    if (has_nul(part)) return refuse_nul(error);
    keys_.append_part(part);
    stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code& error) {
    if (has_nul(part)) return refuse_nul(error);
    keys_.end_key(part);
    stack_.push_key(part);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code& error) {
    if (bad_values_ == BadValues::refuse && has_nul(part)) return refuse_nul(error);
    stack_.push_chars(part);
    return true;
  }
  bool on_string(json::string_view part, std::size_t, json::error_code& error) {
    if (bad_values_ == BadValues::refuse && has_nul(part)) return refuse_nul(error);
    stack_.push_string(part);
    return true;
  }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t value, json::string_view, json::error_code&) {
    stack_.push_int64(value);
    return true;
  }
  bool on_uint64(std::uint64_t value, json::string_view, json::error_code&) {
    stack_.push_uint64(value);
    return true;
  }
  // Reads the text again, because Boost.JSON 1.81 rounds some numbers wrongly. The text is whole, because the
  // document is parsed in one piece.
  bool on_double(double, json::string_view text, json::error_code& error) {
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (numbers_ == Numbers::exact && (result.ec != std::errc{} || is_rounded_number(value, text))) {
      stack_.push_chars({&exact_mark, 1});
      stack_.push_string(text);
      return true;
    }
    if (result.ec != std::errc{}) {
      if (bad_values_ == BadValues::refuse) return refuse("number out of range", error);
      value = std::numeric_limits<double>::infinity();
    }
    if (bad_values_ == BadValues::keep && is_changed_number(value, text))
      value = std::numeric_limits<double>::infinity();
    stack_.push_double(value);
    return true;
  }
  bool on_bool(bool value, json::error_code&) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(json::error_code&) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  static bool has_nul(json::string_view part) {
    return !part.empty() && std::memchr(part.data(), '\0', part.size()) != nullptr;
  }

  bool refuse_nul(json::error_code& error) { return refuse("NUL character in a string", error); }

  bool refuse(std::string message, json::error_code& error) {
    message_ = std::move(message);
    error = json::error::syntax;
    return false;
  }

  std::array<unsigned char, 4096> buffer_;
  json::value_stack stack_;
  OpenKeys keys_;
  BadValues bad_values_;
  Numbers numbers_;
  std::string message_;
};

std::string describe(const json::error_code& error, std::string_view text, std::size_t position,
                     std::size_t max_depth) {
  if (error == json::error::too_deep) return "nested deeper than " + std::to_string(max_depth);
  if (error == json::error::exponent_overflow) return "number out of range";
  const std::size_t valid = valid_utf8_prefix(text);
  // The parser may stop at any byte of the invalid character.
  if (valid < text.size() && position + 4 > valid) return "invalid UTF-8";
  if (error == json::error::incomplete) return "unexpected end";
  if (error == json::error::illegal_leading_surrogate || error == json::error::illegal_trailing_surrogate) {
    return "escaped half of a surrogate pair";
  }
  return "syntax error";
}

constexpr std::size_t longest_double = 400;  // enough for 5e-324 without an exponent

void append_scalar_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const double magnitude = std::abs(value);
  const bool plain = magnitude == 0 || (magnitude >= 1e-6 && magnitude < 1e21);
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    plain ? std::chars_format::fixed : std::chars_format::scientific);
  out.append(buffer.data(), result.ptr);
}

template <typename Integer>
void append_integer(std::string& out, Integer value) {
  std::array<char, 24> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), result.ptr);
}

// The character after the backslash; 'u' for control characters without their own letter; 0 for characters
// that need no escape.
constexpr std::array<char, 256> escapes = [] {
  std::array<char, 256> table{};
  for (std::size_t i = 0; i < 0x20; ++i) table[i] = 'u';
  table['\b'] = 'b';
  table['\f'] = 'f';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  table['"'] = '"';
  table['\\'] = '\\';
  return table;
}();

// True only if none of eight bytes needs an escape (control character, quotation mark, backslash). May return
// false for bytes that need none: for bytes above 0x7f, and because of a borrow.
bool eight_plain(const char* bytes) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  constexpr std::uint64_t tops = 0x8080808080808080U;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  const auto has_zero = [](std::uint64_t value) { return (value - ones) & ~value & tops; };
  const std::uint64_t control = (word - ones * 0x20) & tops;
  return ((word & tops) | control | has_zero(word ^ (ones * '"')) | has_zero(word ^ (ones * '\\'))) == 0;
}

void append_escape(std::string& out, char escape, unsigned char byte) {
  out += '\\';
  out += escape;
  if (escape != 'u') return;
  constexpr char digits[] = "0123456789abcdef";
  out += "00";
  out += digits[byte >> 4U];
  out += digits[byte & 0x0fU];
}

void append_array(std::string& out, const json::array& array) {
  out += '[';
  bool first = true;
  for (const json::value& element : array) {
    if (!first) out += ',';
    first = false;
    append_json(out, element);
  }
  out += ']';
}

}  // namespace

namespace {

std::variant<json::value, JsonError> parse(std::string_view text, std::size_t max_depth,
                                           json::storage_ptr memory, BadValues bad_values, Numbers numbers) {
  json::parse_options options;
  options.max_depth = max_depth;
  json::basic_parser<StrictHandler> parser(options, text, std::move(memory), bad_values, numbers);
  StrictHandler& handler = parser.handler();
  json::error_code error;
  const std::size_t position = parser.write_some(false, text.data(), text.size(), error);
  if (error) {
    std::string message = handler.take_message();
    if (message.empty()) message = describe(error, text, position, max_depth);
    return JsonError{std::move(message), position};
  }
  if (position < text.size()) return JsonError{"more than one value", position};
  return handler.release();
}

}  // namespace

std::variant<json::value, JsonError> parse_json(std::string_view text, std::size_t max_depth,
                                                json::storage_ptr memory, BadValues bad_values) {
  return parse(text, max_depth, std::move(memory), bad_values, Numbers::rounded);
}

std::variant<json::value, JsonError> parse_exact_json(std::string_view text, std::size_t max_depth,
                                                      json::storage_ptr memory, BadValues bad_values) {
  return parse(text, max_depth, std::move(memory), bad_values, Numbers::exact);
}

std::optional<std::string_view> exact_number(const json::value& value) {
  const auto* const text = value.if_string();
  if (text == nullptr || text->empty() || text->front() != exact_mark) return std::nullopt;
  return std::string_view(*text).substr(1);
}

double nearest_double(std::string_view number) {
  double value = 0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
  if (result.ec == std::errc()) return value;
  const bool is_negative = number.starts_with('-');
  if (is_negative) number.remove_prefix(1);
  const bool is_tiny = number.starts_with("0.") || number.find("e-") != std::string_view::npos ||
                       number.find("E-") != std::string_view::npos;
  const double magnitude = is_tiny ? 0 : std::numeric_limits<double>::infinity();
  return is_negative ? -magnitude : magnitude;
}

bool is_out_of_range(std::string_view number) {
  const double nearest = nearest_double(number);
  return nearest == 0 || !std::isfinite(nearest);
}

std::optional<double> as_double(const json::value& value) {
  if (value.is_number()) return value.to_number<double>();
  const auto exact = exact_number(value);
  return exact ? std::optional(nearest_double(*exact)) : std::nullopt;
}

namespace {

bool is_integer(const json::value& value) { return value.is_int64() || value.is_uint64(); }

bool is_same_number(const json::value& a, const json::value& b) {
  if (is_integer(a) && is_integer(b)) return a == b;
  const auto exact_a = exact_number(a), exact_b = exact_number(b);
  return exact_a && exact_b ? *exact_a == *exact_b : as_double(a) == as_double(b);
}

/// True if `b` has the values of the members of `a`, which are null where it has no such member.
bool has_members_of(const json::object& a, const json::object& b) {
  return std::ranges::all_of(a, [&](const auto& member) {
    const auto* const other = b.if_contains(member.key());
    return other == nullptr ? member.value().is_null() : is_same_value(member.value(), *other);
  });
}

}  // namespace

bool is_same_value(const json::value& a, const json::value& b) {
  if (as_double(a) && as_double(b)) return is_same_number(a, b);
  if (a.is_object() && b.is_object()) {
    const auto& ours = a.get_object();
    const auto& theirs = b.get_object();
    return has_members_of(ours, theirs) && std::ranges::all_of(theirs, [&](const auto& member) {
             return ours.contains(member.key()) || member.value().is_null();
           });
  }
  if (a.is_array() && b.is_array()) return std::ranges::equal(a.get_array(), b.get_array(), is_same_value);
  return a == b;
}

namespace {

/// True if a number that is kept as an integer is exactly `number`.
bool is_exactly(const json::value& integer, double number) {
  constexpr double beyond_int64 = 0x1p63, beyond_uint64 = 0x1p64;
  if (integer.is_uint64())
    return number >= 0 && number < beyond_uint64 && std::trunc(number) == number &&
           static_cast<std::uint64_t>(number) == integer.get_uint64();
  return number >= -beyond_int64 && number < beyond_int64 && std::trunc(number) == number &&
         static_cast<std::int64_t>(number) == integer.get_int64();
}

}  // namespace

bool is_same_json(const json::value& a, const json::value& b) {
  if (is_integer(a) && b.is_double()) return is_exactly(a, b.get_double());
  if (a.is_double() && is_integer(b)) return is_exactly(b, a.get_double());
  if (a.is_object() && b.is_object()) return is_same_json(a.get_object(), b.get_object());
  if (a.is_array() && b.is_array())
    return std::ranges::equal(
        a.get_array(), b.get_array(),
        [](const json::value& one, const json::value& other) { return is_same_json(one, other); });
  return a == b;
}

bool is_same_json(const json::object& a, const json::object& b) {
  return a.size() == b.size() && std::ranges::all_of(a, [&](const auto& member) {
           const auto* const other = b.if_contains(member.key());
           return other != nullptr && is_same_json(member.value(), *other);
         });
}

json::array exact_list(std::string_view text) {
  constexpr std::size_t deepest = 128;
  auto parsed = parse_exact_json(text, deepest);
  auto* const value = std::get_if<json::value>(&parsed);
  return value != nullptr && value->is_array() ? std::move(value->get_array()) : json::array();
}

void append_json(std::string& out, const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      out += "null";
      break;
    case json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      break;
    case json::kind::int64:
      append_integer(out, value.get_int64());
      break;
    case json::kind::uint64:
      append_integer(out, value.get_uint64());
      break;
    case json::kind::double_:
      append_scalar_double(out, value.get_double());
      break;
    case json::kind::string:
      if (const auto number = exact_number(value)) {
        out += *number;
      } else {
        append_json_string(out, value.get_string());
      }
      break;
    case json::kind::array:
      append_array(out, value.get_array());
      break;
    case json::kind::object:
      append_json(out, value.get_object());
      break;
  }
}

void append_json(std::string& out, const json::object& object) {
  out += '{';
  bool first = true;
  for (const auto& member : object) {
    if (!first) out += ',';
    first = false;
    append_json_string(out, member.key());
    out += ':';
    append_json(out, member.value());
  }
  out += '}';
}

std::string to_json(const json::value& value) {
  std::string text;
  append_json(text, value);
  return text;
}

bool is_nested_deeper(const json::object& object, std::size_t depth) {
  return depth == 0 || std::ranges::any_of(object, [&](const auto& member) {
           return is_nested_deeper(member.value(), depth - 1);
         });
}

bool is_nested_deeper(const json::value& value, std::size_t depth) {
  if (const auto* const object = value.if_object()) return is_nested_deeper(*object, depth);
  const auto* const list = value.if_array();
  return list != nullptr && (depth == 0 || std::ranges::any_of(*list, [&](const json::value& element) {
                               return is_nested_deeper(element, depth - 1);
                             }));
}

const json::value* find_member(const json::value& value, std::string_view name) {
  if (const auto* const object = value.if_object()) return object->if_contains(name);
  const auto* const list = value.if_array();
  if (list == nullptr || (name.starts_with('0') && name.size() > 1)) return nullptr;
  std::size_t position = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), position);
  const bool is_position = error == std::errc() && end == name.data() + name.size();
  return is_position && position < list->size() ? &(*list)[position] : nullptr;
}

const json::value* find_path(const json::object& object, std::string_view path) {
  std::size_t dot = path.find('.');
  const json::value* found = object.if_contains(path.substr(0, dot));
  while (found != nullptr && dot != std::string_view::npos) {
    path.remove_prefix(dot + 1);
    dot = path.find('.');
    found = find_member(*found, path.substr(0, dot));
  }
  return found;
}

void put_path(json::object& object, std::string_view path, json::value value) {
  json::object* at = &object;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    json::value& next = (*at)[path.substr(0, dot)];
    if (!next.is_object()) next.emplace_object();
    at = &next.get_object();
    path.remove_prefix(dot + 1);
  }
  at->insert_or_assign(path, std::move(value));
}

std::optional<std::string> decimal_text(const json::value& value) {
  std::string text;
  if (const auto* integer = value.if_int64()) {
    append_integer(text, *integer);
  } else if (const auto* unsigned_integer = value.if_uint64()) {
    append_integer(text, *unsigned_integer);
  } else if (const auto* number = value.if_double(); number != nullptr && std::isfinite(*number)) {
    text.resize(longest_double);
    const auto result =
        std::to_chars(text.data(), text.data() + text.size(), *number, std::chars_format::fixed);
    text.resize(static_cast<std::size_t>(result.ptr - text.data()));
  } else {
    return std::nullopt;
  }
  return text;
}

std::size_t decimal_places(std::string_view decimal) {
  const std::size_t point = decimal.find('.');
  return point == std::string_view::npos ? 0 : decimal.size() - point - 1;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text.size() - i >= 8 && eight_plain(text.data() + i)) {
      i += 8;
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[i]);
    const char escape = escapes[byte];
    if (escape != 0) {
      out.append(text, copied, i - copied);
      copied = i + 1;
      append_escape(out, escape, byte);
    }
    ++i;
  }
  out.append(text, copied);
  out += '"';
}

}  // namespace waybill
