#pragma once

#include <string>
#include <string_view>

namespace waybill {

/// Returns the texts of a range as one, with `separator` between them.
std::string joined_texts(const auto& texts, std::string_view separator = ", ") {
  std::string all;
  bool is_first = true;
  for (const auto& text : texts) {
    if (!is_first) all += separator;
    is_first = false;
    all += text;
  }
  return all;
}

}  // namespace waybill
