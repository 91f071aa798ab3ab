#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "templates/mustache.hpp"

namespace waybill::templates {

/// The texts that a stored template may have.
inline constexpr std::array<std::string_view, 5> part_names{"subject", "body", "html", "title", "url"};

/// What stored templates are for.
inline constexpr std::array<std::string_view, 3> template_types{"send_email", "send_push", "webhook"};

/// How `{{x}}` is escaped in a part of a template for `type`: as HTML in an html part, for a JSON string in a
/// webhook's body, not at all elsewhere.
Escape part_escape(std::string_view type, std::string_view part);

/// What is wrong with a Mustache text, as a sentence that says at which character; nullopt when nothing is.
std::optional<std::string> mustache_problem(std::string_view text);

/// Renders a text that was checked when it was saved. Throws std::length_error when the result is larger than
/// `max_bytes`, std::invalid_argument when the text is no Mustache after all.
std::string render(std::string_view text, const json::object& context, Escape escape,
                   const Partials& partials, std::size_t max_bytes = 1024UL * 1024);

/// `text` as one line: control characters become spaces, blanks at the ends go.
std::string single_line(std::string_view text);

}  // namespace waybill::templates
