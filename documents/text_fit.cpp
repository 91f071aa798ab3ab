#include "documents/text_fit.hpp"

namespace waybill::documents {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The end of the character that begins at `at`.
std::size_t next_character(std::string_view text, std::size_t at) {
  do {
    ++at;
  } while (at < text.size() && continues_character(text[at]));
  return at;
}

/// The number of bytes of `text`, in whole characters, that fit into `width`.
std::size_t fitting_prefix(std::string_view text, float width, const TextWidth& width_of) {
  std::size_t fits = 0;
  while (fits < text.size()) {
    const auto next = next_character(text, fits);
    if (width_of(text.substr(0, next)) > width) break;
    fits = next;
  }
  return fits;
}

}  // namespace

std::string printable_text(std::string_view text) {
  std::string printed;
  bool space = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto next = next_character(text, at);
    const auto character = text.substr(at, next - at);
    at = next;
    const auto first = static_cast<unsigned char>(character.front());
    const bool is_c1 =
        first == 0xC2 && character.size() == 2 && static_cast<unsigned char>(character[1]) < 0xA0;
    // Ideographic space, line and paragraph separator: the fonts lack them.
    const bool is_wide_space = character == "\u3000" || character == "\u2028" || character == "\u2029";
    if (first <= ' ' || first == 0x7F || is_c1 || is_wide_space) {
      space = true;
      continue;
    }
    if (space && !printed.empty()) printed += ' ';
    space = false;
    printed += character.size() > 3 ? std::string_view("\uFFFD") : character;
  }
  return printed;
}

std::vector<std::string> wrap_text(std::string_view text, float width, const TextWidth& width_of) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    auto fits = fitting_prefix(text, width, width_of);
    if (fits == 0) fits = next_character(text, 0);
    auto line = text.substr(0, fits);
    const bool ends_in_word = fits < text.size() && text[fits] != ' ';
    const auto space = line.rfind(' ');
    if (ends_in_word && space != std::string_view::npos) line = line.substr(0, space);
    text.remove_prefix(line.size());
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (line.ends_with(' ')) line.remove_suffix(1);
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

std::string cut_text(std::string_view text, float width, const TextWidth& width_of) {
  constexpr std::string_view ellipsis = "\u2026";
  auto kept = text.substr(0, fitting_prefix(text, width - width_of(ellipsis), width_of));
  while (kept.ends_with(' ')) kept.remove_suffix(1);
  return std::string(kept).append(ellipsis);
}

}  // namespace waybill::documents
