#include <algorithm>
#include <set>

#include "domain/filter/expression.hpp"
#include "domain/filter/filter.hpp"
#include "domain/filter/relative.hpp"
#include "domain/filter/token.hpp"

namespace waybill::domain {
namespace {

using namespace odata;

constexpr std::size_t max_keys = 8;

// A column that is never null needs no NULLS FIRST or LAST: an ordinary index serves it in both directions.
bool may_be_null(const Field& field) {
  const auto* const column = field.column();
  return column == nullptr || !column->is_required || !column->shown_by.empty();
}

/// True for a text that may have more than the 200 characters of a line.
bool is_long_text(const Field& field) {
  const auto* const column = field.column();
  return column != nullptr && column->shown_by.empty() && field.type == FieldType::string &&
         (column->form == Form::text || column->form == Form::web_address);
}

class OrderBy {
 public:
  OrderBy(std::string_view text, const RecordType& type) : tokens_(tokenize(text)), type_(type) {}

  SqlFragment compile() {
    do add_key();
    while (take_comma());
    if (token().kind != TokenKind::end)
      throw SyntaxError("a comma or the end is expected, not " + shortened(token().text), token().offset);
    if (!has_guid_) {
      write(", r.guid", descending_ ? " desc" : "");
      keys_.push_back({.value = "r.guid", .joined_value = "r.guid", .is_descending = descending_});
    }
    SqlFragment order{
        .text = std::move(text_), .has_computed_key = has_computed_key_, .keys = std::move(keys_)};
    if (!has_customer_) return order;
    order.join =
        " left join customers sorted on sorted.business_id = r.business_id and sorted.guid = r.customer_id";
    order.joined_text = std::move(joined_text_);
    return order;
  }

 private:
  const Token& token() const { return tokens_[at_]; }

  bool take_comma() {
    if (token().kind != TokenKind::comma) return false;
    ++at_;
    return true;
  }

  bool take_direction() {
    const bool down = is_keyword(token().text, "desc");
    if (token().kind == TokenKind::word && (down || is_keyword(token().text, "asc"))) {
      ++at_;
      return down;
    }
    return false;
  }

  void add_key() {
    if (token().kind != TokenKind::word) throw SyntaxError("a field is expected", token().offset);
    const auto& name = tokens_[at_++];
    const auto& field = find_list_field(name.text, name.offset, type_);
    if (field.type == FieldType::array || field.type == FieldType::object)
      throw SyntaxError(shortened(name.text) + " cannot be sorted by", name.offset);
    if (!fields_.insert(&field).second) throw SyntaxError(name.text + " is given twice", name.offset);
    if (fields_.size() > max_keys) throw SyntaxError("more than 8 fields", name.offset);
    descending_ = take_direction();
    // Keys after the guid have no effect.
    if (!has_guid_) write_key(field);
    has_guid_ = has_guid_ || field.column_name() == "guid";
  }

  // Null sorts below every value (OData 4.01 part 1, "System Query Option $orderby").
  void write_key(const Field& field) {
    if (!text_.empty()) write(", ");
    const auto* const column = field.column();
    const auto* const relative = field.relative();
    SortKey key{.value = value_of(field), .is_descending = descending_, .may_be_null = may_be_null(field)};
    key.is_cut = is_long_text(field);
    if (key.is_cut) key.value = "left(" + key.value + ", 200)";
    key.joined_value = key.value;
    has_computed_key_ = has_computed_key_ || column == nullptr || !column->shown_by.empty() ||
                        column->is_completed_by_relatives;
    if (relative != nullptr && relative->table == "customers") {
      has_customer_ = true;
      text_ += relative_value(*relative);
      joined_text_.append("sorted.").append(relative->column);
      key.joined_value = "sorted." + std::string(relative->column);
    } else {
      write(value_of(field));
    }
    if (descending_) write(" desc");
    if (key.may_be_null) write(descending_ ? " nulls last" : " nulls first");
    keys_.push_back(std::move(key));
  }

  void write(std::string_view text, std::string_view more = {}) {
    text_.append(text).append(more);
    joined_text_.append(text).append(more);
  }

  std::vector<Token> tokens_;
  const RecordType& type_;
  std::size_t at_ = 0;
  std::string text_;
  std::string joined_text_;  // see SqlFragment
  std::vector<SortKey> keys_;
  std::set<const Field*> fields_;
  bool has_guid_ = false;
  bool has_computed_key_ = false;
  bool has_customer_ = false;
  bool descending_ = false;
};

}  // namespace

FilterResult compile_orderby(std::string_view text, const RecordType& type) {
  try {
    return OrderBy(is_blank(text) ? "createdAt desc" : text, type).compile();
  } catch (const SyntaxError& error) {
    return FilterError{error_sentence(error, text)};
  }
}

}  // namespace waybill::domain
