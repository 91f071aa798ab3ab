#include <cctype>
#include <utility>

#include "tests/simulators/shopify/graphql.hpp"

namespace waybill::tests {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const json::object& variables) : text_(text), variables_(variables) {
    advance();
  }

  GraphqlOperation document() {
    std::optional<GraphqlOperation> operation;
    while (!token_.empty()) {
      if (token_ == "fragment") {
        fragment();
        continue;
      }
      if (operation) throw GraphqlError("Only one operation is understood");
      operation = this->operation();
    }
    if (!operation) throw GraphqlError("syntax error, unexpected end of file");
    operation->selection = expanded(operation->selection);
    return std::move(*operation);
  }

 private:
  [[noreturn]] void fail() const { throw GraphqlError("syntax error, unexpected \"" + token_ + "\""); }

  // Commas and comments are white space (section 2.1.7).
  void skip_blank() {
    bool in_comment = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '#') in_comment = true;
      if (c == '\n') in_comment = false;
      if (!in_comment && c != ',' && std::isspace(static_cast<unsigned char>(c)) == 0) return;
    }
  }

  void advance() {
    skip_blank();
    const std::size_t start = at_;
    if (at_ == text_.size()) {
      token_.clear();
      return;
    }
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
    };
    if (text_[at_] == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
        if (text_[at_] == '\\') ++at_;
      }
      if (at_ >= text_.size()) throw GraphqlError("syntax error, unterminated string");
      ++at_;
    } else if (text_.substr(at_, 3) == "...") {
      at_ += 3;
    } else if (is_word(text_[at_])) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    } else {
      ++at_;
    }
    token_ = std::string(text_.substr(start, at_ - start));
  }

  std::string take() {
    std::string taken = token_;
    if (taken.empty()) fail();
    advance();
    return taken;
  }
  bool accept(std::string_view expected) {
    if (token_ != expected) return false;
    advance();
    return true;
  }
  void expect(std::string_view expected) {
    if (!accept(expected)) fail();
  }

  GraphqlOperation operation() {
    GraphqlOperation operation{"query", {}, {}};
    if (token_ != "{") {
      operation.kind = take();
      if (operation.kind != "query" && operation.kind != "mutation") fail();
      if (token_ != "{" && token_ != "(") operation.name = take();
      if (accept("(")) {
        while (!accept(")")) declaration();
      }
    }
    operation.selection = selection();
    return operation;
  }

  void declaration() {
    expect("$");
    const std::string name = take();
    expect(":");
    std::string type;
    while (token_ == "[" || token_ == "]" || token_ == "!" || type.empty() ||
           std::isalpha(static_cast<unsigned char>(token_.empty() ? ' ' : token_[0])) != 0) {
      type += take();
    }
    const auto* variable = variables_.if_contains(name);
    json::value value = variable != nullptr ? *variable : json::value(nullptr);
    if (accept("=")) {
      auto by_default = this->value();
      if (variable == nullptr) value = std::move(by_default);
    }
    if (type.ends_with('!') && value.is_null()) {
      throw GraphqlError("Variable $" + name + " of type " + type + " was provided invalid value",
                         {{"code", "INVALID_VARIABLE"}});
    }
    declared_.insert_or_assign(name, std::move(value));
  }

  GraphqlSelection selection() {
    GraphqlSelection fields;
    expect("{");
    while (!accept("}")) {
      if (accept("...")) {
        spread(fields);
      } else {
        fields.push_back(field());
      }
    }
    if (fields.empty()) throw GraphqlError("syntax error, a selection is empty");
    return fields;
  }

  void spread(GraphqlSelection& fields) {
    if (accept("on")) {
      take();
      for (auto& selected : selection()) fields.push_back(std::move(selected));
    } else {
      fields.push_back({{}, "..." + take(), {}, {}});
    }
  }

  GraphqlField field() {
    GraphqlField field;
    field.key = field.name = take();
    if (accept(":")) field.name = take();
    if (accept("(")) {
      while (!accept(")")) {
        const std::string name = take();
        expect(":");
        auto argument = value();
        if (!argument.is_null()) field.arguments[name] = std::move(argument);
      }
    }
    if (token_ == "{") field.selection = selection();
    return field;
  }

  json::value value() {
    if (accept("$")) {
      const auto found = declared_.find(take());
      if (found == declared_.end()) throw GraphqlError("Variable is used but not declared");
      return found->second;
    }
    if (accept("[")) {
      json::array list;
      while (!accept("]")) list.push_back(value());
      return list;
    }
    if (accept("{")) {
      json::object object;
      while (!accept("}")) {
        const std::string name = take();
        expect(":");
        object[name] = value();
      }
      return object;
    }
    const std::string word = take();
    boost::system::error_code failed;
    auto parsed = json::parse(word, failed);
    return failed ? json::value(word) : parsed;  // the value of an enumeration is a bare word
  }

  void fragment() {
    expect("fragment");
    const std::string name = take();
    expect("on");
    take();
    fragments_.insert_or_assign(name, selection());
  }

  GraphqlSelection expanded(const GraphqlSelection& fields) const {
    GraphqlSelection all;
    for (const auto& field : fields) {
      if (!field.name.starts_with("...")) {
        all.push_back(field);
        all.back().selection = expanded(field.selection);
        continue;
      }
      const auto found = fragments_.find(field.name.substr(3));
      if (found == fragments_.end())
        throw GraphqlError("Fragment " + field.name.substr(3) + " was used, but not defined");
      for (auto& selected : expanded(found->second)) all.push_back(std::move(selected));
    }
    return all;
  }

  std::string_view text_;
  const json::object& variables_;
  std::size_t at_ = 0;
  std::string token_;  // empty at the end
  std::map<std::string, json::value> declared_;
  std::map<std::string, GraphqlSelection> fragments_;
};

}  // namespace

GraphqlOperation parse_graphql(std::string_view document, const json::object& variables) {
  return Parser(document, variables).document();
}

}  // namespace waybill::tests
