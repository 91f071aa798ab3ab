#include "templates/parts.hpp"

#include <algorithm>
#include <stdexcept>

namespace waybill::templates {

Escape part_escape(std::string_view type, std::string_view part) {
  if (part == "html") return Escape::html;
  return type == "webhook" && part == "body" ? Escape::json : Escape::none;
}

std::optional<std::string> mustache_problem(std::string_view text) {
  const auto parsed = Template::parse(text);
  const auto* const error = std::get_if<TemplateError>(&parsed);
  if (error == nullptr) return std::nullopt;
  const auto before = text.substr(0, error->position);
  const auto characters = std::ranges::count_if(before, [](char c) { return (c & '\xc0') != '\x80'; });
  return error->message + " at character " + std::to_string(characters + 1);
}

std::string render(std::string_view text, const json::object& context, Escape escape,
                   const Partials& partials, WorkBudget& budget, std::size_t max_bytes) {
  if (!budget.take(text.size() / bytes_per_unit)) throw std::length_error("rendering takes too long");
  const auto parsed = Template::parse(text);
  if (const auto* error = std::get_if<TemplateError>(&parsed)) {
    throw std::invalid_argument("a template does not parse: " + error->message);
  }
  return std::get<Template>(parsed).render(context, escape, partials, budget, max_bytes);
}

std::string single_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  line.erase(0, first);
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace waybill::templates
