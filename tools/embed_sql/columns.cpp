#include "tools/embed_sql/columns.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "domain/records/record_type.hpp"

namespace waybill::embed_sql {
namespace {

using domain::Column;
using domain::Field;
using domain::RecordType;
using Words = std::vector<std::string>;

constexpr std::size_t longest_line = 120;
constexpr std::string_view command = "\\columns ";

[[noreturn]] void fail(const std::string& line, const std::string& problem) {
  throw std::runtime_error(line + ": " + problem);
}

Words words_of(const std::string& line) {
  std::istringstream text(line);
  Words words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

bool is_in(const Column& column, std::string_view set, const std::string& line) {
  if (set == "merged") return column.given == domain::Given::merged;
  if (set == "imported") return column.is_imported;
  if (set == "settable") return !column.settable_as.empty();
  if (set == "personal") return column.personal != domain::Personal::no;
  if (set == "answered") return column.is_answered;
  if (set == "listed") return column.is_listed;
  fail(line, "there is no set " + std::string(set));
}

/// The SQL between the lines of an answer's block.
struct Block {
  std::map<std::string, std::string> after;    // by path
  std::map<std::string, std::string> instead;  // by path
  std::map<std::string, Words> moved;          // paths of columns, by the path before them
};

class Directive {
 public:
  explicit Directive(std::string line) : line_(std::move(line)) {
    const Words words = words_of(line_);
    if (words.size() < 3) fail(line_, "needs a form and a set");
    form_ = words[1];
    const auto dot = words[2].find('.');
    const auto types = domain::record_types();
    const auto type = std::ranges::find(types, words[2].substr(0, dot), &RecordType::table);
    if (type == types.end() || dot == std::string::npos) fail(line_, "there is no table " + words[2]);
    type_ = &*type;
    auto exception = std::find(words.begin() + 3, words.end(), "except");
    for (auto word = words.begin() + 3; word != exception; ++word) alias_ = *word;
    for (const Field& field : type_->fields) {
      if (field.column() != nullptr && is_in(*field.column(), words[2].substr(dot + 1), line_))
        fields_.push_back(&field);
    }
    if (exception != words.end())
      for (++exception; exception != words.end(); ++exception) remove(*exception);
    if (fields_.empty()) fail(line_, "gives no column");
  }

  bool has_block() const { return form_ == "answer"; }

  /// The lists of the forms other than `answer`.
  std::string list() const {
    std::string text;
    std::size_t length = 0;
    for (const Field* const field : fields_) {
      const std::string item = item_of(*field->column());
      const bool begins_line = length + item.size() + 2 > longest_line;
      if (!text.empty()) text += begins_line ? ",\n" : ", ";
      length = (begins_line ? 0 : length + 2) + item.size();
      text += item;
    }
    return text + '\n';
  }

  std::string answer(const Block& block) const {
    require_known(block);
    std::string text;
    const auto add = [&](const std::string& item) {
      if (!item.empty()) text.append(text.empty() ? "" : ",\n").append(item);
    };
    std::set<std::string, std::less<>> moved;
    for (const auto& [path, paths] : block.moved) moved.insert(paths.begin(), paths.end());
    for (const Field* const field : fields_) {
      const std::string path(field->path);
      if (!moved.contains(path)) {
        const auto replacement = block.instead.find(path);
        add(replacement == block.instead.end() ? labelled(*field) : replacement->second);
      }
      if (const auto list = block.moved.find(path); list != block.moved.end()) {
        for (const auto& other : list->second) add(labelled(*type_->find(other)));
      }
      if (const auto more = block.after.find(path); more != block.after.end()) add(more->second);
    }
    return text + '\n';
  }

 private:
  void remove(const std::string& column) {
    if (std::erase_if(fields_, [&](const Field* field) { return field->column()->name == column; }) == 0)
      fail(line_, "has no column " + column);
  }

  void require_known(const Block& block) const {
    const auto require = [this](const std::string& path) {
      if (std::ranges::none_of(fields_, [&](const Field* field) { return field->path == path; }))
        fail(line_, "has no column at " + path);
    };
    for (const auto& [path, text] : block.after) require(path);
    for (const auto& [path, text] : block.instead) require(path);
    for (const auto& [path, paths] : block.moved) {
      require(path);
      std::ranges::for_each(paths, require);
    }
  }

  std::string item_of(const Column& column) const {
    const std::string name(column.name);
    if (form_ == "names") return name;
    if (form_ == "values") return alias_ + '.' + name;
    if (form_ == "assign") return name + " = " + alias_ + '.' + name;
    if (form_ == "typed") return name + ' ' + std::string(column.sql_type);
    fail(line_, "there is no form " + form_);
  }

  /// True if the object with the field is never null, and none of its columns says so by itself.
  bool is_in_whole_object(std::string_view object) const {
    const auto& whole = type_->whole_objects;
    if (std::ranges::find(whole, object) == whole.end()) return false;
    return std::ranges::none_of(type_->fields, [&](const Field& field) {
      return field.path.starts_with(std::string(object) + '.') && field.column() != nullptr &&
             field.column()->is_required;
    });
  }

  std::string labelled(const Field& field) const {
    const Column& column = *field.column();
    const std::string value =
        alias_ + '.' + std::string(column.shown_by.empty() ? column.name : column.shown_by);
    if (field.type == domain::FieldType::array && !column.is_required)
      return "coalesce(" + value + ", '[]') as " + std::string(field.path);
    if (field.path == column.name) return value;
    const auto dot = field.path.find('.');
    std::string label(field.path.substr(0, dot));
    if (dot != std::string_view::npos) {
      if (is_in_whole_object(label)) label += '!';
      label += field.path.substr(dot);
    }
    return value + " as \"" + label + '"';
  }

  std::string line_;
  std::string form_;
  std::string alias_;
  const RecordType* type_ = nullptr;
  std::vector<const Field*> fields_;
};

/// Reads the lines up to `\end`; nothing if the next line begins no block.
Block read_block(std::istream& lines, const std::string& directive) {
  Block block;
  if (lines.peek() != '\\') return block;
  std::string* text = nullptr;
  for (std::string line; std::getline(lines, line);) {
    const Words words = words_of(line);
    if (line == "\\end") return block;
    if (line.starts_with("\\after ")) {
      text = &block.after[words.at(1)];
      if (words.size() > 3 && words[2] == "moves")
        block.moved[words[1]].assign(words.begin() + 3, words.end());
    } else if (line.starts_with("\\instead ")) {
      text = &block.instead[words.at(1)];
    } else if (text == nullptr || line.starts_with('\\')) {
      fail(line, "stands in the block of " + directive);
    } else {
      text->append(text->empty() ? "" : "\n").append(line);
    }
  }
  fail(directive, "has a block without end");
}

}  // namespace

std::string with_columns(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string expanded;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(command)) {
      expanded += line + '\n';
      continue;
    }
    const Directive directive(line);
    expanded += directive.has_block() ? directive.answer(read_block(lines, line)) : directive.list();
  }
  return expanded;
}

}  // namespace waybill::embed_sql
