#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::domain::odata {

/// An error in an expression and its byte offset. Never leaves domain/filter: the compile functions turn it
/// into a FilterError.
class SyntaxError : public std::runtime_error {
 public:
  SyntaxError(const std::string& message, std::size_t offset)
      : std::runtime_error(message), offset_(offset) {}
  std::size_t offset() const { return offset_; }

 private:
  std::size_t offset_;
};

enum class TokenKind { end, open, close, comma, word, string, number, timestamp, uuid };

struct Token {
  TokenKind kind{};
  std::size_t offset = 0;  // byte of the expression, from 0
  std::string text;        // as written; the value of a string; a word has `.` for `/`; a path into metadata
                           // ends with the key, which may have other characters than a word
};

/// The tokens of a `$filter` or `$orderby` (OData 4.01 ABNF, the subset of the contract), the last one of
/// kind `end`. Throws SyntaxError for an unknown token, text beyond 4 KiB, invalid UTF-8 and NUL.
std::vector<Token> tokenize(std::string_view text);

/// Throws SyntaxError at the first byte that is NUL or not part of well-formed UTF-8 (Unicode 15, table 3-7).
void require_clean_text(std::string_view text);

/// True for empty text and white space.
bool is_blank(std::string_view text);

/// True if a trigram index can find `like '%text%'`: pg_trgm needs three consecutive letters or digits.
/// Without them PostgreSQL would read the whole index of all businesses. `text` must be valid UTF-8.
bool has_trigram(std::string_view text);

/// True if `word` is `keyword`, without regard to case.
bool is_keyword(std::string_view word, std::string_view keyword);

/// The sentence for `details`: "… at character N".
std::string error_sentence(const SyntaxError& error, std::string_view text);

/// At most 40 characters of `text`, for messages.
std::string shortened(std::string_view text);

}  // namespace waybill::domain::odata
