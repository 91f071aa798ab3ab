#include "templates/builtin.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "templates/builtin_source.hpp"

namespace waybill::templates {
namespace {

/// The content of a line that consists of one comment; empty for any other line.
std::string_view comment(std::string_view line) {
  constexpr std::string_view opening = "{{! ";
  constexpr std::string_view closing = " }}";
  if (!line.starts_with(opening) || !line.ends_with(closing)) return {};
  return line.substr(opening.size(), line.size() - opening.size() - closing.size());
}

domain::EntityType entity_type(std::string_view name) {
  const auto type = domain::parse_entity_type(name);
  if (!type) throw std::logic_error("a built-in template is for an unknown entity type");
  return *type;
}

BuiltIn read(const BuiltInSource& source) {
  BuiltIn result{.guid = Guid::from_name(namespace_url, "waybill:template:" + std::string(source.code)),
                 .code = std::string(source.code),
                 .name = {},
                 .entity_type = {},
                 .subject = {},
                 .body = {},
                 .html = {}};
  std::string* part = nullptr;
  std::string_view rest = source.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 1));
    const std::string_view note = comment(line);
    if (note.starts_with("name: ")) {
      result.name = note.substr(6);
    } else if (note.starts_with("entity: ")) {
      result.entity_type = entity_type(note.substr(8));
    } else if (note == "subject") {
      part = &result.subject;
    } else if (note == "body") {
      part = &result.body;
    } else if (note == "html") {
      part = &result.html;
    } else if (part != nullptr) {
      part->append(line).append("\n");
    }
  }
  if (!result.subject.empty()) result.subject.pop_back();
  return result;
}

std::vector<BuiltIn> read_all() {
  std::vector<BuiltIn> all;
  for (const BuiltInSource& source : built_in_sources()) all.push_back(read(source));
  return all;
}

template <class Member, class Value>
const BuiltIn* find(Member member, const Value& value) {
  const auto all = built_in_templates();
  const auto found = std::ranges::find(all, value, member);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::span<const BuiltIn> built_in_templates() {
  static const std::vector<BuiltIn> all = read_all();
  return all;
}

const BuiltIn* find_built_in(std::string_view code) { return find(&BuiltIn::code, code); }
const BuiltIn* find_built_in(const Guid& guid) { return find(&BuiltIn::guid, guid); }

}  // namespace waybill::templates
