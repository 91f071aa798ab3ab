#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "templates/mustache.hpp"

namespace waybill::templates {

/// A node of a parsed template; the root is a section that is always rendered.
struct Template::Node {
  enum class Kind { text, escaped, raw, section, inverted, partial, nothing };

  Kind kind = Kind::section;      // `nothing` is a comment or a change of delimiters
  std::string text;               // a text, or a partial's name
  std::vector<std::string> path;  // the parts of a dotted name; empty for the implicit iterator
  std::string indent;             // the indentation of a partial that is alone on its line
  std::vector<Node> children;     // the content of a section
};

std::variant<Template::Node, TemplateError> parse_mustache(std::string_view text);

}  // namespace waybill::templates
