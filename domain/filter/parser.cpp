#include <array>
#include <optional>
#include <utility>

#include "domain/filter/expression.hpp"
#include "domain/filter/token.hpp"
#include "domain/values/own_data.hpp"

namespace waybill::domain::odata {
namespace {

constexpr int max_depth = 32;

struct Function {
  std::string_view name;
  Kind kind;
  std::size_t arguments;
};

constexpr auto functions = std::to_array<Function>({
    {"contains", Kind::contains, 2},
    {"startswith", Kind::starts_with, 2},
    {"endswith", Kind::ends_with, 2},
    {"tolower", Kind::lower, 1},
    {"toupper", Kind::upper, 1},
});

constexpr auto relational = std::to_array<std::pair<std::string_view, Comparator>>(
    {{"gt", Comparator::gt}, {"ge", Comparator::ge}, {"lt", Comparator::lt}, {"le", Comparator::le}});
constexpr auto equality =
    std::to_array<std::pair<std::string_view, Comparator>>({{"eq", Comparator::eq}, {"ne", Comparator::ne}});

class Parser {
 public:
  Parser(std::string_view text, const RecordType& type) : tokens_(tokenize(text)), type_(type) {}

  Expression parse() {
    auto expression = disjunction();
    if (token().kind != TokenKind::end) fail("an operator or the end is expected, not ");
    return expression;
  }

 private:
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > max_depth)
        throw SyntaxError("nested deeper than 32 levels", parser_.token().offset);
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --parser_.depth_; }

   private:
    Parser& parser_;
  };

  const Token& token() const { return tokens_[at_]; }
  Token take() { return std::move(tokens_[at_++]); }
  bool at_keyword(std::string_view keyword) const {
    return token().kind == TokenKind::word && is_keyword(token().text, keyword);
  }

  [[noreturn]] void fail(const std::string& expectation) const {
    throw SyntaxError(expectation + (token().kind == TokenKind::end ? "the end" : shortened(token().text)),
                      token().offset);
  }

  void expect(TokenKind kind, const std::string& expected) {
    if (!accept(kind)) fail(expected + " is expected, not ");
  }

  Expression disjunction() {
    return chain("or", Kind::any, [this] { return chain("and", Kind::all, [this] { return equal(); }); });
  }

  template <typename Part>
  Expression chain(std::string_view keyword, Kind kind, Part part) {
    auto first = part();
    if (!at_keyword(keyword)) return first;
    Expression whole{.kind = kind, .offset = first.offset, .text = std::string(keyword)};
    whole.args.push_back(std::move(first));
    while (at_keyword(keyword)) {
      ++at_;
      whole.args.push_back(part());
    }
    return whole;
  }

  Expression equal() {
    return comparison(equality, [this] { return comparison(relational, [this] { return unary(); }); });
  }

  template <typename Operators, typename Part>
  Expression comparison(const Operators& operators, Part part) {
    auto left = part();
    int levels = 0;
    while (const auto comparator = at_operator(operators)) {
      if (++levels > max_depth) throw SyntaxError("more than 32 comparisons in a row", token().offset);
      Expression whole{
          .kind = Kind::compare, .offset = left.offset, .text = take().text, .comparator = *comparator};
      whole.args.push_back(std::move(left));
      whole.args.push_back(part());
      left = std::move(whole);
    }
    return left;
  }

  template <typename Operators>
  std::optional<Comparator> at_operator(const Operators& operators) const {
    for (const auto& [name, comparator] : operators) {
      if (at_keyword(name)) return comparator;
    }
    return std::nullopt;
  }

  Expression unary() {
    if (!at_keyword("not")) return member();
    const Level level(*this);
    Expression whole{.kind = Kind::negation, .offset = token().offset, .text = take().text};
    whole.args.push_back(unary());
    return whole;
  }

  Expression member() {
    auto value = primary();
    if (!at_keyword("in")) return value;
    Expression whole{.kind = Kind::in, .offset = value.offset, .text = take().text};
    whole.args.push_back(std::move(value));
    expect(TokenKind::open, "( after in");
    if (token().kind == TokenKind::close) throw SyntaxError("the list of in is empty", token().offset);
    do whole.args.push_back(list_entry());
    while (accept(TokenKind::comma));
    expect(TokenKind::close, ", or )");
    return whole;
  }

  bool accept(TokenKind kind) {
    if (token().kind != kind) return false;
    ++at_;
    return true;
  }

  Expression list_entry() {
    auto entry = primary();
    if (entry.kind > Kind::uuid) throw SyntaxError("a list of in holds only literals", entry.offset);
    return entry;
  }

  Expression primary() {
    if (token().kind == TokenKind::open) {
      const Level level(*this);
      ++at_;
      auto inner = disjunction();
      expect(TokenKind::close, ")");
      return inner;
    }
    switch (token().kind) {
      case TokenKind::string:
        return literal(Kind::string);
      case TokenKind::number:
        return literal(Kind::number);
      case TokenKind::timestamp:
        return literal(Kind::timestamp);
      case TokenKind::uuid:
        return literal(Kind::uuid);
      case TokenKind::word:
        return word();
      default:
        fail("a field or a value is expected, not ");
    }
  }

  Expression literal(Kind kind) {
    auto taken = take();
    return {.kind = kind, .offset = taken.offset, .text = std::move(taken.text)};
  }

  Expression word() {
    if (at_keyword("null")) return literal(Kind::null);
    if (at_keyword("true") || at_keyword("false")) return literal(Kind::boolean);
    for (const auto keyword : {"and", "or", "not", "eq", "ne", "gt", "ge", "lt", "le", "in"}) {
      if (at_keyword(keyword)) fail("a field or a value is expected, not ");
    }
    if (tokens_[at_ + 1].kind == TokenKind::open) return call();
    auto expression = literal(Kind::field);
    expression.field = &find_list_field(expression.text, expression.offset, type_);
    return expression;
  }

  Expression call() {
    for (const auto& function : functions) {
      if (!at_keyword(function.name)) continue;
      const Level level(*this);
      Expression whole{.kind = function.kind, .offset = token().offset, .text = take().text};
      expect(TokenKind::open, "(");
      whole.args.push_back(disjunction());
      while (whole.args.size() < function.arguments) {
        expect(TokenKind::comma, "a comma and a further argument");
        whole.args.push_back(disjunction());
      }
      expect(TokenKind::close, ")");
      return whole;
    }
    throw SyntaxError("unknown function " + shortened(token().text), token().offset);
  }

  std::vector<Token> tokens_;
  const RecordType& type_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

const Field* find_metadata(std::string_view key, std::size_t offset, const RecordType& type) {
  const auto* const field = type.find(metadata_path);
  if (field != nullptr && (key.empty() || key.size() > longest_metadata_key))
    throw SyntaxError("a key of metadata has 1 to 40 characters", offset);
  return field;
}

}  // namespace

Expression parse_expression(std::string_view text, const RecordType& type) {
  return Parser(text, type).parse();
}

const Field& find_list_field(std::string_view path, std::size_t offset, const RecordType& type) {
  const auto* field = type.find(path);
  // Requests name "customer.guid" customerId.
  if (field == nullptr && path.ends_with("Id"))
    field = type.find(std::string(path.substr(0, path.size() - 2)) + ".guid");
  const bool has_key = path.starts_with(metadata_path) && path.substr(metadata_path.size()).starts_with('.');
  if (field == nullptr && has_key) field = find_metadata(metadata_key(path), offset, type);
  if (field == nullptr || !field->is_filtered) throw SyntaxError("unknown field " + shortened(path), offset);
  if (is_metadata(*field) && !has_key)
    throw SyntaxError(std::string(path) + " needs a key, as in metadata/KEY", offset);
  return *field;
}

}  // namespace waybill::domain::odata
