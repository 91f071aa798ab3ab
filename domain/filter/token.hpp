#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::domain::odata {

/// What is wrong with an expression and at which byte of it. Never leaves domain/filter: the compile
/// functions turn it into a FilterError.
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
  std::string text;        // as written; of a string its value, of a word its path with `.` for `/`
};

/// The tokens of a `$filter` or `$orderby` (OData 4.01 ABNF, the subset of the contract), the last one of
/// kind `end`. Throws SyntaxError at what is no token, at text beyond 4 KiB, and at invalid UTF-8 and NUL.
std::vector<Token> tokenize(std::string_view text);

/// Throws SyntaxError at the first byte that is NUL or not part of well-formed UTF-8 (Unicode 15, table 3-7).
void require_clean_text(std::string_view text);

/// Whether there is nothing but white space.
bool is_blank(std::string_view text);

/// Whether a trigram index finds `like '%text%'`: only by three letters or digits in a row (pg_trgm). Without
/// them PostgreSQL would read the index of all businesses from end to end. `text` must be valid UTF-8.
bool has_trigram(std::string_view text);

/// Whether `word` is `keyword` (given in lower case) in any case.
bool is_keyword(std::string_view word, std::string_view keyword);

/// "… at character N": the sentence for `details`.
std::string error_sentence(const SyntaxError& error, std::string_view text);

/// At most 40 characters of `text`, for messages.
std::string shortened(std::string_view text);

}  // namespace waybill::domain::odata
