#include "api/tracking_page/contrast.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/ascii.hpp"

namespace waybill::api {
namespace {

constexpr Rgb black{0, 0, 0};
constexpr Rgb white{255, 255, 255};

/// Linear light of an sRGB channel (WCAG 2.2, "relative luminance").
double linear(std::uint8_t channel) {
  static const auto table = [] {
    std::array<double, 256> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double share = static_cast<double>(i) / 255;
      values[i] = share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
    }
    return values;
  }();
  return table[channel];
}

double luminance(Rgb color) {
  return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

/// `share` of `of` parts are `other`.
Rgb mix(Rgb color, Rgb other, int share, int of) {
  const auto channel = [&](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>((from * (of - share) + to * share) / of);
  };
  return {channel(color.red, other.red), channel(color.green, other.green), channel(color.blue, other.blue)};
}

}  // namespace

std::optional<Rgb> parse_color(std::string_view text) {
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  std::array<std::uint8_t, 3> channels{};
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const int high = hex_value(text[1 + 2 * i]);
    const int low = hex_value(text[2 + 2 * i]);
    if (high < 0 || low < 0) return std::nullopt;
    channels[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return Rgb{channels[0], channels[1], channels[2]};
}

std::string color_text(Rgb color) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "#";
  for (const auto channel : {color.red, color.green, color.blue}) {
    text += digits[channel >> 4];
    text += digits[channel & 15];
  }
  return text;
}

double contrast(Rgb a, Rgb b) {
  const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
  return (lighter + 0.05) / (darker + 0.05);
}

Rgb readable_on(Rgb color, Rgb background) {
  constexpr int steps = 64;
  const Rgb end = contrast(background, white) > contrast(background, black) ? white : black;
  for (int step = 0; step < steps; ++step) {
    const Rgb mixed = mix(color, end, step, steps);
    if (contrast(mixed, background) >= text_contrast) return mixed;
  }
  return end;
}

}  // namespace waybill::api
