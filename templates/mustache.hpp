#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "base/work_budget.hpp"

namespace waybill::templates {

/// The escaping of `{{x}}`; `{{{x}}}` and `{{&x}}` are never escaped.
/// `url` percent-encodes all but the unreserved characters of RFC 3986; `form` also writes a space as `+`
/// (application/x-www-form-urlencoded).
enum class Escape { none, html, json, url, form };

struct TemplateError {
  std::string message;
  std::size_t position;  // byte offset in the template
};

/// Returns a partial's text by its name; nullopt renders as nothing (Mustache specification, partials).
using Partials = std::function<std::optional<std::string>(std::string_view name)>;

/// The most units of work that one plan of an action may take for all of its texts: some milliseconds. Nested
/// lists and recursive partials can cause endless work without any output. A unit is a rendered node, a name
/// looked up in one level of the context, or 64 bytes of a parsed or rendered text; each takes some tens of
/// nanoseconds.
inline constexpr std::size_t max_work = 100'000;
inline constexpr std::size_t bytes_per_unit = 64;

/// A parsed Mustache template (specification 1.4, without the optional lambdas). Immutable; any thread may
/// render.
class Template {
 public:
  static std::variant<Template, TemplateError> parse(std::string_view text);

  /// A dotted name can go through a list by the position of an element, from 0 (`items.0.sku`); the
  /// specification is silent about it. Missing values render as nothing. Numbers print as in JSON (19.99,
  /// never 1.999E1), objects and lists as their JSON text. Partials nest at most 32 deep. Throws
  /// std::length_error for output beyond `max_bytes` and for more work than `budget` has left.
  std::string render(const json::object& context, Escape escape, const Partials& partials, WorkBudget& budget,
                     std::size_t max_bytes = 1024UL * 1024) const;
  /// Renders with a budget of `max_work`.
  std::string render(const json::object& context, Escape escape, const Partials& partials = {},
                     std::size_t max_bytes = 1024UL * 1024) const;

  /// The names of the directly included partials, each once.
  std::vector<std::string> partials() const;

  /// The dotted names of all variables and sections as they are written, each once.
  std::vector<std::string> names() const;

  /// True if the text has no tags.
  bool is_literal() const;

  /// True if a tag can write text without escaping: `{{{x}}}`, `{{&x}}`, or a partial, whose text is unknown.
  bool has_raw() const;

  /// The text outside of the tags.
  std::string literal_text() const;

  struct Node;

 private:
  explicit Template(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

}  // namespace waybill::templates
