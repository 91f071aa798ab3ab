#include "domain/filter/token.hpp"

#include <algorithm>
#include <cctype>
#include <clocale>
#include <cwctype>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::domain::odata {
namespace {

constexpr std::size_t max_bytes = 4096;
constexpr std::size_t max_shown = 40;

bool begins_word(char c) { return is_letter(c) || c == '_'; }
bool is_hex(char c) { return hex_value(c) >= 0; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_word(char c) { return begins_word(c) || is_digit(c) || c == '/' || c == '.'; }
bool is_metadata_key(char c) { return begins_word(c) || is_digit(c) || c == '.' || c == '-'; }

// Reads the character at `at` and moves `at` past it.
char32_t character_at(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  const int following = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  char32_t character = lead & (0x3f >> following);
  for (int i = 0; i < following; ++i)
    character = character << 6 | (static_cast<unsigned char>(text[at++]) & 0x3f);
  return character;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The first `count` characters of well-formed `text`.
std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count) {
    do ++end;
    while (end < text.size() && continues_character(text[end]));
  }
  return text.substr(0, end);
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  Token next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ == text_.size()) return {TokenKind::end, at_, {}};
    const char c = text_[at_];
    if (c == '(') return take(TokenKind::open, 1);
    if (c == ')') return take(TokenKind::close, 1);
    if (c == ',') return take(TokenKind::comma, 1);
    if (c == '\'') return string();
    if (starts_uuid()) return take(TokenKind::uuid, uuid_length);
    if (starts_timestamp()) return take(TokenKind::timestamp, run(is_timestamp_part));
    if (is_digit(c) || ((c == '-' || c == '+') && is_digit(peek(1)))) return number();
    if (begins_word(c)) return word();
    throw SyntaxError("unexpected " + std::string(first_characters(text_.substr(at_), 1)), at_);
  }

 private:
  static constexpr std::size_t uuid_length = 36;

  static bool is_timestamp_part(char c) {
    return is_digit(c) || begins_word(c) || (c >= '+' && c != ',' && c <= ':');
  }

  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  std::size_t run(bool (*belongs)(char), std::size_t from = 0) const {
    std::size_t length = from;
    while (belongs(peek(length))) ++length;
    return length;
  }

  Token take(TokenKind kind, std::size_t length) {
    Token token{kind, at_, std::string(text_.substr(at_, length))};
    at_ += length;
    return token;
  }

  bool starts_uuid() const {
    for (std::size_t i = 0; i < uuid_length; ++i) {
      const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
      if (dash ? peek(i) != '-' : !is_hex(peek(i))) return false;
    }
    return !is_word(peek(uuid_length)) && peek(uuid_length) != '-';
  }

  bool starts_timestamp() const { return run(is_digit) == 4 && peek(4) == '-'; }

  Token string() {
    Token token{TokenKind::string, at_, {}};
    for (++at_;; ++at_) {
      if (at_ == text_.size()) throw SyntaxError("the string is not closed", token.offset);
      if (text_[at_] == '\'' && peek(1) != '\'') break;
      if (text_[at_] == '\'') ++at_;
      token.text += text_[at_];
    }
    ++at_;
    return token;
  }

  Token number() {
    std::size_t length = run(is_digit, 1);
    if (peek(length) == '.' && is_digit(peek(length + 1))) length = run(is_digit, length + 1);
    if (ascii_lower(peek(length)) == 'e') {
      const std::size_t sign = peek(length + 1) == '-' || peek(length + 1) == '+' ? 1 : 0;
      if (is_digit(peek(length + 1 + sign))) length = run(is_digit, length + 1 + sign);
    }
    if (is_word(peek(length)))
      throw SyntaxError(shortened(text_.substr(at_, run(is_word, length))) + " is not a number", at_);
    return take(TokenKind::number, length);
  }

  Token word() {
    const auto prefix = metadata_path.size() + 1;
    const bool has_key = text_.substr(at_).starts_with(metadata_path) &&
                         (peek(metadata_path.size()) == '/' || peek(metadata_path.size()) == '.');
    Token token = take(TokenKind::word, has_key ? run(is_metadata_key, prefix) : run(is_word));
    std::ranges::replace(token.text, '/', '.');
    return token;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

void require_clean_text(std::string_view text) {
  const auto valid = valid_utf8_prefix(text);
  if (const auto nul = text.find('\0'); nul < valid) throw SyntaxError("a NUL character is not allowed", nul);
  if (valid < text.size()) throw SyntaxError("invalid UTF-8", valid);
}

std::vector<Token> tokenize(std::string_view text) {
  if (text.size() > max_bytes) throw SyntaxError("longer than 4096 bytes", max_bytes);
  require_clean_text(text);
  std::vector<Token> tokens;
  Tokenizer tokenizer(text);
  do tokens.push_back(tokenizer.next());
  while (tokens.back().kind != TokenKind::end);
  return tokens;
}

bool is_blank(std::string_view text) { return std::ranges::all_of(text, is_space); }

bool has_trigram(std::string_view text) {
  // The character classes of PostgreSQL in a UTF-8 database, whatever the locale of this process.
  static const locale_t classes = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  constexpr int wanted = 3;
  int run = 0;
  for (std::size_t at = 0; at < text.size() && run < wanted;) {
    const char32_t character = character_at(text, at);
    const bool counts =
        character < 0x80 ? std::isalnum(static_cast<int>(character)) != 0
                         : classes != nullptr && ::iswalnum_l(static_cast<wint_t>(character), classes) != 0;
    run = counts ? run + 1 : 0;
  }
  return run == wanted;
}

bool is_keyword(std::string_view word, std::string_view keyword) {
  return equal_ignoring_case(word, keyword);
}

std::string error_sentence(const SyntaxError& error, std::string_view text) {
  return std::string(error.what()) + " at character " +
         std::to_string(count_characters(text.substr(0, error.offset())) + 1);
}

std::string shortened(std::string_view text) {
  const auto shown = first_characters(text, max_shown);
  return std::string(shown) + (shown.size() < text.size() ? "…" : "");
}

}  // namespace waybill::domain::odata
