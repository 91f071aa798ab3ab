#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"

namespace waybill::actions {

/// Reads the numbers of an answer by their characters, because a double has only 17 digits.
class AnswerNumbers {
 public:
  /// `body` is JSON that parse_json reads.
  explicit AnswerNumbers(std::string_view body);

  /// The characters of the first number in `value` that is not exact; empty if all are. `value` is what
  /// parse_json reads at `path`.
  std::string changed(const json::value& value, std::string_view path) const;

 private:
  json::value texts_;  // the body, with strings in place of the numbers that are not integers of 64 bits
};

}  // namespace waybill::actions
