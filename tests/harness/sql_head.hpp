#pragma once

#include <string_view>

namespace waybill::tests {

/// Returns the comment lines at the beginning of a statement's text. They identify the statement.
inline std::string_view sql_head(std::string_view text) {
  std::size_t end = 0;
  while (text.substr(end).starts_with("--")) {
    const auto line_end = text.find('\n', end);
    if (line_end == std::string_view::npos) return text;
    end = line_end + 1;
  }
  return text.substr(0, end);
}

}  // namespace waybill::tests
