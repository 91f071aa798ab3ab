#include "connectors/karrio/exact_json.hpp"

#include <algorithm>
#include <cstdint>

#include <boost/json/basic_parser_impl.hpp>

#include "base/ascii.hpp"
#include "base/number.hpp"

namespace waybill::connectors::karrio {
namespace {

constexpr std::size_t most_values = 200'000;
constexpr std::size_t greatest_depth = 32;

// Builds the value from the events of Boost.JSON's parser. The text of a number is whole, because the
// document is parsed in one piece.
class Handler {
 public:
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  Handler() { stack_.reset(); }
  json::value release() { return stack_.release(); }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return true; }
  bool on_object_end(std::size_t count, json::error_code& error) {
    stack_.push_object(count);
    return counted(error);
  }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_array_end(std::size_t count, json::error_code& error) {
    stack_.push_array(count);
    return counted(error);
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_key(part);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(json::string_view part, std::size_t, json::error_code& error) {
    stack_.push_string(part);
    return counted(error);
  }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view text, json::error_code& error) {
    return on_string(text, text.size(), error);
  }
  bool on_uint64(std::uint64_t, json::string_view text, json::error_code& error) {
    return on_string(text, text.size(), error);
  }
  bool on_double(double, json::string_view text, json::error_code& error) {
    return on_string(text, text.size(), error);
  }
  bool on_bool(bool value, json::error_code& error) {
    stack_.push_bool(value);
    return counted(error);
  }
  bool on_null(json::error_code& error) {
    stack_.push_null();
    return counted(error);
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  bool counted(json::error_code& error) {
    if (++values_ <= most_values) return true;
    error = json::error::array_too_large;
    return false;
  }

  json::value_stack stack_;
  std::size_t values_ = 0;
};

}  // namespace

std::optional<json::value> exact_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = greatest_depth;
  options.allow_invalid_utf8 = true;  // the functions of store_text.hpp repair the texts
  json::basic_parser<Handler> parser(options);
  json::error_code error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (error || read < text.size()) return std::nullopt;
  return parser.handler().release();
}

std::string plain_decimal(std::string_view text) {
  constexpr std::size_t most_digits = 30;
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const auto mark = std::min(text.find_first_of("eE"), text.size());
  std::string_view exponent_text = text.substr(std::min(mark + 1, text.size()));
  if (exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
  const auto exponent = mark == text.size() ? 0 : parse_number<int>(exponent_text);
  const auto mantissa = text.substr(0, mark);
  const auto point = std::min(mantissa.find('.'), mantissa.size());
  const std::string_view fraction = mantissa.substr(std::min(point + 1, mantissa.size()));
  if (!exponent || !all_digits(mantissa.substr(0, point)) ||
      (point < mantissa.size() && !all_digits(fraction)) || mantissa.size() > most_digits ||
      *exponent > static_cast<int>(most_digits) || *exponent < -static_cast<int>(most_digits))
    return {};
  std::string digits = std::string(mantissa.substr(0, point)) + std::string(fraction);
  auto whole = static_cast<int>(point) + *exponent;  // the number of digits before the point
  if (whole < 1) {
    digits.insert(0, static_cast<std::size_t>(1 - whole), '0');
    whole = 1;
  }
  if (digits.size() < static_cast<std::size_t>(whole)) digits.resize(static_cast<std::size_t>(whole), '0');
  auto begin = digits.substr(0, static_cast<std::size_t>(whole));
  const auto end = digits.substr(static_cast<std::size_t>(whole));
  begin.erase(0, std::min(begin.find_first_not_of('0'), begin.size() - 1));
  if (begin.size() + end.size() > most_digits) return {};
  const bool is_zero = (begin + end).find_first_not_of('0') == std::string::npos;
  return (is_negative && !is_zero ? "-" : "") + begin + (end.empty() ? "" : "." + end);
}

}  // namespace waybill::connectors::karrio
