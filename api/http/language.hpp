#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace waybill::api {

/// The languages of the tracking page; the console has the first two. Readers who accept none of them get the
/// first.
enum class Language : std::uint8_t { en, de, fr, es, pt };

/// The language tags (RFC 5646), by Language.
inline constexpr std::array<std::string_view, 5> language_tags{"en", "de", "fr", "es", "pt"};

/// The language of a page, and the region's customs that its dates follow.
struct Locale {
  Language language = Language::en;
  bool american = false;  // "November 24" and "2:05 PM"; English only

  std::string_view tag() const { return language_tags[static_cast<std::size_t>(language)]; }
  bool operator==(const Locale&) const = default;
};

/// The locale that a reader prefers, by the value of an Accept-Language field (RFC 9110 section 12.5.4). A
/// range with further subtags counts for its language: "de-AT" is German. Of equal qualities the first wins,
/// and a named language before "*". Malformed ranges are ignored. English if nothing matches.
Locale preferred_locale(std::string_view accept_language);

}  // namespace waybill::api
