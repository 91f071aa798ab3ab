#include "api/tracking_page/markup.hpp"

namespace waybill::api {
namespace {

/// The reference for a character that has a meaning in HTML; empty for others.
constexpr std::string_view reference(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&#34;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::size_t escaped_size(std::string_view text) {
  std::size_t size = text.size();
  for (const char c : text) {
    if (const auto escaped = reference(c); !escaped.empty()) size += escaped.size() - 1;
  }
  return size;
}

Markup& Markup::text(std::string_view value) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto escaped = reference(value[i]);
    if (escaped.empty()) continue;
    html_.append(value, begin, i - begin).append(escaped);
    begin = i + 1;
  }
  html_.append(value, begin);
  return *this;
}

}  // namespace waybill::api
