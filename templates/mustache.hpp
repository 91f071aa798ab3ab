#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.hpp"

namespace waybill::templates {

/// How `{{x}}` is escaped; `{{{x}}}` and `{{&x}}` never are.
enum class Escape { none, html, json };

struct TemplateError {
  std::string message;
  std::size_t position;  // byte offset in the template
};

/// A partial's text by its name; nullopt renders as nothing (Mustache specification, partials).
using Partials = std::function<std::optional<std::string>(std::string_view name)>;

/// A parsed Mustache template (specification 1.4, without the optional lambdas). Immutable; any thread may
/// render.
class Template {
 public:
  static std::variant<Template, TemplateError> parse(std::string_view text);

  /// Never fails: what is missing renders as nothing. Numbers print as in JSON (19.99, never 1.999E1).
  /// Objects and lists print as their JSON text. Output beyond `max_bytes`, or more than 100 000 units of
  /// work (nodes rendered, names looked up in a level of the context, 64 bytes of a partial: a few
  /// milliseconds in all), throws std::length_error; partials nest at most 32 deep.
  std::string render(const json::object& context, Escape escape, const Partials& partials = {},
                     std::size_t max_bytes = 1024UL * 1024) const;

  /// The names of the partials that it includes itself, each once.
  std::vector<std::string> partials() const;

  /// True when the text holds no tag at all.
  bool is_literal() const;

  struct Node;

 private:
  explicit Template(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

}  // namespace waybill::templates
