#include "templates/mustache.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/exact_number.hpp"
#include "base/percent_encoding.hpp"
#include "domain/records/record_type.hpp"
#include "templates/mustache_node.hpp"

namespace waybill::templates {
namespace {

using Node = Template::Node;
using Kind = Node::Kind;

constexpr std::size_t max_partial_depth = 32;

// One level of the context stack. The root has an object but no value.
struct Frame {
  const json::value* value;
  const json::object* object;
  bool is_metadata = false;
};

void append_html(std::string& out, std::string_view text) {
  while (true) {
    const std::size_t special = std::min(text.find_first_of("&<>\"'"), text.size());
    out += text.substr(0, special);
    if (special == text.size()) return;
    switch (text[special]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += "&#39;";
    }
    text.remove_prefix(special + 1);
  }
}

void append_inside_json_string(std::string& out, std::string_view text) {
  const std::size_t quote = out.size();
  append_json_string(out, text);
  out.pop_back();
  out.erase(quote, 1);
}

void append_form_encoded(std::string& out, std::string_view text) {
  for (bool is_first = true;; is_first = false) {
    const std::size_t space = text.find(' ');
    if (!is_first) out += '+';
    append_percent_encoded(out, text.substr(0, space), "*-._");
    if (space == std::string_view::npos) return;
    text.remove_prefix(space + 1);
  }
}

void append_escaped(std::string& out, std::string_view text, Escape escape) {
  switch (escape) {
    case Escape::none:
      out += text;
      break;
    case Escape::html:
      append_html(out, text);
      break;
    case Escape::json:
      append_inside_json_string(out, text);
      break;
    case Escape::url:
      append_percent_encoded(out, text, "-._~");
      break;
    case Escape::form:
      append_form_encoded(out, text);
      break;
  }
}

/// Looks up the parts of a name from `first` on as one key of metadata, which may contain dots.
const json::value* find_dotted_key(const json::object& metadata, const std::vector<std::string>& path,
                                   std::size_t first) {
  std::string key = path[first];
  for (std::size_t i = first + 1; i < path.size(); ++i) key.append(".").append(path[i]);
  return metadata.if_contains(key);
}

bool is_falsy(const json::value& value) {
  if (const auto* list = value.if_array()) return list->empty();
  if (const auto* flag = value.if_bool()) return !*flag;
  return value.is_null();
}

std::string indented(std::string_view text, std::string_view indent) {
  if (indent.empty()) return std::string(text);
  std::string result;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    result.append(indent).append(text.substr(0, length));
    text.remove_prefix(length);
  }
  return result;
}

class Renderer {
 public:
  Renderer(const json::object& context, Escape escape, const Partials& partials, WorkBudget& budget,
           std::size_t max_bytes)
      : escape_(escape),
        partials_(partials),
        budget_(budget),
        max_bytes_(max_bytes),
        stack_{{nullptr, &context}} {}

  std::string render(const Node& root) {
    render_all(root.children);
    work(out_.size() / bytes_per_unit);
    return std::move(out_);
  }

 private:
  void render_all(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      work(1);
      render_one(node);
      if (out_.size() > max_bytes_) throw std::length_error("the rendered text is too large");
    }
  }

  void render_one(const Node& node) {
    switch (node.kind) {
      case Kind::text:
        out_ += node.text;
        break;
      case Kind::escaped:
      case Kind::raw:
        interpolate(node);
        break;
      case Kind::section:
        render_section(node);
        break;
      case Kind::inverted:
        if (const auto frame = find(node.path);
            !frame || (frame->value != nullptr && is_falsy(*frame->value))) {
          render_all(node.children);
        }
        break;
      case Kind::partial:
        render_partial(node);
        break;
      case Kind::nothing:
        break;
    }
  }

  // Looks up the first part of a name through the stack and the other parts inside its value (specification,
  // "Interpolation": dotted names). The values of metadata have no members, so all parts below it are one
  // key.
  std::optional<Frame> find(const std::vector<std::string>& path) {
    if (path.empty()) return stack_.back();
    for (auto frame = stack_.rbegin(); frame != stack_.rend(); ++frame) {
      work(1);
      if (frame->object == nullptr) continue;
      if (frame->is_metadata && path.size() > 1) {
        if (const auto* const value = find_dotted_key(*frame->object, path, 0))
          return Frame{value, value->if_object()};
      }
      const json::value* value = frame->object->if_contains(path.front());
      if (value == nullptr) continue;
      for (std::size_t i = 1; i < path.size() && value != nullptr; ++i) {
        const bool may_be_dotted =
            i + 1 < path.size() && path[i - 1] == domain::metadata_path && value->is_object();
        const auto* const dotted = may_be_dotted ? find_dotted_key(value->get_object(), path, i) : nullptr;
        if (dotted != nullptr) return Frame{dotted, dotted->if_object()};
        value = find_member(*value, path[i]);
      }
      if (value == nullptr) return std::nullopt;
      return Frame{value, value->if_object(), path.back() == domain::metadata_path};
    }
    return std::nullopt;
  }

  std::optional<Frame> find_truthy(const std::vector<std::string>& path) {
    const auto frame = find(path);
    return frame && frame->value != nullptr && is_falsy(*frame->value) ? std::nullopt : frame;
  }

  void interpolate(const Node& node) {
    const auto frame = find(node.path);
    if (!frame) return;
    const Escape escape = node.kind == Kind::raw ? Escape::none : escape_;
    const json::value* const value = frame->value;
    if (value == nullptr) {
      std::string text;
      append_json(text, *frame->object);
      append_escaped(out_, text, escape);
    } else if (const auto number = exact_number(*value)) {
      out_ += *number;
    } else if (const auto* text = value->if_string()) {
      append_escaped(out_, *text, escape);
    } else if (value->is_number() || value->is_bool()) {
      append_json(out_, *value);
    } else if (!value->is_null()) {
      append_escaped(out_, to_json(*value), escape);
    }
  }

  void render_section(const Node& node) {
    const auto frame = find_truthy(node.path);
    if (!frame) return;
    const auto* list = frame->value == nullptr ? nullptr : frame->value->if_array();
    if (list == nullptr) {
      render_within(*frame, node.children);
      return;
    }
    for (const json::value& element : *list) {
      work(1);
      render_within({&element, element.if_object()}, node.children);
    }
  }

  void render_within(const Frame& frame, const std::vector<Node>& nodes) {
    stack_.push_back(frame);
    render_all(nodes);
    stack_.pop_back();
  }

  void render_partial(const Node& node) {
    if (partial_depth_ == max_partial_depth) return;
    const Node* const root = partial(node.text, node.indent);
    if (root == nullptr) return;
    ++partial_depth_;
    render_all(root->children);
    --partial_depth_;
  }

  // Null if the partial is missing or does not parse. Pointers into the map stay valid.
  const Node* partial(const std::string& name, const std::string& indent) {
    const auto [found, added] = parsed_.try_emplace({name, indent});
    if (added && partials_) {
      if (const auto text = partials_(name)) {
        const std::string lines = indented(*text, indent);
        work(lines.size() / bytes_per_unit);
        auto result = parse_mustache(lines);
        if (auto* root = std::get_if<Node>(&result)) found->second = std::move(*root);
      }
    }
    const std::optional<Node>& parsed = found->second;
    return parsed ? &*parsed : nullptr;
  }

  void work(std::size_t amount) {
    if (!budget_.take(amount)) throw std::length_error("rendering takes too long");
  }

  Escape escape_;
  const Partials& partials_;
  WorkBudget& budget_;
  std::size_t max_bytes_;
  std::string out_;
  std::vector<Frame> stack_;
  std::map<std::pair<std::string, std::string>, std::optional<Node>> parsed_;
  std::size_t partial_depth_ = 0;
};

void collect_partials(const Node& node, std::vector<std::string>& names) {
  if (node.kind == Kind::partial && std::ranges::find(names, node.text) == names.end()) {
    names.push_back(node.text);
  }
  for (const Node& child : node.children) collect_partials(child, names);
}

}  // namespace

std::variant<Template, TemplateError> Template::parse(std::string_view text) {
  auto result = parse_mustache(text);
  if (auto* error = std::get_if<TemplateError>(&result)) return std::move(*error);
  return Template(std::make_shared<const Node>(std::move(std::get<Node>(result))));
}

std::string Template::render(const json::object& context, Escape escape, const Partials& partials,
                             WorkBudget& budget, std::size_t max_bytes) const {
  return Renderer(context, escape, partials, budget, max_bytes).render(*root_);
}

std::string Template::render(const json::object& context, Escape escape, const Partials& partials,
                             std::size_t max_bytes) const {
  WorkBudget budget(max_work);
  return render(context, escape, partials, budget, max_bytes);
}

std::vector<std::string> Template::partials() const {
  std::vector<std::string> names;
  collect_partials(*root_, names);
  return names;
}

namespace {

void collect_names(const Node& node, std::vector<std::string>& names) {
  std::string name;
  for (const std::string& part : node.path) name += (name.empty() ? "" : ".") + part;
  if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  for (const Node& child : node.children) collect_names(child, names);
}

bool any_raw(const Node& node) {
  return node.kind == Kind::raw || node.kind == Kind::partial || std::ranges::any_of(node.children, any_raw);
}

void collect_texts(const Node& node, std::string& text) {
  if (node.kind == Kind::text) text += node.text;
  for (const Node& child : node.children) collect_texts(child, text);
}

}  // namespace

std::vector<std::string> Template::names() const {
  std::vector<std::string> names;
  collect_names(*root_, names);
  return names;
}

bool Template::has_raw() const { return any_raw(*root_); }

std::string Template::literal_text() const {
  std::string text;
  collect_texts(*root_, text);
  return text;
}

bool Template::is_literal() const {
  return std::ranges::all_of(root_->children, [](const Node& node) { return node.kind == Kind::text; });
}

}  // namespace waybill::templates
