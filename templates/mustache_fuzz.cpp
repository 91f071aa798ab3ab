// Any text parses or is refused; a parsed text renders within its limits, also as a partial of itself.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "templates/mustache.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace waybill;
  using namespace waybill::templates;
  static const json::object context = json::parse(R"({
    "a": {"b": {"c": 1.5}}, "s": "<\"&'\\\n>", "t": true, "f": false, "n": null,
    "l": [1, "x", {"a": 2}, [], [3]], "e": []})")
                                          .as_object();

  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = Template::parse(text);
  const auto* const mustache = std::get_if<Template>(&parsed);
  if (mustache == nullptr) {
    if (std::get<TemplateError>(parsed).position > size) __builtin_trap();
    return 0;
  }
  const auto itself = [&](std::string_view) { return std::optional(std::string(text)); };
  for (const Escape escape : {Escape::none, Escape::html, Escape::json}) {
    try {
      if (mustache->render(context, escape, itself, 10'000).size() > 10'000) __builtin_trap();
    } catch (const std::length_error&) {
      continue;  // a documented limit
    }
  }
  return 0;
}
