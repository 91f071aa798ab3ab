#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "templates/mustache.hpp"

namespace waybill::templates {

/// The texts that a stored template may have.
inline constexpr std::array<std::string_view, 5> part_names{"subject", "body", "html", "title", "url"};

/// The types of stored templates.
inline constexpr std::array<std::string_view, 3> template_types{"send_email", "send_push", "webhook"};

/// The escaping of `{{x}}` in a part of a template of `type`: HTML in an html part, JSON string in a
/// webhook's body, none elsewhere.
Escape part_escape(std::string_view type, std::string_view part);

/// The error in a Mustache text, as a sentence with the position in characters; nullopt if there is none.
std::optional<std::string> mustache_problem(std::string_view text);

/// Renders a text that was checked when it was saved. All texts of one plan share a budget. Throws
/// std::length_error if the result is larger than `max_bytes` or the budget is exceeded,
/// std::invalid_argument if the text does not parse after all.
std::string render(std::string_view text, const json::object& context, Escape escape,
                   const Partials& partials, WorkBudget& budget, std::size_t max_bytes = 1024UL * 1024);

/// `text` as one line: control characters become spaces, and spaces at the ends are removed.
std::string single_line(std::string_view text);

/// `text` as one line of at most `max` characters, for texts of people among those of the service. Has no
/// separators of lines, and no characters that change the direction of the text after them (Unicode Standard
/// Annex 9, section 2): U+202A to U+202E and U+2066 to U+2069.
std::string short_line(std::string_view text, std::size_t max);

}  // namespace waybill::templates
