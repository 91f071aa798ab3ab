#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.hpp"
#include "templates/mustache_node.hpp"

namespace waybill::templates {
namespace {

using Node = Template::Node;
using Kind = Node::Kind;

constexpr std::size_t max_depth = 100;  // depth of nested sections, because rendering recurses
constexpr std::string_view blanks = " \t";
constexpr std::string_view white = " \t\r\n";

struct Tag {
  char sigil;  // '\0' for a plain variable, '{' for a triple mustache
  std::string_view content;
  std::size_t begin;
  std::size_t end;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { open_.emplace_back(); }

  std::variant<Node, TemplateError> parse() {
    while (!error_) {
      const std::size_t begin = std::min(text_.find(open_delimiter_, at_), text_.size());
      if (begin == text_.size()) break;
      if (const auto tag = read_tag(begin)) handle(*tag);
    }
    if (!error_ && open_.size() > 1)
      fail("section \"" + open_.back().name + "\" is not closed", open_.back().begin);
    if (error_) return *error_;
    add_text(text_.size());
    return std::move(open_.front().node);
  }

 private:
  struct Open {
    Node node;
    std::string name;
    std::size_t begin = 0;
  };

  void fail(std::string message, std::size_t position) {
    error_ = TemplateError{std::move(message), position};
  }

  void add(Node node) { open_.back().node.children.push_back(std::move(node)); }

  // Adds the text from the current position up to `end`.
  void add_text(std::size_t end) {
    if (end <= at_) return;
    Node node;
    node.kind = Kind::text;
    node.text = text_.substr(at_, end - at_);
    add(std::move(node));
  }

  std::optional<Tag> read_tag(std::size_t begin) {
    constexpr std::string_view sigils = "#^/!>=&{<$";
    const std::size_t content = begin + open_delimiter_.size();
    const std::size_t first = text_.find_first_not_of(white, content);
    char sigil =
        first < text_.size() && sigils.find(text_[first]) != std::string_view::npos ? text_[first] : '\0';
    // The third brace of a triple mustache follows without a space.
    if (sigil == '{' && first != content) sigil = '\0';
    const std::string close =
        (sigil == '{' || sigil == '=' ? std::string(1, sigil == '{' ? '}' : '=') : "") + close_delimiter_;
    const std::size_t inner = sigil == '\0' ? content : first + 1;
    const std::size_t end = text_.find(close, inner);
    if (end == std::string_view::npos) {
      fail("tag is not closed", begin);
      return std::nullopt;
    }
    return Tag{sigil, trimmed(text_.substr(inner, end - inner)), begin, end + close.size()};
  }

  void handle(const Tag& tag) {
    const bool may_stand_alone = tag.sigil != '\0' && tag.sigil != '{' && tag.sigil != '&';
    std::size_t text_end = tag.begin;
    std::size_t next = tag.end;
    if (may_stand_alone) {
      if (const auto line = own_line(tag)) std::tie(text_end, next) = *line;
    }
    add_text(text_end);
    const std::string_view indent = text_.substr(text_end, tag.begin - text_end);
    at_ = next;
    switch (tag.sigil) {
      case '!':
        return add_nothing();
      case '=':
        return set_delimiters(tag);
      case '#':
      case '^':
        return open_section(tag);
      case '/':
        return close_section(tag);
      case '>':
        return add_partial(tag, indent);
      case '<':
      case '$':
        return fail("template inheritance is not supported", tag.begin);
      default:
        return add_variable(tag);
    }
  }

  // Returns the start of the tag's line and of the next line if only blanks share the line with the tag
  // (specification, "standalone" tags).
  std::optional<std::pair<std::size_t, std::size_t>> own_line(const Tag& tag) const {
    const std::size_t before =
        tag.begin == 0 ? std::string_view::npos : text_.find_last_not_of(blanks, tag.begin - 1);
    const std::size_t line = before == std::string_view::npos ? 0 : before + 1;
    if (line != 0 && text_[line - 1] != '\n') return std::nullopt;
    std::size_t after = std::min(text_.find_first_not_of(blanks, tag.end), text_.size());
    if (text_.substr(after).starts_with("\r\n")) return std::pair(line, after + 2);
    if (text_.substr(after).starts_with('\n')) return std::pair(line, after + 1);
    if (after == text_.size()) return std::pair(line, after);
    return std::nullopt;
  }

  void set_delimiters(const Tag& tag) {
    const std::size_t gap = tag.content.find_first_of(white);
    const std::string_view left = tag.content.substr(0, gap);
    const std::string_view right = gap == std::string_view::npos ? "" : trimmed(tag.content.substr(gap));
    const bool valid = !left.empty() && !right.empty() &&
                       right.find_first_of(white) == std::string_view::npos &&
                       tag.content.find('=') == std::string_view::npos;
    if (!valid) return fail("delimiters must be two texts without spaces and equals signs", tag.begin);
    open_delimiter_ = left;
    close_delimiter_ = right;
    add_nothing();
  }

  void add_nothing() {
    Node node;
    node.kind = Kind::nothing;
    add(std::move(node));
  }

  bool check_name(const Tag& tag) {
    if (tag.content.empty()) {
      fail("name is missing", tag.begin);
    } else if (tag.content.find_first_of(white) != std::string_view::npos) {
      fail("name \"" + std::string(tag.content) + "\" must not contain spaces", tag.begin);
    }
    return !error_;
  }

  std::vector<std::string> path_of(const Tag& tag) {
    std::vector<std::string> path;
    if (tag.content == ".") return path;
    std::string_view rest = tag.content;
    while (true) {
      const std::size_t dot = rest.find('.');
      path.emplace_back(rest.substr(0, dot));
      if (path.back().empty()) fail("name \"" + std::string(tag.content) + "\" has an empty part", tag.begin);
      if (dot == std::string_view::npos) return path;
      rest.remove_prefix(dot + 1);
    }
  }

  void open_section(const Tag& tag) {
    if (!check_name(tag)) return;
    if (open_.size() > max_depth) return fail("sections are nested deeper than 100", tag.begin);
    Open section;
    section.node.kind = tag.sigil == '#' ? Kind::section : Kind::inverted;
    section.node.path = path_of(tag);
    section.name = tag.content;
    section.begin = tag.begin;
    open_.push_back(std::move(section));
  }

  void close_section(const Tag& tag) {
    if (open_.size() == 1 || open_.back().name != tag.content) {
      return fail("\"" + std::string(tag.content) + "\" is closed but not open", tag.begin);
    }
    Node node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add_partial(const Tag& tag, std::string_view indent) {
    if (!check_name(tag)) return;
    Node node;
    node.kind = Kind::partial;
    node.text = tag.content;
    node.indent = indent;
    add(std::move(node));
  }

  void add_variable(const Tag& tag) {
    if (!check_name(tag)) return;
    Node node;
    node.kind = tag.sigil == '\0' ? Kind::escaped : Kind::raw;
    node.path = path_of(tag);
    add(std::move(node));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string open_delimiter_ = "{{";
  std::string close_delimiter_ = "}}";
  std::vector<Open> open_;  // the root, then the open sections
  std::optional<TemplateError> error_;
};

}  // namespace

std::variant<Node, TemplateError> parse_mustache(std::string_view text) { return Parser(text).parse(); }

}  // namespace waybill::templates
