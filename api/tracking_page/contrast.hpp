#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::api {

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  bool operator==(const Rgb&) const = default;
};

/// Reads #rrggbb with digits of either case. nullopt for any other text.
std::optional<Rgb> parse_color(std::string_view text);

/// #rrggbb
std::string color_text(Rgb color);

/// The contrast ratio of WCAG 2.2, 1 to 21.
double contrast(Rgb a, Rgb b);

/// The least contrast of text (WCAG 2.2, success criterion 1.4.3).
inline constexpr double text_contrast = 4.5;

/// `color` itself if it has text_contrast to `background`. Otherwise its nearest mix with black or white that
/// has it, so that the hue stays recognizable. Black or white has it for every background.
Rgb readable_on(Rgb color, Rgb background);

}  // namespace waybill::api
