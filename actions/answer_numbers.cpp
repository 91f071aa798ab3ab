#include "actions/answer_numbers.hpp"

#include <algorithm>
#include <cstdint>

#include <boost/json/basic_parser_impl.hpp>

#include "base/changed_number.hpp"

namespace waybill::actions {
namespace {

// Builds the value from the events of Boost.JSON's parser. Texts are whole, because the document is parsed in
// one piece.
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
  bool on_object_end(std::size_t count, json::error_code&) {
    stack_.push_object(count);
    return true;
  }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_array_end(std::size_t count, json::error_code&) {
    stack_.push_array(count);
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_key(part);
    return true;
  }
  bool on_string_part(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_string(json::string_view, std::size_t, json::error_code&) { return on_nothing(); }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, json::error_code&) { return on_nothing(); }
  bool on_uint64(std::uint64_t, json::string_view, json::error_code&) { return on_nothing(); }
  bool on_double(double, json::string_view text, json::error_code&) {
    stack_.push_string(text);
    return true;
  }
  bool on_bool(bool, json::error_code&) { return on_nothing(); }
  bool on_null(json::error_code&) { return on_nothing(); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  bool on_nothing() {
    stack_.push_null();
    return true;
  }

  json::value_stack stack_;
};

std::string changed_in(const json::value& value, const json::value& text) {
  if (const auto* const number = value.if_double()) {
    const auto* const characters = text.if_string();
    return characters != nullptr && is_changed_number(*number, *characters) ? std::string(*characters) : "";
  }
  std::string changed;
  if (const auto* const object = value.if_object()) {
    for (const auto& member : *object) {
      const auto* const found = find_member(text, member.key());
      if (changed.empty() && found != nullptr) changed = changed_in(member.value(), *found);
    }
  } else if (const auto* const list = value.if_array(); list != nullptr && text.is_array()) {
    for (std::size_t i = 0; i < std::min(list->size(), text.get_array().size()) && changed.empty(); ++i)
      changed = changed_in((*list)[i], text.get_array()[i]);
  }
  return changed;
}

}  // namespace

AnswerNumbers::AnswerNumbers(std::string_view body) {
  json::basic_parser<Handler> parser{json::parse_options()};
  json::error_code error;
  parser.write_some(false, body.data(), body.size(), error);
  if (!error) texts_ = parser.handler().release();
}

std::string AnswerNumbers::changed(const json::value& value, std::string_view path) const {
  const auto* text = &texts_;
  while (text != nullptr && !path.empty()) {
    const auto dot = std::min(path.find('.'), path.size());
    text = find_member(*text, path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return text == nullptr ? "" : changed_in(value, *text);
}

}  // namespace waybill::actions
