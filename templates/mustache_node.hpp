#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "templates/mustache.hpp"

namespace waybill::templates {

/// A parsed template is a tree; its root is a section that is always entered.
struct Template::Node {
  enum class Kind { text, escaped, raw, section, inverted, partial, nothing };

  Kind kind = Kind::section;      // nothing: a comment or new delimiters
  std::string text;               // of a text; a partial's name
  std::vector<std::string> path;  // the parts of a dotted name; empty for the implicit iterator
  std::string indent;             // of a partial that stands alone on its line
  std::vector<Node> children;     // of a section
};

std::variant<Template::Node, TemplateError> parse_mustache(std::string_view text);

}  // namespace waybill::templates
