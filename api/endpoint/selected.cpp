#include "api/endpoint/selected.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/ascii.hpp"
#include "base/json_text.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::api {
namespace {

constexpr char separator = ',';
constexpr char slash = '/';
constexpr std::string_view blanks = " \t\r\n";

/// Removes the text up to the first `end` from `text` and returns it without blanks around it.
std::string_view take(std::string_view& text, char end) {
  const auto at = text.find(end);
  const auto part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return trimmed(part);
}

/// True if the schema does not say which parts a value has. Own data are selected as a whole.
bool has_any_part(const Property& property) {
  if (property.name == domain::metadata_path) return false;
  if (property.kind == Kind::any) return true;
  return property.schema == nullptr &&
         (property.kind == Kind::object || (property.kind == Kind::array && property.items == Kind::any));
}

/// Returns the names on a path; none if the schema does not have it.
std::vector<std::string_view> names_on(std::string_view path, const Schema* schema) {
  std::vector<std::string_view> names;
  bool is_any = false;
  for (bool has_more = true; has_more;) {
    has_more = path.find(slash) != std::string_view::npos;
    const auto name = take(path, slash);
    if (is_any) {
      if (name.empty()) return {};
      names.push_back(name);
      continue;
    }
    const auto* const property = schema == nullptr ? nullptr : schema->find(name);
    if (property == nullptr) return {};
    is_any = has_any_part(*property);
    names.push_back(property->name);
    schema = property->kind == Kind::object || property->kind == Kind::array ? property->schema : nullptr;
  }
  return names;
}

void add(std::vector<Selected>& fields, std::span<const std::string_view> names) {
  auto found = std::ranges::find(fields, names.front(), &Selected::name);
  if (found == fields.end())
    found = fields.insert(fields.end(), {.name = names.front()});
  else if (found->members.empty())
    return;  // it is whole already
  if (names.size() == 1)
    found->members.clear();
  else
    add(found->members, names.subspan(1));
}

class Reducer {
 public:
  explicit Reducer(std::string_view text) : text_(text) { out_.reserve(text.size()); }

  std::string take(const Selected& selected) {
    append(selected);
    return std::move(out_);
  }

 private:
  char next() {
    at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void append(const Selected& selected) {
    const char first = next();
    if (selected.members.empty() || (first != '{' && first != '[')) {
      const auto end = json_value_end(text_, at_);
      out_ += text_.substr(at_, end - at_);
      at_ = end;
    } else {
      append_parts(selected, first);
    }
  }

  /// Appends the selected members of an object, or those of each element of an array.
  void append_parts(const Selected& selected, char open) {
    const char close = open == '{' ? '}' : ']';
    out_ += open;
    ++at_;
    bool is_first = true;
    for (char c = next(); c != close && c != '\0'; c = next()) {
      if (c == separator) {
        ++at_;
        continue;
      }
      const auto* const part = open == '{' ? member(selected) : &selected;
      if (part == nullptr) {
        at_ = json_value_end(text_, at_);
        continue;
      }
      if (!is_first) out_ += separator;
      is_first = false;
      if (open == '{') out_.append("\"").append(part->name).append("\":");
      append(*part);
    }
    out_ += close;
    ++at_;
  }

  /// Moves behind the name of a member. Returns the selected field of this name, or null.
  const Selected* member(const Selected& selected) {
    const auto end = json_string_end(text_, at_);
    const auto name = text_.substr(at_ + 1, end - at_ - 2);
    at_ = std::min(text_.find(':', end), text_.size() - 1) + 1;
    const auto found = std::ranges::find(selected.members, name, &Selected::name);
    return found == selected.members.end() ? nullptr : &*found;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

bool takes_select(const Endpoint& endpoint) {
  return endpoint.method == Method::get && !endpoint.changes && !endpoint.bare &&
         endpoint.media_type.empty() && endpoint.answer != nullptr && !endpoint.answer->properties.empty();
}

Selected parse_select(std::string_view text, const Schema& schema, FieldErrors& errors) {
  Selected selected;
  for (bool has_more = true; has_more;) {
    has_more = text.find(separator) != std::string_view::npos;
    const auto path = take(text, separator);
    const auto names = names_on(path, &schema);
    if (names.empty()) {
      errors.push_back({std::string(select_parameter.name),
                        path.empty() ? "must be names of fields, separated by commas"
                                     : "names a field that the record does not have: " + std::string(path)});
      return {};
    }
    add(selected.members, names);
  }
  return selected;
}

std::vector<std::string_view> selected_fields(const Call& call) {
  std::vector<std::string_view> names;
  auto text = call.parameter(select_parameter.name).value_or("");
  while (!text.empty()) {
    auto path = take(text, separator);
    const auto name = take(path, slash);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string reduced(std::string_view data, const Selected& selected) { return Reducer(data).take(selected); }

}  // namespace waybill::api
