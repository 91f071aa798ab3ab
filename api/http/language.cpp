#include "api/http/language.hpp"

#include <algorithm>
#include <optional>

#include "base/ascii.hpp"

namespace waybill::api {
namespace {

/// A qvalue in thousandths: "0" to "1" with at most three decimals. nullopt if malformed.
std::optional<int> parse_quality(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int thousandths = (text[0] - '0') * 1000;
  if (text.size() == 1) return thousandths;
  if (text[1] != '.') return std::nullopt;
  int unit = 100;
  for (const char digit : text.substr(2)) {
    if (!is_digit(digit)) return std::nullopt;
    thousandths += (digit - '0') * unit;
    unit /= 10;
  }
  if (thousandths > 1000) return std::nullopt;
  return thousandths;
}

/// True for a language range of RFC 4647 section 2.1: subtags of one to eight characters, or "*".
bool is_range(std::string_view text) {
  if (text == "*") return true;
  std::size_t length = 0;
  bool is_first = true;
  for (const char c : text) {
    if (c == '-') {
      if (length == 0) return false;
      length = 0;
      is_first = false;
    } else if (is_letter(c) || (!is_first && is_digit(c))) {
      if (++length > 8) return false;
    } else {
      return false;
    }
  }
  return length > 0;
}

struct Range {
  std::string_view text;
  int quality;  // thousandths
};

/// Reads an element of the list: a range, and optionally its weight.
std::optional<Range> parse_range(std::string_view element) {
  const auto semicolon = element.find(';');
  const auto text = trimmed(element.substr(0, semicolon), " \t");
  if (!is_range(text)) return std::nullopt;
  if (semicolon == std::string_view::npos) return Range{text, 1000};
  const auto weight = trimmed(element.substr(semicolon + 1), " \t");
  if (weight.size() < 3 || ascii_lower(weight[0]) != 'q' || weight[1] != '=') return std::nullopt;
  const auto quality = parse_quality(weight.substr(2));
  if (!quality) return std::nullopt;
  return Range{text, *quality};
}

std::optional<Language> language_of(std::string_view range) {
  const auto primary = range.substr(0, range.find('-'));
  const auto found = std::ranges::find_if(
      language_tags, [&](std::string_view tag) { return equal_ignoring_case(tag, primary); });
  if (found == language_tags.end()) return std::nullopt;
  return static_cast<Language>(found - language_tags.begin());
}

}  // namespace

Locale preferred_locale(std::string_view accept_language) {
  Locale best;
  int best_quality = 0;
  int any_quality = 0;
  std::array<bool, language_tags.size()> is_named{};
  while (!accept_language.empty()) {
    const auto comma = std::min(accept_language.find(','), accept_language.size());
    const auto range = parse_range(accept_language.substr(0, comma));
    accept_language.remove_prefix(std::min(comma + 1, accept_language.size()));
    if (!range) continue;
    if (range->text == "*") {
      any_quality = range->quality;
      continue;
    }
    const auto language = language_of(range->text);
    if (!language) continue;
    is_named[static_cast<std::size_t>(*language)] = true;
    if (range->quality <= best_quality) continue;
    best_quality = range->quality;
    best = {.language = *language, .american = equal_ignoring_case(range->text, "en-us")};
  }
  if (any_quality <= best_quality) return best;
  const auto other = std::ranges::find(is_named, false);
  return other == is_named.end() ? best : Locale{.language = static_cast<Language>(other - is_named.begin())};
}

}  // namespace waybill::api
