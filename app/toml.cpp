#include "app/toml.hpp"

#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

namespace waybill::app {
namespace {

class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)) {}

  std::map<std::string, std::vector<std::string>, std::less<>> document() {
    std::map<std::string, std::vector<std::string>, std::less<>> result;
    for (skip_blank_lines(); !at_end(); skip_blank_lines()) {
      if (peek() == '[') fail("tables are not used here: write every key at the top level");
      std::string name = key();
      skip_spaces();
      if (!take('=')) fail("expected '=' after the key");
      skip_spaces();
      std::vector<std::string> values = peek() == '[' ? array() : std::vector{scalar()};
      skip_spaces();
      skip_comment();
      if (!at_end() && peek() != '\n') fail("unexpected text after the value");
      if (!result.emplace(name, std::move(values)).second) fail("the key \"" + name + "\" is given twice");
    }
    return result;
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool take(char wanted) {
    if (at_end() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void fail(const std::string& message) const {
    std::size_t line = 1;
    for (std::size_t i = 0; i < at_ && i < text_.size(); ++i) line += text_[i] == '\n' ? 1 : 0;
    throw TomlError("line " + std::to_string(line) + ": " + message);
  }

  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t' ||
           (peek() == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n')) {
      ++at_;
    }
  }
  void skip_comment() {
    if (peek() != '#') return;
    while (!at_end() && peek() != '\n') ++at_;
  }
  void skip_blank_lines() {
    do {
      skip_spaces();
      skip_comment();
    } while (take('\n'));
  }

  std::string key() {
    std::string name;
    while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '-' || peek() == '_') {
      name += text_[at_++];
    }
    if (name.empty()) fail("expected a key");
    return name;
  }

  std::string scalar() {
    if (take('"')) return basic_string();
    if (take('\'')) return literal_string();
    std::string word;
    while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '-' || peek() == '+' ||
           peek() == '_') {
      word += text_[at_++];
    }
    if (word == "true" || word == "false") return word;
    return integer(word);
  }

  std::string integer(std::string_view word) const {
    const bool negative = word.starts_with('-');
    if (negative || word.starts_with('+')) word.remove_prefix(1);
    std::string digits = negative ? "-" : "";
    for (const char c : word) {
      if (c == '_') continue;
      if (std::isdigit(static_cast<unsigned char>(c)) == 0) word = {};
      if (word.empty()) break;
      digits += c;
    }
    if (word.empty() || peek() == '.') {
      fail("a value is a quoted string, an integer, true, false, or an array of these");
    }
    return digits;
  }

  std::string basic_string() {
    std::string value;
    while (!take('"')) {
      if (at_end() || peek() == '\n') fail("the string is not closed");
      if (!take('\\')) {
        value += text_[at_++];
        continue;
      }
      static constexpr std::string_view names = "\"\\bfnrt";
      static constexpr std::string_view meanings = "\"\\\b\f\n\r\t";
      const std::size_t which = names.find(peek());
      if (at_end() || which == std::string_view::npos) fail("unknown escape in the string");
      value += meanings[which];
      ++at_;
    }
    return value;
  }

  std::string literal_string() {
    std::string value;
    while (!take('\'')) {
      if (at_end() || peek() == '\n') fail("the string is not closed");
      value += text_[at_++];
    }
    return value;
  }

  std::vector<std::string> array() {
    std::vector<std::string> values;
    take('[');
    for (skip_blank_lines(); !take(']'); skip_blank_lines()) {
      if (at_end()) fail("the array is not closed");
      values.push_back(scalar());
      skip_blank_lines();
      if (!take(',') && peek() != ']') fail("expected ',' or ']' in the array");
    }
    return values;
  }

  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

std::map<std::string, std::vector<std::string>, std::less<>> read_toml(std::istream& input) {
  return Reader(std::string(std::istreambuf_iterator<char>(input), {})).document();
}

}  // namespace waybill::app
