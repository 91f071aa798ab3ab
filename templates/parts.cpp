#include "templates/parts.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/utf8.hpp"

namespace waybill::templates {
namespace {

/// Removes the characters that change directions, and makes U+0085, U+2028 and U+2029 spaces.
std::string without_directions(std::string_view text) {
  constexpr std::string_view first_bytes = "\xc2\xe2";
  if (text.find_first_of(first_bytes) == std::string_view::npos) return std::string(text);
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto character = text.substr(i, 3);
    const bool separates = character == "\u2028" || character == "\u2029";
    if (text.substr(i, 2) == "\u0085") {
      result += ' ';
      ++i;
      continue;
    }
    const bool embeds = character >= "\u202a" && character <= "\u202e";
    const bool isolates = character >= "\u2066" && character <= "\u2069";
    if (separates) result += ' ';
    if (separates || embeds || isolates) {
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// True for most texts: ASCII without control characters or outer spaces.
bool is_plain_line(std::string_view text) {
  if (text.empty()) return true;
  return text.front() != ' ' && text.back() != ' ' &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

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

std::string short_line(std::string_view text, std::size_t max) {
  if (text.size() <= max && is_plain_line(text)) return std::string(text);
  std::string line = single_line(without_directions(text));
  if (count_characters(line) <= max) return line;
  std::size_t end = 0;
  for (std::size_t characters = 0; end < line.size(); ++end) {
    const bool continues = (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U;
    if (!continues && characters++ == max - 1) break;
  }
  line.resize(end);
  return line += "…";
}

}  // namespace waybill::templates
