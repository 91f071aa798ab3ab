#include "domain/filter/compiler.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/joined_texts.hpp"
#include "domain/filter/expression_type.hpp"
#include "domain/filter/fragment_facts.hpp"
#include "domain/filter/literal.hpp"
#include "domain/filter/relative.hpp"
#include "domain/filter/sigma.hpp"
#include "domain/filter/token.hpp"

namespace waybill::domain::odata {
namespace {

// The position of a condition in the expression. Predicates that only serve an index are useless beneath
// `not`.
struct Context {
  bool conjunct;  // beneath `and` only
  bool positive;  // not beneath `not`
};

// The row whose columns are written: `r`, or the relative `x` inside its subselect.
enum class View { row, relative };

bool is_only_lowered(const Expression& e) {
  return e.kind == Kind::lower ? is_only_lowered(e.args[0]) : e.kind != Kind::upper;
}

// True if the values are compared in lower case and one of them may have a sigma, see sigma.hpp.
bool folds_sigmas(std::span<const Expression> values) {
  const auto is_lowered = [](const Expression& e) { return e.kind == Kind::lower; };
  const auto may_have = [](const Expression& e) { return has_sigma(beneath_case_functions(e).text); };
  return std::ranges::any_of(values, is_lowered) &&
         (std::ranges::none_of(values, is_constant) ||
          std::ranges::any_of(values, [&](const Expression& e) { return is_constant(e) && may_have(e); }));
}

std::string folded_if(bool folds, std::string sql) { return folds ? folded_sigmas(sql) : std::move(sql); }

// True for `metadata.KEY` and a literal: the index of the metadata finds equal values.
bool is_pair_with_metadata(const Expression& a, const Expression& b) {
  return a.kind == Kind::field && is_metadata(*a.field) && is_literal(b) && b.kind != Kind::null;
}

// True for `source.type` and 'import'. The index of the integrations finds these orders, see source_kind in
// storage/migrations/0019_recipients_and_sources.sql.
bool is_import(const Expression& a, const Expression& b) {
  return a.kind == Kind::field && a.field->column() != nullptr &&
         a.field->column()->shown_by == "source_kind" && b.kind == Kind::string && b.text == "import";
}

// True for `source.externalId`. Its index begins with the integration, of which a business has few.
bool is_external_id(const Expression& e) {
  return e.kind == Kind::field && e.field->column_name() == "external_id";
}

std::string_view sql_operator(Comparator comparator) {
  switch (comparator) {
    case Comparator::eq:
      return " = ";
    case Comparator::ne:
      return " is distinct from ";
    case Comparator::gt:
      return " > ";
    case Comparator::ge:
      return " >= ";
    case Comparator::lt:
      return " < ";
    case Comparator::le:
      return " <= ";
  }
  return {};
}

std::string in_parentheses(const std::vector<std::string>& parts, std::string_view separator) {
  return "(" + joined_texts(parts, separator) + ")";
}

// The relative whose row alone decides a predicate over `values`; null if other columns take part.
const Relative* deciding_relative(std::span<const Expression> values) {
  const Relative* relative = nullptr;
  for (const auto& value : values) {
    const auto& e = beneath_case_functions(value);
    if (is_literal(e)) continue;
    const auto* const named = e.kind == Kind::field ? e.field->relative() : nullptr;
    if (named == nullptr || (relative != nullptr && relative->key != named->key)) return nullptr;
    relative = named;
  }
  return relative;
}

class Compiler {
 public:
  Compiler(const RecordType& type, int first_param, std::string_view business, bool is_for_scans = false)
      : type_(type), first_param_(first_param), business_(business), is_for_scans_(is_for_scans) {}

  SqlFragment compile(const Expression& e) {
    SqlFragment fragment;
    fragment.text = condition(e, {.conjunct = true, .positive = true});
    fragment.params = std::move(params_);
    fragment.sole_column = sole_column(e);
    fragment.is_of_status = is_of_status(e);
    fragment.has_own_data = has_own_data(e);
    if (has_search_text_ && !is_for_scans_) {
      fragment.text_for_scans = Compiler(type_, first_param_, business_, true).compile(e).text;
    }
    if (!fragment.has_own_data) return fragment;
    const auto complement = complement_of(e);
    if (complement) {
      Compiler other(type_, first_param_, business_);
      auto text = other.condition(*complement, {.conjunct = true, .positive = true});
      if (other.params_ == fragment.params) fragment.complement = std::move(text);
    }
    if (!complement || !fragment.complement.empty()) {
      Compiler other(type_, first_param_, business_);
      auto value = other.own_value(complement.value_or(e));
      if (other.params_ == fragment.params) fragment.own_value = std::move(value);
    }
    return fragment;
  }

 private:
  std::string condition(const Expression& e, Context context) {
    switch (e.kind) {
      case Kind::all:
        return all(e, context);
      case Kind::any:
        return any(e, context);
      // Uses `is not true` instead of `not`: a comparison with a missing value is false, so its negation is
      // true.
      case Kind::negation:
        require_condition(e.args[0]);
        return "(" + condition(e.args[0], {}) + ") is not true";
      case Kind::compare:
        return comparison(e, context);
      case Kind::in:
        return membership(e, context);
      case Kind::contains:
      case Kind::starts_with:
      case Kind::ends_with:
        return string_test(e, context);
      case Kind::boolean:
        return literal_text(e, ValueType::boolean);
      default:
        break;
    }
    if (type_of(e) == ValueType::boolean) return operand(e, ValueType::boolean, View::row);
    throw SyntaxError(described(e) + " is not a condition", e.offset);
  }

  std::string all(const Expression& e, Context context) {
    std::vector<std::string> parts;
    parts.reserve(e.args.size());
    for (const auto& part : e.args) parts.push_back(condition(part, context));
    return in_parentheses(parts, " and ");
  }

  std::string any(const Expression& e, Context context) {
    std::vector<std::string> parts;
    parts.reserve(e.args.size());
    for (const auto& part : e.args)
      parts.push_back(condition(part, {.conjunct = false, .positive = context.positive}));
    return in_parentheses(parts, " or ");
  }

  std::string comparison(const Expression& e, Context context) {
    const auto& left = e.args[0];
    const auto& right = e.args[1];
    const auto type = common_type(left, right);
    if (left.kind == Kind::null) return comparison_with_null(right, type, e.comparator);
    if (right.kind == Kind::null) return comparison_with_null(left, type, e.comparator);
    const bool swapped = is_literal(left);
    const auto& value = swapped ? right : left;
    const auto& other = swapped ? left : right;
    const bool equality = e.comparator == Comparator::eq || e.comparator == Comparator::ne;
    if (type == ValueType::list || (equality && is_pair_with_metadata(value, other))) {
      if (!equality || !is_literal(other))
        throw SyntaxError(described(value) + " can only be compared with a text, by eq, ne or in",
                          value.offset);
      if (e.comparator == Comparator::ne) return "(" + containment(value, other, false) + ") is not true";
      return containment(value, other, context.positive);
    }
    if (e.comparator == Comparator::eq && is_import(value, other)) return "r.integration_id is not null";
    const bool constant = is_constant(left) || is_constant(right);
    const bool needs_values = e.comparator != Comparator::ne && (constant || e.comparator != Comparator::eq);
    return in_relative(e.args, needs_values, context, [&](View view) {
      const bool typed = is_constant(left) && is_constant(right);
      const bool equal = e.comparator == Comparator::eq;
      const bool folds = equality && folds_sigmas(e.args);
      auto text = folded_if(folds, operand(left, type, view, typed));
      text += equal && !constant ? " is not distinct from " : sql_operator(e.comparator);
      text += folded_if(folds, operand(right, type, view, typed));
      const bool narrows = equal && context.positive && !has_own_index(left);
      const auto narrowed = narrows && is_external_id(left) ? of_own_integrations()
                            : narrows                       ? search_text_test(e, view)
                                                            : "";
      return narrowed.empty() ? text : "(" + text + " and " + narrowed + ")";
    });
  }

  std::string of_own_integrations() const {
    return "r.integration_id = any(array(select x.guid from integrations x where x.business_id = " +
           std::string(business_) + "))";
  }

  std::string comparison_with_null(const Expression& e, ValueType type, Comparator comparator) {
    const bool equality = comparator == Comparator::eq || comparator == Comparator::ne;
    if (type == ValueType::list) {
      if (!equality)
        throw SyntaxError(described(e) + " can only be compared with a text, by eq, ne or in", e.offset);
      return is_empty_list(e) + (comparator == Comparator::ne ? " is true" : " is not true");
    }
    if (e.kind == Kind::null) return comparator == Comparator::eq ? "true" : "false";
    auto text =
        operand(e, type, View::row, true) + (comparator == Comparator::ne ? " is not null" : " is null");
    return equality ? text : "(" + text + " and false)";
  }

  // A condition that is true for rows whose list or metadata has the literal. Tags are found without regard
  // to case, as they are unique. The index serves a positive condition.
  std::string containment(const Expression& value, const Expression& literal, bool positive) {
    if (value.field->type == FieldType::array) {
      const auto tags = value_of(*value.field);
      const auto tag = operand(literal, ValueType::text, View::row, true);
      if (has_sigma(literal.text))
        return "lower_tags(" + tags + ") && (select " + sigma_spellings("lower(" + tag + ")") + ")";
      // PostgreSQL does not look into a subselect when it plans. With the value, it reads all rows for a
      // frequent tag, which computes the tags of each in lower case: ten times the time of the index.
      auto text = "lower_tags(" + tags + ") @> array[(select lower(" + tag + "))]";
      if (positive) return text;
      // Rows are read until some lack the tag. The tag in its usual forms is found without computing the tags
      // in lower case, in a tenth of the time. The subselect computes the forms once. It leaves out those of
      // other tags: the capitals of some small letters, such as ı and ſ, are those of others, too.
      const auto forms = "(select array_agg(f) from unnest(array[" + tag + ", lower(" + tag + "), upper(" +
                         tag + "), initcap(" + tag + "), upper(left(" + tag + ", 1)) || lower(substr(" + tag +
                         ", 2))]) f where lower(f) = lower(" + tag + "))";
      return "(jsonb_exists_any(" + tags + ", " + forms + ") or " + text + ")";
    }
    const auto key = parameter(std::string(metadata_key(value.text)));
    const auto type = type_beside_metadata(value, literal);
    return value_of(*value.field) + " @> jsonb_build_object(" + key + "::text, " +
           operand(literal, type, View::row, true) + ")";
  }

  // See SqlFragment::own_value. The parameters are those of the condition.
  std::string own_value(const Expression& e) {
    if (e.kind != Kind::compare || e.comparator != Comparator::eq) return {};
    const bool swapped = is_literal(e.args[0]);
    const auto& value = e.args[swapped ? 1 : 0];
    const auto& literal = e.args[swapped ? 0 : 1];
    if (!is_own_data(value) || value.field->relative() != nullptr || !is_literal(literal) ||
        literal.kind == Kind::null) {
      return {};
    }
    if (is_metadata(*value.field)) {
      const auto key = parameter(std::string(metadata_key(value.text)));
      const auto type = type_beside_metadata(value, literal);
      const auto text = operand(literal, type, View::row, true);
      return "'m' || jsonb_build_object(" + key + "::text, " +
             (type == ValueType::number ? "trim_scale(" + text + ")" : text) + ")::text";
    }
    if (value.field->type == FieldType::array && has_sigma(literal.text)) return {};  // several values
    const auto text = operand(literal, ValueType::text, View::row, true);
    return value.field->type == FieldType::array ? own_value_of_tag(text) : own_value_of_reference(text);
  }

  static std::string is_empty_list(const Expression& e) {
    return "(jsonb_array_length(" + value_of(*e.field) + ") > 0)";
  }

  // The value of a key of the metadata; null if it has another type.
  std::string metadata_value(const Expression& e, ValueType as) {
    const auto key = parameter(std::string(metadata_key(e.text)));
    const auto metadata = value_of(*e.field);
    auto text = "(" + metadata + " ->> " + key + ")";
    if (as == ValueType::any) return text;
    const std::string_view type = as == ValueType::number    ? "number"
                                  : as == ValueType::boolean ? "boolean"
                                                             : "string";
    return "(case when jsonb_typeof(" + metadata + " -> " + key + ") = '" + std::string(type) + "' then " +
           text + std::string(as == ValueType::text ? "" : sql_cast(as)) + " end)";
  }

  // Writes membership in a list or the metadata as one condition for each entry, so that the index serves it.
  std::string held_entry(const Expression& value, std::span<const Expression> entries, bool positive) {
    std::vector<std::string> conditions;
    for (const auto& entry : entries) {
      conditions.push_back(entry.kind == Kind::null
                               ? comparison_with_null(value, type_of(value), Comparator::eq)
                               : containment(value, entry, positive));
    }
    return in_parentheses(conditions, " or ");
  }

  std::string membership(const Expression& e, Context context) {
    const auto& value = e.args[0];
    const auto type = type_of(value);
    if (type == ValueType::any || type == ValueType::list) {
      const auto entries = std::span(e.args).subspan(1);
      for (const auto& entry : entries) common_type(value, entry);
      return held_entry(value, entries, context.positive);
    }
    if (type == ValueType::null) throw SyntaxError("null cannot be tested with in", value.offset);
    const auto entries = std::span(e.args).subspan(1);
    for (const auto& entry : entries) {
      if (common_type(value, entry) != type) throw mismatch(entry, value);
    }
    const auto nulls = std::ranges::count(entries, Kind::null, &Expression::kind);
    const auto is_null = [&] { return operand(value, type, View::row, true) + " is null"; };
    const auto is_listed = [&](View view) {
      const bool folds = folds_sigmas(e.args);
      auto text = folded_if(folds, operand(value, type, view, true));
      std::vector<std::string> list;
      for (const auto& entry : entries) {
        if (entry.kind != Kind::null) list.push_back(folded_if(folds, operand(entry, type, view)));
      }
      return text + " in " + in_parentheses(list, ", ");
    };
    if (nulls == 0) return in_relative(std::span(&value, 1), true, context, is_listed);
    if (nulls == std::ssize(entries)) return is_null();
    return "(" + is_listed(View::row) + " or " + is_null() + ")";
  }

  std::string string_test(const Expression& e, Context context) {
    for (const auto& argument : e.args) require_text(argument, e.text);
    return in_relative(e.args, true, context, [&](View view) {
      auto text = is_constant(e.args[1]) ? like(e, view) : position_test(e, view);
      const bool narrows = context.positive && !(e.kind == Kind::starts_with && has_own_index(e.args[0]));
      const auto narrowed = narrows ? search_text_test(e, view) : "";
      return narrowed.empty() ? text : "(" + text + " and " + narrowed + ")";
    });
  }

  std::string like(const Expression& e, View view) {
    const bool folds = folds_sigmas(e.args);
    const auto value = folded_if(folds, operand(e.args[0], ValueType::text, view, true));
    return value + " like " +
           folded_if(folds, pattern(e.args[1], e.kind != Kind::starts_with, e.kind != Kind::ends_with));
  }

  std::string pattern(const Expression& e, bool open_start, bool open_end) {
    if (e.kind == Kind::lower) return "lower(" + pattern(e.args[0], open_start, open_end) + ")";
    if (e.kind == Kind::upper) return "upper(" + pattern(e.args[0], open_start, open_end) + ")";
    return parameter((open_start ? "%" : "") + like_escaped(e.text) + (open_end ? "%" : ""));
  }

  std::string position_test(const Expression& e, View view) {
    const bool folds = folds_sigmas(e.args);
    const auto whole = folded_if(folds, operand(e.args[0], ValueType::text, view, true));
    const auto part = folded_if(folds, operand(e.args[1], ValueType::text, view, true));
    if (e.kind == Kind::contains) return "strpos(" + whole + ", " + part + ") > 0";
    if (e.kind == Kind::starts_with) return "starts_with(" + whole + ", " + part + ")";
    return "right(" + whole + ", length(" + part +
           ")) = " + folded_if(folds, operand(e.args[1], ValueType::text, view, true));
  }

  // The predicate on the indexed `search_text` that a string test or equality implies, for columns without an
  // index of their own. Empty if nothing is implied or a trigram index cannot find it.
  std::string search_text_test(const Expression& e, View view) {
    const auto& value = beneath_case_functions(e.args[0]);
    const auto& part = beneath_case_functions(e.args[1]);
    const bool plain = is_only_lowered(e.args[0]) && is_only_lowered(e.args[1]);
    if (!plain || value.kind != Kind::field || part.kind != Kind::string) return {};
    const bool folds = folds_sigmas(e.args);
    if (!has_trigram(folds ? with_sigmas_as(part.text, "_") : part.text)) return {};
    const auto* const named = value.field->relative();
    const bool relative = view == View::relative;
    if (relative == (named == nullptr)) return {};
    const auto text = search_text_with(relative ? named->table : type_.table,
                                       relative ? named->column : value.field->column_name());
    if (text.empty()) return {};
    has_search_text_ = true;
    const auto word = folds ? parameter("%" + with_sigmas_as(like_escaped(part.text), "_") + "%")
                            : pattern(part, true, true);
    if (is_for_scans_) return word + "::text is not null";
    return (relative ? "x." : "r.") + std::string(text) + " like lower(" + word + ")";
  }

  // Writes a predicate on the relative's table if that table alone decides it and it is never true for a
  // missing value (`needs_values`), so that the table's indexes are used. Otherwise writes it on the row.
  template <typename Write>
  std::string in_relative(std::span<const Expression> values, bool needs_values, Context context,
                          Write write) {
    const auto* relative = needs_values ? deciding_relative(values) : nullptr;
    if (relative == nullptr) return write(View::row);
    return relative_meets(*relative, write(View::relative), business_, context.conjunct);
  }

  // `typed` adds a cast, for a parameter that is not compared with a column, which would determine its type.
  std::string operand(const Expression& e, ValueType as, View view, bool typed = false) {
    if (is_case_function(e))
      return (e.kind == Kind::lower ? "lower(" : "upper(") + operand(e.args[0], as, view, true) + ")";
    if (e.kind == Kind::field && is_metadata(*e.field)) return metadata_value(e, as);
    if (e.kind == Kind::field) return column(*e.field, view);
    if (e.kind == Kind::boolean) return literal_text(e, as);
    if (is_condition(e)) return "((" + condition(e, {}) + ") is true)";
    const auto cast = typed || as != ValueType::text ? sql_cast(as) : "";
    return parameter(literal_text(e, as)).append(cast);
  }

  static std::string column(const Field& field, View view) {
    if (view == View::relative && field.relative() != nullptr)
      return "x." + std::string(field.relative()->column);
    return value_of(field);
  }

  std::string parameter(std::string value) {
    params_.push_back(std::move(value));
    return "$" + std::to_string(first_param_ + static_cast<int>(params_.size()) - 1);
  }

  const RecordType& type_;
  int first_param_;
  std::string_view business_;
  bool is_for_scans_;  // see SqlFragment::text_for_scans
  bool has_search_text_ = false;
  std::vector<std::string> params_;
};

}  // namespace

SqlFragment compile_expression(const Expression& expression, const RecordType& type, int first_param,
                               std::string_view business) {
  return Compiler(type, first_param, business).compile(expression);
}

}  // namespace waybill::domain::odata
